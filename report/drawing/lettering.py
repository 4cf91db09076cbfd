"""Sets the words of drawings: a tiny markup, measured with the fonts themselves, glyph by glyph."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import uharfbuzz as hb
from fontTools.pens.svgPathPen import SVGPathPen

from report import authored
from report.errors import Mistake
from report.style import FACES, Face, Weight

SUBSCRIPT = 0.74  # size of a subscript against the words it stands in
DROP = 0.2  # how far below the baseline it stands, in sizes of those words
AFTER_ROOT = -0.02  # how much closer the symbol under a root moves to it, in sizes
FEATURES = {"kern": True, "liga": False, "clig": False, "calt": False}  # one glyph a character

_MARKUP = re.compile(r"\\(?P<plain>.)|(?P<bold>\*\*)|\*(?P<symbol>[^*]+)\*|(?P<root>√)|(?P<bad>\*)")
_SYMBOL = re.compile(r"_(?P<below>\{[^}]*\}|.)|(?P<letters>[^\W\d_]+)|(?P<other>[\W\d]+?)")


@dataclass(frozen=True)
class Glyph:
    """One placed glyph: its number in the font and its x from the start of its run, in units."""

    number: int
    x: float


class Cut:
    """One font file, opened for measuring: advances, kerning, ink and outlines."""

    def __init__(self, data: bytes) -> None:
        self._face = hb.Face(hb.Blob(data))
        self._font = hb.Font(self._face)
        self.em: int = self._face.upem

    @cached_property
    def cap(self) -> float:
        """Height of a capital letter, in sizes."""
        box = self._font.get_glyph_extents(self._number("H"))
        return box.y_bearing / self.em if box else 0.66

    def _number(self, char: str) -> int:
        return self._font.get_nominal_glyph(ord(char)) or 0

    def has(self, char: str) -> bool:
        """Tell whether the font can draw a character."""
        return bool(self._number(char))

    def shape(self, text: str) -> tuple[list[Glyph], list[int], int]:
        """Place the glyphs of a text: them, the kerning before each, and the width, in units."""
        buffer = hb.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        hb.shape(self._font, buffer, FEATURES)
        glyphs: list[Glyph] = []
        shifts: list[int] = []
        pen, unkerned = 0, 0
        for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            glyphs.append(Glyph(info.codepoint, pen + place.x_offset))
            shifts.append(pen + place.x_offset - unkerned - sum(shifts))
            pen += place.x_advance
            unkerned += self._font.get_glyph_h_advance(info.codepoint)
        return glyphs, shifts, pen

    def ink(self, glyph: Glyph) -> tuple[float, float, float, float] | None:
        """Give left, top, right, bottom of a glyph's ink in units, y downward; None if blank."""
        box = self._font.get_glyph_extents(glyph.number)
        if box is None or not box.width:
            return None
        left, top = glyph.x + box.x_bearing, -box.y_bearing
        return left, top, left + box.width, top - box.height

    def outline(self, number: int) -> str:
        """Give a glyph's outline as SVG path data in units, y upward."""
        pen = SVGPathPen(None, ntos=lambda length: f"{length:g}")
        self._font.draw_glyph_with_pen(number, pen)
        return str(pen.getCommands())


