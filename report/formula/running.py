"""Simple formulas as running text: letters, numbers and a few signs in the paragraph's type."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from report.formula.signs import GREEK
from report.formula.spacing import core, is_name, kind

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# TeX's medium space is 0.222 em; the no-break space of the text face has 0.234, its thin one 0.125.
SPACE, THIN_SPACE = "\u00a0", "\u202f"
BREAK = "\u2060"  # stands, while a formula is put together, where a long one may break: as in TeX
SHORT = 14  # characters up to which a formula stays on one line

LEANING = re.compile(r"<i>(\w+)</i><(su[bp])><i>(\w+)</i></\2>")  # both can be set as one
# What the text faces have a glyph for; any other sign is left to the mathematics face.
PRIME = "\N{PRIME}"
SIGNS_IN_TEXT = frozenset("=<>≤≥≈≠+−±·×÷/,()[]%∞→" + PRIME)
GREEK_IN_TEXT = frozenset(GREEK) - frozenset("ϵϑϱϕ")


def running_text(math: Element) -> str | None:
    """Return a formula as HTML of letters, `<i>`, `<sub>` and `<sup>`, or None if it needs more.

    `math` is the tree of `report.formula.tex.tree`. Variables are italic, digits and names upright.
    """
    parts = [_text(node, script=False) for node in math]
    if any(part is None for part in parts):
        return None
    text = re.sub(r"</i><i>", "", "".join(part or "" for part in parts))
    text = LEANING.sub(r"<i>\1<\2>\3</\2></i>", text)
    length = len(html.unescape(re.sub(r"<[^>]*>", "", text)))
    return text.replace(f"{BREAK}{SPACE}", SPACE if length <= SHORT else " ").replace(BREAK, "")


def _text(node: Element, *, script: bool) -> str | None:
    if node.tag in ("mi", "mn", "mo", "mtext"):
        return _leaf(node, script=script)
    if node.tag == "mspace":
        return SPACE
    if node.tag in ("msub", "msup"):
        return _script(node) if not script else None
    if node.tag == "msqrt":
        return _root(node) if not script else None
    return _row(node, script=script) if node.tag == "mrow" else None


def _row(node: Element, *, script: bool) -> str | None:
    parts = [_text(child, script=script) for child in node]
    return None if any(part is None for part in parts) else "".join(part or "" for part in parts)


def _leaf(node: Element, *, script: bool) -> str | None:
    text = node.text or ""
    if node.tag == "mo":
        return _sign(node) if text in SIGNS_IN_TEXT else None
    if node.tag == "mi" and not is_name(node):
        return _letter(node)
    plain = re.fullmatch(r"[A-Za-z0-9.,]+", text) if node.tag != "mtext" else script
    return html.escape(text) if plain else None


def _letter(node: Element) -> str | None:
    text = node.text or ""
    if text in SIGNS_IN_TEXT:
        return html.escape(text)
    if not (text in GREEK_IN_TEXT or re.fullmatch("[A-Za-z]", text)):
        return None
    upright = node.get("mathvariant") == "normal" or (text in GREEK and text.isupper())
    return text if upright else f"<i>{text}</i>"


def _sign(node: Element) -> str:
    text = html.escape(node.text or "")
    before, after = (node.get(name, "0") != "0" for name in ("lspace", "rspace"))
    if text == ",":
        return ", " if after else ","
    blank = THIN_SPACE if text == "·" else SPACE
    mark = BREAK if kind(node) == "relation" else ""
    return f"{blank if before else ''}{text}{mark}{blank if after else ''}"


def _script(node: Element) -> str | None:
    base, raised = _text(node[0], script=False), node[1]
    if base is None or node[0].tag not in ("mi", "mn", "mrow"):
        return None
    inside = _text(raised, script=True)
    if inside is None:
        return None
    if raised.text == PRIME:
        return base + PRIME
    tag = "sub" if node.tag == "msub" else "sup"
    return f"{base}<{tag}>{inside}</{tag}>"


def _root(node: Element) -> str | None:
    """Set √ without a bar before one short symbol: a letter or number, perhaps with a subscript."""
    short = len(node) == 1 and node[0].tag in ("mi", "mn", "msub") and not is_name(core(node[0]))
    inside = _text(node[0], script=False) if short else None
    return None if inside is None else f"√{inside}"
