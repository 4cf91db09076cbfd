"""Loads an experiment, checks its parameters, and runs what it says in the fenced order."""

from __future__ import annotations

import dataclasses
import importlib
import json
import linecache
import re
import sys
import traceback
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from report.errors import Mistake
from report.glance import digest
from report.numbers import Printer
from report.project import BUILD_SECTION, Project, Settings, toml
from report.results import Missing, ResultError, dumps, nearest
from report.streams import stream_for

if TYPE_CHECKING:
    from report.contracts import Description
    from report.style import Layout, Tokens


@dataclass(frozen=True)
class Experiment:
    """One question: its file, and the functions that measure, describe and draw the answer."""

    stem: str
    path: Path
    module: ModuleType

    @property
    def question(self) -> str:
        """The first line of the file's docstring."""
        return (self.module.__doc__ or "").strip().split("\n")[0]

    @property
    def parameters(self) -> type[Any]:
        """The dataclass that declares what the experiment reads from `seeds.toml`."""
        return typing.cast("type[Any]", self.module.Parameters)

    @property
    def is_table(self) -> bool:
        """Tell whether the answer is shown as a table of the article and has no picture."""
        return hasattr(self.module, "table") and not hasattr(self.module, "draw")

    @property
    def needed(self) -> tuple[str, ...]:
        """The functions such an experiment has to define."""
        return ("measure", "table") if self.is_table else ("measure", "describe", "draw")

    def function(self, name: str) -> Callable[..., Any]:
        """Give one of the experiment's functions; raise Mistake when the file lacks it."""
        found = getattr(self.module, name, None)
        if not callable(found):
            raise Mistake(
                f"defines no `{name}`, and every experiment needs one",
                file=f"figures/{self.path.name}",
            )
        return typing.cast("Callable[..., Any]", found)


class _Source(SourceFileLoader):
    """Compiles a file as it stands: a kept compilation can miss two edits within one second."""

    seen: typing.ClassVar[dict[Path, str]] = {}

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        source = self.get_data(path)
        self.seen[Path(path)] = digest(source)
        return self.source_to_code(source, path)


class _Figures(MetaPathFinder):
    """Finds the modules of one project's `figures/`, before any library of the same name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        del path, target  # the name alone says where a module of the project is
        inside = self.folder.joinpath(*name.split("."))
        for file in (inside.with_suffix(".py"), inside / "__init__.py"):
            if file.is_file():
                package = [str(inside)] if file.stem == "__init__" else None
                loader = _Source(name, str(file))
                return spec_from_file_location(
                    name, file, loader=loader, submodule_search_locations=package
                )
        return None


def load(project: Project, stem: str) -> Experiment:
    """Import `figures/STEM.py` with its helpers beside it."""
    path = project.figures / f"{stem}.py"
    if not path.exists():
        what = f"there is no experiment '{stem}'{nearest(stem, project.stems)}"
        raise Mistake(what, file="figures/")
    _check_name(stem, path)
    _look_only_in(project)
    with _blame(project, path, "cannot be loaded"):
        module = importlib.import_module(stem)
    experiment = Experiment(stem, path, module)
    if not dataclasses.is_dataclass(getattr(module, "Parameters", None)):
        raise Mistake(
            "defines no dataclass `Parameters` that says what it reads", file=f"figures/{path.name}"
        )
    return experiment


def _check_name(stem: str, path: Path) -> None:
    """Refuse a stem that the text could not quote, or that hides a library from other libraries."""
    file = f"figures/{path.name}"
    if not (stem.isidentifier() and stem.isascii() and stem == stem.lower()):
        what = f"'{stem}' cannot be quoted in the text"
        then = "name the file with small letters, digits and underscores"
        raise Mistake(what, file=file, then=then)
    if stem in sys.stdlib_module_names or PathFinder.find_spec(stem, _outside(path.parent)):
        raise Mistake(f"'{stem}' is also the name of a Python library; give it another", file=file)


def _outside(figures: Path) -> list[str]:
    """The places libraries are found in: the test suite, for one, has the figures on its path."""
    return [place for place in sys.path if place and Path(place).resolve() != figures]


def forget() -> None:
    """Drop every module that was loaded from a project, so that the next load reads it again."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Figures)]
    for name, module in list(sys.modules.items()):
        if isinstance(getattr(getattr(module, "__spec__", None), "loader", None), _Source):
            del sys.modules[name]
    _Source.seen.clear()
    linecache.checkcache()


