"""The literature: `templates/sources.toml` read, citations made from it, and none left uncited."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from report.errors import Mistake
from report.project import Project, line_of
from report.results import nearest

_REQUIRED = ("authors", "year", "title", "supports")
_OPTIONAL = ("where", "arxiv", "url", "venue", "code", "accessed", "facts")
_SPECIAL = re.compile(r"[\\`*_\[\]<>]")


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


@dataclass(frozen=True)
class Source:
    """One work: who, when, what, where to find it, and what it supports in the article."""

    key: str
    authors: str
    year: str
    title: str
    supports: str
    where: str = ""  # the place in the work that is meant
    arxiv: str = ""
    url: str = ""
    venue: str = ""
    code: str = ""
    accessed: str = ""
    facts: dict[str, Any] = field(default_factory=dict)  # numbers it states, cited where they stand

    @property
    def anchor(self) -> str:
        """The name of its place in the list."""
        return f"source-{self.key}"

    @property
    def label(self) -> str:
        """The short form used in the text: authors and year."""
        return f"{self.authors} {self.year}"

    @property
    def link(self) -> str:
        """Where it can be read."""
        return f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else self.url


@dataclass
class Sources:
    """All works of an article, and which of them the text has cited so far."""

    records: dict[str, Source]
    file: str
    path: Path
    used: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, project: Project) -> Sources:
        """Read the records; a project may have none."""
        path = project.root / "templates" / "sources.toml"
        file = project.shown(path)
        text = path.read_text("utf-8") if path.exists() else ""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"at line (\d+)", str(error))
            raise Mistake(
                f"is not valid TOML: {error}", file=file, line=int(found[1]) if found else None
            ) from None
        records = {key: _record(key, values, file, text) for key, values in data.items()}
        _check_labels(records, file, text)
        return cls(records, file, path)

    def cite(self, key: str, where: str = "") -> str:
        """Write a citation as a link to its record, with the place in the work that is meant."""
        if key not in self.records:
            raise ValueError(
                f"there is no source '{key}' in {self.file}{nearest(key, list(self.records))}"
            )
        self.used.add(key)
        record = self.records[key]
        words = f"{record.label}, {where}" if where else record.label
        return f"[{_SPECIAL.sub(_escaped, words)}](#{record.anchor})"

    @property
    def facts(self) -> dict[str, dict[str, Any]]:
        """The numbers that works state, by key: `facts.vaswani2017.heads`."""
        return {key: record.facts for key, record in self.records.items() if record.facts}

    def cited(self) -> list[Source]:
        """Give the records in alphabetical order; raise Mistake for one that nothing cites."""
        for key in self.records:
            if key not in self.used:
                line = line_of(self.path.read_text("utf-8"), key)
                raise Mistake(
                    f"nothing cites '{key}'", file=self.file, line=line, then="cite it or remove it"
                )
        return sorted(
            self.records.values(), key=lambda record: (record.authors.lower(), record.year)
        )


def _check_labels(records: dict[str, Source], file: str, text: str) -> None:
    """A reader must know from the short form which work is meant."""
    seen: dict[str, str] = {}
    for key, record in records.items():
        if (other := seen.setdefault(record.label, key)) != key:
            what = f"[{key}] and [{other}] are both '{record.label}'"
            then = f'tell them apart, as in `year = "{record.year}a"`'
            raise Mistake(what, file=file, line=line_of(text, key), then=then)


def _record(key: str, values: object, file: str, text: str) -> Source:
    line = line_of(text, key)
    if not isinstance(values, dict):
        raise Mistake(f"'{key}' stands outside every record", file=file, line=line)
    for name, value in values.items():
        if name not in (*_REQUIRED, *_OPTIONAL):
            known = [*_REQUIRED, *_OPTIONAL]
            raise Mistake(
                f"[{key}] has no '{name}'{nearest(name, known)}",
                file=file,
                line=line_of(text, key, name),
            )
        if name == "facts":
            _check_facts(key, value, file, text)
        elif not isinstance(value, str | int):
            raise Mistake(f"[{key}] {name} expects text", file=file, line=line_of(text, key, name))
    for name in _REQUIRED:
        if name not in values:
            raise Mistake(f"[{key}] lacks '{name}'", file=file, line=line)
    texts = {name: str(value) for name, value in values.items() if name != "facts"}
    return Source(key, **texts, facts=values.get("facts", {}))


def _check_facts(key: str, facts: object, file: str, text: str) -> None:
    """Facts are finite numbers, or lists of them; each is bound in the text like a result."""
    if not isinstance(facts, dict):
        raise Mistake(
            f"[{key}] facts expects a table of numbers", file=file, line=line_of(text, key, "facts")
        )
    for name, value in facts.items():
        numbers = value if isinstance(value, list) else [value]
        if not all(
            isinstance(n, int | float) and not isinstance(n, bool) and isfinite(n) for n in numbers
        ):
            line = line_of(text, f"{key}.facts", name) or line_of(text, key, "facts")
            raise Mistake(
                f"[{key}.facts] {name} expects a finite number or a list of them",
                file=file,
                line=line,
            )
