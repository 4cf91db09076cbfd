"""Changes one thing in a finished PDF, the way a forger would."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, AttachedFileSpec, Dictionary, Name, String

Change = Callable[[pikepdf.Pdf], None]


def doctored(pdf: Path, to: Path, *changes: Change) -> Path:
    """Write a changed copy of a PDF."""
    with pikepdf.open(pdf) as document:
        for change in changes:
            change(document)
        document.save(to)
    return to


def attach(name: str, edit: Callable[[str], str], *, listed: bool = False) -> Change:
    """Edit an attachment; where it is `listed` again, its new fingerprint is recorded too."""

    def change(document: pikepdf.Pdf) -> None:
        stream = document.attachments[name].obj.EF.F
        old = stream.read_bytes().decode()
        new = edit(old)
        assert new != old
        stream.write(new.encode())
        if listed:
            mark = hashlib.sha256(new.encode()).hexdigest()
            attach("versions.json", lambda text: _listing(text, name, mark))(document)

    return change


def _listing(text: str, name: str, mark: str) -> str:
    record = json.loads(text)
    record["fingerprints"][name] = mark
    return json.dumps(record)


def put(old: str, new: str) -> Callable[[str], str]:
    """Replace the first place where a text says `old`."""

    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


def add(name: str, text: str) -> Change:
    """Add an attachment."""

    def change(document: pikepdf.Pdf) -> None:
        document.attachments[name] = AttachedFileSpec(document, text.encode())

    return change


def remove(*names: str) -> Change:
    """Remove attachments."""

    def change(document: pikepdf.Pdf) -> None:
        for name in names:
            del document.attachments[name]

    return change


def rewrite(old: str, new: str, within: str = "/Span") -> Change:
    """Print other letters, from the font that is there, in the first content of a kind that has `old`."""
    assert len(old) == len(new)

    def change(document: pikepdf.Pdf) -> None:
        assert any(_rewritten(document, page, old, new, within) for page in document.pages)

    return change


def _rewritten(document: pikepdf.Pdf, page: pikepdf.Page, old: str, new: str, within: str) -> bool:
    instructions = list(pikepdf.parse_content_stream(page))
    for piece in _pieces(page, instructions, within):
        at = "".join(letter for letter, *_ in piece).find(old)
        if at < 0:
            continue
        for (_, index, item, place, codes), letter in zip(piece[at:], new, strict=False):
            shown = instructions[index].operands[0]
            text = bytearray(bytes(shown[item]))
            text[place : place + 2] = codes[letter]
            shown[item] = String(bytes(text))
        page.Contents = document.make_stream(pikepdf.unparse_content_stream(instructions))
        return True
    return False


def _pieces(page: pikepdf.Page, instructions: list[Any], within: str) -> Iterator[list[Any]]:
    """Give the letters of each text object in the content of one kind, with where they stand."""
    tags, piece, codes = list[str](), list[Any](), dict[str, bytes]()
    for index, each in enumerate(instructions):
        operator = str(each.operator)
        if operator in ("BMC", "BDC"):
            tags.append(str(each.operands[0]))
        elif operator == "EMC":
            tags.pop()
        elif operator == "Tf":
            codes = _codes(page.Resources.Font[each.operands[0]])
        elif operator == "BT":
            piece = []
        elif operator == "ET" and within in tags:
            yield piece
        elif operator == "TJ":
            letters = {code: letter for letter, code in codes.items()}
            for item, shown in enumerate(each.operands[0]):
                if isinstance(shown, String):
                    text = bytes(shown)
                    for place in range(0, len(text), 2):
                        letter = letters.get(text[place : place + 2], "?")
                        piece.append((letter, index, item, place, codes))


def _codes(font: Any) -> dict[str, bytes]:
    pairs = re.findall(rb"<(\w{4})> <(\w{4})>\n", font.ToUnicode.read_bytes())
    return {chr(int(meaning, 16)): bytes.fromhex(code.decode()) for code, meaning in pairs}


def paint(content: bytes, page: int = 0, *, first: bool = False) -> Change:
    """Paint something over a page, or before all else."""

    def change(document: pikepdf.Pdf) -> None:
        document.pages[page].contents_add(content, prepend=first)

    return change


def edit_page(old: bytes, new: bytes, page: int = 0) -> Change:
    """Replace the first place where the content of a page says `old`."""

    def change(document: pikepdf.Pdf) -> None:
        content = document.pages[page].Contents
        data = content.read_bytes()
        assert old in data
        content.write(data.replace(old, new, 1))

    return change


def swap_shapes(one: str, other: str) -> Change:
    """Let the fonts draw two characters for each other, so that a search still finds the old ones."""

    def change(document: pikepdf.Pdf) -> None:
        for font in document.objects:
            if isinstance(font, Dictionary) and font.get("/Subtype") == "/Type0":
                codes = _codes(font)
                if {one, other} <= codes.keys():
                    order = bytearray(b"".join(code.to_bytes(2, "big") for code in range(65536)))
                    a, b = (2 * int.from_bytes(codes[each], "big") for each in (one, other))
                    order[a : a + 2], order[b : b + 2] = order[b : b + 2], order[a : a + 2]
                    font.DescendantFonts[0].CIDToGIDMap = document.make_stream(bytes(order))

    return change


def lead_links_to(target: str) -> Change:
    """Let the first link that leads out lead elsewhere."""

    def change(document: pikepdf.Pdf) -> None:
        links = [
            link for page in document.pages for link in page.get("/Annots", []) if "/A" in link
        ]
        links[0].A.URI = String(target)

    return change


def lay_over(text: str) -> Change:
    """Lay a note over the first page."""

    def change(document: pikepdf.Pdf) -> None:
        note = Dictionary(
            Type=Name.Annot, Subtype=Name.FreeText, Rect=Array([9, 9, 99, 99]), Contents=text
        )
        document.pages[0].Annots.append(document.make_indirect(note))

    return change


def describe(old: str, new: str) -> Change:
    """Change what a screen reader says for a figure."""

    def change(document: pikepdf.Pdf) -> None:
        for element in document.objects:
            if isinstance(element, Dictionary) and old in str(element.get("/Alt", "")):
                element.Alt = String(str(element.Alt).replace(old, new))

    return change


def retitle(title: str) -> Change:
    """Change the title that windows show."""

    def change(document: pikepdf.Pdf) -> None:
        document.docinfo.Title = String(title)

    return change