def _look_only_in(project: Project) -> None:
    """Find modules in this project's figures, and drop those of the same name from elsewhere."""
    if any(
        isinstance(finder, _Figures) and finder.folder != project.figures
        for finder in sys.meta_path
    ):
        forget()
    if not any(isinstance(finder, _Figures) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Figures(project.figures))
    for path in project.figures.glob("*.py"):
        file = getattr(sys.modules.get(path.stem), "__file__", None)
        if file and project.figures not in Path(file).parents:
            del sys.modules[path.stem]


def sources(project: Project) -> dict[str, str]:
    """Hash the source of every module of the project, as it was when it was loaded."""
    return {
        project.shown(path): seen
        for path, seen in _Source.seen.items()
        if path.is_relative_to(project.root)
    }


@contextmanager
def _blame(project: Project, path: Path, what: str) -> Iterator[None]:
    """Turn an exception inside an experiment into one sentence that names the user's line."""
    try:
        yield
    except Mistake:
        raise
    except SyntaxError as error:
        raise Mistake(
            f"{what}: {error.msg}",
            file=project.shown(Path(error.filename or path)),
            line=error.lineno,
        ) from error
    except (Exception, SystemExit) as error:
        frames = [
            f
            for f in traceback.extract_tb(error.__traceback__)
            if project.figures in Path(f.filename).parents
        ]
        file, line = (Path(frames[-1].filename), frames[-1].lineno) if frames else (path, None)
        said = str(error).split("\n")[0] or "no message"
        kind = "" if isinstance(error, Missing) else f"{type(error).__name__}: "
        raise Mistake(f"{what}: {kind}{said}", file=project.shown(file), line=line) from error


def shared_sections(experiment: Experiment) -> dict[str, set[str]]:
    """Name the shared sections an experiment reads, with the keys it reads of each."""
    hints = _hints(experiment)
    return {
        field.name: {each.name for each in dataclasses.fields(hints[field.name])}
        for field in dataclasses.fields(experiment.parameters)
        if dataclasses.is_dataclass(hints[field.name])
    }


def _hints(experiment: Experiment) -> dict[str, Any]:
    try:
        return typing.get_type_hints(experiment.parameters, vars(experiment.module))
    except Exception as error:
        what = f"the types of `Parameters` cannot be read: {error}"
        raise Mistake(what, file=f"figures/{experiment.path.name}") from error


def reads(experiment: Experiment) -> dict[str, list[str]]:
    """Name what an experiment reads of `seeds.toml`: section -> keys, '' being its own section."""
    shared = shared_sections(experiment)
    own = {f.name for f in dataclasses.fields(experiment.parameters)} - shared.keys()
    return {name: sorted(keys) for name, keys in {"": own, **shared}.items()}


def parameters_for(experiment: Experiment, settings: Settings) -> dict[str, Any]:
    """Collect what one experiment reads, as plain data; raise Mistake for an unknown key."""
    shared = shared_sections(experiment)
    own = {f.name for f in dataclasses.fields(experiment.parameters)} - shared.keys()
    section = settings.sections.get(experiment.stem, {})
    for key in sorted(section.keys() - own - {"seed"}):
        raise settings.mistake(
            f"[{experiment.stem}] has no '{key}'{nearest(key, sorted(own | {'seed'}))}",
            experiment.stem,
            key,
        )
    values = {key: section[key] for key in section if key in own}
    for name, keys in shared.items():
        if name not in settings.sections:
            raise settings.mistake(f"there is no section [{name}], which {experiment.stem} reads")
        values[name] = {key: value for key, value in settings.sections[name].items() if key in keys}
    return values


