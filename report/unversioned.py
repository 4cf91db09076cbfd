"""Finds the code of libraries that no version speaks for: worked on where it lies, it changes like one's own."""

from __future__ import annotations

import os.path
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path

from report.glance import unread
from report.paths import Find, paths_in
from report.statements import Module, Piece

INSTALLED = ("site-packages", "dist-packages")  # so end the folders of what is installed


def unversioned(
    libraries: Iterable[str], pieces: Iterable[tuple[Module, Piece]], find: Find
) -> Iterator[Path]:
    """Give every file of the libraries that lie elsewhere than what is installed.

    They are found like Python finds them, by `sys.path`, the installations one can edit, and the
    folders that the code itself adds to `sys.path`.
    """
    added = [
        path
        for module, piece in pieces
        if ("sys", "path") in piece.read.mentions
        for path in paths_in(module, piece, find)
    ]
    for name in sorted(set(libraries) - sys.stdlib_module_names):
        for place in _places(name, added):
            yield from [place] if place.is_file() else _inside(place)


def _places(name: str, added: list[str]) -> Iterator[Path]:
    """Give the file of a module, or the folders of a package, if it is not installed."""
    spec = _spec(name, added)
    if spec and spec.submodule_search_locations is not None:
        places = list(spec.submodule_search_locations)
    else:
        places = [spec.origin] if spec and spec.origin and spec.has_location else []
    yield from (Path(place) for place in places if not _is_installed(place))


def _inside(package: Path) -> Iterator[Path]:
    """Give all that lies in a package, data too; but nothing hidden, and nothing Python compiled."""
    for path in sorted(package.rglob("*")):
        if path.is_file() and not any(map(unread, path.relative_to(package).parts)):
            yield path


def _spec(name: str, added: list[str]) -> ModuleSpec | None:
    try:
        return find_spec(name) or PathFinder.find_spec(name, added)
    except (ImportError, ValueError, AttributeError):  # it is loaded, and says not from where
        return None


def _is_installed(place: str) -> bool:
    return any(place.startswith(f"{folder}{os.sep}") for folder in _installed())


@cache
def _installed() -> list[str]:
    paths = sysconfig.get_paths()
    found = [paths[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    return found + [each for each in sys.path if each.endswith(INSTALLED)]
