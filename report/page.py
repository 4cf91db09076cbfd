"""The page: one HTML file that carries its styles, fonts, figures and formulas and asks nothing of a network."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote as url_quote

from markupsafe import Markup

from report import authored, inert, parts, sandbox, trying
from report import formula as formulas
from report.article import Article, World
from report.colophon import colophon, ledger, quoted
from report.contracts import Table
from report.drawing import svg
from report.errors import Mistake
from report.formula import Formula
from report.markdown import Note, Placement, Question, table_html
from report.numbers import Quote
from report.screen import finish, styles
from report.sources import Source
from report.style import Tokens, read_tokens
from report.symbols import symbols

DATA: Final = ' class="data"'
LAYOUTS: Final = ("wide", "narrow")  # both stand in the page; the width of the screen chooses
LIMIT: Final = 1_500_000  # bytes of the whole page


def render(article: Article, world: World, drawings: Path) -> str:
    """Write the whole page.

    `drawings` holds a neutral drawing `STEM-LAYOUT.svg` for every figure and layout of the page.
    Raises Mistake for a font that is not there and for a page that weighs more than LIMIT.
    """
    project = world.project
    tokens = read_tokens(project.own("tokens.toml"))
    scripts = trying.scripts(project, article.stems)
    medium = _Page(article, world, drawings, tokens, scripts)
    groups = quoted(article)
    body = finish(article.body(medium), article, groups)
    label = _Label(article, world, drawings, tokens, {})
    css = styles(project, tokens, body)
    template = project.template("page.html")
    page = sandbox.page(
        template,
        project.shown(template),
        {"symbols": lambda text: Markup(symbols(text))},  # noqa: S704 - escaped there
        meta=article.meta,
        minutes=article.minutes,
        summary=article.written.summary,
        contents=parts.contents(article, label),
        scripts=[trying.fingerprint(script) for script in scripts.values()],
        css=Markup(css),  # noqa: S704 - the project's own style sheet
        body=Markup(body),  # noqa: S704 - escaped where it was made
        made=colophon(world),
        groups=groups,
        claims=ledger(article, world),
        verdict=world.ledger.summary(),
    )
    written = authored.text(template, "")
    inert.check_page(page, written, project.shown(template), scripts.values())
    _weigh(page, drawings)
    return page


def _weigh(page: str, drawings: Path) -> None:
    """Raise Mistake for a page that is too heavy to send, with the drawing that weighs most."""
    weight = len(page.encode())
    if weight > LIMIT:
        heaviest = max(drawings.glob("*.svg"), key=lambda path: path.stat().st_size)
        raise Mistake(
            f"the page would weigh {weight / 1e6:.1f} MB, and {LIMIT / 1e6} MB is the most, "
            f"and its heaviest drawing is {heaviest.stem} ({heaviest.stat().st_size / 1e6:.1f} MB)",
            then="draw fewer points or sum them up",
        )


# -- the parts that page and print set differently ----------------------------------------------------


class _Page:
    """Sets the parts of an article for the screen."""

    def __init__(
        self,
        article: Article,
        world: World,
        drawings: Path,
        tokens: Tokens,
        scripts: Mapping[str, str],
    ) -> None:
        self._article, self._world, self._scripts = article, world, scripts
        self._drawings, self._tokens = drawings, tokens
        self._displayed = 0

    def number(self, quote: Quote) -> str:
        """Set a number with its stored value and its path; the style shows both to a pointer."""
        return parts.number(quote)

    def formula(self, formula: Formula) -> str:
        """Set a short formula as text, a longer one as MathML; a displayed one scrolls by itself."""
        if not formula.display:
            return formulas.text_html(formula) if formula.simple else formulas.mathml(formula)
        self._displayed += 1
        return (
            f'<span class="formula" role="region" tabindex="0" '
            f'aria-label="Formula {self._displayed}">{formulas.mathml(formula)}</span>'
        )

    def figure(self, figure: Placement) -> str:
        """Set both layouts of a drawing; the style shows one and hides the other from everyone."""
        alt = self._world.descriptions[figure.stem]["alt"]
        return "".join(
            svg.page(self._neutral(figure.stem, layout), figure.stem, layout, self._tokens, alt)
            for layout in LAYOUTS
        )

    def _neutral(self, stem: str, layout: str) -> str:
        return (self._drawings / f"{stem}-{layout}.svg").read_text("utf-8")

    def data(self, figure: Placement) -> str:
        """Set what may be tried by hand, then what a drawing shows in words and as a table, folded."""
        about, script = self._world.descriptions[figure.stem], self._scripts.get(figure.stem)
        by_hand = trying.placed(script, self._world.results[figure.stem]) if script else ""
        words = "".join(f"<p>{symbols(paragraph)}</p>\n" for paragraph in about["description"])
        return (
            f"{by_hand}"
            '<details class="description"><summary>Text description and data'
            f'<span class="unseen"> of Figure {figure.number}</span></summary>\n'
            f"{words}{_data_table(about['table'], figure.number)}</details>\n"
        )

    def note_call(self, note: Note) -> str:
        """Set the raised number that leads to a note."""
        name = escape(note.name)
        return (
            f'<sup class="call"><a id="call-{name}" href="#note-{url_quote(note.name)}" '
            f'role="doc-noteref" aria-label="Note {note.number}">{note.number}</a></sup>'
        )

    def note(self, note: Note) -> str:
        """Set a note, its number leading back; each note knows the one above it, to stand below it."""
        name = escape(note.name)
        chain = f"anchor-name:--note-{note.number};--above:--note-{note.number - 1}"
        return (
            f'<aside class="note" id="note-{name}" role="doc-footnote" style="{chain}">'
            f'<a class="back" href="#call-{url_quote(note.name)}" '
            f'aria-label="{note.number}, back to the text">{note.number}</a> {note.text}</aside>'
        )

    def answer(self, question: Question) -> str:
        """Fold an answer under its question."""
        return (
            '<details class="answer"><summary>Answer'
            f'<span class="unseen"> to question {question.number}</span></summary>\n'
            f"{question.answer}</details>"
        )

    def answers(self, questions: list[Question]) -> str:
        """Nothing: on the page every answer is folded under its question."""
        del questions
        return ""

    def sources(self, sources: list[Source]) -> str:
        """Set the list of all works, each at its anchor."""
        return f'<ol class="sources">\n{"".join(map(parts.source, sources))}</ol>\n'


class _Label(_Page):
    """Sets a heading for the contents, where a number is no second quotation and nothing is called."""

    def number(self, quote: Quote) -> str:
        """Set a number as text."""
        return escape(quote.printed)

    def note_call(self, note: Note) -> str:
        """Nothing: a note is called once."""
        del note
        return ""


def _data_table(table: Table, figure: int) -> str:
    head, *body = ([symbols(cell) for cell in row] for row in (table["columns"], *table["rows"]))
    caption = f"<caption>{symbols(table['caption'])}</caption>"
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="Data of Figure {figure}">'
        f"{table_html(head, body, caption, DATA)}</div>\n"
    )
