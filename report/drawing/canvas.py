"""The sheet an experiment draws on: lengths from the top left, colors by role, checked words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from report.drawing.lettering import Fonts, Words, set_words
from report.drawing.neutral import text_element
from report.drawing.proof import Box, Proof
from report.drawing.sheet import (
    GRID,
    GROUND,
    LINE,
    MARK,
    PATCH,
    SHAPE,
    Point,
    Sheet,
    polygon,
    rectangle,
    rounded,
    settled,
    strokes,
)
from report.errors import Mistake
from report.style import (
    COMPACT,
    DOTS,
    FACES,
    HEAT_FLIP,
    MARKS,
    RING,
    SIZES,
    STROKES,
    UNIT,
    WEIGHTS,
    WIDTH,
    Kind,
    Layout,
    Tokens,
)

if TYPE_CHECKING:
    from report.contracts import Say

Anchor = Literal["start", "middle", "end"]
Draw = Callable[[Any, "Canvas"], None]

SHARE: Final[dict[Anchor, float]] = {"start": 0.0, "middle": 0.5, "end": 1.0}
ASCENT: Final = 0.76  # from a baseline to the top of the tallest letters, in sizes
MOST_ELEMENTS: Final = 4000
MOST_CHARACTERS: Final = 400_000


@dataclass(frozen=True)
class Scale:
    """Where a value stands on the sheet: `low` at `start`, `high` at `end`, straight or log."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Give the place of a value; if low equals high everything stands in the middle."""
        low, high, at = (
            map(math.log, (self.low, self.high, value))
            if self.log
            else (self.low, self.high, value)
        )
        share = (at - low) / (high - low) if high != low else 0.5
        return self.start + share * (self.end - self.start)


