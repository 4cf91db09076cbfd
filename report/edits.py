"""Hears of edits: wakes whoever waits when something moved, and tells by contents what did."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import watchfiles

from report import glance
from report.glance import digest, files_digest
from report.project import Project, default_templates

STEP = 40  # milliseconds without another change that end a burst of them
GIVE_UP = 200  # milliseconds after which an idle wait begins anew


@dataclass(frozen=True)
class Sight:
    """All that a build may read, by its contents: what is made, or moved and moved back, is no edit."""

    everything: str
    lasting: str  # fonts and data: whoever read them may keep what they said
    generator: str  # its code, which runs as it was when it was loaded


def sight(project: Project) -> Sight:
    """Look at everything a build of a project may read."""
    root, stems = project.root, project.stems
    data = [root / name for name in glance.data(root, stems)]
    lasting = files_digest([*data, *sorted(project.template("fonts").rglob("*"))])
    everything = digest(f"{glance.look(root, stems)['inputs']} {lasting}".encode())
    return Sight(everything, lasting, files_digest(sorted(Path(glance.GENERATOR).rglob("*.py"))))


def folders(root: Path) -> set[str]:
    """Name every folder with something that a build of a project may read."""
    places = root, default_templates(), Path(glance.GENERATOR)
    found = {path for place in places for path, _ in glance.walked(place, {"build"})}
    return {path for path in found if Path(path).is_dir()}


def edits(root: Path, ended: Event) -> Iterator[None]:
    """Wake up whenever something moved in the folders of a project, until it is ended.

    It wakes up once more when it begins, for what moved just before.
    """
    while not ended.is_set():
        watched, is_new = folders(root), True
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
                if changes or is_new:
                    yield
                is_new = False
                if changes and folders(root) != watched:
                    break
