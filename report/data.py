"""Which files of a project may be data: they are found by where they lie, not by who reads them."""

from __future__ import annotations

import os
import stat

from report.glance import NAME, RECORD, SWEPT, made_of, unread, unsealed

TYPE_CHECKING = False  # as in `glance`, which needs this before anything else is imported
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from pathlib import Path

# ruff: noqa: PTH116, PTH118, PTH119, PTH123 - pathlib takes longer to load than the glance may last

BUILD, CACHE, GLANCE = "build", "cache", os.path.basename(NAME)


def data(root: str | Path, stems: Iterable[str]) -> Iterator[str]:
    """Name every file of a project that may be data, whatever reads it.

    None is code, made, hidden, of the article or of an environment of Python's, and none takes what
    this process says, as of `report watch > log`.
    """
    root, said = str(root), _said_to()
    apart = {os.path.join(root, "seeds.toml"), os.path.join(root, "figures", SWEPT)}
    apart |= {os.path.join(root, name) for name in made_of(stems)}
    for folder, files in walked(root, {BUILD, "templates"}):
        apart |= set(_made_in(folder)) if RECORD in files else set()
        for name in sorted(files):
            path = os.path.join(folder, name)
            if unread(name) or name.endswith(".py") or path in apart:
                continue
            if not (said and _file(path) in said):
                yield os.path.relpath(path, root)


def walked(place: str | Path, apart: Container[str]) -> Iterator[tuple[str, list[str]]]:
    """Walk the folders a build may read in, with their files; `apart` names others right in the place.

    None is hidden, an environment of Python's, or what libraries keep for the builds of a project.
    """
    for folder, inner, files in os.walk(place):
        if "pyvenv.cfg" in files:
            inner.clear()
            continue
        here = apart if folder == str(place) else ()
        kept = CACHE if RECORD in files and os.path.basename(folder) == BUILD else ""
        inner[:] = sorted(n for n in inner if not unread(n) and n != kept and n not in here)
        yield folder, files


def _made_in(folder: str) -> Iterator[str]:
    """Give the paths of what builds made in a folder, such as one inside the project, by their record."""
    try:
        with open(os.path.join(folder, RECORD), "rb") as file:
            record = unsealed(file.read())
    except (OSError, ValueError):
        return
    match record:
        case {"entries": dict(entries)}:
            names = {name for entry in entries.values() for name in entry["made"]}
            yield from (os.path.join(folder, name) for name in {*names, RECORD, GLANCE})


def _said_to() -> set[tuple[int, int]]:
    """Tell the files that take what this process says."""
    found = set()
    for stream in (1, 2):
        try:
            told = os.fstat(stream)
        except OSError:  # nobody hears it
            continue
        if stat.S_ISREG(told.st_mode):
            found.add((told.st_dev, told.st_ino))
    return found


def _file(path: str) -> tuple[int, int] | None:
    try:
        told = os.stat(path)
    except OSError:
        return None
    return told.st_dev, told.st_ino
