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
from xml.etree.ElementTree import Element

from report.errors import shortened
from report.formula.signs import (
    ACCENTS,
    FUNCTIONS,
    GREEK,
    SAME_SIGN,
    SIGNS,
)
from report.formula.spacing import ROWS, SCRIPTS, core, is_fenced, kind, set_limits, space
from report.results import nearest

ARITY = {
    "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3,
    "mfrac": 2, "mroot": 2,
}  # fmt: skip
PLAIN = (None, "normal", "italic")  # variants that ask for no other character
LEAVES = ("mi", "mn", "mo", "mtext", "mspace")
KNOWN_TAGS = {
    "math", "mrow", *LEAVES, "msqrt", "mstyle", "mtable", "mtr", "mtd",
    *ARITY,
}  # fmt: skip
KNOWN_ATTRIBUTES = {
    "xmlns", "display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "form",
    "movablelimits", "largeop", "minsize", "maxsize", "width", "height", "accent",
    "columnalign", "columnspacing", "rowspacing",
}  # fmt: skip
FONTS = (r"\mathrm", r"\mathbf", r"\mathbb", r"\mathcal", r"\mathit")
GRIDS = (
    "matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "cases",
    "split", "align", "align*", "aligned",
)  # fmt: skip
DEEPEST = 30  # braces in braces

SENTENCES = {
    "NumeratorNotFoundError": "a fraction has no numerator",
    "DenominatorNotFoundError": "a fraction has no denominator",
    "ExtraLeftOrMissingRightError": r"\left and \right do not pair up",
    "MissingSuperScriptOrSubscriptError": "a ^ or _ has nothing to raise or lower",
    "DoubleSubscriptsError": "two subscripts follow each other without braces",
    "DoubleSuperscriptsError": "two superscripts follow each other without braces",
    "NoAvailableTokensError": "a command lacks its argument",
    "MissingEndError": r"a \begin has no \end",
    "LimitsMustFollowMathOperatorError": r"\limits must follow an operator such as \sum",
}


class FormulaError(ValueError):
    """TeX that cannot be set; the message says why to the author and names the command."""


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
    set_limits(math, display)
    space(math, script=False)
    if not "".join(math.itertext()).strip():
        raise _fail(tex, "it holds nothing but space")
    return math


# --- the author's text ---------------------------------------------------------------------------


def _fail(tex: str, what: str) -> FormulaError:
    return FormulaError(f"the formula “{shortened(tex.strip())}” cannot be set: {what}")


def _check_source(tex: str) -> None:
    """Find what can be told from the text alone: nothing there, unbalanced braces, and the like."""
    bare = re.sub(r"\\[\\{}$%]", "  ", tex)
    if not bare.strip():
        raise FormulaError("an empty formula cannot be set")
    if "$" in bare:
        raise _fail(tex, "a dollar sign stands inside it")
    if "%" in bare:
        raise _fail(tex, "a % would hide what follows it, and is written \\%")
    if macro := re.search(r"\\(def|newcommand|renewcommand|DeclareMathOperator)\b", bare):
        raise _fail(tex, f"{macro[0]} makes a macro, and a formula cannot keep one")
    for font in re.findall(r"\\math[a-z]+", bare):  # the library takes any such name for a font
        if font not in FONTS:
            raise _fail(tex, _unknown(font))
    opened = re.findall(r"\\begin\s*\{(.*?)\}", bare)
    if sorted(opened) != sorted(re.findall(r"\\end\s*\{(.*?)\}", bare)):
        raise _fail(tex, r"its \begin and \end do not pair up")
    for name in opened:
        if name not in GRIDS:
            near = nearest(name, GRIDS)
            raise _fail(tex, f"there is no \\begin{{{name}}}{near}")
    _check_braces(tex, bare)


