"""The build record: what was made from what, and the quick look that finds nothing to do.

The quick look runs before anything else is imported, so this module needs almost nothing itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from report.versions import installed

FORMAT = 1  # a record of another format is as good as none
NAME = "record.json"
TEXT = {".py", ".md", ".toml", ".json", ".svg", ".css", ".html", ".txt", ".csv", ".j2"}
LINKER = "/etc/ld.so.cache"  # changes with every system library that is installed or replaced


class Entry(TypedDict):
    """One made thing: what it depended on, the files it consists of, and what they cost."""

    parts: dict[str, str]
    made: dict[str, str]  # name of a file within a place -> its hash
    seconds: float
    pages: int  # 0 where nothing has pages


class Look(TypedDict):
    """What a request saw when all it wanted was up to date."""

    inputs: str
    made: dict[str, str]
    say: list[str]  # the files it offered, to name them again


class Record(TypedDict):
    """All that is remembered of a place where things are made."""

    format: int
    entries: dict[str, Entry]
    looks: dict[str, Look]
    reads: dict[str, dict[str, list[str]]]  # stem -> section -> keys; '' for its own section
    checked: str  # what the parameters were checked against


def empty() -> Record:
    """Remember nothing."""
    return {"format": FORMAT, "entries": {}, "looks": {}, "reads": {}, "checked": ""}


def digest(data: bytes) -> str:
    """Hash some bytes, as 32 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:32]


def file_digest(path: Path) -> str:
    """Hash what a file says; '' if it is not there. In text the kind of line end does not count."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    return digest(data.replace(b"\r\n", b"\n") if path.suffix in TEXT else data)


def read_record(folder: Path) -> Record:
    """Read the record kept in a folder; a damaged one, or of another format, is as none."""
    try:
        record: Record = json.loads((folder / NAME).read_bytes())
        whole = record["format"] == FORMAT and record.keys() == empty().keys()
    except (OSError, ValueError, KeyError, TypeError):
        return empty()
    return record if whole else empty()


def inputs(root: Path, generator: Path) -> str:
    """Hash everything a build could read: the project, the generator and the libraries."""
    seen = hashlib.sha256(f"{sys.version}\n{sorted(installed().items())}\n".encode())
    seen.update(file_digest(Path(LINKER)).encode())
    places = [root / "seeds.toml", root / "figures", root / "templates", generator]
    if not (generator / "default").is_dir():  # in a checkout the default templates lie beside it
        places.append(generator.parent / "templates")
    for place in dict.fromkeys(places):
        for path in _files(place):
            name = os.path.relpath(path, place)
            seen.update(f"{place.name} {name} {file_digest(path)}\n".encode())
    return seen.hexdigest()[:32]


def _files(place: Path) -> Iterator[Path]:
    """Every file in a folder, in one order; hidden ones and Python's caches are nobody's input."""
    if not place.is_dir():
        yield place
        return
    for entry in sorted(os.scandir(place), key=lambda each: each.name):
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _files(Path(entry.path))
        else:
            yield Path(entry.path)


def nothing_to_do(root: Path, generator: Path, out: Path, request: str) -> list[str] | None:
    """Name what a request would make if all of it is there and nothing moved; else None."""
    look = read_record(out)["looks"].get(request)
    if look is None or any(file_digest(out / name) != seen for name, seen in look["made"].items()):
        return None
    return look["say"] if inputs(root, generator) == look["inputs"] else None
