"""Reads a drawing before a reader does: words that collide, are crossed, too small or cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import NamedTuple

from report.style import SMALLEST, UNIT, Layout

APART = 2.0  # printed points between words side by side
SLACK = 0.3  # printed points by which ink may touch before it counts


class Box(NamedTuple):
    """A rectangle on the sheet, y downward."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> Box:
        """Give a box larger by so much on each side."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def meets(self, other: Box) -> bool:
        """Tell whether two boxes have area in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        """Tell whether another box lies within this one."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom


class _Label(NamedTuple):
    text: str
    box: Box
    size: float
    patch: bool


@dataclass
class Proof:
    """What stands where on one sheet."""

    layout: Layout
    labels: list[_Label] = field(default_factory=list)
    segments: list[tuple[tuple[float, float], tuple[float, float], bool]] = field(
        default_factory=list
    )
    shapes: list[Box] = field(default_factory=list)
    dots: list[Box] = field(default_factory=list)
    extents: list[Box] = field(default_factory=list)

    def words(self, text: str, box: Box, size: float, patch: bool) -> None:
        """Note words, the box of their ink, their size, and whether paper lies under them."""
        self.labels.append(_Label(text, box, size, patch))

    def line(self, points: Sequence[tuple[float, float]], width: float, *, under: bool) -> None:
        """Note a line; one that lies `under` may pass beneath words with paper under them."""
        self.segments += [(one, two, under) for one, two in pairwise(points)]
        xs, ys = zip(*points, strict=True)
        # Ends are cut square: a stroke reaches out by half its width across its direction only.
        flat, upright = min(ys) == max(ys), min(xs) == max(xs)
        dx, dy = (0 if flat else width / 2), (0 if upright else width / 2)
        self.extents.append(Box(min(xs) - dx, min(ys) - dy, max(xs) + dx, max(ys) + dy))

    def rectangle(self, box: Box) -> None:
        """Note a filled rectangle: words lie within it or outside, never across its edge."""
        self.shapes.append(box)
        self.extents.append(box)

    def cover(self, box: Box) -> None:
        """Note a shape that hides what was drawn before it."""
        self.segments = [one for one in self.segments if not _cuts(one[0], one[1], box)]

    def mark(self, box: Box) -> None:
        """Note a mark."""
        self.dots.append(box)
        self.extents.append(box)

    def extent(self, box: Box) -> None:
        """Note something that must lie on the sheet."""
        self.extents.append(box)

    def clear(self, box: Box) -> bool:
        """Tell whether words in a box would touch nothing drawn so far."""
        return not any(box.meets(label.box) for label in self.labels) and not any(
            self._touches(_Label("", box, 0.0, patch=False))
        )

    def problems(self, width: float, height: float) -> list[str]:
        """Say in a sentence each what is wrong on a sheet of this size."""
        return [*self._small(), *self._outside(width, height), *self._crowded(), *self._crossed()]

    def _small(self) -> Iterator[str]:
        for label in self.labels:
            if label.size < SMALLEST[self.layout]:
                yield f"'{label.text}' is {label.size:g} high, under {SMALLEST[self.layout]:g}"

    def _outside(self, width: float, height: float) -> Iterator[str]:
        sheet = Box(0, 0, width, height).grown(SLACK * UNIT[self.layout])
        for label in self.labels:
            if not sheet.holds(label.box):
                yield f"'{label.text}' leaves the sheet"
        edge = Box(0, 0, width, height).grown(0.05)
        if not all(map(edge.holds, self.extents)):
            yield "a line, mark or shape leaves the sheet"

    def _crowded(self) -> Iterator[str]:
        unit = UNIT[self.layout]
        for one, two in combinations(self.labels, 2):
            left, top, right, bottom = one.box
            roomy = Box(left - APART * unit, top, right + APART * unit, bottom)
            if roomy.meets(two.box):
                yield f"'{one.text}' and '{two.text}' are too close"

    def _crossed(self) -> Iterator[str]:
        for label in self.labels:
            for what in self._touches(label):
                yield f"{what} crosses '{label.text}'"

    def _touches(self, label: _Label) -> Iterator[str]:
        box = label.box.grown(-SLACK * UNIT[self.layout])
        if any(box.meets(shape) and not shape.holds(box) for shape in self.shapes):
            yield "the edge of a shape"
        if any(box.meets(dot) for dot in self.dots):
            yield "a mark"
        for one, two, under in self.segments:
            if not (under and label.patch) and _cuts(one, two, box):
                yield "a line"
                return


def _cuts(one: tuple[float, float], two: tuple[float, float], box: Box) -> bool:
    """Tell whether a segment enters a box (Liang and Barsky 1984)."""
    (x, y), dx, dy = one, two[0] - one[0], two[1] - one[1]
    enter, leave = 0.0, 1.0
    for step, room in (
        (-dx, x - box.left),
        (dx, box.right - x),
        (-dy, y - box.top),
        (dy, box.bottom - y),
    ):
        if step == 0:
            if room < 0:
                return False
        elif step < 0:
            enter = max(enter, room / step)
        else:
            leave = min(leave, room / step)
    return enter <= leave
