"""What the structure of a PDF, and the marks in its pages, tell those who hear or copy it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pikepdf

from report.verify.objects import Object, described, held, worded
from report.verify.things import Thing
from report.verify.ways import elements

PLAIN: Final = {"/Span", "/NonStruct"}  # say nothing by being there
DRAWN: Final = {"/Figure", "/Formula"}
_KNOWN: Final = frozenset({"/O", "/Headers", "/Scope", "/RowSpan", "/ColSpan"})
_TREE: Final = {"/Type", "/S", "/P", "/Pg", "/K", "/A", "/ID"}


def spoken(remarks: Sequence[Sequence[str]]) -> Iterator[Thing]:
    """Tell of what each page says of its marked content (ISO 32000-1, 14.6)."""
    for number, page in enumerate(remarks, 1):
        for remark in page:
            yield Thing("speech", "what it shows", number, {"is marked": remark})


def roles(pdf: pikepdf.Pdf) -> Iterator[Thing]:
    """Tell of each element of the structure (14.7, 14.8) what it is read as, in order."""
    heads: dict[str, int] = {}  # of the table that is read, by name
    for element, page, _ in elements(pdf):
        kind = worded(element.S)
        if kind == "/Table":
            heads = {}
        if kind == "/TH":
            heads[worded(element.get("/ID", ""))] = len(heads) + 1
        name = f"a {kind.removeprefix('/')}"
        said = held(element, _TREE | ({"/Alt"} if kind in DRAWN else set()))
        if said:
            yield Thing("speech", name, page, said)
        if kind not in PLAIN:
            role = _attributes(element.get("/A", pikepdf.Dictionary()), heads)
            yield Thing("structure", name, page, role, known=_KNOWN)


def _attributes(given: Object, heads: dict[str, int]) -> dict[str, str]:
    """Tell what is said of a cell; its heads by their order, since names of heads are no one's."""
    if not isinstance(given, pikepdf.Dictionary):
        return {"/A": described(given)}
    said = held(given, {"/Headers", "/BBox"})
    if "/Headers" in given:
        said["/Headers"] = " ".join(str(heads.get(str(head), 0)) for head in given.Headers)
    return said
