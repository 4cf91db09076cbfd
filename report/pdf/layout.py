"""Reads what stands where on the engine's pages, and moves notes; the arithmetic is `composition`'s.

The engine's boxes are measured in CSS pixels; everything that leaves this module is in points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from weasyprint.document import Page
from weasyprint.formatting_structure import boxes
from weasyprint.layout.absolute import AbsolutePlaceholder

from report.errors import shortened
from report.pdf.composition import FAR, STRAYS, Kind, Sheet, Slice, Taken, Unit, Wish, stack
from report.pdf.paper import CALL, NOTE

SLACK: Final = 0.5  # points
PT: Final = 0.75  # points to a CSS pixel
MM: Final = 72 / 25.4
MARGIN: Final = 119 * MM  # where the margin column begins, from the left edge of the text
AVOID: Final = "avoid"
FLOWS: Final = (boxes.LineBox, boxes.ReplacedBox, boxes.TableRowBox)

Box = Any  # WeasyPrint has no types


@dataclass(frozen=True)
class Piece:
    """What cannot be cut, where it stands, and the blocks it lies in, innermost first."""

    page: int
    top: float
    bottom: float
    chain: tuple[Box, ...]
    line: bool = False

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


@dataclass
class Note:
    """A note in the margin: its box, the box that hangs it in, and the line that calls it."""

    name: str
    page: int
    box: Box
    parent: Box
    call_page: int = -1
    line: Box = None  # the line that calls it
    block: Box = None  # the part of the paragraph that line stands in
    home: Box = None  # the part of its wrapper on the page of the call
    broken: bool = False  # it stood too low, and the engine cut it


@dataclass
class Survey:
    """Everything a composition is judged by; lists go by page unless they say otherwise."""

    document: Any
    sheets: list[tuple[float, float]] = field(default_factory=list)  # top and bottom of the text
    filled: list[float] = field(default_factory=list)  # where the text ends
    taken: list[list[Taken]] = field(default_factory=list)  # of the margin
    units: list[Unit] = field(default_factory=list)  # of the article, in reading order
    notes: list[Note] = field(default_factory=list)  # in reading order
    faults: list[tuple[str, str]] = field(
        default_factory=list
    )  # pictures, and why no page holds them
    torn: list[tuple[str, str]] = field(default_factory=list)  # ... or not with their captions

    @property
    def blanks(self) -> list[float]:
        """The share of each page that stays blank."""
        pairs = zip(self.sheets, self.filled, strict=True)
        return [(bottom - end) / (bottom - top) for (top, bottom), end in pairs]

    @property
    def sheet(self) -> Sheet:
        """The sheet as the arithmetic of composition wants it."""
        top, bottom = self.sheets[0]
        return Sheet(bottom - top, self._taken - top)

    _taken: float = 0.0


def survey(document: Any) -> Survey:
    """Measure every page of a document."""
    found = Survey(document)
    pieces: dict[Any, list[Piece]] = defaultdict(list)  # by block of the article
    for number, page in enumerate(document.pages):
        sheet = page._page_box
        top = sheet.content_box_y() * PT
        bottom = top + sheet.height * PT - _footnotes(sheet)
        here: list[Piece] = []
        for box, is_article in _blocks(sheet):
            own = list(_pieces(box, number, (box,)))
            here += own
            if is_article:
                pieces[box.element] += own
        found.faults += _faults(sheet, bottom)
        found.sheets.append((top, bottom))
        found.filled.append(max((piece.bottom for piece in here), default=top))
        found.taken.append(list(_taken(sheet)))
    blocks = {element: own for element, own in pieces.items() if own}
    found.units = [_unit(element, own) for element, own in blocks.items()]
    found.torn = list(_torn(blocks))
    found._taken = next(iter(blocks.values()))[0].top
    found.notes = list(_notes(document))
    return found


def _faults(sheet: Box, bottom: float) -> Iterator[tuple[str, str]]:
    """Give pictures that reach over the edge of the text by their address, and say how."""
    right = (sheet.content_box_x() + sheet.width) * PT
    for box in _within(sheet.children[0]):
        if isinstance(box, boxes.ReplacedBox):
            source = str(box.element.get("src"))
            what = f"the picture “{shortened(box.element.get('alt'))}”"
            if (box.content_box_y() + box.height) * PT > bottom + SLACK:
                yield source, f"{what} is taller than a page"
            if (box.content_box_x() + box.width) * PT > right + SLACK:
                yield source, f"{what} is wider than a page"


def _torn(blocks: Mapping[Any, list[Piece]]) -> Iterator[tuple[str, str]]:
    """Give pictures whose captions stand on another page."""
    for element, pieces in blocks.items():
        image = element.find(".//img") if element.tag == "figure" else None
        if image is not None and pieces[0].page != pieces[-1].page:
            what = f"the picture “{shortened(image.get('alt'))}” fits on no page with its caption"
            yield str(image.get("src")), what


def _footnotes(sheet: Box) -> float:
    areas = [box for box in sheet.children if isinstance(box, boxes.FootnoteAreaBox)]
    return sum(float(area.margin_height()) * PT for area in areas)


def _blocks(sheet: Box) -> Iterator[tuple[Box, bool]]:
    """Give the blocks of the text on a page, and whether each is of the article or follows it."""
    body = sheet.children[0].children[0]
    for part in body.children:
        if part.element_tag in ("article", "section"):
            is_article = part.element_tag == "article"
            yield from ((box, is_article) for box in part.children if box.is_in_normal_flow())


def _pieces(box: Box, page: int, chain: tuple[Box, ...]) -> Iterator[Piece]:
    """Cut a block into what cannot be cut further."""
    columns = box.style["column_count"] != "auto"
    if isinstance(box, FLOWS) or columns or box.style["break_inside"] == AVOID:
        top = box.border_box_y() if hasattr(box, "margin_top") else box.position_y
        height = box.height if isinstance(box, boxes.LineBox) else box.border_height()
        line = isinstance(box, boxes.LineBox)
        yield Piece(page, top * PT, (top + height) * PT, chain, line)
        return
    for child in box.children:
        if not isinstance(child, AbsolutePlaceholder) and child.is_in_normal_flow():
            yield from _pieces(child, page, (child, *chain))


def _unit(element: Any, pieces: list[Piece]) -> Unit:
    first, last = pieces[0], pieces[-1]
    return Unit(
        kind_of(element),
        _edge(first, "margin_top"),
        _edge(last, "margin_bottom"),
        tuple(_slices(pieces)),
        element.get("id") or "",
        leads=last.chain[-1].style["break_after"] == AVOID,
        follows=first.chain[-1].style["break_before"] == AVOID,
    )


def _edge(piece: Piece, side: str) -> float:
    """Give the margin that blocks share at their edge."""
    return max(_length(box, side) for box in piece.chain if not isinstance(box, FLOWS))


def _length(box: Box, name: str) -> float:
    value = box.style[name]
    return 0.0 if value == "auto" else float(value.value) * PT


def _slices(pieces: list[Piece]) -> Iterator[Slice]:
    owners = [id(piece.chain[1].element) if len(piece.chain) > 1 else 0 for piece in pieces]
    yield Slice(pieces[0].height, 0.0, True)
    for index, (before, piece) in enumerate(pairwise(pieces), 1):
        same = piece.line and owners[index] == owners[index - 1]
        if same:
            lines = [i for i, owner in enumerate(owners) if owner == owners[index]]
            style = piece.chain[0].style
            above, below = index - lines[0], lines[-1] + 1 - index
            cut = above >= style["orphans"] and below >= style["widows"]
        else:
            cut = True
        yield Slice(piece.height, _gap(before, piece, same), cut)


def _gap(before: Piece, piece: Piece, same: bool) -> float:
    if before.page == piece.page:
        return piece.top - before.bottom
    if same:
        return 0.0
    inner = [box for box in before.chain[:-1] if not isinstance(box, FLOWS)]
    outer = [box for box in piece.chain[:-1] if not isinstance(box, FLOWS)]
    margins = [_length(box, "margin_bottom") for box in inner if box not in outer]
    margins += [_length(box, "margin_top") for box in outer if box not in inner]
    return max(margins, default=0.0)


def kind_of(element: Any) -> Kind:
    """Name the kind of a block of the text."""
    classes = (element.get("class") or "").split()
    if element.tag in ("h2", "h3"):
        return "heading"
    if element.tag == "figure" or "table" in classes:
        return "figure"
    if "takeaway" in classes:
        return "closing"
    if "display" in classes:
        return "formula"
    inner = element[0] if "with-note" in classes and len(element) else element
    return "text" if inner.tag == "p" else "other"


# -- the margin -------------------------------------------------------------------------------------


def _taken(sheet: Box) -> Iterator[Taken]:
    """Find what stands in the margin beside notes: contents, and whatever reaches over the text."""
    edge = sheet.content_box_x() + MARGIN / PT
    for box in _within(sheet.children[0]):
        if isinstance(box, boxes.TextBox | boxes.LineBox) or _is_note(box):
            continue
        solid = isinstance(box, boxes.ReplacedBox | boxes.TableBox) or _name(box) == "contents"
        solid = solid or box.element_tag == "pre"
        right = box.border_box_x() + box.border_width()
        if solid and right > edge:
            top = box.border_box_y() * PT
            yield Taken(top, top + box.border_height() * PT)


def _within(box: Box) -> Iterator[Box]:
    """Walk a box and all in it, placed ones too; what stands in a note is the note's own."""
    inside = box._box if isinstance(box, AbsolutePlaceholder) else box
    yield inside
    if not _is_note(inside):
        for child in inside.children:
            yield from _within(child)


