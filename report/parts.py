"""What page and print set alike: the contents, the date, the sources, headings as plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from html import escape

from markupsafe import Markup

from report.article import Article, Medium
from report.markdown import Heading
from report.sources import Source

MAIN = 2  # rank of the headings that the contents list
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A line of the contents: where it leads, the small words before it, and its title as HTML."""

    anchor: str
    step: str
    title: Markup


def contents(article: Article, label: Medium) -> list[Entry]:
    """List the main headings; `label` sets what stands in their titles."""
    return [_entry(each, article, label) for each in article.headings if each.level == MAIN]


def _entry(heading: Heading, article: Article, label: Medium) -> Entry:
    title = re.sub(r' id="[^"]*"', "", article.fill(heading.title, label))  # ids stay in the text
    safe = Markup(title)  # noqa: S704 - escaped where it was made
    return Entry(heading.anchor, heading.step, safe)


def long_date(published: str, language: str) -> str:
    """Write a date in the article's language if that is English, else as it is given."""
    try:
        day = date.fromisoformat(published)
    except ValueError:
        return published
    month = _MONTHS[day.month - 1]
    if language == "en-US":
        return f"{month} {day.day}, {day.year}"
    return f"{day.day} {month} {day.year}" if language.startswith("en") else published


def source(work: Source) -> str:
    """Set one work of the list of sources at its anchor, with a link to where it can be read."""
    where = f"arXiv:{work.arxiv}" if work.arxiv else work.url
    link = f' <a href="{escape(work.link)}">{_breakable(where)}</a>.' if work.link else ""
    more = "".join(f" {escape(part)}." for part in (work.venue, work.code) if part)
    seen = f" Accessed {escape(work.accessed)}." if work.accessed else ""
    stop = "" if work.title.endswith(("?", "!", ".")) else "."
    return (
        f'<li id="{escape(work.anchor)}"><p><span class="who">{escape(work.label)}.</span> '
        f"<cite>{escape(work.title)}</cite>{stop}{more}{link}{seen} "
        f'<span class="supports">For {escape(work.supports)}.</span></p></li>\n'
    )


def _breakable(address: str) -> str:
    """Show an address without its scheme, and let it break after its slashes."""
    return re.sub(r"(?<=[/_])(?=\w)", "<wbr>", escape(re.sub(r"^https?://", "", address)))
