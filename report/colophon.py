"""The colophon: how the numbers were made, the same in every build of the same sources."""

from __future__ import annotations

from dataclasses import dataclass

from report.article import World
from report.project import BUILD_SECTION, toml


@dataclass(frozen=True)
class Section:
    """The parameters of one section of the project file, each printed as that file writes it."""

    name: str
    parameters: list[tuple[str, str]]


@dataclass(frozen=True)
class Colophon:
    """Seeds, parameters, versions and the command that makes the numbers again."""

    seed: int
    pinned: list[tuple[str, int]]  # experiments whose seed does not follow the base seed
    overrides: list[tuple[str, str]]  # what the command line put over the project file
    sections: list[Section]
    versions: list[tuple[str, str]]
    command: str


def colophon(world: World) -> Colophon:
    """Collect how a world was made; settings of the generator that move no number stay out."""
    settings = world.settings
    sections = {name: values for name, values in settings.sections.items() if name != BUILD_SECTION}
    printed = [
        Section(name, [(key, toml(value)) for key, value in values.items() if key != "seed"])
        for name, values in sections.items()
    ]
    return Colophon(
        seed=settings.seed,
        pinned=[(name, values["seed"]) for name, values in sections.items() if "seed" in values],
        overrides=[(key, toml(value)) for key, value in sorted(settings.overrides.items())],
        sections=[section for section in printed if section.parameters],
        versions=sorted(world.origin.versions.items(), key=lambda pair: pair[0].lower()),
        command=world.origin.command,
    )