def _name(box: Box) -> str:
    return str(box.element.get("class") or "") if box.element is not None else ""


def _is_note(box: Box) -> bool:
    return isinstance(box, boxes.BlockBox) and box.element_tag == "aside" and _name(box) == "note"


def _notes(document: Any) -> Iterator[Note]:
    notes: dict[str, Note] = {}
    for number, page in enumerate(document.pages):
        for box, around in _around(page._page_box.children[0], ()):
            if _is_note(box):
                name = str(box.element.get("id")).removeprefix(NOTE)
                note = Note(name, number, box, around[0])
                note.broken = name in notes
                notes[name] = note
    for number, page in enumerate(document.pages):
        for box, around in _around(page._page_box.children[0], ()):
            anchor = str(box.element.get("id") or "") if box.element is not None else ""
            name = anchor.removeprefix(CALL)
            if name != anchor and name in notes and isinstance(box, boxes.InlineBox):
                _call(notes[name], number, around)
    yield from notes.values()


def _call(note: Note, page: int, around: tuple[Box, ...]) -> None:
    """Note where a note is called: its page, the part of the paragraph there, and the wrapper's."""
    note.call_page = page
    line = next(i for i, box in enumerate(around) if isinstance(box, boxes.LineBox))
    note.line, note.block = around[line], around[line + 1]
    note.home = next((box for box in around if box.element is note.parent.element), note.block)


