"""Writes into the text of a PDF the spaces between words that its engine leaves to the eye.

The engine paints no space at the end of a line, nor beside what is set in another type; a tool that
takes the text as it stands runs the words together. Tagged PDF wants them apart (ISO 32000-1, 14.8.2.5).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from report.pdf.codes import meanings
from report.pdf.structure import INLINE, Leaf, Node

Pdf = Any  # pikepdf's own types know no keys of a dictionary

_CONTENT: Final = re.compile(rb"<</MCID (?P<number>\d+)>>\s*BDC(?P<inside>.*?)EMC", re.DOTALL)
_PLACE: Final = re.compile(rb"([-\d.]+) ([-\d.]+) Tm\s")
_TYPE: Final = re.compile(rb"(/\w+) ([\d.]+) Tf\s")
_SHOWN: Final = re.compile(rb"\[([^\]]*)\] TJ\s")
_CODES: Final = re.compile(rb"<([0-9A-Fa-f]+)>")
END: Final = b"] TJ"  # ends words that are painted
_WITHIN_WORDS: Final = "-/_\N{EN DASH}\N{EM DASH}"  # a line may end after these
_PATH: Final = re.compile(r"[_.][a-z]\w+\.$")  # and within `stem.at.64`, after its dots
_PATH_ON: Final = re.compile(r"\w*[_.]\w")


@dataclass(frozen=True)
class Run:
    """Words painted at one go: where they begin, how large they are, and what they say."""

    page: int
    number: int
    x: float
    y: float
    size: float
    text: str
    spaced: bytes  # what ends them with a space, in the place of END

    def begins_below(self, before: Run) -> bool:
        """Tell whether these words begin a line after others; an index is lowered by less than one."""
        lower = abs(self.y - before.y) >= before.size
        return self.page != before.page or self.x <= before.x or lower


Painted = dict[
    int, Run | None
]  # number of marked content -> its words if any, None for a bare space


def write(pdf: Pdf, root: Node) -> None:
    """Write the missing spaces; `root` is the tag tree of the file."""
    pages = {page.obj.objgen: _painted(index, page) for index, page in enumerate(pdf.pages)}
    due: dict[int, dict[int, bytes]] = defaultdict(dict)
    for run in _last_words(root, pages):
        due[run.page][run.number] = run.spaced
    for index, ends in due.items():
        contents = pdf.pages[index].Contents
        contents.write(_CONTENT.sub(partial(_spaced, ends), contents.read_bytes()))


def _painted(index: int, page: Any) -> Painted:
    """Find what each piece of marked content paints; what draws is left out."""
    fonts = {
        name.encode(): meanings(font.ToUnicode.read_bytes())
        for name, font in page.Resources.Font.items()
    }
    spaces = {name: code for name, font in fonts.items() if (code := _space(font))}
    found: Painted = {}
    for content in _CONTENT.finditer(page.Contents.read_bytes()):
        number, inside = int(content["number"]), content["inside"]
        shown = _SHOWN.findall(inside)
        if not shown and b"BT" in inside:
            found[number] = None  # a space is set, and not painted
        elif len(shown) == 1:
            (x, y), (name, size) = _PLACE.findall(inside)[0], _TYPE.findall(inside)[0]
            text = _text(shown[0], fonts[name])
            spaced = _spaced_end(name, size, spaces)
            found[number] = Run(index, number, float(x), float(y), float(size), text, spaced)
    return found


def _text(shown: bytes, font: dict[int, str]) -> str:
    """Read codes of two bytes each."""
    codes = b"".join(_CODES.findall(shown)).decode()
    return "".join(font[int(codes[i : i + 4], 16)] for i in range(0, len(codes), 4))


def _space(font: dict[int, str]) -> bytes:
    return next((b"<%04x>" % code for code, text in font.items() if text == " "), b"")


def _spaced_end(font: bytes, size: bytes, spaces: dict[bytes, bytes]) -> bytes:
    """Write the end of words and a space; where no other word in their font needed one, in another font."""
    if font in spaces or not spaces:
        return spaces.get(font, b"") + END
    other, code = next(iter(spaces.items()))
    return b"%s\n%s %s Tf\n[%s%s" % (END, other, size, code, END)


def _last_words(root: Node, pages: dict[Any, Painted]) -> Iterator[Run]:
    """Give the words that a space is missing after, block by block."""
    before: Run | None = None
    apart = False  # whether a bare space came after them
    for leaf in _flow(root):
        painted = pages[leaf.page.objgen] if leaf else {}
        run = painted.get(leaf.content) if leaf else None
        if leaf and leaf.content in painted and not (run and run.text):
            apart = apart or run is None
            continue
        if before and _is_missing(before, run, apart=apart):
            yield before
        before, apart = run, False


def _is_missing(before: Run, run: Run | None, *, apart: bool) -> bool:
    """Tell whether a space is missing between words and what comes after them; None is a drawing."""
    if before.text[-1].isspace() or (run and run.text[0].isspace()):
        return False
    return apart or bool(run and run.begins_below(before) and not _are_one_word(before, run))


def _are_one_word(before: Run, run: Run) -> bool:
    """Tell whether the line between them ended within a word."""
    if before.text.endswith("."):
        return not run.text[0].isupper() and bool(
            _PATH.search(before.text) or _PATH_ON.match(run.text)
        )
    return before.text[-1] in _WITHIN_WORDS


def _flow(node: Node) -> Iterator[Leaf | None]:
    """Give the content of a tree in reading order, and None wherever a block begins or ends."""
    block = node.kind not in INLINE
    if block:
        yield None
    for kid in node.kids:
        if isinstance(kid, Node):
            yield from _flow(kid)
        elif kid.area is None:
            yield kid
    if block:
        yield None


def _spaced(ends: dict[int, bytes], content: re.Match[bytes]) -> bytes:
    """End the words of a piece of content with a space, if one is due there."""
    start, end, rest = content[0].rpartition(END)
    return start + ends.get(int(content["number"]), end) + rest
