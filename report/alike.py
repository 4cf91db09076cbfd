"""Whether another process sees the sources and libraries that outcomes are asked of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from report import sweep
from report.errors import Mistake
from report.freshness import Depends, Parts, reasons
from report.project import Project, Settings

Reads = Mapping[str, Mapping[str, list[str]]]  # stem -> section -> the keys it reads there


@dataclass(frozen=True)
class Sources:
    """Some experiments, and all that their outcomes depend on, as whoever asks sees it."""

    project: Project
    settings: Settings
    reads: Reads
    parts: Parts


def sources(project: Project, settings: Settings, reads: Reads) -> Sources:
    """Look at what the outcomes of some experiments depend on."""
    return Sources(project, settings, reads, _parts(project, settings, reads))


def _parts(project: Project, settings: Settings, reads: Reads) -> Parts:
    depends, found = Depends(project, settings), Parts()
    for stem, sections in reads.items():
        found |= sweep.parts(depends, stem, sections)
    return found


_seen: list[Sources] = []  # what this process found alike when it looked last


def run(where: str, asked: Sources, task: Callable[..., Any], *args: Any) -> Any:
    """Run a task in a process that sees what was asked about; raise Mistake in any other.

    `where` is what the mistake calls the place this process runs at.
    """
    if not (_seen and _seen[0] == asked):
        _check(where, asked)
        _seen[:] = [asked]
    return task(*args)


def _check(where: str, asked: Sources) -> None:
    root = asked.project.root
    if not asked.project.figures.is_dir():
        what = f"{where} does not see the folder {root}"
        raise Mistake(what, then="share it there under the same name, and run the command again")
    there = _parts(asked.project, asked.settings, asked.reads)
    if found := reasons("", there, asked.parts):
        what = f"{where} sees other sources or libraries than this process ({'; '.join(found)})"
        raise Mistake(what, then="bring both to the same state and run the command again")
