"""From TeX to one tidy MathML tree, which is set, drawn and read aloud: the door to latex2mathml.

latex2mathml gives a first tree; this module mends what would look or sound wrong (measured in
Chromium and ziamath): names in one piece and upright, brackets grouped with what they hold, limits
under their operator in display only, and the space around every sign as TeX has it (Knuth, The
TeXbook, chapter 18), written into the tree so that no renderer guesses.
"""

from __future__ import annotations

import difflib
import html
import re
import unicodedata
from functools import cache
from itertools import pairwise
from xml.etree.ElementTree import Element

from report.signs import (
    ACCENTS,
    EXPECTATION,
    GREEK,
    LIMIT_FUNCTIONS,
    SAME_SIGN,
    SETS,
    SIGNS,
)

THIN, MEDIUM, THICK = "0.1667em", "0.2222em", "0.2778em"

ARITY = {
    "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3,
    "mfrac": 2, "mroot": 2,
}  # fmt: skip
KNOWN_TAGS = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msqrt", "mstyle", "mtable", "mtr", "mtd",
    *ARITY,
}  # fmt: skip
ROWS = frozenset({"mrow", "math", "mtd", "msqrt", "mstyle"})
TALL = frozenset({"mfrac", "mtable", "munder", "munderover", "msqrt", "mroot"})
SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})

SENTENCES = {
    "NumeratorNotFoundError": "a fraction has no numerator",
    "DenominatorNotFoundError": "a fraction has no denominator",
    "ExtraLeftOrMissingRightError": r"\left and \right do not pair up",
    "MissingSuperScriptOrSubscriptError": "a ^ or _ has nothing to raise or lower",
    "DoubleSubscriptsError": "two subscripts follow each other; group them with braces",
    "DoubleSuperscriptsError": "two superscripts follow each other; group them with braces",
    "NoAvailableTokensError": "a command lacks its argument",
    "MissingEndError": r"a \begin has no \end",
    "LimitsMustFollowMathOperatorError": r"\limits must follow an operator such as \sum",
}


class FormulaError(ValueError):
    """TeX that cannot be set; the message is one sentence for the author and names the command."""


@cache
def tree(tex: str, display: bool) -> Element:
    """Return the tidy `<math>` of one formula; it is shared, so copy it before changing it.

    Raises FormulaError for TeX that cannot be set or has no words to read it by.
    """
    _check_source(tex)
    math = _convert(tex, display)
    _decode(math)
    _check(math, tex)
    _reshape(math)
    _words_and_signs(math, tex)
    _set_limits(math, display)
    _space(math, script=False)
    if all(node.tag in ("math", "mrow", "mspace") for node in math.iter()):
        raise _fail(tex, "it holds nothing but space")
    return math


# --- the author's text ---------------------------------------------------------------------------


def _fail(tex: str, what: str) -> FormulaError:
    return FormulaError(f"The formula “{tex.strip()}” cannot be set: {what}.")


def _check_source(tex: str) -> None:
    """Find what can be told from the text alone: nothing there, dollars, unbalanced braces."""
    bare = re.sub(r"\\[\\{}$]", "  ", tex)
    if not bare.strip():
        raise FormulaError("An empty formula cannot be set.")
    if "$" in bare:
        raise _fail(tex, "a dollar sign stands inside it")
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            raise _fail(tex, "a closing brace } has no opening brace {")
    if depth:
        raise _fail(tex, "an opening brace { is never closed")


def _convert(tex: str, display: bool) -> Element:
    from latex2mathml.converter import convert_to_element  # noqa: PLC0415 - heavy

    # One letter in \mathrm{d} would lose its upright form; a space before the brace keeps it.
    source = re.sub(r"\\math(rm|bf|bb|cal)\{", r"\\math\1 {", tex)
    source = source.replace("{aligned}", "{align*}")  # the same grid; only this name is known
    try:
        return convert_to_element(source, display="block" if display else "inline")
    except Exception as error:  # the library raises many kinds, some bare StopIteration
        what = SENTENCES.get(type(error).__name__, "it is not complete or not TeX that is known")
        raise _fail(tex, what) from error


def _decode(math: Element) -> None:
    """Turn the library's textual entities into the characters they mean."""
    for node in math.iter():
        if node.text:
            node.text = html.unescape(node.text)


# --- what is refused -----------------------------------------------------------------------------


def _check(math: Element, tex: str) -> None:
    for node in math.iter():
        text = node.text or ""
        if text.startswith("\\") and text != r"\arg":
            raise _fail(tex, _unknown(text))
        if node.tag == "mi" and text == "&":
            raise _fail(tex, "an & stands outside a matrix")
        if node.tag not in KNOWN_TAGS or node.get("href") or node.get("linebreak"):
            raise _fail(tex, f"it needs <{node.tag}>, which has no spoken form here")
        if len(node) != ARITY.get(node.tag, len(node)) or (node.tag == "msqrt" and not len(node)):
            raise _fail(tex, f"{_command_of(node.tag)} lacks an argument")


