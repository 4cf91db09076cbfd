"""Scores whose components break an assumption, held against their exact moments and real vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pytest

import broken_assumptions
from attention import Array, scores, softmax
from broken_assumptions import (
    LAWS,
    Example,
    Law,
    Parameters,
    draw_correlated,
    draw_of,
    draw_shifted,
    measure,
    spread,
    try_law,
)
from report.contracts import Stream
from samples import Moments

SIZES, D_K, TRIALS, KEYS = (4, 16, 64, 256, 1024), 64, 20_000, 16
CORRELATIONS, DEVIATIONS = (0.0, 0.05, 0.1, 0.3), (0.25, 0.5, 1.0, 2.0, 4.0)
MEANS = (0.0, 0.25, 0.5, 1.0, 2.0)
LAW_SIZE, LAW_TRIALS, REPEATS = 16, 2000, 20
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
FINITE = [key for key, law in LAWS.items() if math.isfinite(law.kurtosis)]


def parameters(trials: int = TRIALS, law_trials: int = LAW_TRIALS, **changes: Any) -> Parameters:
    """What `seeds.toml` asks for, unless told otherwise."""
    settings: dict[str, Any] = {
        "sizes": SIZES,
        "correlations": CORRELATIONS[1:],
        "component_sds": DEVIATIONS,
        "means": MEANS[1:],
    }
    return Parameters(
        Example(D_K),
        **(settings | changes),
        trials=trials,
        keys=KEYS,
        law_size=LAW_SIZE,
        law_trials=law_trials,
        repeats=REPEATS,
    )


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    return stored("broken_assumptions", measure(parameters(), stream("broken_assumptions")))


# Correlation within a vector


def relative_error(r: float, d_k: int) -> float:
    """Standard error of a measured deviation over it, from the exact kurtosis of the score."""
    shared, rest = (1 + (d_k - 1) * r) ** 2, (1 - r) ** 2 * (d_k - 1)  # both variances
    fourth = 9 * shared**2 + 6 * shared * rest + rest**2 * (3 + 6 / (d_k - 1))
    return math.sqrt((fourth / (shared + rest) ** 2 - 1) / TRIALS) / 2


@pytest.mark.parametrize("index", range(len(CORRELATIONS)))
@pytest.mark.parametrize("d_k", SIZES)
def test_correlation_r_adds_d_k_minus_one_times_its_square(
    result: Any, index: int, d_k: int
) -> None:
    r, one = CORRELATIONS[index], result.lines[index].at[d_k]
    theory = math.sqrt(1 + (d_k - 1) * r**2)

    assert result.lines[index].r == r
    assert one.theory_sd == pytest.approx(theory, rel=1e-8)
    assert abs(one.sd / theory - 1) < SIGMAS * relative_error(r, d_k)


@pytest.mark.parametrize("r", CORRELATIONS)
def test_the_variance_is_the_trace_of_the_product_of_the_covariances(r: float) -> None:
    d_k = 16
    covariance = np.full((d_k, d_k), r) + (1 - r) * np.eye(d_k)

    assert np.trace(covariance @ covariance) / d_k == pytest.approx(1 + (d_k - 1) * r**2)


def test_one_component_has_nothing_to_correlate_with() -> None:
    [drawn] = draw_correlated(0.3, 1, 10, np.random.default_rng(1))

    assert drawn == pytest.approx(
        np.prod(np.random.default_rng(1).standard_normal((2, 10)), axis=0)
    )


def test_correlated_scores_are_those_of_real_vectors() -> None:
    r, d_k, pairs = 0.3, 8, 40_000
    generator = np.random.default_rng(2)
    own, shared = (
        generator.standard_normal((2, pairs, d_k)),
        generator.standard_normal((2, pairs, 1)),
    )
    q, k = math.sqrt(1 - r) * own + math.sqrt(r) * shared
    real = np.einsum("pi,pi->p", q, k)

    drawn = np.concatenate([*draw_correlated(r, d_k, pairs, np.random.default_rng(3))])

    for power in (1, 2, 3, 4):
        error = math.sqrt((np.var(real**power) + np.var(drawn**power)) / pairs)
        assert abs(np.mean(real**power) - np.mean(drawn**power)) < SIGMAS * error


# Components with another spread or mean


@pytest.mark.parametrize("index", range(len(DEVIATIONS)))
def test_deviations_of_components_multiply(result: Any, index: int) -> None:
    sd, one = DEVIATIONS[index], result.deviations[index]
    error = math.sqrt((2 + 6 / D_K) / TRIALS) / 2

    assert (one.component, one.theory_sd) == (sd, sd**2)
    assert abs(one.sd / sd**2 - 1) < SIGMAS * error


@pytest.mark.parametrize("index", range(len(MEANS)))
def test_a_mean_adds_twice_its_square_to_pairs_and_once_to_rows(result: Any, index: int) -> None:
    mean, one = MEANS[index], result.means[index]
    of_pairs = (1 + mean**2) ** 2 - mean**4

    assert one.mean == mean
    assert one.all.theory_sd**2 == pytest.approx(of_pairs, rel=1e-8)
    assert one.row.theory_sd**2 == pytest.approx(1 + mean**2, rel=1e-8)
    assert abs(one.all.sd - one.all.theory_sd) < SIGMAS * one.all.error
    assert abs(one.row.sd - one.row.theory_sd) < SIGMAS * one.row.error


def test_shifted_scores_are_those_of_real_vectors() -> None:
    mean, d_k, rows, keys = 0.7, 5, 40_000, 2
    generator = np.random.default_rng(4)
    q = mean + generator.standard_normal((rows, 1, d_k))
    real = np.sum(q * (mean + generator.standard_normal((rows, keys, d_k))), axis=2)

    drawn = np.concatenate([*draw_shifted(mean, d_k, (rows, keys), np.random.default_rng(5))])

    for one, two in (
        (real[:, 0], drawn[:, 0]),
        (real[:, 0] ** 2, drawn[:, 0] ** 2),
        (np.prod(real, axis=1), np.prod(drawn, axis=1)),  # keys of a row share their query
        (np.prod(real, axis=1) ** 2, np.prod(drawn, axis=1) ** 2),
    ):
        error = math.sqrt((np.var(one) + np.var(two)) / rows)
        assert abs(np.mean(one) - np.mean(two)) < SIGMAS * error


def test_a_shift_of_a_whole_row_moves_no_weight() -> None:
    row = np.random.default_rng(6).standard_normal(KEYS)

    assert softmax(row + 37.5) == pytest.approx(softmax(row), rel=1e-12)


# Laws of components


def components(law: Law, generator: np.random.Generator) -> Array:
    """A million components of one law."""
    return reduce(np.multiply, [factor(generator, 1_000_000) for factor in law.factors])


@pytest.mark.parametrize("key", LAWS)
def test_every_law_has_mean_zero_and_variance_one(key: str) -> None:
    drawn = components(LAWS[key], np.random.default_rng([7, len(key)]))
    kurtosis = min(LAWS[key].kurtosis, 1e5)  # where there is none, a measurement strays far

    assert abs(np.mean(drawn)) < SIGMAS / 1000
    assert abs(np.var(drawn) - 1) < SIGMAS * math.sqrt(max(1e-6, kurtosis - 1)) / 1000


@pytest.mark.parametrize(
    ("key", "kurtosis", "eighth"),
    [
        ("coin", 1, 1),
        ("uniform", 9 / 5, 9),
        ("normal", 3, 105),
        ("laplace", 6, 2520),
        ("sparse", 60, 840e3),
    ],
)
def test_a_law_has_the_kurtosis_it_is_said_to_have(
    key: str, kurtosis: float, eighth: float
) -> None:
    drawn = components(LAWS[key], np.random.default_rng(8))
    error = math.sqrt(max(1e-12, eighth - kurtosis**2)) / 1000

    assert LAWS[key].kurtosis == kurtosis
    assert abs(np.mean(drawn**4) - kurtosis) < SIGMAS * error


@pytest.mark.parametrize("degrees", [5.0, 3.0, 2.5])
def test_students_t_has_a_fourth_moment_above_four_degrees(degrees: float) -> None:
    [law] = [law for law in LAWS.values() if law.degrees == degrees]

    assert law.kurtosis == (3 + 6 / (degrees - 4) if degrees > 4 else math.inf)


@pytest.mark.parametrize("key", FINITE)
def test_repeats_agree_with_variance_one(result: Any, key: str) -> None:
    law = result.laws[key]
    theory = math.sqrt((2 + (law.kurtosis**2 - 3) / LAW_SIZE) / LAW_TRIALS)

    assert law.error == pytest.approx(theory, rel=1e-8)
    assert abs(np.mean(law.ratios) - 1) < SIGMAS * theory / math.sqrt(REPEATS)


@pytest.mark.parametrize("key", ["coin", "uniform", "normal", "laplace"])
def test_repeats_scatter_as_the_kurtosis_says(result: Any, key: str) -> None:
    law = result.laws[key]
    scatter = np.std(law.ratios, ddof=1) / law.error

    assert abs(scatter - 1) < SIGMAS / math.sqrt(2 * (REPEATS - 1))


def test_without_a_fourth_moment_no_error_is_promised(result: Any) -> None:
    assert {key for key, law in result.laws.items() if "error" not in law} == {"t3", "t2_5"}
    assert result.laws.t2_5.high - result.laws.t2_5.low > 5 * result.laws.normal.reach


def test_the_heaviest_tail_looks_too_calm_more_often_than_not() -> None:
    law = LAWS["t2_5"]
    answers = [
        try_law(law, parameters(law_trials=500), np.random.default_rng(i)) for i in range(10)
    ]
    ratios = np.array([answer["ratios"] for answer in answers])

    assert np.mean(ratios < 1) > 0.75


def test_repeats_are_told_in_order(result: Any) -> None:
    for law in result.laws.values():
        assert list(law.ratios) == sorted(law.ratios)
        assert (law.low, law.high, len(law.ratios)) == (law.ratios[0], law.ratios[-1], REPEATS)


# The whole


def test_the_spread_of_a_sample_errs_by_its_kurtosis() -> None:
    values = np.array([1.0, -1.0, 3.0, -3.0])

    assert spread(Moments([values]), 2.0) == {
        "sd": pytest.approx(math.sqrt(20 / 3)),
        "error": pytest.approx(math.sqrt(20 / 3) / 2 * math.sqrt((41 / 25 - 1) / 4)),
        "theory_sd": 2.0,
    }


def test_the_largest_error_is_of_the_points_that_are_drawn(result: Any) -> None:
    points = [
        *(one for line in result.lines for one in line.at.values()),
        *result.deviations,
        *(one[part] for one in result.means for part in ("all", "row")),
    ]

    assert result.largest_error == pytest.approx(max(1.96 * one.error / one.sd for one in points))
    assert result.largest_error < 0.03


def test_what_the_argument_assumes_is_always_measured(stream: Callable[[str], Stream]) -> None:
    answer = measure(
        parameters(20, 2, component_sds=(2, 3), means=(1,), correlations=(0.5,)), stream("x")
    )

    assert [line["r"] for line in answer["lines"]] == [0, 0.5]
    assert [one["component"] for one in answer["deviations"]] == [1, 2, 3]
    assert [one["mean"] for one in answer["means"]] == [0, 1]


def test_adding_a_case_moves_no_other(stream: Callable[[str], Stream]) -> None:
    few = measure(
        parameters(20, 2, sizes=(4, 64), correlations=(0.1,), means=(2,)),
        stream("broken_assumptions"),
    )
    more = measure(
        parameters(20, 2, sizes=(64, 5, 4), correlations=(0.05, 0.1), means=(1, 2)),
        stream("broken_assumptions"),
    )

    assert {d_k: more["lines"][2]["at"][d_k] for d_k in ("4", "64")} == few["lines"][1]["at"]
    assert (more["deviations"], more["laws"]) == (few["deviations"], few["laws"])
    assert more["means"][2] == few["means"][1]


@pytest.mark.parametrize("key", LAWS)
def test_scores_in_parts_are_those_of_whole_vectors(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    law, shape = LAWS[key], (2, 50, 6)
    whole = np.random.default_rng(9)
    q, k = np.prod([factor(whole, shape) for factor in law.factors], axis=0)
    monkeypatch.setattr(broken_assumptions, "CHUNK", 42)

    drawn = np.concatenate([*draw_of(law, 6, 50, np.random.default_rng(9))])

    assert np.array_equal(drawn, scores(q, k))


def test_the_size_of_parts_moves_no_number(
    stream: Callable[[str], Stream],
    stored: Callable[[str, object], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = parameters(trials=1000, law_trials=40)
    whole = stored("broken_assumptions", measure(few, stream("broken_assumptions")))
    monkeypatch.setattr(broken_assumptions, "CHUNK", 100)

    assert stored("broken_assumptions", measure(few, stream("broken_assumptions"))) == whole


@pytest.mark.slow
def test_ten_times_the_trials_need_no_more_memory(
    stream: Callable[[str], Stream],
    peak_memory: Callable[[Callable[[], object]], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(broken_assumptions, "CHUNK", 2**12)

    def memory(trials: int, law_trials: int) -> int:
        few = parameters(trials, law_trials, correlations=(0.1,), means=(1,), component_sds=(2, 3))
        return peak_memory(lambda: measure(replace(few, repeats=2), stream("broken_assumptions")))

    assert memory(90_000, 6000) < 1.1 * memory(9000, 600)
