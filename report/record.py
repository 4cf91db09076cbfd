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
from typing import NamedTuple, TypedDict

from report.versions import installed

FORMAT = 1  # a record of another format is as good as none
NAME = "record.json"
FIGURES = "figures/"  # names of results and pictures begin so, and lie where figures are kept
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
    outputs: list[str]  # the files it offered, to name them again


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
    return digest(data if path.suffix not in TEXT else data.replace(b"\r\n", b"\n"))


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
            if not _is_made(path):
                name = os.path.relpath(path, place)
                seen.update(f"{place.name} {name} {file_digest(path)}\n".encode())
    return seen.hexdigest()[:32]


def _is_made(path: Path) -> bool:
    """Tell whether a file in `figures/` is a result or a picture of the experiment beside it."""
    return path.suffix in (".json", ".svg") and path.with_suffix(".py").exists()


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


def request_key(article: bool, paper: str, stems: tuple[str, ...]) -> str:
    """Name a request: the same words for the same wish."""
    return f"build {paper}" if article else " ".join(["figures", *sorted(set(stems))])


class Place(NamedTuple):
    """Where one request puts what it makes."""

    figures: Path
    out: Path
    suffix: str = ""  # says in file names what was overridden

    def path(self, name: str) -> Path:
        """Turn the name of a made thing into its path."""
        inside = name.removeprefix(FIGURES)
        return self.out / name if inside == name else self.figures / inside


def nothing_to_do(root: Path, generator: Path, place: Place, request: str) -> list[Path] | None:
    """Name the outputs of a request if all it makes is there and nothing moved; else None."""
    look = read_record(place.out)["looks"].get(request)
    if look is None or look["inputs"] != inputs(root, generator):
        return None
    if any(file_digest(place.path(name)) != seen for name, seen in look["made"].items()):
        return None
    return [place.out / name for name in look["outputs"]]
