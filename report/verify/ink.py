"""What the pages of a PDF paint: each run of letters, line, area and picture, and whose it is.

Section numbers are those of ISO 32000-1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final, NamedTuple

import pikepdf

from report.verify.letters import Font, Fonts, Letter
from report.verify.objects import DEEPEST, Object, described, held, plain

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]  # left, bottom, right, top

SMALLEST: Final = 1.0  # points: what is set smaller is not shown
_UNSHOWN: Final = ("3", "7")  # ways to render letters that leave no trace (9.3.6)
_UNMOVED: Final[Matrix] = (1, 0, 0, 1, 0, 0)
_LACKING: Final = AttributeError, LookupError, TypeError, ValueError
_FOLLOWED: Final = {"/Resources", "/Matrix", "/Length", "/Filter", "/DecodeParms"}  # of a form


class Mark(NamedTuple):
    """One thing painted: whose it is, its letters if any, and how and where it looks."""

    owner: int | None  # number of the marked content (14.6) it lies in
    piece: int  # number of the text object it came with
    letters: tuple[Letter, ...]
    look: str  # operators, colors, clips: what has to be equal to look the same
    points: tuple[float, ...]  # x, y, x, y ... in points of the page
    sizes: tuple[float, ...]  # lengths and distances
    shown: bool = True  # letters may be painted so that none sees them

    @property
    def text(self) -> str:
        """Its letters as a search would find them."""
        return "".join(letter.text for letter in self.letters)

    def begins_in(self, box: Sequence[float], slack: float = 1.0) -> bool:
        """Tell whether it begins in a box, or no farther than some points from it."""
        (x, y), (left, bottom, right, top) = self.points[:2], box
        return left - slack <= x <= right + slack and bottom - slack <= y <= top + slack


class Painted(NamedTuple):
    """What a page paints, in the order it does, and what it says of that beside whose it is."""

    marks: list[Mark]
    remarks: list[str]


def painted(page: Object, fonts: Fonts) -> Painted:
    """Follow the content of a page."""
    painter = _Painter(page.get("/Resources", {}), fonts, _State())
    painter.run(page)
    return Painted(painter.marks, painter.remarks)


@dataclass(frozen=True)
class _State:
    """What the operators that paint go by (8.4); each change makes another one."""

    matrix: Matrix = _UNMOVED
    fill: str = ""
    stroke: str = ""
    lines: dict[str, str] = field(default_factory=dict)  # width, ends, joints, dashes
    effects: dict[str, str] = field(default_factory=dict)
    clips: int = 0
    window: Box = (-inf, -inf, inf, inf)  # what is painted outside of it is not shown
    font: Font | None = None
    size: float = 0.0
    render: str = "0"
    spacing: dict[str, float] = field(default_factory=dict)


class _Painter:
    """Follows the operators of one content stream, and of the forms it paints."""

    def __init__(self, resources: Object, fonts: Fonts, state: _State, deep: int = DEEPEST) -> None:
        self.marks: list[Mark] = []
        self.remarks: list[str] = []
        self.owners: list[int | None] = []
        self.pieces = 0
        self._resources, self._fonts, self._deep = resources, fonts, deep
        self._state, self._saved = state, list[_State]()
        self._text = self._line = _UNMOVED
        self._path, self._points, self._clip = "", list[float](), ""

    def run(self, content: Object) -> None:
        """Follow a stream from its beginning to its end; what cannot be followed is remarked upon."""
        try:
            instructions: Sequence[Any] = pikepdf.parse_content_stream(content)
        except (pikepdf.PdfError, TypeError):
            self.remarks.append("what cannot be read")
            return
        for name, space in self._resources.get("/ColorSpace", pikepdf.Dictionary()).items():
            if name.startswith("/Default"):  # takes the place of plain colors (8.6.5.6)
                self._put(f"{name} {described(space)}", self._square())
        for each in instructions:
            operator = str(each.operator)
            if operator == "INLINE IMAGE":
                self._put(f"image {described(each.iimage)}", self._square())
            else:
                self._do(operator, each.operands)

    def _do(self, operator: str, given: Any) -> None:
        """Follow one operator; one that lacks what it needs is shown as it stands."""
        try:
            _DOES.get(operator, _Painter._any)(self, operator, given)
        except _LACKING:
            self.remarks.append(f"{operator} without what it needs")  # a viewer may show anything
            self._any(operator, given)

    def _put(
        self,
        look: str,
        points: Iterable[float],
        letters: Iterable[Letter] = (),
        sizes: Iterable[float] = (),
        *,
        shown: bool = True,
    ) -> None:
        look = f"{look} {self._state.effects} {self._state.clips}"
        owner, piece = self._owner, self.pieces
        where = tuple(points), tuple(sizes)
        self.marks.append(Mark(owner, piece, tuple(letters), look, *where, shown))

    @property
    def _owner(self) -> int | None:
        return next((each for each in reversed(self.owners) if each is not None), None)

    def _set(self, **changed: Any) -> None:
        self._state = replace(self._state, **changed)

    def _any(self, operator: str, given: Any) -> None:
        """Take an operator of no other kind for something painted: nothing goes unseen."""
        self._put(f"{operator} {' '.join(map(self._meaning, given))}", self._square())

    def _nothing(self, operator: str, given: Any) -> None:
        """Pass over what paints nothing."""

    def _meaning(self, operand: Any) -> str:
        """Describe an operand: a color or pattern kept with the page, by what it is."""
        for kind in ("/ColorSpace", "/Pattern", "/Shading"):
            if isinstance(operand, pikepdf.Name) and str(operand) in self._resources.get(kind, {}):
                return described(self._resources[kind][operand])
        return plain(operand)

    # The state (8.4)

    def _save(self, _operator: str, _given: Any) -> None:
        self._saved.append(self._state)

    def _restore(self, _operator: str, _given: Any) -> None:
        if self._saved:
            self._state = self._saved.pop()

    def _transform(self, _operator: str, given: Any) -> None:
        self._set(matrix=_times(_matrix(given), self._state.matrix))

    def _fill(self, operator: str, given: Any) -> None:
        self._set(fill=f"{operator} {' '.join(map(self._meaning, given))}")

    def _stroke(self, operator: str, given: Any) -> None:
        self._set(stroke=f"{operator.lower()} {' '.join(map(self._meaning, given))}")

    def _style_line(self, operator: str, given: Any) -> None:
        self._set(lines=self._state.lines | {operator: " ".join(described(each) for each in given)})

    def _affect(self, _operator: str, given: Any) -> None:
        self._set(effects=self._state.effects | held(self._resources.ExtGState[given[0]]))

    # Whose it is (14.6)

    def _begin(self, _operator: str, given: Any) -> None:
        properties = given[1] if len(given) > 1 else None
        if isinstance(properties, pikepdf.Name):
            properties = self._resources.get("/Properties", {}).get(str(properties))
        said = properties if isinstance(properties, pikepdf.Dictionary) else pikepdf.Dictionary()
        number = said.get("/MCID")
        self.owners.append(None if number is None else int(number))
        told = held(said, {"/MCID", "/Type"})
        if told or given[0] == "/OC":  # spoken or copied in its place, or shown at a viewer's wish
            self.remarks.append(" ".join([str(given[0]), *(f"{key} {told[key]}" for key in told)]))

    def _end(self, _operator: str, _given: Any) -> None:
        self.owners = self.owners[:-1]

    # Text (9.3, 9.4)

    def _begin_text(self, _operator: str, _given: Any) -> None:
        self.pieces += 1
        self._text = self._line = _UNMOVED

    def _place_text(self, _operator: str, given: Any) -> None:
        self._text = self._line = _matrix(given)

    def _next_line(self, operator: str, given: Any) -> None:
        if operator == "TD":
            self._set(spacing=self._state.spacing | {"TL": -float(given[1])})
        x, y = map(float, given) if given else (0.0, -self._state.spacing.get("TL", 0.0))
        self._text = self._line = _times((1, 0, 0, 1, x, y), self._line)

    def _space(self, operator: str, given: Any) -> None:
        self._set(spacing=self._state.spacing | {operator: float(given[0])})

    def _choose(self, _operator: str, given: Any) -> None:
        self._set(font=None)  # which it stays where the page has no such font
        font = self._fonts[self._resources.Font[given[0]]]
        self._set(font=font, size=float(given[1]))

    def _render(self, _operator: str, given: Any) -> None:
        self._set(render=plain(given[0]))

    def _show(self, operator: str, given: Any) -> None:
        if operator in ("'", '"'):
            self._next_line("T*", [])
        state, letters, gaps = self._state, list[Letter](), list[float]()
        for each in given[0] if operator == "TJ" else given[-1:]:
            if not isinstance(each, pikepdf.String):
                gaps += (len(letters), float(each))
            elif state.font:
                letters += state.font.read(bytes(each))
        if letters:
            *shape, x, y = _times(self._text, state.matrix)
            look = f"text {state.render} {state.fill} {state.stroke} {' '.join(state.spacing)}"
            sizes = (*shape, state.size, *state.spacing.values(), *gaps)
            self._put(look, (x, y), letters, sizes, shown=self._is_shown(shape, x, y))

    def _is_shown(self, shape: Sequence[float], x: float, y: float) -> bool:
        """Tell whether letters leave a trace, however they are colored."""
        state, (a, b, c, d), (left, bottom, right, top) = self._state, shape, self._state.window
        small = abs(a * d - b * c) * state.size**2 < SMALLEST**2
        clear = state.render in _UNSHOWN or state.effects.get("/ca") == "0"
        within = left - 1 <= x <= right + 1 and bottom - 1 <= y <= top + 1
        return within and not small and not clear

    # Lines and areas (8.5)

    def _draw(self, operator: str, given: Any) -> None:
        points = [float(each) for each in given]
        if operator == "re":
            x, y, width, height = points
            points = [x, y, x + width, y, x + width, y + height, x, y + height]
        self._path += operator
        self._points += _moved(points, self._state.matrix)

    def _mark_clip(self, operator: str, _given: Any) -> None:
        self._clip = operator

    def _paint(self, operator: str, _given: Any) -> None:
        state = self._state
        filled = state.fill if operator.lower()[0] in "fb" else ""
        drawn = f"{state.stroke} {state.lines}" if operator.lower()[0] in "sb" else ""
        if operator != "n":
            self._put(f"{operator} {self._path} {filled} {drawn}", self._points)
        if self._clip:
            self._put(f"{self._clip} {self._path}", self._points)
            self._set(clips=state.clips + 1, window=_narrowed(state.window, self._points))
        self._path, self._points, self._clip = "", [], ""

    # Pictures and forms (8.8, 8.10)

    def _external(self, _operator: str, given: Any) -> None:
        form = self._resources.XObject[given[0]]
        if form.get("/Subtype") != "/Form" or not self._deep:
            self._put(f"image {described(form)}", self._square())
            return
        told = held(form, _FOLLOWED)
        self._put(f"form {told}", self._square())
        matrix = _times(_matrix(form.get("/Matrix", _UNMOVED)), self._state.matrix)
        state = replace(self._state, matrix=matrix)
        inner = _Painter(form.get("/Resources", {}), self._fonts, state, self._deep - 1)
        inner.owners, inner.pieces = [self._owner], self.pieces
        inner.run(form)
        self.pieces = inner.pieces
        self.marks += inner.marks
        self.remarks += inner.remarks

    def _square(self) -> list[float]:
        """Where three corners of the unit square land, which every picture fills."""
        return _moved([0, 0, 1, 0, 0, 1], self._state.matrix)


_DOES: Final[dict[str, Callable[[_Painter, str, Any], None]]] = {
    "q": _Painter._save,
    "Q": _Painter._restore,
    "cm": _Painter._transform,
    "gs": _Painter._affect,
    "Tm": _Painter._place_text,
    "Tf": _Painter._choose,
    "Tr": _Painter._render,
    "BT": _Painter._begin_text,
    "EMC": _Painter._end,
    "Do": _Painter._external,
    **dict.fromkeys(("BMC", "BDC"), _Painter._begin),
    **dict.fromkeys(("g", "rg", "k", "cs", "sc", "scn"), _Painter._fill),
    **dict.fromkeys(("G", "RG", "K", "CS", "SC", "SCN"), _Painter._stroke),
    **dict.fromkeys(("w", "J", "j", "M", "d"), _Painter._style_line),
    **dict.fromkeys(("Td", "TD", "T*"), _Painter._next_line),
    **dict.fromkeys(("Tc", "Tw", "Tz", "TL", "Ts"), _Painter._space),
    **dict.fromkeys(("Tj", "TJ", "'", '"'), _Painter._show),
    **dict.fromkeys(("m", "l", "c", "v", "y", "h", "re"), _Painter._draw),
    **dict.fromkeys(("W", "W*"), _Painter._mark_clip),
    **dict.fromkeys(("S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"), _Painter._paint),
    **dict.fromkeys(("ET", "BX", "EX", "MP", "DP", "i", "ri"), _Painter._nothing),
}


def _narrowed(window: Box, points: Sequence[float]) -> Box:
    """Clip a window with a path, as far as a rectangle around it tells (8.5.4)."""
    xs, ys = points[::2] or [0.0], points[1::2] or [0.0]
    left, bottom, right, top = window
    return max(left, min(xs)), max(bottom, min(ys)), min(right, max(xs)), min(top, max(ys))


def _matrix(given: Any) -> Matrix:
    a, b, c, d, e, f = (float(each) for each in given)
    return a, b, c, d, e, f


def _times(one: Matrix, two: Matrix) -> Matrix:
    """Apply one transformation, then another (8.3.4)."""
    flat = _moved(list(one), two)
    zero = two[4:]
    a, b, c, d = (each - zero[at % 2] for at, each in enumerate(flat[:4]))  # directions do not move
    return a, b, c, d, flat[4], flat[5]


def _moved(points: list[float], matrix: Matrix) -> list[float]:
    a, b, c, d, e, f = matrix
    pairs = zip(points[::2], points[1::2], strict=True)
    return [each for x, y in pairs for each in (a * x + c * y + e, b * x + d * y + f)]
