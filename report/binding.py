"""Binds results and parameters into the text: a sandbox that prints nothing unbound."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import SandboxedEnvironment

from report import marks
from report.claims import Claim, Ledger
from report.errors import Mistake
from report.formula import Formula, FormulaError, parse
from report.numbers import PRINTERS, Printer, Quote
from report.results import Missing, Record, Row, Text, nearest

_CODE_OR_MATH = re.compile(
    r"(?P<fence>^(?P<ticks>`{3,}|~{3,}).*?^(?P=ticks)[ \t]*$)"
    r"|(?P<span>(?P<quote>`+)(?!`).+?(?<!`)(?P=quote)(?!`))"
    r"|(?P<escaped>\\\$)"
    r"|\$\$(?P<display>.+?)\$\$"
    r"|\$(?P<inline>[^\s$](?:[^$\n]*[^\s$])?)\$",
    re.DOTALL | re.MULTILINE,
)
_TEMPLATE_IN_TEX = re.compile(r"\{\{[^{}]*\|[^{}]*\}\}|\{%")


@dataclass(frozen=True)
class Use:
    """Words that lean on a claim, and what the reader sees of them.

    `borne` words are printed as they stand; where the claim fails, the author's `otherwise` words take
    their place, or else the words stay, `unborne` and marked so.
    """

    claim: Claim
    shown: Literal["borne", "otherwise", "unborne"]


class Bound:
    """Everything a text was bound to while it was read: formulas, numbers, pieces of text, claims."""

    def __init__(self, ledger: Ledger = Ledger()) -> None:  # noqa: B008 - an empty ledger never changes
        self.ledger = ledger
        self.uses: list[Use] = []
        self.formulas: list[Formula] = []
        self.texts: list[str] = []
        self.printer = Printer(self._number, strict=True)

    @property
    def quotes(self) -> list[Quote]:
        """The numbers printed so far, in the order of the text."""
        return self.printer.quotes

    def _number(self, _quote: Quote) -> str:
        return marks.mark(marks.NUMBER, len(self.printer.quotes) - 1)

    def text(self, value: str) -> str:
        """Keep a piece of data that is text; its mark is escaped when the page is made."""
        self.texts.append(value)
        return marks.mark(marks.TEXT, len(self.texts) - 1)

    def holds(self, *paths: str) -> bool:
        """Tell whether claims hold; raise ValueError with the nearest name where there is none."""
        claims = [self._claim(path) for path in paths]
        return all(claim.holds for claim in claims)

    def lean(self, shown: Literal["borne", "otherwise", "unborne"], *paths: str) -> str:
        """Open the words that lean on claims: on each if they are borne, else on the first that fails."""
        claims = [self._claim(path) for path in paths]
        if shown != "borne":
            claims = [next(claim for claim in claims if not claim.holds)]
        self.uses += [Use(claim, shown) for claim in claims]
        first = len(self.uses) - len(claims)
        return "".join(marks.mark(marks.CLAIM, first + each) for each in range(len(claims)))

    def _claim(self, path: str) -> Claim:
        try:
            return self.ledger[path]
        except KeyError as error:
            raise ValueError(error.args[0]) from None

    def formula(self, tex: str, *, display: bool) -> str:
        """Keep a formula; raise FormulaError when it cannot be set."""
        self.formulas.append(parse(tex, display=display))
        return marks.mark(marks.FORMULA, len(self.formulas) - 1)

    def protect(self, source: str, file: str, first_line: int = 1) -> str:
        """Put a mark in the place of every formula, before anything else reads it; lines stay lines."""

        def put(found: re.Match[str]) -> str:
            tex = found["display"] or found["inline"]
            if tex is None:
                return "$" if found["escaped"] else found[0]
            line = first_line + source.count("\n", 0, found.start())
            if _TEMPLATE_IN_TEX.search(tex):
                raise Mistake(
                    f"a formula cannot hold a bound number: ${tex.strip()}$", file=file, line=line
                )
            try:
                mark = self.formula(tex.strip(), display=found["display"] is not None)
            except FormulaError as error:
                raise Mistake(str(error), file=file, line=line) from None
            return mark + "\n" * found[0].count("\n")

        return _CODE_OR_MATH.sub(put, source)


@dataclass(frozen=True)
class Template:
    """A text to bind: its folder and file name, the text, the line it begins on, and how files are named."""

    folder: Path
    name: str
    text: str
    first_line: int
    shown: Callable[[Path], str]

    def mistake(self, what: str, file: str, line: int | None) -> Mistake:
        """Word a mistake at a line of the template, or of a file it includes."""
        before = self.first_line - 1 if file == self.name else 0
        return Mistake(
            what, file=self.shown(self.folder / file), line=line + before if line else None
        )


class _Loader(jinja2.BaseLoader):
    """Reads the templates of one folder, formulas protected; an error's line stays the author's line."""

    def __init__(self, template: Template, bound: Bound) -> None:
        self._given, self._bound, self._folder = template, bound, template.folder.resolve()

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        """Find a template inside the folder, and nowhere else."""
        del environment  # the signature is Jinja's
        path = (self._folder / template).resolve()
        if not path.is_relative_to(self._folder):
            raise ValueError(f"'{template}' lies outside templates/")
        if template == self._given.name:
            text, first_line = self._given.text, self._given.first_line
        elif path.is_file():
            text, first_line = path.read_text("utf-8"), 1
        else:
            raise jinja2.TemplateNotFound(template)
        return (
            self._bound.protect(text, self._given.shown(path), first_line),
            template,
            lambda: True,
        )


class _Unknown(jinja2.StrictUndefined):
    """A name nobody defined: whatever is done with it says so, with the nearest name that exists."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        return f"'{self._undefined_name}' is not defined"


