"""Reads what an author wrote: text, TOML and fonts; what cannot be read is named in one sentence."""

from __future__ import annotations

import re
import struct
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from report.errors import Mistake, unseen

WHOLE_FONT = "put the whole font file in its place"

_WORD = r"(?:[\w-]+|\"[^\"]*\"|'[^']*')"
_NAME = rf"\s*({_WORD}(?:\s*\.\s*{_WORD})*)\s*"
_HEADER, _PAIR = re.compile(rf"\s*\[+{_NAME}\]"), re.compile(f"{_NAME}=")

_REASONS = {  # how the library says it -> how this report does
    r"Cannot declare \((.+?),?\) twice": r"the section [\1] stands twice",
    r"Cannot overwrite a value": "a key stands twice in its section",
    r"Invalid value": "there is no value that TOML knows (text stands in quotes)",
    r"Expected newline or end of document after a statement": "a line says more than one value",
    r"Expected '=' after a key in a key/value pair": "a key has no `=` after it",
    r"Expected '\]' at the end of a table declaration": "the name of a section is never closed",
    r"Unclosed array": "a list is never closed",
    r"(Unterminated string|Illegal character '\\n'|Expected \"'\")": "a text is never closed",
    r"Invalid statement": "a line is neither a [section] nor `key = value`",
    r".*integer string conversion.*": "a number has too many digits",
    r".*recursion.*": "lists lie too deep in each other",
}


def text(path: Path, file: str) -> str:
    """Read a text, its line ends made `\\n`; `file` is the name the user knows it by.

    Raises Mistake for a file that is not there or no UTF-8 text, and for a character no font shows.
    """
    try:
        data = path.read_bytes()
        found = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        what = f"this file cannot be read ({error.strerror or error})"
        raise Mistake(what, file=file) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"this is not UTF-8 text ({error.reason})"
        raise Mistake(what, file=file, line=line, then="save it as UTF-8") from None
    for number, each in enumerate(found.split("\n"), 1):
        if said := unseen(each):
            raise Mistake(f"the line {said}", file=file, line=number, then="remove it")
    return found


def toml(source: str, file: str, *, first_line: int = 1) -> dict[str, Any]:
    """Read TOML whose text begins on a line of a file; raise Mistake for what is none."""
    try:
        data = tomllib.loads(source)
        for key, value in _leaves("", data):
            if said := unseen(key) or unseen(value):
                line = line_of(source, *_parted(key))
                raise Mistake(
                    f"'{key}' {said}",
                    file=file,
                    line=line and line + first_line - 1,
                    then="remove it",
                )
    except (ValueError, RecursionError) as error:  # some numbers and lists are too long for Python
        line = _line_told(str(error), source) + first_line - 1
        what = f"this is not TOML: {_reason(str(error))}"
        raise Mistake(what, file=file, line=line) from None
    return data


def _line_told(said: str, source: str) -> int:
    """Find the line a complaint is about: the one it names, the last, or else the longest."""
    if at := re.search(r"\(at line (\d+)", said):
        return int(at[1])
    lines = source.rstrip().splitlines() or [""]
    return len(lines) if "at end" in said else lines.index(max(lines, key=len)) + 1


def _reason(said: str) -> str:
    plain = re.sub(r" \(at .*\)$", "", said)
    for theirs, ours in _REASONS.items():
        if found := re.fullmatch(theirs, plain):
            return found.expand(ours).replace("', '", ".").replace("'", "")
    return f"{plain[0].lower()}{plain[1:]}"


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Every single value with the dotted name it stands under."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(f"{name}.{key}".lstrip("."), each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(name, each)
    else:
        yield name, value


def _parted(name: str) -> tuple[str, str]:
    section, _, key = name.rpartition(".")
    return section, key


def line_of(source: str, section: str, key: str = "") -> int | None:
    """Find the line of a section's key in TOML; without a key, or where it has none, that of the section.

    A key may be written dotted, `section.key = 1`, and a section in one line, `section = {key = 1}`.
    """
    wanted = f"{section}.{key}".strip(".")
    here, found = "", None
    for number, line in enumerate(source.splitlines(), 1):
        if header := _HEADER.match(line):
            here = name = _plain(header[1])
        elif pair := _PAIR.match(line):
            name = f"{here}.{_plain(pair[1])}".lstrip(".")
            if key and name == wanted:
                return number
        else:
            continue
        if section and found is None and f"{name}.".startswith(f"{section}."):
            found = number
    return found


def _plain(name: str) -> str:
    """Write a dotted name without its quotes and blanks."""
    return re.sub(r"\s*\.\s*", ".", re.sub(r"[\"']", "", name)).strip()


def is_web(address: object) -> bool:
    """Tell whether an address leads to the web, where a reader may follow it; nothing loads it."""
    return isinstance(address, str) and bool(re.fullmatch(r"https?://[^\s<>\"]+", address))


def font(path: Path, file: str) -> bytes:
    """Read a font; raise Mistake for one that is not there, or not there whole."""
    try:
        data = path.read_bytes()
    except OSError:
        raise Mistake("there is no such font", file=file, then=WHOLE_FONT) from None
    try:
        whole = _is_whole_woff2(data) if data.startswith(b"wOF2") else _is_whole_sfnt(data)
    except struct.error:  # it ends within its first lines
        whole = False
    if not whole:
        raise Mistake("this is no font, or only a part of one", file=file, then=WHOLE_FONT)
    return data


def _is_whole_woff2(data: bytes) -> bool:
    """Hold the length that a WOFF2 file states at byte 8 against the one it has."""
    return struct.unpack_from(">I", data, 8) == (len(data),)


def _is_whole_sfnt(data: bytes) -> bool:
    """Look whether every table that a TrueType or OpenType file lists lies inside it.

    Their number stands at byte 4; from byte 12 on each has a line of 16, with its place and length.
    """
    (tables,) = struct.unpack_from(">H", data, 4)
    ends = (sum(struct.unpack_from(">8xII", data, 12 + 16 * table)) for table in range(tables))
    known = data[:4] in (b"\0\1\0\0", b"OTTO", b"true")
    return known and tables > 0 and all(end <= len(data) for end in ends)
