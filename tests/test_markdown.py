"""Markdown becomes the article's HTML: figures, notes, tables and tests in their places, faults named."""

from typing import NoReturn

import pytest

from report import markdown, marks
from report.errors import Mistake
from report.markdown import Written


def _fail(what: str, near: str, about: int) -> NoReturn:
    raise Mistake(what, file="article.md", line=about, then=near)


def _write(text: str) -> Written:
    return markdown.write(text, "CC BY 4.0", {"source-a2017": "A 2017"}, _fail)


def test_a_heading_keeps_its_short_link_and_its_step() -> None:
    written = _write('## Scores *spread* {#step-1 step="Step 1"}\n')

    assert (
        written.body
        == '<h2 id="step-1"><span class="step">Step 1</span> Scores <em>spread</em></h2>\n'
    )
    assert [(h.anchor, h.level, h.step) for h in written.headings] == [("step-1", 2, "Step 1")]


def test_a_figure_is_numbered_captioned_and_credited_where_it_stands() -> None:
    written = _write("::: figure spread\n**Claim.** How to read it.\n:::\n\nSee [](#spread).\n")

    assert [(f.stem, f.number) for f in written.figures] == [("spread", 1)]
    assert marks.mark(marks.FIGURE, 0) in written.body
    assert '<span class="label">Figure 1</span> <strong>Claim.</strong>' in written.body
    assert '<span class="credit">CC BY 4.0</span>' in written.body
    assert '<a href="#spread">Figure 1</a>' in written.body


def test_a_note_stands_beside_the_paragraph_that_calls_it() -> None:
    written = _write("First.\n\nSecond[^why] one.\n\nThird.\n\n[^why]: The *reason*.\n")

    call, note = marks.mark(marks.NOTE_CALL, 0), marks.mark(marks.NOTE, 0)
    assert f'<div class="with-note"><p>Second{call} one.</p>\n{note}</div>' in written.body
    assert [(n.name, n.number, n.text) for n in written.notes] == [
        ("why", 1, "The <em>reason</em>.")
    ]
    assert "reason" not in written.body


def test_notes_are_numbered_in_the_order_they_are_called() -> None:
    written = _write("A[^z] b[^a].\n\n- item[^m]\n\n[^a]: x\n[^m]: y\n[^z]: w\n")

    assert [(note.name, note.number) for note in written.notes] == [("z", 1), ("a", 2), ("m", 3)]


def test_the_first_column_of_a_table_names_its_rows() -> None:
    written = _write(
        "::: table t\nA caption.\n\n| level | n |\n|---|--:|\n| one | 2 |\n:::\n\n[](#t)\n"
    )

    assert '<caption><span class="label">Table 1</span> A caption.</caption>' in written.body
    assert '<th scope="col">level</th><th scope="col" class="right">n</th>' in written.body
    assert '<th scope="row">one</th><td class="right">2</td>' in written.body
    assert '<a href="#t">Table 1</a>' in written.body


def test_the_digits_of_a_measured_column_line_up_and_words_keep_their_side() -> None:
    rows = [["plain", "1,024", "no"], ["folded", "under 1 × 10⁻⁹", "yes"], ["kept", "none", "2"]]

    assert markdown.sides_of(rows) == ["", "right", ""]


def test_a_question_is_kept_apart_from_its_answer() -> None:
    text = ":::: self-test\n::: question\nWhy?\n\n???\n\nBecause[^n].\n:::\n::::\n\n[^n]: A note.\n"
    written = _write(text)

    question = written.questions[0]
    assert (question.number, question.question) == (1, "<p>Why?</p>\n")
    assert "Because" in question.answer
    assert "Because" not in written.body
    assert marks.mark(marks.NOTE, 0) in question.answer


def test_a_summary_is_made_of_parts_and_its_heading_is_remembered() -> None:
    text = (
        "## Before {#before}\n\n## On one page {#one-page}\n\n:::: summary\n### Links {#links}\n\n"
        "::: chain\n1. **A.** B.\n:::\n\n### Traps {#traps}\n\nC.\n\nD.\n::::\n\n[](#traps)\n"
    )
    written = _write(text)

    assert written.summary == "one-page"
    assert (
        '<div class="part"><h3 id="links">Links</h3>\n<div><div class="chain"><ol>' in written.body
    )
    assert '<h3 id="traps">Traps</h3>\n<div><p>C.</p>\n<p>D.</p>\n</div></div>' in written.body
    assert '<a href="#traps">Traps</a>' in written.body
    assert [heading.anchor for heading in written.headings][2:] == ["links", "traps"]


def test_markup_of_the_author_is_shown_and_never_obeyed() -> None:
    written = _write("A <script>alert(1)</script> & <b>bold</b>\n\n```html\n<i>\n```\n")

    assert "<script" not in written.body
    assert "&lt;script&gt;" in written.body
    assert "&lt;i&gt;" in written.body


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (":::: summary\n### A {#a}\n::::\n", "stands right under a heading `##`"),
        ("## B {#b}\n\n:::: summary\nText first.\n::::\n", "begins with a `###`"),
        (
            "## B {#b}\n\n:::: summary\n### A {#a}\n\nSee.[^n]\n::::\n\n[^n]: x\n",
            "a summary calls a note",
        ),
        ("::: table t\n\n| a | b |\n|--|--|\n| 1 | 2 |\n:::\n", "the table 't' needs a caption"),
        ("::: definition\nx\n:::\n", "`::: definition` needs a title after it"),
        ("::: question\nQ\n\n???\n\nA\n:::\n", "stands outside `:::: self-test`"),
        (":::: self-test\n::::\n", "each split once by a line `???`"),
        ("::: key K\n## A {#a}\n:::\n", "stands inside `::: key K`, which nothing closed before"),
        ("- ## A {#a}\n", "the heading 'A' stands inside a list or a quotation"),
        ('## A {#a step="\ue000M0\ue001"}\n', "the step of the heading 'A' is not in plain words"),
        ("A[^n].\n\n[^n]: x[^m]\n\n[^m]: y\n", "the note [^n] calls a note itself"),
        ("A[^n].\n\n[^n]: x\n\n[^n]: y\n", "the note [^n] is written twice"),
        ('A[^a"b].\n\n[^a"b]: x\n', "needs a name of letters, digits and hyphens"),
        ("A [word][nowhere].\n", "'[word][nowhere].' is no link that an article may hold"),
        ("See \ue000S0\ue001 here.\n", "`{{ sources() }}` shares its paragraph with other words"),
        ("\ue000S0\ue001\n\n\ue000S0\ue001\n", "the sources are listed twice"),
    ],
)
def test_each_fault_of_the_text_is_named(text: str, says: str) -> None:
    with pytest.raises(Mistake) as caught:
        _write(text)

    assert says in caught.value.what
