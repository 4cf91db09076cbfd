"""The build record: what was made from what, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple, TypedDict, cast

from report.glance import RECORD, unsealed
from report.glance import digest as digest  # noqa: PLC0414 - what is recorded is hashed

NAME: Final = RECORD
FORMAT = 3  # a record of another format is as good as none
FIGURES = "figures/"  # names of results and pictures begin so, and lie where figures are kept


Reads = dict[str, dict[str, list[str]]]  # stem -> section -> keys; '' for its own section


class Entry(TypedDict):
    """One made thing: what it depended on, the files it consists of, and what they cost."""

    parts: dict[str, str]
    made: dict[str, str]  # name of a file within a place -> its hash
    seconds: float
    pages: int  # 0 where nothing has pages


class Record(TypedDict):
    """All that is remembered of a place where things are made."""

    format: int
    entries: dict[str, Entry]
    reads: Reads
    checked: str  # what the parameters were checked against


def empty() -> Record:
    """Remember nothing."""
    return {"format": FORMAT, "entries": {}, "reads": {}, "checked": ""}


def read_record(folder: Path) -> Record:
    """Read the record kept in a folder; a damaged one, or of another format, is as none."""
    try:
        record = cast("Record", unsealed((folder / NAME).read_bytes()))
    except (OSError, ValueError):
        return empty()
    return record if record["format"] == FORMAT else empty()


class Place(NamedTuple):
    """Where one request puts what it makes."""

    figures: Path
    out: Path
    suffix: str = ""  # says in file names what was overridden

    def path(self, name: str) -> Path:
        """Turn the name of a made thing into its path."""
        inside = name.removeprefix(FIGURES)
        return self.out / name if inside == name else self.figures / inside
