"""The places of a finished PDF that have a name, and whatever else is named in it: where each of them is.

Section numbers are those of ISO 32000-1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pikepdf

Object = Any  # pikepdf's own types know no keys of a dictionary

_DEEPEST: Final = 8  # of a tree of names


class Place(NamedTuple):
    """A point that something leads to, in points of the page."""

    page: int
    x: float
    y: float


def pages(pdf: pikepdf.Pdf) -> dict[str, int]:
    """Give the page, counted from one, of each place that has a name."""
    return {name: place.page for name, place in places(pdf).items()}


def places(pdf: pikepdf.Pdf) -> dict[str, Place]:
    """Give the places that have a name and are a point of a page."""
    return {name: place for name, value in named(pdf) if (place := at(value))}


def lost(pdf: pikepdf.Pdf) -> list[str]:
    """Name the places that lead nowhere, as they do when their page is taken out."""
    return [name for name, value in named(pdf) if at(value) is None]


def at(place: Object) -> Place | None:
    """Read where a place is (12.3.2); None for what is no point of a page."""
    told = target(place)
    match list(told) if isinstance(told, pikepdf.Array) else []:
        case [page, kind, x, y, *_] if kind == "/XYZ" and (number := numbered(page)):
            return Place(number, float(x or 0), float(y or 0))
    return None


def numbered(page: Object) -> int:
    """Count a page from one; 0 for what is no page of the document, such as one that was taken out."""
    try:
        return pikepdf.Page(page).index + 1
    except (TypeError, ValueError):  # it is no page at all, or none of those that are left
        return 0


def target(place: Object) -> Object:
    """Take a place out of the dictionary it may stand in alone."""
    alone = isinstance(place, pikepdf.Dictionary) and place.keys() == {"/D"}
    return place.D if alone else place


# Names (7.7.4, 7.9.6)


def named(pdf: pikepdf.Pdf) -> Iterator[tuple[str, Object]]:
    """Give the places that have a name."""
    return branch(pdf, "/Dests")


def branch(pdf: pikepdf.Pdf, key: str) -> Iterator[tuple[str, Object]]:
    """Give all names of one kind and what they stand for, also what is there twice."""
    names: Object = pdf.Root.get("/Names", pikepdf.Dictionary())
    return _leaves(names.get(key, pikepdf.Dictionary()), _DEEPEST)


def _leaves(node: Object, deep: int) -> Iterator[tuple[str, Object]]:
    names = list(node.get("/Names", []))
    yield from ((str(name), value) for name, value in zip(names[::2], names[1::2], strict=False))
    for kid in node.get("/Kids", []) if deep else []:
        if isinstance(kid, pikepdf.Dictionary):
            yield from _leaves(kid, deep - 1)
