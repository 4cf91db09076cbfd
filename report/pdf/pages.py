"""Makes well composed pages: lays out the text as written, measures, and rearranges what stands badly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree.ElementTree import Element

from report.errors import Mistake
from report.pdf.composition import MOST_BLANK, Plan, plan
from report.pdf.engine import Engine, file_of
from report.pdf.layout import Survey, set_notes, survey
from report.pdf.paper import CALL, NOTE


@dataclass
class Arrangement:
    """What is changed in the text as written, so that its pages come out well."""

    figures: Plan = field(default_factory=dict)
    footnotes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Composed:
    """Finished pages, and what could not be had."""

    document: Any
    blanks: list[float]

    @property
    def problems(self) -> list[str]:
        """Name each page that stays too empty."""
        return [
            f"page {number} ends with {share:.0%} of it blank"
            for number, share in enumerate(self.blanks[:-1], 1)
            if share > MOST_BLANK
        ]


def compose(engine: Engine, html: str, savings: dict[str, float]) -> Composed:
    """Make pages of HTML.

    `savings` tells by how many points each figure's compact drawing is lower. Raises Mistake for a
    picture that no page has room for, and for whatever the engine complains of.
    """
    text = Text(engine.read(html))
    found, homeless = _laid_out(engine, text)
    units = [replace(each, saving=savings.get(each.name, 0.0)) for each in found.units]
    arrangement = Arrangement(plan(units, found.sheet))
    if arrangement.figures:
        text.rearrange(arrangement)
        found, homeless = _laid_out(engine, text)
    for tries_left in (2, 1, 0):
        if not homeless:
            break
        if not tries_left:  # at last no note may be without a place
            homeless = [note.name for note in found.notes]
        arrangement = replace(arrangement, footnotes=[*arrangement.footnotes, *homeless])
        text.rearrange(arrangement)
        found, homeless = _laid_out(engine, text)
    _check(found.torn)
    return Composed(found.document, found.blanks)


def _laid_out(engine: Engine, text: Text) -> tuple[Survey, list[str]]:
    """Make pages, and put the notes in their places; name those that have none."""
    found = survey(engine.lay_out(text.page))
    _check(found.faults)
    return found, set_notes(found)


def _check(faults: list[tuple[str, str]]) -> None:
    """Refuse what no page can hold."""
    for source, what in faults[:1]:
        raise Mistake(what, file=file_of(source), then="make it smaller")


class Text:
    """The parsed text, whose figures and notes can be rearranged; each arrangement starts afresh."""

    def __init__(self, page: Any) -> None:
        self.page = page
        root: Element = page.etree_element
        self._article = next(each for each in root.iter("article"))
        self._order = list(self._article)

    def rearrange(self, arrangement: Arrangement) -> None:
        """Put figures where the plan wants them, and turn notes into footnotes."""
        order = list(self._order)
        for child in self._order:
            choice = arrangement.figures.get(child.get("id") or "")
            if choice is not None:
                at = order.index(child)
                order.remove(child)
                order.insert(at + choice.later, child)
                _draw(child, "compact" if choice.compact else "wide")
        self._article[:] = order
        for name in arrangement.footnotes:
            self._to_footnote(name)

    def _to_footnote(self, name: str) -> None:
        """Set a note at the foot of the page: it moves from beside its paragraph to its call."""
        parents = {child: parent for parent in self._article.iter() for child in parent}
        note = _find(self._article.iter("aside"), NOTE + name)
        call = _find(self._article.iter("a"), CALL + name)
        if note is None or call is None:
            return
        raised = parents[call]
        line = parents[raised]
        parents[note].remove(note)
        note.set("data-tag", note.tag)
        note.tag = "span"
        note.set("class", "foot")
        note.tail, raised.tail = raised.tail, ""
        line.insert(list(line).index(raised) + 1, note)


def _draw(figure: Element, layout: str) -> None:
    for image in figure.iter("img"):
        image.set("src", f"{str(image.get('src')).rpartition('-')[0]}-{layout}.svg")


def _find(elements: Iterable[Element], name: str) -> Element | None:
    return next((each for each in elements if each.get("id") == name), None)
