"""Scores of freshly initialized heads, held against the variances of their initializers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import initializers
from initializers import RULES, Parameters, draw_weights, measure
from report.contracts import Stream
from report.numbers import Printer

HEAD, INPUTS = 64, 500
PUBLISHED = Parameters(
    HEAD, INPUTS, 0.02, (512, 4096), (512, 4096), (768, 1600, 4096), (512, 768, 1024), (512,)
)
SMALL = Parameters(16, 50, 0.02, (64,), (64,), (64, 96), (64,), (64,))
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
THEORY = [  # rule, place in the list of its widths, standard deviation of a score
    *(("packed", index, 1 / 2) for index in (0, 1)),
    *(("linear", index, 1 / 3) for index in (0, 1)),
    *(("normal", index, width * 0.02**2) for index, width in enumerate((768, 1600, 4096))),
    *(("fan_in", index, 1.0) for index in (0, 1, 2)),
    ("t5", 0, 1.0),
]


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    return stored("initializers", measure(PUBLISHED, stream("initializers")))


def relative_error(width: int) -> float:
    """Standard error of a measured deviation over it, for all pairs of the inputs of one head.

    The mean square of all scores is the trace of the product of two matrices, the mean q qᵀ and
    k kᵀ. Inputs and weights each stray from theirs by 2 / (count x head) of variance, relatively.
    """
    traces = 2 * (2 / (INPUTS * HEAD) + 2 / (width * HEAD))
    crossed = 2 / INPUTS**2 + 2 / width**2
    return math.sqrt(traces + crossed) / 2


@pytest.mark.parametrize(("key", "index", "sd"), THEORY)
def test_a_layer_hands_the_softmax_the_spread_of_its_initializer(
    result: Any, key: str, index: int, sd: float
) -> None:
    layer = result.layers[key][index]

    assert layer.theory_sd == pytest.approx(sd, rel=1e-8)
    assert abs(layer.sd / sd - 1) < SIGMAS * relative_error(layer.width)
    assert layer.variance == pytest.approx(layer.sd**2, rel=1e-7)


@pytest.mark.parametrize(("key", "index", "sd"), THEORY)
def test_a_query_has_the_variance_of_its_weights_times_the_width(
    result: Any, key: str, index: int, sd: float
) -> None:
    layer = result.layers[key][index]
    variance = 1 / HEAD if key == "t5" else sd
    error = math.sqrt(2 / (INPUTS * HEAD) + 2 / (layer.width * HEAD))

    assert abs(layer.query_variance / variance - 1) < SIGMAS * error


@pytest.mark.parametrize(
    ("key", "bound"),
    [
        ("packed", lambda width: math.sqrt(6 / (width + 3 * width))),  # xavier_uniform_ of (3E, E)
        ("linear", lambda width: 1 / math.sqrt(width)),  # kaiming_uniform_ with a = √5
    ],
)
def test_uniform_weights_reach_the_bound_their_library_gives(
    key: str, bound: Callable[[int], float]
) -> None:
    width, rule = 512, RULES[key]
    sd, _ = rule.sds(width, PUBLISHED)

    weights = draw_weights(rule, sd, (width, HEAD), np.random.default_rng(1))

    assert np.max(np.abs(weights)) == pytest.approx(bound(width), rel=1e-3)
    assert np.max(np.abs(weights)) <= bound(width)


def test_t5_moves_the_root_into_the_query_and_divides_by_nothing() -> None:
    query, key = RULES["t5"].sds(512, PUBLISHED)

    assert query == pytest.approx((512 * 64) ** -0.5)
    assert key == pytest.approx(512**-0.5)
    assert not RULES["t5"].divided


def test_the_wrong_root_costs_the_root_of_the_number_of_heads(result: Any) -> None:
    layers = result.layers.fan_in

    assert [layer.heads for layer in layers] == [8, 12, 16]
    for layer, share in zip(layers, (0.354, 0.289, 0.250), strict=True):
        assert layer.by_model_width / layer.sd == pytest.approx(share, abs=0.0005)


@pytest.mark.parametrize("head", [8, 256])
def test_the_width_of_a_head_drops_out(stream: Callable[[str], Stream], head: int) -> None:
    answer = measure(dataclasses.replace(SMALL, head=head, inputs=500), stream("initializers"))

    for key, sd in (("packed", 1 / 2), ("linear", 1 / 3), ("fan_in", 1), ("t5", 1)):
        assert answer["layers"][key][0]["sd"] == pytest.approx(sd, rel=0.15)


def test_the_summary_is_of_all_layers(result: Any) -> None:
    every = [layer for group in result.layers.values() for layer in group]

    assert result.lowest == min(layer.sd for layer in every)
    assert result.highest == max(layer.sd for layer in every)
    assert result.worst == pytest.approx(
        max(abs(layer.sd / layer.theory_sd - 1) for layer in every), rel=1e-6
    )
    assert result.worst < 0.02


def test_adding_a_layer_moves_no_other(stream: Callable[[str], Stream]) -> None:
    few = measure(SMALL, stream("initializers"))["layers"]
    more = measure(
        dataclasses.replace(SMALL, normal=(96, 80, 64), t5=(128, 64)), stream("initializers")
    )["layers"]

    assert [layer["width"] for layer in more["normal"]] == [64, 80, 96]
    assert [more["normal"][0], more["normal"][2]] == few["normal"]
    assert more["t5"][0] == few["t5"][0]
    assert {key: more[key] for key in ("packed", "linear", "fan_in")} == {
        key: few[key] for key in ("packed", "linear", "fan_in")
    }


def test_each_layer_has_a_line_of_its_own(result: Any) -> None:
    rows = initializers.table(result, Printer())["rows"]
    names = [row[0] for row in rows]

    assert len(set(names)) == len(THEORY)