def _around(box: Box, above: tuple[Box, ...]) -> Iterator[tuple[Box, tuple[Box, ...]]]:
    """Walk a box and all in it, each with the boxes it lies in, innermost first."""
    inside = box._box if isinstance(box, AbsolutePlaceholder) else box
    yield inside, above
    for child in inside.children:
        yield from _around(child, (inside, *above))


def set_notes(found: Survey) -> list[str]:
    """Move each note beside its paragraph; name those that fit nowhere and must become footnotes."""
    homeless: list[str] = []
    for page, sheet in enumerate(found.sheets):
        mine = [note for note in found.notes if note.call_page == page]
        homeless += [note.name for note in mine if note.broken]
        mine = [note for note in mine if not note.broken]
        mine, places = _placed(mine, found.taken[page], sheet)
        for note, top in zip(mine, places, strict=True):
            _move(note, found.document, top)
        kept = {note.name for note in mine}
        homeless += [n.name for n in found.notes if n.call_page == page and n.name not in kept]
    for number in {page for note in found.notes for page in (note.page, note.call_page)}:
        found.document.pages[number] = Page(found.document.pages[number]._page_box)
    return list(dict.fromkeys(homeless))


def _placed(
    notes: list[Note], taken: Sequence[Taken], sheet: tuple[float, float]
) -> tuple[list[Note], list[float]]:
    """Place the notes of one page; while they do not fit, leave out the last that helps."""
    while notes:
        blocks = [None, *(note.block for note in notes)]
        wishes = [
            Wish(_level(note, first=note.block is not before), note.box.margin_height() * PT)
            for note, before in zip(notes, blocks, strict=False)
        ]
        for strays in (STRAYS, FAR):
            if (places := stack(wishes, taken, *sheet, strays)) is not None:
                return notes, places
        for index in reversed(range(len(notes))):
            rest = wishes[:index] + wishes[index + 1 :]
            if (places := stack(rest, taken, *sheet, FAR)) is not None:
                return notes[:index] + notes[index + 1 :], places
        notes = notes[:-1]
    return [], []


def _level(note: Note, *, first: bool) -> float:
    """Give the top at which a note's first baseline is its paragraph's first, or that of its call."""
    line = _first_line(note.block) if first else note.line
    own = _first_line(note.box)
    inside = own.position_y + own.baseline - note.box.position_y
    return float(line.position_y + line.baseline - inside) * PT


def _first_line(box: Box) -> Box:
    return next(each for each in _within_flow(box) if isinstance(each, boxes.LineBox))


def _within_flow(box: Box) -> Iterator[Box]:
    yield box
    for child in box.children:
        if not isinstance(child, AbsolutePlaceholder):
            yield from _within_flow(child)


def _move(note: Note, document: Any, top: float) -> None:
    """Bring a note to its place, and to the page of its call if its paragraph ends on another."""
    if note.call_page != note.page:
        hung = next(c for c in note.parent.children if getattr(c, "_box", None) is note.box)
        note.parent.children = [c for c in note.parent.children if c is not hung]
        note.home.children = [*note.home.children, hung]
        note.parent = note.home
    sheet = document.pages[note.call_page]._page_box
    left = sheet.content_box_x() + MARGIN / PT
    note.box.translate(left - note.box.position_x, top / PT - note.box.position_y)
