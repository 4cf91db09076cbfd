"""Where the names of lines go, so that none lies on another."""

from __future__ import annotations

from collections.abc import Sequence


def apart(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Move places as little as needed to stand `least` apart between `low` and `high`.

    They keep their order. Where the room is too small they are spread evenly over it.
    """
    if not places:
        return []
    order = sorted(range(len(places)), key=lambda index: places[index])
    step = min(least, (high - low) / max(1, len(places) - 1))
    groups: list[list[float]] = []  # wanted places that move together, each less its own steps
    for index, one in enumerate(order):
        groups.append([places[one] - index * step])
        while len(groups) > 1 and middle(groups[-2]) > middle(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    settled = [middle(group) for group in groups for _ in group]
    last = high - step * (len(places) - 1)
    moved = [min(max(at, low), last) + index * step for index, at in enumerate(settled)]
    return [moved[order.index(index)] for index in range(len(places))]


def middle(values: Sequence[float]) -> float:
    """Mean of some values."""
    return sum(values) / len(values)
