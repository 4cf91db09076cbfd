"""The tag tree of a PDF: what the engine parted is joined again, and what it has no word for is named.

The engine tags boxes, and a box ends with its line or its page: a link over two lines, a paragraph over
two pages, a table over three come out as that many elements. While the file is made each element bears
the sign of the HTML element its box was made of, by which they find together (ISO 32000-1, 14.7 and 14.8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pikepdf import Array, Dictionary, Name

Pdf = Any  # pikepdf's own types know no keys of a dictionary
Element = Any

SIGN: Final = "/T"  # the key that holds a sign until the tree is written: a number and an HTML name
INLINE: Final = ("Span", "NonStruct", "Link", "Code")  # kinds that stand in a line
CALL: Final = "span::footnote-call"  # what the engine leaves where a footnote is called

_NAMES: Final = {
    "aside": "Note",
    "code": "Code",
    "formula": "Formula",
    "nav": "TOC",
    "pre": "P",
}
_HOLDS_NOTES: Final = ("TH", "TD", "LBody", "Caption")  # nothing but its like may stand beside it
_MARKED: Final = re.compile(rb"/\w+\s*<</MCID (?P<id>\d+)>>\s*BDC")
_FURNITURE: Final = b"/Artifact\n<</Type /Pagination>>\nBDC"
_ORNAMENT: Final = b"/Artifact\n<</Type /Layout>>\nBDC"


@dataclass(eq=False)
class Leaf:
    """A piece of a page that an element holds: marked content by its number, or the area of a link."""

    page: Element
    content: int = -1
    area: Element = None


@dataclass(eq=False)
class Node:
    """An element: its kind, the sign it bears, and what lies in it, in reading order."""

    element: Element
    kind: str
    number: str  # of the HTML element; empty for what the engine adds
    name: str
    kids: list[Node | Leaf] = field(default_factory=list)
    again: list[Node] = field(default_factory=list)  # of a table's head: what later pages repeat

    @property
    def nodes(self) -> list[Node]:
        """The elements that lie in it directly."""
        return [kid for kid in self.kids if isinstance(kid, Node)]

    @property
    def leaves(self) -> list[Leaf]:
        """The pieces of pages that lie in it directly."""
        return [kid for kid in self.kids if isinstance(kid, Leaf)]

    def walk(self) -> Iterator[Node]:
        """Give it and all elements in it, in reading order."""
        waiting = [self]
        while waiting:
            yield (node := waiting.pop())
            waiting += reversed(node.nodes)

    @property
    def origin(self) -> tuple[str, str, str] | None:
        """What all parts of one HTML element have in common; None for what the engine adds."""
        return (self.kind, self.number, self.name) if self.number else None


def mend(pdf: Pdf) -> Node:
    """Make the tag tree of a file of the engine's say what its text is; give the tree."""
    root = _read(pdf.Root.StructTreeRoot.K[0], None)
    ornaments = set(_stripped(root))
    _join(root)
    _settle_footnotes(root)
    for number, note in enumerate(_rename(root), 1):
        note.element.ID = f"note-{number}"
    for node in root.walk():
        if node.kind == "L":
            _pair_terms(node)
        elif node.kind == "LI":
            _fit_item(pdf, node)
        elif node.kind == "Table":
            _head_cells(node)
        elif node.kind == "Link":
            _unlink(node)
        elif node.kind == "TOC":
            _list_contents(node)
    _write(pdf, root)
    _set_apart(pdf, root, ornaments)
    return root


def _read(element: Element, page: Element) -> Node:
    page = element.get("/Pg", page)
    number, _, name = str(element.get(SIGN, "")).partition(" ")
    node = Node(element, str(element.S)[1:], number, name)
    for kid in element.K:
        if isinstance(kid, int):
            node.kids.append(Leaf(page, content=kid))
        elif "/S" in kid:
            node.kids.append(_read(kid, page))
        else:
            node.kids.append(Leaf(kid.Pg, area=kid))
    return node


