"""How a range of numbers is printed, and which of some values lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attention import brief

if TYPE_CHECKING:
    from report.contracts import Say


def first_to_last(say: Say, values: Sequence[float], digits: int = 3) -> str:
    """Print how far a series goes: `0.45 to 0.978`."""
    return both(*(brief(say, value, digits) for value in (values[0], values[-1])))


def lowest_to_highest(say: Say, values: Iterable[float], digits: int = 3) -> str:
    """Print between which ends values lie, whatever their order."""
    return first_to_last(say, sorted(values), digits)


def both(first: str, last: str) -> str:
    """Join two printed numbers, or give the one that they are."""
    return first if first == last else f"{first} to {last}"


def leaders(values: Sequence[float]) -> list[int]:
    """Number, from one up, the keys with the largest of some values: several where they tie."""
    top = max(values)
    return [key for key, value in enumerate(values, start=1) if value == top]


def numbered(say: Say, keys: Sequence[int]) -> str:
    """Print the numbers of keys as people say them: `1, 2 and 4`."""
    *others, last = map(say.label, keys)
    return f"{', '.join(others)} and {last}" if others else last
