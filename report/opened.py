"""Refuses an experiment, while it runs, any file that no later build would see change.

Code is followed before it runs, and files whose names are made up as it runs are found among the data
of the project. One that lies elsewhere would be read and not be noticed: it is not opened at all.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from report import glance
from report.code import Code
from report.errors import Mistake
from report.imports import Place
from report.project import Project

# ruff: noqa: PTH100, PTH112, PTH113 - an event may be of any file, and there are many

LISTS = ("os.listdir", "os.scandir")
EVENTS = ("open", "os.mkdir", "os.rename", *LISTS)
WRITES = os.O_WRONLY | os.O_RDWR
SYSTEM = ("/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sys", "/usr", "/var/cache")
CACHE = f"{os.sep}__pycache__{os.sep}"  # where libraries keep what they compiled of a module too

# Files whose code opens others for reasons of its own: to import them, to show a line in a warning.
GENERATOR = f"{Path(__file__).parent}{os.sep}"
IMPORTS = ("<frozen importlib", "<frozen runpy", "<frozen zipimport")
SHOWS = (f"{os.sep}linecache.py", f"{os.sep}tokenize.py")
THEN = "write its path as one text, put it among the data of the project, or leave it out"


@contextmanager
def only_inputs(project: Project) -> Iterator[None]:
    """Have code of a project work in its folder, and keep it to the files it was found to read.

    Raises Mistake where it opens another. A relative path means the same wherever the user stands.
    """
    _hear_all()
    _runs.append(_Run(project))
    try:
        with chdir(project.root):
            yield
    finally:
        _runs.pop()


@dataclass
class _Run:
    """Some code of a project at work."""

    project: Project
    made: set[str] = field(default_factory=set)  # what it wrote itself
    allowed: dict[frozenset[Place], set[str]] = field(default_factory=dict)

    def hear(self, event: str, args: tuple[Any, ...], frame: FrameType | None) -> None:
        """Look at what is opened; what the code makes itself it may read."""
        path = os.path.abspath(os.fsdecode(args[0] or "."))
        if event == "os.mkdir" or (event == "open" and args[2] & WRITES):
            self.made.add(os.path.realpath(path))
        elif event == "open":
            self._check_file(path, frame)
        elif event in LISTS:
            self._check_folder(path, frame)
        elif self._is_made(os.path.realpath(path)):  # it gets another name
            self.made.add(os.path.realpath(os.fsdecode(args[1])))

    def _check_file(self, path: str, frame: FrameType | None) -> None:
        if self._is_apart(path) or not (openers := self._openers(frame)):
            return
        real = os.path.realpath(path)
        if os.path.isfile(real) and not self._is_made(real) and real not in self._allowed(openers):
            what = (
                f"{self.project.shown(Path(path))} is opened by a name that is made up as the code runs,"
                " so no build would see it change"
            )
            raise Mistake(what, then=THEN)

    def _check_folder(self, path: str, frame: FrameType | None) -> None:
        real = os.path.realpath(path)
        if self._is_apart(real) or _is_in(real, str(self.project.root)) or self._is_made(real):
            return
        if os.path.isdir(real) and self._openers(frame):
            what = f"the folder {path} is listed, and no build would see what comes and goes there"
            raise Mistake(what, then="put it among the data of the project")

    def _is_made(self, real: str) -> bool:
        return any(_is_in(real, each) for each in self.made)

    def _is_apart(self, path: str) -> bool:
        """Tell what belongs to a library or the system, or what programs keep for themselves."""
        if any(_is_in(path, folder) for folder in self._libraries) or CACHE in path:
            return True
        if _is_in(path, str(self.project.root)):
            return False
        return f"{os.sep}." in path or any(_is_in(path, folder) for folder in SYSTEM)

    @cached_property
    def _libraries(self) -> list[str]:
        """Folders of libraries, and where they keep caches; none that the project lies in."""
        places = {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix}
        places |= {each for each in sys.path if each.endswith(("site-packages", "dist-packages"))}
        places |= {os.environ.get("MPLCONFIGDIR", "")} - {""}
        return [each for each in places if not _is_in(str(self.project.root), each)]

    def _openers(self, frame: FrameType | None) -> frozenset[Place]:
        """Name the functions of the project that led to an open; none where it is not their doing."""
        found: set[Place] = set()
        figures = f"{self.project.figures}{os.sep}"
        while frame:
            file = frame.f_code.co_filename
            if file.startswith(figures):
                found.add(self._place(frame.f_code))
            elif not found and (file.startswith((GENERATOR, *IMPORTS)) or file.endswith(SHOWS)):
                return frozenset()
            frame = frame.f_back
        return frozenset(found)

    def _place(self, code: CodeType) -> Place:
        inside = Path(code.co_filename).relative_to(self.project.figures).with_suffix("")
        module = ".".join(inside.parts).removesuffix(".__init__")
        name = code.co_qualname.partition(".")[0]
        found = self._code.module(module)
        return module, name if found and found.binding(name) else "*"

    @cached_property
    def _code(self) -> Code:
        return Code(self.project.root, Path(glance.GENERATOR), _is_there)

    def _allowed(self, openers: frozenset[Place]) -> set[str]:
        if openers not in self.allowed:
            files = self._code.reach(*sorted(openers)).files
            self.allowed[openers] = {os.path.realpath(self.project.root / name) for name in files}
        return self.allowed[openers]


def _is_there(path: str) -> str:
    return "it is there" if os.path.isfile(path) else ""


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


_runs: list[_Run] = []  # the innermost last
_looking = threading.local()  # what a thread opens to look at code is nobody's


@cache
def _hear_all() -> None:
    """Hear of all that this process opens, from now to its end."""
    sys.addaudithook(_hear)


def _hear(event: str, args: tuple[Any, ...]) -> None:
    """Take an event of Python's own (PEP 578), of which there are many kinds."""
    if event not in EVENTS or not _runs or getattr(_looking, "on", False):
        return
    if isinstance(args[0], int):  # it is open already
        return
    _looking.on = True
    try:
        _runs[-1].hear(event, args, sys._getframe(1))
    finally:
        _looking.on = False
