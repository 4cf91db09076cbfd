"""What a made thing depends on, and why it is stale, in words.

Everything made is recorded with its *parts*: a flat table from the name of something it depends on
(`parameter roll.trials`, `code figures/dice.py mean`, `version numpy`) to the value or hash
that thing had. It is fresh while every part is as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from report import glance
from report.code import Code, Reach
from report.data import CACHE, data
from report.glance import file_digest, variable_digest
from report.known import Known
from report.project import BUILD_SECTION, OWN, Project, Settings, default_templates
from report.versions import PYTHON, engines, needed_by

Parts = dict[str, str]

NAMED = 5  # names in a reason, before it counts the rest
DOUBTED = "edited meanwhile"  # stands for all parts of what may not show any one state of them
SHOWN = 60  # characters of a parameter that a reason still quotes
_HASH = re.compile(r"[0-9a-f]{32}")  # tells a reader nothing


# Code of the generator that decides what a made thing holds, by module and function.
SHOWN_BY = ("draw", "describe", "table", "claims")  # what an experiment defines of these
MEASURE = (("report.streams", "stream_for"), ("report.results", "dumps"))
DRAW = (
    ("report.drawing.canvas", "draw"),
    ("report.drawing.svg", "outlined"),
    ("report.style", "read_tokens"),
    ("report.numbers", "Printer"),
    ("report.claims", "judge"),
    ("report.results", "loads"),
)
TEXT = (("report.article", "compose"), ("report.results", "loads"))
PAGE = (*TEXT, ("report.page", "render"))
PAPER = (*TEXT, ("report.pdf.document", "render"))
CUTTER = "fonts/cut.py"  # makes the fonts that are lent
BESIDE = (
    *TEXT,
    ("report.companions.deck", "deck"),
    ("report.companions.note", "note"),
    ("report.companions.citations", "bibtex"),
    ("report.companions.citations", "csl"),
)
# Ends of templates that no PDF reads.
NOT_PAPER = (".woff2", CUTTER, "page.html", "screen.css", "card.css")


class Depends:
    """Finds the parts of everything a project makes."""

    def __init__(self, project: Project, settings: Settings) -> None:
        """Take the project, and the settings of this run."""
        self.project, self.settings = project, settings
        self.code, self._reached, self._known = _followed(project)

    def reach(self, *starts: tuple[str, str]) -> Reach:
        """Follow code, once for each set of functions."""
        if starts not in self._reached:
            self._reached[starts] = self.code.reach(*starts)
        return self._reached[starts]

    def follow(self) -> None:
        """Follow all code that pictures, page and PDF come from, ahead of the questions about it."""
        for stem in self.project.stems:
            self.drawing(stem)
        for starts in (PAGE, PAPER):
            self.reach(*starts)

    def keep(self) -> None:
        """Keep what was followed of the generator for the next build."""
        self._known.keep(*self.code.of_generator)

    def measuring(self, stem: str) -> Reach:
        """What an experiment can run to measure."""
        return self.reach((stem, "measure"), (stem, "Parameters"), *MEASURE)

    def drawing(self, stem: str) -> Reach:
        """What an experiment can run to show its result."""
        return self.reach(*((stem, name) for name in SHOWN_BY), *DRAW)

    def measure(self, stem: str, reads: Mapping[str, list[str]]) -> Parts:
        """Parts of a result; `reads` maps sections to keys, '' being the experiment's own."""
        draws = self.code.uses(stem, "measure", 1)  # an exact experiment is moved by no seed
        parts = {"parameter seed": str(self.settings.seed_for(stem))} if draws else {}
        for section, keys in reads.items():
            values = self.settings.sections.get(section or stem, {})
            for key in values.keys() & set(keys):
                parts[f"parameter {section or stem}.{key}"] = said(values[key])
        return parts | _code(self.measuring(stem))

    def draw(self, stem: str, result: str) -> Parts:
        """Parts of a figure's drawings and words; `result` is the hash of the stored result."""
        styles = {n: p for n, p in self.templates.items() if n.endswith((".ttf", "tokens.toml"))}
        return {f"result {stem}": result, **_files(styles), **_code(self.drawing(stem))}

    def page(self, made: Parts, origin: Mapping[str, str]) -> Parts:
        """Parts of the page; `made` are the hashes of results, words and drawings."""
        skip = (".ttf", CUTTER, "print.html", "print.css", "card.css")
        scripts = {
            f"file {self.project.shown(path)}": file_digest(path)
            for path in self.project.figures.glob("*.js")
        }
        return self._text(made, origin, skip) | scripts | _code(self.reach(*PAGE))

    def paper(self, made: Parts, origin: Mapping[str, str], size: str) -> Parts:
        """Parts of the PDF."""
        parts = self._text(made, origin, NOT_PAPER) | _code(self.reach(*PAPER))
        engine = {f"version {name}": version for name, version in engines().items()}
        return parts | engine | {"parameter paper": size}

    def companions(self, pdf: str, seen: str) -> Parts:
        """Parts of what stands beside a PDF, which carries the results; `seen` is its hash."""
        skip = (".ttf", ".woff2", CUTTER, ".html", "screen.css", "print.css")
        return self._text({f"made {pdf}": seen}, {}, skip) | _code(self.reach(*BESIDE))

    def is_outdated(self, parts: Parts) -> bool:
        """Tell whether any file among some parts, or the generator, says something else by now."""
        if self._generator_moved:
            return True
        files = {part.removeprefix("file "): part for part in parts if part.startswith("file ")}
        return any(file_digest(self._path(name)) != parts[part] for name, part in files.items())

    @cached_property
    def _generator_moved(self) -> bool:
        return self._known.moved

    def _path(self, name: str) -> Path:
        lent = self.templates.get(name.removeprefix("templates/"))
        return lent or self.project.root / name

    def sources(self) -> dict[str, str]:
        """Hash each file the PDF comes from, by what of it is used: comments and layout do not count."""
        parts = _files(self._templates_without(NOT_PAPER)) | self.reach(*PAPER).parts
        for stem in self.project.stems:
            parts |= self.measuring(stem).parts | self.drawing(stem).parts
        found: dict[str, list[str]] = {}
        for part, seen in sorted(parts.items()):
            kind, _, name = part.partition(" ")
            file = name.partition(" ")[0] if kind == "code" else name
            found.setdefault(file, []).append(f"{part} {seen}")
        return {file: glance.digest(" ".join(told).encode()) for file, told in found.items()}

    def read(self) -> dict[str, Any]:
        """Hash the `files` and `variables` experiments name, and tell if they read others of `anywhere`."""
        reached = [
            follow(stem) for stem in self.project.stems for follow in (self.measuring, self.drawing)
        ]
        files = {name: seen for each in reached for name, seen in each.files.items()}
        variables = {name: seen for each in reached for name, seen in each.variables.items()}
        return {
            "files": files,
            "variables": variables,
            "anywhere": any(each.anywhere for each in reached),
        }

    def _templates_without(self, ends: tuple[str, ...]) -> dict[str, Path]:
        return {name: path for name, path in self.templates.items() if not name.endswith(ends)}

    def _text(self, made: Parts, origin: Mapping[str, str], skip: tuple[str, ...]) -> Parts:
        files = self._templates_without(skip)
        values = {
            f"parameter {section}.{key}": said(value)
            for section, each in self.settings.sections.items()
            for key, value in each.items()
            if section != BUILD_SECTION
        }
        told = {f"parameter {name}": text for name, text in origin.items()}
        return {
            "parameter seed": str(self.settings.seed),
            **values,
            **told,
            **made,
            **_files(files),
        }

    @cached_property
    def templates(self) -> dict[str, Path]:
        """Every template, style and font: the project's own, or else what the generator lends."""
        lent = {n: path for n, path in _templates(default_templates()) if n not in OWN}
        return lent | dict(_templates(self.project.root / "templates"))

    def versions(self) -> dict[str, str]:
        """Versions of Python and of the libraries the code of all experiments uses by itself."""
        used = {lib for stem in self.project.stems for lib in self._libraries(stem)}
        return {"Python": PYTHON, **needed_by(used, deep=False)}

    def _libraries(self, stem: str) -> set[str]:
        return self.measuring(stem).libraries | self.drawing(stem).libraries


