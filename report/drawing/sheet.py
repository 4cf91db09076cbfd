"""The paper under a canvas: shapes and strokes as matplotlib draws them, saved without its habits."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from report.drawing.neutral import Element, neutralize
from report.style import Tokens

Point = tuple[float, float]

GROUND, GRID, PATCH, SHAPE, LINE, MARK, WORDS = range(7)  # what lies over what
MARKERS: Final = {"circle": "o", "square": "s", "diamond": "D", "dot": "o"}
ROUND: Final = 0.5523  # handles of a cubic curve that is nearly a quarter of a circle
_SALT: Final = "report"  # any constant: matplotlib's ids are then the same in every run


@contextmanager
def settled() -> Iterator[None]:
    """Draw with matplotlib as it comes, whatever a reader's own settings are; leave them alone."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": _SALT})
        yield


class _Place(Artist):
    """Holds the place of words in matplotlib's drawing order: an empty group with an id."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def draw(self, renderer: RendererBase) -> None:
        """Write the empty group."""
        renderer.open_group("words", gid=self._name)
        renderer.close_group("words")


class Sheet:
    """What is drawn, in order. Lengths are units from the top left, y downward; colors are roles.

    Artists draw themselves on the SVG renderer: matplotlib's figures and axes take as long to load as
    all the rest of it, and no drawing has any.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._stand_ins = {role: f"#0103{index:02x}" for index, role in enumerate(tokens.roles)}
        self._labels: dict[str, Element] = {}
        self._down = Affine2D()
        self._artists: list[Artist] = []

    def color(self, role: str) -> str:
        """Give the color that stands for a role; raise Mistake if no token defines it."""
        self._tokens.color(role, "light")
        return self._stand_ins[role]

    def stroke(
        self, points: Sequence[Point], role: str, width: float, dashes: Sequence[float], level: int
    ) -> None:
        """Draw a line through points, dashed if `dashes` (in units) says so."""
        xs, ys = zip(*points, strict=True)
        line = Line2D(xs, ys, color=self.color(role), linewidth=width, solid_capstyle="butt")
        if dashes:  # matplotlib measures them in widths of the line
            line.set_linestyle((0, tuple(dash / width for dash in dashes)))
        self._add(line, level)

    def fill(self, outline: Path, role: str, opacity: float, level: int) -> None:
        """Fill an outline."""
        color = self.color(role)
        self._add(PathPatch(outline, facecolor=color, edgecolor="none", alpha=opacity), level)

    def outline(self, outline: Path, role: str, width: float) -> None:
        """Draw an outline and leave it empty."""
        color = self.color(role)
        self._add(PathPatch(outline, fill=False, edgecolor=color, linewidth=width), LINE)

    def marks(
        self, points: Iterable[Point], role: str, shape: str, size: float, ring: float
    ) -> None:
        """Set a mark with a ring of paper at every point."""
        xs, ys = zip(*points, strict=True)
        marks = Line2D(
            xs,
            ys,
            linestyle="none",
            marker=MARKERS[shape],
            markersize=size,
            color=self.color(role),
            markeredgecolor=self.color("paper"),
            markeredgewidth=ring,
        )
        self._add(marks, MARK)

    def words(self, text: Element) -> None:
        """Put words on top of everything else."""
        name = f"words-{len(self._labels)}"
        self._labels[name] = text
        self._add(_Place(name), WORDS)

    def save(self, width: float, height: float) -> str:
        """Save as a neutral drawing of that size."""
        self._down.clear().scale(1, -1).translate(0, height)
        saved = io.StringIO()
        with settled():
            renderer = _renderer(width, height, saved)
            for artist in sorted(self._artists, key=Artist.get_zorder):
                artist.draw(renderer)
            renderer.finalize()
        roles = {stand_in: role for role, stand_in in self._stand_ins.items()}
        return neutralize(saved.getvalue().encode(), roles, self._labels)

    def _add(self, artist: Artist, level: int) -> None:
        artist.set_transform(self._down)
        artist.set_zorder(level)
        self._artists.append(artist)


def _renderer(width: float, height: float, into: io.StringIO) -> Any:
    kept = {"metadata": {"Date": None, "Creator": None}}  # nothing of the clock or the version
    return RendererSVG(width, height, into, **kept)  # type: ignore[no-untyped-call] # has no types


def polygon(points: Iterable[Point]) -> Path:
    """Close an outline through points."""
    return Path([*points, (0, 0)], closed=True)


def rectangle(left: float, top: float, right: float, bottom: float) -> Path:
    """Outline a rectangle."""
    return polygon([(left, top), (right, top), (right, bottom), (left, bottom)])


def rounded(left: float, top: float, right: float, bottom: float, radius: float) -> Path:
    """Outline a rectangle with round corners, one cubic curve each."""
    r = min(radius, (right - left) / 2, (bottom - top) / 2)
    k = r * (1 - ROUND)
    points = [
        *((left + r, top), (right - r, top)),
        *((right - k, top), (right, top + k), (right, top + r), (right, bottom - r)),
        *((right, bottom - k), (right - k, bottom), (right - r, bottom), (left + r, bottom)),
        *((left + k, bottom), (left, bottom - k), (left, bottom - r), (left, top + r)),
        *((left, top + k), (left + k, top), (left + r, top), (0, 0)),
    ]
    side = [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path(points, [Path.MOVETO, *side * 4, Path.CLOSEPOLY])


def strokes(lines: Iterable[tuple[Point, Point]]) -> Path:
    """Join separate straight strokes into one path."""
    return Path.make_compound_path(*map(Path, lines))
