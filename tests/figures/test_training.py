"""Trained heads: what theory says of untrained ones, what other programs found, and who moves whom."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from heads import Task, draw_examples
from report.contracts import Stream
from training import Parameters, best_rates, measure, strokes, tuned

pytestmark = pytest.mark.slow  # trains heads for many parameters

SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
PUBLISHED = Parameters(
    keys=8,
    inputs=16,
    noise=3.0,
    batch=64,
    steps=200,
    seeds=2,
    test_rows=4096,
    sizes=(16, 64),
    rates=(-9, -8, -7, -6, -5),
    coarse_from=1024,
    control_sizes=(16, 64),
    control_rates=(-10, -8, -6, -4, -2),
    longer_size=16,
    longer_steps=20,
    longer_rates=(-8, -7, -6),
)
SMALL = dataclasses.replace(
    PUBLISHED,
    batch=16,
    steps=15,
    test_rows=64,
    sizes=(4, 8),
    rates=(-6, -5, -4),
    control_sizes=(4, 8),
    control_rates=(-6, -5, -4),
    longer_size=4,
)
SET = 0.8 / math.sqrt(4096)  # standard error of a mean loss over one test set, ours or another's


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published task at two widths, with fewer seeds and rates."""
    return stored("training", measure(PUBLISHED, stream("training")))