Followed = tuple[Code, dict[object, Reach], Known]


def _followed(project: Project) -> Followed:
    """The code of a project, and what an earlier build of this process reached of it as it stands."""
    folders = project.figures, Path(glance.GENERATOR)
    code = (path for folder in folders for path in sorted(folder.rglob("*.py")))
    found = (project.root / name for name in data(project.root, project.stems))
    asked = project, Path(glance.GENERATOR), glance.files_digest([*code, *found])
    reached = _kept(*asked)[1].values()
    files = {(name, seen) for each in reached for name, seen in each.files.items()}
    variables = {(name, seen) for each in reached for name, seen in each.variables.items()}
    if any(file_digest(project.root / name) != seen for name, seen in files) or any(
        variable_digest(name) != seen for name, seen in variables
    ):
        _kept.cache_clear()
    return _kept(*asked)


@lru_cache(maxsize=1)
def _kept(project: Project, generator: Path, stands: str) -> Followed:
    """Keep code for as long as it `stands` so."""
    del stands
    known = Known(project.build / CACHE, generator, project.figures)
    return Code(project.root, generator, known=known.steps), {}, known


def _templates(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a folder of templates by its name there, but those no build reads."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not any(map(glance.unread, name.split("/"))):
            yield name, path


def _files(files: Mapping[str, Path]) -> Parts:
    return {f"file templates/{name}": file_digest(path) for name, path in files.items()}


def _code(reach: Reach) -> Parts:
    """Parts of some code: itself, and the versions of what it imports."""
    versions = {"Python": PYTHON, **needed_by(reach.libraries)}
    return reach.parts | {f"version {name}": version for name, version in versions.items()}


def said(value: object) -> str:
    """Write a parameter's value as a part."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)  # TOML knows dates


def reasons(name: str, old: Mapping[str, str] | None, new: Mapping[str, str]) -> list[str]:
    """Say in words what moved between two tables of parts; nothing when all is as it was.

    `name` is that of the thing they are parts of, which need not be told its own name.
    """
    if old is None:
        return ["it was not built here before"]
    if DOUBTED in old:
        return ["something was edited while it was made"]
    found: list[str] = []
    code: dict[str, list[str]] = {}
    figures: set[str] = set()
    for part in sorted(old.keys() | new.keys()):
        before, after = old.get(part), new.get(part)
        if before == after:
            continue
        kind, _, rest = part.partition(" ")
        if kind == "code":
            file, _, label = rest.partition(" ")
            code.setdefault(file, []).append(label)
        elif kind in ("result", "drawing", "words"):
            figures.add(re.split("[-.]", rest)[0])
        else:
            found.append(_reason(kind, rest.removeprefix(f"{name}."), before, after))
    found += _first([f"{file} changed ({_some(labels)})" for file, labels in code.items()])
    if figures:
        whose = "its result" if figures == {name} else f"what {_some(sorted(figures))} shows"
        found.append(f"{whose} changed")
    return found


def _some(names: list[str]) -> str:
    """List names, or the first few of many."""
    rest = len(names) - NAMED
    return ", ".join(names) if rest <= 1 else f"{', '.join(names[:NAMED])} and {rest} more"


def _first(files: list[str]) -> list[str]:
    """Tell of every file of code, or of the first few and how many are left."""
    rest = len(files) - NAMED
    return files if rest <= 1 else [*files[:NAMED], f"{rest} more files of code changed"]


def _reason(kind: str, name: str, old: str | None, new: str | None) -> str:
    if kind in ("file", "variable"):
        return f"{name} {'is new' if not old else 'is gone' if not new else 'changed'}"
    if kind == "version":
        return f"{name} {old or 'absent'} -> {new or 'absent'}"
    if kind == "copy":
        return "it is compared with another copy" if new else "it was compared with another copy"
    if old is None or new is None:
        return f"{name} is new" if old is None else f"{name} is no longer read"
    if len(old) > SHOWN or len(new) > SHOWN or _HASH.fullmatch(new):
        return f"{name} changed"
    return f"{name} changed from {old} to {new}"
