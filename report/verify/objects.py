"""Describes an object of a PDF by what it holds, whatever it is called and wherever it is kept."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, Final

import pikepdf

from report.glance import digest
from report.pdf.places import numbered

Object = Any  # pikepdf's own types know no keys of a dictionary

DEEPEST: Final = 8  # how far an object is described
FINE: Final = 4  # decimals of a color or a width that count
_PACKING: Final = {"/Length", "/Filter", "/DecodeParms"}  # how a stream is written
_PLACING: Final = {"/Parent", "/P", "/Pg", "/StructParent", "/StructParents"}  # what it hangs on


def described(thing: Object, deep: int = DEEPEST) -> str:
    """Describe an object; equal descriptions mean equal contents, down to the bytes of streams."""
    if deep == 0:
        return "..."
    match thing:
        case pikepdf.Stream():
            return f"{_pairs(thing, deep)} {digest(thing.read_bytes())}"
        case pikepdf.Dictionary():
            return _numbered(thing) if thing.get("/Type") == "/Page" else _pairs(thing, deep)
        case pikepdf.Array():
            return f"[{' '.join(described(each, deep - 1) for each in thing)}]"
        case pikepdf.PdfInlineImage():
            return digest(thing.read_bytes())
    return plain(thing)


def held(thing: Object, without: Set[str] = frozenset()) -> dict[str, str]:
    """Describe all that a dictionary or stream holds, key by key."""
    return {key: described(thing[key]) for key in sorted(thing.keys()) if key not in without}


def _pairs(thing: Object, deep: int) -> str:
    pairs = ((key, thing[key]) for key in sorted(thing.keys()) if key not in _PACKING | _PLACING)
    return f"<{' '.join(f'{key} {described(value, deep - 1)}' for key, value in pairs)}>"


def _numbered(page: Object) -> str:
    """Name a page of the document; what it shows is looked at for itself."""
    number = numbered(page)
    return f"page {number}" if number else "a page that is none of the document's"


def plain(thing: Object) -> str:
    """Write a number rounded, so that `0.50` and `.5` are one, and anything else as it is."""
    if thing is None:
        return "nothing"
    try:
        return f"{round(float(thing), FINE):g}"
    except (TypeError, ValueError):
        return str(thing)


def worded(thing: Object) -> str:
    """Give a name or a text as it stands; of anything else that stands in its place, what it holds."""
    is_text = isinstance(thing, str | pikepdf.Name | pikepdf.String)
    return str(thing) if is_text else described(thing)


def children(element: Object) -> list[Object]:
    """What an element of the structure (14.7.2) holds: one thing or many."""
    held = element.get("/K", [])
    kids = list(held) if isinstance(held, pikepdf.Array) else [held]
    return [kid for kid in kids if isinstance(kid, int | pikepdf.Dictionary)]


def laid_on(page: Object) -> list[Object]:
    """What lies on a page (12.5), but for what is gone."""
    return [each for each in page.get("/Annots", []) if isinstance(each, pikepdf.Dictionary)]


def rectangle(corners: Object) -> tuple[float, float, float, float]:
    """Read a rectangle (7.9.5), which any two opposite corners tell: left, bottom, right, top."""
    left, bottom, right, top = (float(each) for each in corners)
    return min(left, right), min(bottom, top), max(left, right), max(bottom, top)
