"""The sandbox templates run in: what they may do there, and how their faults are told to an author."""

from __future__ import annotations

import math
import re
import traceback
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any, Final

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.runtime import Undefined
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import missing

from report import authored
from report.errors import Mistake
from report.numbers import kind
from report.results import Missing, is_finite, nearest

MOST_RANGED: Final = 10_000  # numbers in all ranges of a text
TAGS: Final = (
    "claim", "if", "for", "set", "macro", "call", "include", "import", "from", "filter", "with",
    "block", "extends",
)  # fmt: skip
FAULTS: Final = (  # what a template can make Jinja, or the values it is handed, raise
    jinja2.TemplateError, Missing, ValueError, TypeError, ArithmeticError, AttributeError,
    RecursionError, MemoryError,
)  # fmt: skip

_JARGON: Final = {
    "token 'end of print statement'": "`}}`",
    "token 'end of statement block'": "`%}`",
    "expected token 'name'": "expected a name",
    "tag name expected": "`{%` is not followed by the name of a block",
    "'end of print statement'": "`}}`",
    "'end of statement block'": "`%}`",
}
_KINDS: Final = {"Whole": "a number", "Real": "a number", "int": "a number", "float": "a number",
    "Text": "a text", "str": "a text", "Row": "a list", "list": "a list", "Record": "a record",
    "dict": "a record", "NoneType": "nothing", "bool": "a truth value", "function": "a function",
    "method": "a function"}  # fmt: skip
_TAG = re.compile(r"\{%[-+]?\s*(\w+)")


class Unknown(jinja2.StrictUndefined):
    """A name nobody defined: whatever is done with it says so."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint[0].lower() + self._undefined_hint[1:]
        if self._undefined_obj is missing:
            return f"'{self._undefined_name}' is not defined"
        owner = getattr(self._undefined_obj, "path", "") or kind(self._undefined_obj)
        return f"{owner} has no '{self._undefined_name}'"


class Sandbox(SandboxedEnvironment):
    """Jinja without a way to the machine: no private attributes, and no sum that outgrows its memory."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(undefined=Unknown, trim_blocks=True, **options)
        self.globals = {"range": self._range}
        self._ranged = 0

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Reckon with numbers: text times a number could fill any memory, text and text lose their source."""
        for side in (left, right):
            if not isinstance(side, int | float | Undefined):
                raise TypeError(f"`{operator}` expects numbers, not {kind(side)}")
        try:
            if operator == "**" and not isinstance(left, Undefined):
                float(left) ** right  # before whole numbers fill the memory
            found = super().call_binop(context, operator, left, right)
        except OverflowError:
            found = math.inf
        if not is_finite(found):
            raise ValueError(f"`{operator}` gives a number beyond 1e308")
        return found

    def _range(self, *bounds: int) -> range:
        """Give a range, so long as all ranges of a text together stay short enough to be read."""
        found = range(*bounds)
        self._ranged += len(found)
        if self._ranged > MOST_RANGED:
            raise ValueError(f"the ranges of a text hold {MOST_RANGED:,} numbers at most")
        return found


def is_free(name: str) -> bool:
    """Tell whether a text can call something by a name wherever it likes: Jinja keeps words for itself."""
    places = (
        f"{{{{ {name} }}}}{{% for N in [1] %}}{{{{ {name} }}}}{{% endfor %}}"
        f"{{% macro M() %}}{{{{ {name} }}}}{{% endmacro %}}{{{{ M() }}}}"
    )
    try:
        return Sandbox().from_string(places).render({name: "."}) == "..."
    except jinja2.TemplateError:
        return False


def page(path: Path, file: str, filters: dict[str, Callable[..., Any]], **values: Any) -> str:
    """Fill in the template of a whole page; raise Mistake with its line for a fault in it.

    `values` must hold the `body`, and the template has to set it.
    """
    env = Sandbox(autoescape=True, lstrip_blocks=True)
    env.filters |= filters
    try:
        filled = env.from_string(authored.text(path, file)).render(values)
    except FAULTS as error:
        what = said(error, list(values), list(env.filters))
        raise Mistake(what, file=file, line=_line(error, {"<template>", "<unknown>"})) from None
    if values["body"] not in filled:
        then = "write `{{ body }}` where it belongs"
        raise Mistake("the template leaves out the article", file=file, then=then)
    return filled


def said(error: Exception, names: list[str], filters: list[str]) -> str:
    """Say what a template got wrong, in an author's words."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return _syntax(error, filters)
    if isinstance(error, jinja2.TemplateNotFound):
        return f"there is no templates/{error}"
    if isinstance(error, SecurityError):
        return f"a template may not do that: {error}"
    if isinstance(error, RecursionError | MemoryError):
        return "a macro or a file brings itself in without end"
    if isinstance(error, TypeError):
        return _mistyped(str(error))
    message = str(error).split("\n")[0]
    unknown = re.fullmatch(r"'(\w+)' is not defined", message)
    return message + nearest(unknown[1], sorted(names)) if unknown else message


