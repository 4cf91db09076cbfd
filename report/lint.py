"""Finds numbers from nowhere: literals in the prose that no result, parameter or cited fact vouches for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from report import authored
from report.errors import Mistake, shortened
from report.numbers import Quote
from report.project import Project

_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES = "two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_LARGE = "dozen|hundred|thousand|million|billion"
_UNITS = "percent|times|trials?|nats?|bits?|seconds?|minutes?|pages?|dimensions?|components?"
_DIGITS = r"(?<![\w.,])[-−+]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s?%)?(?!\w)"
_WORDS = rf"\b(?:(?:{_TENS})(?:-(?:one|{_ONES}))?|{_TEENS}|{_ONES}|{_LARGE})(?:[ -](?:{_LARGE}))?\b"
ALLOWED = "literals.toml"
SHOWN = 40  # characters of the words that a number was found in

_NUMBER = re.compile(rf"{_DIGITS}|{_WORDS}|\bone (?={_UNITS})", re.IGNORECASE)
_ALGEBRA = re.compile(
    r"(?<![\w.,])\d(?=/√|/d_k|\s?ln\b)|\(1 − (?=\w\))"
)  # in plain text: 1/√d_k, 8/d_k, 2 ln n, p(1 − p)
_IN_FORMULA = re.compile(
    r"(?<![\w.])(?:\d{2,}(?:\.\d+)?|\d\.\d+)"
)  # single digits there are algebra

_BLANK = re.compile(
    r"(?P<front>\A\+\+\+\n.*?\n\+\+\+\n)"
    r"|^(?P<ticks>`{3,}).*?^(?P=ticks)"  # code that a test runs
    r"|`[^`\n]+`"
    r"|\{\{.*?\}\}|\{%.*?%\}|<#.*?#>"  # what is bound
    r"|\{#[^}]*\}|\]\([^)\n]*\)|\[\^[^\]\n]*\]:?"  # names of places
    r"|^:{3,}[ \t]*(?:figure|table)[^\n]*"
    r"|^[ \t]*\d+\.(?=[ \t])",  # the numbers of a list
    re.DOTALL | re.MULTILINE,
)
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^\s$](?:[^$\n]*[^\s$])?\$", re.DOTALL)
_NOWHERE = "'{}' answers to no result, parameter or cited fact"
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*literal[ \t]*\]\]", re.MULTILINE)
_TITLED = re.compile(r'^(title|short_title|kicker|dek|description)\s*=\s*"(.*)"', re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """A literal that answers to nothing: where it stands, and what to do."""

    file: str
    line: int | None
    what: str
    then: str = "bind it, or say why in templates/literals.toml"

    def __str__(self) -> str:
        return str(Mistake(self.what, file=self.file, line=self.line, then=self.then))


@dataclass(frozen=True)
class Literal:
    """A phrase whose numbers are let through, and why."""

    text: str
    reason: str
    line: int


def read_allowed(project: Project) -> list[Literal]:
    """Read `templates/literals.toml`: `[[literal]]` entries of `text` and `reason`."""
    path = project.own(ALLOWED)
    if not path.exists():
        return []
    file = project.shown(path)
    source = authored.text(path, file)
    data = authored.toml(source, file)
    lines = [source.count("\n", 0, each.start()) + 1 for each in _HEADER.finditer(source)]
    entries = data.pop("literal", [])
    if data or not isinstance(entries, list) or len(entries) != len(lines):
        name = next(iter(data), "literal")
        line = authored.line_of(source, name) or authored.line_of(source, "", name)
        raise Mistake(f"'{name}' stands outside every [[literal]]", file=file, line=line)
    return [_literal(each, line, file) for each, line in zip(entries, lines, strict=True)]


def _literal(entry: object, line: int, file: str) -> Literal:
    match entry:
        case {"text": str(text), "reason": str(reason), **rest} if text and reason and not rest:
            return Literal(text, reason, line)
    what = "a [[literal]] has a text and a reason, and nothing else"
    raise Mistake(what, file=file, line=line)


class Lint:
    """Checks texts against what was printed for them, and keeps count of which allowances were needed."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._allowed = read_allowed(project)
        self._needed: set[Literal] = set()

    def article(self) -> list[Finding]:
        """Check the article's prose, captions, notes and titles as their author wrote them."""
        path = self._project.article
        source = authored.text(path, self._project.shown(path))
        return [
            Finding(
                self._project.shown(path), source.count("\n", 0, start) + 1, _NOWHERE.format(number)
            )
            for start, number in _literals(source)
            if not self._let_through(source, start)
        ]

    def words(self, file: str, texts: Iterable[str], quotes: Iterable[Quote]) -> list[Finding]:
        """Check the words of a drawing or a description against the numbers printed for it."""
        printed = {
            _bare(number[0]) for quote in quotes for number in _NUMBER.finditer(quote.printed)
        }
        return [
            Finding(
                file, None, f"{_NOWHERE.format(found[0].strip())} (in “{shortened(text, SHOWN)}”)"
            )
            for text in texts
            for found in _NUMBER.finditer(_ALGEBRA.sub(_blank, text))
            if _bare(found[0]) not in printed and not self._let_through(text, found.start())
        ]

    def allowances(self, quotes: Iterable[Quote]) -> list[Finding]:
        """Check the list itself, last: an idle entry, or one that hides a missing binding."""
        file = f"templates/{ALLOWED}"
        printed = {_bare(q.printed): q.path for q in quotes if len(_bare(q.printed)) > 1}
        idle = [
            Finding(file, each.line, f"'{each.text}' lets nothing through", "remove it")
            for each in self._allowed
            if each not in self._needed
        ]
        hiding = [
            Finding(
                file,
                each.line,
                f"'{found[0]}' is printed from {printed[_bare(found[0])]} too",
                "bind it",
            )
            for each in self._allowed
            for found in _NUMBER.finditer(each.text)
            if _bare(found[0]) in printed
        ]
        return idle + hiding

    def _let_through(self, text: str, start: int) -> bool:
        letting = [each for each in self._allowed if _covers(each, text, start)]
        self._needed.update(letting)
        return bool(letting)


def _literals(source: str) -> Iterator[tuple[int, str]]:
    """Find every literal number of the prose with its place, and the longer ones inside formulas."""
    text = _BLANK.sub(_blank, source)
    for found in _FORMULA.finditer(text):
        for number in _IN_FORMULA.finditer(found[0]):
            yield found.start() + number.start(), number[0]
    text = _FORMULA.sub(_blank, text)
    for found in _NUMBER.finditer(text):
        yield found.start(), found[0].strip()
    for title in _TITLED.finditer(source[: source.find("\n+++\n", 3)]):
        for found in _NUMBER.finditer(title[2]):
            yield title.start(2) + found.start(), found[0].strip()


def _blank(found: re.Match[str]) -> str:
    """Leave nothing of what was found, and everything else in its place."""
    return re.sub(r"[^\n]", " ", found[0])


def _covers(literal: Literal, source: str, start: int) -> bool:
    """Tell whether an occurrence of an allowed phrase covers the place of a number."""
    at = source.find(literal.text)
    while at != -1:
        if at <= start < at + len(literal.text):
            return True
        at = source.find(literal.text, at + 1)
    return False


def _bare(number: str) -> str:
    return re.sub(r"[\s%<>]", "", number.lower()).lstrip("+")
