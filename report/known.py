"""Keeps what was found by following the generator's own code, for as long as that code stays what it is.

The generator changes seldom, and to read all of it takes longer than to follow what it says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from report.code import Step
from report.glance import digest, file_digest, said_digest, sealed, unsealed
from report.imports import Place
from report.results import write_whole
from report.statements import Module

NAME = "code.json"
Steps = dict[Place, Step]


class Known:
    """The steps taken in the generator that a folder keeps."""

    def __init__(self, folder: Path, generator: Path, figures: Path) -> None:
        """Read what is kept for the generator as it is, and as it is found beside some figures."""
        self._file, self._generator, self._figures = folder / NAME, generator, figures
        self._stands = self._look()
        self.steps = self._read()

    def _look(self) -> dict[str, str]:
        """Hash what a step depends on: the generator's code, how Python reads it, and names in the project.

        A module of the project may bear the name of a library that the generator imports.
        """
        code = {str(path): file_digest(path) for path in self._generator.rglob("*.py")}
        names = (path.relative_to(self._figures) for path in self._figures.rglob("*.py"))
        return {**code, "python": sys.version, "names": " ".join(sorted(map(str, names)))}

    @property
    def _key(self) -> str:
        return digest(repr(sorted(self._stands.items())).encode())

    @property
    def moved(self) -> bool:
        """Whether any of that is otherwise by now."""
        return self._look() != self._stands

    def _read(self) -> Steps:
        """Read the steps; none where none are there for the key, or what is there is damaged."""
        try:
            told: Any = unsealed(self._file.read_bytes())
            kept = told["steps"] if told["key"] == self._key else []
            return {
                (module, name): Step({(*each,) for each in said}, {(*each,) for each in to})
                for module, name, said, to in kept
            }
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}

    def keep(self, steps: Steps, modules: Iterable[Module]) -> None:
        """Keep steps for the next build if some are new, and the modules were read as they stand.

        Where the disk has no room, the next build does without.
        """
        if steps.keys() <= self.steps.keys():
            return
        for each in modules:
            if said_digest(each.path, each.source) != self._stands.get(str(each.path)):
                return  # it was edited meanwhile, even if that was undone
        told = [[*place, sorted(each.said), sorted(each.to)] for place, each in steps.items()]
        with suppress(OSError):
            write_whole(self._file, sealed({"key": self._key, "steps": sorted(told)}))
            self.steps = steps
