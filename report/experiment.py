"""Loads an experiment, gives it its checked parameters, and runs what it says in the fenced order."""

from __future__ import annotations

import dataclasses
import importlib
import json
import linecache
import sys
import traceback
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from report.errors import Mistake
from report.project import BUILD_SECTION, Project, Settings, toml
from report.results import ResultError, dumps, nearest
from report.streams import stream_for


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

    def function(self, name: str) -> Callable[..., Any]:
        """Give one of the experiment's functions; raise Mistake when the file lacks it."""
        found = getattr(self.module, name, None)
        if not callable(found):
            raise Mistake(
                f"defines no `{name}`, and every experiment needs one", file=f"figures/{self.path.name}"
            )
        return typing.cast("Callable[..., Any]", found)


def load(project: Project, stem: str) -> Experiment:
    """Import `figures/STEM.py` with its helpers beside it."""
    path = project.figures / f"{stem}.py"
    if not path.exists():
        raise Mistake(f"there is no experiment '{stem}'{nearest(stem, project.stems)}", file="figures/")
    _forget_other_projects(project)
    if str(project.figures) not in sys.path:
        sys.path.insert(0, str(project.figures))
    with _blame(project, path, "cannot be loaded"):
        module = importlib.import_module(stem)
    experiment = Experiment(stem, path, module)
    if not dataclasses.is_dataclass(getattr(module, "Parameters", None)):
        raise Mistake(
            "defines no dataclass `Parameters` that says what it reads", file=f"figures/{path.name}"
        )
    return experiment


def _forget_other_projects(project: Project) -> None:
    """Drop modules of the same name that came from another project's figures."""
    names = {path.stem for path in project.figures.glob("*.py")}
    for name in names & sys.modules.keys():
        origin = getattr(sys.modules[name], "__file__", None)
        if origin and Path(origin).parent != project.figures:
            del sys.modules[name]
            linecache.checkcache()


@contextmanager
def _blame(project: Project, path: Path, what: str) -> Iterator[None]:
    """Turn an exception inside an experiment into one sentence that names the line in the user's file."""
    try:
        yield
    except Mistake:
        raise
    except SyntaxError as error:
        raise Mistake(
            f"{what}: {error.msg}", file=project.shown(Path(error.filename or path)), line=error.lineno
        ) from error
    except Exception as error:
        frames = [
            f
            for f in traceback.extract_tb(error.__traceback__)
            if project.figures in Path(f.filename).parents
        ]
        file, line = (Path(frames[-1].filename), frames[-1].lineno) if frames else (path, None)
        said = str(error).split("\n")[0] or "no message"
        raise Mistake(
            f"{what}: {type(error).__name__}: {said}", file=project.shown(file), line=line
        ) from error


def shared_sections(experiment: Experiment) -> dict[str, set[str]]:
    """Name the shared sections an experiment reads, with the keys it reads of each."""
    hints = typing.get_type_hints(experiment.parameters)
    return {
        field.name: {each.name for each in dataclasses.fields(hints[field.name])}
        for field in dataclasses.fields(experiment.parameters)
        if dataclasses.is_dataclass(hints[field.name])
    }


def parameters_for(experiment: Experiment, settings: Settings) -> dict[str, Any]:
    """Collect what one experiment reads, as plain data; raise Mistake for a key that is unknown or missing."""
    shared = shared_sections(experiment)
    own = {f.name for f in dataclasses.fields(experiment.parameters)} - shared.keys()
    section = settings.sections.get(experiment.stem, {})
    for key in section.keys() - own - {"seed"}:
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
    """Make the experiment's `Parameters` of what `seeds.toml` says; raise Mistake with line and key."""
    import pydantic  # noqa: PLC0415 - a build with nothing to do must not load a validator

    adapter = pydantic.TypeAdapter(experiment.parameters)
    try:
        return adapter.validate_json(json.dumps(parameters_for(experiment, settings)), strict=True)
    except pydantic.ValidationError as error:
        raise _refused(experiment, settings, error.errors()[0]) from None


def _refused(experiment: Experiment, settings: Settings, problem: Any) -> Mistake:
    """Word the first thing the validator found, at the line that holds it."""
    names = [part for part in problem["loc"] if isinstance(part, str)]
    at = [part for part in problem["loc"] if isinstance(part, int)]
    shared = names[:1] if names and names[0] in shared_sections(experiment) else []
    section, key = (shared or [experiment.stem])[0], names[len(shared)] if len(names) > len(shared) else ""
    if problem["type"] == "missing":
        return settings.mistake(f"[{section}] lacks '{key}'", section)
    what = problem["msg"].removeprefix("Value error, ")
    where = f"[{section}] {key}{f' (entry {at[0] + 1})' if at else ''}"
    return settings.mistake(
        f"{where}: {what[0].lower()}{what[1:]}, not {toml(problem['input'])}", section, key
    )


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
            raise settings.mistake(f"no experiment reads the section [{name}]{nearest(name, known)}", name)
        for key in section.keys() - read[name]:
            raise settings.mistake(f"[{name}] has no '{key}'{nearest(key, sorted(read[name]))}", name, key)


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
