"""What makes the PDF archival and accessible beyond what its engine writes, and what is attached to it.

PDF/A-3a: ISO 19005-3; PDF/UA-1: ISO 14289-1; both on ISO 32000-1, whose sections are named below.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from report.article import Meta, World
from report.colophon import colophon
from report.errors import Mistake
from report.moved import READING
from report.project import BUILD_SECTION, Settings
from report.results import dumps

Pdf = Any  # pikepdf's own types know no keys of a dictionary
Element = Any

PARAMETERS, VERSIONS = "parameters.json", "versions.json"
FORMULA_MARK: Final = "\ue002"  # begins the alternative of a formula until it is tagged as one

_CODE: Final = re.compile(rb"<[0-9A-Fa-f]+>\s+<([0-9A-Fa-f]+)>\s*\n")
_MARKED: Final = re.compile(rb"/\w+\s*<</MCID (?P<id>\d+)>>\s*BDC")
_FURNITURE: Final = b"/Artifact\n<</Type /Pagination>>\nBDC"
_UA: Final = b"""<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">\
<pdfuaid:part>1</pdfuaid:part></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" \
xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"><pdfaExtension:schemas><rdf:Bag>\
<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA Universal Accessibility Schema\
</pdfaSchema:schema><pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/\
</pdfaSchema:namespaceURI><pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property>\
<rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>\
<pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal\
</pdfaProperty:category><pdfaProperty:description>Part of ISO 14289 the file conforms to\
</pdfaProperty:description></rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag>\
</pdfaExtension:schemas></rdf:Description>"""


# -- attachments --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attached:
    """A file inside the PDF: what it is called, what it is, and how the text relates to it."""

    name: str
    description: str
    relationship: str  # ISO 32000-2, 7.11.3: Data or Source
    text: str


def attached(world: World, meta: Meta, told: str) -> list[Attached]:
    """List what is attached: results, effective parameters, versions, and what the text tells."""
    results = {stem: dumps(stem, record) for stem, record in sorted(world.results.items())}
    files = [
        Attached(f"{stem}.json", f"The numbers behind the figure {stem}", "Data", text)
        for stem, text in results.items()
    ]
    parameters = effective(world.settings)
    fingerprints = {f"{name}.json": fingerprint(text.encode()) for name, text in results.items()}
    made = colophon(world)
    fingerprints[PARAMETERS] = fingerprint(parameters.encode())
    fingerprints[READING] = fingerprint(told.encode())
    record = {
        "article": {"title": meta.title, "version": meta.version, "published": meta.published},
        "command": made.command,
        "engines": dict(world.origin.engines),
        "fingerprints": fingerprints,
        "overrides": world.settings.overrides,
        "sources": dict(world.origin.sources),
        "versions": dict(made.versions),
    }
    return [
        *files,
        Attached(PARAMETERS, "Seed and parameters of this edition", "Source", parameters),
        Attached(
            VERSIONS,
            "What computed this edition from which sources; fingerprints (SHA-256) of its data",
            "Source",
            dumps("versions", record),
        ),
        Attached(
            READING,
            "What a reader is told: passages with their numbers, claims, figures",
            "Data",
            told,
        ),
    ]


def effective(settings: Settings) -> str:
    """Write the seed and parameters that numbers come from, in canonical form."""
    sections = {name: each for name, each in settings.sections.items() if name != BUILD_SECTION}
    return dumps("parameters", {"seed": settings.seed, **sections})


def fingerprint(data: bytes) -> str:
    """Hash an attachment, in full since strangers may check it with tools of their own."""
    return hashlib.sha256(data).hexdigest()


# -- the finished file --------------------------------------------------------------------------------


def complete(data: bytes, families: Iterable[str]) -> bytes:
    """Complete a PDF/A-3a of the engine's to PDF/UA-1; equal bytes in give equal bytes out.

    Raises Mistake for a character that none of the font families has.
    """
    import pikepdf  # noqa: PLC0415 - only the PDF needs it

    with pikepdf.open(io.BytesIO(data)) as pdf:
        _check_fonts(pdf, families)
        _claim(pdf)
        _label_pages(pdf)
        tree = list(_elements(pdf.Root.StructTreeRoot.K[0], None))
        _unlink(pdf, tree)
        _retag(tree)
        _set_furniture_apart(pdf, tree)
        out = io.BytesIO()
        pdf.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()


def _check_fonts(pdf: Pdf, families: Iterable[str]) -> None:
    """Refuse a font of the machine's: it stands in for a character that the report's own lack."""
    ours = tuple(name.replace(" ", "-") for name in families)
    for font in pdf.objects:
        if not hasattr(font, "get") or font.get("/Subtype") != "/Type0":
            continue
        if not str(font.BaseFont).partition("+")[2].startswith(ours):
            codes = _CODE.findall(font.ToUnicode.read_bytes().partition(b"beginbfchar")[2])
            shown = "".join(bytes.fromhex(code.decode()).decode("utf-16-be") for code in codes)
            character = (shown.strip() or "?")[0]
            name = unicodedata.name(character, "without a name")
            what = f"no font of the report has “{character}” (U+{ord(character):04X} {name})"
            raise Mistake(what, then="write it another way wherever it stands")


