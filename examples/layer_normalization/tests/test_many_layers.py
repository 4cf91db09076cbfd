"""Scales and gradients through many layers, against the law for endless width and numerical slopes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from many_layers import Parameters, backward, claims, forward, measure, theory
from report.numbers import Printer
from report.results import dumps, loads
from report.streams import stream_for

SMALL = Parameters(width=128, layers=8, networks=60, gain=1.5, start=8)


def answer(parameters: Parameters) -> Any:
    """An answer as the article gets it, read back."""
    found = measure(parameters, stream_for(1, "many_layers"))
    return loads("many_layers", dumps("many_layers", found))


@pytest.fixture(scope="module")
def result() -> Any:
    """The answer of small networks."""
    return answer(SMALL)


def test_the_law_multiplies_keeps_or_alternates() -> None:
    plain, kept, over = (theory(power, SMALL)["scale"] for power in (0, 1, 2))

    assert plain == pytest.approx([8 * 1.5**layer for layer in range(9)])
    assert kept == [8, *[1.5] * 8]
    assert over == pytest.approx([8, 1.5 / 8] * 4 + [8])


def test_the_law_of_the_gradient_cancels_for_the_standard_deviation_alone() -> None:
    plain, kept, over = (theory(power, SMALL)["gradient"] for power in (0, 1, 2))

    assert plain == pytest.approx([1.5**layer for layer in range(9)])
    assert kept == pytest.approx([1] * 8 + [1.5 / 8])
    assert over == pytest.approx([1, 1.5 / (1.5 / 8) ** 2] * 4 + [1])


def test_networks_obey_the_law_up_to_their_width(result: Any) -> None:
    assert result.apart < 0.25


@pytest.mark.parametrize("power", [0, 1, 2])
def test_the_gradient_is_the_slope_of_the_whole_network(power: int) -> None:
    generator = np.random.default_rng(3)
    first, back = generator.standard_normal((2, 16))
    weights = generator.standard_normal((3, 16, 16)) / 3
    direction, step = generator.standard_normal(16), 1e-6

    def out(x: Any) -> float:
        return float(forward(x, weights, power)[-1] @ back)

    slope = (out(first + step * direction) - out(first - step * direction)) / (2 * step)
    gradient = backward(forward(first, weights, power), back, weights, power)[-1]

    assert gradient @ direction == pytest.approx(slope, rel=1e-6)


def test_divided_by_the_standard_deviation_no_layer_knows_how_large_the_input_was() -> None:
    generator = np.random.default_rng(4)
    first, weights = generator.standard_normal(16), generator.standard_normal((3, 16, 16))

    one, ten = (forward(scale * first, weights, 1)[1:] for scale in (1, 10))

    assert np.array(ten) == pytest.approx(np.array(one))


def test_every_claim_holds_and_can_fail(result: Any) -> None:
    tame = answer(replace(SMALL, gain=1, start=1, networks=2, width=16))

    assert [claim["holds"] for claim in claims(result, Printer())] == [True, True, True]
    assert [claim["holds"] for claim in claims(tame, Printer())] == [False, False, False]
