"""The slopes at the example row, held against the fact table (six significant digits)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import softmax_jacobian
from attention import Example
from report.contracts import Stream
from softmax_jacobian import Parameters, measure

ROW = (8.0, 0.0, -8.0, 4.0)
NAMES = ("raw", "sqrt", "dk")


def six(value: float) -> float:
    """Round to six significant digits."""
    return float(f"{value:.6g}")


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published row, read back."""
    answer = measure(Parameters(Example(ROW, 64)), stream("softmax_jacobian"))
    return stored("softmax_jacobian", answer)


def largest(one: Any) -> float:
    """The largest absolute entry."""
    return float(np.max(np.abs(one.entries)))


def frobenius(one: Any) -> float:
    """The root of the sum of squared entries."""
    return float(np.sqrt(np.sum(np.square(one.entries))))


def row_sum(one: Any) -> float:
    """The largest sum of absolute entries in a row."""
    return float(np.max(np.sum(np.abs(one.entries), axis=1)))


@pytest.mark.parametrize(
    ("size", "raw", "sqrt", "dk", "ratio"),
    [
        (lambda one: one.largest, 0.0179745, 0.249324, 0.200593, 13.8710),
        (largest, 0.0179745, 0.249324, 0.200593, 13.8710),
        (lambda one: one.largest_eigenvalue, 0.0354690, 0.370300, 0.270769, 10.4401),
        (frobenius, 0.0354724, 0.432501, 0.433054, 12.1926),
        (lambda one: one.trace, 0.0359608, 0.658162, 0.747952, 18.3022),
        (row_sum, 0.0359489, 0.498647, 0.401186, 13.8710),
        (lambda one: one.raw_score.largest, 0.0179745, 0.0311654, 0.00313426, 1.73387),
        (lambda one: 8 * one.raw_score.largest, 0.143796, 0.249324, 0.0250741, 1.73387),
    ],
    ids=["largest", "absolute", "eigenvalue", "frobenius", "trace", "row sum", "raw", "query"],
)
def test_the_slopes_are_those_of_the_fact_table(
    result: Any, size: Callable[[Any], float], raw: float, sqrt: float, dk: float, ratio: float
) -> None:
    sizes = [size(result[name]) for name in NAMES]

    assert [six(each) for each in sizes] == [raw, sqrt, dk]
    assert six(sizes[1] / sizes[0]) == ratio


def test_the_ratios_are_those_of_the_fact_table(result: Any) -> None:
    assert {name: six(value) for name, value in result.ratio.items()} == {
        "input": 13.8710,
        "raw_score": 1.73387,
        "trace": 18.3022,
        "largest_eigenvalue": 10.4401,
        "raw_over_dk_at_raw_score": 5.73483,
    }


def test_the_other_peak_of_the_unscaled_row_is_at_key_four(result: Any) -> None:
    assert result.raw.largest_key == 1
    assert six(result.raw.entries[3][3]) == 0.0176570


@pytest.mark.parametrize("name", NAMES)
def test_the_diagonal_is_p_times_one_minus_p(result: Any, name: str) -> None:
    one = result[name]
    expected = [p * (1 - p) for p in one.weights]

    assert [one.entries[i][i] for i in range(4)] == pytest.approx(expected, rel=1e-7)
    assert one.trace == pytest.approx(1 - sum(p * p for p in one.weights), rel=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_slopes_stay_under_their_ceilings(result: Any, name: str) -> None:
    one = result[name]

    assert largest(one) == one.largest <= result.ceiling == 1 / 4
    assert one.largest_eigenvalue <= row_sum(one) <= 1 / 2


@pytest.mark.parametrize("name", NAMES)
def test_the_raw_score_slope_is_the_derivative_through_the_divisor(result: Any, name: str) -> None:
    one, step = result[name], 1e-20
    powers = [np.exp(s / one.divisor) for s in ROW]
    key = one.largest_key - 1
    moved = np.exp((ROW[key] + 1j * step) / one.divisor)
    weight = moved / (sum(powers) - powers[key] + moved)

    assert one.raw_score.largest == pytest.approx(weight.imag / step, rel=1e-8, abs=0)


def test_seen_from_the_raw_score_dividing_by_d_k_leaves_the_least(result: Any) -> None:
    slopes = {name: result[name].raw_score.largest for name in NAMES}

    assert min(slopes, key=slopes.__getitem__) == "dk"
    assert result.dk.largest > result.raw.largest  # though its table looks healthy


def test_a_saturated_row_still_has_slopes_to_compare(stream: Callable[[str], Stream]) -> None:
    answer = measure(Parameters(Example((300.0, -300.0), 64)), stream("softmax_jacobian"))

    assert answer["raw"]["largest"] == pytest.approx(math.exp(-600), rel=1e-9, abs=0)
    assert answer["ratio"]["input"] == pytest.approx(math.exp(600 - 75), rel=1e-9)


def test_the_data_table_holds_all_three_scalings(result: Any, say: Any) -> None:
    table = softmax_jacobian.describe(result, say)["table"]

    assert [row[0] for row in table["rows"][::4]] == [
        "Key 1, unscaled",
        "Key 1, divided by √d_k",
        "Key 1, divided by d_k",
    ]
    assert table["rows"][4][1] == "0.2493"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ROW, ["The largest cell is outlined.", "at key 1;", "at key 1;"]),
        ((1.0, 1.0), ["The largest cells are outlined.", "at keys 1 and 2;", "at keys 1 and 2;"]),
        ((9.0, 0.0), ["The largest cells are outlined.", "at keys 1 and 2;", "at keys 1 and 2;"]),
    ],
)
def test_every_cell_that_ties_for_the_largest_is_named(
    row: tuple[float, ...],
    said: list[str],
    stream: Callable[[str], Stream],
    stored: Callable[[str, object], Any],
    say: Any,
) -> None:
    """With two keys the slopes p(1 - p) are the same for both."""
    answer = measure(Parameters(Example(row, 64)), stream("softmax_jacobian"))
    words = softmax_jacobian.describe(stored("softmax_jacobian", answer), say)["description"]

    assert all(piece in paragraph for piece, paragraph in zip(said, words, strict=False))
