"""Prints HTML on very small sheets, and reads the blocks of any PDF as MuPDF finds them on its pages."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pikepdf
from lxml import etree

from report.pdf import gaps, structure
from report.pdf.engine import Engine

FONT: Final = "font/QuillText-Regular.ttf"
TEMPLATES: Final = Path(__file__).parent.parent / "templates"
STYLE: Final = f"""
@font-face {{ font-family: Quill; src: url(report:{FONT}) }}
@page {{ size: 90pt 120pt; margin: 10pt }}
html {{ font: 10pt/12pt Quill }} * {{ margin: 0; padding: 0 }}
.foot {{ float: footnote }} .foot::footnote-call, .foot::footnote-marker {{ content: none }}
.block {{ display: block }} .arrow::before {{ content: "→" }}
.page::after {{ content: target-counter(attr(href), page) }}
"""
ONE_LINE: Final = 6  # points between baselines that are two lines; an index is lowered by less
INLINE: Final = {"Span", "NonStruct", "Link", "Code", "Formula", "Reference", "Lbl"}
WHOLE: Final = {"Figure", "Caption", "Note", "TOC", "TR"}  # what is in them is no block of its own


def printed(body: str, files: dict[str, bytes] | None = None) -> bytes:
    """Print HTML on sheets that hold eight lines, and mend its tree; `files` are pictures it names."""
    font = (TEMPLATES / FONT.replace("font/", "fonts/")).read_bytes()
    engine = Engine({FONT: font, **(files or {})})
    html = f"<html lang=en><title>t</title><style>{STYLE}</style><body>{body}"
    data = engine.write(engine.lay_out(engine.read(html)), [], date(2026, 1, 2))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        gaps.write(pdf, structure.mend(pdf))
        out = io.BytesIO()
        pdf.save(out)
    return out.getvalue()


@dataclass(frozen=True)
class Part:
    """What stands of a block on one page."""

    page: int
    path: tuple[tuple[str, int], ...]  # kinds of elements and their places, from the tree's root
    lines: int
    text: str

    @property
    def kind(self) -> str:
        """What the block is tagged as."""
        return self.path[-1][0]

    def __str__(self) -> str:
        return f"page {self.page}: {self.text.strip()[:40].strip()}"


def parts(data: bytes, above: float = 0.0, below: float = 0.0) -> list[Part]:
    """Read all blocks, page by page, as they are painted; what is in those margins (in points) is left out."""
    import pymupdf

    found: list[Part] = []
    document: Any = pymupdf.Document(stream=data)  # type: ignore[no-untyped-call] # it has no types
    for number, page in enumerate(document, 1):
        text: Any = etree.fromstring(page.get_text("xml", flags=pymupdf.TEXT_COLLECT_STRUCTURE))
        last = page.rect.height - below
        for line in text.xpath("//line[.//@y < $above or .//@y > $last]", above=above, last=last):
            del line[:]
        found += _parts(text, number, ())
    return found


def _parts(element: Any, page: int, path: tuple[tuple[str, int], ...]) -> Iterator[Part]:
    for inside in element.findall("struct"):
        here = (*path, (inside.get("raw"), int(inside.get("idx"))))
        kinds = {each.get("raw") for each in inside.iterdescendants("struct")}
        if here[-1][0] in WHOLE or (kinds and kinds <= INLINE):
            yield _part(inside, page, here)
        else:
            yield from _parts(inside, page, here)


def _part(element: Any, page: int, path: tuple[tuple[str, int], ...]) -> Part:
    """Count the lines of a block by its letters; what is drawn in it has none."""
    letters = list(element.iter("char"))
    baselines = sorted(float(each.get("y")) for each in letters)
    lines = sum(y - before >= ONE_LINE for before, y in pairwise([-ONE_LINE, *baselines]))
    return Part(page, path, lines, "".join(each.get("c") for each in letters))
