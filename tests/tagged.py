"""Reads the tag tree of a PDF, and what each element says, from its objects and content streams alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pikepdf

Key = tuple[tuple[int, int], int]  # a page's object, the number of marked content on it

_CHARACTERS = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_PAIR = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]*)>")


@dataclass
class Tag:
    """An element of a text: its kind, what it holds in reading order, and what is said in its place."""

    kind: str
    kids: list[Tag | str] = field(default_factory=list)
    alt: str | None = None
    target: str = ""  # where a link leads: an address, or `#name`
    name: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    def walk(self) -> Iterator[Tag]:
        """Give it and all elements in it."""
        yield self
        for kid in self.kids:
            if isinstance(kid, Tag):
                yield from kid.walk()

    def all(self, *kinds: str) -> list[Tag]:
        """Give the elements of some kinds, in reading order."""
        return [each for each in self.walk() if each.kind in kinds]

    @property
    def text(self) -> str:
        """What it says: words as they stand, ⟨words in the place of what is drawn⟩."""
        if self.alt is not None:
            return f"⟨{self.alt}⟩"
        return "".join(kid if isinstance(kid, str) else kid.text for kid in self.kids)


def read(pdf: pikepdf.Pdf) -> Tag:
    """Read the whole tree."""
    said = dict(_said(pdf))
    root: Any = pdf.Root.StructTreeRoot
    return _tag(root.K[0], None, said)


def _tag(element: Any, page: Any, said: dict[Key, str]) -> Tag:
    page = element.get("/Pg", page)
    tag = Tag(str(element.S)[1:])
    tag.alt = str(element.Alt) if "/Alt" in element else None
    tag.name = str(element.get("/ID", ""))
    tag.facts = dict(element.get("/A", {}))
    kids = element.get("/K", [])
    for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, int):
            tag.kids.append(said.get((page.objgen, kid), ""))
        elif "/S" in kid:
            tag.kids.append(_tag(kid, page, said))
        elif kid.Type == "/OBJR":
            tag.target = _target(kid.Obj)
        else:
            tag.kids.append(said.get((kid.Pg.objgen, int(kid.MCID)), ""))
    return tag


def _target(link: Any) -> str:
    action = link.get("/A", {})
    if "/URI" in action:
        return str(action.URI)
    return f"#{link.get('/Dest') or action.D}"


def _said(pdf: pikepdf.Pdf) -> Iterator[tuple[Key, str]]:
    """Give the text of each piece of marked content."""
    maps: dict[tuple[int, int], dict[int, str]] = {}
    for page in pdf.pages:
        fonts: dict[str, dict[int, str]] = {}
        for name, font in page.obj.Resources.get("/Font", {}).items():
            if font.objgen not in maps:
                maps[font.objgen] = _characters(font)
            fonts[name] = maps[font.objgen]
        for number, text in _shown(page, fonts):
            yield (page.obj.objgen, number), text


def _characters(font: Any) -> dict[int, str]:
    """Read which characters the codes of a font stand for (ISO 32000-1, 9.10.3)."""
    parts = _CHARACTERS.findall(font.ToUnicode.read_bytes())
    return {
        int(code, 16): bytes.fromhex(shown.decode()).decode("utf-16-be")
        for part in parts
        for code, shown in _PAIR.findall(part)
    }


def _shown(page: Any, fonts: dict[str, dict[int, str]]) -> Iterator[tuple[int, str]]:
    open_now: list[int | None] = []
    font: dict[int, str] = {}
    text: dict[int, str] = {}
    for step in pikepdf.parse_content_stream(page, "BDC BMC EMC Tf Tj TJ"):
        operands: Any = step.operands
        match str(step.operator):
            case "BDC" | "BMC":
                marks = operands[1] if len(operands) > 1 else {}
                number = marks.get("/MCID") if hasattr(marks, "get") else None
                open_now.append(None if number is None else int(number))
            case "EMC":
                open_now.pop()
            case "Tf":
                font = fonts[str(operands[0])]
            case "Tj" | "TJ":
                within = next((each for each in reversed(open_now) if each is not None), None)
                if within is not None:
                    text[within] = text.get(within, "") + _decoded(operands[0], font)
    yield from text.items()


def _decoded(shown: Any, font: dict[int, str]) -> str:
    pieces = [shown] if isinstance(shown, pikepdf.String) else shown
    codes = b"".join(bytes(each) for each in pieces if isinstance(each, pikepdf.String))
    return "".join(font[int.from_bytes(codes[i : i + 2], "big")] for i in range(0, len(codes), 2))
