"""A tally counts the seeds a claim held in, and tells within which limits their share is known."""

from __future__ import annotations

import math

import pytest

from report.tally import Outcomes, Tally, by_claim, by_seed, exact_interval, is_whole, said, summed


@pytest.mark.parametrize(
    ("held", "of", "low", "high"),
    [  # Clopper and Pearson's limits; the ends where all or none held are (a/2)^(1/n) and 1 minus it
        (0, 10, 0.0, 1 - 0.025**0.1),
        (10, 10, 0.025**0.1, 1.0),
        (200, 200, 0.025 ** (1 / 200), 1.0),
        (5, 10, 0.187086, 0.812914),
        (1, 20, 0.001265, 0.248733),
        (8, 10, 0.443905, 0.974789),
    ],
)
def test_the_interval_is_the_exact_binomial_one(
    held: int, of: int, low: float, high: float
) -> None:
    assert exact_interval(held, of, 0.95) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize(("held", "of"), [(750, 1500), (99_000, 100_000)])
def test_the_interval_of_many_seeds_is_near_the_normal_one(held: int, of: int) -> None:
    share = held / of
    reach = 1.96 * math.sqrt(share * (1 - share) / of)

    assert exact_interval(held, of, 0.95) == pytest.approx(
        (share - reach, share + reach), abs=0.1 * reach
    )


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"one": "111", "two": "1-1"}, "every claim held in all"),
        ({"one": "101", "two": "111"}, "one held in 2 of 3; every other claim in all"),
        ({"one": "0-1", "two": "001"}, "one held in 1 of 2, two held in 1 of 3"),
        ({"one": "1x1", "two": "-x1"}, "every claim held in all; 1 did not finish"),
        ({}, "no claim was stated"),
    ],
)
def test_the_end_of_a_sweep_says_how_many_seeds_bear_each_claim_out(
    held: Outcomes, said: str
) -> None:
    assert summed(held) == said


def test_a_tally_tells_seeds_that_did_not_state_a_claim_from_those_that_gave_nothing() -> None:
    assert Tally.of("1x0-x1") == Tally(held=2, seeds=3, unstated=1, unfinished=2)
    assert said(Tally.of("1x0-x1")).endswith("; not stated for 1 others; 2 did not finish")
    assert said(Tally.of("1" * 198 + "xx")).startswith("holds for 198 of 198 seeds, 98.2% to 100")


@pytest.mark.parametrize(
    ("held", "whole"),
    [
        ({}, True),
        ({"one": "10-", "two": "111"}, True),
        ({"one": "1x-", "two": "0x1"}, True),
        ({"one": "101", "two": "11"}, False),
        ({"one": "1x", "two": "11"}, False),
        ({"one": "12"}, False),
        ({"one": 1}, False),
    ],
)
def test_outcomes_are_whole_if_each_seed_has_one_for_every_claim(
    held: Outcomes, *, whole: bool
) -> None:
    assert is_whole(held) is whole
    if whole:
        assert by_claim(by_seed(held)) == held
