"""One layer at many spreads: the slopes of the algebra, found without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from one_layer import Parameters, claims, look, measure
from report.numbers import Printer
from report.results import dumps, loads
from report.streams import stream_for


@pytest.fixture
def result() -> Any:
    """An answer as the article gets it, read back."""
    answer = measure(Parameters(16, (0.5, 1, 4), 3), stream_for(1, "one_layer"))
    return loads("one_layer", dumps("one_layer", answer))


def test_only_the_standard_deviation_gives_every_input_the_same_output(result: Any) -> None:
    assert result.by.nothing.out == [0.5, 1, 4]
    assert result.by.sd.out == [1, 1, 1]
    assert result.by.variance.out == [2, 1, 0.25]


def test_the_slope_along_the_layer_is_one_minus_the_power(result: Any) -> None:
    assert [result.by[name].along for name in ("nothing", "sd", "variance")] == [
        [1, 1, 1],
        [0, 0, 0],
        [-4, -1, -0.0625],
    ]


def test_the_whole_jacobian_of_layer_normalization_is_a_projection_over_sigma() -> None:
    unit = np.array([1.0, -1.0, 1.0, -1.0])
    across = np.array([1.0, 1.0, -1.0, -1.0])

    found = look(5 + 2 * unit, unit, across, 1)

    assert found == {"out": 1, "mean": 0, "along": 0, "across": 0.5}


def test_every_claim_holds_and_can_fail(result: Any) -> None:
    held = [claim["holds"] for claim in claims(result, Printer())]
    plain = {**result, "by": {**result.by, "sd": result.by.nothing}, "apart": 1.0}

    assert held == [True, True, True]
    assert [claim["holds"] for claim in claims(plain, Printer())] == [False, False, False]