def _syntax(error: jinja2.TemplateSyntaxError, filters: list[str]) -> str:
    message = (error.message or "this is no template").partition(". ")[0].rstrip(".")
    if name := re.search(r"No filter named '(\w+)'", message):
        return f"there is no filter '{name[1]}'{nearest(name[1], sorted(filters))}"
    if opened := _unclosed(error):
        return f"the block `{{% {opened[0]} %}}` is never closed by `{{% end{opened[0]} %}}`"
    if name := re.search(r"unknown tag 'end(\w+)'", message):
        return f"there is no block `{{% {name[1]} %}}` here to end"
    if name := re.search(r"unknown tag '(else|elif)'", message):
        return f"`{{% {name[1]} %}}` stands in no block that a condition or a claim opens"
    if name := re.search(r"unknown tag '(\w+)'", message):
        return f"there is no block `{{% {name[1]} %}}`{nearest(name[1], TAGS)}"
    for theirs, ours in _JARGON.items():
        message = message.replace(theirs, ours)
    return message[0].lower() + message[1:]


def _unclosed(error: jinja2.TemplateSyntaxError) -> tuple[str, int] | None:
    """Name the block that was still open where a template ended, or where another ended; and its line."""
    message = error.message or ""
    found = re.search(r"needs to be closed is '(\w+)'", message)
    if not found or re.search(r"unknown tag '(?!end)", message):
        return None
    source = (error.source or "").splitlines()[: error.lineno]
    lines: list[int] = []
    for number, line in enumerate(source, 1):
        for tag in _TAG.findall(line):
            if tag == found[1]:
                lines.append(number)
            elif tag == f"end{found[1]}" and lines:
                lines.pop()
    return (found[1], lines[-1]) if lines else None


def _mistyped(message: str) -> str:
    """Put what Python says of a value of the wrong kind into words without classes and functions."""
    message = re.sub(r"[\w.<>]*?([a-z]\w*)\(\)", r"`\1`", message)
    message = re.sub(r"(?:instances of |object of type )?'(\w+)'(?: object)?", _named, message)
    message = re.sub(r" and '(\w+)'$", lambda found: f" and {_named(found)}", message)
    for theirs, ours in (
        ("is not iterable", "is no list to go through"),
        ("is not reversible", "is no list to go through"),
        ("has no len()", "has no length"),
        ("has no `len`", "has no length"),
        ("is not callable", "is no function"),
        ("not supported between", "cannot be asked of"),
    ):
        message = message.replace(theirs, ours)
    return message


def _named(found: re.Match[str]) -> str:
    return _KINDS.get(found[1], f"'{found[1]}'")


def place(error: Exception, known: Container[str]) -> tuple[str | None, int | None]:
    """Find the template among the known ones, and its line, in which a fault arose."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        opened = _unclosed(error)
        return error.name, opened[1] if opened else error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    here = [frame for frame in frames if frame.filename in known]
    return (here[-1].filename, here[-1].lineno) if here else (None, None)


def _line(error: Exception, known: Container[str]) -> int | None:
    return place(error, known)[1]
