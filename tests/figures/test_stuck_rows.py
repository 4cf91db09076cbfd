"""Rows that share nothing: descent written out, chance, intervals, and who is left unsolved."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest

from attention import Array, softmax
from report.contracts import Stream
from stuck_rows import Parameters, Rows, draw_rows, learn, measure, slope, wilson

pytestmark = pytest.mark.slow  # trains rows for many parameters

SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
PUBLISHED = Parameters(
    rows=200,
    keys=8,
    sizes=(16, 64, 256),
    steps=300,
    rates=(1, 5, 25, 125),
    course_size=64,
    course_steps=(0, 1, 10, 100, 300),
)
SMALL = dataclasses.replace(
    PUBLISHED, rows=20, sizes=(4, 8), steps=5, rates=(1, 5, 25), course_size=8, course_steps=(0, 5)
)


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published task with half the rows and one width less."""
    return stored("stuck_rows", measure(PUBLISHED, stream("stuck_rows")))


@pytest.fixture
def measured(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> Callable[..., Any]:
    """A small answer, with the changes wanted."""

    def ask(**changes: Any) -> Any:
        asked = dataclasses.replace(SMALL, **changes)
        return stored("stuck_rows", measure(asked, stream("stuck_rows")))

    return ask


# The descent


def loss_of(q: Array, k: Array, wanted: int, divisor: float, loss: str) -> Any:
    """The loss of one row, as it is defined; complex q gives a complex loss."""
    p = softmax(k @ q / divisor)
    if loss == "cross_entropy":
        return -np.log(p[wanted])
    return np.sum((p - np.eye(len(k))[wanted]) ** 2) / 2


@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
@pytest.mark.parametrize("divisor", [1.0, 3.0, 9.0])
def test_scores_move_as_they_do_when_the_query_descends(loss: str, divisor: float) -> None:
    d_k, keys, count, rate = 9, 4, 3, 2.0
    rows = draw_rows(count, keys, d_k, np.random.default_rng(1))
    again = np.random.default_rng(1)
    q, k = again.standard_normal((count, d_k)), again.standard_normal((count, keys, d_k))
    wanted = again.integers(0, keys, count)
    for _ in range(6):
        for row in range(count):
            moves = [
                loss_of(q[row] + 1e-20j * unit, k[row], wanted[row], divisor, loss).imag / 1e-20
                for unit in np.eye(d_k)
            ]
            q[row] -= rate * divisor**2 / d_k * np.array(moves)  # the rate counts in inputs
    expected = [softmax(one @ two / divisor) for one, two in zip(k, q, strict=True)]

    actual = next(islice(learn(rows, [divisor], np.array([rate]), loss), 6, None))

    assert np.max(np.abs(actual[:, :, 0] - expected)) < 1e-4  # slopes and products are on grids


@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_the_slope_is_that_of_a_complex_step(loss: str) -> None:
    scores, wanted = np.random.default_rng(2).standard_normal(5), 3
    weights, aim = (one[np.newaxis, :, np.newaxis] for one in (softmax(scores), np.eye(5)[wanted]))
    expected = [
        loss_of(scores + 1e-20j * unit, np.eye(5), wanted, 1.0, loss).imag / 1e-20
        for unit in np.eye(5)
    ]

    assert slope(weights, aim, loss)[0, :, 0] == pytest.approx(expected, abs=1e-15)


def test_the_order_of_keys_moves_no_weight_in_the_last_digit() -> None:
    rows, turned = draw_rows(50, 8, 64, np.random.default_rng(3)), [3, 1, 7, 0, 5, 2, 6, 4]
    other = Rows(
        rows.scores[:, turned], rows.products[:, turned][:, :, turned], rows.wanted[:, turned]
    )
    ends = [
        next(islice(learn(one, [1.0], np.array([25.0]), "squared"), 200, None))
        for one in (rows, other)
    ]

    assert np.max(np.abs(ends[0][:, turned] - ends[1])) < 1e-12


# Who is left


@pytest.mark.parametrize("d_k", [64, 256])
def test_wide_unscaled_rows_start_out_on_a_key_drawn_by_lot(result: Any, d_k: int) -> None:
    start = result.squared.at[d_k].raw.start
    error = math.sqrt(result.chance * (1 - result.chance) / PUBLISHED.rows)

    assert result.chance == 7 / 8
    assert abs(start - result.chance) < SIGMAS * error


@pytest.mark.parametrize(("d_k", "found"), [(16, 0.105), (64, 0.530), (256, 0.698)])
def test_unscaled_rows_stay_unsolved_as_another_program_found(
    result: Any, d_k: int, found: float
) -> None:
    """It had 1,000 rows, and rates ten times apart; ours are closer, so at most as many stay."""
    share = result.squared.at[d_k].raw.best.share
    error = math.sqrt(found * (1 - found) * (1 / 1000 + 1 / PUBLISHED.rows))

    assert share == pytest.approx(found, abs=3 * error + 0.08)


def test_no_scaled_row_stays_unsolved(result: Any) -> None:
    at = result.squared.at.values()

    assert [one[name].best.share for one in at for name in ("sqrt", "dk")] == [0] * 6


def test_with_cross_entropy_no_row_stays_unsolved(result: Any) -> None:
    assert result.cross_entropy.most == 0


def test_the_best_unscaled_rates_lie_inside_the_grid(result: Any) -> None:
    assert not any(one.raw.best.at_edge for one in result.squared.at.values())


def test_the_course_goes_through_the_end_of_the_best_run(result: Any) -> None:
    course = result.course
    after = course.steps.index(PUBLISHED.steps)

    assert course.raw.shares[after] == result.squared.at[64].raw.best.share
    assert course.raw.shares[0] == result.squared.at[64].raw.start
    assert course.raw.last == course.raw.shares[-1]


# Intervals


def test_no_row_in_so_many_leaves_an_interval_above_zero() -> None:
    z = 1.96**2

    assert wilson(0.0, 400) == {"low": 0.0, "high": pytest.approx(z / (400 + z))}
    assert wilson(1.0, 400) == {"low": pytest.approx(400 / (400 + z)), "high": 1.0}


def test_ninety_five_in_a_hundred_intervals_hold_the_share() -> None:
    runs, share = 2000, 0.3
    drawn = np.random.default_rng(4).binomial(400, share, runs) / 400
    held = [one["low"] <= share <= one["high"] for one in (wilson(x, 400) for x in drawn)]

    assert np.mean(held) == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / runs))


# Who moves whom


def test_the_same_stream_gives_the_same_answer(measured: Callable[..., Any]) -> None:
    assert measured() == measured()


def test_another_width_moves_no_row(measured: Callable[..., Any]) -> None:
    few, more = measured(), measured(sizes=(2, 4, 8))

    assert {size: more.squared.at[size] for size in few.squared.at} == few.squared.at


def test_another_rate_moves_no_row(measured: Callable[..., Any]) -> None:
    few, more = measured().squared.at, measured(rates=(0.5, 1, 5, 25)).squared.at

    assert [more[4][name].left[1:] for name in few[4]] == [few[4][name].left for name in few[4]]


def test_each_width_has_a_stream_of_its_own(stream: Callable[[str], Stream]) -> None:
    asked: list[tuple[int | str, ...]] = []

    def recorded(*keys: int | str) -> np.random.Generator:
        asked.append(keys)
        return stream("stuck_rows")(*keys)

    measure(SMALL, recorded)

    assert asked == [(4,), (8,)]
