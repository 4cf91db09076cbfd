"""Finds what an author of Markdown left open, uncalled or leading nowhere, before anything is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markdown_it.tree import SyntaxTreeNode as Node

from report import marks
from report.authored import is_web
from report.errors import shortened
from report.results import closest, nearest

SHOWN: Final = 60  # characters of what was found
RANKS: Final = ("h2", "h3")  # of the headings of an article, which has its title already
CONTAINER: Final = "container_"
CONTAINERS: Final = (
    "figure", "table", "short-answer", "definition", "caution", "key", "takeaway", "self-test", "question",
    "summary", "chain", "key-numbers", "traps",
)  # fmt: skip
PLAIN: Final = ":::"  # opens a block that holds no other; one that does has a colon more

_FENCE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
_NOTE = re.compile(r"^\[\^([^\]\s]+)\]:", re.MULTILINE)
_CALL = re.compile(r"(?<!\\)\[\^([^\]\s]+)\]")
_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_SPACED = re.compile(r"(\[\^[^\]\s]+\])[ \t]+:")
_BAR = re.compile(r"(?<!\\)\|")
_NAME = re.compile(r"[\w-]+", re.ASCII)
_TITLELESS = frozenset(CONTAINERS) - {
    "figure", "table", "definition", "caution", "key", "question",
}  # fmt: skip
_COLONS = re.compile(r"[ \t]*((?:[:;][ \t]?)+)[ \t]*(\S*)(.*)")
_DASHES = re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?")
_PLACE = re.compile(r"(?<!\\)\{#[^{}\n]*\}[ \t]*$", re.MULTILINE)
_UNREAD: Final = [  # what Markdown took for words, and what is wrong with it
    (re.compile(pattern), what)
    for pattern, what in (
        (
            r"\S*(?:\]\(|\] \(#|\]\[)\S*|[(\[]#[a-zA-Z][\w-]*[)\]]",
            "'{}' is no link that an article may hold",
        ),
        (r"\^\[.*|\[\^(?![^\]\s]+\]).*", "`{}` is no note, such as `[^name]` or `^[its words]`"),
        (r"`+[^`]*", "`{}` begins code that the same number of backticks never ends"),
        (r"\S*\*\*\S*", "the `**` of `{}` neither begin nor end words in bold"),
    )
]

Slip = tuple[str, str, Node | None]  # what is wrong, a piece of its line, and what stands there


def slips(root: Node, text: str, called: Mapping[str, int]) -> Iterator[Slip]:
    """Find every slip; `called` tells of each note, by `:name`, the number it is called by, or -1."""
    lines = text.splitlines()
    for node in root.walk():
        if node.type.startswith(CONTAINER):
            yield from _open(node, lines)
        elif node.type in _WITH_LINES:
            yield from _WITH_LINES[node.type](node, lines)
        elif node.type in _FINDERS:
            yield from _FINDERS[node.type](node)
    yield from _idle(text, called)
    listed = marks.mark(marks.SOURCES, 0)
    if text.count(listed) > 1:
        yield "the sources are listed twice", "sources()", None


def unread(words: str) -> Iterator[tuple[str, str]]:
    """Find what looks like Markdown and became words: what is wrong, and a piece of its line."""
    for looks, what in _UNREAD:
        if found := looks.search(words):
            yield what.format(_said(found[0])), found[0]


def _said(words: str) -> str:
    """Quote somebody's words, `…` where a number or a formula stands."""
    return shortened(marks.elided(words), SHOWN)


def _open(node: Node, lines: Sequence[str]) -> Iterator[Slip]:
    """A block that ends with what it stands in was not closed; nor was one that another begins in."""
    kind, _, title = node.info.strip().partition(" ")
    if title.rstrip().endswith("::"):
        yield "a block is closed by `:::` on a line of its own", node.info.strip(), node
    if title and kind in _TITLELESS:
        what = f"`::: {kind}` has no title, so that '{_said(title)}' would not be printed"
        yield what, node.info.strip(), node
    yield from _named(title, node)
    end, around = (node.map or [0, 0])[1], node.parent
    if around and _is_plain(around):
        node = around
    elif end < len(lines) and lines[end].strip().startswith(":::"):
        return
    opened = node.info.strip()
    yield f"the block `::: {opened}` is never closed by a line `:::`", f":: {opened}", node


