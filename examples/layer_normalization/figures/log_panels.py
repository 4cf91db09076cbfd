"""Draws panels on log scales, side by side or on a phone one below the other, each line named at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from report.contracts import Canvas, Scale

NAMES = {"nothing": "mean only", "sd": "÷ *σ*", "variance": "÷ *σ*²"}
SHAPES = {"nothing": "circle", "sd": "square", "variance": "diamond"}
GUTTER = 22  # printed points between panels that stand side by side
LABELS, NAMED = 41, 48  # printed points left of a panel for its scale, and right of it for names


@dataclass(frozen=True)
class Panel:
    """What one panel shows: lines of theory, marks of what was measured, and the level scale."""

    title: str
    quiet: str
    across: Sequence[float]
    theory: dict[str, Sequence[float]]
    measured: dict[str, Sequence[float]]
    ticks: dict[float, str]
    below: str  # what the level scale counts
    log: bool = True  # whether the level scale is logarithmic


def draw_panels(canvas: Canvas, panels: Sequence[Panel]) -> None:
    """Draw all panels and set the height of the sheet."""
    pt, top = canvas.pt, 0.0
    width = canvas.width if canvas.narrow else (canvas.width - GUTTER * pt) / len(panels)
    for index, panel in enumerate(panels):
        left = 0 if canvas.narrow else index * (width + GUTTER * pt)
        lowest = draw_panel(canvas, panel, left, width, top)
        top = lowest + 18 * pt if canvas.narrow else 0
    canvas.height = lowest + 3 * pt


def draw_panel(canvas: Canvas, panel: Panel, left: float, width: float, top: float) -> float:
    """Draw one panel and give its lowest place."""
    pt = canvas.pt
    start, end = left + LABELS * pt, left + width - NAMED * pt
    top = head(canvas, panel, left, width, top) + 14 * pt
    bottom = top + canvas.panel_height(132 * pt)
    x = canvas.scale(panel.across, start, end, log=panel.log)
    y = canvas.scale(
        [1, *values_of(panel.theory), *values_of(panel.measured)], bottom, top, log=True
    )
    label_scale(canvas, panel, x, y)
    for name, shape in SHAPES.items():
        theory, measured = (
            [(x(at), y(value)) for at, value in zip(panel.across, values[name], strict=True)]
            for values in (panel.theory, panel.measured)
        )
        canvas.line(theory, name, "hair")
        canvas.marks(measured, name, shape)
    name_lines(canvas, panel, x, y)
    lowest = canvas.axis(bottom + 9 * pt, [(x(at), label) for at, label in panel.ticks.items()])
    lowest += 13 * pt
    canvas.text((start + end) / 2, lowest, panel.below, "ink2", anchor="middle")
    return lowest


def head(canvas: Canvas, panel: Panel, left: float, width: float, top: float) -> float:
    """Say what a panel shows and give the last baseline."""
    baseline = top + 9 * canvas.pt
    canvas.text(left, baseline, panel.title, kind="strong")
    for words in canvas.wrap(panel.quiet, width):
        baseline += 12 * canvas.pt
        canvas.text(left, baseline, words, "ink3")
    return baseline


def values_of(lines: dict[str, Sequence[float]]) -> list[float]:
    """Give all values of some lines."""
    return [value for line in lines.values() for value in line]


def label_scale(canvas: Canvas, panel: Panel, x: Scale, y: Scale) -> None:
    """Name what was measured lowest and highest, and one, where they have room."""
    pt, values = canvas.pt, values_of(panel.measured)
    labels = {y(1): canvas.say.label(1)}
    for value in (max(values), min(values)):
        if all(abs(y(value) - place) > 12 * pt for place in labels):
            labels[y(value)] = canvas.say.brief(value)
    for place, label in labels.items():
        canvas.grid(place, x.start - 6 * pt, x.end + 6 * pt)
        canvas.text(x.start - 11 * pt, place, label, "ink2", anchor="end", centered=True)


def name_lines(canvas: Canvas, panel: Panel, x: Scale, y: Scale) -> None:
    """Name each line beside its end, from the top down, moved as far as the one above asks for."""
    pt, least = canvas.pt, float("-inf")
    for name in sorted(NAMES, key=lambda name: y(panel.measured[name][-1])):
        place = max(y(panel.measured[name][-1]), least)
        canvas.text(x.end + 9 * pt, place, NAMES[name], name, centered=True)
        least = place + 12 * pt
