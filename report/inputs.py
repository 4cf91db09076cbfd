"""Which files code may read: those it names in texts or paths, or any of the project's data."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from report.data import data
from report.glance import file_digest
from report.paths import Find, paths_in
from report.project import SEEDS, Project
from report.statements import Module, Piece
from report.unversioned import unversioned

# ruff: noqa: PTH112, PTH117, PTH118 - these paths are texts, and mostly of no file

Files = dict[str, str]  # name of a file -> hash of what it says; '' where it is not there (yet)


class _Named(NamedTuple):
    """What one text names, were it a path: data of the project, and other files."""

    data: Files
    others: Files

    @property
    def is_file(self) -> bool:
        return any(self.data.values()) or any(self.others.values())


class Inputs:
    """Tells which files code of a project may read.

    Code that opens files whose names are put together from pieces is taken to read all of its data.

    A file outside the project has the name by which it is reached from there, or the whole path that
    the code says.
    """

    def __init__(self, root: Path, find: Find, hashed: Callable[[str], str] = file_digest) -> None:
        """Take the project's folder, what finds its modules, and what hashes a file."""
        self.root, self.figures = str(root), str(root / "figures")
        self._find, self._hashed = find, hashed
        self._known: dict[str, _Named] = {}

    def of(
        self, pieces: Sequence[tuple[Module, Piece]], libraries: Iterable[str] = ()
    ) -> tuple[Files, bool]:
        """Give the files that some code may read, and tell whether any data of the project is among them.

        Code, the project file and what lies outside bear names that much mentions and never reads: they
        count only where something is opened. Of the `libraries` it imports the code counts that no version
        speaks for.
        """
        read, others, anywhere = Files(), Files(), False
        for _, piece in pieces:
            named = [self._named_by(text) for text in piece.read.texts]
            for each in named:
                read |= each.data
                others |= each.others
            anywhere |= piece.read.opens > self._told(piece, named)
        if any(piece.read.opens for _, piece in pieces):
            read |= others
            paths = {path for each in pieces for path in paths_in(*each, self._find)}
            paths -= {os.path.join(self.root, name) for name in read}
            read |= {name: self._hash(name) for name in map(self._name, paths)}
        sources = unversioned(libraries, pieces, self._find)
        read |= {name: self._hash(name) for name in map(self._name, sources)}
        return read | (self._data if anywhere else {}), anywhere

    def _told(self, piece: Piece, named: list[_Named]) -> int:
        """Count the files a statement names; none where it may put names together from pieces."""
        unknown = (
            text
            for text, each in zip(piece.read.texts, named, strict=True)
            if not each.is_file and self._is_piece(text)
        )
        return 0 if any(unknown) else sum(each.is_file for each in named)

    def _named_by(self, text: str) -> _Named:
        if text not in self._known:
            named = self._known[text] = _Named({}, {})
            for base in (self.figures, self.root):
                name = self._name(os.path.join(base, text))
                name = text if os.path.isabs(text) and is_outside(name) else name
                is_data = not (is_outside(name) or name.endswith(".py") or name == SEEDS)
                (named.data if is_data else named.others)[name] = self._hash(name)
        return self._known[text]

    def _is_piece(self, text: str) -> bool:
        """Tell whether a text that names no file looks like a piece of a path."""
        folder = any(os.path.isdir(os.path.join(base, text)) for base in (self.figures, self.root))
        return "." in text or "/" in text or folder

    def _name(self, path: str | Path) -> str:
        return Path(os.path.relpath(path, self.root)).as_posix()

    def _hash(self, name: str) -> str:
        return self._hashed(os.path.join(self.root, name))

    @cached_property
    def _data(self) -> Files:
        names = data(self.root, Project(Path(self.root)).stems)
        return {name: self._hash(name) for name in names}


def is_outside(name: str) -> bool:
    """Tell the name of a file that lies outside the project."""
    return name.partition("/")[0] in ("", "..")
