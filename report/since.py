"""What changed since an earlier copy: the last page of a PDF, by which highlights find their places again.

Highlights are made in PDFs, so the page of the HTML file has no such part.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, takewhile
from typing import Any, Final

from report import parts
from report.article import APPENDICES, Article, Medium
from report.errors import legible
from report.formula import plain
from report.moved import (
    ALT,
    CHANGES,
    DATA,
    DESCRIPTION,
    DRAWING,
    Moved,
    Passage,
    Reading,
    compare,
    cut,
)
from report.overrides import toml
from report.parts import Entry

SINCE: Final = "since.json"  # its name among the attachments of a PDF
ANCHOR: Final = "since"
MOST: Final = 20  # of each kind that are told before the rest is counted
FEW: Final = 6  # parameters that are told before the rest is counted
_FORMULA = re.compile(r"\$([^$]*)\$")  # as a reading has them
_ASIDE = re.compile(r"#(note|source)-")  # where passages stand beside the text

Parameters = Mapping[str, Any]  # by section of the project file


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
class Setting:
    """A parameter that was set otherwise for the copy, each value as the project file writes it."""

    name: str
    old: str
    new: str


@dataclass(frozen=True)
class Begin:
    """Where a section began in the copy; 0 for one that it had not."""

    entry: Entry
    page: int


@dataclass(frozen=True)
class Since:
    """Which copy it was, what was set otherwise, what moved since, and where each section began."""

    seed: int
    version: str
    published: str
    settings: list[Setting]
    unnamed: int  # settings beyond those
    kinds: list[Kind]
    begins: list[Begin]


def written(copy: Mapping[str, Any]) -> str:
    """Write what is kept of a copy as the file that is attached: equal copies give equal bytes."""
    return json.dumps(copy, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def since(
    copy: str, told: Reading, parameters: Parameters, article: Article, label: Medium
) -> Since:
    """Hold what is kept of a copy against what is told and set here; `label` sets headings."""
    was = json.loads(copy)
    found = _on_paper(compare(_plain(was["reading"]), _plain(told)), _summary(article))
    settings = list(_settings(was["parameters"], parameters)) if was["parameters"] else []
    entries = [parts.entry(each, article, label) for each in article.headings]
    titles = {each.anchor: each.title for each in entries}
    names = {**article.written.anchors, **APPENDICES, **titles}
    begins = [Begin(each, was["pages"].get(each.anchor, 0)) for each in entries]
    return Since(
        was["seed"],
        _short(was["version"]),
        _short(was["published"]),
        settings[:FEW],
        len(settings[FEW:]),
        list(_kinds(found, names)),
        begins,
    )


def _settings(old: Parameters, new: Parameters) -> Iterator[Setting]:
    """Tell which parameters of which sections had another value."""
    was, now = (
        {
            f"{section}.{key}": toml(value)
            for section in each
            for key, value in each[section].items()
        }
        for each in (old, new)
    )
    for name in sorted(was.keys() | now):
        before, after = (each.get(name, "not there") for each in (was, now))
        if before != after:
            yield Setting(*(_short(each) for each in (name, before, after)))


def _plain(reading: Reading) -> Reading:
    """Write the formulas of a reading, which keeps their TeX, as plain characters or words."""
    told = [each | {"text": _without_tex(each["text"])} for each in reading["sentences"]]
    return reading | {"sentences": told}


def _without_tex(text: str) -> str:
    return _FORMULA.sub(lambda found: _known(found[1]), text)


_known = cache(plain)  # a text has few formulas, many times


def _summary(article: Article) -> set[str]:
    """Give the anchors of the page to revise from, if there is one: its heading and those below it."""
    anchors = [each.anchor for each in article.headings]
    if article.written.summary not in anchors:
        return set()
    head, *rest = article.headings[anchors.index(article.written.summary) :]
    return {head.anchor, *(each.anchor for each in takewhile(lambda h: h.level > head.level, rest))}


def _on_paper(moved: Moved, summary: set[str]) -> Moved:
    """Leave out what stands in the page of the HTML file alone, and begin with what is read most."""
    unseen = f", {DATA}", f", {DESCRIPTION}"
    found = [each for each in moved.passages if not each.place.endswith(unseen)]
    return replace(moved, passages=sorted(found, key=lambda each: _rank(each.place, summary)))


def _rank(place: str, summary: set[str]) -> int:
    """Rank the summary before the text, that before drawings, and notes and sources last."""
    section, _, part = place.partition(", ")
    if section.removeprefix("#") in summary:
        return 0
    return 3 if _ASIDE.match(section) else 2 if part in (ALT, DRAWING) else 1


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
    return cut(_line(text))


def _line(text: str) -> str:
    """Write a stranger's text on a line of characters that show."""
    return legible(text).replace("\N{REPLACEMENT CHARACTER}", "?")
