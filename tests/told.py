"""What a reader is told, in order: by the DOM of the finished page, and by the tags of the finished PDF.

Both are trees of elements, and two short grammars say how each names the same things. In the words of a
block a link reads `[words](target)` and what is drawn `⟨as it is spoken⟩`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.tagged import Tag

READ_DOM: Final = r"""(() => {
    const unread = '[aria-hidden="true"], .unseen, .trying, script, style, summary';
    const read = e => {
        const tag = {kind: e.localName, name: e.id, facts: {css: e.getAttribute('class') ?? ''}};
        if (e.matches('svg')) return {...tag, alt: e.checkVisibility() ? e.getAttribute('aria-label') : ''};
        if (e.matches('math')) return {...tag, alt: e.getAttribute('alttext')};
        if (e.matches('a')) tag.target = e.getAttribute('href');
        if (e.matches('th')) tag.facts.scope = e.scope;
        const read_kid = kid => kid.nodeType === Node.TEXT_NODE ? [kid.data]
            : kid.nodeType === Node.ELEMENT_NODE && !kid.matches(unread) ? [read(kid)] : [];
        return {...tag, kids: [...e.childNodes].flatMap(read_kid)};
    };
    document.querySelectorAll('details').forEach(each => each.open = true);
    return read(document.querySelector('main'));
})()"""

Test = Callable[[Tag], bool]
_NUMBER, _NUMBER_END = "\ue000", "\ue001"  # stand around a bound number until its place is known


@dataclass(frozen=True)
class Grammar:
    """How one output names things."""

    blocks: Mapping[str, str]  # kind of element -> what its words are
    scopes: Mapping[str, str]  # what a head of a table says of what it heads -> in one word
    is_figure: Test
    is_left_out: Test  # what only this output has, and may have


@dataclass(frozen=True)
class Block:
    """Words that belong together, with the bound numbers in them, each after so many characters."""

    kind: str
    words: str
    numbers: tuple[tuple[int, str], ...] = ()

    @property
    def line(self) -> str:
        """What it is, and its words."""
        return f"{self.kind}: {self.words}"


@dataclass(frozen=True)
class Table:
    """A table: its caption, and row by row its cells, each with what it heads."""

    caption: Block
    rows: list[list[Block]]

    @property
    def lines(self) -> list[str]:
        """The caption, and each row in a line."""
        rows = (" | ".join(cell.line for cell in row) for row in self.rows)
        return [self.caption.line, *rows]


@dataclass
class Told:
    """What is told in the text, and in figures and tables, which paper may place a little later."""

    text: list[Block] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)  # what is said in the place of each
    captions: list[Block] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def _css(*names: str) -> Test:
    return lambda tag: not {*names}.isdisjoint(str(tag.facts.get("css", "")).split())


HTML: Final = Grammar(
    blocks={
        "main": "text", "header": "text", "article": "text", "section": "text", "div": "text",
        "p": "text", "ul": "text", "ol": "text", "li": "text", "dl": "text", "dd": "text",
        "blockquote": "text", "pre": "text", "details": "text", "dt": "term", "aside": "note",
        "figcaption": "caption", "caption": "caption", "h1": "h1", "h2": "h2", "h3": "h3",
    },
    scopes={"row": "row", "col": "column", "rowgroup": "row"},
    is_figure=lambda tag: tag.kind == "figure",
    is_left_out=lambda tag: tag.kind == "nav" or _css("anchor", "where", "description")(tag),
)  # fmt: skip
PDF: Final = Grammar(
    blocks={
        "Document": "text", "Art": "text", "Sect": "text", "Div": "text", "P": "text",
        "L": "text", "LI": "text", "LBody": "text", "BlockQuote": "text", "Lbl": "term",
        "Note": "note", "Caption": "caption", "H1": "h1", "H2": "h2", "H3": "h3",
    },
    scopes={"/Row": "row", "/Column": "column"},
    is_figure=lambda tag: any(isinstance(kid, Tag) and kid.kind == "Figure" for kid in tag.kids),
    is_left_out=lambda tag: (
        tag.kind == "TOC"
        or bool(re.match(r"#(?:answer|question)-\d", tag.target))  # under each other on the page
        or (tag.kind == "Lbl" and bool(re.fullmatch(r"\s*(?:•|\d+\.)\s*", tag.text)))
    ),
)  # fmt: skip


def of_dom(read: dict[str, Any]) -> Tag:
    """Take what READ_DOM gives; there an answer is folded under its question, here all follow them."""
    kids: list[Tag | str] = []
    for each in read.get("kids", []):
        kid = each if isinstance(each, str) else of_dom(each)
        kids.append(kid)
        if isinstance(kid, Tag) and _css("self-test")(kid):
            kids += [Tag("h3", ["Answers"]), *_taken(kid, _css("answer"))]
    return Tag(**{**read, "kids": kids})


def _taken(tag: Tag, test: Test) -> list[Tag]:
    """Take some elements out of a tree."""
    found = [kid for kid in tag.kids if isinstance(kid, Tag) and test(kid)]
    tag.kids = [kid for kid in tag.kids if not (isinstance(kid, Tag) and test(kid))]
    inner = (each for kid in tag.kids if isinstance(kid, Tag) for each in _taken(kid, test))
    return [*found, *inner]


def told(tag: Tag, grammar: Grammar) -> Told:
    """Read an element and all in it."""
    listener = _Listener(grammar)
    listener.hear(tag, "text")
    listener.end("text")
    return listener.told


class _Listener:
    """Hears a tree from its beginning to its end."""

    def __init__(self, grammar: Grammar) -> None:
        self.told = Told()
        self._grammar = grammar
        self._said: list[str] = []

    def hear(self, tag: Tag | str, kind: str) -> None:
        """Hear what is in an element; `kind` is that of the words around it."""
        if isinstance(tag, str):
            self._said.append(tag)
        elif self._grammar.is_left_out(tag):
            pass
        elif tag.alt is not None:
            self._said.append(f"⟨{tag.alt}⟩")
        elif tag.kind.lower() == "table" or self._grammar.is_figure(tag):
            self.end(kind)
            self._set_apart(tag)
        elif tag.kind in self._grammar.blocks:
            self.end(kind)
            own = self._grammar.blocks[tag.kind]
            self._hear_kids(tag, own if own != "text" else kind)
            self.end(own if own != "text" else kind)
        else:
            opening, closing = _around(tag)
            self._said.append(opening)
            self._hear_kids(tag, kind)
            self._said.append(closing)

    def _hear_kids(self, tag: Tag, kind: str) -> None:
        for kid in tag.kids:
            self.hear(kid, kind)

    def end(self, kind: str) -> None:
        """End a block, if one has begun."""
        block = _block(kind, "".join(self._said))
        self._said = []
        if block.words:
            self.told.text.append(block)

    def _set_apart(self, tag: Tag) -> None:
        if tag.kind.lower() == "table":
            self.told.tables.append(_table(tag, self._grammar))
            return
        self.told.pictures += [str(p.alt) for p in tag.all("svg", "Figure") if p.alt]
        self.told.captions += [_heard(c, self._grammar) for c in tag.all("figcaption", "Caption")]


def _around(tag: Tag) -> tuple[str, str]:
    if tag.target and not _css("label")(tag):  # on the page a label leads to itself, to be copied
        return "[", f"]({tag.target})"
    return {"data": (_NUMBER, _NUMBER_END), "br": (" ", "")}.get(tag.kind, ("", ""))


def _heard(tag: Tag, grammar: Grammar, kind: str = "caption") -> Block:
    """Hear an element whose words are one block."""
    listener = _Listener(grammar)
    listener._hear_kids(tag, kind)
    listener.end(kind)
    blocks = listener.told.text
    return blocks[0] if blocks else Block(kind, "")


def _table(tag: Tag, grammar: Grammar) -> Table:
    captions = [_heard(each, grammar) for each in tag.all("caption", "Caption")]
    rows = [
        [
            _heard(cell, grammar, grammar.scopes.get(str(cell.facts.get(key, "")), "cell"))
            for cell in row.all("th", "td", "TH", "TD")
            for key in [next((k for k in ("scope", "/Scope") if k in cell.facts), "")]
        ]
        for row in tag.all("tr", "TR")
    ]
    return Table(captions[0] if captions else Block("caption", ""), rows)


def _block(kind: str, said: str) -> Block:
    """Make a block of what was said: all white space is one space, and none stands at the end of a link."""
    text = re.sub(r"\[\s*", "[", said.replace("\u200b", ""))
    text = re.sub(r", page \d+(?=\s*\]\()", "", text)  # which paper alone can say of a link
    text = re.sub(r"\s+(\]\([^)]*\))", r"\1 ", text)
    text = re.sub(r"\s+", " ", text).strip()
    words, numbers = "", []
    for part in re.split(f"({_NUMBER}.*?{_NUMBER_END})", text):
        if part.startswith(_NUMBER):
            numbers.append((len(words), part.strip(_NUMBER + _NUMBER_END)))
        words += part.strip(_NUMBER + _NUMBER_END)
    return Block(kind, words, tuple(numbers))


def differences(page: Sequence[str], paper: Sequence[str]) -> list[str]:
    """List what differs, a line of the page after `-` and of the paper after `+`.

    Hyphens do not count, since a line of the paper may end within a word.
    """
    spelled = {_unbroken(each): each for each in page}
    alike = [spelled.get(_unbroken(each), each) for each in paper]
    return list(difflib.unified_diff(page, alike, "page", "paper", n=0, lineterm=""))


def _unbroken(words: str) -> str:
    return words.replace("-", "")
