"""What a reader is told in a report, kept as data: every passage with its numbers, claims, figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from report import parts
from report.article import Article, World
from report.colophon import colophon, ledger
from report.contracts import Table
from report.drawing import svg
from report.formula import Formula
from report.glance import file_digest
from report.markdown import Note, Placement, Question, table_html
from report.moved import (
    ALT,
    ANSWER,
    CAPTION,
    DATA,
    DESCRIPTION,
    DRAWING,
    FORMAT,
    PIECES,
    TABLE,
    Reading,
)
from report.numbers import Quote
from report.pdf.paper import DRAWINGS
from report.sources import Source

_HELD = "\ue003"  # stands on either side of a number's place in the list of quotes
_QUOTE = re.compile(f"{_HELD}(\\d+){_HELD}")
_SENTENCE = re.compile(rf"(?:(?<=[.?!])|(?<=[.?!][”’)]))\s+(?=[^a-z\d{_HELD}])")
_BLOCKS = frozenset(
    ("p", "li", "dt", "dd", "tr", "h2", "h3", "figcaption", "caption", "pre", "aside", "blockquote")
)
_VOID = frozenset(("br", "hr", "img", "wbr"))


def reading(article: Article, world: World, drawings: Path) -> Reading:
    """Write down each passage in the order of the article, each claim, and what each figure draws.

    `drawings` holds neutral drawings `STEM-wide.svg` and `STEM-compact.svg` for every figure.
    """
    told = _Told(world, drawings)
    whole = f"{_head(article, world)}{article.body(told)}{_colophon(world)}"
    return {
        "format": FORMAT,
        "sentences": list(_passages(whole, told.quotes)),
        "claims": {
            entry.claim.path: {
                "holds": entry.claim.holds,
                "sentence": entry.claim.sentence,
                "evidence": entry.claim.evidence,
                "tally": entry.tally,
            }
            for entry in ledger(article, world)
        },
        "figures": {stem: _drawn(drawings, stem) for stem in article.stems},
    }


def _drawn(drawings: Path, stem: str) -> dict[str, Any]:
    """The hash of a drawing, and the words in each form of it that paper may bear."""
    forms = [drawings / f"{stem}-{layout}.svg" for layout in DRAWINGS]
    words = [svg.runs_of(form.read_text("utf-8")) for form in forms]
    return {"drawing": file_digest(forms[0]), "words": words}


# -- everything that is told, as one text -------------------------------------------------------------


class _Told:
    """Sets the parts of an article as plain words, each where a reader meets it."""

    def __init__(self, world: World, drawings: Path) -> None:
        self._world, self._drawings = world, drawings
        self.quotes: list[Quote] = []

    def number(self, quote: Quote) -> str:
        """Keep a number, and its place in the text."""
        self.quotes.append(quote)
        return f"{_HELD}{len(self.quotes) - 1}{_HELD}"

    def formula(self, formula: Formula) -> str:
        """Set a formula as it is typed."""
        return escape(f"${formula.tex}$")

    def figure(self, figure: Placement) -> str:
        """Set the words that stand for a drawing, then those in it."""
        stem = figure.stem
        drawn = svg.text_of((self._drawings / f"{stem}-wide.svg").read_text("utf-8"))
        return _paragraph(self._world.descriptions[stem]["alt"], ALT) + _row(drawn, DRAWING)

    def data(self, figure: Placement) -> str:
        """Set the description and the data of a figure, which stand below it."""
        about = self._world.descriptions[figure.stem]
        said = "".join(_paragraph(each, DESCRIPTION) for each in about["description"])
        return f'<div data-place="{figure.stem}">{said}{_data(about["table"])}</div>'

    def note_call(self, note: Note) -> str:
        """Nothing: its number says nothing."""
        del note
        return ""

    def note(self, note: Note) -> str:
        """Set a note at its anchor."""
        return f'<aside data-place="note-{escape(note.name)}">{note.text}</aside>'

    def answer(self, question: Question) -> str:
        """Set an answer after its question."""
        return f'<div data-part="{ANSWER}">{question.answer}</div>'

    def answers(self, questions: list[Question]) -> str:
        """Nothing: each answer stands after its question."""
        del questions
        return ""

    def sources(self, sources: list[Source]) -> str:
        """Set the list of sources."""
        return "".join(map(parts.source, sources))


def _paragraph(text: str, part: str = "") -> str:
    return f'<p data-part="{part}">{escape(text)}</p>'


def _row(cells: list[str], part: str) -> str:
    inside = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<table data-part="{part}"><tr>{inside}</tr></table>'


def _data(table: Table) -> str:
    head, *body = ([escape(cell) for cell in row] for row in (table["columns"], *table["rows"]))
    caption = f"<caption>{escape(table['caption'])}</caption>"
    return f'<div data-part="{DATA}">{table_html(head, body, caption)}</div>'


def _head(article: Article, world: World) -> str:
    meta, made = article.meta, colophon(world)
    told = [
        *(meta.kicker, meta.title, meta.dek, meta.author, meta.published, meta.description),
        f"{article.minutes} min read",
        f"Seed {made.seed}",
        f"Article version {meta.version}",
        meta.license,
    ]
    return "".join(map(_paragraph, told))


def _colophon(world: World) -> str:
    made = colophon(world)
    told = [
        made.command,
        *(f"{name} pins seed {seed}" for name, seed in made.pinned),
        *(
            f"{section.name}.{key} = {value}"
            for section in made.sections
            for key, value in section.parameters
        ),
        *(f"{name} {version}" for name, version in made.versions),
    ]
    return f'<div data-place="colophon">{"".join(map(_paragraph, told))}</div>'


# -- cut into passages --------------------------------------------------------------------------------


def _passages(whole: str, quotes: list[Quote]) -> Iterator[dict[str, Any]]:
    cutter = _Cutter()
    cutter.feed(whole)
    cutter.close()
    for section, part, block in cutter.blocks:
        for passage in [block] if part in (TABLE, DATA, DRAWING) else _SENTENCE.split(block):
            numbers = [quotes[int(index)] for index in _QUOTE.findall(passage)]
            yield {
                "section": section,
                "part": part,
                "text": _QUOTE.sub(lambda found: quotes[int(found[1])].printed, passage),
                "numbers": [[quote.path, _how(quote), quote.printed] for quote in numbers],
            }


def _how(quote: Quote) -> str:
    """Name the printer of a number with what it was told: `fixed 2`."""
    return " ".join([quote.how, *map(str, quote.details)])


class _Cutter(HTMLParser):
    """Cuts a text into blocks, each with the anchor it stands at and the part of it."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[tuple[str, str, str]] = []
        self._heading = ""
        self._open: list[tuple[str | None, str]] = [(None, "")]  # of each open element
        self._words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block, and see where it stands."""
        if tag in _VOID:
            return
        if tag in _BLOCKS:
            self._cut()
        given, (place, part) = dict(attrs), self._open[-1]
        if tag in ("h2", "h3"):
            self._heading = given["id"] or ""
        if tag in ("figure", "table", "li"):
            place = given.get("id") or place
        if tag == "table":
            part = part or TABLE
        elif tag in ("figcaption", "caption") and part in ("", TABLE):
            part = CAPTION
        self._open.append((given.get("data-place") or place, given.get("data-part") or part))

    def handle_endtag(self, tag: str) -> None:
        """End a block where one ends."""
        if tag in _VOID:
            return
        if tag in _BLOCKS:
            self._cut()
        elif tag in ("td", "th"):
            self._words.append(PIECES)
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Keep the words."""
        self._words.append(data)

    def _cut(self) -> None:
        block = " ".join("".join(self._words).split()).removesuffix(PIECES.rstrip())
        self._words = []
        if block:
            place, part = self._open[-1]
            self.blocks.append((place or self._heading, part, block))
