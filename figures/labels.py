"""Where the names of lines go, so that none lies on another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from report.contracts import Anchor, Canvas, Say


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


def put(
    canvas: Canvas,
    words: str,
    places: Iterable[tuple[float, float]],
    role: str,
    anchor: Anchor = "start",
    *,
    patch: bool = False,
) -> bool:
    """Write words at the first of some places where they touch nothing; tell whether there is one.

    `patch` puts paper under them, over a grid that is drawn later.
    """
    for x, y in places:
        if canvas.clear(x, y, words, anchor=anchor):
            canvas.text(x, y, words, role, anchor=anchor, patch=patch)
            return True
    return False


def spaced(places: Sequence[float], least: float) -> list[int]:
    """Choose which of some places to label: each at least so far from those chosen before it."""
    chosen: list[int] = []
    for index, place in enumerate(places):
        if all(abs(place - places[other]) >= least for other in chosen):
            chosen.append(index)
    return chosen


def percent(say: Say, share: float) -> str:
    """Label a share on a scale: `−5%`."""
    return f"{say.label(round(100 * share, 9))}%"
