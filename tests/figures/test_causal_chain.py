"""The pictures of the chain, held against theory and against the figures of the steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import causal_chain
import softmax_jacobian
import softmax_weights
from attention import Example
from causal_chain import Parameters, measure
from report.contracts import Stream
from report.numbers import Printer

ROW = (8.0, 0.0, -8.0, 4.0)
LANES = ("raw", "sqrt")


@pytest.fixture(scope="module")
def chain(stream: Callable[[str], Stream]) -> Stream:
    """The stream of this experiment."""
    return stream("causal_chain")


@pytest.fixture(scope="module")
def result(chain: Stream, stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    return stored("causal_chain", measure(Parameters(Example(ROW, 64), 10), chain))


def test_a_score_has_variance_d_k_and_one_after_division(result: Any) -> None:
    assert (result.raw.variance, result.raw.sd, result.raw.divisor) == (64, 8, 1)
    assert (result.sqrt.variance, result.sqrt.sd, result.sqrt.divisor) == (1, 1, 8)


@pytest.mark.parametrize("lane", LANES)
def test_the_lanes_show_what_the_figures_of_the_steps_measure(
    result: Any, lane: str, chain: Stream, stored: Callable[[str, object], Any]
) -> None:
    example = Example(ROW, 64)
    weights = stored(
        "softmax_weights", softmax_weights.measure(softmax_weights.Parameters(example), chain)
    )
    slopes = stored(
        "softmax_jacobian",
        softmax_jacobian.measure(softmax_jacobian.Parameters(Example(ROW, 64)), chain),
    )

    assert result[lane].weights == weights[lane].weights
    assert result[lane].entries == slopes[lane].entries
    assert result[lane].largest == slopes[lane].largest


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("d_k", [1, 64, 4096])
def test_a_curve_is_the_normal_density_of_its_spread(lane: str, d_k: int, chain: Stream) -> None:
    one = measure(Parameters(Example(ROW, d_k), 10), chain)[lane]
    x, density = np.array(one["curve"]["x"]), np.array(one["curve"]["density"])
    within = np.abs(x) <= 3 * one["sd"] * (1 + 1e-12)
    area = np.sum(np.diff(x[within]) * (density[within][1:] + density[within][:-1]) / 2)

    assert np.max(density) == pytest.approx(1 / (one["sd"] * math.sqrt(2 * math.pi)), rel=1e-12)
    assert area == pytest.approx(math.erf(3 / math.sqrt(2)), abs=1e-3)
    assert x.tolist() == sorted(set(x.tolist()))


def test_both_curves_share_one_axis(result: Any) -> None:
    ends = [(result[lane].curve.x[0], result[lane].curve.x[-1]) for lane in LANES]

    assert ends == [(-24, 24), (-24, 24)]


def test_the_cells_are_first_components_of_two_random_vectors(result: Any, chain: Stream) -> None:
    fewer = measure(Parameters(Example(ROW, 64), 4), chain)

    assert (len(result.q), len(result.k)) == (10, 10)
    assert fewer["q"] == pytest.approx(result.q[:4], rel=1e-8)
    assert fewer["k"] == pytest.approx(result.k[:4], rel=1e-8)
    assert not set(result.q) & set(result.k)


def test_no_more_cells_are_shown_than_a_vector_has(chain: Stream) -> None:
    answer = measure(Parameters(Example(ROW, 3), 10), chain)

    assert (len(answer["q"]), len(answer["k"])) == (3, 3)


def test_keys_that_tie_share_the_top() -> None:
    say = Printer()

    assert causal_chain.shares([0.4, 0.3, 0.1, 0.1, 0.1], say)[0] == "the top key takes 40%"
    assert causal_chain.shares([0.2] * 5, say)[0] == "the top keys take 20% each"