class Fonts:
    """The fonts of a folder, each opened when first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cuts: dict[str, Cut] = {}

    def cut(self, face: Face) -> Cut:
        """Open a face, or say which file is missing."""
        if face.file not in self._cuts:
            data = authored.font(self._folder / face.file, f"templates/fonts/{face.file}")
            self._cuts[face.file] = Cut(data)
        return self._cuts[face.file]


@dataclass(frozen=True)
class Run:
    """Words in one face and size: where they start and how far below the baseline they stand."""

    text: str
    face: Face
    size: float
    x: float
    drop: float
    shifts: tuple[float, ...]  # kerning before each character


@dataclass(frozen=True)
class Words:
    """One line of set words; lengths from its start on the baseline, y downward."""

    runs: tuple[Run, ...]
    size: float
    width: float
    left: float
    top: float
    right: float
    bottom: float

    @property
    def text(self) -> str:
        """The characters, without markup."""
        return "".join(run.text for run in self.runs)


def set_words(markup: str, size: float, weight: Weight, fonts: Fonts) -> Words:
    """Set one line: `*d_k*` is a symbol with a subscript, `**so**` is semibold, `\\*` an asterisk.

    Raises Mistake for markup without an end and for a character that no face here can draw.
    """
    pen, runs, ink = 0.0, [], []
    for text, kind, heavy, below, tight in _pieces(unicodedata.normalize("NFC", markup), weight):
        face = FACES[kind, heavy]
        cut = fonts.cut(face)
        _demand(text, cut, markup)
        small = size * (SUBSCRIPT if below else 1)
        drop = size * DROP if below else 0.0
        unit = small / cut.em
        glyphs, shifts, width = cut.shape(text)
        pen += tight * size
        runs.append(Run(text, face, small, pen, drop, tuple(shift * unit for shift in shifts)))
        ink += [
            (pen + box[0] * unit, drop + box[1] * unit, pen + box[2] * unit, drop + box[3] * unit)
            for box in map(cut.ink, glyphs)
            if box
        ]
        pen += width * unit
    boxes = ink or [(0.0, 0.0, 0.0, 0.0)]
    left, top = (min(box[side] for box in boxes) for side in (0, 1))
    right, bottom = (max(box[side] for box in boxes) for side in (2, 3))
    return Words(tuple(runs), size, pen, left, top, right, bottom)


def _demand(text: str, cut: Cut, markup: str) -> None:
    for char in text:
        if not cut.has(char):
            name = unicodedata.name(char, "without a name")
            raise Mistake(
                f"no font of the report has a glyph for '{char}' (U+{ord(char):04X} {name}),"
                f" which a drawing writes in '{markup}'"
            )


Piece = tuple[str, str, Weight, bool, float]  # text, kind of face, weight, subscript?, tightening


def _pieces(markup: str, weight: Weight) -> Iterator[Piece]:
    """Cut markup into runs of one face, neighbors of the same face joined."""
    joined: list[Piece] = []
    for piece in _split(markup, weight):
        text, *rest = piece
        if joined and list(joined[-1][1:4]) == rest[:3] and not rest[3]:
            joined[-1] = (joined[-1][0] + text, *joined[-1][1:])
        else:
            joined.append(piece)
    return iter(joined)


def _split(markup: str, weight: Weight) -> Iterator[Piece]:
    heavy, end, after_root = weight, 0, False
    for found in _MARKUP.finditer(markup):
        if before := markup[end : found.start()]:
            yield before, "sans", heavy, False, 0.0
            after_root = False
        end = found.end()
        if found["bad"]:
            raise Mistake(f"the words '{markup}' of a drawing open a symbol and never close it")
        if found["bold"]:
            heavy = "regular" if heavy != weight else "semibold"
        elif found["plain"]:
            yield found["plain"], "sans", heavy, False, 0.0
        elif found["root"]:
            yield "√", "upright", heavy, False, 0.0
        else:
            yield from _symbol(found["symbol"], heavy, after_root)
        after_root = bool(found["root"])
    if end < len(markup):
        yield markup[end:], "sans", heavy, False, 0.0


def _symbol(symbol: str, weight: Weight, after_root: bool) -> Iterator[Piece]:
    tight = AFTER_ROOT if after_root else 0.0
    for found in _SYMBOL.finditer(symbol):
        below = found["below"] is not None
        text = found["below"].strip("{}") if below else found[0]
        for part in re.findall(r"[^\W\d_]+|[\W\d_]+", text):
            kind = "symbol" if part[0].isalpha() else "upright"
            yield part, kind, weight, below, tight
            tight = 0.0
        tight = AFTER_ROOT if text.endswith("√") else 0.0
