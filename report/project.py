"""Where the things of a project are, and its project file `seeds.toml` read and checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from report import authored
from report.errors import AGAIN, Mistake, shortened
from report.overrides import name_of, toml
from report.results import is_finite, nearest

SEEDS = "seeds.toml"
OWN = ("article.md", "sources.toml", "literals.toml", "tokens.toml")  # of one article, never lent
BUILD_SECTION = "build"  # settings of the generator itself, read by no experiment
OF_SEEDS = {  # what no experiment can be called, since it would have a section of that name
    BUILD_SECTION: f"the section [{BUILD_SECTION}] of {SEEDS}",
    "seed": f"the base seed of {SEEDS}",
}
DEFAULT_LIMIT = 120  # seconds one experiment may take
SEEDS_END = 2**64  # seeds lie below: 20 digits at most, which every page has room for


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
        return self.own("article.md")

    @cached_property
    def stems(self) -> list[str]:
        """The experiments: every file in `figures/` that defines `measure`, in alphabetical order."""
        return sorted(path.stem for path in self.figures.glob("*.py") if _measures(path))

    def own(self, name: str) -> Path:
        """Give the place of a file that this article has for itself or not at all."""
        return self.root / "templates" / name

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
    project = Project(root.resolve())
    for needed in (SEEDS, "figures", *(["templates/article.md"] if article else [])):
        if not (project.root / needed).exists():
            raise Mistake(
                f"{needed} is not there, and a project has {SEEDS}, figures/ and templates/article.md",
                file=project.root,
                then="name the project's folder with --project DIR",
            )
    _check_links(project)
    if not project.stems:
        what = "there is no experiment: no file here defines a function `measure`"
        raise Mistake(what, file="figures/", then="write one and run the command again")
    check_names(project, OF_SEEDS)
    return project


def check_names(project: Project, taken: Mapping[str, str]) -> None:
    """Refuse an experiment that bears a taken name; `taken` tells for each what bears it already."""
    for stem in project.stems:
        if stem in taken:
            raise Mistake(
                f"'{stem}' is also the name of {taken[stem]}",
                file=f"figures/{stem}.py",
                then="give the file another name",
            )


def _check_links(project: Project) -> None:
    """Refuse a link that leads out of the project, or to a folder: what a report reads lies in its project."""
    for folder in (project.figures, project.root / "templates"):
        for path in (folder, *sorted(folder.rglob("*"))):
            if not path.is_symlink():
                continue
            target = path.resolve() if path.exists() else None
            if target is None or target.is_dir() or not target.is_relative_to(project.root):
                what = "this link leads to no file of the project"
                then = "put the file itself in its place"
                raise Mistake(what, file=project.shown(path), then=then)


def _measures(path: Path) -> bool:
    """Tell whether a file defines `measure`; one that cannot be read is loaded, and refused, as one that does."""
    return path.is_file() and _defines_measure(path.read_bytes())


@cache
def _defines_measure(source: bytes) -> bool:
    try:
        tree = ast.parse(source)
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

    def mistake(self, what: str, section: str = "", key: str = "", then: str = AGAIN) -> Mistake:
        """Word a mistake in the project file, or in the override that put it there."""
        name = f"{section}.{key}" if section and key else key
        if name in self.overrides:
            said = shortened(f"{name}={toml(self.overrides[name])}")
            return Mistake(what, file=said, then=then)
        line = authored.line_of(self.text, section, key) or authored.line_of(self.text, key)
        return Mistake(what, file=SEEDS, line=line, then=then)

    @property
    def name(self) -> str:
        """Name the overrides for a folder: `seed=7`."""
        return name_of(self.overrides)


def read_settings(project: Project, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Read `seeds.toml`; raise Mistake with file and line for what no run can use."""
    text = authored.text(project.seeds, SEEDS)
    data = authored.toml(text, SEEDS)
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
        then = "write one above the first section, as in `seed = 2017`"
        raise settings.mistake("there is no base seed", then=then)
    for name, value in settings.overrides.items():
        _put(settings, data, name, value)
    settings = Settings(data["seed"], sections, settings.overrides, text)
    check_values(settings)
    return settings


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
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not 0 <= value < SEEDS_END:
            what = f"{_in(section)}seed expects a whole number from 0 up and below 2**64"
            raise settings.mistake(f"{what}, not {shortened(toml(value))}", section, key)
    for section, values in [("", {"seed": settings.seed}), *settings.sections.items()]:
        for key, value in values.items():
            for leaf in _leaves(value):
                if rule := _broken_rule(leaf):
                    what = f"{_in(section)}{key} holds {shortened(toml(leaf))}, and {rule}"
                    raise settings.mistake(what, section, key)
    _check_build(settings)


def _broken_rule(value: Any) -> str:
    """Say which rule for every parameter a value breaks; nothing if none."""
    if not isinstance(value, bool | int | float | str):
        return "a date or a time has to stand in quotes"
    if value == "":
        return "no text may be empty"
    return "" if is_finite(value) else "no number may be NaN, infinite or beyond 1e308"


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
