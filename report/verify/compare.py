"""Compares two finished PDFs by what their readers see, down to the place and the shape of letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from report.errors import shortened
from report.verify.carried import Told
from report.verify.consistent import named
from report.verify.difference import Difference, around, paired, quoted, spaced
from report.verify.ink import Mark
from report.verify.minded import placed
from report.verify.sight import Block, Drawing, Page, Said, Sight, squeezed
from report.wording import aligned, mask

NEAR: Final = 0.02  # points: places and lengths closer than this are one

Renamed = Mapping[str, str]  # what is printed for a version, theirs -> ours: told of elsewhere


def sentences(theirs: Sight, ours: Sight, renamed: Renamed) -> Iterator[Difference]:
    """Name the sentences in which two texts differ, wherever their lines and pages end."""
    keys = [_translated(squeezed(said.text), renamed) for said in theirs.sentences]
    here = [squeezed(said.text) for said in ours.sentences]
    pairs: list[tuple[Said, Said]] = []
    for _, i, j, k, m in SequenceMatcher(None, keys, here, autojunk=False).get_opcodes():
        if "".join(keys[i:j]) != "".join(here[k:m]):
            pairs += _matched(theirs.sentences[i:j], ours.sentences[k:m])
    moved = {one.text for one, _ in pairs} & {other.text for _, other in pairs} - {""}
    for one, other in pairs:
        place = f"page {one.page}: " if one.text else ""
        if one.text in moved:
            what = f"{place}“{shortened(one.text)}” stands in another place"
            yield Difference("layout", what, one.page)
        elif other.text not in moved:
            told, wanted = around(one.text, other.text)
            what = f"{place}{_quoted(told)} in the PDF, {_quoted(wanted)} here"
            yield Difference("sentence", what, one.page)


def _quoted(text: str) -> str:
    return quoted(text or None)


def _matched(ones: Sequence[Said], others: Sequence[Said]) -> Iterator[tuple[Said, Said]]:
    """Pair the sentences that are most alike; one without a like is paired with an empty one."""
    pages = {said.text: said for said in (*others, *ones)} | {"": Said(0, "")}
    told = aligned([said.text for said in ones], [said.text for said in others], mask)
    yield from ((pages[one], pages[other]) for one, other in told if one != other)


def _translated(text: str, renamed: Renamed) -> str:
    for old, new in renamed.items():
        text = text.replace(squeezed(old), squeezed(new))
    return text


def letters(theirs: Sequence[Block], ours: Sequence[Block]) -> Iterator[Difference]:
    """Name the letters that read as they do here and are drawn otherwise."""
    here = {letter for block in ours for letter in block.letters}
    read = {letter.text for letter in here}
    found: dict[str, Block] = {}
    for block in theirs:
        for letter in {*block.letters} - here:
            if letter.text in read:
                found.setdefault(letter.text, block)
    if found:
        first = min(found.values(), key=lambda block: block.page)
        names = ", ".join(map(quoted, sorted(found)))
        place = f"first on page {first.page} in “{shortened(first.text)}”"
        yield Difference("letter", f"{names} are not drawn as they are here, {place}", first.page)


def figures(
    theirs: Sequence[Drawing],
    ours: Sequence[Drawing],
    told: tuple[Told, Told],
) -> Iterator[Difference]:
    """Name the figures that say or draw something else; `told` is what theirs and ours tell."""
    ones, others = (
        named(list(side), each.alternatives)
        for side, each in zip((theirs, ours), told, strict=True)
    )
    shown = told[1].figures.values()
    written = {squeezed(word): word for each in shown for form in each.words for word in form}
    for stem in sorted(ones.keys() | others.keys()):
        if stem not in ones or stem not in others:
            where = "here" if stem in others else "in the PDF"
            yield Difference("figure", f"{stem} is drawn {where} alone")
        else:
            yield from _redrawn(stem, ones[stem], others[stem], written)


def _redrawn(
    stem: str, one: Drawing, other: Drawing, written: Mapping[str, str]
) -> Iterator[Difference]:
    place = f"{stem}, page {one.page}"
    found = False
    for word, wanted in paired(one.words, other.words, str):
        if word != wanted:
            found = True
            here = written.get(wanted, wanted) if wanted is not None else None
            drawn = quoted(spaced(word, here))
            what = f"{place}: draws {drawn} in the PDF, {quoted(here)} here"
            yield Difference("figure", what, one.page)
    if one.alt != other.alt:
        said, here = around(one.alt, other.alt)
        what = f"{place}: described by “{said}” in the PDF, “{here}” here"
        yield Difference("figure", what, one.page)
    if not found and not same_ink(_at_origin(one.marks), _at_origin(other.marks)):
        what = f"{place}: its words are as here, but a line, a letter or a place in it is not"
        yield Difference("figure", what, one.page)


def formulas(theirs: Sequence[Drawing], ours: Sequence[Drawing]) -> Iterator[Difference]:
    """Name the formulas that are drawn otherwise than they are spoken."""
    ones, others = ([each for each in side if each.kind == "Formula"] for side in (theirs, ours))
    for one, other in paired(ones, others, lambda formula: formula.alt):
        if one is None or other is None or one.alt != other.alt:
            continue  # its paragraph reads otherwise
        if not same_ink(_at_origin(one.marks), _at_origin(other.marks)):
            what = f"page {one.page}: “{shortened(one.alt)}” is drawn otherwise"
            yield Difference("formula", what, one.page)


def _at_origin(marks: Sequence[Mark]) -> list[Mark]:
    """Move a drawing to where its first point is zero: a page may hold it anywhere."""
    origin = next((mark.points[:2] for mark in marks if mark.points), (0.0, 0.0))
    return [
        mark._replace(points=tuple(at - origin[n % 2] for n, at in enumerate(mark.points)))
        for mark in marks
    ]


def same_ink(ones: Sequence[Mark], others: Sequence[Mark]) -> bool:
    """Tell whether the same is painted in the same places."""
    return len(ones) == len(others) and all(map(_same_mark, ones, others))


def _same_mark(one: Mark, other: Mark) -> bool:
    if (one.letters, one.look) != (other.letters, other.look):
        return False
    return _near(one.points, other.points) and _near(one.sizes, other.sizes)


def _near(ones: Sequence[float], others: Sequence[float]) -> bool:
    pairs = zip(ones, others, strict=False)
    return len(ones) == len(others) and all(abs(a - b) < NEAR for a, b in pairs)


def surroundings(theirs: Sight, ours: Sight) -> Iterator[Difference]:
    """Name the words in the margins of pages that differ."""
    words = [
        Counter(mark.text for page in side.pages for mark in page.rest if mark.letters)
        for side in (theirs, ours)
    ]
    strange, missing = words[0] - words[1], words[1] - words[0]
    for number, page in enumerate(theirs.pages, 1):
        for text in (mark.text for mark in page.rest if strange[mark.text] > 0):
            strange[text] -= 1
            yield Difference("page", f"page {number}: “{text}” stands outside its text", number)
    for text in sorted(missing):
        yield Difference("page", f"“{text}” stands outside the text here, and not in the PDF")


def layouts(theirs: Sight, ours: Sight) -> Iterator[Difference]:
    """Name what lies elsewhere: the words of a page, or, where all of those lie as here, the rest."""
    moved = list(_pages(theirs.pages, ours.pages))
    yield from moved or placed(theirs.things, ours.things)


def _pages(theirs: Sequence[Page], ours: Sequence[Page]) -> Iterator[Difference]:
    """Name the pages that bear their words elsewhere, or larger, or in another color."""
    if len(theirs) != len(ours):
        yield Difference("layout", f"{len(theirs)} pages in the PDF, {len(ours)} here")
    for number, (one, other) in enumerate(zip(theirs, ours, strict=False), 1):
        if not same_ink(one.told, other.told):
            what = f"page {number} is laid out otherwise: in other places, sizes, colors or letters"
            yield Difference("layout", what, number)
        elif not same_ink(one.rest, other.rest):
            what = f"page {number}: something outside its text is drawn otherwise"
            yield Difference("page", what, number)
