"""The text prints nothing that was not bound, and every mistake names its line."""

from pathlib import Path
from typing import Any

import pytest

from report import binding, marks
from report.binding import Bound
from report.errors import Mistake
from report.results import bind

NAMES: dict[str, Any] = {
    "spread": bind(
        "spread", {"trials": 20000, "sd": 7.978, "worst": {"deviation": -0.0123}, "row": [8, 0, -8]}
    ),
    "word": bind("word", {"evil": "<b>*{{ 7 }}*</b>", "values": 3}),
}


def _render(text: str, tmp_path: Path, first_line: int = 1) -> tuple[str, Bound]:
    bound = Bound()
    template = binding.Template(tmp_path, "article.md", text, first_line, lambda path: path.name)
    return binding.render(template, bound, NAMES), bound


def _shown(text: str, tmp_path: Path) -> str:
    """Render, then put the printed numbers and pieces of text in the place of their marks."""
    rendered, bound = _render(text, tmp_path)
    return marks.replace(
        rendered,
        lambda kind, i: bound.quotes[i].printed if kind == marks.NUMBER else bound.texts[i],
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ spread.trials | count }} trials", "20,000 trials"),
        ("{{ spread.worst.deviation | percent(1) }}", "−1.2%"),
        ("{{ spread.row | series }}", "8, 0 and −8"),
        ("{% for x in spread.row %}{{ x | plain }};{% endfor %}", "8;0;−8;"),
        ("{% if spread.sd < 8 %}below{% else %}above{% endif %}", "below"),
        ("{{ word['values'] | count }} {{ word.values | count }}", "3 3"),
        ("<# a comment #>x", "x"),
        ("# Title {#anchor}", "# Title {#anchor}"),
    ],
)
def test_a_bound_value_is_printed_as_its_filter_says(
    text: str, expected: str, tmp_path: Path
) -> None:
    assert _shown(text, tmp_path) == expected


def test_every_printed_number_is_remembered_with_its_path(tmp_path: Path) -> None:
    _, bound = _render("{{ spread.sd | fixed(1) }} {{ spread.row[2] | plain }}", tmp_path)

    assert [(quote.path, quote.printed) for quote in bound.quotes] == [
        ("spread.sd", "8.0"),
        ("spread.row.2", "−8"),
    ]


def test_a_piece_of_data_never_becomes_markup_or_template(tmp_path: Path) -> None:
    rendered, bound = _render("say {{ word.evil }}", tmp_path)

    assert "<b>" not in rendered
    assert "*" not in rendered
    assert bound.texts == ["<b>*{{ 7 }}*</b>"]


def test_formulas_are_protected_before_anything_reads_the_text(tmp_path: Path) -> None:
    rendered, bound = _render(
        "a $x_1 * y * z_1$ b\n\n$$\n\\frac{{a}}{b}\n$$\n\n`$not$` \\$5 and \\$6", tmp_path
    )

    assert [formula.tex for formula in bound.formulas] == ["x_1 * y * z_1", r"\frac{{a}}{b}"]
    assert [formula.display for formula in bound.formulas] == [False, True]
    assert "`$not$` $5 and $6" in rendered
    assert rendered.count("\n") == 6


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("\n{{ spread.sdd | fixed(1) }}", 2, "spread has no 'sdd' (did you mean 'sd'?)"),
        ("\n\n{{ spred.sd | fixed(1) }}", 3, "'spred' is not defined (did you mean 'spread'?)"),
        ("\n{{ spred }}", 2, "'spred' is not defined (did you mean 'spread'?)"),
        ("{{ spread.row[7] | plain }}", 1, "spread.row has no '7'"),
        ("{{ spread.sd['x'] | plain }}", 1, "spread.sd has no 'x'"),
        (
            "{{ spread.worst | fixed(1) }}",
            1,
            "'fixed' expects a number, not a record (spread.worst)",
        ),
        ("{{ spread.sd | fixed(-1) }}", 1, "'fixed' prints 0 to 12 decimals, not -1 (spread.sd)"),
        ("{{ spread.sd | brief(0) }}", 1, "'brief' prints 1 to 9 significant digits, not 0"),
        ("{{ [] | first }}", 1, "no first item"),
        ("{{ 7 | plain }}", 1, "a number that no result or parameter holds"),
        ("{{ 7 | label }}", 1, "there is no filter 'label'"),  # labels are for drawings
        ("{{ [7] | series('label') }}", 1, "a number that no result or parameter holds"),
        ("{{ range }}", 1, "this is a function, and only numbers and texts can be printed"),
        ("{{ spread() }}", 1, "a record is no function"),
        ("{% endif %}", 1, "there is no block `{% if %}` here to end"),
        ("\n{% if spread.sd %}{% for x in spread.row %}{% endif %}", 2, "the block `{% for %}` is"),
        ("{{ spread.sd | default(1) }}", 1, "there is no filter 'default'"),
    ],
)
def test_each_mistake_in_the_text_names_its_line(
    text: str, line: int, says: str, tmp_path: Path
) -> None:
    with pytest.raises(Mistake) as caught:
        _render(text, tmp_path)

    assert says in caught.value.what
    assert caught.value.line == line


def test_the_line_counts_from_the_top_of_the_file_the_author_wrote(tmp_path: Path) -> None:
    with pytest.raises(Mistake) as caught:
        _render("one\n{{ spread.sdd | plain }}", tmp_path, first_line=11)

    assert str(caught.value).startswith("article.md, line 12: ")


def test_an_error_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.md").write_text("fine\n\n{{ spread.no | plain }}")

    with pytest.raises(Mistake) as caught:
        _render("a\nb\nc\n{% include 'part.md' %}", tmp_path, first_line=5)

    assert (caught.value.file, caught.value.line) == ("part.md", 3)
