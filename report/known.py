"""Keeps what was found by following the generator's own code, for as long as that code stays what it is.

The generator changes seldom, and to read all of it takes longer than to follow what it says.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from report.code import Step
from report.glance import digest, files_digest, sealed, unsealed
from report.imports import Place
from report.results import write_whole

NAME = "code.json"
Steps = dict[Place, Step]


class Known:
    """The steps taken in the generator that a folder keeps."""

    def __init__(self, folder: Path, generator: Path, figures: Path) -> None:
        """Read what is kept for the generator as it is, and as it is found beside some figures."""
        self._file, self._key = folder / NAME, _key(generator, figures)
        self.steps = self._read()

    def _read(self) -> Steps:
        """Read the steps; none where none are there for the key, or what is there is damaged."""
        try:
            told: Any = unsealed(self._file.read_bytes())
            kept = told["steps"] if told["key"] == self._key else []
            return {
                (module, name): Step({(*each,) for each in said}, {(*each,) for each in to})
                for module, name, said, to in kept
            }
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def keep(self, steps: Steps) -> None:
        """Keep steps for the next build if some are new; where the disk has no room, it does without."""
        if steps.keys() <= self.steps.keys():
            return
        told = [[*place, sorted(each.said), sorted(each.to)] for place, each in steps.items()]
        with suppress(OSError):
            write_whole(self._file, sealed({"key": self._key, "steps": sorted(told)}))


def _key(generator: Path, figures: Path) -> str:
    """Hash what a step depends on: the generator's code, how Python reads it, and names in the project.

    A module of the project may bear the name of a library that the generator imports.
    """
    code = files_digest(sorted(generator.rglob("*.py")))
    names = sorted(path.relative_to(figures).as_posix() for path in figures.rglob("*.py"))
    return digest(" ".join([sys.version, code, *names]).encode())
