"""Turns bound Markdown into the article's HTML, with a mark wherever page and print differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any, NoReturn, cast

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.footnote import footnote_plugin

from report import marks
from report.cards import ASKING, Card, of_item, unfit
from report.contracts import Table
from report.results import nearest, unmade
from report.slips import CONTAINER, CONTAINERS, slips, unread
from report.symbols import symbols

EXTRACTED = ("short-answer", "summary")  # blocks that tell the whole in brief
_ATTRIBUTES = re.compile(r'\s*\{#(?P<id>[\w-]+)(?P<rest>(?:\s+\w+="[^"]*")*)\s*\}\s*$')
_UNREAD_NOTE = re.compile(r"\[\^([^\]\s]+)\]")
_NUMBER = re.compile(r"(?:under )?[−+]?\d[\d.,]*%?(?: × 10\S+)?")


@dataclass(frozen=True)
class Heading:
    """A heading of the text: its anchor, rank, small line above (`Step 1`) and title, as HTML."""

    anchor: str
    level: int
    step: str
    title: str


@dataclass(frozen=True)
class Placement:
    """The one place of a figure: its stem, number and caption, as HTML."""

    stem: str
    number: int
    caption: str


@dataclass(frozen=True)
class Note:
    """A note of the margin: its name in the source, number and text, as HTML."""

    name: str
    number: int
    text: str


@dataclass(frozen=True)
class Question:
    """A question of the self-test with its answer, as HTML."""

    number: int
    question: str
    answer: str


@dataclass
class Written:
    """The article's HTML and the parts its marks stand for."""

    body: str = ""
    headings: list[Heading] = field(default_factory=list)
    figures: list[Placement] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)  # those that experiments make
    notes: list[Note] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)
    summary: str = ""  # the anchor of the page to revise from, if there is one
    extracts: dict[str, str] = field(default_factory=dict)  # kind of block -> its bound Markdown


Fail = Callable[
    [str, str, int], NoReturn
]  # (what is wrong, a piece of the line it stands on, about which line that is; 0 if nobody knows)
Node = SyntaxTreeNode


def write(
    text: str,
    credit: str,
    anchors: dict[str, str],
    fail: Fail,
    tables: Mapping[str, Table] | None = None,
    drawn: Sequence[str] | None = None,
) -> Written:
    """Write bound Markdown as HTML.

    `credit` closes each caption; `anchors` are the targets that exist beside the text (sources and the
    appendices), with the words a bare link to each is given; `fail` raises for a fault of the author's;
    `tables` are those that experiments make, by stem; `drawn` names the figures there are, if known.
    """
    parser = _parser()
    env: dict[str, Any] = {}
    tokens = parser.parse(text, env)
    writer = _Writer(parser, env, credit, fail, tables or {}, drawn)
    root = SyntaxTreeNode(tokens)
    for found in env["unread"]:
        fail(*found)
    for slip in slips(root, text, env.get("footnotes", {}).get("refs", {})):
        writer.wrong(*slip)
    written = writer.write(root, anchors)
    written.extracts = _extracts(root, text.splitlines())
    return written


def _extracts(root: Node, lines: Sequence[str]) -> dict[str, str]:
    """Cut out of the bound text what tells the whole in brief."""
    found = dict.fromkeys(EXTRACTED, "")
    for node in root.walk():
        kind = node.type.removeprefix(CONTAINER)
        if kind in found and node.map:
            found[kind] += "\n".join([*lines[node.map[0] + 1 : node.map[1]], "", ""])
    return found


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"typographer": True, "html": False})
    parser.enable(["table", "replacements", "smartquotes"])
    parser.use(footnote_plugin)
    for name in CONTAINERS:
        parser.use(container_plugin, name)
    parser.core.ruler.before("inline", "attributes", _attributes)
    parser.core.ruler.before("replacements", "unread", _unread)
    return parser


def _attributes(state: StateCore) -> None:
    """Move `{#id step="Step 1"}` from the end of a heading, or of an item of a list, to what it names."""
    owner: Token | None = None
    for token in state.tokens:
        if token.type in ("heading_open", "list_item_open"):
            owner = token
        elif token.type != "paragraph_open":
            if owner and token.type == "inline" and (found := _ATTRIBUTES.search(token.content)):
                token.content = token.content[: found.start()]
                more = re.findall(r'(\w+)="([^"]*)"', found["rest"])
                owner.attrs = {**owner.attrs, "id": found["id"], **dict(more)}
            owner = None


