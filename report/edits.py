"""Hears of edits: wakes whoever waits when something moved, and tells by contents what did."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import watchfiles

from report import glance
from report.data import data, walked
from report.freshness import Depends
from report.glance import digest, files_digest
from report.inputs import is_outside
from report.project import Project, Settings, default_templates

STEP = 40  # milliseconds without another change that end a burst of them
GIVE_UP = 200  # milliseconds after which an idle wait begins anew


@dataclass(frozen=True)
class Sight:
    """All that a build may read, by its contents: what is made, or moved and moved back, is no edit."""

    everything: str
    lasting: str  # fonts and data: whoever read them may keep what they said
    generator: str  # its code, which runs as it was when it was loaded
    named: frozenset[str]  # files that code names, wherever they lie


def sight(project: Project) -> Sight:
    """Look at everything a build of a project may read."""
    root, stems = project.root, project.stems
    files = Depends(project, Settings(0, {})).read()["files"].items()
    named = {root / name for name, seen in files if seen or is_outside(name)}
    found = {root / name for name in data(root, stems)} | named
    lasting = files_digest([*sorted(found), *sorted(project.template("fonts").rglob("*"))])
    everything = digest(f"{glance.look(root, stems)['inputs']} {lasting}".encode())
    generator = files_digest(sorted(Path(glance.GENERATOR).rglob("*.py")))
    return Sight(everything, lasting, generator, frozenset(map(os.path.normpath, named)))


def folders(root: Path, named: Iterable[str] = ()) -> set[str]:
    """Name every folder with something that a build of a project may read."""
    places = root, default_templates(), Path(glance.GENERATOR)
    found = {path for place in places for path, _ in walked(place, {"build"})}
    found |= {os.path.dirname(path) for path in named}  # noqa: PTH120 - as the walk gives them
    return {path for path in found if Path(path).is_dir()}


def edits(
    root: Path, ended: Event, naming: Callable[[], frozenset[str]] = frozenset
) -> Iterator[None]:
    """Wake up whenever something moved in the folders of a project, until it is ended.

    `naming` tells which files elsewhere count as well. It wakes up once more when it begins, for
    what moved just before.
    """
    while not ended.is_set():
        named, is_new = naming(), True
        inside, watched = folders(root), folders(root, named)
        with suppress(FileNotFoundError):  # a folder went away between the two looks
            for changes in watchfiles.watch(
                *watched,
                watch_filter=None,
                step=STEP,
                stop_event=ended,
                rust_timeout=GIVE_UP,
                yield_on_timeout=True,
                raise_interrupt=False,
                recursive=False,
            ):
                if is_new or any(
                    path in named or os.path.dirname(path) in inside  # noqa: PTH120 - as it is told
                    for _, path in changes
                ):
                    yield
                is_new = False
                if naming() != named or (changes and folders(root, named) != watched):
                    break