class _ClaimTag(Extension):
    """`{% claim stem.name %}words{% else %}other words{% endclaim %}`: a failed claim is never printed as held.

    Words may lean on several claims: `{% claim stem.name and stem.other %}`.
    """

    tags = {"claim"}  # noqa: RUF012 - the name and its kind are Jinja's

    def parse(self, parser: Parser) -> nodes.Node:
        """Turn the tag into a choice between the words, marked by the claims they lean on."""
        line = next(parser.stream).lineno
        paths = [_path(parser)]
        while parser.stream.skip_if("name:and"):
            paths.append(_path(parser))
        words = parser.parse_statements(("name:else", "name:endclaim"))
        others = None
        if parser.stream.skip_if("name:else"):
            others = parser.parse_statements(("name:endclaim",))
        parser.stream.expect("name:endclaim")
        without = (
            _leaning(paths, "unborne", words)
            if others is None
            else _leaning(paths, "otherwise", others)
        )
        borne = _leaning(paths, "borne", words)
        return nodes.If(_call("holds", *paths), borne, [], without).set_lineno(line)


def _path(parser: Parser) -> str:
    path = parser.stream.expect("name").value
    while parser.stream.skip_if("dot"):
        path += f".{parser.stream.expect('name').value}"
    return str(path)


def _call(name: str, *words: str) -> nodes.Expr:
    given: list[nodes.Expr] = [nodes.Const(each) for each in words]
    return nodes.Call(nodes.Name(name, "load"), given, [], None, None)


def _leaning(paths: list[str], shown: str, words: list[nodes.Node]) -> list[nodes.Node]:
    ends = marks.mark(marks.CLAIM_END, 0) * (len(paths) if shown == "borne" else 1)
    return [
        nodes.Output([_call("lean", shown, *paths)]),
        *words,
        nodes.Output([nodes.Const(ends)]),
    ]


class _Environment(SandboxedEnvironment):
    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, Record):
            return obj[attribute]  # the stored key, never a method of dict that shares its name
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, Record):
            return obj[argument]
        if isinstance(obj, Row):
            try:
                return list.__getitem__(obj, argument)
            except (IndexError, TypeError):
                raise Missing(obj.path, argument, [str(i) for i in range(len(obj))]) from None
        return super().getitem(obj, argument)


def render(template: Template, bound: Bound, names: dict[str, Any]) -> str:
    """Run a template over stored values; raise Mistake with file and line for whatever an author got wrong."""
    env = _environment(template, bound, names)
    try:
        return env.get_template(template.name).render()
    except jinja2.TemplateSyntaxError as error:
        raise template.mistake(
            _worded(error, env), error.name or template.name, error.lineno
        ) from None
    except _AUTHORS as error:
        raise template.mistake(_said(error, names), *_place(error, template)) from None


_AUTHORS = (jinja2.TemplateError, Missing, ValueError, TypeError, ArithmeticError, AttributeError)


def _environment(template: Template, bound: Bound, names: dict[str, Any]) -> jinja2.Environment:
    env = _Environment(
        loader=_Loader(template, bound),
        undefined=_Unknown,
        autoescape=False,  # bound values become marks, which are escaped when the page is made
        finalize=lambda value: _printable(value, bound),
        comment_start_string="<#",  # `{#` opens the attributes of a heading
        comment_end_string="#>",
        trim_blocks=True,
        keep_trailing_newline=True,
        extensions=[_ClaimTag],
    )
    hows = (
        *(how for how in PRINTERS if how != "label"),
        "series",
    )  # a text has no scales to number
    env.filters = {how: _filter(bound.printer, how) for how in hows}
    env.filters |= {
        how: jinja2.filters.FILTERS[how] for how in ("length", "first", "last", "batch")
    }
    env.globals.clear()
    env.globals.update(names | {"range": range, "holds": bound.holds, "lean": bound.lean})
    return env


def _filter(printer: Printer, how: str) -> Callable[..., str]:
    method: Callable[..., str] = getattr(printer, how)

    def apply(value: Any, *details: Any) -> str:
        if isinstance(value, jinja2.Undefined):
            value._fail_with_undefined_error()
        return method(value, *details)

    return apply


def _printable(value: Any, bound: Bound) -> Any:
    """Let only text through; a number without a filter has no stated precision."""
    if isinstance(value, jinja2.Undefined):
        value._fail_with_undefined_error()
    if isinstance(value, Text):
        return bound.text(str(value))
    if isinstance(value, str):
        return value
    path = getattr(value, "path", "") or repr(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError(f"{path} needs a filter that says how to print it, such as `| fixed(2)`")
    raise ValueError(f"{path} is {type(value).__name__.lower()}, not a number or a text")


def _worded(error: jinja2.TemplateSyntaxError, env: jinja2.Environment) -> str:
    message = (error.message or "is not a valid template").rstrip(".")
    if unknown := re.search(r"No filter named '(\w+)'", message):
        return f"there is no filter '{unknown[1]}'{nearest(unknown[1], sorted(env.filters))}"
    return message[0].lower() + message[1:]


def _said(error: Exception, names: dict[str, Any]) -> str:
    if isinstance(error, jinja2.TemplateNotFound):
        return f"there is no templates/{error.name}"
    if isinstance(error, SecurityError):
        return f"the text may not do that: {error}"
    message = str(error).split("\n")[0]
    unknown = re.fullmatch(r"'(\w+)' is not defined", message)
    return message + nearest(unknown[1], sorted(names)) if unknown else message


def _place(error: Exception, template: Template) -> tuple[str, int | None]:
    """Find the file and line of the text in which an exception arose."""
    known = {template.name, *(path.name for path in template.folder.glob("*.md"))}
    here = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in known]
    return (here[-1].filename, here[-1].lineno) if here else (template.name, None)