@pytest.fixture
def measured(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> Callable[..., Any]:
    """A small answer, with the changes wanted."""

    def ask(**changes: Any) -> Any:
        asked = dataclasses.replace(SMALL, **changes)
        return stored("training", measure(asked, stream("training")))

    return ask


def by_width(answer: Any) -> list[Any]:
    """The records of all widths, from the narrowest head to the widest."""
    return [answer.at[d_k] for d_k in answer.sizes]


# Against theory and other programs


def test_an_untrained_unscaled_wide_head_guesses_one_key(measured: Callable[..., Any]) -> None:
    """One-hot rows that pick any key lose 2 (1 - 1/n); the mean of Σp² falls short by M_n/√d_k."""
    answer = measured(sizes=(4, 4096), rates=(-20, -19, -18), steps=1, test_rows=2000)
    loss = answer.at[4096].raw.best.mean
    picked, expected_maximum = 2 * (1 - 1 / 8), 1.4236

    assert answer.one_at_random == picked
    assert loss == pytest.approx(picked - expected_maximum / 64, abs=SIGMAS * 0.7 / math.sqrt(2000))


def test_an_untrained_wide_head_divided_by_d_k_splits_evenly(measured: Callable[..., Any]) -> None:
    answer = measured(sizes=(4, 4096), rates=(-20, -19, -18), steps=1, test_rows=2000)

    assert answer.even == 7 / 8
    assert answer.at[4096].dk.best.mean == pytest.approx(7 / 8, abs=0.01)


@pytest.mark.parametrize(
    ("d_k", "name", "found"),
    [
        (16, "raw", 0.768),
        (16, "sqrt", 0.709),
        (16, "dk", 0.712),
        (64, "raw", 1.188),
        (64, "sqrt", 0.675),
        (64, "dk", 0.680),
    ],
)
def test_the_best_losses_agree_with_another_program(
    result: Any, d_k: int, name: str, found: float
) -> None:
    """Its range over seeds was at most 0.06; both test sets err."""
    allowed = 3 * math.hypot(SET, SET) + 0.06

    assert result.at[d_k][name].best.mean == pytest.approx(found, abs=allowed)


def test_the_unscaled_head_ends_above_an_even_split_and_the_scaled_ones_well_below(
    result: Any,
) -> None:
    at = result.at[64]

    assert at.raw.best.low > result.even + 0.2
    assert max(at.sqrt.best.high, at.dk.best.high) < result.even - 0.1
    assert min(at.sqrt.best.low, at.dk.best.low) > result.best_possible


def test_best_rates_lie_where_another_program_found_them(result: Any) -> None:
    assert result.at[64].sqrt.best.rate == 2**-8
    assert {one.dk.best.rate for one in by_width(result)} == {2**-6}
    assert not any(one[name].best.at_edge for one in by_width(result) for name in one)


def test_without_noise_every_scaling_learns(result: Any) -> None:
    assert result.control.best_possible == 0
    assert result.control.worst < 0.05


# What the summary holds


def test_the_best_rate_has_the_lowest_mean_over_seeds() -> None:
    losses = np.array([[0.5, 0.9], [0.6, 0.7], [0.4, 1.0]])
    actual = tuned((-4, -3, -2), losses)["best"]

    assert actual == {
        "rate": 2**-3,
        "mean": pytest.approx(0.65),
        "low": 0.6,
        "high": 0.7,
        "seeds": [0.6, 0.7],
        "at_edge": False,
    }


@pytest.mark.parametrize("best", [0, 2])
def test_a_best_rate_at_the_edge_of_the_grid_says_so(best: int) -> None:
    losses = np.ones((3, 2))
    losses[best] = 0

    assert tuned((-4, -3, -2), losses)["best"]["at_edge"]


def test_the_summary_follows_from_the_curves(result: Any) -> None:
    first, last = by_width(result)
    held = result.carried
    losses = {
        name: [
            point.mean
            for one in (first, last)
            for point in one[name].curve
            if point.rate == held.rate
        ]
        for name in ("raw", "sqrt", "dk")
    }

    assert held.rate == first.dk.best.rate
    assert {name: held[name] for name in losses} == losses
    assert held.dk_apart == 0  # of one width alone
    assert result.drift.sqrt == first.sqrt.best.rate / last.sqrt.best.rate
    assert result.drift.theory == 2


def test_a_mean_lies_within_its_seeds(result: Any) -> None:
    curves = [one[name].curve for one in by_width(result) for name in one]

    assert all(point.low <= point.mean <= point.high for curve in curves for point in curve)


def test_a_wide_head_tries_every_second_rate(measured: Callable[..., Any]) -> None:
    answer = measured(rates=(-8, -7, -6, -5, -4), coarse_from=8)

    assert [len(one.raw.curve) for one in by_width(answer)] == [5, 3]
    assert [point.rate for point in answer.at[8].raw.curve] == [2**-8, 2**-6, 2**-4]


# Who moves whom


def test_the_same_stream_gives_the_same_answer(measured: Callable[..., Any]) -> None:
    assert measured() == measured()


def test_another_width_moves_no_run(measured: Callable[..., Any]) -> None:
    few, more = measured(), measured(sizes=(4, 6, 8), control_sizes=(2, 4, 8))

    assert {size: more.at[size] for size in few.at} == few.at
    assert {size: more.control.at[size] for size in few.control.at} == few.control.at


def test_another_rate_moves_no_run(measured: Callable[..., Any]) -> None:
    few, more = measured(), measured(rates=(-7, -6, -5, -4))

    for d_k in (4, 8):
        for name in ("raw", "sqrt", "dk"):
            assert more.at[d_k][name].curve[1:] == few.at[d_k][name].curve


def test_another_seed_moves_no_run(measured: Callable[..., Any]) -> None:
    few, more = (measured(seeds=seeds).at[8].raw.best for seeds in (2, 3))

    assert few.rate == more.rate  # else they would be losses at two rates
    assert more.seeds[:2] == few.seeds
    assert len(more.seeds) == 3


def test_all_runs_are_tested_on_one_set(stream: Callable[[str], Stream]) -> None:
    asked: list[tuple[int | str, ...]] = []

    def recorded(*keys: int | str) -> np.random.Generator:
        asked.append(keys)
        return stream("training")(*keys)

    measure(SMALL, recorded)
    heads = {("head", d_k, seed) for d_k in (4, 8) for seed in range(2)}

    assert set(asked) == {("test",), ("batches", 0), ("batches", 1)} | heads


def test_the_control_sees_the_keys_of_the_noisy_task(stream: Callable[[str], Stream]) -> None:
    noisy, clean = (
        draw_examples(Task(8, 16, noise), 64, stream("training")("batches", 0))
        for noise in (3.0, 0.0)
    )

    assert np.array_equal(noisy.keys, clean.keys)


def test_the_longer_run_is_the_first_seed_with_more_steps(measured: Callable[..., Any]) -> None:
    answer = measured(longer_steps=15, longer_rates=(-6, -5, -4))
    longer, best = answer.longer, answer.at[4].raw.best

    assert longer.times == 1
    assert longer.raw.rate == best.rate
    assert longer.raw.mean == best.seeds[0]


# What the drawing leans on


def test_wider_heads_have_thicker_lines() -> None:
    assert strokes(2) == ["hair", "lane"]
    assert strokes(4) == ["hair", "flow", "outline", "lane"]
    assert len(strokes(5)) == 5


def test_a_rate_that_is_best_for_all_is_said_to_be(result: Any, say: Any) -> None:
    assert best_rates(result, "dk", say) == "0.016 at every width"
    assert best_rates(result, "sqrt", say) == "0.016 to 0.0039"
