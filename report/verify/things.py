"""What a viewer minds of a PDF beside what its pages paint: all that it shows, speaks, opens and saves.

Each thing is told with every key it holds, so whatever the generator does not write is a difference
and needs no name here; section numbers are those of ISO 32000-1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import pikepdf

from report.pdf.places import branch, named, target
from report.verify.objects import Object, described, held, laid_on, rectangle, worded
from report.verify.ways import entries, led

LEADS: Final = "leads to"
BOXES: Final = (
    "/MediaBox",
    "/CropBox",
    "/BleedBox",
    "/TrimBox",
    "/ArtBox",
)  # each within the first

HIGHEST: Final = 32  # levels above a page: a forger may hang one on itself

# Keys that the generator writes, and what else may stand there after a PDF was saved again
_CATALOG: Final = {"/AF", "/Lang", "/MarkInfo", "/OutputIntents", "/ViewerPreferences"}
_APART: Final = {  # told of in another way
    *("/Type", "/Version", "/Pages", "/Metadata", "/Outlines", "/Names", "/StructTreeRoot"),
    *("/PageLabels", "/AF"),
}
_NAMED: Final = {"/Dests", "/EmbeddedFiles"}
_ROOT: Final = {"/Type", "/K", "/ParentTree", "/ParentTreeNextKey", "/IDTree"}
SAVED: Final = {  # by which program it was saved last, and when: told by whoever saves it
    *("/Producer", "/ModDate", "pdf:Producer", "xmp:ModifyDate", "xmp:MetadataDate"),
}
_PROPERTIES: Final = {"/Title", "/Author", "/Subject", "/Keywords", "/Creator", "/CreationDate"}
_METADATA: Final = {
    *("pdfaid:part", "pdfaid:conformance", "pdfuaid:part", "pdfaExtension:schemas"),
    *("dc:title", "dc:creator", "dc:description", "pdf:Keywords", "xmp:CreateDate"),
}
_PAGE: Final = {"/Type", "/Tabs", *BOXES}
_PAINTED: Final = {"/Contents", "/Resources", "/Parent", "/Annots", "/StructParents"}
_USUAL: Final = {"/Rotate": "0", "/UserUnit": "1"}  # where a page does not say
_LINK: Final = {"/Type", "/Subtype", "/BS", "/F", "/Contents", LEADS}
_ENTRY: Final = {"/Count", LEADS}
_FAMILY: Final = {"/Title", "/Parent", "/Prev", "/Next", "/First", "/Last"}
_FILE: Final = {
    *("/Type", "/F", "/UF", "/Desc", "/AFRelationship", "holds /F"),
    *("says /CreationDate", "says /ModDate"),
}

_PREFIXES: Final = {
    "http://www.aiim.org/pdfa/ns/id/": "pdfaid",
    "http://www.aiim.org/pdfa/ns/extension/": "pdfaExtension",
    "http://www.aiim.org/pdfua/ns/id/": "pdfuaid",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://ns.adobe.com/pdf/1.3/": "pdf",
    "http://ns.adobe.com/xap/1.0/": "xmp",
}


@dataclass(frozen=True)
class Thing:
    """Something a viewer minds: what a reader calls it, and all it holds, described by key."""

    kind: str  # of what differs in it
    name: str
    page: int = 0
    held: dict[str, str] = field(default_factory=dict)
    lies: dict[str, str] = field(default_factory=dict)  # where it is: as the pages are laid out
    known: frozenset[str] = frozenset()  # the keys that the generator writes

    @property
    def title(self) -> str:
        """What a reader calls it, and its page."""
        return ": ".join(filter(None, [f"page {self.page}" if self.page else "", self.name]))

    @property
    def strange(self) -> dict[str, str]:
        """What it holds that the generator never writes."""
        return {key: value for key, value in self.held.items() if key not in self.known}

    @property
    def sign(self) -> str:
        """What it is known by among its like."""
        return f"{self.name} {self.held.get(LEADS, '')}"


def things(pdf: pikepdf.Pdf) -> Iterator[Thing]:
    """List all things, the structure aside, in the order of the pages."""
    yield from _whole(pdf)
    for number, page in enumerate(pdf.pages, 1):
        yield _page(number, page)
        for annotation in laid_on(page.obj):
            yield _annotation(number, annotation)
    yield from _places(pdf)
    yield from _entries(pdf)
    yield from _files(pdf)


# The whole (7.7.2, 14.3)


def _whole(pdf: pikepdf.Pdf) -> Iterator[Thing]:
    root: Object = pdf.Root
    names = root.get("/Names", pikepdf.Dictionary())
    catalog = held(root, _APART)
    catalog["/AF"] = " ".join(_associated(pdf))
    catalog |= {f"names {key}": value for key, value in held(names, _NAMED).items()}
    tree = held(root.get("/StructTreeRoot", pikepdf.Dictionary()), _ROOT)
    catalog |= {f"structure {key}": value for key, value in tree.items()}
    if pdf.is_encrypted:
        catalog["encryption"] = "which needs no password to read"
    yield Thing("document", "the PDF", 0, catalog, known=frozenset(_CATALOG))
    told = held(pdf.docinfo)
    yield Thing("document", "its properties", 0, told, known=frozenset(_PROPERTIES | SAVED))
    yield Thing("document", "its metadata", 0, _metadata(pdf), known=frozenset(_METADATA | SAVED))


def _associated(pdf: pikepdf.Pdf) -> Iterator[str]:
    """Name the files the whole is made with (ISO 32000-2, 14.13); they are those embedded."""
    names = {spec.objgen: name for name, spec in branch(pdf, "/EmbeddedFiles")}
    for spec in pdf.Root.get("/AF", []):
        yield names.get(spec.objgen) or described(spec)


def _metadata(pdf: pikepdf.Pdf) -> dict[str, str]:
    with pdf.open_metadata(update_docinfo=False) as metadata:
        return {_short(name): str(value) for name, value in metadata.items()}


def _short(name: str) -> str:
    """Write a name of the metadata with the prefix that is usual for its namespace."""
    space, _, word = name.removeprefix("{").rpartition("}")
    return f"{_PREFIXES.get(space, space)}:{word}"


# Pages (7.7.3) and what lies on them (12.5)


def _page(number: int, page: pikepdf.Page) -> Thing:
    inherited = {key: _inherited(page.obj, key) for key in ("/MediaBox", "/CropBox", "/Rotate")}
    said = held(page.obj, _PAINTED)
    said |= {key: described(value) for key, value in inherited.items() if value is not None}
    said["label"] = page.label
    for key, usual in [*_USUAL.items(), ("label", str(number))]:
        if said.get(key) == usual:
            del said[key]
    whole = said["/MediaBox"]
    crop = said.setdefault("/CropBox", whole)
    for key in BOXES[2:]:
        said.setdefault(key, crop)
    return Thing("page", "", number, said, known=frozenset(_PAGE))


def _inherited(node: Object, key: str) -> Object:
    """Find what a page or those above it say (7.7.3.4)."""
    for _ in range(HIGHEST):
        if node is None or key in node:
            break
        node = node.get("/Parent")
    return None if node is None else node.get(key)


def visible(page: pikepdf.Page) -> tuple[float, ...]:
    """Give the part of a page that is shown: left, bottom, right and top, in points."""
    media = rectangle(_inherited(page.obj, "/MediaBox"))
    crop = _inherited(page.obj, "/CropBox")
    if crop is None:
        return media
    pairs = list(zip(media, rectangle(crop), strict=True))
    return (*map(max, pairs[:2]), *map(min, pairs[2:]))


def _annotation(number: int, annotation: Object) -> Thing:
    said = held(annotation, {"/P", "/StructParent", "/Rect", "/A", "/Dest"})
    said |= _led(annotation)
    name = "a link" if annotation.get("/Subtype") == "/Link" else "a note laid over it"
    where = {"lies at": described(annotation.get("/Rect"))}
    return Thing("link", name, number, said, where, frozenset(_LINK))


def _led(thing: Object) -> dict[str, str]:
    """Say where a link or an entry leads, and what it does besides."""
    said = {LEADS: led(thing)}
    if "/A" in thing:
        action = thing.A
        simple = action.get("/S") == "/URI" and not action.keys() - {"/Type", "/S", "/URI"}
        if "/Dest" in thing or not simple:
            said["/A"] = described(action)
    return said


# The outline, and the places that links lead to (12.3)


def _places(pdf: pikepdf.Pdf) -> Iterator[Thing]:
    for name, value in named(pdf):
        yield Thing("link", f"the place #{name}", lies={"is": described(target(value))})


def _entries(pdf: pikepdf.Pdf) -> Iterator[Thing]:
    for entry in entries(pdf):
        said = held(entry, _FAMILY | {"/Dest", "/A"}) | _led(entry)
        name = f"the outline's “{worded(entry.get('/Title', ''))}”"
        where = {LEADS: described(target(entry.Dest))} if "/Dest" in entry else {}
        yield Thing("outline", name, 0, said, where, frozenset(_ENTRY))


# Files (7.11)


def _files(pdf: pikepdf.Pdf) -> Iterator[Thing]:
    for name, spec in branch(pdf, "/EmbeddedFiles"):
        said = held(spec, {"/EF"})
        for key, stream in spec.get("/EF", {}).items():
            said[f"holds {key}"] = worded(stream.get("/Subtype", ""))
            dates = held(stream.get("/Params", {}), {"/CheckSum", "/Size"})
            said |= {f"says {which}": value for which, value in dates.items()}
        yield Thing("attachment", name, 0, said, known=frozenset(_FILE))
