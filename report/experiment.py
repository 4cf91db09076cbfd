"""Loads an experiment, checks its parameters, and runs what it says in the fenced order."""

from __future__ import annotations

import dataclasses
import importlib
import linecache
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from report.blame import blame
from report.errors import Mistake
from report.glance import digest
from report.numbers import Printer, kind
from report.parameters import check_parameters
from report.project import Project, Settings
from report.results import ResultError, dumps, nearest
from report.streams import stream_for
from report.words import fault_of, table_fault

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
    def project(self) -> Project:
        """The project it belongs to."""
        return Project(self.path.parent.parent)

    @property
    def file(self) -> str:
        """Its file as the user knows it."""
        return self.project.shown(self.path)

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
            what = f"there is no function `{name}`, and every experiment needs one"
            raise Mistake(what, file=self.file)
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
    with blame(project, path, "loading"):
        module = importlib.import_module(stem)
    experiment = Experiment(stem, path, module)
    if not dataclasses.is_dataclass(getattr(module, "Parameters", None)):
        what = "there is no dataclass `Parameters` that says what the experiment reads"
        raise Mistake(what, file=experiment.file)
    return experiment


def _check_name(stem: str, path: Path) -> None:
    """Refuse a stem that the text could not quote, or that hides a library from other libraries."""
    file = f"figures/{path.name}"
    if not (stem.isidentifier() and stem.isascii() and stem == stem.lower()):
        what = f"an article cannot quote a result called '{stem}'"
        then = "name the file with small letters, digits and underscores"
        raise Mistake(what, file=file, then=then)
    if stem in sys.stdlib_module_names or PathFinder.find_spec(stem, _outside(path.parent)):
        what = f"'{stem}' is also the name of a Python library"
        raise Mistake(what, file=file, then="give the file another name")


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


def _was_edited() -> bool:
    """Tell whether a module was loaded of a file that says something else by now, or is gone."""
    return any(
        not path.is_file() or digest(path.read_bytes()) != seen
        for path, seen in _Source.seen.items()
    )


def _look_only_in(project: Project) -> None:
    """Find modules in this project's figures, and drop those from elsewhere or of before an edit."""
    if _was_edited() or any(
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


def measure(project: Project, experiment: Experiment, settings: Settings) -> str:
    """Run one experiment and give its answer as canonical JSON text."""
    parameters = check_parameters(experiment, settings)
    stream = stream_for(settings.seed_for(experiment.stem), experiment.stem)
    run = experiment.function("measure")
    with blame(project, experiment.path, "measuring"):
        answer = run(parameters, stream)
    if not isinstance(answer, Mapping) or not answer:
        what = f"`measure` gives {kind(answer)}, and a result is a record of named values"
        raise Mistake(what, file=experiment.file)
    try:
        return dumps(experiment.stem, answer)
    except ResultError as error:
        raise Mistake(f"the result cannot be stored: {error}", file=experiment.file) from None


def describe(
    project: Project, experiment: Experiment, result: Any, say: Printer | None = None
) -> Description:
    """Put a stored result into words; raise Mistake when the words are not of the agreed shape.

    The words of a table are the table.
    """
    run = experiment.function("table" if experiment.is_table else "describe")
    with blame(project, experiment.path, "describing"):
        said = run(result, say or Printer())
    fault = table_fault(said) if experiment.is_table else fault_of(said)
    if fault:
        raise Mistake(fault, file=experiment.file)
    return {"alt": "", "description": [], "table": said} if experiment.is_table else said


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
    from report.drawing import canvas  # noqa: PLC0415 - loads matplotlib

    run = experiment.function("draw")
    with blame(project, experiment.path, "drawing"):
        return canvas.draw(run, result, say or Printer(), layout, tokens, fonts)
