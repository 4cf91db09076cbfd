"""The PDF: the article set for paper, its data attached, archival and accessible."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote as url_quote

from markupsafe import Markup

from report import authored, moved, parts, reading, sandbox
from report import formula as formulas
from report.article import ANSWERS, Article, World
from report.colophon import colophon, ledger, quoted
from report.drawing import svg
from report.errors import Mistake
from report.formula import Formula
from report.markdown import Heading, Note, Placement, Question
from report.numbers import Quote, plain
from report.pdf.attachments import Attached, attached, effective
from report.pdf.paper import (
    BREAK,
    DRAWINGS,
    NO_BREAK,
    Paper,
    breakable,
    families,
    finish,
    spaced,
    styles,
    words,
)
from report.since import Since, since
from report.sources import Source
from report.style import Layout, Tokens, read_tokens
from report.symbols import symbols

__all__ = ["Loose", "Made", "Paper", "make", "render"]

BODY: Final = 10.25  # points
DISPLAY: Final = 10.9  # points at which STIX looks as large as the text around it
_QUOTED = re.compile(r"[“\"]([^”\"]+)[”\"]")


class Loose(UserWarning):
    """A page that ends emptier than a good one should."""


@dataclass(frozen=True)
class Made:
    """A finished PDF, its pages, and what could not be had of them, each in one sentence."""

    data: bytes
    pages: int
    remarks: list[str]


def render(article: Article, world: World, drawings: Path, paper: Paper) -> bytes:
    """Write the whole PDF; warn of pages that stay too empty. Raises what `make` raises."""
    made = make(article, world, drawings, paper)
    for remark in made.remarks:
        warnings.warn(remark, Loose, stacklevel=2)
    return made.data


def make(article: Article, world: World, drawings: Path, paper: Paper, copy: str = "") -> Made:
    """Write the whole PDF, told against what is kept of an earlier `copy` if there is one.

    `drawings` holds neutral drawings `STEM-wide.svg` and `STEM-compact.svg` for every figure.
    Raises Mistake for whatever the PDF engine complains of, and for an address outside the build.
    """
    published = date.fromisoformat(article.meta.published)
    tokens = read_tokens(world.project.own("tokens.toml"))
    medium = _Print(article, world, drawings, tokens)
    told = reading.reading(article, world, drawings)
    files = attached(world, article.meta, moved.written(told), copy)
    changed = _since(copy, told, article, world, medium) if copy else None
    html = _document(article, world, medium, [each.name for each in files], changed)
    style = styles(world.project, tokens, paper)
    try:
        return _press(medium, html, style, files, published)
    except Mistake as mistake:
        raise _located(mistake, world) from None


def _since(copy: str, told: moved.Reading, article: Article, world: World, medium: _Print) -> Since:
    parameters = json.loads(effective(world.settings))
    sections = {name: each for name, each in parameters.items() if isinstance(each, dict)}
    return since(copy, told, sections, article, medium.label())


def _press(
    medium: _Print, html: str, style: dict[str, bytes], files: list[Attached], published: date
) -> Made:
    from report.pdf import engine, pages, standard  # noqa: PLC0415 - load the PDF engine

    press = engine.Engine(medium.files | style)
    composed = pages.compose(press, html, medium.savings)
    data = press.write(composed.document, files, published)
    return Made(standard.complete(data, families(style)), len(composed.blanks), composed.problems)


def _located(mistake: Mistake, world: World) -> Mistake:
    """Find the line of the article, or else of its template, that holds what a mistake quotes."""
    project = world.project
    if mistake.line or mistake.file not in (None, project.shown(project.article)):
        return mistake
    for path in (project.article, project.template("print.html")):
        file = project.shown(path)
        for number, line in enumerate(authored.text(path, file).splitlines(), 1):
            if any(piece in line for piece in _QUOTED.findall(mistake.what)):
                return Mistake(mistake.what, file=file, line=number, then=mistake.then)
    return mistake


class _Print:
    """Sets the parts of an article for paper, and keeps the pictures they ask for."""

    def __init__(self, article: Article, world: World, drawings: Path, tokens: Tokens) -> None:
        self._article, self._world = article, world
        self._drawings, self._tokens = drawings, tokens
        self.files: dict[str, bytes] = {}
        self.savings: dict[str, float] = {}  # points a figure's compact drawing is lower by

    def label(self) -> _Label:
        """Give what sets a heading elsewhere than where it stands."""
        return _Label(self._article, self._world, self._drawings, self._tokens)

    def number(self, quote: Quote) -> str:
        """Set a number as text, `1.5 × 10⁻⁶` on one line."""
        return escape(quote.printed).replace(" ", NO_BREAK)

    def formula(self, formula: Formula) -> str:
        """Set a short formula as text, a longer one as outlines that say what they show."""
        if formula.simple and not formula.display:
            return formulas.text_html(formula)
        try:
            drawn = formulas.svg(formula, DISPLAY, color=self._tokens.color("ink", "print"))
        except formulas.FormulaError as error:
            raise _located(Mistake(str(error)), self._world) from None
        name = f"formula/{len(self.files)}.svg"
        self.files[name] = drawn.svg
        size = DISPLAY / BODY  # in em: a formula in a note is as small as the note
        style = f"width:{drawn.width_em * size:.4f}em;height:{drawn.height_em * size:.4f}em"
        kind = "display"
        if not formula.display:
            kind, style = "inline", f"{style};vertical-align:{-drawn.depth_em * size:.4f}em"
        said = f'data-tag="formula" alt="{escape(formula.spoken)}"'
        return f'<img class="{kind}" src="report:{name}" {said} style="{style}">'

    def figure(self, figure: Placement) -> str:
        """Set a drawing, its colors constant and its words live; a lower one is kept at hand."""
        heights = [self._draw(figure.stem, layout) for layout in DRAWINGS]
        self.savings[figure.stem] = max(0.0, heights[0] - heights[1])
        alt = self._world.descriptions[figure.stem]["alt"]
        return f'<img src="report:figure/{figure.stem}-wide.svg" alt="{escape(alt)}">'

    def _draw(self, stem: str, layout: Layout) -> float:
        """Keep one drawing for the engine; give its height in points."""
        neutral = (self._drawings / f"{stem}-{layout}.svg").read_text("utf-8")
        drawn = svg.printed(neutral, self._tokens)
        self.files[f"figure/{stem}-{layout}.svg"] = drawn.encode()
        height = re.search(r'<svg[^>]* height="([\d.]+)pt"', drawn)
        assert height is not None  # `printed` writes it
        return float(height[1])

    def data(self, figure: Placement) -> str:
        """Nothing: data tables stand in the page and in the attached results."""
        del figure
        return ""

    def note_call(self, note: Note) -> str:
        """Set the raised number that leads to a note."""
        link = f'<a id="call-{escape(note.name)}" href="#note-{url_quote(note.name)}">'
        return f'<sup class="call">{link}{note.number}</a></sup>'

    def note(self, note: Note) -> str:
        """Set a note for the margin, its number leading back."""
        back = f'<a class="back" href="#call-{url_quote(note.name)}">{note.number}</a>'
        return f'<aside class="note" id="note-{escape(note.name)}">{back} {note.text}</aside>'

    def answer(self, question: Question) -> str:
        """Set the link from a question to its answer."""
        return f'<a class="number" href="#answer-{question.number}">{question.number}</a>'

    def answers(self, questions: list[Question]) -> str:
        """Set all answers after all questions, numbered alike."""
        items = "".join(
            f'<li id="answer-{each.number}"><a class="number" href="#question-{each.number}">'
            f"{each.number}</a>{each.answer}</li>\n"
            for each in questions
        )
        return f'<h3 id="{ANSWERS}">Answers</h3>\n<ol class="answers">\n{items}</ol>\n'

    def sources(self, sources: list[Source]) -> str:
        """Set the list of all works."""
        works = "".join(map(parts.source, sources)).replace("<wbr>", BREAK)
        return f'<ol class="sources">\n{works}</ol>\n'


class _Label(_Print):
    """Sets a heading for the contents, where nothing is called."""

    def note_call(self, note: Note) -> str:
        """Nothing: a note is called once."""
        del note
        return ""


def _document(
    article: Article,
    world: World,
    medium: _Print,
    attachments: list[str],
    changed: Since | None,
) -> str:
    """Write the HTML that is printed."""
    label = medium.label()
    labels = {each.anchor: _outlined(each, article, label) for each in article.headings}
    contents = parts.contents(article, label)
    entries = {each.anchor: each for each in contents}
    template = world.project.template("print.html")
    html = sandbox.page(
        template,
        world.project.shown(template),
        {
            "plain": plain,
            "symbols": lambda text: Markup(symbols(text)),  # noqa: S704 - escaped there
            "breakable": lambda text: Markup(breakable(text)),  # noqa: S704 - escaped there
        },
        meta=article.meta,
        minutes=article.minutes,
        summary=article.written.summary,
        contents=contents,
        body=Markup(finish(article.body(medium), labels)),  # noqa: S704 - escaped where it was made
        made=colophon(world),
        groups=[(each, entries.get(each.anchor)) for each in quoted(article)],
        claims=ledger(article, world),
        verdict=world.ledger.summary(),
        attached=attachments,
        since=changed,
    )
    return spaced(html)


def _outlined(heading: Heading, article: Article, label: _Label) -> str:
    """Name a heading for the outline: plain text, its step before it."""
    title = words(article.fill(heading.title, label))
    return f"{heading.step}: {title}" if heading.step else title
