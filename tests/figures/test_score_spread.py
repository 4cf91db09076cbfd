"""Measured spread against theory, with tolerances from the sampling error of the measurement."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import score_spread
from report.contracts import Stream
from report.streams import stream_for
from samples import Moments
from score_spread import (
    TOGETHER,
    Example,
    Parameters,
    draw_scores,
    measure,
    moments,
    multiply,
    record,
)

SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
TRIALS = 20_000
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements


def parameters(sizes: tuple[int, ...] = SIZES, trials: int = TRIALS, d_k: int = 64) -> Parameters:
    """What `seeds.toml` asks for, unless told otherwise."""
    return Parameters(Example(d_k), sizes, trials)


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    return stored("score_spread", measure(parameters(), stream("score_spread")))


@pytest.fixture(scope="module")
def spread(stream: Callable[[str], Stream]) -> Stream:
    """The stream of this experiment."""
    return stream("score_spread")


def relative_error_of_variance(d_k: int, trials: int = TRIALS) -> float:
    """Standard error of a sample variance over its expectation; a score's kurtosis is 3 + 6/d_k."""
    return math.sqrt((2 * trials / (trials - 1) + 6 / d_k) / trials)


@pytest.mark.parametrize("d_k", SIZES)
def test_a_score_has_variance_d_k(result: Any, d_k: int) -> None:
    deviation = result.at[d_k].variance / d_k - 1

    assert abs(deviation) < SIGMAS * relative_error_of_variance(d_k)


@pytest.mark.parametrize("d_k", SIZES)
def test_a_score_has_mean_zero(result: Any, d_k: int) -> None:
    assert abs(result.at[d_k].mean) < SIGMAS * math.sqrt(d_k / TRIALS)


@pytest.mark.parametrize("d_k", SIZES)
def test_a_score_has_kurtosis_three_and_six_over_d_k(spread: Stream, d_k: int) -> None:
    drawn = multiply(d_k, TRIALS, spread(d_k))
    theory, z = 3 + 6 / d_k, drawn / math.sqrt(d_k)
    influence = z**4 - theory - 2 * theory * (z**2 - 1)  # delta method for m4 / m2 squared
    error = np.std(influence) / math.sqrt(TRIALS)

    actual = record(d_k, [drawn])["kurtosis"]

    assert abs(actual - theory) < SIGMAS * error


def test_the_spread_grows_as_the_square_root_of_d_k(result: Any) -> None:
    x = np.log(SIZES) - np.mean(np.log(SIZES))
    of_log_sd = np.array([relative_error_of_variance(d_k) / 2 for d_k in SIZES])
    error = math.sqrt(np.sum((x * of_log_sd) ** 2)) / np.sum(x**2)

    assert abs(result.slope - 1 / 2) < SIGMAS * error


def test_theory_says_8_at_64_and_32_at_1024(result: Any) -> None:
    assert (result.at[64].theory_sd, result.at[1024].theory_sd) == (8, 32)
    assert result.example == {"d_k": 64, "theory_sd": 8, "theory_sd_dk": 0.125}


@pytest.mark.parametrize("d_k", SIZES)
def test_dividing_by_the_root_divides_the_variance_by_d_k(result: Any, d_k: int) -> None:
    one = result.at[d_k]

    assert one.sqrt.variance == pytest.approx(one.variance / d_k, rel=1e-8)
    assert one.sqrt.theory_sd == 1


@pytest.mark.parametrize("d_k", SIZES)
def test_dividing_by_d_k_divides_the_variance_by_its_square(result: Any, d_k: int) -> None:
    one = result.at[d_k]

    assert one.dk.variance == pytest.approx(one.variance / d_k**2, rel=1e-8)
    assert one.dk.theory_sd == pytest.approx(1 / math.sqrt(d_k), rel=1e-8)


@pytest.mark.parametrize("d_k", SIZES)
def test_the_interval_is_1_96_standard_errors_by_the_measured_kurtosis(
    result: Any, d_k: int
) -> None:
    one = result.at[d_k]
    error = one.variance * math.sqrt((one.kurtosis - 1) / one.trials)
    low, high = (one.variance + sign * 1.96 * error for sign in (-1, 1))

    assert one.interval.low == pytest.approx(low / d_k - 1, abs=1e-7)
    assert one.interval.high == pytest.approx(high / d_k - 1, abs=1e-7)


