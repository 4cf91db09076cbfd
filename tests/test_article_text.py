"""The article as its author wrote it: its code runs, its length holds, its figures stand once."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "templates" / "article.md").read_text("utf-8")
BODY = TEXT.split("\n+++\n", 1)[1]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FIGURE = re.compile(r"^::: figure (\S+)\n(.*?)^:::$", re.DOTALL | re.MULTILINE)
NOTE = re.compile(r"^\[\^(\w+)\]: (.+)$", re.MULTILINE)
LONGEST_LINE = 72  # characters of code that fit the printed column


def words(source: str) -> int:
    """Count the words a reader meets: code, formulas and markup left out, a bound number as one.

    Both sides of a condition are counted, so this errs on the long side.
    """
    text = re.sub(r"<#.*?#>|^\{% macro.*?$", " ", source, flags=re.DOTALL | re.MULTILINE)
    text = FENCE.sub(" ", text)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " ", text, flags=re.DOTALL)
    text = re.sub(r'\{\{ cite\("(\w+?)(\d+)?"(?:, "([^"]*)")?\) \}\}', r" \1 et al. \2 \3 ", text)
    text = text.replace("{{ sources() }}", " ").replace("](#", "] (#")
    text = re.sub(r"\(#[\w-]+\)|\{#[^}]*\}|\[\^\w+\]:?|\{%.*?%\}", " ", text)
    text = re.sub(
        r"^:::+ ?(figure \S+|table \S+|short-answer|takeaway|self-test|question"
        r"|definition|key|caution)?",
        " ",
        text,
        flags=re.MULTILINE,
    )
    text = re.sub(r"\{\{.*?\}\}", " number ", text)
    return len(re.findall(r"\w[\w'’.,-]*", text))


def section(anchor: str) -> str:
    """Cut out one section, from its heading to the next of the same rank."""
    found = re.search(
        rf"^## [^\n]*\{{#{anchor}\b[^\n]*\n(.*?)(?=^## |\Z)", BODY, re.DOTALL | re.MULTILINE
    )
    assert found, f"no section is called '{anchor}'"
    return found[1]


# --- the code ------------------------------------------------------------------------------------


def listing() -> str:
    """The article's numpy block, as printed."""
    blocks = [code for language, code in FENCE.findall(BODY) if language == "python"]
    (found,) = [code for code in blocks if "import numpy" in code]
    return str(found)


@pytest.fixture
def printed() -> dict[str, Callable[..., Any]]:
    """The functions that a reader has after running the block."""
    names: dict[str, Any] = {}
    exec(compile(listing(), "templates/article.md", "exec"), names)
    return names


def by_hand(q: Array, k: Array, v: Array) -> tuple[list[list[float]], list[list[float]]]:
    """Attention one number at a time, from the formula, with neither numpy's exp nor its sums."""
    weights = []
    for query in q.tolist():
        scores = [math.fsum(map(math.prod, zip(query, key, strict=True))) for key in k.tolist()]
        powers = [math.exp(score / math.sqrt(len(query))) for score in scores]
        weights.append([power / math.fsum(powers) for power in powers])
    columns = v.T.tolist()
    outputs = [
        [math.fsum(map(math.prod, zip(row, column, strict=True))) for column in columns]
        for row in weights
    ]
    return outputs, weights


def agree(actual: Array, expected: Sequence[Sequence[float]]) -> bool:
    """Whether two tables agree to fourteen digits."""
    return bool(np.allclose(actual, np.array(expected), rtol=1e-14, atol=1e-15))


def test_the_printed_attention_agrees_with_the_formula_worked_by_hand(
    printed: dict[str, Callable[..., Any]],
) -> None:
    generator = np.random.default_rng(5)
    q, k, v = (generator.standard_normal(shape) for shape in ((3, 6), (5, 6), (5, 2)))

    output, weights = printed["attention"](q, k, v)

    expected_output, expected_weights = by_hand(q, k, v)
    assert agree(output, expected_output)
    assert agree(weights, expected_weights)


def test_the_printed_attention_takes_heads_and_batches(
    printed: dict[str, Callable[..., Any]],
) -> None:
    generator = np.random.default_rng(6)
    q, k, v = (generator.standard_normal((2, 4, *shape)) for shape in ((3, 8), (5, 8), (5, 7)))

    output, _ = printed["attention"](q, k, v)

    assert output.shape == (2, 4, 3, 7)
    assert agree(output[1, 2], by_hand(q[1, 2], k[1, 2], v[1, 2])[0])


