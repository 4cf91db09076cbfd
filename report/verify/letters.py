"""The letters of a PDF twice over: the characters a search finds, and the outlines an eye sees.

The two can be set apart on purpose: a font may say 3 and draw an 8. Section numbers are those of
ISO 32000-1.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

import pikepdf
from fontTools.pens.recordingPen import RecordingPen
from fontTools.ttLib import TTFont, TTLibError

from report.glance import digest
from report.pdf.codes import meanings
from report.verify.objects import Object, described

ROUNDED: Final = 2.0  # thousandths of an em that a width may be off
UNKNOWN: Final = "\ufffd"  # what a code stands for that the font gives no character


class Letter(NamedTuple):
    """A drawn letter: the characters it stands for, and a hash of its outline."""

    text: str
    outline: str


class Fonts:
    """The fonts of one document, each read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, int], Font] = {}

    def __getitem__(self, font: Object) -> Font:
        if font.objgen not in self._read or not font.is_indirect:
            self._read[font.objgen] = Font(font)
        return self._read[font.objgen]


class Font:
    """One font: what its codes stand for and what they look like."""

    def __init__(self, font: Object) -> None:
        self._font = font
        self._wide = font.get("/Subtype") == "/Type0"  # two bytes a code, which is a glyph
        self._known: dict[int, Letter] = {}

    def read(self, text: bytes) -> Iterator[Letter]:
        """Take the letters of a string."""
        step = 2 if self._wide else 1
        for at in range(0, len(text), step):
            yield self._letter(int.from_bytes(text[at : at + step], "big"))

    def _letter(self, code: int) -> Letter:
        if code not in self._known:
            self._known[code] = Letter(self._meanings.get(code, UNKNOWN), self._outline(code))
        return self._known[code]

    @cached_property
    def _meanings(self) -> dict[int, str]:
        if "/ToUnicode" in self._font:
            return meanings(self._font.ToUnicode.read_bytes())
        return {} if self._wide else {code: chr(code) for code in range(256)}

    def _outline(self, code: int) -> str:
        if self._program is None:
            return f"{self._whole} {code}"
        pen, em = RecordingPen(), self._program["head"].unitsPerEm
        try:
            glyph = self._program.getGlyphSet()[self._program.getGlyphName(self._glyph(code))]
            glyph.draw(pen)
        except (KeyError, IndexError, TTLibError):
            return "none"
        wide = 1000 * glyph.width / em
        given = self._widths.get(code, float(self._inner.get("/DW", 1000)))
        width = "" if abs(given - wide) < ROUNDED else given  # it moves the letters that follow
        return digest(repr((pen.value, em, glyph.width, width, self._encoding)).encode())

    @cached_property
    def _encoding(self) -> str:
        return described(self._font.get("/Encoding"))

    @cached_property
    def _widths(self) -> dict[int, float]:
        """How wide codes are said to be (9.7.4.3): from one on, or all alike from one to another."""
        found: dict[int, float] = {}
        items = iter(self._inner.get("/W", []))
        for first in items:
            item = next(items)
            if isinstance(item, pikepdf.Array):
                found |= {int(first) + at: float(width) for at, width in enumerate(item)}
            else:
                found |= dict.fromkeys(range(int(first), int(item) + 1), float(next(items)))
        return found

    def _glyph(self, code: int) -> int:
        """The glyph of a code, where the font's file numbers them otherwise (9.7.4.2)."""
        at = 2 * code
        return int.from_bytes(self._numbers[at : at + 2], "big") if self._numbers else code

    @cached_property
    def _numbers(self) -> bytes:
        numbers = self._inner.get("/CIDToGIDMap")
        return numbers.read_bytes() if isinstance(numbers, pikepdf.Stream) else b""

    @cached_property
    def _inner(self) -> Object:
        return self._font.DescendantFonts[0] if self._wide else self._font

    @cached_property
    def _program(self) -> TTFont | None:
        """The font's file, where its codes are glyphs; any other font counts as a whole."""
        descriptor = self._inner.get("/FontDescriptor", {})
        if not self._wide or "/FontFile2" not in descriptor:
            return None
        try:
            return TTFont(io.BytesIO(descriptor.FontFile2.read_bytes()), lazy=True)
        except TTLibError:
            return None

    @cached_property
    def _whole(self) -> str:
        return digest(described(self._font).encode())
