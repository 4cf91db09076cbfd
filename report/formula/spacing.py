"""What a MathML tree says about its own layout: kinds, groups, limits, and TeX's space."""

from __future__ import annotations

from itertools import pairwise
from xml.etree.ElementTree import Element

from report.formula.signs import EXPECTATION, LIMIT_FUNCTIONS, SIGNS

THIN, MEDIUM, THICK = "0.1667em", "0.2222em", "0.2778em"

ROWS = frozenset({"mrow", "math", "mtd", "msqrt", "mstyle"})
TALL = frozenset({"mfrac", "mtable", "munder", "munderover", "msqrt", "mroot"})
SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})


def kind(node: Element | None) -> str:
    """Return what kind of sign an element is, or "" for anything else."""
    sign = SIGNS.get(node.text or "") if node is not None and node.tag in ("mo", "mi") else None
    return sign.kind if sign else ""


def core(node: Element) -> Element:
    """Return what a script hangs on, or the element itself."""
    while node.tag in SCRIPTS:
        node = node[0]
    return node


def is_fenced(node: Element) -> bool:
    """Say whether a row is a bracketed group: `( … )`, `\\left[ … \\right]`, a matrix."""
    if node.tag != "mrow" or len(node) < 2:  # noqa: PLR2004 - a group has an opening and a closing
        return False
    first, last = kind(node[0]), kind(node[-1])
    return (first == "open" and last == "close") or (first == "bar" and last == "bar")


def is_name(node: Element) -> bool:
    """Say whether an element is a named function such as softmax or max."""
    return node.tag == "mi" and (len(node.text or "") > 1 or node.text == EXPECTATION)


def set_limits(node: Element, display: bool) -> None:
    """Put ranges under the operator in display and beside it elsewhere, as TeX does."""
    if node.tag in ("msub", "msubsup", "munder", "munderover") and _takes_limits(node[0]):
        under = {"msub": "munder", "msubsup": "munderover"}
        beside = {"munder": "msub", "munderover": "msubsup"}
        node.tag = (under if display else beside).get(node.tag, node.tag)
    node.attrib.pop("limits", None)
    for index, child in enumerate(node):
        inherited = display and not shrinks(node, index)
        explicit = child.get("displaystyle") if child.tag == "mstyle" else None
        set_limits(child, inherited if explicit is None else explicit == "true")


def _takes_limits(node: Element) -> bool:
    text = node.text or ""
    return text in ("∑", "∏") or text in LIMIT_FUNCTIONS or node.get("limits") == "true"


def shrinks(node: Element, index: int) -> bool:
    """Say whether a child is set in text style though its parent is set in display style."""
    return node.tag in ("mfrac", "mtable") or (node.tag in SCRIPTS and index > 0)


def space(node: Element, *, script: bool) -> None:
    """Write TeX's space into every row of a tree; none inside scripts."""
    for index, child in enumerate(node):
        space(child, script=script or (node.tag in SCRIPTS and index > 0))
    for mo in node:
        if mo.tag == "mo":
            mo.set("lspace", "0")
            mo.set("rspace", "0")
    if node.tag in ROWS:
        _mark_signs(node)
        if not script:
            _space_row(node)


def _mark_signs(row: Element) -> None:
    """Tell a sign of a value (−1) from a subtraction, for the renderers and the reader."""
    before = "open"
    for node in row:
        if node.tag == "mspace":
            continue
        if kind(node) == "binary":
            unary = before in ("open", "relation", "binary", "slash", "punctuation", "large")
            node.set("form", "prefix" if unary else "infix")
        before = edge(node, last=True)


def edge(node: Element, *, last: bool) -> str:
    """Return the TeX class an element shows to its neighbor: on its right side if `last`."""
    if is_fenced(node):
        return "inner" if _is_tall(node) else ("close" if last else "open")
    node = core(node)
    if is_name(node):
        return "name"
    if node.tag == "mo":
        return "prefix" if node.get("form") == "prefix" and kind(node) == "binary" else kind(node)
    return "inner" if node.tag in ("mfrac", "mtable") else "ordinary"


OPERATORS = ("large", "name")
FOLLOWERS = {  # a thin space stands between the first and any of the others
    "punctuation": ("ordinary", "inner", "open", "bar", "prefix", *OPERATORS),
    "large": ("ordinary", "inner", *OPERATORS),
    "name": ("ordinary", "inner", *OPERATORS),
    "inner": ("ordinary", "inner", "open", *OPERATORS),
    "ordinary": ("inner", *OPERATORS),
    "close": ("inner", *OPERATORS),
    "after": OPERATORS,
}


def _is_tall(group: Element) -> bool:
    """Say whether brackets grew with what they hold; such a group stands off from its neighbors."""
    grown = group[0].get("stretchy") != "false"
    return grown and any(node.tag in TALL for node in group.iter())


def gap(left: str, right: str) -> str:
    """Return the space TeX puts between two classes ("0" if none)."""
    if "relation" in (left, right):
        return THICK if left != "open" and right != "close" else "0"
    if "binary" in (left, right):
        return MEDIUM
    return THIN if right in FOLLOWERS.get(left, ()) else "0"


def _space_row(row: Element) -> None:
    spaced: list[Element] = list(row[:1])
    for left, right in pairwise(list(row)):
        width = "0"
        if "mspace" not in (left.tag, right.tag):
            width = gap(edge(left, last=True), edge(right, last=False))
        if width != "0" and left.tag == "mo":
            left.set("rspace", width)
        elif width != "0" and right.tag == "mo":
            right.set("lspace", width)
        elif width != "0":
            spaced.append(Element("mspace", width=width))
        spaced.append(right)
    row[:] = spaced