def test_the_printed_attention_gives_the_example_row_its_known_weights(
    printed: dict[str, Callable[..., Any]],
) -> None:
    q = np.zeros((1, 64))
    q[0, 0] = 1
    k = np.zeros((4, 64))
    k[:, 0] = (8, 0, -8, 4)

    _, weights = printed["attention"](q, k, np.eye(4))

    # e^1, e^0, e^-1 and e^0.5 over their sum, to six digits
    assert weights[0] == pytest.approx([0.473991, 0.174371, 0.0641477, 0.287490], rel=5e-6)


def test_the_printed_softmax_survives_scores_that_overflow_the_exponential(
    printed: dict[str, Callable[..., Any]],
) -> None:
    weights = printed["softmax"](np.array([1e6, 1e6 - 1, -1e6]))

    assert weights == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.e), 0])


def test_a_query_scaled_before_the_call_is_divided_by_the_head_width(
    printed: dict[str, Callable[..., Any]],
) -> None:
    generator = np.random.default_rng(7)
    q, k, v = (generator.standard_normal(shape) for shape in ((2, 9), (4, 9), (4, 3)))

    _, twice = printed["attention"](q / math.sqrt(9), k, v)

    powers = np.exp(q @ k.T / 9)
    assert agree(twice, (powers / powers.sum(axis=1, keepdims=True)).tolist())


def test_the_listing_is_about_ten_lines_and_fits_the_column() -> None:
    lines = [line for line in listing().splitlines() if line.strip()]

    assert 8 <= len(lines) <= 12
    for language, code in FENCE.findall(BODY):
        longest = max(code.splitlines(), key=len)
        assert len(longest) <= LONGEST_LINE, f"{language}: {longest}"


# --- the text ------------------------------------------------------------------------------------


def test_the_article_has_between_3500_and_4500_words() -> None:
    assert 3500 <= words(BODY) <= 4500


def test_the_words_are_counted_without_code_formulas_and_markup() -> None:
    source = (
        "## A title {#title}\n\n::: figure score_spread\n**Two words.** $d_k$ is "
        "{{ x.y | fixed(2) }}.[^n]\n:::\n\n```python\nnot these\n```\n\n"
        '{{ cite("vaswani2017", "sec. 3") }}\n\n[^n]: Noted.\n'
    )

    # A title / Two words / is number / vaswani et al. 2017 sec. 3 / Noted.
    assert words(source) == 2 + 2 + 2 + 6 + 1


def test_the_staff_answer_takes_about_ninety_seconds_to_say() -> None:
    spoken = re.sub(r"\$[^$]*\$", "symbol", section("staff-answer"))

    assert 200 <= words(spoken) <= 250  # at 150 words a minute: 80 to 100 seconds


def test_every_figure_is_placed_exactly_once() -> None:
    drawn = {
        path.stem
        for path in (ROOT / "figures").glob("*.py")
        if re.search(r"^def measure\(", path.read_text("utf-8"), re.MULTILINE)
    }

    placed = Counter(stem for stem, _ in FIGURE.findall(BODY))

    assert placed == Counter(drawn)


def test_every_caption_opens_with_a_claim_of_at_most_twelve_words() -> None:
    for stem, caption in FIGURE.findall(BODY):
        claim = re.match(r"\*\*(.+?\.)\*\* ", caption)

        assert claim, f"{stem} opens with no bold claim that ends in a full stop"
        assert len(claim[1].split()) <= 12, f"{stem}: {claim[1]}"


def test_every_note_is_called_once_and_short_enough_for_the_margin() -> None:
    notes = dict(NOTE.findall(BODY))
    calls = Counter(re.findall(r"\[\^(\w+)\](?!:)", BODY))

    assert calls == Counter(notes.keys())
    for name, note in notes.items():
        assert words(note) <= 45, name


def test_every_source_is_cited_and_every_citation_has_its_source() -> None:
    records = tomllib.loads((ROOT / "templates" / "sources.toml").read_text("utf-8"))
    cited = set(re.findall(r'cite\("(\w+)"', BODY))

    assert cited == set(records)


def test_every_step_closes_with_its_takeaway() -> None:
    for number in range(1, 5):
        last = section(f"step-{number}").rstrip()

        assert re.search(r"^::: takeaway\n[^\n]+\n:::\Z", last, re.MULTILINE), number