def _unread(state: StateCore) -> None:
    """Keep what is wrong with the words, while what was escaped and typed is still told apart."""
    state.env["unread"] = [
        (*found, token.map[0] + 1 if token.map else 0)
        for token in state.tokens
        for child in token.children or []
        if child.type == "text"
        for found in unread(child.content)
    ]


class _Writer:
    def __init__(
        self,
        parser: MarkdownIt,
        env: dict[str, Any],
        credit: str,
        fail: Fail,
        tables: Mapping[str, Table],
        drawn: Sequence[str] | None = None,
    ) -> None:
        self._parser, self._env, self._credit, self._fail = parser, env, credit, fail
        self._html = cast("RendererHTML", parser.renderer)
        self._out = Written()
        self._notes: dict[int, Node] = {}
        self._note_numbers: dict[int, int] = {}
        self._given, self._drawn, self._tables = tables, drawn, 0

    def wrong(self, what: str, near: str, node: Node | None = None) -> NoReturn:
        """Raise for a fault that stands on a line with `near` in it, at a node or close to it."""
        while node is not None and not node.map:
            node = node.parent
        self._fail(what, near, node.map[0] + 1 if node is not None and node.map else 0)

    def write(self, root: Node, anchors: dict[str, str]) -> Written:
        """Walk the tree twice: name every target, then write."""
        self._out.anchors = dict(anchors)
        self._name_targets(root)
        for node in root.walk():
            if node.type == "footnote":
                self._notes[node.meta["id"]] = node
        self._out.body = self._blocks(root)
        if unread := _UNREAD_NOTE.search(
            re.sub(r"<(pre|code)\b.*?</\1>", "", self._out.body, flags=re.S)
        ):
            names = [str(node.meta.get("label")) for node in self._notes.values()]
            near = nearest(unread[1], names)
            self.wrong(f"there is no note [^{unread[1]}]{near}", unread[0])
        return self._out

    def _name_targets(self, root: Node) -> None:
        figures = tables = 0
        for node in root.walk():
            if node.type == "heading":
                anchor = str(node.attrs.get("id") or "")
                if not anchor:
                    title = node.children[0].content
                    what = f"the heading '{title}' needs a short link, such as {{#{_slug(title)}}}"
                    self.wrong(what, title, node)
                self._target(anchor, self._plain(node.children[0]), f"#{anchor}", node)
            elif node.type == "container_figure":
                figures += 1
                stem = self._name_of(node)
                if self._drawn is not None and stem not in self._drawn:
                    self.wrong(self._undrawn(stem, self._drawn), f"figure {stem}", node)
                self._target(stem, f"Figure {figures}", f"figure {stem}", node)
            elif node.type == "container_table":
                tables += 1
                name = self._name_of(node)
                self._target(name, f"Table {tables}", f"table {name}", node)

    def _undrawn(self, stem: str, drawn: Sequence[str]) -> str:
        """Say what becomes of a figure that is placed and that nobody draws."""
        if stem in self._given:
            return f"'{stem}' is a table: it is placed by `::: table {stem}`"
        return f"no experiment draws the figure '{stem}'{unmade(stem, drawn)}"

    def _target(self, anchor: str, words: str, near: str, node: Node) -> None:
        if anchor in self._out.anchors:
            what = f"'#{anchor}' stands twice, and a link can lead to one place only"
            self.wrong(what, near, node)
        self._out.anchors[anchor] = words

    def _name_of(self, node: Node) -> str:
        name = _title(node)
        if not re.fullmatch(r"[\w-]+", name):
            opened = f"::: {node.info.strip()}"
            self.wrong(f"`{opened}` needs one name after its kind", opened, node)
        return name

    # -- blocks ---------------------------------------------------------------------------------

    def _blocks(self, node: Node) -> str:
        return "".join(self._block(child) for child in node.children)

    def _block(self, node: Node) -> str:
        writer = getattr(self, f"_{node.type.replace('-', '_')}", None)
        if writer is None:
            return str(self._html.render(node.to_tokens(), self._parser.options, self._env))
        return str(writer(node))

    def _heading(self, node: Node) -> str:
        inline, anchor = node.children[0], str(node.attrs.get("id") or "")
        heading = Heading(
            anchor, int(node.tag[1]), str(node.attrs.get("step") or ""), self._inline(inline)
        )
        self._out.headings.append(heading)
        step = f'<span class="step">{escape(heading.step)}</span> ' if heading.step else ""
        return f'<{node.tag} id="{anchor}">{step}{heading.title}</{node.tag}>\n'

    def _paragraph(self, node: Node) -> str:
        inline = node.children[0]
        hidden = node.nester_tokens is not None and node.nester_tokens.opening.hidden
        text = self._inline(inline)
        if text == marks.mark(marks.SOURCES, 0):
            return text  # a list, and no paragraph may hold one
        return self._with_notes(text if hidden else f"<p>{text}</p>\n", inline)

    def _with_notes(self, html: str, node: Node) -> str:
        """Set the notes a block calls beside it."""
        called = [each.meta["id"] for each in node.walk() if each.type == "footnote_ref"]
        if not called:
            return html
        asides = "".join(marks.mark(marks.NOTE, self._note_numbers[each] - 1) for each in called)
        return f'<div class="with-note">{html}{asides}</div>\n'

    def _nested(self, node: Node) -> str:
        start = node.attrs.get("start")
        number = f' start="{start}"' if start else ""
        return f"<{node.tag}{number}>{self._blocks(node)}</{node.tag}>\n"

    _bullet_list = _ordered_list = _blockquote = _nested

    def _list_item(self, node: Node) -> str:
        text = self._blocks(node)
        if name := str(node.attrs.get("id") or ""):
            block = node.parent.parent if node.parent else None
            kind = ASKING.get(block.type.removeprefix(CONTAINER) if block else "")
            if kind is None:
                where = " and ".join(f"`::: {each}`" for each in ASKING)
                self.wrong(f"'{name}' names a card, and items of {where} are cards", name, node)
            if not (card := of_item(name, kind, text, self._place)):
                self.wrong(f"the card '{name}' needs words in bold, then others", name, node)
            self._keep(card, node)
        return f"<li>{text}</li>\n"

    @property
    def _place(self) -> str:
        """The anchor of the heading above."""
        return self._out.headings[-1].anchor if self._out.headings else ""

    def _keep(self, card: Card, node: Node) -> None:
        if said := unfit(card.name, self._out.cards):
            self.wrong(said, card.name, node)
        self._out.cards.append(card)

    def _fence(self, node: Node) -> str:
        language = escape(node.info.split()[0]) if node.info.strip() else "text"
        return f'<pre class="code"><code class="language-{language}">{escape(node.content)}</code></pre>\n'

    def _table(self, node: Node, caption: str = "", anchor: str = "") -> str:
        """Write a table whose first column names its rows."""
        rows = [row for part in node.children for row in part.children]
        head, *body = ([self._inline(cell.children[0]) for cell in row.children] for row in rows)
        sides = [
            "right" if "right" in str(c.attrs.get("style", "")) else "" for c in rows[0].children
        ]
        name = f' id="{anchor}"' if anchor else ""
        return self._with_notes(table_html(head, body, caption, name, sides), node)

    def _footnote_block(self, _node: Node) -> str:
        return ""  # the notes stand beside the blocks that call them

    # -- containers -----------------------------------------------------------------------------

    def _container_figure(self, node: Node) -> str:
        stem, index = self._name_of(node), len(self._out.figures)
        if len(node.children) != 1 or node.children[0].type != "paragraph":
            what = f"the figure '{stem}' needs a caption of one paragraph"
            self.wrong(what, f"figure {stem}", node)
        caption = self._inline(node.children[0].children[0])
        if marks.found(caption, marks.NOTE_CALL):
            what = f"the caption of '{stem}' calls a note, and captions carry none"
            self.wrong(what, f"figure {stem}", node)
        self._out.figures.append(Placement(stem, index + 1, caption))
        return (
            f'<figure id="{stem}" class="drawing">{marks.mark(marks.FIGURE, index)}\n<figcaption>'
            f'<span class="label">Figure {index + 1}</span> {caption} '
            f'<span class="credit">{escape(self._credit)}</span></figcaption></figure>\n'
            f"{marks.mark(marks.DATA, index)}"
        )

    def _container_table(self, node: Node) -> str:
        anchor = self._name_of(node)
        given = self._given.get(anchor)
        wanted = ["paragraph"] if given else ["paragraph", "table"]
        if [child.type for child in node.children] != wanted:
            what = "and nothing else" if given else "then the table"
            need = f"the table '{anchor}' needs a caption of one paragraph, {what}"
            self.wrong(need, f"table {anchor}", node)
        self._tables += 1
        words = self._inline(node.children[0].children[0])
        caption = f'<caption><span class="label">Table {self._tables}</span> {words}</caption>'
        if given is None:
            return self._table(node.children[1], caption, anchor)
        self._out.tables.append(anchor)
        head, *body = (
            [symbols(cell) for cell in row] for row in (given["columns"], *given["rows"])
        )
        return table_html(head, body, caption, f' id="{anchor}"', sides_of(given["rows"]))

    def _container_short_answer(self, node: Node) -> str:
        title = '<p class="callout-title">The short answer</p>'
        return f'<div class="short-answer">{title}{self._blocks(node)}</div>\n'

    def _container_summary(self, node: Node) -> str:
        """Write the page to revise from: a part for each heading with what follows it."""
        starts = [at for at, child in enumerate(node.children) if child.type == "heading"]
        above = self._out.headings[-1:]
        if starts[:1] != [0] or [each.level for each in above] != [2]:
            what = "a summary stands right under a heading `##` and begins with a `###`"
            self.wrong(what, ":::: summary", node)
        self._out.summary = self._out.summary or above[0].anchor
        parts = [
            f'<div class="part">{self._block(node.children[start])}'
            f"<div>{''.join(map(self._block, node.children[start + 1 : end]))}</div></div>\n"
            for start, end in pairwise([*starts, len(node.children)])
        ]
        if any(marks.found(part, marks.NOTE_CALL) for part in parts):
            self.wrong("a summary calls a note, and has no room beside it", ":::: summary", node)
        return f'<div class="summary">\n{"".join(parts)}</div>\n'

    def _classed(self, node: Node) -> str:
        return f'<div class="{node.info.strip()}">{self._blocks(node)}</div>\n'

    _container_takeaway = _container_chain = _container_key_numbers = _classed

    def _container_traps(self, node: Node) -> str:
        return self._blocks(node)

    def _container_definition(self, node: Node) -> str:
        term = self._titled(node)
        return f'<dl class="definition"><dt>{term}</dt><dd>{self._blocks(node)}</dd></dl>\n'

    def _callout(self, node: Node) -> str:
        kind, title = node.info.split()[0], self._titled(node)
        return f'<div class="callout {kind}"><p class="callout-title">{title}</p>{self._blocks(node)}</div>\n'

    _container_caution = _container_key = _callout

    def _container_self_test(self, node: Node) -> str:
        items = "".join(self._question(child) for child in node.children or [node])
        return f'<ol class="self-test">\n{items}</ol>\n{marks.mark(marks.ANSWERS, 0)}'

    def _question(self, node: Node) -> str:
        parts = [
            child.type == "paragraph" and child.children[0].content.strip() == "???"
            for child in node.children
        ]
        if node.type != "container_question" or parts.count(True) != 1:
            said = next((n.content for n in node.walk() if n.content), node.markup)
            need = "a self-test holds `::: question` blocks, each split once by a line `???`"
            self.wrong(f"{need} between blank ones", said, node)
        cut, number = parts.index(True), len(self._out.questions) + 1
        ask = "".join(map(self._block, node.children[:cut]))
        answer = "".join(map(self._block, node.children[cut + 1 :]))
        self._out.questions.append(Question(number, ask, answer))
        if name := _title(node):
            self._keep(Card(name, "question", ask, answer, self._place), node)
        mark = marks.mark(marks.ANSWER, number - 1)
        return (
            f'<li id="question-{number}" class="question"><div class="ask">{ask}</div>{mark}</li>\n'
        )

    def _container_question(self, node: Node) -> str:
        self.wrong("`::: question` stands outside `:::: self-test`", "::: question", node)

    def _titled(self, node: Node) -> str:
        title = _title(node)
        if not title:
            opened = f"::: {node.info.strip()}"
            self.wrong(f"`{opened}` needs a title after it", opened, node)
        env: dict[str, Any] = {}  # of its own, or the text's notes would follow it
        inline = self._parser.parseInline(title, env)[0]
        for what, near, _ in env["unread"]:
            self.wrong(what, near, node)
        return self._render(self._linked(inline.children or []))

    # -- inside a line --------------------------------------------------------------------------

    def _inline(self, node: Node) -> str:
        tokens = node.token.children if node.token else []
        return self._render(self._linked(tokens or []), node)

    def _render(self, tokens: Sequence[Token], node: Node | None = None) -> str:
        text = "".join(token.content for token in tokens)
        if len(marks.found(text, marks.CLAIM)) != len(marks.found(text, marks.CLAIM_END)):
            what = "the words that lean on a claim begin and end within one paragraph"
            self.wrong(what, "{% claim", node)
        return str(self._html.renderInline(tokens, self._parser.options, self._env))

    def _linked(self, tokens: list[Token]) -> list[Token]:
        """Give bare links their words, check every inner link, and set the call of each note."""
        out: list[Token] = []
        for index, token in enumerate(tokens):
            out.append(token)
            if token.type == "image":
                self.wrong("pictures are placed with `::: figure NAME`, never as images", "![")
            elif token.type == "footnote_ref":
                out[-1] = _raw(self._note_call(token.meta["id"]))
            elif token.type == "link_open" and str(token.attrs.get("href", "")).startswith("#"):
                words = self._words_for(str(token.attrs["href"])[1:])
                if tokens[index + 1].type == "link_close":
                    out.append(_raw(words))
        return out

    def _words_for(self, anchor: str) -> str:
        if anchor not in self._out.anchors:
            for kind, stems in (("figure", self._drawn or ()), ("table", self._given)):
                if anchor in stems:
                    what = f"'#{anchor}' leads to a {kind} that no `::: {kind} {anchor}` places"
                    self.wrong(what, f"#{anchor}")
            near = nearest(anchor, list(self._out.anchors))
            self.wrong(f"no place is called '#{anchor}'{near}", f"#{anchor}")
        return self._out.anchors[anchor]

    def _note_call(self, note: int) -> str:
        """Number notes in the order they are called; one note is called once."""
        node = self._notes[note]
        name = str(node.meta.get("label") or note)
        if note in self._note_numbers:
            self.wrong(f"the note [^{name}] is called twice", f"[^{name}]")
        number = self._note_numbers[note] = len(self._out.notes) + 1
        self._out.notes.append(Note(name, number, ""))
        inlines = [paragraph.children[0] for paragraph in node.children]
        text = " ".join(
            self._render(
                self._linked(
                    [t for t in inline.token.children or [] if t.type != "footnote_anchor"]
                )
            )
            for inline in inlines
            if inline.token
        )
        self._out.notes[number - 1] = Note(name, number, text)
        return marks.mark(marks.NOTE_CALL, number - 1)

    def _plain(self, inline: Node) -> str:
        """Write a heading's words without the notes it calls."""
        tokens = inline.token.children if inline.token else []
        return self._render([token for token in tokens or [] if token.type != "footnote_ref"])


