"""How the evidence of a claim prints a range of numbers."""

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