def _claim(pdf: Pdf) -> None:
    """Say in the metadata that the file is PDF/UA-1 too, and describe that word to PDF/A."""
    metadata = pdf.Root.Metadata
    xmp = metadata.read_bytes()
    end = xmp.rindex(b"</rdf:RDF>")
    metadata.write(xmp[:end] + _UA + xmp[end:])


def _label_pages(pdf: Pdf) -> None:
    """Number the pages for readers as the feet of the pages do (12.4.2)."""
    from pikepdf import Array, Dictionary, Name  # noqa: PLC0415 - only the PDF needs it

    pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.D)]))


def _elements(element: Element, parent: Element | None) -> Iterator[tuple[Element, Element | None]]:
    """Walk the structure (14.7), each element with the one it lies in."""
    if not hasattr(element, "get") or "/S" not in element:
        return
    yield element, parent
    for child in _children(element):
        yield from _elements(child, element)


def _children(element: Element) -> list[Any]:
    children = element.get("/K", [])
    return list(children) if _is_array(children) else [children]


def _is_array(value: Any) -> bool:
    from pikepdf import Array  # noqa: PLC0415 - only the PDF needs it

    return isinstance(value, Array)


def _retag(tree: list[tuple[Element, Element | None]]) -> None:
    """Name what the engine has no word for: formulas, notes, and which cells a heading heads."""
    from pikepdf import Name, String  # noqa: PLC0415 - only the PDF needs it

    notes = 0
    for element, parent in tree:
        kind = str(element.S)
        alternative = str(element.get("/Alt", ""))
        if alternative.startswith(FORMULA_MARK):
            element.S = Name.Formula
            element.Alt = String(alternative.removeprefix(FORMULA_MARK))
        elif kind == "/TH" and parent is not None:
            group = parent.P.S
            element.A.Scope = Name.Column if group == Name.THead else Name.Row
        elif kind == "/NonStruct" and parent is not None and Name.Div == parent.S:
            notes += 1
            element.S = Name.Note
            element.ID = String(f"note-{notes}")


def _unlink(pdf: Pdf, tree: list[tuple[Element, Element | None]]) -> None:
    """Leave each link one element: the engine links again whatever is set apart inside a link.

    What a style adds to a link (a page number) stands beside it, so its area is kept and given to
    the link; areas of marks, spaces and symbols lie within the link's own and go.
    """
    from pikepdf import Name  # noqa: PLC0415 - only the PDF needs it

    inside: dict[Any, Element] = {}  # element -> the link it lies in
    gone: set[Any] = set()
    owners = _parents(pdf)
    for element, parent in tree:
        link = parent if parent is not None and Name.Link == parent.S else None
        link = link or (inside.get(parent.objgen) if parent is not None else None)
        if link is None:
            continue
        inside[element.objgen] = link
        for child in _children(element):
            if isinstance(child, int) or child.get("/Type") != Name.OBJR:
                continue
            element.K.remove(child)
            if Name.Link == element.S:
                link.K.append(child)
                owners[int(child.Obj.StructParent)] = link
            else:
                gone.add(child.Obj.objgen)
        if Name.Link == element.S:
            element.S = Name.Span
    for page in pdf.pages:
        for annotation in list(page.get("/Annots", [])):
            if annotation.objgen in gone:
                page.Annots.remove(annotation)
                del owners[int(annotation.StructParent)]
    _set_parents(pdf, owners)


def _parents(pdf: Pdf) -> dict[int, Any]:
    """Read the tree that leads from a page or a link back to its structure (14.7.4.4)."""
    numbers = pdf.Root.StructTreeRoot.ParentTree.Nums
    return {int(numbers[i]): numbers[i + 1] for i in range(0, len(numbers), 2)}


def _set_parents(pdf: Pdf, owners: dict[int, Any]) -> None:
    from pikepdf import Array  # noqa: PLC0415 - only the PDF needs it

    flat = [each for key in sorted(owners) for each in (key, owners[key])]
    pdf.Root.StructTreeRoot.ParentTree.Nums = Array(flat)


def _set_furniture_apart(pdf: Pdf, tree: list[tuple[Element, Element | None]]) -> None:
    """Mark running heads and feet as artifacts (14.8.2.2): the engine leaves them in the text, untold."""
    told: dict[Any, set[int]] = {}
    for element, _ in tree:
        for child in _children(element):
            if isinstance(child, int):
                told.setdefault(element.Pg.objgen, set()).add(child)
    rows = _parents(pdf)
    for page in pdf.pages:
        mine = told.get(page.obj.objgen, set())

        def apart(found: re.Match[bytes], mine: set[int] = mine) -> bytes:
            return found[0] if int(found["id"]) in mine else _FURNITURE

        stream = page.Contents.read_bytes()
        page.Contents.write(_MARKED.sub(apart, stream))
        row = rows[int(page.StructParents)]
        while len(row) and len(row) - 1 not in mine:
            del row[len(row) - 1]
