"""Where the things of a project are, and its project file `seeds.toml` read and checked."""

from __future__ import annotations

import ast
import hashlib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from report.errors import Mistake
from report.results import nearest

SEEDS = "seeds.toml"
BUILD_SECTION = "build"  # settings of the generator itself, read by no experiment
DEFAULT_LIMIT = 120  # seconds one experiment may take
LONGEST_NAME = 60  # characters of an override that still make a readable folder name


@dataclass(frozen=True)
class Project:
    """A folder that holds `seeds.toml`, `figures/` and `templates/`."""

    root: Path

    @property
    def seeds(self) -> Path:
        """The project file."""
        return self.root / SEEDS

    @property
    def figures(self) -> Path:
        """The folder of experiments and of the results and pictures committed beside them."""
        return self.root / "figures"

    @property
    def build(self) -> Path:
        """The folder of made things that are not committed."""
        return self.root / "build"

    @property
    def article(self) -> Path:
        """The text of the article."""
        return self.root / "templates" / "article.md"

    @cached_property
    def stems(self) -> list[str]:
        """The experiments: every file in `figures/` that defines `measure`, in alphabetical order."""
        return sorted(path.stem for path in self.figures.glob("*.py") if _measures(path))

    def template(self, name: str) -> Path:
        """Find a template, style or font: the project's own, or else the generator's."""
        own = self.root / "templates" / name
        return own if own.exists() else default_templates() / name

    def shown(self, path: Path) -> str:
        """Name a file as the user knows it: relative to the project."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def default_templates() -> Path:
    """Give the generator's own templates: packed into the wheel, or `templates/` in its checkout."""
    here = Path(__file__).resolve().parent
    packed = here / "default"
    return packed if packed.is_dir() else here.parent / "templates"


def open_project(root: Path, *, article: bool = True) -> Project:
    """Take a folder as a project, or say what it lacks; without an article it has figures only."""
    root = root.resolve()
    for needed in (SEEDS, "figures", *(["templates/article.md"] if article else [])):
        if not (root / needed).exists():
            raise Mistake(
                f"{needed} is not there, and a project has {SEEDS}, figures/ and templates/article.md",
                file=root,
                then="name the project's folder with --project DIR",
            )
    return Project(root)


def _measures(path: Path) -> bool:
    """Tell whether a file defines `measure`; one that cannot be read is loaded, and refused, as one that does."""
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, ValueError):
        return True
    return any(isinstance(node, ast.FunctionDef) and node.name == "measure" for node in tree.body)


@dataclass(frozen=True)
class Settings:
    """Every seed and parameter of one run: the project file, and what the command line puts over it."""

    seed: int
    sections: dict[str, dict[str, Any]]
    overrides: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    @property
    def limit(self) -> float:
        """Seconds one experiment may take before it is stopped."""
        return float(self.sections.get(BUILD_SECTION, {}).get("limit", DEFAULT_LIMIT))

    def seed_for(self, stem: str) -> int:
        """Give an experiment's base seed: its own if its section pins one (`SEED=` does not move it)."""
        return int(self.sections.get(stem, {}).get("seed", self.seed))

    def mistake(self, what: str, section: str = "", key: str = "") -> Mistake:
        """Word a mistake in the project file, or in the override that put it there."""
        name = f"{section}.{key}" if section and key else key
        if name in self.overrides:
            return Mistake(what, file=f"--set {name}", then="correct the command line")
        return Mistake(
            what,
            file=SEEDS,
            line=line_of(self.text, section, key),
            then="correct it, then run `make report`",
        )

    @property
    def name(self) -> str:
        """Name the overrides for a folder: `seed=7`; a long name ends in a short hash instead."""
        said = ",".join(f"{key}={_plain(value)}" for key, value in sorted(self.overrides.items()))
        if len(said) <= LONGEST_NAME and re.fullmatch(r"[\w.,=+-]*", said):
            return said
        keys = re.sub(r"[^\w.,=+-]", "", ",".join(sorted(self.overrides)))[:40]
        return f"{keys}={hashlib.sha256(said.encode()).hexdigest()[:8]}"


def _plain(value: Any) -> str:
    return "+".join(map(_plain, value)) if isinstance(value, list) else str(value)


