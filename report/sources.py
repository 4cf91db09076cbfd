"""The literature: `templates/sources.toml` read, citations made from it, and none left uncited."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from report import authored
from report.authored import line_of
from report.errors import Mistake, shortened
from report.project import Project
from report.results import is_finite, nearest

_REQUIRED = ("authors", "year", "title", "supports")
_OPTIONAL = ("where", "arxiv", "url", "venue", "code", "accessed", "facts")
_ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
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
    text: str
    used: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, project: Project) -> Sources:
        """Read the records; a project may have none."""
        path = project.own("sources.toml")
        file = project.shown(path)
        text = authored.text(path, file) if path.exists() else ""
        data = authored.toml(text, file)
        records = {key: _record(key, values, file, text) for key, values in data.items()}
        _check_labels(records, file, text)
        return cls(records, file, text)

    def cite(self, key: str, where: str = "") -> str:
        """Write a citation as a link to its record, with the place in the work that is meant."""
        if str(key) not in self.records:
            near = nearest(key, list(self.records))
            raise ValueError(f"there is no source '{key}' in {self.file}{near}")
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
                then = "cite it in the text or remove it"
                line = line_of(self.text, key)
                raise Mistake(f"nothing cites '{key}'", file=self.file, line=line, then=then)
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
    def fail(what: str, name: str = "") -> NoReturn:
        line = line_of(text, key, name) or line_of(text, "", key)
        raise Mistake(what, file=file, line=line)

    if not isinstance(values, dict):
        fail(f"'{key}' stands outside every record")
    if not re.fullmatch(r"[\w-]+", key, re.ASCII):
        fail(f"'{key}' cannot be cited, for only letters, digits, hyphens and underscores can")
    for name, value in values.items():
        if said := _refused(name, value):
            fail(f"[{key}] {said}", name)
    for name in _REQUIRED:
        if name not in values:
            fail(f"[{key}] lacks '{name}'")
    _check_facts(key, values.get("facts", {}), file, text)
    texts = {name: str(value) for name, value in values.items() if name != "facts"}
    return Source(key, **texts, facts=values.get("facts", {}))


def _refused(name: str, value: object) -> str:
    """Say why a field of a record cannot be taken; nothing if it can."""
    if name not in (*_REQUIRED, *_OPTIONAL):
        return f"has no '{name}'{nearest(name, [*_REQUIRED, *_OPTIONAL])}"
    if name == "facts":
        return "" if isinstance(value, dict) else "facts expects a table of numbers"
    if not isinstance(value, str | int) or value == "":
        return f"{name} expects text"
    if name == "url" and not authored.is_web(value):
        return f"url expects an address that begins with https://, not '{shortened(str(value))}'"
    if name == "arxiv" and not _ARXIV.fullmatch(str(value)):
        return f"arxiv expects a number such as 1706.03762, not '{shortened(str(value))}'"
    return ""


def _check_facts(key: str, facts: dict[str, object], file: str, text: str) -> None:
    """Facts are finite numbers, or lists of them; each is bound in the text like a result."""
    for name, value in facts.items():
        numbers = value if isinstance(value, list) else [value]
        if not all(isinstance(n, int | float) and is_finite(n) for n in numbers) or any(
            isinstance(n, bool) for n in numbers
        ):
            line = line_of(text, f"{key}.facts", name) or line_of(text, key, "facts")
            what = f"[{key}.facts] {name} expects a finite number or a list of them"
            raise Mistake(what, file=file, line=line)
