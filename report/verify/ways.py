"""Where the links and the outline of a PDF lead, by its own word, and which words they belong to.

Section numbers are those of ISO 32000-1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pikepdf

from report.pdf.places import Place, at, lost, places
from report.verify.objects import Object, children, laid_on, rectangle, worded

Content = tuple[int, int]  # a page, and the number of a piece of marked content on it
Walked = tuple[Object, int, tuple[str, ...]]  # an element, its page, and what it lies in
Numbers = dict[tuple[int, int], int]  # of pages, by their objects
HEADINGS: Final = {f"/H{rank}" for rank in range(1, 7)}


@dataclass
class Link:
    """A link: what it leads to, what belongs to it, and the areas where a pointer finds it."""

    leads: str
    own: set[Content]
    areas: list[tuple[int, tuple[float, float, float, float]]]  # page, rectangle
    listed: bool  # in the table of contents


@dataclass
class Ways:
    """All ways through a PDF, and its headings, which most of them lead to."""

    places: dict[str, Place]  # that have a name
    lost: list[str]  # names of those that are on no page
    outline: list[tuple[str, Place | None]]  # its titles, and where they lead
    links: list[Link]
    headings: list[set[Content]]


def ways(pdf: pikepdf.Pdf) -> Ways:
    """Find all ways through a PDF; a link that the structure does not know has nothing of its own."""
    numbers = page_numbers(pdf)
    laid = {area.objgen: (number, area) for number, area in _laid(pdf)}
    links, headings = list[Link](), list[set[Content]]()
    for element, page, above in elements(pdf):
        if worded(element.S) in HEADINGS:
            headings.append(set(_own(element, page, numbers)))
        elif element.S == "/Link":
            own = set(_own(element, page, numbers))
            held = [laid.pop(area.objgen, (0, area)) for area in areas(element)]
            links.append(_link(held, own, listed="/TOC" in above))
    links += [_link([each], set(), listed=False) for each in laid.values()]
    outline = [(worded(each.get("/Title", "")), at(each.get("/Dest"))) for each in entries(pdf)]
    return Ways(places(pdf), lost(pdf), outline, links, headings)


def _laid(pdf: pikepdf.Pdf) -> Iterator[tuple[int, Object]]:
    """Give all areas of links, each with the number of the page it lies on."""
    for number, page in enumerate(pdf.pages, 1):
        for area in laid_on(page.obj):
            yield number, area


def _link(held: list[tuple[int, Object]], own: set[Content], *, listed: bool) -> Link:
    leads = led(held[0][1]) if held else "nothing"
    found = [(page, rectangle(area.Rect)) for page, area in held if "/Rect" in area]
    return Link(leads, own, found, listed)


# What leads somewhere (12.3, 12.6)


def led(thing: Object) -> str:
    """Say where a link or an entry of the outline leads, wherever that is."""
    place = thing.get("/Dest")
    if place is None:
        return str(thing.get("/A", pikepdf.Dictionary()).get("/URI", "nothing"))
    return f"#{place}" if isinstance(place, pikepdf.String | pikepdf.Name) else "a place"


def entries(pdf: pikepdf.Pdf) -> Iterator[Object]:
    """Walk the outline (12.3.3), what lies within an entry after it."""
    yield from _walked(pdf.Root.get("/Outlines", {}), set())


def _walked(item: Object, seen: set[tuple[int, int]]) -> Iterator[Object]:
    entry = item.get("/First")
    while entry is not None and entry.objgen not in seen:
        seen.add(entry.objgen)  # a forger may tie the last one to the first
        yield entry
        yield from _walked(entry, seen)
        entry = entry.get("/Next")


# The structure (14.7)


def elements(pdf: pikepdf.Pdf) -> Iterator[Walked]:
    """Walk the elements of the structure: each with its page and the kinds of those it lies in."""
    numbers = page_numbers(pdf)
    for element in children(pdf.Root.get("/StructTreeRoot", {})):
        yield from _elements(element, 0, (), numbers)


def _elements(
    element: Object, page: int, above: tuple[str, ...], numbers: Numbers
) -> Iterator[Walked]:
    if not isinstance(element, pikepdf.Dictionary) or "/S" not in element:
        return
    page = page_of(element, page, numbers)
    yield element, page, above
    for child in children(element):
        yield from _elements(child, page, (*above, worded(element.S)), numbers)


def _own(element: Object, page: int, numbers: Numbers) -> Iterator[Content]:
    """Give all marked content that lies in an element, however deep."""
    for child in children(element):
        if isinstance(child, int):
            yield page, child
        elif "/MCID" in child:
            yield page_of(child, 0, numbers), int(child.MCID)
        elif "/S" in child:
            yield from _own(child, page_of(child, page, numbers), numbers)


def page_of(element: Object, above: int, numbers: Numbers) -> int:
    """Number the page of an element: that of the one above unless it says; 0 where it is taken out.

    What holds content itself says its page, so there a page that is not said was taken out too.
    """
    if "/Pg" in element:
        page = element.Pg
        return numbers.get(page.objgen, 0) if isinstance(page, pikepdf.Dictionary) else 0
    return 0 if any(isinstance(child, int) for child in children(element)) else above


def page_numbers(pdf: pikepdf.Pdf) -> Numbers:
    """Number the pages of a PDF, by their objects."""
    return {page.obj.objgen: number for number, page in enumerate(pdf.pages, 1)}


def areas(element: Object) -> list[Object]:
    """Give the areas that an element holds itself (14.7.4.3)."""
    held = [each for each in children(element) if isinstance(each, pikepdf.Dictionary)]
    return [each.Obj for each in held if isinstance(each.get("/Obj"), pikepdf.Dictionary)]
