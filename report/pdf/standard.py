"""What makes the PDF archival and accessible beyond what its engine writes.

PDF/A-3a: ISO 19005-3; PDF/UA-1: ISO 14289-1; both on ISO 32000-1, whose sections are named below.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable
from typing import Any, Final

import pikepdf
from pikepdf import Array, Dictionary, Name

from report.errors import Mistake
from report.pdf import gaps, structure
from report.pdf.codes import meanings

Pdf = Any  # pikepdf's own types know no keys of a dictionary

LINK_HEIGHT: Final = (
    7.0  # points: about that of a line of small print, the least a pointer hits well
)
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


def complete(data: bytes, families: Iterable[str]) -> bytes:
    """Complete a PDF/A-3a of the engine's to PDF/UA-1; equal bytes in give equal bytes out.

    Raises Mistake for a character that none of the font families has.
    """
    with pikepdf.open(io.BytesIO(data)) as pdf:
        _check_fonts(pdf, families)
        _claim(pdf)
        _label_pages(pdf)
        _heighten_links(pdf)
        gaps.write(pdf, structure.mend(pdf))
        out = io.BytesIO()
        pdf.save(out, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()


def _check_fonts(pdf: Pdf, families: Iterable[str]) -> None:
    """Refuse a font of the machine's: it stands in for a character that the report's own lack."""
    ours = tuple(name.replace(" ", "-") for name in families)
    fonts = {font.objgen: font for page in pdf.pages for font in page.Resources.Font.values()}
    for font in fonts.values():
        if not str(font.BaseFont).partition("+")[2].startswith(ours):
            raise lacking(_first_shown(font))


def lacking(character: str) -> Mistake:
    """Say that no font of the report has a character."""
    name = unicodedata.name(character, "without a name")
    what = f"no font of the report has “{character}” (U+{ord(character):04X} {name})"
    return Mistake(what, then="write it another way wherever it stands")


def _first_shown(font: Any) -> str:
    """Give the first character that is set in a font; a space may come along with it."""
    shown = "".join(meanings(font.ToUnicode.read_bytes()).values())
    return (shown.strip() or "?")[0]


def _claim(pdf: Pdf) -> None:
    """Say in the metadata that the file is PDF/UA-1 too, and describe that word to PDF/A."""
    metadata = pdf.Root.Metadata
    xmp = metadata.read_bytes()
    end = xmp.rindex(b"</rdf:RDF>")
    metadata.write(xmp[:end] + _UA + xmp[end:])


def _heighten_links(pdf: Pdf) -> None:
    """Give the links of raised numbers an area: the engine takes it from their line height, zero."""
    for page in pdf.pages:
        for link in page.get("/Annots", ()):
            left, low, right, high = map(float, link.Rect)
            if high - low < LINK_HEIGHT:
                middle, half = (low + high) / 2, LINK_HEIGHT / 2
                link.Rect = [left, middle - half, right, middle + half]


def _label_pages(pdf: Pdf) -> None:
    """Number the pages for readers as the feet of the pages do (12.4.2)."""
    pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.D)]))
