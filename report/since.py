"""What changed since an earlier copy: the last page of a PDF, by which highlights find their places again.

Highlights are made in PDFs, so the page of the HTML file has no such part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from report import parts
from report.article import APPENDICES, Article, Medium
from report.errors import legible, shortened
from report.moved import CHANGES, DATA, DESCRIPTION, Moved, Passage, Reading, compare
from report.parts import Entry

SINCE: Final = "since.json"  # its name among the attachments of a PDF
ANCHOR: Final = "since"
MOST: Final = 20  # of each kind that are told before the rest is counted


@dataclass(frozen=True)
class Told:
    """What moved in one place: its anchor, if a part here bears it, its name, which part, each change."""

    anchor: str
    name: str  # of a heading as HTML
    part: str
    changes: list[str]


@dataclass(frozen=True)
class Kind:
    """What moved of one kind, under its count; so many more are left out."""

    title: str
    places: list[Told]
    more: int


@dataclass(frozen=True)
class Begin:
    """Where a section began in the copy; 0 for one that it had not."""

    entry: Entry
    page: int


@dataclass(frozen=True)
class Since:
    """Which copy it was, what moved since, and on which of its pages each section began."""

    seed: int
    version: str
    published: str
    kinds: list[Kind]
    begins: list[Begin]


def written(copy: Mapping[str, Any]) -> str:
    """Write what is kept of a copy as the file that is attached: equal copies give equal bytes."""
    return json.dumps(copy, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def since(copy: str, told: Reading, article: Article, label: Medium) -> Since:
    """Hold what is kept of a copy against what is told here; `label` sets what stands in headings."""
    was = json.loads(copy)
    found = _on_paper(compare(was["reading"], told))
    entries = [parts.entry(each, article, label) for each in article.headings]
    titles = {each.anchor: each.title for each in entries}
    names = {**article.written.anchors, **APPENDICES, **titles}
    begins = [Begin(each, was["pages"].get(each.anchor, 0)) for each in entries]
    kinds = list(_kinds(found, names))
    return Since(was["seed"], _short(was["version"]), _short(was["published"]), kinds, begins)


def _on_paper(moved: Moved) -> Moved:
    """Leave out what stands in the page of the HTML file alone."""
    unseen = f", {DATA}", f", {DESCRIPTION}"
    return replace(moved, passages=[p for p in moved.passages if not p.place.endswith(unseen)])


def _kinds(moved: Moved, names: Mapping[str, str]) -> Iterator[Kind]:
    for title, found in moved.kinds():
        first = found[:MOST]
        passages = [each for each in first if isinstance(each, Passage)]
        lines = [_named(each, names) for each in first if isinstance(each, str)]
        places = [*_by_place(passages, names), *([Told("", "", "", lines)] if lines else [])]
        yield Kind(title, places, len(found) - len(first))


def _by_place(passages: list[Passage], names: Mapping[str, str]) -> Iterator[Told]:
    """Gather what moved in one place after another."""
    for place, found in groupby(passages, key=lambda each: each.place):
        section, _, part = place.partition(", ")
        anchor, changes = section.removeprefix("#"), [_line(p.change(CHANGES)) for p in found]
        if anchor in names:
            yield Told(anchor, names[anchor], _short(part), changes)
        else:
            yield Told("", _short(section), _short(part), changes)


def _named(line: str, names: Mapping[str, str]) -> str:
    """Name a figure, such as `roll (new)`, as it is known here; a claim is told by its path."""
    stem, space, rest = line.partition(" (")
    return _short(f"{names.get(stem, stem)}{space}{rest}")


def _short(text: str) -> str:
    """Bound a stranger's text, which may be as long as he likes."""
    return shortened(_line(text))


def _line(text: str) -> str:
    """Write a stranger's text on a line of characters that show."""
    return legible(text).replace("\N{REPLACEMENT CHARACTER}", "?")
