"""The spread of the mean of dice, held against what is known of it."""

from __future__ import annotations

import math

import pytest

from mean_of_dice import Parameters, measure, roll
from report.streams import stream_for

SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
ROLLS = 20_000


@pytest.mark.parametrize(("sides", "n"), [(2, 9), (6, 1), (6, 4), (6, 64), (20, 16)])
def test_the_mean_of_n_dice_has_the_variance_of_one_over_n(sides: int, n: int) -> None:
    variance = (sides**2 - 1) / 12 / n  # of the discrete uniform distribution, over n
    excess = -1.2 * (sides**2 + 1) / (sides**2 - 1) / n  # its excess kurtosis, over n
    error = variance * math.sqrt((2 + excess) / ROLLS)

    measured = roll(sides, n, ROLLS, stream_for(1, "mean_of_dice")(sides, n))

    assert abs(measured["sd"] ** 2 - variance) <= SIGMAS * error
    assert abs(measured["mean"] - (sides + 1) / 2) <= SIGMAS * math.sqrt(variance / ROLLS)


def test_a_hundred_times_the_dice_have_a_tenth_of_the_spread() -> None:
    result = measure(Parameters(6, (2, 200), 1000), stream_for(1, "mean_of_dice"))

    assert result["at"]["200"]["theory"] == pytest.approx(result["at"]["2"]["theory"] / 10)
