"""What several outputs set alike: a bound number, a cross reference, the contents, the sources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from report.article import Article, Medium
from report.markdown import Heading
from report.numbers import Quote
from report.sources import Source

_REFERENCE = re.compile(r"(>(?:Figure|Table)) (?=\d+</a>)")
MAIN = 2  # rank of the headings that the contents list


@dataclass(frozen=True)
class Entry:
    """A line of the contents: where it leads, the small words before it, and its title as HTML."""

    anchor: str
    step: str
    title: Markup


def number(quote: Quote) -> str:
    """Set a printed number with its stored value and its path."""
    stored, path = escape(repr(quote.value)), escape(quote.path)
    return f'<data class="n" value="{stored}" data-path="{path}">{escape(quote.printed)}</data>'


def tied(body: str) -> str:
    """Keep each cross reference on one line, its number beside its word."""
    return _REFERENCE.sub("\\1\u00a0", body)


def contents(article: Article, label: Medium) -> list[Entry]:
    """List the main headings; `label` sets what stands in their titles."""
    return [entry(each, article, label) for each in article.headings if each.level == MAIN]


def entry(heading: Heading, article: Article, label: Medium) -> Entry:
    """List one heading."""
    title = re.sub(r' id="[^"]*"', "", article.fill(heading.title, label))  # ids stay in the text
    safe = Markup(title)  # noqa: S704 - escaped where it was made
    return Entry(heading.anchor, heading.step, safe)


def source(work: Source) -> str:
    """Set one work of the list of sources at its anchor: where it can be read, and what it supports."""
    found = "; ".join(filter(None, (_link(work), escape(work.code))))
    place = ", ".join(filter(None, (found, escape(work.where))))
    seen = f"Accessed {escape(work.accessed)}" if work.accessed else ""
    more = "".join(f" {part}." for part in (escape(work.venue), place, seen) if part)
    stop = "" if work.title.endswith(("?", "!", ".")) else "."
    return (
        f'<li id="{escape(work.anchor)}"><p><span class="who">{escape(work.label)}.</span> '
        f"<cite>{escape(work.title)}</cite>{stop}{more} "
        f'<span class="supports">Supports: {escape(work.supports)}.</span></p></li>\n'
    )


def _link(work: Source) -> str:
    """Link to where a work can be read; the number of a preprint stays on the line of its archive."""
    if work.arxiv:
        return f'<a class="whole" href="{escape(work.link)}">arXiv:{escape(work.arxiv)}</a>'
    return f'<a href="{escape(work.link)}">{_breakable(work.url)}</a>' if work.url else ""


def _breakable(address: str) -> str:
    """Show an address without its scheme, and let it break after its slashes."""
    return re.sub(r"(?<=[/_])(?=\w)", "<wbr>", escape(re.sub(r"^https?://", "", address)))
