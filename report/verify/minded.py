"""Compares what a viewer minds of two PDFs beside what their pages paint, thing by thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from report.errors import shortened
from report.verify.difference import Difference, around, paired, quoted
from report.verify.things import SAVED, Thing

STRUCTURE: Final = "structure"
FILES: Final = "attachment"
KINDS: Final = ("document", "page", "link", "outline", FILES, "speech")

Pairs = Iterator[tuple[Thing | None, Thing | None]]


def minded(theirs: Sequence[Thing], ours: Sequence[Thing], *kinds: str) -> Iterator[Difference]:
    """Name all that things of some kinds, or of all but the structure, hold otherwise than here."""
    for kind in kinds or KINDS:
        for one, other in _pairs(theirs, ours, kind):
            yield from _compared(kind, one, other)


def placed(theirs: Sequence[Thing], ours: Sequence[Thing]) -> Iterator[Difference]:
    """Name the things that lie, or lead, to another place than here."""
    for kind in KINDS:
        for one, other in _pairs(theirs, ours, kind):
            if one and other and one.name == other.name:
                yield from _moved("layout", one, one.lies, other.lies)


def _pairs(theirs: Sequence[Thing], ours: Sequence[Thing], kind: str) -> Pairs:
    """Put the things of a kind side by side; files by name, since those that are gone were named."""
    ones, others = ([each for each in side if each.kind == kind] for side in (theirs, ours))
    if kind == FILES:
        names = {each.name for each in ones} & {each.name for each in others}
        ones, others = ([each for each in side if each.name in names] for side in (ones, others))
    return paired(ones, others, lambda thing: thing.sign)


def _compared(kind: str, one: Thing | None, other: Thing | None) -> Iterator[Difference]:
    if one and other and one.name == other.name:
        yield from _moved(kind, one, one.held, other.held)
    elif one and other:
        yield Difference(kind, f"{one.title} in the PDF, {other.name} here", one.page)
    elif one:
        held = " ".join(f"{key} {value}" for key, value in one.held.items())
        yield Difference(
            kind, f"{one.title} is in the PDF, and not here: {shortened(held)}", one.page
        )
    elif other:
        yield Difference(kind, f"{other.title} is here, and not in the PDF")


def _moved(
    kind: str, thing: Thing, theirs: Mapping[str, str], ours: Mapping[str, str]
) -> Iterator[Difference]:
    for key in sorted((theirs.keys() | ours) - SAVED):
        one, other = theirs.get(key), ours.get(key)
        if one != other:
            what = f"{thing.title}: {key} {_told(one, other)} in the PDF, {_told(other, one)} here"
            yield Difference(kind, what, thing.page)


def _told(value: str | None, beside: str | None) -> str:
    """Quote a value, cut down to what differs from another."""
    if value is None or beside is None:
        return quoted(value and shortened(value))
    return quoted(shortened(around(value, beside)[0]))
