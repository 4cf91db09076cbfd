"""Whether the links of a PDF lie on their own words, and reach, as its outline does, what they say."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import inf
from operator import itemgetter
from string import digits
from typing import Final

from report.errors import shortened
from report.pdf.places import Place
from report.verify.difference import Difference
from report.verify.ink import Mark
from report.verify.sight import Page, Sight, squeezed
from report.verify.ways import Content, Link, Ways

BELOW: Final = 60.0  # points below a place within which the heading it leads to begins
NEAR: Final = 6.0  # points from an area that its words may begin: a raised number's has no height
INSET: Final = -1.0  # points that words begin within an area, to lie in it

Words = dict[Content, list[Mark]]  # of the text, by whose they are, page after page


def unreached(sight: Sight) -> Iterator[Difference]:
    """Name the links and titles that are not where they belong, or lead elsewhere than they say."""
    words: Words = {}
    for number, shown in enumerate(sight.pages, 1):
        for mark in shown.told:
            if mark.owner is not None and mark.text.strip():
                words.setdefault((number, mark.owner), []).append(mark)
    yield from _misplaced(sight.ways.links, words)
    for name, place in sight.ways.places.items():
        if not _leads_to_any(place, sight.pages):
            what = f"the place #{name}, on page {place.page}, has nothing below it"
            yield Difference("link", what, place.page)
    yield from _nowhere(sight.ways)
    yield from _mistaken(sight.ways, words)


def _misplaced(links: Sequence[Link], words: Words) -> Iterator[Difference]:
    """Name the links that a pointer finds over the words of others, or not over their own."""
    owned = {page: list(each) for page, each in groupby(words, itemgetter(0))}
    for link in links:
        for page, box in link.areas:
            place = f"page {page}: the link to {shortened(link.leads)} lies"
            theirs = [each for each in owned.get(page, []) if each not in link.own]
            over = [m.text for each in theirs for m in words[each] if m.begins_in(box, INSET)]
            if over:
                yield Difference(
                    "link", f"{place} over other words: “{shortened(' '.join(over))}”", page
                )
            mine = [mark for each in link.own if each[0] == page for mark in words.get(each, [])]
            if (mine or not link.own) and not any(mark.begins_in(box, NEAR) for mark in mine):
                yield Difference("link", f"{place} off its words", page)


def _nowhere(ways: Ways) -> Iterator[Difference]:
    """Name what leads to no page: places that were on one, links to places that are not there."""
    for name in ways.lost:
        yield Difference("link", f"the place #{shortened(name)} is on no page of the PDF")
    for link in ways.links:
        name = link.leads.removeprefix("#")
        if name != link.leads and name not in ways.places and name not in ways.lost:
            for page, _ in link.areas[:1]:
                what = f"the link to #{shortened(name)} leads nowhere"
                yield Difference("link", f"page {page}: {what}" if page else what, page)
    for title, place in ways.outline:
        if place is None:
            yield Difference("outline", f"the outline's “{shortened(title)}” leads nowhere")


def _leads_to_any(place: Place, pages: Sequence[Page]) -> bool:
    if not 0 < place.page <= len(pages):
        return False
    page = pages[place.page - 1]
    marks = (mark for mark in (*page.told, *page.rest) if mark.points)
    return any(_is_below(place, mark, inf) for mark in marks)


def _is_below(place: Place, mark: Mark, within: float) -> bool:
    return mark.begins_in((place.x, place.y - within, inf, place.y))


def _mistaken(ways: Ways, words: Words) -> Iterator[Difference]:
    """Name the titles, of the outline and of the contents, that lead to another heading than theirs."""
    headings: dict[str, list[tuple[int, Mark]]] = defaultdict(list)
    for own in ways.headings:
        if first := _first(own, words):
            headings[_bare(own, words)].append(first)
    listed = [  # its number of a page after it
        (_bare(link.own, words).rstrip(digits), ways.places.get(link.leads.removeprefix("#")))
        for link in ways.links
        if link.listed
    ]
    for title, place in [*((_plain(title), place) for title, place in ways.outline), *listed]:
        meant = headings.get(title) or headings.get(title.partition(":")[2], [])
        if meant and not any(
            place and page == place.page and _is_below(place, mark, BELOW) for page, mark in meant
        ):
            where = f"page {place.page}" if place else "no page"
            yield Difference("link", f"“{title}” is on page {meant[0][0]}, and leads to {where}")


def _first(own: set[Content], words: Words) -> tuple[int, Mark] | None:
    """Find the first words of an element, and their page."""
    return next(
        ((page, mark) for page, at in sorted(own) for mark in words.get((page, at), [])), None
    )


def _bare(own: set[Content], words: Words) -> str:
    return _plain("".join(mark.text for content in sorted(own) for mark in words.get(content, [])))


def _plain(text: str) -> str:
    """Write lowered letters, which an outline has for those of formulas, as any others."""
    return unicodedata.normalize("NFKC", squeezed(text))
