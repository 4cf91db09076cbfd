"""How random rows saturate, held against exact sums for two keys and the laws for wide heads."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import saturation
from attention import Array, softmax
from report.contracts import Stream
from report.numbers import Printer
from rows import draw_rows, expected_maximum, standard_normal_grid, traces
from saturation import Parameters, frozen_squares, measure, share, weigh

SIZES, KEYS, ROWS = (1, 4, 16, 64, 256, 1024), (4, 16, 64), 4000
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
RAW_TOP = {4: 0.424, 16: 0.689, 64: 0.844, 256: 0.922, 1024: 0.960}  # another program's, 2,000 rows


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    answer = measure(Parameters(SIZES, KEYS, ROWS), stream("saturation"))
    return stored("saturation", answer)


@pytest.fixture(scope="module")
def pairs(stream: Callable[[str], Stream]) -> Callable[[int, int], Any]:
    """Everything that was measured of one pair, its standard errors too."""
    return cache(lambda n, d_k: weigh(draw_rows(d_k, n, ROWS, stream("saturation")(n, d_k)), d_k))


def of_two_keys(d_k: int, divisor: float, read: Callable[[Array], Array]) -> float:
    """Mean of what is read of the leading weight of two keys: a sum over |q| and over the gap."""
    norm = np.linspace(1e-6, math.sqrt(d_k) + 9, 1201)
    log_density = (d_k - 1) * np.log(norm) - norm**2 / 2
    density = np.exp(log_density - np.max(log_density))
    z, weight = standard_normal_grid()
    z, weight = z[::4], weight[::4] * 4
    gap = norm[:, np.newaxis] * np.abs(z) * math.sqrt(2) / divisor
    total: float = np.sum(density * np.sum(weight * read(gap), axis=1)) / np.sum(density)
    return total


def top(gap: Array) -> Array:
    """Weight of the leading one of two keys."""
    return 1 / (1 + np.exp(-gap))


def trace(gap: Array) -> Array:
    """Trace of the Jacobian of two keys."""
    slope: Array = 2 * np.exp(-gap) / (1 + np.exp(-gap)) ** 2
    return slope


def entropy_share(gap: Array) -> Array:
    """Entropy of two keys over the most it could be."""
    p = 1 / (1 + np.exp(gap))
    return -(p * np.log(p) + (1 - p) * np.log1p(-p)) / math.log(2)


@pytest.mark.parametrize("d_k", [1, 16, 256])
@pytest.mark.parametrize("name", ["raw", "sqrt", "dk"])
def test_two_keys_share_their_weight_as_exact_sums_say(d_k: int, name: str) -> None:
    one = weigh(draw_rows(d_k, 2, 50_000, np.random.default_rng([3, d_k])), d_k)[name]
    divisor = {"raw": 1.0, "sqrt": math.sqrt(d_k), "dk": float(d_k)}[name]

    for part, read in (("top", top), ("trace", trace), ("entropy_share", entropy_share)):
        theory = of_two_keys(d_k, divisor, read)
        assert abs(one[part]["mean"] - theory) < SIGMAS * one[part]["error"] + 1e-6


@pytest.mark.parametrize("spread", [1, 4, 16])
def test_the_mean_trace_is_the_mean_weighted_input_over_the_variance(spread: float) -> None:
    inputs = spread * np.random.default_rng(5).standard_normal((50_000, 16))
    weights = softmax(inputs)
    difference = traces(weights) - np.sum(weights * inputs, axis=-1) / spread**2
    error = np.std(difference) / math.sqrt(len(difference))

    assert abs(np.mean(difference)) < SIGMAS * error


@pytest.mark.parametrize("n", KEYS)
def test_in_a_wide_head_the_mean_unscaled_trace_is_the_expected_maximum_over_the_root(
    pairs: Callable[[int, int], Any], n: int
) -> None:
    one = pairs(n, 1024)["raw"]["trace"]
    correction = 0.01 * one["mean"]  # the law is for endless width; at 1,024 it is this close

    assert abs(one["mean"] - expected_maximum(n) / 32) < SIGMAS * one["error"] + correction


@pytest.mark.parametrize("n", KEYS)
def test_unscaled_weight_gathers_and_its_median_faster_than_its_mean(result: Any, n: int) -> None:
    raw = [result.at[n][d_k].raw for d_k in SIZES]

    assert [one.top.mean for one in raw] == sorted(one.top.mean for one in raw)
    assert [one.trace.mean for one in raw[1:]] == sorted(one.trace.mean for one in raw[1:])[::-1]
    assert raw[-1].trace.median < raw[-1].trace.mean / 100
    assert raw[-1].top.median > raw[-1].top.mean


@pytest.mark.parametrize("n", KEYS)
def test_divided_by_the_root_rows_are_alike_at_every_width(
    pairs: Callable[[int, int], Any], n: int
) -> None:
    narrow, wide = (pairs(n, d_k)["sqrt"]["top"] for d_k in (64, 1024))
    error = math.hypot(narrow["error"], wide["error"])

    assert abs(narrow["mean"] - wide["mean"]) < SIGMAS * error + 0.01 * wide["mean"]


@pytest.mark.parametrize("n", KEYS)
def test_divided_by_d_k_rows_become_even(result: Any, n: int) -> None:
    widest = result.at[n][1024].dk

    assert widest.top.mean == pytest.approx(1 / n, rel=0.1)
    assert widest.trace.mean == pytest.approx(1 - 1 / n, rel=0.01)
    assert widest.entropy_share.mean == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize("n", KEYS)
def test_one_component_leaves_nothing_to_divide(result: Any, n: int) -> None:
    one = result.at[n][1]

    assert one.raw == one.sqrt == one.dk


def test_at_one_width_more_keys_take_weight_from_the_leading_one(result: Any) -> None:
    tops = [result.at[n][64].raw.top.mean for n in KEYS]

    assert tops == sorted(tops)[::-1]


@pytest.mark.parametrize(("d_k", "mean"), RAW_TOP.items())
def test_the_mean_top_weight_of_16_keys_is_what_another_program_found(
    pairs: Callable[[int, int], Any], d_k: int, mean: float
) -> None:
    one = pairs(16, d_k)["raw"]["top"]
    rounding = 0.0005

    assert abs(one["mean"] - mean) < SIGMAS * one["error"] * math.sqrt(1 + ROWS / 2000) + rounding


def test_the_frozen_phase_begins_at_twice_the_logarithm_of_the_keys(result: Any) -> None:
    assert [result.theory[n].frozen_above for n in KEYS] == pytest.approx(
        [2 * math.log(n) for n in KEYS]
    )
    assert frozen_squares(13, 1024) == 0 < frozen_squares(14, 1024)


def test_with_many_keys_the_frozen_phase_is_as_full_as_theory_says() -> None:
    scores = draw_rows(1024, 1024, 400, np.random.default_rng(8))

    actual = weigh(scores, 1024)["squares"]

    assert actual["theory"] == pytest.approx(0.884, abs=0.0005)
    assert actual["mean"] == pytest.approx(actual["theory"], abs=0.05)


def test_with_few_keys_a_frozen_row_is_fuller_than_theory_for_many(result: Any) -> None:
    at_64 = {n: result.at[n][64].squares for n in KEYS}

    assert all(one.mean > one.theory for one in at_64.values())
    assert at_64[64].mean == pytest.approx(0.70, abs=0.03)
    assert at_64[64].theory == pytest.approx(0.639, abs=0.0005)


def test_a_row_belongs_to_one_key_from_the_weight_told(result: Any) -> None:
    weights = np.array([[0.99, 0.01], [0.9899, 0.0101], [0.01, 0.99], [1, 0]])

    assert result.one_hot_from == 0.99
    assert share(weights)["one_hot"] == 0.75


def test_the_largest_error_is_that_of_the_least_certain_mean(
    result: Any, pairs: Callable[[int, int], Any]
) -> None:
    errors = [
        pairs(n, d_k)[name][part]["error"]
        for n in KEYS
        for d_k in SIZES
        for name in ("raw", "sqrt", "dk")
        for part in ("top", "entropy_share", "trace")
    ]

    assert result.largest_error == pytest.approx(max(errors), rel=1e-8)
    assert result.largest_error < 0.005


def test_adding_a_size_or_keys_moves_no_other(stream: Callable[[str], Stream]) -> None:
    few = measure(Parameters((4, 64), (4,), 100), stream("saturation"))["at"]
    more = measure(Parameters((64, 5, 4), (3, 4), 100), stream("saturation"))["at"]

    assert {d_k: more["4"][d_k] for d_k in few["4"]} == few["4"]
    assert list(more["3"]) == ["4", "5", "64"]


def test_the_data_table_has_a_line_for_each_pair_and_scaling(result: Any) -> None:
    table = saturation.describe(result, Printer())["table"]

    assert len(table["rows"]) == len(SIZES) * len(KEYS) * 3
