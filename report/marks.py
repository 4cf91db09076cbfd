"""Marks that stand in a text for what no later step may read: formulas, printed numbers, parts of the page.

A mark is a private-use character, a letter for its kind, a number, and a closing character. Markdown and
the template engine pass it through untouched, so a bound value can never be read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}([A-Z])(\\d+){_CLOSE}")

FORMULA, NUMBER, TEXT = "M", "N", "T"
CLAIM, CLAIM_END = "K", "L"
NOTE_CALL, NOTE, FIGURE, DATA, ANSWER, ANSWERS, SOURCES = "C", "O", "F", "D", "A", "B", "S"


def mark(kind: str, index: int) -> str:
    """Make the mark of one thing."""
    return f"{_OPEN}{kind}{index}{_CLOSE}"


def replace(text: str, put: Callable[[str, int], str]) -> str:
    """Put something in the place of every mark, and of the marks inside what was put."""
    while _MARK.search(text):
        text = replace_once(text, put)
    return text


def replace_once(text: str, put: Callable[[str, int], str]) -> str:
    """Put something in the place of every mark, and leave the marks inside what was put."""
    return _MARK.sub(lambda found: put(found[1], int(found[2])), text)


def found(text: str, kind: str) -> list[int]:
    """Number the marks of one kind in reading order."""
    return [int(number) for each, number in _MARK.findall(text) if each == kind]


def stand_in(text: str) -> bool:
    """Tell whether a text holds any mark."""
    return bool(_MARK.search(text))


def elided(text: str) -> str:
    """Write `…` in the place of every mark."""
    return "…".join(split(text)).strip()


def split(text: str) -> list[str]:
    """Give the pieces of a text between its marks."""
    return re.split(f"{_OPEN}[A-Z]\\d+{_CLOSE}", text)