class Canvas:
    """One drawing in one layout. Lengths are layout units from the top left, y downward.

    A unit is a printed point when wide or compact (459 across) and a phone's pixel when narrow
    (343 across); `pt` is one printed point in either. `say` prints the numbers.
    """

    def __init__(self, layout: Layout, say: Say, tokens: Tokens, fonts: Fonts) -> None:
        self.layout, self.say = layout, say
        self.narrow = layout == "narrow"
        self.width = WIDTH[layout]
        self.pt = UNIT[layout]
        self.proof = Proof(layout)
        self.height = 0.0  # a drawing sets it once it knows where it ends
        self._sheet, self._fonts = Sheet(tokens), fonts
        self._set: dict[tuple[str, Kind], Words] = {}

    # The sheet ------------------------------------------------------------------------------------

    def panel_height(self, height: float) -> float:
        """Shorten a main panel where the compact layout asks for it."""
        return height * COMPACT if self.layout == "compact" else height

    def scale(
        self, values: Iterable[float], start: float, end: float, *, log: bool = False
    ) -> Scale:
        """Stretch the range of some values over a stretch of the sheet."""
        numbers = [float(value) for value in values]
        return Scale(min(numbers), max(numbers), start, end, log)

    # Words ----------------------------------------------------------------------------------------

    def size(self, kind: Kind = "body") -> float:
        """Give the size of a kind of words in units."""
        return SIZES[self.layout][kind]

    def cap(self, kind: Kind = "body") -> float:
        """Give the height of its capitals and figures in units."""
        return self._fonts.cut(FACES["sans", "regular"]).cap * self.size(kind)

    def words(self, markup: str, kind: Kind = "body") -> Words:
        """Set words without writing them, to learn how much room they take."""
        if (markup, kind) not in self._set:
            words = set_words(markup, self.size(kind), WEIGHTS[kind], self._fonts)
            self._set[markup, kind] = words
        return self._set[markup, kind]

    def wrap(self, markup: str, width: float, kind: Kind = "body") -> list[str]:
        """Break words into lines no wider than `width`, between words only."""
        lines: list[str] = []
        for word in markup.split(" "):
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.words(longer, kind).width <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def equals(self, value: float, digits: int = 3) -> str:
        """Print what something equals, and own up to rounding: `= 8`, `≈ 11.3`."""
        if value == float(f"{value:.{digits}g}"):
            return f"= {self.say.plain(value)}"
        return f"≈ {self.say.significant(value, digits)}"

    def heading(self, top: float, strong: str, quiet: str) -> float:
        """Name the quantity, then say more quietly how to read it; give the last baseline.

        On a wide sheet both stand on one line if they fit, on a narrow one below each other.
        """
        y = top + ASCENT * self.size("strong")
        named = self.text(0, y, strong, kind="strong")
        beside = named.right + 7 * self.pt
        if not self.narrow and beside + self.words(quiet).width <= self.width:
            self.text(beside, y, quiet, "ink3")
            return y
        for line in self.wrap(quiet, self.width):
            y += 12.25 * self.pt
            self.text(0, y, line, "ink3")
        return y

    def clear(
        self,
        x: float,
        y: float,
        markup: str,
        *,
        kind: Kind = "body",
        anchor: Anchor = "start",
        room: float = 2.0,
    ) -> bool:
        """Tell whether words there stay on the sheet and `room` printed points from all drawn yet."""
        box = self._box(x, y, self.words(markup, kind), anchor)
        across = box.left >= 0 and box.right <= self.width
        return across and self.proof.clear(box.grown(room * self.pt))

    def _box(self, x: float, y: float, words: Words, anchor: Anchor) -> Box:
        x -= SHARE[anchor] * words.width
        return Box(x + words.left, y + words.top, x + words.right, y + words.bottom)

    def text(  # noqa: PLR0913 - words have that many properties, all but three with a default
        self,
        x: float,
        y: float,
        markup: str,
        role: str = "ink",
        *,
        kind: Kind = "body",
        anchor: Anchor = "start",
        centered: bool = False,
        patch: bool = False,
    ) -> Box:
        """Write one line with its baseline at y, or with its figures `centered` on y.

        `patch` puts paper under the words, above the grid and below everything else.
        Returns the box of their ink.
        """
        words = self.words(markup, kind)
        y += self.cap(kind) / 2 if centered else 0.0
        box = self._box(x, y, words, anchor)
        self._sheet.color(role)
        self._sheet.words(text_element(words, x - SHARE[anchor] * words.width, y, role))
        if patch:
            self._sheet.fill(rectangle(*box.grown(1.5 * self.pt)), "paper", 1.0, PATCH)
        self.proof.words(words.text, box, words.size, patch)
        return box

    # Shapes ---------------------------------------------------------------------------------------

    def line(
        self,
        points: Iterable[Point],
        role: str = "ink2",
        stroke: str = "hair",
        *,
        dotted: bool = False,
        under: bool = False,
    ) -> None:
        """Draw a line through points; `stroke` names its width, `under` puts it with the grid."""
        through, width = list(points), STROKES[stroke] * self.pt
        dashes = [dash * self.pt for dash in DOTS] if dotted else []
        self._sheet.stroke(through, role, width, dashes, GRID if under else LINE)
        self.proof.line(through, width, under=under)

    def grid(self, y: float, left: float, right: float) -> None:
        """Draw a hairline across, at a value the text quotes."""
        self.line([(left, y), (right, y)], "grid", under=True)

    def area(self, points: Iterable[Point], role: str, opacity: float = 1.0) -> None:
        """Fill a closed outline, beneath lines and marks."""
        self._sheet.fill(polygon(points), role, opacity, SHAPE)

    def rectangle(  # noqa: PLR0913 - a rectangle has that many
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        opacity: float = 1.0,
        *,
        radius: float = 0.0,
        under: bool = False,
        over: bool = False,
    ) -> None:
        """Fill a rectangle, its corners round if there is a radius, `under` all else or `over` it."""
        corners = x, y, x + width, y + height
        outline = rounded(*corners, radius) if radius else rectangle(*corners)
        level = GROUND if under else MARK if over else SHAPE
        self._sheet.fill(outline, role, opacity, level)
        if over:
            self.proof.cover(Box(*corners))
        self.proof.rectangle(Box(*corners))

    def frame(
        self, x: float, y: float, width: float, height: float, role: str, stroke: str = "hair"
    ) -> None:
        """Draw the outline of a rectangle."""
        corners, thick = (x, y, x + width, y + height), STROKES[stroke] * self.pt
        self._sheet.outline(rectangle(*corners), role, thick)
        self.proof.extent(Box(*corners).grown(thick / 2))

    def cell(
        self, x: float, y: float, width: float, height: float, share: float, role: str = "heat"
    ) -> str:
        """Fill a heat map's cell with a share (0 to 1) of a color; give the role of its words."""
        if share > 0:
            self.rectangle(x, y, width, height, role, round(min(share, 1.0), 3))
        return f"on{role}" if share > HEAT_FLIP else f"on{role}-pale"

    def lattice(
        self, x: float, y: float, cells: tuple[int, int], size: tuple[float, float]
    ) -> None:
        """Rule the borders of a heat map: (rows, columns) of cells of a (width, height)."""
        (rows, columns), (width, height) = cells, size
        right, bottom = x + columns * width, y + rows * height
        across = [((x, y + row * height), (right, y + row * height)) for row in range(rows + 1)]
        down = [
            ((x + column * width, y), (x + column * width, bottom)) for column in range(columns + 1)
        ]
        thick = STROKES["hair"] * self.pt
        self._sheet.outline(strokes(across + down), "rule", thick)
        for ends in across + down:
            self.proof.line(ends, thick, under=False)

    def marks(self, points: Iterable[Point], role: str, shape: str = "circle") -> None:
        """Set marks with a ring of paper around each: circle, square, diamond or dot."""
        places = list(points)
        if not places:
            return
        size = MARKS[shape] * self.pt
        self._sheet.marks(places, role, shape, size, RING * self.pt)
        reach = size * (math.sqrt(2) if shape == "diamond" else 1) / 2
        for x, y in places:
            self.proof.mark(Box(x, y, x, y).grown(reach))

    def arrow(self, points: Sequence[Point], role: str = "ink2") -> None:
        """Draw a line through points that ends in a small filled head."""
        (x0, y0), (x1, y1) = points[-2:]
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        head, half = 4.2 * self.pt, 1.5 * self.pt
        base = x1 - ux * head, y1 - uy * head
        wings = [(base[0] - uy * half * side, base[1] + ux * half * side) for side in (1, -1)]
        self.line([*points[:-1], base], role, "flow")
        self._sheet.fill(polygon([(x1, y1), *wings]), role, 1.0, LINE)
        self.proof.line([base, (x1, y1)], 0.0, under=False)

    # Axes -----------------------------------------------------------------------------------------

    def axis(
        self, y: float, ticks: Sequence[tuple[float, str]], *, keep: Sequence[int] = ()
    ) -> float:
        """Draw an x axis with ticks and as many labels as have room; give the labels' baseline.

        `ticks` are (place, label) from left to right; the first, the last and those at the
        indices in `keep` are labeled before any other.
        """
        tick = 3 * self.pt
        self.line([(ticks[0][0], y), (ticks[-1][0], y)], "ink3")
        for x, _ in ticks:
            self.line([(x, y), (x, y + tick)], "ink3")
        baseline = y + tick + 3.5 * self.pt + self.cap()
        for index in self._with_room(ticks, keep):
            self.text(ticks[index][0], baseline, ticks[index][1], "ink2", anchor="middle")
        return baseline

    def _with_room(self, ticks: Sequence[tuple[float, str]], keep: Sequence[int]) -> list[int]:
        half = [self.words(label).width / 2 + 2.5 * self.pt for _, label in ticks]
        chosen: list[int] = []
        for index in [0, len(ticks) - 1, *keep, *range(0, len(ticks), 2), *range(len(ticks))]:
            x = ticks[index][0]
            if all(abs(x - ticks[one][0]) >= half[index] + half[one] for one in chosen):
                chosen.append(index)
        return chosen

    # Saving ---------------------------------------------------------------------------------------

    def problems(self) -> list[str]:
        """Say what a reader would stumble over: words that collide, are cut off or too small."""
        return self.proof.problems(self.width, self.height)

    def svg(self, name: str) -> str:
        """Save the neutral drawing; raise Mistake that names it if no page could bear it."""
        if not 0 < self.height < math.inf:
            raise Mistake(f"figure '{name}' never says how high it is", then="set canvas.height")
        neutral = self._sheet.save(self.width, self.height)
        elements = neutral.count("<") - neutral.count("</")
        if elements > MOST_ELEMENTS or len(neutral) > MOST_CHARACTERS:
            raise Mistake(
                f"figure '{name}' has {elements:,} elements and {len(neutral) // 1000:,} kB"
                f" ({self.layout}), and at most {MOST_ELEMENTS:,} and {MOST_CHARACTERS // 1000} fit",
                then="draw fewer points or sum them up",
            )
        return neutral


def compose(
    draw_function: Draw, result: Any, say: Say, layout: Layout, tokens: Tokens, fonts: Path
) -> Canvas:
    """Let an experiment draw its stored result on a fresh canvas."""
    canvas = Canvas(layout, say, tokens, Fonts(fonts))
    with settled():
        draw_function(result, canvas)
    return canvas


def draw(
    draw_function: Draw, result: Any, say: Say, layout: Layout, tokens: Tokens, fonts: Path
) -> str:
    """Draw one layout of a figure and give it as neutral SVG.

    Raises Mistake for a drawing that a reader would stumble over, and for what `Canvas.svg` refuses.
    """
    canvas = compose(draw_function, result, say, layout, tokens, fonts)
    neutral = canvas.svg(draw_function.__module__.rpartition(".")[2])
    if problems := canvas.problems():
        raise Mistake(f"{problems[0]} in the {layout} drawing", then="move or shorten it")
    return neutral
