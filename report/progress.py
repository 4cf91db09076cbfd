"""Says what a build is doing: a live table on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _look_away(name: str, output: bytes) -> None:
    del name, output


class Tell:
    """Hears of every piece of work as it begins and ends, and says nothing.

    Whoever cannot wait for a file may see what `shows` it: its name without ending, and what it will hold.
    """

    shows: Callable[[str, bytes], None] = staticmethod(_look_away)

    def begins(self, name: str, doing: str) -> None:
        """Hear that work begins."""

    def ends(self, name: str, done: str, seconds: float) -> None:
        """Hear that work is done."""

    def fails(self, name: str, doing: str) -> None:
        """Hear that work failed; the reason follows as an error."""

    def note(self, sentence: str) -> None:
        """Hear something else worth a line."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class Lines(Tell):
    """One plain line for everything done."""

    def ends(self, name: str, done: str, seconds: float) -> None:  # noqa: D102 - see Tell
        self.note(f"{name:<20} {done} in {seconds:.1f} s")

    def fails(self, name: str, doing: str) -> None:  # noqa: D102 - see Tell
        self.note(f"{name:<20} failed while {doing}")

    def note(self, sentence: str) -> None:  # noqa: D102 - see Tell
        print(sentence, flush=True)


class Table(Lines):
    """A line with a spinner for everything under way; what is done stays above as a plain line."""

    def __init__(self) -> None:
        """Draw on the terminal that standard output is."""
        from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
        from rich.progress import (  # noqa: PLC0415 - see above
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._console = Console(highlight=False)
        self._progress = Progress(*columns, console=self._console, transient=True)
        self._running: dict[str, Any] = {}
        self._progress.start()
        self._console.show_cursor(True)  # a build that is killed could not bring it back

    def begins(self, name: str, doing: str) -> None:  # noqa: D102 - see Tell
        self._running[name] = self._progress.add_task(f"{name:<20} {doing}", total=None)

    def ends(self, name: str, done: str, seconds: float) -> None:  # noqa: D102 - see Tell
        self._drop(name)
        super().ends(name, done, seconds)

    def fails(self, name: str, doing: str) -> None:  # noqa: D102 - see Tell
        self._drop(name)
        super().fails(name, doing)

    def _drop(self, name: str) -> None:
        if (task := self._running.pop(name, None)) is not None:
            self._progress.remove_task(task)

    def note(self, sentence: str) -> None:  # noqa: D102 - see Tell
        self._console.print(sentence, markup=False, soft_wrap=True)

    def close(self) -> None:  # noqa: D102 - see Tell
        self._progress.stop()


def teller(*, quiet: bool) -> Tell:
    """Choose how to speak."""
    if quiet:
        return Tell()
    return Table() if sys.stdout.isatty() else Lines()


def size(path: Path) -> str:
    """Say how large a file is, in thousands of bytes as disks and mail programs count."""
    return f"{round(path.stat().st_size / 1000):,} kB"


def plural(number: int, one: str, many: str = "") -> str:
    """Count things: `1 result`, `4 results`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
