"""One build from end to end: alone in its project, stage by stage, and remembered at the end."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from report import glance, system
from report.companions.stage import Beside
from report.crew import HEARING, Crew
from report.errors import Mistake
from report.freshness import Depends
from report.progress import Tell
from report.project import Project, Settings
from report.record import NAME, Place
from report.results import nearest, write_whole
from report.shelf import Shelf, place_for
from report.stages import Outputs, Request, Results, ledger
from report.summary import Summary


def build(request: Request, crew: Crew, tell: Tell) -> Summary:
    """Make what is asked for where it is stale, and remember it.

    Raises Mistake for a user's fault, after everything sound was stored; earlier outputs stay.
    """
    stems = chosen(request.project, request.stems)
    if request.article:
        system.provide(system.LIBRARIES)
    with alone(request.project, tell):
        began = time.perf_counter()
        shelf, summary = shelf_for(request), Summary()
        shelf.sweep()
        seen = glance.look(request.project.root, request.project.stems)
        depends = Depends(request.project, request.settings)
        shared = request, shelf, depends, crew, tell, summary
        try:
            Results(*shared).make(stems)
            if request.article:
                shelf.save()
                Outputs(*shared).make(stems)
            if request.beside:
                shelf.save()
                Beside(*shared).make(stems)
        except BaseException as error:
            crew.stop(now=not isinstance(error, Mistake))
            with suppress(Mistake):
                shelf.save()  # what was measured need not be measured again
            raise
        crew.stop()
        depends.keep()
        shelf.forget(request.project.stems)
        shelf.doubt(depends.is_outdated)
        shelf.save()
        if glance.look(request.project.root, request.project.stems) == seen:
            _remember(request, shelf, seen | depends.read(), summary)
        else:
            summary.notes.append("Something was edited meanwhile; the next build takes it up.")
        summary.notes += pinned(request.project, request.settings)
        summary.claims = ledger(shelf, stems)
        summary.seconds = time.perf_counter() - began
        return summary


def shelf_for(request: Request) -> Shelf:
    """Open the shelf of the place a request works in."""
    project = request.project
    place = request.place or place_for(project, request.settings, request.out)
    return Shelf(place, Place(project.figures, project.build), fresh=request.fresh)


def chosen(project: Project, stems: tuple[str, ...]) -> list[str]:
    """Give the experiments that are named, or all; raise Mistake for one that is not there."""
    for stem in stems:
        if stem not in project.stems:
            what = f"there is no experiment '{stem}'{nearest(stem, project.stems)}"
            raise Mistake(what, file="figures/")
    return sorted(set(stems)) or project.stems


def _remember(request: Request, shelf: Shelf, seen: dict[str, Any], summary: Summary) -> None:
    """Let the next run of the same words see at a glance that nothing moved."""
    if not request.words:
        return
    article = {"page", f"paper {request.paper}"} if request.article else set[str]()
    article |= {f"beside {request.paper}"} if request.beside else set()
    stems = chosen(request.project, request.stems)
    targets = article | {f"{verb} {stem}" for verb in ("measure", "draw") for stem in stems}
    entries = shelf.record["entries"]
    made = [shelf.place.path(name) for each in sorted(targets) for name in entries[each]["made"]]
    made.append(shelf.place.out / NAME)
    outputs = [path for path, _ in summary.outputs]
    data = glance.remember(request.project.root, request.words, seen, made, outputs)
    with suppress(OSError):  # where nothing can be kept, the next build looks again
        write_whole(request.project.root / glance.NAME, data)


def pinned(project: Project, settings: Settings) -> list[str]:
    """Name the experiments whose seed stands in their own section, out of reach of `SEED=`."""
    return [
        f"{stem} has a seed of its own: {settings.seed_for(stem)}."
        for stem in project.stems
        if "seed" in settings.sections.get(stem, {})
    ]


@contextmanager
def alone(project: Project, tell: Tell) -> Iterator[None]:
    """Let one build at a time work in a project; the next one says so and waits."""
    folder = os.open(project.root, os.O_RDONLY)
    try:
        if not _locked(folder):
            tell.note("Another build of this project is running; this one waits for it.")
            while not _locked(folder):
                time.sleep(HEARING)
        yield
    finally:
        os.close(folder)


def _locked(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