def _stripped(root: Node) -> Iterator[tuple[Any, int]]:
    """Take out what a style sets before words: it is seen, and not read; give the page and number of each."""
    for node in root.walk():
        ornaments = [kid for kid in node.nodes if kid.name.endswith("::before")]
        node.kids = [kid for kid in node.kids if kid not in ornaments]
        for inside in (each for ornament in ornaments for each in ornament.walk()):
            yield from ((leaf.page.objgen, leaf.content) for leaf in inside.leaves)


# -- what was parted ----------------------------------------------------------------------------------


def _join(node: Node) -> None:
    """Join what was parted; a table's head is set again on each page, and only the first is read.

    A part goes on with an elder sibling. A box the engine made within an element bears that element's
    sign: it goes on with its neighbor only.
    """
    kept: list[Node | Leaf] = []
    elder: dict[tuple[str, str, str], Node] = {}
    neighbor: Node | None = None
    for kid in node.kids:
        if isinstance(kid, Leaf) or (origin := kid.origin) is None:
            begun = None
        elif kid.number == node.number:
            begun = neighbor if neighbor and neighbor.origin == origin else None
        else:
            begun = elder.get(origin)
        if isinstance(kid, Leaf) or begun is None:
            kept.append(kid)
        elif kid.kind == "THead":
            begun.again.append(kid)
        else:
            begun.kids += kid.kids
        if isinstance(kid, Node) and begun is None:
            neighbor = kid
            if kid.origin:
                elder.setdefault(kid.origin, kid)
    node.kids = kept
    for kid in node.nodes:
        if kid.origin and kid.origin == node.origin:  # a box around words that stand beside a block
            kid.kind, kid.name = "NonStruct", ""
        _join(kid)


def _settle_footnotes(root: Node) -> None:
    """Let each footnote be read after the block that calls it, as a note in the margin is."""
    above = {kid: node for node in root.walk() for kid in node.nodes}
    notes = {node.number: node for node in above if node.name == "aside" and node.kind == "Span"}
    last: dict[Node, Node] = {}  # block -> what is read after it so far
    for call in [node for node in above if node.name == CALL]:
        note, block = notes[call.number], above[call]
        block.kids.remove(call)
        above[note].kids.remove(note)
        while block.kind in INLINE:
            block = above[block]
        if block.kind in _HOLDS_NOTES:
            block.kids.append(note)
        else:
            beside = above[block].kids
            beside.insert(beside.index(last.get(block, block)) + 1, note)
            last[block] = note
    root.kids = [kid for kid in root.nodes if kid.kids]  # the foot of a page is empty now


# -- what has no name ---------------------------------------------------------------------------------


def _rename(root: Node) -> Iterator[Node]:
    """Call things by their names; give the notes."""
    for node in root.walk():
        node.kind = _NAMES.get(node.name, node.kind)
        if node.kind == "Note":
            yield node


def _pair_terms(terms: Node) -> None:
    """Make a term and what it means one item of a list."""
    items: list[Node | Leaf] = []
    for item in terms.nodes:
        if item.name == "dd" and items:
            items[-1].kids += item.kids  # type: ignore[union-attr] # only elements were put there
            continue
        if item.name == "dt":
            for body in item.nodes:
                body.kind = "Lbl"
        items.append(item)
    terms.kids = items


def _list_contents(contents: Node) -> None:
    """Make the table of contents that a list of links is, under its title."""
    entries: list[Node | Leaf] = []
    for part in contents.nodes:
        if part.kind != "L":
            part.kind = "Caption"
            entries.append(part)
        for item in part.nodes if part.kind == "L" else []:
            item.kind = "TOCI"
            for body in item.nodes:
                body.kind = "Reference"
            entries.append(item)
    contents.kids = entries


def _fit_item(pdf: Pdf, item: Node) -> None:
    """Let an item hold its mark and its body, and nothing beside them."""
    fits = [kid for kid in item.nodes if kid.kind in ("Lbl", "LBody")]
    loose = [kid for kid in item.kids if kid not in fits]
    if loose:
        body = Dictionary(Type=Name.StructElem, Pg=item.element.Pg)
        item.kids = [*fits, Node(pdf.make_indirect(body), "LBody", "", "", loose)]