def _lines(node: Node) -> Iterator[Slip]:
    """A line that looks like the begin or the end of a block, or a part of one, and became words."""
    for line in node.content.splitlines():
        if line.startswith("##"):
            what = "is no heading, which has a blank after two or three `#`"
            yield f"`{_said(line)}` {what}", line, node
        if _DASHES.fullmatch(line):
            what = "makes no table of what is around it: it has a part for each column of the head above"
            yield f"`{line}` {what}", line, node
        if spaced := _SPACED.match(line):
            yield f"`{spaced[0]}` begins no note, as `{spaced[1]}:` would", line, node
        if not (found := _COLONS.match(line)):
            continue
        signs, name, _ = found.groups()
        said = _said(line)
        if name in CONTAINERS:
            yield f"`{said}` begins no block, as `::: {name}` would", line, node
        elif len(signs.split()) == len(signs.strip()) == 1:
            continue  # a colon by itself
        elif name.strip("/").startswith("end") or name.startswith("/"):
            yield f"`{said}` ends no block, as a line `:::` would", line, node
        elif name:
            yield f"there is no block `::: {name}`{nearest(name, CONTAINERS)}", line, node
        else:
            yield f"`{said}` closes a block that nothing opened", line, node


def _named(words: str, node: Node) -> Iterator[Slip]:
    if found := _PLACE.search(words):
        what = "names no place, for only headings and items that are cards have such a name"
        yield f"`{found[0].strip()}` {what}", found[0], node


def _is_plain(node: Node) -> bool:
    return node.type.startswith(CONTAINER) and node.markup == PLAIN


def _heading(node: Node) -> Iterator[Slip]:
    title = node.children[0].content if node.children else ""
    around = node.parent
    if around and _is_plain(around):
        opened = f"::: {around.info.strip()}"
        what = f"the heading '{title}' stands inside `{opened}`, which nothing closed before"
        yield what, opened.removeprefix(":"), around
    if node.tag not in RANKS:
        yield f"the heading '{title}' begins neither with `##` nor with `###`", title, node
    if around and around.type in ("list_item", "blockquote"):
        yield f"the heading '{title}' stands inside a list or a quotation", title, node
    if marks.stand_in(str(node.attrs.get("step", ""))):
        yield f"the step of the heading '{title}' is not in plain words", title, node


def _note(node: Node) -> Iterator[Slip]:
    name = node.meta.get("label")
    if name is None:
        return  # it is written where it is called
    called = f"[^{name}]"
    if not _NAME.fullmatch(name):
        yield f"the note {called} needs a name of letters, digits and hyphens", called, None
    if any(child.type != "paragraph" for child in node.children):
        yield f"the note {called} holds something else than paragraphs", f"{called}:", None
    if any(each.type == "footnote_ref" for each in node.walk()):
        yield f"the note {called} calls a note itself", f"{called}:", None


def _idle(text: str, called: Mapping[str, int]) -> Iterator[Slip]:
    """Notes that are written and never called, or written twice."""
    prose = _FENCE.sub("", text)
    names = _NOTE.findall(prose)
    unknown = [name for name in _CALL.findall(_SPAN.sub("", prose)) if name not in names]
    seen = set[str]()
    for name in names:
        if name in seen:
            yield f"the note [^{name}] is written twice", f"[^{name}]:", None
        elif called.get(f":{name}", 0) < 0:
            if call := closest(name, unknown):
                what = f"there is no note [^{call}] (did you mean '{name}'?)"
                yield what, f"[^{call}]", None
            yield f"the note [^{name}] is called nowhere", f"[^{name}]:", None
        seen.add(name)


def _fence(node: Node, lines: Sequence[str]) -> Iterator[Slip]:
    first, end = node.map or (0, 0)
    if end - 1 == first or not lines[end - 1].lstrip().startswith(node.markup):
        yield "the code that begins here is never closed", node.markup, node


def _row(node: Node, lines: Sequence[str]) -> Iterator[Slip]:
    """A row with more cells than its table has columns would lose the last."""
    line = lines[node.map[0]].strip() if node.map else ""
    cells = len(_BAR.split(line.removeprefix("|").removesuffix("|")))
    if node.map and cells > len(node.children):
        what = f"a row of the table has {cells} cells, and the table {len(node.children)} columns"
        yield what, line, node


def _link(node: Node) -> Iterator[Slip]:
    to = str(node.attrs.get("href", ""))
    if not to.startswith(("#", "mailto:")) and not is_web(to):
        what = "neither to an address of the web (https://…) nor to a place of the article (#…)"
        yield f"the link to '{to}' leads {what}", f"]({to}", node
    elif not node.children and not to.startswith("#"):
        yield f"the link to '{to}' has no words", f"]({to}", node


def _inline(node: Node) -> Iterator[Slip]:
    around = node.parent
    if around and around.type == "paragraph":
        yield from _lines(node)
        block = around.parent
        if node.content.strip() == "???" and not (block and block.type == f"{CONTAINER}question"):
            yield "`???` parts a question from its answer, and stands outside one", "???", node
    yield from _named(node.content, node)
    listed = marks.mark(marks.SOURCES, 0)
    if listed in node.content and node.content.strip() != listed:
        yield "`{{ sources() }}` shares its paragraph with other words", "sources()", node


_WITH_LINES = {"fence": _fence, "tr": _row}
_FINDERS = {
    "heading": _heading,
    "footnote": _note,
    "link": _link,
    "inline": _inline,
}
