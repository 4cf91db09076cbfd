"""Softmax rows in half precision, held against IEEE rounding and the law of the scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import half_precision
from attention import Array, jacobian, softmax
from half_precision import Parameters, half, half_slopes, half_softmax, measure
from report.contracts import Stream
from report.numbers import Printer
from rows import standard_normal_grid

SIZES, KEYS, ROWS = (16, 64, 256, 1024), 16, 5000
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
ERROR = 0.5 / math.sqrt(ROWS)  # the most a share of rows errs
ZERO = dict(zip(SIZES, (0.02, 0.35, 0.71, 0.85), strict=True))  # found by another program
FLAT = dict(zip(SIZES, (0.0, 0.004, 0.090, 0.359), strict=True))


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    return stored(
        "half_precision", measure(Parameters(SIZES, KEYS, ROWS), stream("half_precision"))
    )


def norms(d_k: int) -> tuple[Array, Array]:
    """Places and weights of the norm of a query of d_k standard normals, a chi distribution."""
    norm = np.linspace(1e-6, math.sqrt(d_k) + 9, 801)
    log_density = (d_k - 1) * np.log(norm) - norm**2 / 2
    density = np.exp(log_density - np.max(log_density))
    return norm, density / np.sum(density)


def above(x: Array) -> Array:
    """Share of a standard normal above each value."""
    return np.array([math.erfc(one / math.sqrt(2)) / 2 for one in x.ravel()]).reshape(x.shape)


def overflows_from() -> float:
    """The least score that half precision rounds to one whose exponential it cannot hold."""
    place = np.float16(11.0)
    while np.float16(math.exp(min(float(place), 11.5))) < np.inf:
        before, place = place, np.nextafter(place, np.float16(12))
    return (float(before) + float(place)) / 2


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_row_overflows_from_a_score_of_about_eleven() -> None:
    assert overflows_from() == pytest.approx(math.log(65520), abs=0.01)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("d_k", SIZES)
def test_the_plain_formula_fails_as_often_as_a_score_overflows(result: Any, d_k: int) -> None:
    norm, share = norms(d_k)
    theory = np.sum(share * (1 - (1 - above(overflows_from() / norm)) ** KEYS))

    assert abs(result.at[d_k].raw.plain_fails - theory) < SIGMAS * math.sqrt(
        theory * (1 - theory) / ROWS
    )


@pytest.mark.parametrize("d_k", SIZES)
def test_a_row_is_flat_where_the_runner_up_rounds_to_zero(result: Any, d_k: int) -> None:
    x, weight = standard_normal_grid()
    x, weight = x[::16], weight[::16] * 16
    norm, share = norms(d_k)
    norm, share = norm[::4], share[::4] * 4
    gap = 25 * math.log(2) / norm[:, np.newaxis]  # half of the smallest number rounds to zero
    wider = KEYS * np.sum(weight * (1 - above(x - gap)) ** (KEYS - 1), axis=1)
    theory = float(np.sum(share * wider))
    rounding = 0.002  # of the inputs, by which the gap is off

    actual = result.at[d_k].raw.flat_rows

    assert abs(actual - theory) < SIGMAS * math.sqrt(theory / ROWS) + rounding


@pytest.mark.parametrize("d_k", SIZES)
def test_as_much_rounds_to_zero_as_another_program_found(result: Any, d_k: int) -> None:
    raw, rounding = result.at[d_k].raw, 0.005
    flat_error = math.sqrt(2 * FLAT[d_k] / ROWS)

    assert abs(raw.zero_weights - ZERO[d_k]) < SIGMAS * math.sqrt(2) * ERROR + rounding
    assert abs(raw.flat_rows - FLAT[d_k]) < SIGMAS * flat_error + rounding


@pytest.mark.parametrize("d_k", SIZES)
def test_subtracting_the_largest_ends_every_failure(result: Any, d_k: int) -> None:
    assert {one.shifted_fails for one in result.at[d_k].values()} == {0}


@pytest.mark.parametrize("d_k", SIZES)
def test_divided_rows_neither_fail_nor_vanish(result: Any, d_k: int) -> None:
    one = result.at[d_k].sqrt

    assert {one.plain_fails, one.shifted_fails, one.zero_weights, one.flat_rows} == {0}
    assert one.top_half == pytest.approx(one.top, abs=1e-3)


def test_subtracting_the_largest_moves_no_weight() -> None:
    z = np.random.default_rng(1).standard_normal((50, KEYS)) * 3
    shifted = z - np.max(z, axis=1, keepdims=True)

    assert np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True) == pytest.approx(softmax(shifted))


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (65504.0, 65504.0),
        (65519.9, 65504.0),
        (65520.0, math.inf),
        (2.0**-24, 2.0**-24),
        (2.0**-25, 0.0),
        (1.0001 * 2.0**-25, 2.0**-24),
        (1 - 2.0**-12, 1.0),
        (1 - 2.0**-11, 1 - 2.0**-11),
        (2049.0, 2048.0),
        (2051.0, 2052.0),
    ],
)
def test_half_precision_rounds_to_nearest_with_ties_to_even(value: float, rounded: float) -> None:
    assert half(np.array([value]))[0] == rounded


def test_in_range_half_weights_are_those_of_double_precision_nearly() -> None:
    z = np.random.default_rng(2).standard_normal((200, KEYS))

    for shifted in (True, False):
        assert np.max(np.abs(half_softmax(z, shifted=shifted) - softmax(z))) < 2.0**-10


def test_half_slopes_are_the_diagonal_of_the_jacobian() -> None:
    p = softmax(np.array([[0.5, -0.25, 1.0]]))

    assert half_slopes(half(p))[0] == pytest.approx(np.diag(jacobian(p[0])), abs=2.0**-10)


def test_a_row_with_a_score_too_large_fails_only_without_subtraction() -> None:
    z = np.array([[12.0, 0.0, 0.0]])

    assert np.isnan(half_softmax(z, shifted=False)[0, 0])
    assert half_softmax(z, shifted=True)[0, 0] == 1


def test_the_limits_of_half_precision_are_told(result: Any) -> None:
    assert (result.largest_half, result.smallest_half) == (65504, pytest.approx(2.0**-24))
    assert result.overflow_from == pytest.approx(math.log(65504))
    assert result.largest_error == pytest.approx(ERROR)


def test_adding_a_width_moves_no_other(stream: Callable[[str], Stream]) -> None:
    few = measure(Parameters((16, 64), 4, 50), stream("half_precision"))["at"]
    more = measure(Parameters((64, 17, 16), 4, 50), stream("half_precision"))["at"]

    assert list(more) == ["16", "17", "64"]
    assert {d_k: more[d_k] for d_k in few} == few


def test_the_table_has_a_line_for_each_width_and_scaling(result: Any) -> None:
    rows = half_precision.table(result, Printer())["rows"]

    assert len({row[0] for row in rows}) == 2 * len(SIZES)
