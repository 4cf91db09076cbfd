"""The deck for Anki: every card the article names, its numbers bound like the page's."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from types import MappingProxyType
from typing import Final

from lxml import html as trees

from report import authored, formula, inert, parts
from report.article import Article, World
from report.cards import Card, Kind
from report.companions.apkg import Deck, Note, package
from report.formula import Formula
from report.markdown import Note as MarginNote
from report.numbers import Quote
from report.style import GENERIC, Theme, read_tokens

FIELDS: Final = ("Front", "Back", "Kind", "From")
FRONT: Final = '<p class="kind">{{Kind}}</p>\n<div class="front">{{Front}}</div>'
BACK: Final = '{{FrontSide}}\n<hr id="answer">\n<div class="back">{{Back}}</div>\n<p class="from">{{From}}</p>'
ASKED: Final = MappingProxyType[Kind, str](
    {"question": "Question", "number": "Number to remember", "trap": "Trap: what is wrong with it?"}
)


def deck(article: Article, world: World, *before: bytes) -> bytes | None:
    """Pack the cards of an article, or give None where it names none.

    `before` are the packages made before. A run that only tries something makes cards that are newer than
    the usual ones, and older than the usual ones will be after their next change.
    """
    cards = article.written.cards
    if not cards:
        return None
    meta = article.meta
    day = datetime.fromisoformat(meta.published).replace(tzinfo=UTC)
    about = f"{escape(meta.title)} {escape(meta.author)}, {meta.date}. {escape(meta.license)}."
    look, step = (FRONT, BACK, _styles(world)), 1 if world.settings.overrides else 60
    made = Deck(meta.slug, meta.short_title, about, int(day.timestamp()), FIELDS, *look, step)
    return package(made, [_note(card, article, world) for card in cards], *before)


def _note(card: Card, article: Article, world: World) -> Note:
    sides = (_side(html, article) for html in (card.front, card.back))
    titles = {heading.anchor: heading.title for heading in article.headings}
    place = article.plain(titles.get(card.place, ""))
    edition = f"version {article.meta.version}, seed {world.settings.seed}"
    told = " · ".join(filter(None, (article.meta.short_title, place, edition)))
    tags = f"{article.meta.slug}::{card.kind}"
    return Note(card.name, (*sides, ASKED[card.kind], escape(told)), (tags,))


def _side(html: str, article: Article) -> str:
    """Set one side; a card has no place to which a link within the article could lead."""
    top = trees.fragment_fromstring(article.fill(html, _Side()), create_parent=True)
    for link in list(top.iter("a")):
        if (link.get("href") or "").startswith("#"):
            _lead(link, article.meta.site)
    for words in list(top.iter("span")):
        if "data-claim" in words.attrib:
            words.drop_tag()
    inside = "".join(trees.tostring(each, encoding="unicode") for each in top)
    return f"{escape(top.text or '', quote=False)}{inside}".strip()


def _lead(link: trees.HtmlElement, site: str) -> None:
    if site:
        link.set("href", f"{site}{link.get('href')}")
    else:
        link.drop_tag()


class _Side:
    """Sets the parts of an article on a card."""

    def number(self, quote: Quote) -> str:
        """Set a number with its stored value and path, as on the page."""
        return parts.number(quote)

    def formula(self, each: Formula) -> str:
        r"""Set a formula as text where that will do, else in the `\(…\)` that Anki sets by itself."""
        if each.simple and not each.display:
            return formula.text_html(each)
        opening, closing = (r"\[", r"\]") if each.display else (r"\(", r"\)")
        return f"{opening}{escape(each.tex, quote=False)}{closing}"

    def note(self, note: MarginNote) -> str:
        """Set a note below the words that call it."""
        return f'<p class="note">{note.text}</p>'

    def _nothing(self, _part: object) -> str:
        return ""

    figure = data = note_call = answer = answers = sources = _nothing


def _styles(world: World) -> str:
    """Write the style sheet with its colors, light and dark."""
    project = world.project
    sheet, tokens = project.template("card.css"), read_tokens(project.own("tokens.toml"))
    written = authored.text(sheet, project.shown(sheet))
    inert.check_style(written, project.shown(sheet))

    def colors(theme: Theme) -> str:
        return " ".join(f"--{role}: {tokens.color(role, theme)};" for role in GENERIC)

    return (
        f".card {{ {colors('light')} }}\n"
        f".card.nightMode, .card.night_mode {{ {colors('dark')} }}\n{written}"
    )
