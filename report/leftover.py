"""Finds what looks like a template's syntax and was read as words, so that it would be printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from report import marks
from report.errors import shortened

SHOWN: Final = 60  # characters of what was found
_BOUND = "\0"  # stands where the template says something

_CODE = re.compile(
    r"^[ \t>]*(?P<ticks>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=ticks)|\Z)"
    r"|(?<![\\`])(?P<quote>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=quote)(?!`)"
    r"|\\[{}%#<>]",  # a sign that is meant
    re.DOTALL | re.MULTILINE,
)
_INDENTED = re.compile(r"(?<=\n\n)(?:(?: {4}|\t).*(?:\n|\Z))+")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d+[.)]|\[\^)")  # what follows it indented belongs to it

_SIGNS = "or `\\{` and `\\}` for the signs themselves"
_VALUE, _BLOCK = f"write `{{{{ … }}}}`, {_SIGNS}", f"write `{{% … %}}`, {_SIGNS}"
_COMMENT = "write a comment as `<# … #>`, or as code what is to be printed"
_NAME = "write the name of a heading as `{#name}` at its end, and a comment as `<# … #>`"
_TAG = r"(?:end\w+|else|elif|if|for|claim|include)\b"
_PATH = r"[^\W\d](?:[\w.]|\[[^\]\n]*\]|\([^)\n]*\))*"
_LEFT: Final = [  # what looks like syntax, and what to write
    (re.compile(pattern, re.MULTILINE), then)
    for pattern, then in (
        (r"\{\s?%[^\n%]*(?:%\s?\}|%)?|%\{\s*[a-z][^\n}%]*\}?%?|%\}", _BLOCK),
        (rf"\{{\s?{_TAG}[^\n{{}}]*\}}", _BLOCK),
        (rf"[(<\[]%\s*{_TAG}[^\n%]*%[)>\]]?|%\s*(?:end\w+|else)\s*%", _BLOCK),
        (r'\{\s?#(?![\w-]+(?:\s+\w+="[^"]*")*\s*\}[ \t]*$)[^\n#}]*#?\s?\}?|#\s?\}', _NAME),
        (r"<!--.*?(?:-->|$)|<\s#.*?#\s?>|-->|#>", _COMMENT),
        (rf"(?:\{{\s?)+-?\s*{_PATH}\s*(?:-?\}}(?:\s?\}})?|\|[^{{}}\n]*(?:\}}\s?)*)", _VALUE),
        (r"\|[ \t]*\w+(?:\([^)\n]*\))?[ \t]*\}(?:\s?\})?", _VALUE),
        (rf"\[\[\s*{_PATH}\s*(?:\||\]\](?!\())[^\n\]]*\]*|\(\(\s*{_PATH}\s*\|[^\n)]*\)*", _VALUE),
        (rf"\\{_BOUND}", _VALUE),
        (r"\{{3}|\{\s?\{[^{}\n]*(?:\}\s?)*|\}\s?\}", _VALUE),
    )
]
_CLOSES = re.compile(rf"[|}}#{_BOUND}-]|%\}}")
_BEFORE = re.compile(r"[^\s{}]*[ \t]*\Z")  # the word that something closes after
_BESIDE = re.compile(  # a brace by itself, and what says that more than a brace was meant
    rf"\{{[ \t]*(?:{_BOUND}|[^\W\d]\w*\.\w+)|(?:{_BOUND}|\w\.\w+)[ \t]*\}}"
)


def leftover(tokens: Iterable[tuple[int, str, str]]) -> tuple[str, int, str] | None:
    """Find the first piece of syntax among what a template's lexer took for words.

    Gives what would be printed, its line and what to write, or None if nothing was left.
    """
    lines, text, before = [(0, 1)], "", ""
    for line, token, said in tokens:
        if token == "data" and before != "raw_begin":
            lines.append((len(text), line))
            text += said
        elif before == "variable_begin" and said == "{":
            lines.append((len(text), line))
            text += "{{{"  # which no value begins with
        elif token.endswith("_begin"):
            text += _BOUND
        before = token
    prose = _INDENTED.sub(_unless_item, _CODE.sub(_blank, text))
    found = [(each.start(), each[0], then) for left, then in _LEFT for each in left.finditer(prose)]
    found += [(at, said, _VALUE) for at, said in _uneven(prose)]
    if not found:
        return None
    at, said, then = min(found, key=lambda each: each[0])
    if _CLOSES.match(said) and (word := _BEFORE.search(prose[max(0, at - SHOWN) : at])):
        said = word[0] + said
    start, line = max(each for each in lines if each[0] <= at)
    shown = marks.elided(said.replace(_BOUND, "…"))
    return shortened(shown, SHOWN), line + text.count("\n", start, at), then


def _uneven(prose: str) -> Iterable[tuple[int, str]]:
    """Find braces right beside what is bound, in a paragraph that opens more than it closes or fewer."""
    for paragraph in re.finditer(r"(?:.+\n?)+", prose):
        said = paragraph[0]
        if said.count("{") != said.count("}") and (brace := _BESIDE.search(said)):
            yield paragraph.start() + brace.start(), brace[0]


def _unless_item(found: re.Match[str]) -> str:
    """Leave nothing of code that is indented, and what belongs to an item of a list or a note as it is."""
    above = [line for line in found.string[: found.start()].splitlines() if line.strip()]
    outer = next((line for line in reversed(above) if not line.startswith(("    ", "\t"))), "")
    return found[0] if _ITEM.match(outer) else _blank(found)


def _blank(found: re.Match[str]) -> str:
    """Leave nothing of what was found, and everything else in its place."""
    return re.sub(r"[^\n]", " ", found[0])