def _command_of(tag: str) -> str:
    names = {"mfrac": r"\frac", "mroot": r"\sqrt", "msqrt": r"\sqrt", "mover": "an accent"}
    return names.get(tag, "a ^ or _")


def _unknown(command: str) -> str:
    from latex2mathml.commands import CONVERSION_MAP  # noqa: PLC0415 - heavy
    from latex2mathml.symbols_parser import SYMBOLS  # noqa: PLC0415 - heavy

    known = [name for name in (*CONVERSION_MAP, *SYMBOLS) if name.startswith("\\")]
    near = difflib.get_close_matches(command, known, n=1)
    hint = f"; did you mean {near[0]}" if near else ""
    return f"the command {command} is unknown{hint}"


# --- shape: one element for one thing ------------------------------------------------------------


def _reshape(node: Element) -> None:
    for child in node:
        _reshape(child)
    node[:] = [_unwrapped(child) for child in node if not _is_empty(child)]
    if node.tag in ROWS:
        _join_names(node)
        _join_numbers(node)


def _is_empty(node: Element) -> bool:
    """A delimiter `\\left.` that draws nothing; empty groups stay, for they may carry a script."""
    return node.tag == "mo" and not (node.text or "").strip() and not len(node)


def _unwrapped(node: Element) -> Element:
    comma = len(node) == 1 and node[0].text == ","  # {,} is TeX's comma without a space
    return node[0] if node.tag == "mrow" and len(node) == 1 and not comma else node


def _join_names(row: Element) -> None:
    r"""Make `\mathrm{softmax}`, seven letters for the library, one name."""
    kept: list[Element] = []
    for node in row:
        last = kept[-1] if kept else None
        normal = node.tag == "mi" and node.get("mathvariant") == "normal"
        if normal and last is not None and last.get("mathvariant") == "normal":
            last.text = (last.text or "") + (node.text or "")
        else:
            kept.append(node)
    for node in kept:
        if node.get("mathvariant") == "normal" and len(node.text or "") > 1:
            del node.attrib["mathvariant"]  # several letters are upright by themselves
    row[:] = kept


def _join_numbers(row: Element) -> None:
    """Make `1{,}024` one number."""
    kept: list[Element] = []
    nodes = list(row)
    while nodes:
        node = nodes.pop(0)
        if node.tag == "mrow" and len(node) == 1 and node[0].text == ",":
            if kept and kept[-1].tag == "mn" and nodes and nodes[0].tag == "mn":
                kept[-1].text = f"{kept[-1].text},{nodes.pop(0).text}"
                continue
            node = node[0]
        kept.append(node)
    row[:] = kept


# --- letters, names and signs --------------------------------------------------------------------


def _words_and_signs(math: Element, tex: str) -> None:
    accents = {node[1] for node in math.iter("mover") if (node[1].text or "") in ACCENTS}
    for node in math.iter():
        if node.tag in ("mi", "mo") and node not in accents:
            _settle(node, tex)
    for accent in accents:
        accent.attrib.clear()
        accent.set("stretchy", "false")
    for node in math.iter("mover"):
        if node[1] in accents:
            node.set("accent", "true")
    for node in list(math.iter()):
        _pair_fences(node)


def _settle(node: Element, tex: str) -> None:
    """Give one leaf its right tag: a name or letter is `mi`, a sign `mo`, a mark `mi`."""
    text = (node.text or "").strip().lstrip("\\").replace("\u2009", "").replace("\u2006", "")
    text = SAME_SIGN.get(text, text)
    variant = node.attrib.pop("mathvariant", None)
    if sign := SIGNS.get(text):
        node.tag = "mi" if sign.kind == "ordinary" else "mo"
    elif re.fullmatch(r"\.?\d+", text):
        node.tag = "mn"
    elif len(text) > 1 and text.isalpha():
        node.tag = "mi"
    elif _is_letter(text):
        upright = variant == "normal" or node.tag == "mo"  # \operatorname{E} too
        node.tag, text = "mi", _varied(text, variant, tex)
        if upright:
            node.set("mathvariant", "normal")
    elif text:
        raise _fail(tex, f"the sign {text} has no words to read it by")
    node.text = text
    if node.get("movablelimits") == "true" and text not in SIGNS:
        node.set("limits", "true")
    for name in ("fence", "form", "movablelimits"):
        if not (name == "form" and node.get("stretchy") == "true"):
            node.attrib.pop(name, None)
    if node.tag == "mi":
        node.attrib.pop("stretchy", None)


def _is_letter(text: str) -> bool:
    return len(text) == 1 and (text.isalpha() or text in GREEK or text in SETS)


