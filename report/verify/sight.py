"""A finished PDF as its reader sees it: paragraphs, drawings, and all else that its pages show.

Paragraphs and drawings are those of the structure (ISO 32000-1, 14.7), so where a line or a page
ends makes no difference to them; what belongs to none of them is kept by page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Final, NamedTuple

import pikepdf

from report.pdf.paper import CALL, NOTE
from report.verify.ink import Mark, painted
from report.verify.letters import Fonts, Letter
from report.verify.objects import Object, children, worded
from report.verify.roles import roles, spoken
from report.verify.things import Thing, things, visible
from report.verify.ways import Ways, areas, page_numbers, page_of, ways

# Elements that lie within a line, and leave the paragraph they are in what it is
INLINE: Final = {"/Span", "/Link", "/NonStruct", "/Lbl", "/Reference", "/Code", "/Em", "/Strong"}
DRAWN: Final = {"/Figure", "/Formula"}

_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[^a-z])")
_HYPHENATED = re.compile("(?<=\\w)\u2010 (?=\\w)")
_BREAKING = re.compile(r"[\s\u200b\u00ad\u2010-]+")


def squeezed(text: str) -> str:
    """Leave out what the end of a line brings or takes: spaces and hyphens."""
    return _BREAKING.sub("", text)


@dataclass
class Block:
    """A paragraph, heading, cell, caption or note: what it says, and where."""

    page: int = 0  # it begins on, counted from 1
    text: str = ""
    plain: str = ""  # without the numbers that call notes
    letters: list[Letter] = field(default_factory=list)

    @property
    def solid(self) -> list[Letter]:
        """Its letters, without what the ends of lines bring or take."""
        return [letter for letter in self.letters if squeezed(letter.text)]


@dataclass
class Drawing:
    """A figure or a formula that is drawn: what is said for it, and what it is drawn with."""

    kind: str  # Figure or Formula
    page: int
    alt: str
    marks: list[Mark]

    @property
    def words(self) -> list[str]:
        """The words drawn, one entry a text, without the spaces in them."""
        texts: dict[int, str] = defaultdict(str)
        for mark in self.marks:
            if mark.letters:
                texts[mark.piece] += squeezed(mark.text)
        return list(texts.values())


@dataclass
class Page:
    """What one page shows: what its paragraphs and drawings are made of, and the rest."""

    box: tuple[float, ...]  # what is shown of it: left, bottom, right, top
    told: list[Mark] = field(default_factory=list)
    rest: list[Mark] = field(default_factory=list)


class Said(NamedTuple):
    """A sentence, and the page its paragraph begins on."""

    page: int
    text: str


@dataclass(frozen=True)
class Sight:
    """All that a reader can see of a PDF."""

    blocks: list[Block]
    drawings: list[Drawing]
    pages: list[Page]
    things: list[Thing]  # what a viewer minds beside
    ways: Ways

    @cached_property
    def plain(self) -> str:
        """The whole text on end, squeezed, without the numbers that call notes."""
        return "".join(squeezed(block.plain) for block in self.blocks)

    @cached_property
    def sentences(self) -> list[Said]:
        """The text in sentences: none reaches beyond its paragraph, which a page may cut in two."""
        return [
            Said(block.page, _HYPHENATED.sub("", text))
            for block in self.blocks
            for text in _SENTENCE.split(" ".join(block.text.split()))
        ]


def see(pdf: pikepdf.Pdf) -> Sight:
    """Look at every page of a PDF."""
    fonts = Fonts()
    painting = [painted(page, fonts) for page in pdf.pages]
    marks = [each.marks for each in painting]
    reader = _Reader(pdf, marks)
    pages = [
        Page(visible(page), *reader.parted(number, marks[number - 1]))
        for number, page in enumerate(pdf.pages, 1)
    ]
    remarks = [each.remarks for each in painting]
    beside = [*things(pdf), *spoken(remarks), *roles(pdf)]
    return Sight(reader.blocks, reader.drawings, pages, beside, ways(pdf))


class _Reader:
    """Reads the structure of a PDF from its beginning to its end."""

    def __init__(self, pdf: pikepdf.Pdf, pages: list[list[Mark]]) -> None:
        self._numbers = page_numbers(pdf)
        self._owned: dict[tuple[int, int | None], list[Mark]] = defaultdict(list)
        for number, marks in enumerate(pages, 1):
            for mark in marks:
                self._owned[number, mark.owner].append(mark)
        self._told: set[tuple[int, int | None]] = set()
        self._last: Mark | None = None
        self._blocks, self.drawings = list[Block](), list[Drawing]()
        for element in children(pdf.Root.get("/StructTreeRoot", {})):
            self._read(element, Block(), 0, called=False)

    def parted(self, number: int, marks: list[Mark]) -> tuple[list[Mark], list[Mark]]:
        """Part what a page paints into what the structure tells of, and the rest."""
        told = [(number, mark.owner) in self._told for mark in marks]
        return list(compress(marks, told)), list(compress(marks, map(not_, told)))

    @property
    def blocks(self) -> list[Block]:
        """What says something."""
        return [block for block in self._blocks if squeezed(block.text)]

    def _read(self, element: Object, block: Block, page: int, *, called: bool) -> None:
        if isinstance(element, int):
            self._take(block, page, element, called=called)
            return
        if "/S" not in element:
            if "/MCID" in element:  # marked content of another page than its element's
                page = page_of(element, 0, self._numbers)
                self._take(block, page, int(element.MCID), called=called)
            return
        page = page_of(element, page, self._numbers)
        kind = worded(element.S)
        if kind in DRAWN:
            self._draw(element, block, page)
            return
        if kind not in INLINE:
            block = Block()
            self._blocks.append(block)
        if "/ActualText" in element:  # read aloud and copied in place of what is drawn
            block.text += f"[{worded(element.ActualText)}]"
        called = called or (kind == "/Link" and _calls(element))
        for child in children(element):
            self._read(child, block, page, called=called)

    def _take(self, block: Block, page: int, owner: int, *, called: bool) -> None:
        """Add what one piece of marked content shows to its paragraph."""
        marks = self._owned[page, owner]
        said = "".join(map(self._spaced, marks)) if marks else " "  # such a space is not drawn
        block.text += said
        block.plain += "" if called else said
        block.letters += [letter for mark in marks for letter in mark.letters]
        block.page = block.page or page
        self._told.add((page, owner))

    def _spaced(self, mark: Mark) -> str:
        """The words of a mark, a space before them where they begin another line."""
        last, self._last = self._last, mark
        if last is None or mark.points[0] > last.points[0] or mark.points[1] == last.points[1]:
            return mark.text
        return f" {mark.text}"

    def _draw(self, element: Object, block: Block, page: int) -> None:
        owners = [int(child) for child in children(element) if isinstance(child, int)]
        self._told |= {(page, owner) for owner in owners}
        marks = [mark for owner in owners for mark in self._owned[page, owner]]
        alt = worded(element.get("/Alt", ""))
        self.drawings.append(Drawing(worded(element.S)[1:], page, alt, marks))
        block.page = block.page or page
        if element.S == "/Formula":
            block.text += f" [{alt}] "


def _calls(link: Object) -> bool:
    """Tell whether a link is the raised number that leads to a note, or back from it."""
    targets = [str(area.get("/Dest", "")) for area in areas(link)]
    return any(target.startswith((NOTE, CALL)) for target in targets)
