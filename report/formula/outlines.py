"""Formulas as outlines for print: ziamath, its quirks evened out, and the drawings it has made."""

from __future__ import annotations

import re
import warnings
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, fromstring, tostring

from report.formula.spacing import is_fenced, kind, shrinks
from report.formula.tex import FormulaError, tree

UNIT = 24.0  # the size at which ziamath draws, in its own units: that of the font it has loaded
MARGIN = 0.04 * UNIT  # left and right of the ink, in the place of the side bearings
DIGITS = 2  # decimals of a coordinate: 0.0004 em, far below what a printer resolves
ZIAMATH_EM = 1.333 * 1.000002  # ziamath takes one em for 1.333 times the size of the type
FRACTION_SPACE = "-0.1em"  # leaves 0.12 em of what ziamath adds on each side, as plain TeX does
BRACKET_SPACE = "-0.148em"  # takes back what ziamath adds before a bracket that grows
MATRIX_SPACE = "0.12em"  # between a matrix and its brackets
ACCENT = {
    "^": "\u02c6",
    "~": "\u02dc",
}  # signs that accents are typed as -> the small signs they are


class Outline(NamedTuple):
    """A formula drawn at `UNIT`, baseline at y = 0."""

    shapes: str  # SVG elements without color
    box: tuple[float, float, float, float]  # x, y, width, height


def decimal(value: float) -> str:
    """Write a coordinate with as many decimals as print needs, and no more."""
    text = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@cache
def outline(tex: str, display: bool) -> Outline:
    """Return the drawing of a formula, from memory if it was drawn before."""
    return _draw(_for_ziamath(tree(tex, display)), tex)


# --- ziamath's dialect ---------------------------------------------------------------------------


def _for_ziamath(math: Element) -> Element:
    """Return a copy of the tree that ziamath 0.13 sets as MathML Core would.

    Measured: it pads names of several letters, takes some letters for operators, stretches sums,
    forgets text style in fractions and scripts, adds space around fractions and before brackets,
    sets matrices close, and accents as large as the signs of their name.
    """
    math = deepcopy(math)
    for node in math.iter():
        _even_out(node)
        for index, child in enumerate(node):
            if shrinks(node, index):
                child.set("displaystyle", "false")
    for row in list(math.iter()):
        if row.tag in ("math", "mrow", "mtd"):
            row[:] = [part for child in row for part in _with_space(child)]
    for node in math.iter():
        for name in ("lspace", "rspace", "width", "minsize", "maxsize", "rowspacing"):
            node.set(name, _lengths(node.get(name, "")))
        node.set("columnspacing", _lengths(node.get("columnspacing", "")))
        node.attrib = {name: value for name, value in node.attrib.items() if value}
    return math


def _even_out(node: Element) -> None:
    """Say of one element what ziamath would have otherwise."""
    if node.tag == "mi" and len(node.text or "") > 1:
        node.tag = "mtext"
    if node.tag == "mi":
        node.set("lspace", "0")
        node.set("rspace", "0")
    if node.tag == "mstyle":
        node.tag = "mrow"  # ziamath would dissolve it, and leave a fraction with three parts
    if node.tag == "mtable":
        node.set("rowspacing", "0.45em")
        node.set("columnspacing", "0" if node.get("columnspacing") else "0.8em")
    if kind(node) == "large":
        node.set("stretchy", "false")
    if node.tag == "mover" and node.get("accent") == "true":
        node[1].text = ACCENT.get(node[1].text or "", node[1].text)


def _lengths(text: str) -> str:
    """Convert every length in em to what ziamath takes for that length."""
    return re.sub(r"(-?[\d.]+)em", lambda em: f"{float(em[1]) / ZIAMATH_EM:.4f}em", text)


def _with_space(node: Element) -> list[Element]:
    """Return an element with what evens out ziamath's own space around it."""
    if node.tag == "mfrac":
        return [_blank(FRACTION_SPACE), node, _blank(FRACTION_SPACE)]
    if node.tag == "mtable" and not node.get("columnalign"):
        return [_blank(MATRIX_SPACE), node, _blank(MATRIX_SPACE)]
    grows = is_fenced(node) and kind(node[0]) == "open" and node[0].get("stretchy") != "false"
    return [_blank(BRACKET_SPACE), node] if grows else [node]


def _blank(width: str) -> Element:
    return Element("mspace", width=width)


# --- drawing -------------------------------------------------------------------------------------


def _draw(math: Element, tex: str) -> Outline:
    drawing = _ziamath(math, tex)
    shapes = [element for element in drawing.iter() if element.tag in ("path", "rect")]
    for shape in shapes:
        shape.attrib.pop("fill", None)
        if "d" in shape.attrib:
            shape.set("d", re.sub(r" ?([A-Z]) ?", r"\1", shape.get("d", "")).strip())
    left, top, right, bottom = _ink(shapes)
    left, right = float(decimal(left - MARGIN)), float(decimal(right + MARGIN))
    text = "".join(tostring(shape, encoding="unicode").replace(" />", "/>") for shape in shapes)
    size = (float(decimal(right - left)), float(decimal(bottom - top)))
    return Outline(text, (left, top, *size))


def _ink(shapes: list[Element]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of what is drawn (of the curves' control points)."""
    xs, ys = [], []
    for shape in shapes:
        if shape.tag == "rect":
            x, y, width, height = (float(shape.get(k, "0")) for k in ("x", "y", "width", "height"))
            xs += [x, x + width]
            ys += [y, y + height]
        else:
            numbers = [float(text) for text in re.findall(r"-?[\d.]+", shape.get("d", ""))]
            xs += numbers[::2]
            ys += numbers[1::2]
    return min(xs, default=0), min(ys, default=0), max(xs, default=0), max(ys, default=0)


def load() -> Any:
    """Load ziamath, which is heavy."""
    with warnings.catch_warnings():
        # It finds its own font by a function that Python 3.11 deprecates (and keeps).
        warnings.simplefilter("ignore", DeprecationWarning)
        from ziamath import zmath  # noqa: PLC0415 - see above
    return zmath


def _ziamath(math: Element, tex: str) -> Element:
    """Return ziamath's drawing of a tree: the one place that knows the library."""
    zmath = load()
    font = zmath.loadedfonts["default"]
    for character in "".join(math.itertext()):
        if not character.isspace() and not font.glyphindex(character):
            what = f"the formula “{tex}” cannot be printed: the font has no {character}"
            raise FormulaError(what)
    zmath.config.svg2 = False  # SVG 2 shares glyphs by id, and ids would clash on a page
    zmath.config.precision = DIGITS
    try:
        drawn: Element = zmath.Math(fromstring(tostring(math)), size=UNIT).svgxml()
    except Exception as error:  # the library asserts what it cannot draw
        raise FormulaError(f"the formula “{tex}” cannot be drawn for print") from error
    return drawn
