"""Hears of edits: wakes whoever waits when something moved, and tells by contents what did."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import watchfiles

from report import glance
from report.data import data, walked
from report.freshness import Depends
from report.glance import digest, file_digest, files_digest
from report.inputs import is_outside
from report.project import Project, Settings, default_templates

STEP = 40  # milliseconds without another change that end a burst of them
GIVE_UP = 200  # milliseconds after which an idle wait begins anew


@dataclass(frozen=True)
class Sight:
    """All that a build may read, by its contents: what is made, or moved and moved back, is no edit."""

    text: str  # all but the data
    data: Mapping[str, str]  # path -> hash
    lasting: str  # fonts and data: whoever read them may keep what they said
    generator: str  # its code, which runs as it was when it was loaded
    named: frozenset[str]  # files that code names, wherever they lie


def sight(project: Project) -> Sight:
    """Look at everything a build of a project may read."""
    root, stems = project.root, project.stems
    files = Depends(project, Settings(0, {})).read()["files"].items()
    named = {root / name for name, seen in files if seen or is_outside(name)}
    found = {root / name for name in data(root, stems)} | named
    hashes = {str(path): file_digest(path) for path in sorted(found)}
    fonts = files_digest(sorted(project.template("fonts").rglob("*")))
    lasting = digest(f"{hashes} {fonts}".encode())
    text = glance.look(root, stems, found)["inputs"]
    generator = files_digest(sorted(Path(glance.GENERATOR).rglob("*.py")))
    return Sight(text, hashes, lasting, generator, frozenset(map(os.path.normpath, named)))


class Restless:
    """Data that change with every build, such as a log of what is said if an experiment reads it.

    They have changed during a build, which led to one more, and during that one as well: nothing is
    built for them alone, until a build leaves them as they are.
    """

    def __init__(self) -> None:
        self.found = frozenset[str]()
        self._moved = frozenset[str]()  # the data for which alone the last build began
        self._during = frozenset[str]()  # those that changed during it

    def alone(self, before: Sight | None, seen: Sight) -> bool:
        """Tell whether nothing but such data moved, before a build begins for what did."""
        self._moved = _data_moved(before, seen)
        return bool(self._moved) and self._moved <= self.found

    def after(self, seen: Sight) -> list[str]:
        """Look at the data that a build began with, and name what is found out to be such."""
        during = frozenset(path for path, was in seen.data.items() if file_digest(path) != was)
        again = self._moved if self._moved <= self._during else frozenset[str]()
        known, self.found = self.found, during & (self.found | again)
        self._during = during
        return sorted(self.found - known)


def _data_moved(before: Sight | None, seen: Sight) -> frozenset[str]:
    """Name the data that moved, where nothing else did."""
    if before is None or before.text != seen.text:
        return frozenset()
    paths = before.data.keys() | seen.data.keys()
    return frozenset(each for each in paths if before.data.get(each) != seen.data.get(each))


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
        named, is_new, is_there = naming(), True, root.is_dir()
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
                if naming() != named or root.is_dir() != is_there:
                    break
                if changes and folders(root, named) != watched:
                    break
