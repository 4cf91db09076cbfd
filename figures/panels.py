"""The panels of a drawing: where values stand in one, and how each scaling is named and marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from report.contracts import Canvas, Scale

TITLES = {"raw": "No scaling", "sqrt": "Divided by √*d_k*", "dk": "Divided by *d_k*"}
SHAPES = {"raw": "circle", "sqrt": "square", "dk": "diamond"}
ORDER = ("raw", "dk", "sqrt")  # of drawing: the line that is meant lies over the others


class Panel(NamedTuple):
    """Where the values of one panel stand, across and up."""

    x: Scale
    y: Scale


def draw_halves(panel: Panel, canvas: Canvas, inset: float, *, labeled: bool) -> None:
    """Draw a hairline at none, half and all of a share, `inset` printed points beyond the values."""
    pt, (x, y) = canvas.pt, panel
    left, right = x.start - inset * pt, x.end + inset * pt
    for share in (0, 0.5, 1):
        at = y(share)
        canvas.grid(at, left, right)
        if labeled:
            said = canvas.say.label(share)
            canvas.text(left - 4 * pt, at, said, "ink2", anchor="end", centered=True)
