"""The weights of the example row, held against the fact table (six significant digits)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import softmax_weights
from attention import Example
from report.contracts import Stream
from softmax_weights import Parameters, measure

ROW = (8.0, 0.0, -8.0, 4.0)


def six(value: float) -> float:
    """Round to six significant digits."""
    return float(f"{value:.6g}")


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published row, read back."""
    answer = measure(Parameters(Example(ROW, 64)), stream("softmax_weights"))
    return stored("softmax_weights", answer)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("raw", [0.981690, 0.000329320, 1.10475e-07, 0.0179803]),
        ("sqrt", [0.473991, 0.174371, 0.0641477, 0.287490]),
        ("dk", [0.277723, 0.245090, 0.216291, 0.260897]),
    ],
)
def test_the_weights_are_those_of_the_fact_table(
    result: Any, name: str, expected: list[float]
) -> None:
    assert [six(weight) for weight in result[name].weights] == expected


@pytest.mark.parametrize(
    ("name", "nats", "share", "effective", "inverse_square"),
    [
        ("raw", 0.0930369, 0.0671119, 1.09750, 1.03730),
        ("sqrt", 1.19298, 0.860553, 3.29689, 2.92536),
        ("dk", 1.38215, 0.997008, 3.98344, 3.96750),
    ],
)
def test_the_evenness_is_that_of_the_fact_table(
    result: Any, name: str, nats: float, share: float, effective: float, inverse_square: float
) -> None:
    one = result[name]

    assert six(one.entropy) == nats
    assert six(one.entropy_share) == share
    assert six(one.effective_keys) == effective
    assert six(1 / sum(p * p for p in one.weights)) == inverse_square


def test_a_gap_of_one_standard_deviation_is_a_factor_of_2981(result: Any) -> None:
    assert result.gap.size == 8
    assert six(result.gap.factor) == 2980.96


def test_the_row_reaches_one_standard_deviation_each_way(result: Any) -> None:
    row = result.row

    assert row.in_sd == {"highest": 1, "lowest": -1}
    assert (row.highest, row.lowest, row.runner_up_gap) == (8, -8, 4)
    assert (row.mean, row.rms) == (1, 6)
    assert six(math.sqrt(row.rms**2 - row.mean**2)) == 5.91608
    assert six(math.sqrt((row.rms**2 - row.mean**2) * 4 / 3)) == 6.83130


def test_the_inputs_are_the_scores_divided(result: Any) -> None:
    assert result.raw.inputs == [8, 0, -8, 4]
    assert result.sqrt.inputs == [1, 0, -1, 0.5]
    assert result.dk.inputs == [0.125, 0, -0.125, 0.0625]
    assert [result[name].divisor for name in ("raw", "sqrt", "dk")] == [1, 8, 64]


def test_the_top_key_is_counted_from_one(stream: Callable[[str], Stream]) -> None:
    answer = measure(Parameters(Example((-3.0, 2.0, 7.0), 16)), stream("softmax_weights"))

    assert [answer[name]["top_key"] for name in ("raw", "sqrt", "dk")] == [3, 3, 3]
    assert answer["even"] == 1 / 3


def test_dividing_evens_out_the_weights(result: Any) -> None:
    tops = [result[name].top for name in ("raw", "sqrt", "dk")]

    assert tops == sorted(tops, reverse=True)
    assert all(result[name].top == max(result[name].weights) for name in ("raw", "sqrt", "dk"))
    assert all(result[name].smallest == min(result[name].weights) for name in ("raw", "sqrt", "dk"))


def test_equal_scores_split_evenly_at_every_scale(stream: Callable[[str], Stream]) -> None:
    answer = measure(Parameters(Example((5.0,) * 8, 64)), stream("softmax_weights"))

    assert all(answer[name]["weights"] == [1 / 8] * 8 for name in ("raw", "sqrt", "dk"))


def test_the_words_print_every_weight_above_a_bar(result: Any, say: Any) -> None:
    words = "\n".join(softmax_weights.describe(result, say)["description"])

    assert "inputs 8, 0, −8, 4; weights 0.98, 0.0003, <0.0001, 0.018." in words
    assert "inputs 1, 0, −1, 0.5; weights 0.47, 0.17, 0.06, 0.29." in words
    assert "inputs 0.125, 0, −0.125, 0.0625; weights 0.28, 0.25, 0.22, 0.26." in words


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ROW, "the tallest bar is key 1 in every panel"),
        ((0.0, 3.0, 3.0), "the tallest bars are keys 2 and 3 in every panel"),
        ((0.0, 0.0, 0.0, 0.0), "the tallest bars are keys 1, 2, 3 and 4 in every panel"),
    ],
)
def test_no_key_is_called_the_tallest_where_several_tie(
    row: tuple[float, ...],
    said: str,
    stream: Callable[[str], Stream],
    stored: Callable[[str, object], Any],
    say: Any,
) -> None:
    answer = measure(Parameters(Example(row, 64)), stream("softmax_weights"))
    words = softmax_weights.describe(stored("softmax_weights", answer), say)["description"]

    assert said in "\n".join(words)
