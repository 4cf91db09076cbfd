"""Binds results and parameters into the text: a sandbox that prints nothing unbound."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import jinja2
from jinja2 import nodes
from jinja2.environment import TemplateModule
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import LoopContext, TemplateReference

from report import authored, marks, pieces
from report.claims import Claim, Ledger
from report.errors import Mistake
from report.formula import Formula, FormulaError, parse
from report.glance import unread
from report.leftover import leftover
from report.numbers import PRINTERS, Printer, Quote, kind
from report.results import Missing, Record, Row, Text, unmade
from report.sandbox import FAULTS, Sandbox, place, said

_CODE_OR_MATH = re.compile(
    r"(?P<fence>^(?P<ticks>`{3,}|~{3,}).*?^(?P=ticks)[ \t]*$)"
    r"|(?P<span>(?P<quote>`+)(?!`).+?(?<!`)(?P=quote)(?!`))"
    r"|(?P<escaped>\\\$)"
    r"|\$\$(?P<display>.+?)\$\$"
    r"|\$(?P<inline>[^\s$](?:[^$\n]*[^\s$])?)\$"
    r"|(?P<stray>\$)",
    re.DOTALL | re.MULTILINE,
)
_TEMPLATE_IN_TEX = re.compile(r"\{\{[^{}]*\|[^{}]*\}\}|\{\{\s*\w+[.\[][^{}]*\}\}|\{%")
_ESCAPE = re.compile(r"\{[{%][^}]*?(\\[^nt\\\"'])")  # in a text between quotes


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

    def __init__(
        self,
        ledger: Ledger = Ledger(),  # noqa: B008 - an empty ledger never changes
        stems: Collection[str] | None = None,
    ) -> None:
        """Begin with the claims there are, and the experiments if they are known."""
        self.ledger, self._stems = ledger, stems
        self.forget()

    def forget(self) -> None:
        """Begin anew, with nothing bound."""
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

    @property
    def helpers(self) -> dict[str, Callable[..., Any]]:
        """What a text can ask of it by name."""
        return {"holds": self.holds, "lean": self.lean}

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
        stem, dot, _ = path.partition(".")
        if dot and self._stems is not None and stem not in self._stems:
            raise ValueError(f"there is no experiment '{stem}'{unmade(stem, list(self._stems))}")
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
            line = first_line + source.count("\n", 0, found.start())
            if found["stray"]:
                then = "close it, or write `\\$` for the sign itself"
                what = "a `$` opens a formula that nothing on its line closes"
                raise Mistake(what, file=file, line=line, then=then)
            tex = found["display"] or found["inline"]
            if tex is None:
                return "$" if found["escaped"] else found[0]
            if _TEMPLATE_IN_TEX.search(tex):
                what = f"the formula ${tex.strip()}$ holds a bound number, which no formula can"
                raise Mistake(what, file=file, line=line, then="write the number beside it")
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
        path = (self._folder / template).resolve()
        file = self._given.shown(path)
        if not path.is_relative_to(self._folder):
            raise ValueError(f"'{template}' lies outside templates/")
        if any(map(unread, template.split("/"))):
            raise ValueError(f"'{template}' is hidden, and no build reads what is")
        if template == self._given.name:
            text, first_line = self._given.text, self._given.first_line
        elif path.is_file():
            text, first_line = authored.text(path, file), 1
        else:
            raise jinja2.TemplateNotFound(template)
        protected = self._bound.protect(text, file, first_line)
        if escape := _ESCAPE.search(protected):
            line = first_line + protected.count("\n", 0, escape.start(1))
            what = f"`{escape[1]}` stands for a character"
            raise Mistake(what, file=file, line=line, then="write the character itself")
        self._refuse_leftover(environment, protected, file, first_line)
        return protected, template, lambda: True

    def _refuse_leftover(
        self, environment: jinja2.Environment, source: str, file: str, first_line: int
    ) -> None:
        """Raise Mistake for what would be printed though it was meant for the template engine."""
        with suppress(jinja2.TemplateSyntaxError):  # which the engine tells with its own line
            if left := leftover(environment.lexer.tokeniter(source, None)):
                what, line, then = left
                what = f"`{what}` would be printed as it stands"
                raise Mistake(what, file=file, line=first_line - 1 + line, then=then)


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
    if parser.stream.current.type != "name":
        parser.fail("a claim is named by its experiment and itself: `{% claim stem.name %}`")
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


class _Environment(Sandbox):
    """The sandbox of an article: of what it is handed, only stored values have anything in them."""

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Refuse what would join stored texts to one that nobody knows for data."""
        tree = super()._parse(source, name, filename)
        for joined in tree.find_all(nodes.Concat):
            what = "`~` joins texts, which stand beside each other by themselves"
            raise jinja2.TemplateSyntaxError(what, joined.lineno, name, filename)
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Read a stored key, never a method of dict that shares its name; text and lists have none."""
        if isinstance(obj, Record):
            return obj[attribute]
        if isinstance(obj, _WITH_ATTRIBUTES):
            return super().getattr(obj, attribute)
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Read a stored key or entry."""
        if isinstance(obj, Record):
            return obj[argument]
        try:
            return list.__getitem__(obj, argument) if isinstance(obj, Row) else obj[argument]
        except (LookupError, TypeError, AttributeError):
            if isinstance(obj, Row):
                raise Missing(obj.path, argument, [str(i) for i in range(len(obj))]) from None
            return self.undefined(obj=obj, name=str(argument))


