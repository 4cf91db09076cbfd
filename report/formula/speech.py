"""From a tidy MathML tree to the words a person would say, for `alt`, `alttext` and the text.

Grouping that the eye reads from the page is said aloud only where silence would be ambiguous:
"the quantity … end quantity", "end root", "end fraction", or a comma. A relation, a comma and the
end of the formula close everything by themselves. The wording follows the habits of MathSpeak and
of Chang, Handbook for Spoken Mathematics (1983).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from report.formula.signs import (
    ACCENTS,
    EXPECTATION,
    FUNCTIONS,
    GREEK,
    LIMIT_FUNCTIONS,
    MARKS,
    SETS,
    SIGNS,
)
from report.formula.spacing import core, edge, is_fenced, is_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

SCRIPTED = ("msub", "msup", "msubsup", "munder", "mover", "munderover")
SEPARATORS = (",", ";", "given", "relative to")  # they make a bracket a list of arguments
POWERS = {"2": "squared", "3": "cubed"}
LOOSE = (" plus ", " minus ", " times ", " over ", " of ", " to ")  # signs of a longer term
SHARES = {
    ("1", "2"): "one half", ("1", "3"): "one third", ("2", "3"): "two thirds",
    ("1", "4"): "one quarter", ("3", "4"): "three quarters", ("1", "8"): "one eighth",
}  # fmt: skip
STYLES = {"BOLD": "bold", "SCRIPT": "script", "DOUBLE-STRUCK": "blackboard", "": "styled"}
HOLDS = {"⌊": "the floor of", "⌈": "the ceiling of", "{": "the set", "⟨": "the inner product of"}


@dataclass(frozen=True)
class Phrase:
    """Words, and the `tail` that must follow them if more of the same term comes after."""

    words: str
    tail: str = ""
    atom: bool = False  # one letter, number or mark, perhaps with a plain subscript


def speak(math: Element) -> str:
    """Return the formula as one phrase without a final full stop.

    `math` is the tree of `report.formula.tex.tree`. Example: `\\sqrt{d_k}` is read
    "the square root of d sub k".
    """
    words = _row(list(math)).words
    return re.sub(r"\s+([,;])", r"\1", re.sub(r"\s+", " ", words)).strip()


# --- rows ----------------------------------------------------------------------------------------


def _row(nodes: list[Element]) -> Phrase:
    """Say elements side by side, adding "times", "of" and the pauses between them."""
    nodes = [node for node in nodes if node.tag != "mspace"]
    if len(nodes) == 1:
        return _node(nodes[0])
    parts: list[str] = []
    tail, scope, index = "", False, 0
    while index < len(nodes):
        node = nodes[index]
        taken, phrase = _next_term(nodes, index)
        if parts and not parts[-1].endswith(" of"):
            parts.append(_between(nodes[index - 1], node, tail, scope))
        parts.append(phrase.words)
        if _class(node) == "relation" or _additive(node):
            scope = False
        scope, tail, index = scope or phrase.words.endswith(" of"), phrase.tail, index + taken
    return Phrase(" ".join(part for part in parts if part), tail)


def _next_term(nodes: list[Element], index: int) -> tuple[int, Phrase]:
    """Return how many elements the next phrase takes, and its words."""
    node, rest = nodes[index], nodes[index + 1 :]
    if node.text == "·" and 0 < index < len(nodes) - 1:
        numbers = "mn" in (nodes[index - 1].tag, rest[0].tag)
        return 1, Phrase("times" if numbers else "dot")
    if node.tag == "mn" and [item.text for item in rest[:1]] == ["/"] and len(rest) > 1:
        share = SHARES.get((node.text or "", rest[1].text or ""))
        return (3, Phrase(share, atom=True)) if share else (1, _node(node))
    if not (is_name(core(node)) or _class(node) == "large" or _is_call(node, rest)):
        return 1, _node(node)
    if rest and is_fenced(core(rest[0])) and _class(node) != "large":
        return 2, _applied(node, rest[0])
    if rest and _starts_operand(rest[0]):
        return 1, Phrase(f"{_node(node).words} of")
    return 1, _node(node)


def _applied(function: Element, group: Element) -> Phrase:
    said = _node(function).words
    inner = _row(list(core(group))[1:-1])
    words = f"{said} of {inner.words}"
    return _scripts(Phrase(words, ","), group) if group.tag in SCRIPTED else Phrase(words, ",")


def _is_call(node: Element, rest: list[Element]) -> bool:
    """Say whether a letter before brackets is a function: f(x), J(z), p(a, b); not p(1 − p)."""
    if core(node).tag != "mi" or _class(node) != "ordinary" or not rest:
        return False
    group = rest[0]
    if not is_fenced(group) or group[0].text not in ("(", "["):
        return False
    inside = [item for item in list(group)[1:-1] if item.tag != "mspace"]
    listed = any(_leaf(item).words in SEPARATORS for item in inside)
    return listed or core(node).text in ("f", "g", "h") or len(inside) == 1


def _class(node: Element) -> str:
    return edge(node, last=False)


def _additive(node: Element) -> bool:
    return node.tag == "mo" and node.text in ("+", "−", "±") and node.get("form") == "infix"


def _starts_operand(node: Element) -> bool:
    return _class(node) in ("ordinary", "inner", "name", "open", "large", "prefix")


def _between(before: Element, node: Element, tail: str, scope: bool) -> str:
    """Return what joins two neighbors: a pause, "times", or nothing."""
    kind = _class(node)
    if kind in ("relation", "punctuation"):
        return ""
    if kind in ("binary", "slash"):
        return tail or ("," if scope and _additive(node) else "")
    if not _starts_operand(node) or not _ends_operand(before):
        return tail
    letters = ("mi", "mn")
    plain = before.tag in letters and core(node).tag in letters and not is_name(core(node))
    return tail if plain else f"{tail} times"


def _ends_operand(node: Element) -> bool:
    mark = node.tag == "mi" and node.text in ("∂", "∇", "∀", "∃", "…", "⋯")
    return edge(node, last=True) in ("ordinary", "inner", "close", "after", "name") and not mark


# --- one element ---------------------------------------------------------------------------------


def _node(node: Element) -> Phrase:
    if is_fenced(node):
        return _fenced(node)
    if node.tag == "mrow" and len(node) and node[0].text == "{" and node[-1].tag == "mtable":
        return _cases(node[-1])
    handler = HANDLERS.get(node.tag)
    return handler(node) if handler else _row(list(node))


def _leaf(node: Element) -> Phrase:
    text = node.text or ""
    if node.tag == "mtext":
        return Phrase(text.replace("\u00a0", " "))
    if node.tag == "mn":
        return Phrase(text, atom=True)
    if sign := SIGNS.get(text):
        return Phrase(sign.words, atom=sign.kind == "ordinary")
    if text in FUNCTIONS and is_name(node):
        return Phrase(FUNCTIONS[text])
    if is_name(node):
        return Phrase(text)
    return Phrase(_letter(text), atom=True)


def _letter(letter: str) -> str:
    if letter in SETS or letter in GREEK:
        return SETS.get(letter) or GREEK[letter]
    plain = unicodedata.normalize("NFKC", letter)
    if plain == letter:
        return letter
    name = unicodedata.name(letter)
    return f"{next(said for part, said in STYLES.items() if part in name)} {plain}"


def _fraction(node: Element) -> Phrase:
    top, bottom = node
    share = SHARES.get((top.text or "", bottom.text or ""))
    if share:
        return Phrase(share, atom=True)
    if derivative := _derivative(top, bottom):
        return derivative
    upper, lower = _node(top), _node(bottom)
    if _tight(top, upper) and _tight(bottom, lower):
        return Phrase(f"{upper.words} over {lower.words}", ",")
    return Phrase(
        f"the fraction with numerator {upper.words} and denominator {lower.words}",
        ", end fraction,",
    )


def _tight(node: Element, phrase: Phrase) -> bool:
    """Say whether a side of a fraction is one short product that needs no spoken brackets."""
    if node.tag == "msqrt":
        return phrase.tail == ","
    words = f" {phrase.words} "
    return not any(word in words for word in LOOSE)


def _derivative(top: Element, bottom: Element) -> Phrase | None:
    upper, lower = _after_partial(top), _after_partial(bottom)
    if upper is None or not lower:
        return None
    variable = _row(lower).words
    if not upper:
        return Phrase(f"the partial derivative with respect to {variable} of")
    return Phrase(f"the partial derivative of {_row(upper).words} with respect to {variable}", ",")


def _after_partial(side: Element) -> list[Element] | None:
    nodes = list(side) if side.tag == "mrow" else [side]
    return nodes[1:] if nodes and nodes[0].text == "∂" else None


def _root(node: Element) -> Phrase:
    if node.tag == "msqrt":
        inner, name = _row(list(node)), "the square root of"
    else:
        inner, name = _node(node[0]), f"the root of order {_node(node[1]).words} of"
    return Phrase(f"{name} {inner.words}", "," if inner.atom else ", end root,")


# --- scripts -------------------------------------------------------------------------------------


def _scripted(node: Element) -> Phrase:
    base = core(node)
    if node.tag == "mover" and (node[1].text or "") in ACCENTS:
        inner = _node(node[0])
        return Phrase(f"{inner.words} {ACCENTS[node[1].text or '']}", inner.tail, inner.atom)
    if SIGNS.get(base.text or "", SIGNS["="]).kind == "large":
        return Phrase(_ranged(SIGNS[base.text or ""].words, *_parts(node)))
    if is_name(base):
        return _scripted_name(node)
    return _scripts(_node(node[0]), node)


def _parts(node: Element) -> tuple[Element | None, Element | None]:
    """Return the lower and the upper script of an element, whichever it has."""
    if node.tag in ("msubsup", "munderover"):
        return node[1], node[2]
    lower = node.tag in ("msub", "munder")
    return (node[1], None) if lower else (None, node[1])


def _ranged(noun: str, lower: Element | None, upper: Element | None) -> str:
    """Say a range: "the sum from i equals 1 to n", "the maximum over i", "the limit as …"."""
    if lower is None:
        return noun if upper is None else f"{noun} to {_node(upper).words}"
    low = _node(lower).words.replace(" is ", " ")  # "over j not equal to i"
    if upper is not None:
        return f"{noun} from {low} to {_node(upper).words}"
    return f"{noun} as {low}" if noun == FUNCTIONS["lim"] else f"{noun} over {low}"


def _scripted_name(node: Element) -> Phrase:
    name = core(node).text or ""
    lower, upper = _parts(node)
    noun = FUNCTIONS.get(name, name)
    if name in LIMIT_FUNCTIONS or node.tag in ("munder", "munderover"):
        return Phrase(_ranged(noun, lower, upper))
    if name == "log" and lower is not None:
        noun, lower = f"{noun} base {_node(lower).words}", None
    if lower is not None:
        joint = "over" if name in (EXPECTATION, "Pr", "Var") else "sub"
        noun = f"{noun} {joint} {_node(lower).words.replace(' is ', ' ')}"
    return _raised(Phrase(noun), upper) if upper is not None else Phrase(noun)


def _scripts(base: Phrase, node: Element) -> Phrase:
    lower, upper = _parts(node)
    if lower is not None and is_fenced(node[0]) and node[0][0].text == "‖":
        base, lower = Phrase(f"the {_node(lower).words} {base.words[4:]}", base.tail), None
    if upper is not None and base.words in SETS.values():
        size = _node(upper).words.replace(" times ", " by ")
        return Phrase(f"{base.words} to the power {size}", ",")
    phrase = Phrase(f"{base.words}," if base.tail else base.words, atom=base.atom)
    if lower is not None:
        phrase = _lowered(phrase, lower)
    if upper is not None:
        phrase = _raised(phrase, upper)
    if lower is None and upper is None:
        return base
    return Phrase(phrase.words, phrase.tail or ("," if base.tail else ""), phrase.atom)


def _lowered(base: Phrase, lower: Element) -> Phrase:
    inside = [lower] if lower.tag != "mrow" else [item for item in lower if item.tag != "mspace"]
    plain = all(item.tag in ("mi", "mn", "mtext") or item.text == "," for item in inside)
    if plain:
        said = " ".join(_script_word(item) for item in inside)
        return Phrase(f"{base.words} sub {said}", "", base.atom)
    return Phrase(f"{base.words} sub {_node(lower).words}", ", end sub,")


def _script_word(item: Element) -> str:
    """Say a name in a subscript as it is written: d sub max is not "d sub the maximum"."""
    return item.text or "" if is_name(item) else _leaf(item).words


def _raised(base: Phrase, upper: Element) -> Phrase:
    text = upper.text or ""
    if text in MARKS:
        return Phrase(f"{base.words} {SIGNS[text].words}", "", base.atom)
    if text in POWERS and upper.tag == "mn":
        return Phrase(f"{base.words} {POWERS[text]}", "", base.atom)
    if is_fenced(upper):
        return Phrase(f"{base.words} superscript {_row(list(upper)[1:-1]).words}", ",")
    said = _node(upper)
    if said.atom:
        link = "to the power" if upper.tag == "mn" else "to the"
        return Phrase(f"{base.words} {link} {said.words}", ",")
    return Phrase(f"{base.words} to the power {said.words}", ", end power,")


# --- groups, matrices ----------------------------------------------------------------------------


def _fenced(node: Element) -> Phrase:
    inside = [item for item in list(node)[1:-1] if item.tag != "mspace"]
    opening = node[0].text or ""
    if len(inside) == 1 and inside[0].tag == "mtable":
        return _matrix(inside[0], opening)
    inner = _row(inside)
    if opening in ("|", "‖"):
        noun = "absolute value" if opening == "|" else "norm"
        return Phrase(f"the {noun} of {inner.words}", "," if inner.atom else f", end {noun},")
    if opening in HOLDS:
        return Phrase(f"{HOLDS[opening]} {inner.words}", ",")
    if any(item.text == "," for item in inside):
        noun = "interval" if opening == "[" else "list"
        return Phrase(f"the {noun} {inner.words}", f", end {noun},")
    if len(inside) == 1:
        return inner
    return Phrase(f"the quantity {inner.words}", ", end quantity,")


def _matrix(table: Element, opening: str) -> Phrase:
    rows = [[_row(list(cell)).words for cell in row] for row in table]
    noun = "determinant" if opening == "|" else "matrix"
    if len(rows[0]) == 1:
        return Phrase("the column vector " + ", ".join(row[0] for row in rows), ", end vector,")
    if len(rows) == 1:
        return Phrase("the row vector " + ", ".join(rows[0]), ", end vector,")
    said = "; ".join(f"row {i}: {', '.join(row)}" for i, row in enumerate(rows, 1))
    return Phrase(f"the {len(rows)} by {len(rows[0])} {noun}, {said}", f"; end {noun},")


def _grid(table: Element) -> Phrase:
    """Say aligned lines one after the other."""
    return Phrase("; ".join(_row([item for cell in row for item in cell]).words for row in table))


def _cases(table: Element) -> Phrase:
    said = []
    for row in table:
        value, *condition = [_row(list(cell)).words for cell in row]
        said.append(", ".join([value, *(_condition(words) for words in condition)]))
    return Phrase("; ".join(said), "; end cases,")


def _condition(words: str) -> str:
    return words if words.startswith(("if ", "otherwise", "for ", "when ")) else f"if {words}"


HANDLERS: dict[str, Callable[[Element], Phrase]] = {
    **dict.fromkeys(("mi", "mn", "mo", "mtext"), _leaf),
    **dict.fromkeys(SCRIPTED, _scripted),
    "mfrac": _fraction,
    "msqrt": _root,
    "mroot": _root,
    "mtable": _grid,
}
