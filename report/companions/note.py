"""The note for Obsidian: the article in brief, and links into the PDF by page and by name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any, Final

import pikepdf

from report import marks
from report.article import Article, World
from report.markdown import Heading, Placement
from report.parts import MAIN
from report.pdf.places import pages

_NAMED = re.compile(r"[ \t]*\{#(?P<name>[\w-]+)[^}]*\}[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^:::.*\n?", re.MULTILINE)
_LINK = re.compile(r"(?<!\\)\[(?P<words>(?:[^\[\]\\]|\\.)*)\]\(#(?P<anchor>[\w-]+)\)")
_ACTIVE = re.compile(r"[\\`*_\[\]<>$#^=%~|]")  # what Obsidian takes for markup
_LEAD = re.compile(r"\s*<strong>(.*?)</strong>", re.DOTALL)
UNBORNE: Final = "**Not borne out by this run:** "


def note(article: Article, world: World, pdf: Path) -> str:
    """Write the note; `pdf` is the finished PDF, to which its links lead by its name."""
    with pikepdf.open(pdf) as document:
        into = _Into(pdf.name, pages(document))
    said = _Said(article, into)
    headings, written = article.headings, article.written
    blocks = [
        _front_matter(article, world, pdf.name),
        f"# {said.plain(article.meta.title)}",
        said.plain(article.meta.dek),
        said.markdown(written.extracts["short-answer"]),
        *(f"## {_entry(each, said, into)}" for each in headings if each.anchor == written.summary),
        said.markdown(written.extracts["summary"]),
        "## Contents",
        "\n".join(f"- {_entry(each, said, into)}" for each in headings if each.level == MAIN),
        *(["## Figures"] if written.figures else []),
        "\n".join(f"- {_figure(each, said, into)}" for each in written.figures),
    ]
    return "\n\n".join(block.strip() for block in blocks if block.strip()) + "\n"


@dataclass(frozen=True)
class _Into:
    """Links into one PDF."""

    file: str
    pages: Mapping[str, int]

    def place(self, anchor: str, words: str) -> str:
        """Link to a place by its name, which no change of a seed moves."""
        return f"[[{self.file}#nameddest={anchor}|{words}]]"

    def both(self, anchor: str) -> str:
        """Link to a place, and to the page it is on in this edition."""
        number = self.pages[anchor]
        return f"({self.place(anchor, anchor)}, [[{self.file}#page={number}|p. {number}]])"


class _Said:
    """Writes what the article says as Obsidian's Markdown, with its bound numbers."""

    def __init__(self, article: Article, into: _Into) -> None:
        self._article, self._into = article, into

    def markdown(self, text: str) -> str:
        """Write bound Markdown; the name of an item becomes its block, which other notes may link to."""
        text = _NAMED.sub(_block, _FENCE.sub("", text))
        return self._filled(_LINK.sub(self._link, text))

    def words(self, html: str) -> str:
        """Write HTML without its markup."""
        return self._filled(self.plain(unescape(re.sub(r"<[^>]+>", "", html))))

    def plain(self, text: str) -> str:
        """Write words that are no markup."""
        return _ACTIVE.sub(r"\\\g<0>", text)

    def _link(self, found: re.Match[str]) -> str:
        words = found["words"] or self.words(self._article.written.anchors[found["anchor"]])
        return self._into.place(found["anchor"], words.replace("|", r"\|"))

    def _filled(self, text: str) -> str:
        return marks.replace(text, self._put)

    def _put(self, kind: str, index: int) -> str:
        bound = self._article.bound
        match kind:
            case marks.NUMBER:
                return self.plain(bound.quotes[index].printed)
            case marks.TEXT:
                return self.plain(bound.texts[index])
            case marks.FORMULA:
                each = bound.formulas[index]
                return f"$$\n{each.tex}\n$$" if each.display else f"${each.tex}$"
            case marks.CLAIM:
                return UNBORNE if bound.uses[index].shown == "unborne" else ""
        return ""


def _block(found: re.Match[str]) -> str:
    line = found.string[found.string.rfind("\n", 0, found.start()) + 1 :]
    return "" if line.startswith("#") else f" ^{found['name']}"


def _entry(heading: Heading, said: _Said, into: _Into) -> str:
    """Name a section, and lead to it."""
    step = f"{said.plain(heading.step)}. " if heading.step else ""
    return f"{step}{said.words(heading.title)} {into.both(heading.anchor)}"


def _figure(figure: Placement, said: _Said, into: _Into) -> str:
    """Name a figure by the first words of its caption, which say what it shows, and lead to it."""
    found = _LEAD.match(figure.caption)
    told = said.words(found[1] if found else figure.caption)
    return f"Figure {figure.number}. {told} {into.both(figure.stem)}"


def _front_matter(article: Article, world: World, pdf: str) -> str:
    """Write the properties of the note; every text between quotes is JSON, which YAML reads too."""
    meta = article.meta
    told: dict[str, Any] = {
        "title": meta.title,
        "aliases": [meta.short_title],
        "author": meta.author,
        "version": meta.version,
        "seed": world.settings.seed,
        "license": meta.license,
        "tags": [re.sub(r"[^\w/-]+", "-", word).strip("-") for word in meta.keywords],
        "description": meta.description,
        "source": f"[[{pdf}]]",
    }
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in told.items())
    return "\n".join(["---", *lines, f"date: {meta.published}", "---"])
