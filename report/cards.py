"""What an article says is worth asking again: its questions, its traps, the numbers to remember.

Whatever has a name becomes a card. The name is the card's identity for good: words, numbers, order
and seed may change, and whoever learns with the card keeps the history of their answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Kind = Literal["question", "number", "trap"]

# Blocks whose items may be cards. A trap is asked by its bold words, a number is answered by them.
ASKING: Final = MappingProxyType[str, Kind]({"key-numbers": "number", "traps": "trap"})
_NAME = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")
_ITEM = re.compile(
    r"(?:<p>)?<strong>(?P<lead>.*?)</strong>\s*(?P<rest>(?:(?!<p>).)+?)(?:</p>)?\s*", re.DOTALL
)


@dataclass(frozen=True)
class Card:
    """Both sides as HTML, and the anchor of the heading it stands under."""

    name: str
    kind: Kind
    front: str
    back: str
    place: str


def of_item(name: str, kind: Kind, html: str, place: str) -> Card | None:
    """Make a card of an item that begins in bold and goes on; None if it is no such item."""
    parts = _ITEM.fullmatch(html)
    if parts is None:
        return None
    sides = parts["lead"], parts["rest"]
    front, back = sides if kind == "trap" else reversed(sides)
    return Card(name, kind, front, back, place)


def unfit(name: str, known: list[Card]) -> str:
    """Say why a card cannot have a name; nothing if it can."""
    if not _NAME.fullmatch(name):
        return f"'{name}' cannot name a card, for only letters, digits and hyphens between them can"
    if any(card.name == name for card in known):
        return f"'{name}' names two cards, and what is learned is kept by that name"
    return ""
