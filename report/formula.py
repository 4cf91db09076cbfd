"""A formula in every form it is met in: running text, MathML, outlines for print, spoken words.

`parse` reads the author's TeX once; `text_html`, `mathml` and `svg` set it. The forms share one
tree (`report.tex`), so they cannot disagree. latex2mathml and ziamath are imported on first use.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from report.running import running_text
from report.speech import speak
from report.tex import FormulaError, tree

__all__ = ["Formula", "FormulaError", "FormulaSvg", "mathml", "parse", "svg", "text_html"]

MATHML = "http://www.w3.org/1998/Math/MathML"
SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True)
class Formula:
    """One formula as the author wrote it, and what was found out about it."""

    tex: str  # without dollars
    display: bool  # on a line of its own
    simple: bool  # can be set as running text
    spoken: str  # "the square root of d sub k"


@dataclass(frozen=True)
class FormulaSvg:
    """A formula as outlines; lengths in em of the size at which it is set.

    In CSS: `width: {width_em}em; height: {height_em}em; vertical-align: -{depth_em}em`.
    """

    svg: bytes
    width_em: float
    height_em: float  # whole height, from the lowest to the highest ink
    depth_em: float  # the part of it below the baseline


def parse(tex: str, *, display: bool) -> Formula:
    """Read TeX; raise FormulaError, one sentence, where it cannot be set or read aloud."""
    math = tree(tex, display)
    return Formula(tex, display, running_text(math) is not None, speak(math))


def text_html(formula: Formula) -> str:
    """Set a simple formula as running text; raise ValueError for one that is not simple."""
    text = running_text(tree(formula.tex, formula.display))
    if text is None:
        raise ValueError(f"The formula “{formula.tex}” is not simple enough for running text.")
    return f'<span class="sym">{text}</span>'


def mathml(formula: Formula) -> str:
    """Set a formula as MathML Core, its TeX and its spoken words inside."""
    math = Element("math", xmlns=MATHML, display="block" if formula.display else "inline")
    math.set("alttext", formula.spoken)
    semantics = SubElement(math, "semantics")
    row = SubElement(semantics, "mrow")
    row.extend(deepcopy(list(tree(formula.tex, formula.display))))
    if len(row) == 1 and row[0].tag == "mrow":
        semantics[0] = row[0]
    _align_cells(math)
    note = SubElement(semantics, "annotation", encoding="application/x-tex")
    note.text = formula.tex
    return tostring(math, encoding="unicode")


def _align_cells(math: Element) -> None:
    """Say in CSS how cells align: MathML Core dropped the attribute that says it."""
    for cell in math.iter("mtd"):
        if side := cell.attrib.pop("columnalign", ""):
            cell.set("style", f"text-align:{side}")
    for table in math.iter("mtable"):
        if table.attrib.pop("columnspacing", ""):
            for cell in table.iter("mtd"):
                cell.set("style", f"{cell.get('style', '')};padding-left:0;padding-right:0")


# --- print ---------------------------------------------------------------------------------------

UNIT = 24.0  # the size at which ziamath draws, in its own units: that of the font it has loaded
MARGIN = 0.04 * UNIT  # left and right of the ink, in the place of the side bearings
DIGITS = 2  # decimals of a coordinate: 0.0004 em, far below what a printer resolves
ZIAMATH_EM = 1.333 * 1.000002  # ziamath takes one em for 1.333 times the size of the type
DRAWING = "1"  # raise it when the way of drawing changes, so that no old outline is taken


class Outline(NamedTuple):
    """A formula drawn at `UNIT`, baseline at y = 0."""

    shapes: str  # SVG elements without color
    box: tuple[float, float, float, float]  # x, y, width, height


def svg(
    formula: Formula, size_pt: float, *, color: str = "#000000", folder: Path | None = None
) -> FormulaSvg:
    """Draw a formula as outlines of STIX Two Math for a type size of `size_pt`.

    Equal arguments give equal bytes, in any process. With a `folder`, drawings are kept there by
    what they show, and taken from there. Raises FormulaError for a character without a glyph.
    """
    shapes, (x, y, width, height) = _outline(formula.tex, formula.display, folder)
    scale = size_pt / UNIT
    size = f'width="{_number(width * scale)}pt" height="{_number(height * scale)}pt"'
    box = " ".join(map(_number, (x, y, width, height)))
    fill = html.escape(color)
    body = f'<svg xmlns="{SVG}" {size} viewBox="{box}" fill="{fill}">{shapes}</svg>'
    lengths = (round(length / UNIT, 4) for length in (width, height, y + height))
    return FormulaSvg(body.encode(), *lengths)


def _number(value: float) -> str:
    text = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@cache
def _outline(tex: str, display: bool, folder: Path | None) -> Outline:
    math = _for_ziamath(tree(tex, display))
    if folder is None:
        return _draw(math, tex)
    key = hashlib.sha256(f"{DRAWING} {_ziamath_version()} {tostring(math)!r}".encode()).hexdigest()
    kept = folder / f"{key[:32]}.svg"
    if kept.exists() and (outline := _read(kept)):
        return outline
    outline = _draw(math, tex)
    _keep(outline, kept)
    return outline


def _read(path: Path) -> Outline | None:
    """Return a kept drawing, or None if the file is not one (cut short, for instance)."""
    match = re.fullmatch(r'<svg [^>]*viewBox="([^"]*)">(.*)</svg>', path.read_text("utf-8"))
    if not match:
        return None
    x, y, width, height = map(float, match[1].split())
    return Outline(match[2], (x, y, width, height))


def _keep(outline: Outline, path: Path) -> None:
    """Write beside the target and rename, so that a reader never sees half a drawing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    box = " ".join(map(_number, outline.box))
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(f'<svg xmlns="{SVG}" viewBox="{box}">{outline.shapes}</svg>', "utf-8")
    beside.replace(path)