def _check_braces(tex: str, bare: str) -> None:
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            raise _fail(tex, "a closing brace } has no opening brace {")
        if depth > DEEPEST:
            raise _fail(tex, "its braces lie too deep in each other")
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
        if node.tag not in KNOWN_TAGS:
            raise _fail(tex, f"it needs <{node.tag}>, which has no spoken form here")
        if strange := sorted(set(node.attrib) - KNOWN_ATTRIBUTES):
            raise _fail(tex, f"it asks for {strange[0]}, which cannot be set here")
        if node.tag in LEAVES and len(node):
            raise _fail(tex, r"it makes an operator by \mathop, not \operatorname")
        if node.tag == "mtable" and not all(len(row) for row in node[:] or [node]):
            raise _fail(tex, "a matrix is empty")
        if len(node) != ARITY.get(node.tag, len(node)) or (node.tag == "msqrt" and not len(node)):
            raise _fail(tex, f"{_command_of(node.tag)} lacks an argument")


def _command_of(tag: str) -> str:
    names = {"mfrac": r"\frac", "mroot": r"\sqrt", "msqrt": r"\sqrt", "mover": "an accent"}
    return names.get(tag, "a ^ or _")


def _unknown(command: str) -> str:
    from latex2mathml.commands import CONVERSION_MAP  # noqa: PLC0415 - heavy
    from latex2mathml.symbols_parser import SYMBOLS  # noqa: PLC0415 - heavy

    name = command[1:]
    if name in FUNCTIONS:
        return f"the command {command} is unknown (did you mean \\operatorname{{{name}}}?)"
    spoken = {*SIGNS, *GREEK}
    letters = [tex for tex, code in SYMBOLS.items() if chr(int(code, 16)) in spoken]
    known = sorted({*CONVERSION_MAP, *FONTS, *letters})
    near = difflib.get_close_matches(command, known, n=1, cutoff=0.75)
    hint = f" (did you mean {near[0]}?)" if near else ""
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
        settled = node.tag == "mn" and "mathvariant" not in node.attrib
        if node.tag in ("mi", "mn", "mo") and node not in accents and not settled:
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
    elif re.fullmatch(r"\.?\d+", text) and variant in PLAIN:
        node.tag = "mn"
    elif len(text) > 1 and text.isalpha():
        node.tag = "mi"
    elif _is_letter(text) or re.fullmatch(r"[\d.]+", text):  # a bold 1 is the name of something
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
    plain = unicodedata.normalize("NFKC", text)
    return len(text) == 1 and (plain in GREEK or (plain.isascii() and plain.isalpha()))


def _varied(letter: str, variant: str | None, tex: str) -> str:
    """Give a bold or double-struck letter or digit its own character: browsers ignore `mathvariant`."""
    if variant in PLAIN:
        return letter
    if len(letter) > 1:
        raise _fail(tex, f"{letter} has no {variant} form")
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


def _opens(node: Element, group: list[Element], later: list[Element]) -> bool:
    """Say whether a sign opens a group; a bar does if another follows and none is open."""
    if kind(node) != "bar" or (group and group[0].text == node.text):
        return kind(node) == "open"
    depth = 0
    for other in later:
        depth += (kind(other) == "open") - (kind(core(other)) == "close")
        if depth < 0:
            return False
        if depth == 0 and core(other).text == node.text:
            return True
    return False


def _closes(node: Element, opening: Element) -> bool:
    end = core(node)
    if kind(opening) == "bar":
        return end.tag == "mo" and end.text == opening.text
    return kind(end) == "close"


def _grouped(group: list[Element], closing: Element) -> Element:
    """Return `<mrow>( … )</mrow>`, and hang the closing bracket's scripts on the whole of it."""
    row = Element("mrow")
    row.extend([*group, core(closing)])
    if kind(group[0]) == "bar":
        group[0].set("form", "prefix")
        core(closing).set("form", "postfix")
    if closing.tag not in SCRIPTS:
        return row
    holder = closing
    while holder[0].tag in SCRIPTS:
        holder = holder[0]
    holder[0] = row
    return closing