def test_ninety_five_in_a_hundred_intervals_hold_theory() -> None:
    runs = 400
    records = [record(4, draw_scores(4, 2000, np.random.default_rng([7, i]))) for i in range(runs)]
    held = sum(one["interval"]["low"] <= 0 <= one["interval"]["high"] for one in records)

    assert held / runs == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / runs))


def test_the_summary_counts_what_the_records_hold(result: Any) -> None:
    records = [result.at[d_k] for d_k in SIZES]
    missed = [one for one in records if one.interval.low > 0 or one.interval.high < 0]
    worst = max(records, key=lambda one: abs(one.variance / one.d_k - 1))

    assert result.worst == {"d_k": worst.d_k, "deviation": worst.deviation}
    assert result.misses == len(missed)
    assert result.misses_expected == pytest.approx(0.05 * len(SIZES))
    assert (result.smallest, result.largest) == (result.at[4], result.at[1024])
    assert result.band == 0.05


def test_the_worst_size_is_the_farthest_on_either_side() -> None:
    answers = [measure(parameters(trials=50), stream_for(i, "score_spread")) for i in range(10)]
    expected = [
        max((answer["at"][str(d_k)]["deviation"] for d_k in SIZES), key=abs) for answer in answers
    ]

    assert [answer["worst"]["deviation"] for answer in answers] == expected
    assert min(expected) < 0 < max(expected)


def test_at_twenty_thousand_trials_every_size_is_inside_the_band(result: Any) -> None:
    assert abs(result.worst.deviation) < result.band


def test_adding_or_moving_a_size_changes_no_other_size(spread: Stream) -> None:
    few = measure(parameters((4, 64), trials=100), spread)
    more = measure(parameters((1024, 64, 5, 4), trials=100), spread)

    assert more["sizes"] == [4, 5, 64, 1024]
    assert {size: more["at"][size] for size in few["at"]} == few["at"]


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000, 2**20])
def test_the_chunk_size_moves_no_trial(chunk: int) -> None:
    whole = multiply(16, 500, np.random.default_rng(3))
    chunked = multiply(16, 500, np.random.default_rng(3), chunk)

    assert np.max(np.abs(chunked - whole)) < 1e-13


def test_each_trial_multiplies_a_real_q_and_a_real_k() -> None:
    normals = np.random.default_rng(5).standard_normal((3, 2, 64))
    expected = [math.fsum(a * b for a, b in zip(q, k, strict=True)) for q, k in normals]

    [actual] = draw_scores(64, 3, np.random.default_rng(5))

    assert actual == pytest.approx(expected, abs=1e-13)


def test_parts_move_no_trial() -> None:
    trials = 2 * TOGETHER + 1
    whole = multiply(4, trials, np.random.default_rng(3))

    assert np.array_equal(
        np.concatenate([*draw_scores(4, trials, np.random.default_rng(3))]), whole
    )


def test_ten_times_the_trials_need_no_more_memory(
    peak_memory: Callable[[Callable[[], object]], int],
) -> None:
    def memory(trials: int) -> int:
        return peak_memory(lambda: record(4, draw_scores(4, trials, np.random.default_rng(0))))

    assert memory(20 * TOGETHER) < 1.1 * memory(2 * TOGETHER)


def test_two_trials_are_enough_for_every_number(
    spread: Stream, stored: Callable[[str, object], Any]
) -> None:
    result = stored("score_spread", measure(parameters(trials=2), spread))

    assert all(result.at[d_k].kurtosis == pytest.approx(1) for d_k in SIZES)  # of any two numbers


def test_an_example_outside_the_sizes_is_measured_but_not_summed_up(spread: Stream) -> None:
    inside = measure(parameters(trials=50), spread)
    outside = measure(parameters(trials=50, d_k=80), spread)

    assert outside["at"].pop("80")["d_k"] == 80
    assert {**outside, "example": None} == {**inside, "example": None}


def test_the_variance_is_unbiased() -> None:
    assert moments(Moments([np.array([1.0, 2.0, 4.0, 9.0])])) == {
        "mean": 4.0,
        "variance": pytest.approx(38 / 3),
        "sd": pytest.approx(math.sqrt(38 / 3)),
    }


def test_the_data_table_lists_sizes_from_small_to_large(result: Any, say: Any) -> None:
    table = score_spread.describe(result, say)["table"]
    sizes = [int(row[0].replace(",", "")) for row in table["rows"]]

    assert sizes == list(SIZES)