_WITH_ATTRIBUTES = (LoopContext, TemplateModule, TemplateReference, jinja2.Undefined)


def render(template: Template, bound: Bound, names: dict[str, Any]) -> str:
    """Run a template over stored values; raise Mistake with file and line for whatever an author got wrong."""
    with suppress(*FAULTS):
        return pieces.run(_environment(template, bound, names), template.name)
    bound.forget()
    env = _environment(template, bound, names)
    try:  # the whole knows on which line it fails
        return env.get_template(template.name).render()
    except FAULTS as error:
        known = {template.name, *(path.name for path in template.folder.glob("*.md"))}
        file, line = place(error, known)
        what = said(error, list(names), list(env.filters))
        raise template.mistake(what, file or template.name, line) from None


def _environment(template: Template, bound: Bound, names: dict[str, Any]) -> jinja2.Environment:
    env = _Environment(
        loader=_Loader(template, bound),
        autoescape=False,  # bound values become marks, which are escaped when the page is made
        finalize=lambda value: _printable(value, bound),
        comment_start_string="<#",  # `{#` opens the attributes of a heading
        comment_end_string="#>",
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
    env.globals |= names | bound.helpers
    return env


def _filter(printer: Printer, how: str) -> Callable[..., str]:
    method: Callable[..., str] = getattr(printer, how)
    signature = inspect.signature(PRINTERS.get(how, method))

    def apply(value: Any, *details: Any, **named: Any) -> str:
        if isinstance(value, jinja2.Undefined):
            value._fail_with_undefined_error()
        try:
            bound = signature.bind(value, *details, **named)
        except TypeError:
            raise ValueError(f"'{how}' is written {_usage(how, signature)}") from None
        return method(*bound.args)

    return apply


def _usage(how: str, signature: inspect.Signature) -> str:
    details = ", ".join(list(signature.parameters)[1:])
    return f"`| {how}({details})`" if details else f"`| {how}`"


def _printable(value: Any, bound: Bound) -> Any:
    """Let only text through; a number without a filter has no stated precision."""
    if isinstance(value, jinja2.Undefined):
        value._fail_with_undefined_error()
    if isinstance(value, Text):
        return bound.text(str(value))
    if isinstance(value, str):
        return value
    path = getattr(value, "path", "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        what = path or repr(value)
        raise ValueError(f"{what} needs a filter that says how to print it, such as `| fixed(2)`")
    raise ValueError(
        f"{path or 'this'} is {kind(value)}, and only numbers and texts can be printed"
    )
