"""Where the pages of a PDF end: nothing stands alone there, nothing is parted, and little is left blank."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from lxml import html

from report.pdf.composition import MOST_BLANK
from report.pdf.paper import Paper
from tests.finished import Finished
from tests.sheets import Part, parts, printed

MM: Final = 72 / 25.4
MARGINS: Final = {"a4": (24, 27), "letter": (22, 25)}  # millimeters above and below the text
PER_INCH: Final = 36  # pixels, half a line of text high
PAINTED: Final = 250  # a lighter shade is the paper
BESIDE: Final = {"Note", "TOC"}  # stand in the margin or at the foot

papers = pytest.mark.parametrize("paper", ["a4", "letter"])


# What is looked for


def _flow(blocks: list[Part]) -> list[Part]:
    return [each for each in blocks if each.kind not in BESIDE]


def _last_headings(blocks: list[Part]) -> list[str]:
    """Name the headings that are the last on their page."""
    pages = (list(page) for _, page in groupby(_flow(blocks), lambda each: each.page))
    return [str(page[-1]) for page in pages if re.fullmatch(r"H\d?", page[-1].kind)]


def _lone_lines(blocks: list[Part]) -> list[str]:
    """Name the blocks that go over pages with a single line at the foot of one or at the head of the next."""
    whole: dict[object, list[Part]] = defaultdict(list)
    for each in blocks:
        whole[each.path].append(each)
    return [
        str(each) for part in whole.values() if len(part) > 1 for each in part if each.lines == 1
    ]


def _parted_captions(blocks: list[Part]) -> list[str]:
    """Name the captions on another page than their figure, or than the first row of their table."""
    things: dict[object, list[Part]] = defaultdict(list)
    for each in blocks:
        if each.kind == "Figure":
            things[each.path[:-1]].append(each)
        elif each.kind == "TR" and each.path[-2][0] != "THead":
            things[each.path[:-2]].append(each)
    captions = (each for each in blocks if each.kind == "Caption")
    return [str(each) for each in captions if things[each.path[:-1]][0].page != each.page]


def _parted_takeaways(blocks: list[Part], takeaways: list[str]) -> list[str]:
    """Name the takeaways on another page than the end of what they close."""
    followed = pairwise(_flow(blocks))
    return [
        str(each)
        for before, each in followed
        if _letters(each.text) in takeaways and before.page != each.page
    ]


def _letters(text: str) -> str:
    """Leave out of a text what is set differently on screen and paper."""
    return re.sub(r"[\W_]", "", text)


def _painted(file: Path, folder: Path) -> Iterator[npt.NDArray[np.uint8]]:
    """Paint each page with a program that had no part in it, in shades of gray."""
    command = ["pdftoppm", "-gray", "-r", str(PER_INCH), str(file), str(folder / "page")]
    subprocess.run(command, check=True, capture_output=True)
    for page in sorted(folder.glob("page-*.pgm")):
        _, width, height, rest = page.read_bytes().split(maxsplit=3)
        shades = np.frombuffer(rest[-int(width) * int(height) :], np.uint8)
        yield shades.reshape(int(height), int(width))


def _blank_end(page: npt.NDArray[np.uint8], above: float, below: float) -> float:
    """Measure which share of a page, its margins aside, is blank below all that is painted."""
    first, last = (round(mm / 25.4 * PER_INCH) for mm in (above, below))
    painted = np.flatnonzero((page[first : len(page) - last] < PAINTED).any(axis=1))
    return 1 - (int(painted[-1]) + 1) / (len(page) - first - last) if painted.size else 1.0


# What a look at a bad page finds


LINES: Final = "<br>".join("line" for _ in range(7))  # a sheet holds eight
HEADING: Final = (
    f"<p>{LINES}</p><h2 style='font-size: 10pt; break-after: {{}}'>Next</h2><p>on and on</p>"
)
SPLIT: Final = "<p>{}</p><p style='orphans: {}; widows: {}'>a<br>b<br>c<br>d</p>"
DRAWING: Final = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 92"/>'
FIGURE: Final = (
    "<p>one</p><figure style='break-inside: {}'>"
    "<img src='report:figure/roll-wide.svg' alt=Marks style='display: block; width: 60pt; height: 72pt'>"
    "<figcaption>Marks.<br>More.</figcaption></figure>"
)
TABLE: Final = (
    f"<p>{LINES}</p><table><caption>Rows</caption>"
    "<tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>"
)


def _blocks(body: str) -> list[Part]:
    return parts(printed(body, {"figure/roll-wide.svg": DRAWING}))


@pytest.mark.parametrize(("rule", "found"), [("auto", ["page 1: Next"]), ("avoid", [])])
def test_a_heading_at_the_foot_of_a_page_is_found(rule: str, found: list[str]) -> None:
    assert _last_headings(_blocks(HEADING.format(rule))) == found


@pytest.mark.parametrize(
    ("before", "least", "found"),
    [(7, 1, ["page 1: a"]), (5, 1, ["page 2: d"]), (7, 2, []), (5, 2, [])],
)
def test_a_line_alone_at_the_foot_or_the_head_of_a_page_is_found(
    before: int, least: int, found: list[str]
) -> None:
    lines = "<br>".join("line" for _ in range(before))

    assert _lone_lines(_blocks(SPLIT.format(lines, least, least))) == found


@pytest.mark.parametrize(("rule", "found"), [("auto", ["page 2: Marks.More."]), ("avoid", [])])
def test_a_caption_parted_from_its_figure_is_found(rule: str, found: list[str]) -> None:
    assert _parted_captions(_blocks(FIGURE.format(rule))) == found


def test_a_caption_parted_from_its_table_is_found() -> None:
    assert _parted_captions(_blocks(TABLE)) == ["page 1: Rows"]


@pytest.mark.parametrize(("rule", "found"), [("auto", ["page 2: So it is: a"]), ("avoid", [])])
def test_a_takeaway_parted_from_what_it_closes_is_found(rule: str, found: list[str]) -> None:
    body = (
        f"<p>{LINES}<br>line</p><div style='break-before: {rule}'><p>So it is: <i>a</i></p></div>"
    )

    assert _parted_takeaways(_blocks(body), ["Soitisa"]) == found


@pytest.mark.parametrize(("lines", "blank"), [(8, 0.08), (6, 0.32), (4, 0.56)])
def test_a_page_that_ends_blank_is_measured(lines: int, blank: float, tmp_path: Path) -> None:
    file = tmp_path / "short.pdf"
    file.write_bytes(
        printed(f"<p>{'<br>'.join(['line'] * lines)}</p><p style='break-before: page'>on</p>")
    )

    first, _ = (_blank_end(page, 10 / MM, 10 / MM) for page in _painted(file, tmp_path))

    assert first == pytest.approx(blank, abs=0.03)


# What a look at the pages of the article finds


@pytest.fixture(scope="module")
def takeaways(finished: Finished) -> list[str]:
    """What the page says the article's takeaways are."""
    page: Any = html.fromstring(finished.page.read_text("utf-8"))
    return [_letters(each.text_content()) for each in page.find_class("takeaway")]


