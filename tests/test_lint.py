"""A number that answers to nothing is found, wherever and however it is written."""

from pathlib import Path

import pytest

from report.lint import Lint
from report.numbers import Quote
from report.project import Project

FRONT = '+++\ntitle = "A title"\ndek = "Plain."\n+++\n'


def _project(tmp_path: Path, text: str, allowed: str = "", front: str = FRONT) -> Project:
    (tmp_path / "templates").mkdir(exist_ok=True)
    (tmp_path / "templates" / "article.md").write_text(front + text, "utf-8")
    (tmp_path / "templates" / "literals.toml").write_text(allowed, "utf-8")
    return Project(tmp_path)


def _found(
    tmp_path: Path, text: str, allowed: str = "", front: str = FRONT
) -> list[tuple[int | None, str]]:
    findings = Lint(_project(tmp_path, text, allowed, front)).article()
    return [(finding.line, finding.what.split("'")[1]) for finding in findings]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The spread is 7.98.", "7.98"),
        ("It takes 98% of the weight.", "98%"),
        ("It takes 98 % of the weight.", "98 %"),
        ("In 20,000 trials,", "20,000"),
        ("A loss of −0.5 nats", "−0.5"),
        ("about fourteen times", "fourteen"),
        ("Twenty-one keys", "Twenty-one"),
        ("twenty thousand trials", "twenty thousand"),
        ("by one percent", "one"),
        ("a $d_k = 64$ head", "64"),
        ("a slope of $0.25$", "0.25"),
        ("::: figure spread\n**A claim of 14.** Read it.\n:::", "14"),
        ("::: definition Over 9 things\nx\n:::", "9"),
        ("Text.[^n]\n\n[^n]: A note with 77 in it.", "77"),
        ("| a | b |\n|---|---|\n| x | 31 |", "31"),
    ],
)
def test_a_number_typed_by_hand_is_found(tmp_path: Path, text: str, number: str) -> None:
    assert [found for _, found in _found(tmp_path, text)] == [number]


@pytest.mark.parametrize(
    "text",
    [
        "{{ spread.sd | fixed(2) }} and {% if a.b > 3 %}x{% endif %}",
        "## Step {#step-1}",
        "See [](#step-1) and [this](https://example.org/2017).",
        "```python\nx = 64\n```",
        "Call `scale=1.0`.",
        "1. First\n2. Second",
        "One head of T5 and the k-th key; $d_k$, $p(1-p)$ and $2 \\ln n$.",
        "<# 12 is only a comment #>",
    ],
)
def test_what_is_bound_or_names_a_place_is_let_alone(tmp_path: Path, text: str) -> None:
    assert _found(tmp_path, text) == []


def test_the_line_is_the_line_of_the_file(tmp_path: Path) -> None:
    assert _found(tmp_path, "Fine.\n\n{{ x }}\n\nThen 33.") == [(9, "33")]


def test_titles_are_prose_too(tmp_path: Path) -> None:
    front = '+++\ntitle = "Why 14 times?"\nversion = "1.0"\n+++\n'

    assert _found(tmp_path, "Text.", front=front) == [(2, "14")]


def test_a_phrase_with_a_reason_is_let_through_and_only_there(tmp_path: Path) -> None:
    allowed = '[[literal]]\ntext = "in 2017"\nreason = "a year"\n'

    assert _found(tmp_path, "Published in 2017.\n\nNot 2017 alone.", allowed) == [(7, "2017")]


def test_an_allowance_that_lets_nothing_through_is_reported(tmp_path: Path) -> None:
    lint = Lint(_project(tmp_path, "Text.", '[[literal]]\ntext = "in 2017"\nreason = "a year"\n'))
    lint.article()

    assert ["lets nothing through" in finding.what for finding in lint.allowances([])] == [True]


def test_an_allowance_may_not_hide_a_number_that_a_result_prints(tmp_path: Path) -> None:
    allowed = '[[literal]]\ntext = "64 wide"\nreason = "cited"\n'
    lint = Lint(_project(tmp_path, "It is 64 wide.", allowed))
    lint.article()
    findings = lint.allowances([Quote("example.d_k", 64, "64", "count")])

    assert [str(finding) for finding in findings] == [
        "templates/literals.toml, line 1: '64' is printed from example.d_k too; bind it."
    ]


def test_words_of_a_drawing_answer_to_what_was_printed_for_it(tmp_path: Path) -> None:
    lint = Lint(_project(tmp_path, "Text."))
    quotes = [Quote("spread.sd", 7.98, "7.98", "fixed")]

    assert lint.words("figures/spread.py", ["spread 7.98"], quotes) == []
    assert [
        "'8'" in finding.what for finding in lint.words("figures/spread.py", ["spread 8"], quotes)
    ] == [True]


@pytest.mark.parametrize(
    "text", ["falls as 1/√d_k", "times 8/d_k", "*d_k* = 2 ln(keys)", "the entry p(1 − p)"]
)
def test_a_formula_in_plain_text_is_algebra(tmp_path: Path, text: str) -> None:
    assert Lint(_project(tmp_path, "Text.")).words("figures/spread.py", [text], []) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("2 lines", "2"), ("12 ln n", "12"), ("8/d", "8"), ("at 1 − p", "1"), ("2 ln 4", "4")],
)
def test_a_number_beside_algebra_is_a_number(tmp_path: Path, text: str, number: str) -> None:
    found = Lint(_project(tmp_path, "Text.")).words("figures/spread.py", [text], [])

    assert [finding.what.split("'")[1] for finding in found] == [number]