def table_html(
    head: Sequence[str],
    body: Sequence[Sequence[str]],
    caption: str,
    attributes: str = "",
    sides: Sequence[str] = (),
) -> str:
    """Write a table of HTML cells whose first column names its rows; `sides` are classes of columns."""
    css = [f' class="{side}"' if side else "" for side in sides or [""] * len(head)]
    top = "".join(f'<th scope="col"{c}>{cell}</th>' for c, cell in zip(css, head, strict=True))
    lines = "".join(
        f'<tr><th scope="row"{css[0]}>{first}</th>'
        + "".join(f"<td{c}>{cell}</td>" for c, cell in zip(css[1:], rest, strict=True))
        + "</tr>\n"
        for first, *rest in body
    )
    return f"<table{attributes}>{caption}<thead><tr>{top}</tr></thead>\n<tbody>{lines}</tbody></table>\n"


def sides_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Give the class of each column: `right` where most cells are numbers, so that digits line up."""
    numbers = (
        sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) for cells in zip(*rows, strict=True)
    )
    return ["right" if 2 * count > len(rows) else "" for count in numbers]


def _raw(html: str) -> Token:
    return Token("html_inline", "", 0, content=html)


def _title(node: Node) -> str:
    return node.info.strip().partition(" ")[2].strip()


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", "".join(marks.split(title)).lower()).strip("-")
