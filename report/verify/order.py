"""Whether all that a viewer minds of a PDF is in order: as the generator writes it, and as it belongs.

What is asked here needs nothing but the PDF: that it holds nothing the generator never writes, that its
pages show all their words, and that its files and dates are what they are called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from report.errors import shortened
from report.pdf.paper import SIZES, points
from report.verify.carried import Carried
from report.verify.difference import Difference, quoted
from report.verify.sight import Page, Sight
from report.verify.things import LEADS, Thing

SLACK: Final = 1.0  # points a place or a length may be off
MOST: Final = 10**4  # pages: who writes a greater number into a margin is not followed
_NUMBER = re.compile(r"(?P<page>[0-9]{1,6}) / (?P<of>[0-9]{1,6})")


def disorders(carried: Carried, sight: Sight) -> Iterator[Difference]:
    """Name whatever is not in order."""
    for thing in sight.things:
        yield from _strange(thing)
    for number, page in enumerate(sight.pages, 1):
        yield from _hidden(number, page)
    yield from _files(sight.things)
    yield from _dates(sight.things, carried.made.article.published)


def _strange(thing: Thing) -> Iterator[Difference]:
    for key, value in thing.strange.items():
        what = f"{thing.title}: {key} {quoted(shortened(value))} is nothing that a report holds"
        yield Difference(thing.kind, what, thing.page)
    leads = thing.held.get(LEADS, "")
    spoken = thing.held.get("/Contents", "")
    if thing.kind == "link" and spoken not in ("", leads.removeprefix("#")):
        what = f"{thing.title} to {shortened(leads)} is announced as {quoted(shortened(spoken))}"
        yield Difference("link", what, thing.page)


# What pages show


def _hidden(number: int, page: Page) -> Iterator[Difference]:
    """Name a page that is no sheet of paper, or that holds words it does not show."""
    left, bottom, right, top = page.box
    size = right - left, top - bottom
    sheets = [points(paper) for paper in SIZES]
    if not any(_near(size, sheet) or _near(size, sheet[::-1]) for sheet in sheets):
        papers = " nor ".join(SIZES)
        what = f"page {number} shows {size[0]:g} by {size[1]:g} points, which is neither {papers}"
        yield Difference("page", what, number)
    hidden = [
        mark.text
        for mark in page.told
        if mark.text.strip() and not (mark.shown and mark.begins_in(page.box))
    ]
    if hidden:
        what = f"page {number} holds words that it does not show: “{shortened(' '.join(hidden))}”"
        yield Difference("page", what, number)


def misnumbered(pages: Sequence[Page]) -> Iterator[Difference]:
    """Name the pages that are missing, or out of their order, by the numbers in their margins."""
    found = [
        next((each for mark in page.rest if (each := _NUMBER.fullmatch(mark.text.strip()))), None)
        for page in pages
    ]
    counts = Counter(int(each["of"]) for each in found if each)
    if not counts:
        return
    of = counts.most_common(1)[0][0]
    told = [int(each["page"]) if each else at for at, each in enumerate(found, 1)]
    for number in sorted(set(range(1, min(of, MOST) + 1)) - set(told)):
        yield Difference("page", f"page {number} of {of} is missing")
    matcher = SequenceMatcher(None, told, range(1, min(of, MOST) + 1), autojunk=False)
    for tag, begin, end, *_ in matcher.get_opcodes():
        for at in range(begin, end) if tag in ("delete", "replace") else ():
            said = f"bears the number {told[at]} of {of}" if found[at] else "bears no number"
            yield Difference("page", f"page {at + 1} {said}: it does not belong there", at + 1)


def _near(ones: Sequence[float], others: Sequence[float]) -> bool:
    return all(abs(one - other) < SLACK for one, other in zip(ones, others, strict=True))


# Files and dates


def _files(things: Sequence[Thing]) -> Iterator[Difference]:
    files = [thing for thing in things if thing.kind == "attachment"]
    for name, count in Counter(each.name for each in files).items():
        if count > 1:
            yield Difference("attachment", f"{name} is there {count} times")
    for file in files:
        for name in {file.held.get("/F", ""), file.held.get("/UF", "")} - {"", file.name}:
            yield Difference("attachment", f"{file.name} is saved as {quoted(name)}")


_FIRST: Final = ("/CreationDate", "xmp:CreateDate", "says /CreationDate")
_LAST: Final = ("/ModDate", "xmp:ModifyDate", "says /ModDate")


def _dates(things: Sequence[Thing], published: str) -> Iterator[Difference]:
    """Hold dates against that of the article: made then, and saved then or later."""
    day = published.replace("-", "")
    for thing in things:
        for key, value in thing.held.items():
            told = value.removeprefix("D:").replace("-", "")[: len(day)]
            if (key in _FIRST and told != day) or (key in _LAST and told < day):
                what = f"{thing.title}: {key} {quoted(value)}, of an article of {published}"
                yield Difference("document", what)
