"""What made a finished PDF, by its own word, and what of that is otherwise here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from report.freshness import Depends
from report.pdf.attachments import effective
from report.pdf.paper import Paper
from report.progress import plural
from report.project import Project, read_settings
from report.stages import sources
from report.verify.carried import Carried, Edition
from report.verify.difference import values
from report.versions import setters

NAMED = 6  # names that still make a readable line


@dataclass(frozen=True)
class Origin:
    """What a PDF says made it, beside what there is here."""

    article: Edition
    parameters: tuple[dict[str, Any] | None, dict[str, Any]]  # theirs, here
    versions: tuple[dict[str, str], dict[str, str]]  # of what computes and draws
    engines: tuple[dict[str, str], dict[str, str]]  # of what sets the type
    sources: tuple[dict[str, str], dict[str, str]]  # file -> hash

    @property
    def renamed(self) -> dict[str, str]:
        """What is printed for the versions that differ, theirs -> ours."""
        return {
            f"{name} {version}": f"{name} {self.versions[1][name]}"
            for name, version in self.versions[0].items()
            if version != self.versions[1].get(name, version)
        }

    @property
    def same_libraries(self) -> bool:
        """Tell whether the same versions compute, draw and set here."""
        return all(theirs == here for theirs, here in (self.versions, self.engines))

    @property
    def other_sources(self) -> list[str]:
        """Name the files that are not here as they were there."""
        theirs, here = self.sources
        return sorted(name for name in theirs.keys() | here if theirs.get(name) != here.get(name))

    def lines(self, paper: Paper) -> Iterator[str]:
        """Say it in a few lines."""
        article = self.article
        yield f"Article         “{article.title}”, version {article.version} of {article.published}, {paper}"
        yield f"Parameters      {self._parameters()}"
        yield f"Made with       {_versions(*self.versions)}"
        yield f"Set by          {_versions(*self.engines)}"
        yield f"Sources         {self._sources()}"

    def _parameters(self) -> str:
        theirs, here = self.parameters
        if theirs is None:
            return "those here: its own cannot be read"
        moved = list(values("", theirs, here, 0.0))
        said = f"seed {theirs['seed']}"
        return f"{said}; {_some(moved, '; ')}" if moved else f"{said}, all as here"

    def _sources(self) -> str:
        theirs, here = self.sources
        if not theirs:
            return "it does not say"
        gone = [name if name in here else f"{name} (gone)" for name in self.other_sources]
        said = plural(len(theirs), "file")
        return f"{said}; here differ {_some(gone)}" if gone else f"{said}, all as here"


def origin(carried: Carried, project: Project) -> Origin:
    """Ask a PDF and the project; raise Mistake where the project file cannot be read."""
    settings = read_settings(project)
    depends = Depends(project, settings)
    return Origin(
        carried.made.article,
        (carried.parameters, json.loads(effective(settings))),
        (carried.made.versions, depends.versions()),
        (carried.made.engines, setters()),
        (carried.made.sources, sources(depends)),
    )


def _versions(theirs: Mapping[str, str], here: Mapping[str, str]) -> str:
    if not theirs:
        return "it does not say"
    moved = {name: here.get(name, "none") for name in theirs if here.get(name) != theirs[name]}
    said = [
        f"{name} {version}{f' (here {moved[name]})' if name in moved else ''}"
        for name, version in theirs.items()
    ]
    return ", ".join(said if moved else [*said, "all as here"])


def _some(names: list[str], between: str = ", ") -> str:
    rest = len(names) - NAMED
    return between.join([*names[:NAMED], f"and {rest} more"] if rest > 0 else names)