def _ziamath_version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - only print needs it

    return version("ziamath")


def _for_ziamath(math: Element) -> Element:
    """Return a copy of the tree in the dialect in which ziamath sets it as MathML Core would.

    Measured with ziamath 0.13: it pads names of several letters, takes letters that are also
    operators for operators, and adds its own space around fractions.
    """
    math = deepcopy(math)
    for node in math.iter():
        if node.tag == "mi" and len(node.text or "") > 1:
            node.tag = "mtext"
        if node.tag == "mi":
            node.set("lspace", "0")
            node.set("rspace", "0")
        for name in ("lspace", "rspace", "width", "minsize", "maxsize"):
            if match := re.fullmatch(r"(-?[\d.]+)em", node.get(name, "")):
                node.set(name, f"{float(match[1]) / ZIAMATH_EM:.4f}em")
    for row in list(math.iter()):
        _cancel_fraction_space(row)
    return math


def _cancel_fraction_space(row: Element) -> None:
    """Take back the thin space that ziamath puts on both sides of a fraction in a row."""
    if not any(child.tag == "mfrac" for child in row) or row.tag not in ("math", "mrow", "mtd"):
        return
    children: list[Element] = []
    for child in row:
        back = Element("mspace", width="negativethinmathspace")
        children += [back, child, deepcopy(back)] if child.tag == "mfrac" else [child]
    row[:] = children


def _draw(math: Element, tex: str) -> Outline:
    drawing = _ziamath(math, tex)
    shapes = [element for element in drawing.iter() if element.tag in ("path", "rect")]
    for shape in shapes:
        shape.attrib.pop("fill", None)
        if "d" in shape.attrib:
            shape.set("d", re.sub(r" ?([A-Z]) ?", r"\1", shape.get("d", "")).strip())
    left, top, right, bottom = _ink(shapes)
    left, right = left - MARGIN, right + MARGIN
    text = "".join(tostring(shape, encoding="unicode").replace(" />", "/>") for shape in shapes)
    return Outline(text, (left, top, right - left, bottom - top))


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


def _ziamath(math: Element, tex: str) -> Element:
    """Return ziamath's drawing of a tree: the one place that knows the library."""
    from ziamath.config import config  # noqa: PLC0415 - heavy
    from ziamath.zmath import Math, loadedfonts  # noqa: PLC0415 - heavy

    font = loadedfonts["default"]
    for character in "".join(math.itertext()):
        if not character.isspace() and not font.glyphindex(character):
            raise FormulaError(
                f"The formula “{tex}” cannot be printed: the font has no {character}."
            )
    config.svg2 = False  # SVG 2 shares glyphs by id, and ids would clash on a page
    config.precision = DIGITS
    return Math(fromstring(tostring(math)), size=UNIT).svgxml()
