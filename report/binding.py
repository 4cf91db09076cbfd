"""Binds results and parameters into the text: a sandboxed template environment that prints nothing unbound."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from report import marks
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


class Bound:
    """Everything a text was bound to while it was read: its formulas, its printed numbers, its pieces of text."""

    def __init__(self) -> None:
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

    def formula(self, tex: str, *, display: bool) -> str:
        """Keep a formula; raise FormulaError when it cannot be set."""
        self.formulas.append(parse(tex, display=display))
        return marks.mark(marks.FORMULA, len(self.formulas) - 1)

    def protect(self, source: str, file: str, first_line: int = 1) -> str:
        """Put a mark in the place of every formula, before anything else reads the text; lines stay lines."""

        def put(found: re.Match[str]) -> str:
            tex = found["display"] or found["inline"]
            if tex is None:
                return "$" if found["escaped"] else found[0]
            line = first_line + source.count("\n", 0, found.start())
            if _TEMPLATE_IN_TEX.search(tex):
                raise Mistake(
                    f"a formula cannot hold a bound number (${tex.strip()}$)", file=file, line=line
                )
            try:
                mark = self.formula(tex.strip(), display=found["display"] is not None)
            except FormulaError as error:
                raise Mistake(str(error), file=file, line=line) from None
            return mark + "\n" * found[0].count("\n")

        return _CODE_OR_MATH.sub(put, source)


class _Loader(jinja2.BaseLoader):
    """Reads templates of one folder, formulas protected, so that an error's line is the author's line."""

    def __init__(self, folder: Path, bound: Bound, shown: Callable[[Path], str]) -> None:
        self._folder, self._bound, self._shown = folder.resolve(), bound, shown
        self.given: dict[str, tuple[str, int]] = {}

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        path = (self._folder / template).resolve()
        if not path.is_relative_to(self._folder):
            raise Mistake(f"'{template}' lies outside templates/", file="templates")
        if template in self.given:
            text, first_line = self.given[template]
        elif path.is_file():
            text, first_line = path.read_text("utf-8"), 1
        else:
            raise jinja2.TemplateNotFound(template)
        return self._bound.protect(text, self._shown(path), first_line), template, lambda: True


class _Unknown(jinja2.StrictUndefined):
    """A name nobody defined: whatever is done with it says so, with the nearest name that exists."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        return f"'{self._undefined_name}' is not defined"


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


def render(
    folder: Path,
    name: str,
    source: str,
    first_line: int,
    bound: Bound,
    names: dict[str, Any],
    shown: Callable[[Path], str],
) -> str:
    """Run a template over stored values; raise Mistake with file and line for everything an author can get wrong."""
    loader = _Loader(folder, bound, shown)
    loader.given[name] = (source, first_line)
    env = _Environment(
        loader=loader,
        undefined=_Unknown,
        autoescape=False,  # noqa: S701 - bound values become marks, escaped when the page is made
        finalize=lambda value: _printable(value, bound),
        comment_start_string="<#",  # `{#` opens the attributes of a heading
        comment_end_string="#>",
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters = {how: _filter(bound.printer, how) for how in (*PRINTERS, "series")}
    env.filters |= {
        how: jinja2.filters.FILTERS[how] for how in ("length", "first", "last", "batch")
    }
    env.globals.clear()
    env.globals.update(names | {"range": range})
    try:
        return env.get_template(name).render()
    except jinja2.TemplateSyntaxError as error:
        _at_line(error.lineno, error.name or name, _worded(error, env), folder, shown, loader)
    except jinja2.TemplateNotFound as error:
        _raise_at_frame(error, f"there is no templates/{error.name}", name, folder, shown, loader)
    except (jinja2.UndefinedError, Missing) as error:
        _raise_at_frame(error, _with_nearest(str(error), names), name, folder, shown, loader)
    except jinja2.exceptions.SecurityError as error:
        _raise_at_frame(error, f"the text may not do that: {error}", name, folder, shown, loader)
    except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
        _raise_at_frame(error, str(error).split("\n")[0], name, folder, shown, loader)


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


def _with_nearest(message: str, names: dict[str, Any]) -> str:
    unknown = re.fullmatch(r"'(\w+)' is not defined", message)
    return message + nearest(unknown[1], sorted(names)) if unknown else message


def _raise_at_frame(
    error: Exception,
    what: str,
    name: str,
    folder: Path,
    shown: Callable[[Path], str],
    loader: _Loader,
) -> NoReturn:
    frames = traceback.extract_tb(error.__traceback__)
    known = {name, *(path.name for path in folder.glob("*.md"))}
    here = [frame for frame in frames if frame.filename in known]
    file, line = (here[-1].filename, here[-1].lineno) if here else (name, None)
    _at_line(line, file, what, folder, shown, loader)


def _at_line(
    line: int | None,
    file: str,
    what: str,
    folder: Path,
    shown: Callable[[Path], str],
    loader: _Loader,
) -> NoReturn:
    first = loader.given.get(file, ("", 1))[1]
    raise Mistake(
        what, file=shown(folder / file), line=line + first - 1 if line else None
    ) from None
