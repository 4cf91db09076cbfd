"""A formula in every form it is met in: running text, MathML, outlines for print, spoken words.

`parse` reads the author's TeX once, into the tree of `tex`; `text_html`, `mathml` and `svg` set it:
as `running` text, as MathML or in `outlines`, with the `signs` and the `spacing` all share. `speech`
says it in words. The forms share one tree, so they cannot disagree. latex2mathml and ziamath are
imported on first use.
"""

from __future__ import annotations

import html
import re
from copy import deepcopy
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from report.formula.outlines import UNIT, decimal, outline
from report.formula.running import running_text
from report.formula.signs import GREEK
from report.formula.speech import speak
from report.formula.tex import FormulaError, tree

__all__ = ["Formula", "FormulaError", "FormulaSvg", "mathml", "parse", "plain", "svg", "text_html"]

MATHML = "http://www.w3.org/1998/Math/MathML"
_TAG = re.compile(r"<[^>]*>")
_SCRIPT = re.compile(r"<(sub|sup)>(.*?)</\1>")
SVG = "http://www.w3.org/2000/svg"
# Letters with ink under the baseline in mathematical italics, Greek ones by name.
DESCENDING = frozenset("fgjpqyQJ")
DESCENDING_GREEK = frozenset(
    {"beta", "gamma", "zeta", "eta", "mu", "xi", "rho", "phi", "chi", "psi"}
)


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


def plain(tex: str) -> str:
    """Write TeX as characters alone, `√d_k`, or what is not simple as it is spoken.

    What cannot be read as TeX stays as it is.
    """
    try:
        formula = parse(tex, display=False)
    except FormulaError:
        return tex
    if not formula.simple:
        return formula.spoken
    text = _SCRIPT.sub(_lowered, text_html(formula))
    return html.unescape(_TAG.sub("", text))


def _lowered(script: re.Match[str]) -> str:
    """Write an index or a power after its sign, in brackets where it is more than one letter."""
    text = html.unescape(_TAG.sub("", script[2]))
    return f"{'_' if script[1] == 'sub' else '^'}{text if len(text) == 1 else f'({text})'}"


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
    _level_subscripts(math)
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


def _level_subscripts(math: Element) -> None:
    """Hide a letter's descender from its subscript: p_i would sit lower than d_k beside it.

    MathML Core lowers a subscript by the depth of its base; TeX does not if the base is a letter.
    """
    for node in list(math.iter()):
        if node.tag not in ("msub", "msubsup"):
            continue
        letter = node[0].text or ""
        if letter in DESCENDING or GREEK.get(letter) in DESCENDING_GREEK:
            padded = Element("mpadded", depth="0")
            padded.append(node[0])
            node[0] = padded


def svg(formula: Formula, size_pt: float, *, color: str = "#000000") -> FormulaSvg:
    """Draw a formula as outlines of STIX Two Math for a type size of `size_pt`.

    Equal arguments give equal bytes, in any process. Raises FormulaError for a character without a glyph.
    """
    shapes, (x, y, width, height) = outline(formula.tex, formula.display)
    scale = size_pt / UNIT
    size = f'width="{decimal(width * scale)}pt" height="{decimal(height * scale)}pt"'
    box = " ".join(map(decimal, (x, y, width, height)))
    fill = html.escape(color)
    body = f'<svg xmlns="{SVG}" {size} viewBox="{box}" fill="{fill}">{shapes}</svg>'
    lengths = (round(length / UNIT, 4) for length in (width, height, y + height))
    return FormulaSvg(body.encode(), *lengths)