def _head_cells(table: Node) -> None:
    """Say of each head what it heads, and lead each cell to the heads that are read."""
    read: dict[str, Any] = {}  # name of a head that is set again -> name of the one that is read
    for group in table.nodes:
        for again in group.again:
            pairs = zip(_cells(again), _cells(group), strict=True)
            read |= {str(other.element.ID): first.element.ID for other, first in pairs}
    for group in table.nodes:
        scope = Name.Column if group.kind == "THead" else Name.Row
        for cell in _cells(group):
            if cell.kind == "TH":
                cell.element.A.Scope = scope
            elif cell.kind == "TD":
                heads = (read.get(str(head), head) for head in cell.element.A.Headers)
                cell.element.A.Headers = Array(heads)


def _cells(group: Node) -> list[Node]:
    return [cell for row in group.nodes for cell in row.nodes]


def _unlink(link: Node) -> None:
    """Leave a link one element: the engine links again whatever is set apart inside a link.

    What a style adds to a link (a page number) stands beside it, so its area is kept and given to
    the link; areas of marks, spaces and symbols lie within the link's own and go.
    """
    for inside in list(link.walk())[1:]:
        areas = [leaf for leaf in inside.leaves if leaf.area is not None]
        inside.kids = [kid for kid in inside.kids if kid not in areas]
        if inside.kind == "Link":
            inside.kind = "Span"
            link.kids += areas


# -- writing ------------------------------------------------------------------------------------------


def _write(pdf: Pdf, root: Node) -> None:
    """Put the tree into the file, with the ways that lead back to it; areas it does not know go."""
    owners: dict[tuple[int, int], dict[int, Element]] = {}  # page -> number of content -> element
    areas: dict[int, Element] = {}
    names: dict[str, Element] = {}
    for node in root.walk():
        _write_node(node)
        for leaf in node.leaves:
            if leaf.area is None:
                owners.setdefault(leaf.page.objgen, {})[leaf.content] = node.element
            else:
                areas[int(leaf.area.Obj.StructParent)] = node.element
        if "/ID" in node.element:
            names[str(node.element.ID)] = node.element
    back: dict[int, Element] = dict(areas)
    for page in pdf.pages:
        mine = owners.get(page.obj.objgen, {})
        back[int(page.StructParents)] = Array(
            [mine.get(i) for i in range(max(mine, default=-1) + 1)]
        )
        if "/Annots" in page:
            page.Annots = Array([each for each in page.Annots if int(each.StructParent) in areas])
    tree = pdf.Root.StructTreeRoot
    tree.ParentTree.Nums = Array([each for key in sorted(back) for each in (key, back[key])])
    flat = [each for name in sorted(names) for each in (name, names[name])]
    tree.IDTree = pdf.make_indirect(Dictionary(Names=Array(flat)))


def _write_node(node: Node) -> None:
    element = node.element
    element.S = Name(f"/{node.kind}")
    if SIGN in element:
        del element[SIGN]
    for kid in node.nodes:
        kid.element.P = element
    element.K = Array([_written(kid, element) for kid in node.kids])


def _written(kid: Node | Leaf, element: Element) -> Any:
    if isinstance(kid, Node):
        return kid.element
    if kid.area is not None:
        return kid.area
    if kid.page.objgen == element.Pg.objgen:
        return kid.content
    return Dictionary(Type=Name.MCR, Pg=kid.page, MCID=kid.content)


def _set_apart(pdf: Pdf, root: Node, ornaments: set[tuple[Any, int]]) -> None:
    """Mark what the tree does not hold as artifacts (14.8.2.2): running heads and feet, heads set again."""
    told = {(leaf.page.objgen, leaf.content) for node in root.walk() for leaf in node.leaves}
    for page in pdf.pages:

        def apart(found: re.Match[bytes], page: Any = page.obj.objgen) -> bytes:
            content = page, int(found["id"])
            if content in told:
                return found[0]
            return _ORNAMENT if content in ornaments else _FURNITURE

        page.Contents.write(_MARKED.sub(apart, page.Contents.read_bytes()))