def check_parameters(experiment: Experiment, settings: Settings) -> Any:
    """Make an experiment's `Parameters` of what `seeds.toml` says, or raise Mistake with line."""
    import pydantic  # noqa: PLC0415 - a build with nothing to do must not load a validator

    values = json.dumps(parameters_for(experiment, settings), default=str)  # TOML knows dates
    try:
        adapter = pydantic.TypeAdapter(experiment.parameters)
        return adapter.validate_json(values, strict=True)
    except pydantic.errors.PydanticUserError as error:
        what = f"the types of `Parameters` cannot be checked: {str(error).splitlines()[0]}"
        raise Mistake(what, file=f"figures/{experiment.path.name}") from error
    except pydantic.ValidationError as error:
        raise _refused(experiment, settings, error.errors()[0]) from None


def _refused(experiment: Experiment, settings: Settings, problem: Any) -> Mistake:
    """Word the first thing the validator found, at the line that holds it."""
    names = [part for part in problem["loc"] if isinstance(part, str)]
    at = [part for part in problem["loc"] if isinstance(part, int)]
    shared = names[:1] if names and names[0] in shared_sections(experiment) else []
    section, key = (
        (shared or [experiment.stem])[0],
        names[len(shared)] if len(names) > len(shared) else "",
    )
    if problem["type"] == "missing":
        return settings.mistake(f"[{section}] lacks '{key}'", section)
    what = re.sub(r" after validation, not \d+$", "", problem["msg"].removeprefix("Value error, "))
    what = f"{what[0].lower()}{what[1:]}"
    if not key:  # the parameters do not go together
        return settings.mistake(f"[{section}]: {what}", section)
    where = f"[{section}] {key}{f' (entry {at[0] + 1})' if at else ''}"
    return settings.mistake(f"{where}: {what}, not {toml(problem['input'])}", section, key)


def check_sections(settings: Settings, experiments: list[Experiment]) -> None:
    """Refuse a section or shared key of `seeds.toml` that no experiment reads."""
    read: dict[str, set[str]] = {}
    for experiment in experiments:
        for name, keys in shared_sections(experiment).items():
            read.setdefault(name, set()).update(keys)
    stems = [experiment.stem for experiment in experiments]
    for name, section in settings.sections.items():
        if name in stems or name == BUILD_SECTION:
            continue
        if name not in read:
            known = [*stems, *read, BUILD_SECTION]
            raise settings.mistake(
                f"no experiment reads the section [{name}]{nearest(name, known)}", name
            )
        for key in sorted(section.keys() - read[name]):
            raise settings.mistake(
                f"[{name}] has no '{key}'{nearest(key, sorted(read[name]))}", name, key
            )


def measure(project: Project, experiment: Experiment, settings: Settings) -> str:
    """Run one experiment and give its answer as canonical JSON text."""
    parameters = check_parameters(experiment, settings)
    stream = stream_for(settings.seed_for(experiment.stem), experiment.stem)
    run = experiment.function("measure")
    with _blame(project, experiment.path, "stopped while measuring"):
        answer = run(parameters, stream)
    try:
        return dumps(experiment.stem, answer)
    except ResultError as error:
        raise Mistake(
            f"measured what cannot be stored: {error}", file=f"figures/{experiment.path.name}"
        ) from None


def describe(
    project: Project, experiment: Experiment, result: Any, say: Printer | None = None
) -> Description:
    """Put a stored result into words; raise Mistake when the words are not of the agreed shape.

    The words of a table are the table.
    """
    run = experiment.function("table" if experiment.is_table else "describe")
    with _blame(project, experiment.path, "stopped while describing"):
        said = run(result, say or Printer())
    if experiment.is_table:
        said = {"alt": "", "description": [], "table": said}
    if not isinstance(said, dict) or said.keys() != {"alt", "description", "table"}:
        what = "`describe` gives something else than `alt`, `description` and `table`"
        raise Mistake(what, file=f"figures/{experiment.path.name}")
    return typing.cast("Description", said)


def draw(  # noqa: PLR0913, PLR0917 - a drawing depends on that many
    project: Project,
    experiment: Experiment,
    result: Any,
    layout: Layout,
    tokens: Tokens,
    fonts: Path,
    say: Printer | None = None,
) -> str:
    """Draw a stored result in one layout, as neutral SVG."""
    from report import canvas  # noqa: PLC0415 - loads matplotlib

    run = experiment.function("draw")
    with _blame(project, experiment.path, "stopped while drawing"):
        return canvas.draw(run, result, say or Printer(), layout, tokens, fonts)
