"""The slope on its way back, held against the laws for narrow differences and for wide heads."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradient_path
from attention import Array, jacobian, softmax
from gradient_path import Parameters, carried_by_few, follow, measure, sum_up, typical_below_from
from report.contracts import Stream
from report.numbers import Printer
from rows import (
    draw_rows_with_keys,
    expected_maximum,
    slopes_through,
    standard_normal_grid,
)

SIZES, KEYS, ROWS = (4, 16, 64, 256, 1024), (4, 16), 10_000
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
THEIRS = 2000  # rows of another program, which found these at the query for 16 keys, unscaled
MEANS = {4: 0.588, 16: 1.046, 64: 1.387, 256: 1.616, 1024: 1.681}
DEAD_16 = {4: 0.0, 16: 0.003, 64: 0.073, 256: 0.28, 1024: 0.53}
DEAD_4 = {4: 0.001, 16: 0.025, 64: 0.18, 256: 0.45, 1024: 0.68}


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    answer = measure(Parameters(SIZES, KEYS, ROWS), stream("gradient_path"))
    return stored("gradient_path", answer)


def median_gap(n: int) -> tuple[float, float]:
    """Median of the gap between the leading two of n standard normals, and its density there."""
    x, weight = standard_normal_grid()

    def wider(gap: float) -> float:
        below = np.array([math.erfc(-(one - gap) / math.sqrt(2)) / 2 for one in x])
        return float(n * np.sum(weight * below ** (n - 1)))

    low, high = 0.0, 5.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if wider(middle) > 0.5 else (low, middle)
    return low, (wider(low - 1e-3) - wider(low + 1e-3)) / 2e-3


def test_each_place_is_the_last_one_times_what_the_chain_rule_adds() -> None:
    scores, keys = draw_rows_with_keys(16, 4, 50, np.random.default_rng(4))
    found = follow(16, 4, 50, np.random.default_rng(4))

    for name, divisor in (("raw", 1), ("sqrt", 4), ("dk", 16)):
        each = [jacobian(row) for row in softmax(scores / divisor)]
        expected = {
            "input": [np.linalg.norm(j) for j in each],
            "score": [np.linalg.norm(j) / divisor for j in each],
            "query": [np.linalg.norm(j @ k) / divisor for j, k in zip(each, keys, strict=True)],
        }
        for place, slope in expected.items():
            assert found[name][place] == pytest.approx(slope, rel=1e-10)


def test_the_slope_at_the_query_is_how_the_weights_move_with_it() -> None:
    generator = np.random.default_rng(6)
    q, k = generator.standard_normal(7), generator.standard_normal((5, 7))
    step, root = 1e-20, math.sqrt(7)
    moved = [np.imag(softmax(k @ (q + 1j * step * unit) / root)) / step for unit in np.eye(7)]

    weights = softmax(k @ q / root)[np.newaxis]

    actual = slopes_through(weights, k[np.newaxis]) / root
    assert actual == pytest.approx([np.linalg.norm(moved)], rel=1e-12)


@pytest.mark.parametrize("n", KEYS)
def test_in_a_wide_unscaled_head_the_mean_at_the_query_is_the_expected_maximum(
    result: Any, n: int
) -> None:
    query = result.at[n][1024].raw.query

    assert result.theory[n] == pytest.approx(expected_maximum(n), rel=1e-8)
    assert abs(query.mean - result.theory[n]) < SIGMAS * query.error


@pytest.mark.parametrize("n", KEYS)
def test_in_a_wide_unscaled_head_the_mean_at_the_input_falls_as_the_root(
    result: Any, n: int
) -> None:
    at_input = result.at[n][1024].raw.input

    assert abs(at_input.mean - expected_maximum(n) / 32) < SIGMAS * at_input.error


@pytest.mark.parametrize("n", KEYS)
@pytest.mark.parametrize("d_k", [256, 1024])
def test_the_unscaled_median_at_the_input_falls_exponentially_in_the_root(
    result: Any, n: int, d_k: int
) -> None:
    gap, density = median_gap(n)
    root = math.sqrt(d_k)
    error = root * 0.5 / (density * math.sqrt(ROWS))  # of the median gap, stretched by the root
    others = 0.5  # a third key adds at most a little to the slope that the second one leaves

    # With the gap g to the second key the four large entries are ±e⁻ᵍ: the norm is 2 e⁻ᵍ.
    actual = math.log(result.at[n][d_k].raw.input.median)

    assert abs(actual - (math.log(2) - root * gap)) < SIGMAS * error + others


@pytest.mark.parametrize("n", KEYS)
@pytest.mark.parametrize("place", ["input", "query"])
def test_divided_by_the_root_the_slope_does_not_depend_on_width(
    result: Any, n: int, place: str
) -> None:
    one, two = (result.at[n][d_k].sqrt[place] for d_k in (256, 1024))
    error = math.hypot(one.error, two.error)

    assert abs(one.mean - two.mean) < SIGMAS * error
    assert two.median == pytest.approx(two.mean, rel=0.1)


@pytest.mark.parametrize("n", KEYS)
def test_divided_by_d_k_the_slope_is_that_of_an_even_split(result: Any, n: int) -> None:
    even, widest = math.sqrt(n - 1) / n, result.at[n][1024].dk

    assert widest.input.mean == pytest.approx(even, rel=0.01)
    assert widest.score.mean == pytest.approx(even / 1024, rel=0.01)
    assert widest.query.mean == pytest.approx(even / 32, rel=0.01)


@pytest.mark.parametrize(("d_k", "mean"), MEANS.items())
def test_the_unscaled_mean_at_the_query_is_what_another_program_found(
    result: Any, d_k: int, mean: float
) -> None:
    query = result.at[16][d_k].raw.query
    rounding = 0.0005

    assert abs(query.mean - mean) < SIGMAS * query.error * math.sqrt(1 + ROWS / THEIRS) + rounding


@pytest.mark.parametrize(
    ("n", "d_k", "share"),
    [(n, *found) for n, dead in ((4, DEAD_4), (16, DEAD_16)) for found in dead.items()],
)
def test_as_many_rows_are_dead_as_another_program_found(
    result: Any, n: int, d_k: int, share: float
) -> None:
    actual = result.at[n][d_k].raw.dead
    error = math.sqrt(actual * (1 - actual) * (1 / ROWS + 1 / THEIRS))
    rounding = 0.005

    assert abs(actual - share) < SIGMAS * error + rounding


@pytest.mark.parametrize("n", KEYS)
def test_no_scaled_row_is_dead(result: Any, n: int) -> None:
    assert {result.at[n][d_k][name].dead for d_k in SIZES for name in ("sqrt", "dk")} == {0}


@pytest.mark.parametrize("n", KEYS)
def test_without_scaling_ever_fewer_rows_carry_the_whole(result: Any, n: int) -> None:
    raw = [result.at[n][d_k].raw for d_k in SIZES]

    assert [one.carried for one in raw[1:]] == sorted(one.carried for one in raw[1:])
    assert raw[-1].rms / raw[0].rms == pytest.approx({4: 3.36 / 0.65, 16: 4.37 / 0.62}[n], rel=0.15)


def test_the_few_are_the_steepest_twentieth() -> None:
    values = np.concatenate((np.ones(95), np.full(5, 3.0)))

    assert carried_by_few(values) == pytest.approx(45 / 140)
    assert carried_by_few(np.ones(20)) == pytest.approx(1 / 20)
    assert carried_by_few(np.zeros(20)) == 0


def test_narrow_unscaled_heads_send_the_typical_row_more_than_scaled_ones(result: Any) -> None:
    below = {n: [d_k for d_k in SIZES if behind(result.at[n][d_k])] for n in KEYS}

    assert result.typical_below_from == {str(n): sizes[0] for n, sizes in below.items()}
    assert result.typical_below_from == {"4": 64, "16": 256}


def behind(one: Any) -> bool:
    """Whether the median row sends less to the query unscaled than divided by √d_k."""
    return bool(one.raw.query.median < one.sqrt.query.median)


def test_a_typical_row_that_never_falls_behind_is_told_by_a_zero() -> None:
    found = {place: np.ones(20) for place in ("input", "score", "query")}

    assert typical_below_from({"4": sum_up({"raw": found, "sqrt": found})}) == 0


def test_a_row_is_dead_below_a_thousandth(result: Any) -> None:
    slope: Array = np.array([0.0009, 0.001, 0.5, 0.0] * 5)

    assert result.dead_below == 0.001
    assert sum_up({"raw": dict.fromkeys(("input", "query"), slope)})["raw"]["dead"] == 0.5


def test_the_largest_error_is_relative_to_its_mean(result: Any) -> None:
    errors = [
        result.at[n][d_k][name][place].error / result.at[n][d_k][name][place].mean
        for n in KEYS
        for d_k in SIZES
        for name in ("raw", "sqrt", "dk")
        for place in ("input", "score", "query")
    ]

    assert result.largest_error == pytest.approx(max(errors), rel=1e-7)
    assert result.largest_error < 0.05


def test_adding_a_size_or_keys_moves_no_other(stream: Callable[[str], Stream]) -> None:
    few = measure(Parameters((4, 64), (4,), 100), stream("gradient_path"))["at"]
    more = measure(Parameters((64, 5, 4), (3, 4), 100), stream("gradient_path"))["at"]

    assert {d_k: more["4"][d_k] for d_k in few["4"]} == few["4"]
    assert list(more["3"]) == ["4", "5", "64"]


def test_rows_come_one_after_another_so_that_more_rows_keep_the_first_ones() -> None:
    chunk = gradient_path.CHUNK
    few = follow(16, 4, chunk, np.random.default_rng(2))
    more = follow(16, 4, chunk + 7, np.random.default_rng(2))

    assert more["raw"]["query"][:chunk] == pytest.approx(few["raw"]["query"], rel=0)
    assert len(more["raw"]["query"]) == chunk + 7


def test_rows_that_send_nothing_at_all_still_have_every_number(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> None:
    answer = measure(Parameters((4, 65536), (2,), 20), stream("gradient_path"))

    assert stored("gradient_path", answer).at[2][65536].raw.query.median >= 0


def test_the_data_table_has_a_line_for_each_pair_and_scaling(result: Any) -> None:
    table = gradient_path.describe(result, Printer())["table"]

    assert len(table["rows"]) == len(SIZES) * len(KEYS) * 3
