"""Differences between a PDF and what it should be, each named so that a reader can find it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final, NamedTuple, TypeVar

from report.errors import LONG, shortened
from report.results import same_numbers
from report.verify.sight import squeezed

AROUND: Final = 45  # characters shown before and after what differs
ABSENT: Final = object()

_T = TypeVar("_T")


class Difference(NamedTuple):
    """One difference: of what kind, what it is, and on which page of the PDF if on one."""

    kind: str
    what: str
    page: int = 0

    def __str__(self) -> str:
        return f"{self.kind:<10}  {self.what}"


def values(path: str, theirs: Any, ours: Any, tolerance: float) -> Iterator[str]:
    """Name every value that differs by more than a relative tolerance, by its path."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(theirs.keys() | ours.keys()):
            pair = theirs.get(key, ABSENT), ours.get(key, ABSENT)
            yield from values(f"{path}.{key}" if path else key, *pair, tolerance)
    elif isinstance(theirs, list) and isinstance(ours, list):
        for index, pair in enumerate(zip_longest(theirs, ours, fillvalue=ABSENT)):
            yield from values(f"{path}.{index}", *pair, tolerance)
    elif not _same(theirs, ours, tolerance):
        yield f"{path}: {_written(theirs)} in the PDF, {_written(ours)} here"


def _same(theirs: Any, ours: Any, tolerance: float) -> bool:
    try:
        return ABSENT not in (theirs, ours) and same_numbers(theirs, ours, tolerance)
    except OverflowError:  # a whole number beyond all others
        return False


def _written(value: Any) -> str:
    return "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def paired(
    ones: Sequence[_T], others: Sequence[_T], key: Callable[[_T], str]
) -> Iterator[tuple[_T | None, _T | None]]:
    """Put side by side what is the same, or stands in the same place; None where nothing does."""
    matcher = SequenceMatcher(None, [*map(key, ones)], [*map(key, others)], autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        yield from zip_longest(ones[i:j], others[k:m])


def around(one: str, other: str) -> tuple[str, str]:
    """Cut two texts down to what differs, with some words on either side."""
    head = _shared(one, other)
    tail = _shared(one[head:][::-1], other[head:][::-1])
    return _window(one, head, len(one) - tail), _window(other, head, len(other) - tail)


def _shared(one: str, other: str) -> int:
    """Count the characters that two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _window(text: str, begin: int, end: int) -> str:
    """Cut a piece out of a text, with whole words around it."""
    first, last = max(0, begin - AROUND), end + AROUND
    before = text[first:begin].partition(" ")[2] if first else text[:begin]
    after = text[end:last].rpartition(" ")[0] if last < len(text) else text[end:]
    middle = text[begin:end] if end - begin <= LONG else shortened(text[begin:end])
    return f"{'…' if first else ''}{before}{middle}{after}{'…' if last < len(text) else ''}"


def spaced(word: str | None, like: str | None) -> str | None:
    """Put spaces into a drawn word where a written one that is as long has them."""
    if word is None or like is None or len(word) != len(squeezed(like)):
        return word
    letters = iter(word)
    return "".join(next(letters) if squeezed(each) else each for each in like)


def quoted(word: str | None) -> str:
    """Show a word that is there or not."""
    return "nothing" if word is None else f"“{word}”"
