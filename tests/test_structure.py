"""The tags of a PDF and the words in them are those of its text, wherever lines and pages end."""

from __future__ import annotations

import io
import re
from typing import Final

import pikepdf
import pytest

from report.pdf.paper import BREAK, breakable
from tests import sheets
from tests.tagged import Tag, read

SOME: Final = "All the words of a paragraph that goes on over the end of a page and of the next."


def _finished(body: str) -> pikepdf.Pdf:
    """Print HTML on very small sheets and mend its tree."""
    pdf = pikepdf.open(io.BytesIO(sheets.printed(body)))
    assert len(pdf.pages) > 1 or "one page" in body
    return pdf


def _printed(body: str) -> Tag:
    return read(_finished(body))


def _kinds(tag: Tag) -> str:
    """Write the nesting of elements, those for single lines left out: `L(LI(Lbl LBody))`."""
    inside = " ".join(filter(None, (_kinds(kid) for kid in tag.kids if isinstance(kid, Tag))))
    if tag.kind in ("Span", "NonStruct"):
        return inside
    return f"{tag.kind}({inside})" if inside else tag.kind


def test_a_paragraph_over_several_pages_is_one() -> None:
    printed = _printed(f"<article><p>{SOME} {SOME}</p><p>Next.</p></article>")

    assert _kinds(printed) == "Document(Art(P P))"
    assert printed.all("P")[0].text.endswith("of the next.")


def test_two_paragraphs_that_meet_at_the_end_of_a_page_stay_two() -> None:
    lines = "<br>".join("line" for _ in range(4))

    printed = _printed(f"<article><p>{lines}</p><p>{lines}</p><p>{lines}</p></article>")

    assert _kinds(printed) == "Document(Art(P P P))"


def test_a_list_over_several_pages_is_one_and_counts_its_items_once() -> None:
    printed = _printed(f"<ol><li>{SOME}</li><li><p>{SOME}</p><p>More.</p></li></ol>")

    assert _kinds(printed) == "Document(L(LI(Lbl LBody) LI(Lbl LBody(P P))))"


def test_a_link_over_two_lines_is_one_with_an_area_on_each() -> None:
    pdf = _finished("<p>one page <a href='#end'>of two lines</a>, <b id='end'>and on</b></p>")

    (link,) = read(pdf).all("Link")
    areas = [int(area.StructParent) for area in pdf.pages[0].Annots]
    assert link.text == "of two lines"
    assert len(areas) == 2
    assert [str(e.S) for e in _owners(pdf, areas)] == ["/Link", "/Link"]
    assert len({e.objgen for e in _owners(pdf, areas)}) == 1


def _owners(pdf: pikepdf.Pdf, keys: list[int]) -> list[pikepdf.Object]:
    numbers = pdf.Root.StructTreeRoot.ParentTree.Nums
    return [numbers[i + 1] for key in keys for i in range(0, len(numbers), 2) if numbers[i] == key]


def test_two_links_to_one_place_side_by_side_stay_two() -> None:
    printed = _printed("<p>one page <a href='#e'>A</a><a href='#e'>B</a> <b id='e'>end</b></p>")

    assert [link.text.strip() for link in printed.all("Link")] == ["A", "B"]


def test_what_a_style_adds_to_a_link_belongs_to_it() -> None:
    printed = _printed("<p>one page <a class='page' href='#e'>See p. </a> <b id='e'>end</b></p>")

    (link,) = printed.all("Link")
    assert link.text.strip() == "See p. 1"


def test_a_heading_with_a_line_above_it_is_one_heading() -> None:
    printed = _printed(f"<h2><span class=block>Step 1</span> Throws</h2><p>{SOME} {SOME}</p>")

    assert [heading.text for heading in printed.all("H2")] == ["Step 1 Throws"]


ROWS: Final = "".join(f"<tr><th scope=row>r{i}</th><td>{i}</td></tr>" for i in range(20))


def test_a_table_over_several_pages_is_one_with_one_head_and_no_name_twice() -> None:
    head = "<thead><tr><th scope=col>A</th><th scope=col>B</th></tr></thead>"

    printed = _printed(f"<table><caption>T</caption>{head}<tbody>{ROWS}</tbody></table>")

    (table,) = printed.all("Table")
    names = [cell.name for cell in table.all("TH")]
    assert [kid.kind for kid in table.kids if isinstance(kid, Tag)] == ["Caption", "THead", "TBody"]
    assert len(table.all("TR")) == 21
    assert len(set(names)) == len(names) == 22
    for row in table.all("TBody")[0].all("TR"):
        (own,) = row.all("TH")
        (cell,) = row.all("TD")
        assert [str(each) for each in cell.facts["/Headers"]] == [own.name, names[1]]


def test_names_lead_to_their_elements() -> None:
    pdf = _finished(f"<table><tbody>{ROWS}</tbody></table>")

    flat = list(pdf.Root.StructTreeRoot.IDTree.Names)
    names = [str(each) for each in flat[::2]]
    assert names == sorted(cell.name for cell in read(pdf).all("TH"))
    assert names == [str(each.ID) for each in flat[1::2]]


def test_a_term_and_what_it_means_are_one_item() -> None:
    printed = _printed("<dl><dt>one page</dt><dd><p>A leaf.</p></dd><dt>B</dt><dd>C</dd></dl>")

    assert _kinds(printed) == "Document(L(LI(Lbl LBody(P)) LI(Lbl LBody)))"


def test_a_note_at_the_foot_is_read_after_the_paragraph_that_calls_it() -> None:
    note = "<span class=foot data-tag=aside>The note.</span>"

    printed = _printed(f"<article><p>Called{note} here, on. {SOME}</p><p>Next.</p></article>")

    assert _kinds(printed) == "Document(Art(P Note P))"
    assert [each.text for each in printed.all("Note")] == ["The note."]


def test_an_ornament_is_seen_and_not_read() -> None:
    printed = _printed("<p class=arrow>one page</p>")

    assert printed.text.strip() == "one page"


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("<aside>one page</aside>", "Note"),
        ("<pre><code>one page</code></pre>", "P(Code)"),
        ("<p>one page <code>x</code></p>", "P(Code)"),
        (
            "<nav><p>one page</p><ul style='list-style:none'><li><a href='#a'>A</a></li>"
            "<li id=a><a href='#a'>B</a></li></ul></nav>",
            "TOC(Caption TOCI(Reference(Link)) TOCI(Reference(Link)))",
        ),
    ],
)
def test_what_the_engine_has_no_word_for_is_called_by_its_name(body: str, kinds: str) -> None:
    assert _kinds(_printed(body)) == f"Document({kinds})"


@pytest.mark.parametrize(
    "written",
    [
        "one page of words that fill more than one line",
        "one page <b>and</b><span> </span><i>more</i> of <span>d<sub>k</sub></span> and so on",
        "one page, 4<sup>th</sup> line: well-known, well-known, well-known or known",
        "one<br>page<br>of lines",
        "one page has it in 8.01. Fitted to line it is 0.50. Some more and more 1.25. Over",
        f"one page of {breakable('softmax_weights.raw.weights.0')} and {breakable('seed.at.64')} lines",
    ],
)
def test_words_stand_apart_where_lines_and_types_end(written: str) -> None:
    printed = _printed(f"<div>one page</div><p>{written}</p>")

    plain = re.sub(r"<br>|<span> </span>", " ", written.replace(BREAK, ""))
    assert printed.all("P")[0].text == re.sub(r"<[^>]+>", "", plain)