@pytest.mark.slow
@papers
def test_pages_of_the_article_end_where_a_reader_can_stop(
    finished: Finished, paper: Paper, takeaways: list[str]
) -> None:
    above, below = (margin * MM for margin in MARGINS[paper])

    blocks = parts(finished.pdf(paper).read_bytes(), above, below)

    kinds = {each.kind for each in blocks}
    assert kinds >= {"H2", "H3", "P", "LBody", "Figure", "Caption", "TR", "Note"}
    assert {each.page for each in blocks} == set(range(1, blocks[-1].page + 1))
    assert len({each.path for each in blocks}) < len(blocks)  # some go over pages
    assert {_letters(each.text) for each in _flow(blocks)} > set(takeaways)
    assert len(takeaways) == 4
    assert _last_headings(blocks) == []
    assert _lone_lines(blocks) == []
    assert _parted_captions(blocks) == []
    assert _parted_takeaways(blocks, takeaways) == []


@pytest.mark.slow
@papers
def test_no_page_of_the_article_but_the_last_ends_with_much_of_it_blank(
    finished: Finished, paper: Paper, tmp_path: Path
) -> None:
    pages = _painted(finished.pdf(paper), tmp_path)
    blanks = [_blank_end(page, *MARGINS[paper]) for page in pages]

    assert len(blanks) > 20
    assert [(n, share) for n, share in enumerate(blanks[:-1], 1) if share > MOST_BLANK] == []