def _varied(letter: str, variant: str | None, tex: str) -> str:
    """Give a bold or double-struck letter its own character: browsers ignore `mathvariant`."""
    if variant in (None, "normal", "italic"):
        return letter
    plain = unicodedata.name(letter).replace("LATIN ", "").replace("GREEK ", "")
    name = f"{variant.upper().replace('BOLD-', 'BOLD ')} {plain.replace('LETTER ', '')}"
    for full in (f"MATHEMATICAL {name}", name):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            continue
    raise _fail(tex, f"{letter} has no {variant} form")


# --- brackets ------------------------------------------------------------------------------------


def _pair_fences(row: Element) -> None:
    """Group every bracket or bar with what it holds, so that scripts and words see one thing."""
    if row.tag not in ROWS:
        return
    nodes = list(row)
    if is_fenced(row) and row[0].get("form") == "prefix":  # \\left and \\right did it already
        row[1:-1] = _pair(nodes[1:-1])
    else:
        row[:] = _pair(nodes)
        if row.tag == "mrow" and len(row) == 1 and row[0].tag == "mrow":
            row[:] = list(row[0])  # the row was one group


def _pair(nodes: list[Element]) -> list[Element]:
    stack: list[list[Element]] = [[]]
    for index, node in enumerate(nodes):
        if _opens(node, stack[-1], nodes[index + 1 :]):
            stack.append([node])
        elif len(stack) > 1 and _closes(node, stack[-1][0]):
            group = stack.pop()
            stack[-1].append(_grouped(group, node))
        else:
            stack[-1].append(node)
    return [node for part in stack for node in part]


def _kind(node: Element | None) -> str:
    sign = SIGNS.get(node.text or "") if node is not None and node.tag in ("mo", "mi") else None
    return sign.kind if sign else ""


def core(node: Element) -> Element:
    """Return what a script hangs on, or the element itself."""
    while node.tag in SCRIPTS:
        node = node[0]
    return node


def _opens(node: Element, group: list[Element], later: list[Element]) -> bool:
    """Say whether a sign opens a group; a bar does if another follows and none is open."""
    kind = _kind(node)
    if kind != "bar" or (group and group[0].text == node.text):
        return kind == "open"
    depth = 0
    for other in later:
        depth += (_kind(other) == "open") - (_kind(core(other)) == "close")
        if depth < 0:
            return False
        if depth == 0 and core(other).text == node.text:
            return True
    return False


def _closes(node: Element, opening: Element) -> bool:
    end = core(node)
    if _kind(opening) == "bar":
        return end.tag == "mo" and end.text == opening.text
    return _kind(end) == "close"


def _grouped(group: list[Element], closing: Element) -> Element:
    """Return `<mrow>( … )</mrow>`, and hang the closing bracket's scripts on the whole of it."""
    row = Element("mrow")
    row.extend([*group, core(closing)])
    if _kind(group[0]) == "bar":
        group[0].set("form", "prefix")
        core(closing).set("form", "postfix")
    if closing.tag not in SCRIPTS:
        return row
    holder = closing
    while holder[0].tag in SCRIPTS:
        holder = holder[0]
    holder[0] = row
    return closing


def is_fenced(node: Element) -> bool:
    """Say whether a row is a bracketed group: `( … )`, `\\left[ … \\right]`, a matrix."""
    if node.tag != "mrow" or len(node) < 2:  # noqa: PLR2004 - a group has an opening and a closing
        return False
    first, last = _kind(node[0]), _kind(node[-1])
    return (first == "open" and last == "close") or (first == "bar" and last == "bar")


# --- limits and space ----------------------------------------------------------------------------


def is_name(node: Element) -> bool:
    """Say whether an element is a named function such as softmax or max."""
    return node.tag == "mi" and (len(node.text or "") > 1 or node.text == EXPECTATION)


def _set_limits(node: Element, display: bool) -> None:
    """Put ranges under the operator in display and beside it elsewhere, as TeX does."""
    if node.tag in ("msub", "msubsup", "munder", "munderover") and _takes_limits(node[0]):
        under = {"msub": "munder", "msubsup": "munderover"}
        beside = {"munder": "msub", "munderover": "msubsup"}
        node.tag = (under if display else beside).get(node.tag, node.tag)
    node.attrib.pop("limits", None)
    for index, child in enumerate(node):
        inherited = display and not _shrinks(node, index)
        explicit = child.get("displaystyle") if child.tag == "mstyle" else None
        _set_limits(child, inherited if explicit is None else explicit == "true")


def _takes_limits(node: Element) -> bool:
    text = node.text or ""
    return text in ("∑", "∏") or text in LIMIT_FUNCTIONS or node.get("limits") == "true"


def _shrinks(node: Element, index: int) -> bool:
    """Say whether a child is set in text style though its parent is set in display style."""
    return node.tag in ("mfrac", "mtable") or (node.tag in SCRIPTS and index > 0)


def _space(node: Element, script: bool) -> None:
    for index, child in enumerate(node):
        _space(child, script or (node.tag in SCRIPTS and index > 0))
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
        if _kind(node) == "binary":
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
        return "prefix" if node.get("form") == "prefix" and _kind(node) == "binary" else _kind(node)
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