def read_settings(project: Project, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Read `seeds.toml`; raise Mistake with file and line for what no run can use."""
    data, text = _read_toml(project)
    sections = {name: value for name, value in data.items() if isinstance(value, dict)}
    settings = Settings(0, sections, dict(overrides or {}), text)
    for name in sorted(data.keys() - sections.keys() - {"seed"}):
        if isinstance(data[name], list) and f"[[{name}]]" in text.replace(" ", ""):
            raise settings.mistake(
                f"'{name}' is a section: write [{name}], in single brackets", name
            )
        raise settings.mistake(
            f"'{name}' stands outside every section{nearest(name, ['seed'])}", "", name
        )
    if "seed" not in data:
        raise settings.mistake("there is no base seed; write `seed = 2017` above the first section")
    for name, value in settings.overrides.items():
        _put(settings, data, name, value)
    settings = Settings(data["seed"], sections, settings.overrides, text)
    check_values(settings)
    return settings


def _read_toml(project: Project) -> tuple[dict[str, Any], str]:
    try:
        text = project.seeds.read_text("utf-8")
        return tomllib.loads(text), text
    except UnicodeDecodeError as error:
        raise Mistake(
            f"is not UTF-8 text ({error.reason} at byte {error.start})", file=SEEDS
        ) from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        what = re.sub(r" \(at .*\)$", "", str(error))
        raise Mistake(
            f"is not valid TOML: {what[0].lower()}{what[1:]}",
            file=SEEDS,
            line=line,
            then="correct it, then run `make report`",
        ) from None


def _put(settings: Settings, data: dict[str, Any], name: str, value: Any) -> None:
    """Put one override in its place; only what the project file names can be set."""
    section, _, key = name.rpartition(".")
    if section not in ("", *settings.sections):
        raise settings.mistake(
            f"there is no section [{section}]{nearest(section, list(settings.sections))}",
            section,
            key,
        )
    target = data if not section else settings.sections[section]
    known = [*target] if section else ["seed"]
    if key not in known and not (section and key == "seed"):
        where = f"[{section}]" if section else SEEDS
        raise settings.mistake(f"{where} has no '{key}'{nearest(key, known)}", section, key)
    target[key] = value


def check_values(settings: Settings) -> None:
    """Raise Mistake for a seed or a parameter that no run can use, whatever reads it."""
    for section, key in [("", "seed"), *((name, "seed") for name in settings.sections)]:
        value = settings.seed if not section else settings.sections[section].get("seed", 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise settings.mistake(
                f"{_in(section)}seed expects a whole number from 0 up, not {toml(value)}",
                section,
                key,
            )
    for section, values in settings.sections.items():
        for key, value in values.items():
            if any(isinstance(leaf, float) and not math.isfinite(leaf) for leaf in _leaves(value)):
                raise settings.mistake(
                    f"[{section}] {key} holds {toml(value)}, and no number may be NaN or infinite",
                    section,
                    key,
                )
    _check_build(settings)


def _check_build(settings: Settings) -> None:
    for key, value in settings.sections.get(BUILD_SECTION, {}).items():
        if key != "limit":
            raise settings.mistake(
                f"[{BUILD_SECTION}] has no '{key}'{nearest(key, ['limit'])}", BUILD_SECTION, key
            )
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            raise settings.mistake(
                f"[{BUILD_SECTION}] limit expects seconds above 0, not {toml(value)}",
                BUILD_SECTION,
                key,
            )


def _in(section: str) -> str:
    return f"[{section}] " if section else ""


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    else:
        yield value


def toml(value: Any) -> str:
    """Write a value the way the project file would."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return str(value)


def parse_override(text: str) -> tuple[str, Any]:
    """Read `section.key=value`, the value written as in the project file."""
    name, sign, value = text.partition("=")
    name = name.strip()
    if not sign or not re.fullmatch(r"\w+(\.\w+)?", name):
        raise Mistake("expects section.key=value, as in `--set seed=7`", file=f"--set {text}")
    try:
        ((_, found),) = tomllib.loads(f"value = {value}").items()
    except ValueError:  # no TOML, or more than one value
        raise Mistake(
            f"'{value.strip()}' is not a value; write numbers plainly, lists as [1, 2], text in quotes",
            file=f"--set {name}",
        ) from None
    return name, found


def line_of(text: str, section: str, key: str = "") -> int | None:
    """Find the line of a section's key (or, without a key, of the section) in a project file."""
    here, header = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            here = found[1].strip("\"'")
            header = number if here == section else header
        elif key and here == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return header
