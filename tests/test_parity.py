"""Whoever reads the PDF is told what a reader of the page is told: the finished files agree, part by part.

Paper may place a figure or a table a little later, and it leaves out the data tables of figures. Nothing here
knows how the files are made: one is read in a browser, the other by its tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pikepdf
import pypdf
import pytest

from report.pdf.paper import Paper
from tests.browser.chromium import Chromium, program
from tests.finished import Finished
from tests.tagged import Tag, read
from tests.told import HTML, PDF, READ_DOM, Block, Table, Told, differences, of_dom, told

LOWERED: Final = str.maketrans(
    "₀₁₂₃₄₅₆₇₈₉ₖ", "0123456789k"
)  # in plain text an index is a character

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine"),
]


@pytest.fixture(scope="module")
def dom(finished: Finished) -> Tag:
    """What the browser makes of the page."""
    with Chromium() as browser:
        browser.open(finished.page)
        return of_dom(browser.run(READ_DOM))


@pytest.fixture(scope="module")
def page(dom: Tag) -> Told:
    """What the page tells."""
    return told(dom, HTML)


@pytest.fixture(scope="module", params=["a4", "letter"])
def size(request: pytest.FixtureRequest) -> Paper:
    """A size of paper."""
    chosen: Paper = request.param
    return chosen


@pytest.fixture(scope="module")
def tags(finished: Finished, size: Paper) -> Tag:
    """The tag tree of the PDF."""
    with pikepdf.open(finished.pdf(size)) as file:
        return read(file)


@pytest.fixture(scope="module")
def paper(tags: Tag) -> Told:
    """What the PDF tells."""
    return told(tags, PDF)


def _common(blocks: list[Block]) -> list[Block]:
    """Leave out two lists: of the numbers, which the page has in a table, and of the attachments."""
    kept, listing = [], False
    for block in blocks:
        listing = (listing or block.line == "h3: Numbers") and not block.words.startswith(
            "Computed "
        )
        if not listing and not block.words.startswith("Attached to this file: "):
            kept.append(block)
    return kept


def _tables(told: Told) -> list[Table]:
    """The tables of the text and the ledger; parameters and numbers are lists on paper."""
    lists = ("Parameters, ", "Numbers ")
    return [table for table in told.tables if not table.caption.words.startswith(lists)]


def _blocks(told: Told) -> list[Block]:
    """All words that both have, in one order."""
    cells = [cell for table in _tables(told) for row in table.rows for cell in row]
    return [*_common(told.text), *told.captions, *(t.caption for t in _tables(told)), *cells]


def _lines(blocks: list[Block]) -> list[str]:
    return [block.line for block in blocks]


def _all(pattern: str, told: Told) -> list[str]:
    """Find something in all words, in one order."""
    return [found for block in _blocks(told) for found in re.findall(pattern, block.words)]


def test_all_words_are_the_same(page: Told, paper: Told) -> None:
    assert len(page.text) > 150
    assert differences(_lines(page.text), _lines(_common(paper.text))) == []


def test_headings_have_the_same_ranks_and_words(page: Told, paper: Told) -> None:
    headings = [
        [b.line for b in each if b.kind in ("h1", "h2", "h3")]
        for each in (page.text, _common(paper.text))
    ]

    assert len(headings[0]) > 20
    assert differences(*headings) == []


def test_every_bound_number_stands_in_its_place(page: Told, paper: Told) -> None:
    """Take from each block of the paper what stands where the page marks a number."""
    pairs = list(zip(_blocks(page), _blocks(paper), strict=True))
    bound = [f"{printed} in “{b.words[:50]}”" for b, _ in pairs for _, printed in b.numbers]
    found = [f"{shown} in “{b.words[:50]}”" for b, other in pairs for shown in _standing(b, other)]

    assert len(bound) > 250
    assert differences(bound, found) == []


def _standing(block: Block, other: Block) -> Iterator[str]:
    unbroken = other.words.replace("-", "")
    for place, printed in block.numbers:
        at = place - block.words.count("-", 0, place)
        yield unbroken[at : at + len(printed.replace("-", ""))]


def test_figures_come_in_one_order_with_the_same_words_in_their_place(
    page: Told, paper: Told
) -> None:
    assert len(page.pictures) == len(page.captions) > 10
    assert differences(page.pictures, paper.pictures) == []
    assert differences(_lines(page.captions), _lines(paper.captions)) == []


def test_every_formula_that_is_drawn_is_spoken_alike(page: Told, paper: Told) -> None:
    spoken = "⟨(.*?)⟩"

    assert len(_all(spoken, page)) >= 5
    assert differences(_all(spoken, page), _all(spoken, paper)) == []


def test_notes_are_the_same_and_follow_the_words_that_call_them(page: Told, paper: Told) -> None:
    notes = [
        [(i, b.line) for i, b in enumerate(_common(each.text)) if b.kind == "note"]
        for each in (page, paper)
    ]

    assert len(notes[0]) >= 10
    assert [place for place, _ in notes[0]] == [place for place, _ in notes[1]]
    assert differences(*([line for _, line in each] for each in notes)) == []


def test_links_have_the_same_words_and_lead_to_the_same_places(page: Told, paper: Told) -> None:
    link = r"\[[^\]]*\]\([^)]*\)"

    assert len(_all(link, page)) > 150
    assert differences(_all(link, page), _all(link, paper)) == []


def test_tables_have_the_same_cells_under_the_same_heads(page: Told, paper: Told) -> None:
    rows = [[line for table in _tables(each) for line in table.lines] for each in (page, paper)]

    assert len(_tables(page)) >= 5
    assert differences(*rows) == []


def test_claims_are_the_same_with_their_evidence_and_their_seeds(page: Told, paper: Told) -> None:
    ledgers = [
        [line for t in each.tables if "claim" in t.caption.words for line in t.lines]
        for each in (page, paper)
    ]

    assert len(ledgers[0]) > 50
    assert differences(*ledgers) == []


def _table(told: Told, caption: str) -> Table:
    (found,) = (table for table in told.tables if table.caption.words.startswith(caption))
    return found


def test_parameters_are_the_same(page: Told, paper: Told) -> None:
    on_page, section = [], ""
    for row in _table(page, "Parameters, ").rows[1:]:
        *heads, name, value = (cell.words for cell in row)
        section = heads[0] if heads else section
        on_page.append(f"{section}: {name} = {value}")
    on_paper = [
        f"{row[0].words}: {each}"
        for row in _table(paper, "Parameters, ").rows[1:]
        for each in re.split(r", (?=\w+ = )", row[1].words)
    ]

    assert len(on_page) > 40
    assert on_page == on_paper


def test_the_lists_of_bound_numbers_are_the_same(page: Told, paper: Told) -> None:
    rows = ([cell.words for cell in row] for row in _table(page, "Numbers ").rows[1:])
    on_page = [_quoted(row[0], row[2], row[1]) for row in rows if len(row) > 1]
    start = _lines(paper.text).index("h3: Numbers")
    runs = (b.words for b in paper.text[start:] if " · " in b.words or " = " in b.words)
    on_paper = [
        _quoted(*re.fullmatch(r"(.+?) ([a-z]\S*)(?: = (\S+))?", each).groups())  # type: ignore[union-attr] # or fail
        for run in runs
        for each in run.split(" · ")
    ]

    assert len(on_page) > 150
    assert on_page == on_paper


def _quoted(printed: str, path: str, stored: str | None) -> str:
    """Write a number as both lists have it: on paper a stored value that reads as printed is left out."""
    plain = (stored or printed).replace(",", "").replace("\N{MINUS SIGN}", "-")
    return f"{printed} {path} = {float(plain):g}"


def test_contents_lead_to_the_same_places(dom: Tag, tags: Tag) -> None:
    on_page = [(link.target, link.text) for link in dom.all("nav")[0].all("a")]
    on_paper = [(link.target, link.text) for link in tags.all("TOC")[0].all("Link")]

    assert [target for target, _ in on_page] == [target for target, _ in on_paper]
    assert [_entry(text) for _, text in on_page] == [
        _entry(re.sub(r"\s*\d+$", "", text)) for _, text in on_paper
    ]


def _entry(text: str) -> str:
    return re.sub(r"[\s:-]+", " ", text).strip()


def test_bookmarks_are_the_headings_of_the_page(
    page: Told, finished: Finished, size: Paper
) -> None:
    outline = pypdf.PdfReader(finished.pdf(size)).outline
    marked = [_entry(each.translate(LOWERED)) for each in _titles(outline)]
    headings = [_entry(b.words) for b in page.text if b.kind in ("h2", "h3")]

    assert len(marked) > 20
    assert [each for each in headings if each != "What this report claims"] == [
        each
        for each in marked
        if each not in ("Claims", "Numbers")  # the appendix, in short
    ]


def _titles(entries: Any) -> Iterator[str]:
    for entry in entries:
        yield from _titles(entry) if isinstance(entry, list) else [str(entry.title)]
