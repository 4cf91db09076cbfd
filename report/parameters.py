"""Checks what `seeds.toml` says against what the experiments declare to read."""

from __future__ import annotations

import dataclasses
import json
import re
import typing
from typing import TYPE_CHECKING, Any

from report.blame import blame
from report.errors import Mistake, shortened
from report.overrides import toml
from report.project import BUILD_SECTION, Settings
from report.results import nearest

if TYPE_CHECKING:
    from report.experiment import Experiment

_WORDED = (  # how the validator says it -> how this report does
    (r"Input should be (?=greater|less|a multiple)", "expects a number "),
    (r"Input should be (?=')", "expects one of "),
    (r"Input should be a valid (integer|number)(, .*)?$", r"expects a \1"),
    (r"expects a integer", "expects a whole number"),
    (r"Input should be a valid (array|list|tuple)$", "expects a list"),
    (r"Input should be a valid string$", "expects a text in quotes"),
    (r"Input should be a valid boolean$", "expects true or false"),
    (r"Input should be ", "expects "),
    (r"\w+ should have (at (?:least|most) \d+ \w+).*", r"expects \1"),
)


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
        raise Mistake(what, file=experiment.file) from error


def reads(experiment: Experiment) -> dict[str, list[str]]:
    """Name what an experiment reads of `seeds.toml`: section -> keys, '' being its own section."""
    shared = shared_sections(experiment)
    own = {f.name for f in dataclasses.fields(experiment.parameters)} - shared.keys()
    return {name: sorted(keys) for name, keys in {"": own, **shared}.items()}


def parameters_for(experiment: Experiment, settings: Settings) -> dict[str, Any]:
    """Collect what one experiment reads, as plain data; raise Mistake for an unknown key."""
    shared = reads(experiment)
    own = set(shared.pop(""))
    section = settings.sections.get(experiment.stem, {})
    for key in sorted(section.keys() - own - {"seed"}):
        near = nearest(key, sorted(own | {"seed"}))
        raise settings.mistake(f"[{experiment.stem}] has no '{key}'{near}", experiment.stem, key)
    values = {key: section[key] for key in section if key in own}
    for name, keys in shared.items():
        if name not in settings.sections:
            raise settings.mistake(f"there is no section [{name}], which {experiment.file} reads")
        values[name] = {key: value for key, value in settings.sections[name].items() if key in keys}
    return values


def check_parameters(experiment: Experiment, settings: Settings) -> Any:
    """Make an experiment's `Parameters` of what `seeds.toml` says, or raise Mistake with line."""
    import pydantic  # noqa: PLC0415 - a build with nothing to do must not load a validator

    values = json.dumps(parameters_for(experiment, settings))
    worded = pydantic.errors.PydanticUserError, pydantic.ValidationError
    try:
        with blame(experiment.project, experiment.path, "checking its parameters", *worded):
            adapter = pydantic.TypeAdapter(experiment.parameters)
            return adapter.validate_json(values, strict=True)
    except worded[0] as error:
        what = f"the types of `Parameters` cannot be checked: {str(error).splitlines()[0]}"
        raise Mistake(what, file=experiment.file) from error
    except worded[1] as error:
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
    what = _worded(problem["msg"].removeprefix("Value error, ") or "its values do not fit")
    if not key:  # the parameters do not go together
        return settings.mistake(f"[{section}]: {what}", section)
    where = f"[{section}] {key}{f' (entry {at[0] + 1})' if at else ''}"
    said = shortened(toml(problem["input"]))
    return settings.mistake(f"{where} {what}, not {said}", section, key)


def _worded(said: str) -> str:
    for theirs, ours in _WORDED:
        said = re.sub(theirs, ours, said)
    return f"{said[0].lower()}{said[1:]}"


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
            _check_measures(name, experiments)
            near = nearest(name, [*stems, *read, BUILD_SECTION])
            raise settings.mistake(f"no experiment reads the section [{name}]{near}", name)
        for key in sorted(section.keys() - read[name]):
            near = nearest(key, sorted(read[name]))
            raise settings.mistake(f"[{name}] has no '{key}'{near}", name, key)


def _check_measures(name: str, experiments: list[Experiment]) -> None:
    """Refuse a file that bears the name of a section and would be its experiment, if only it measured."""
    for project in {experiment.project for experiment in experiments}:
        if (path := project.figures / f"{name}.py").is_file():
            what = (
                f"there is no function `measure`, which the section [{name}] of seeds.toml is for"
            )
            raise Mistake(what, file=project.shown(path))
