"""The glossary of words of degree: each is tried on both sides of its threshold."""

from __future__ import annotations

import math

import pytest

import degrees


@pytest.mark.parametrize(("weight", "expected"), [(0.951, True), (0.95, True), (0.949, False)])
def test_one_key_takes_nearly_everything_from_nineteen_twentieths(
    weight: float, expected: bool
) -> None:
    assert degrees.takes_nearly_all(weight) == expected


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([0.25] * 4, True),
        ([0.299, 0.201, 0.25, 0.25], True),
        ([0.301, 0.199, 0.25, 0.25], False),
        ([0.301, 0.233, 0.233, 0.233], False),  # one too large
        ([0.267, 0.267, 0.267, 0.199], False),  # one too small
        ([0.599, 0.401], True),
        ([0.601, 0.399], False),
    ],
)
def test_weights_are_almost_even_up_to_a_fifth_of_their_share(
    weights: list[float], expected: bool
) -> None:
    assert degrees.almost_even(weights) == expected


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([0.3, 0.41, 0.29], True), ([0.35, 0.44, 0.21], False), ([0.5, 0.5], False)],
)
def test_a_clear_first_is_a_tenth_of_all_weight_ahead(weights: list[float], expected: bool) -> None:
    assert degrees.clear_first(weights) == expected


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([0.94, 0.06], True),
        ([0.96, 0.04], False),  # saturated
        ([0.54, 0.46], False),  # flat
    ],
)
def test_a_peaked_row_has_a_clear_first_but_is_not_saturated(
    weights: list[float], expected: bool
) -> None:
    assert degrees.still_peaked(weights) == expected


@pytest.mark.parametrize(("weights", "expected"), [([0.949, 0.051], True), ([0.951, 0.049], False)])
def test_a_key_counts_from_a_twentieth(weights: list[float], expected: bool) -> None:
    assert degrees.all_count(weights) == expected


@pytest.mark.parametrize(("slope", "expected"), [(0.0249, True), (0.0251, False)])
def test_a_row_barely_responds_up_to_a_tenth_of_the_ceiling(slope: float, expected: bool) -> None:
    assert degrees.barely_responds(slope, 0.25) == expected


@pytest.mark.parametrize(("slope", "expected"), [(0.126, True), (0.124, False)])
def test_a_slope_looks_healthy_from_half_the_ceiling(slope: float, expected: bool) -> None:
    assert degrees.looks_healthy(slope, 0.25) == expected


@pytest.mark.parametrize(("ratio", "expected"), [(1.51, True), (1.49, False), (0.1, False)])
def test_steeper_is_at_least_half_as_much_again(ratio: float, expected: bool) -> None:
    assert degrees.steeper(ratio) == expected


@pytest.mark.parametrize(
    ("scores", "sd", "expected"),
    [
        ((8, 0, -8, 4), 8, True),  # root mean square 6
        ((8, 0, -8, 4), 8.99, True),
        ((8, 0, -8, 4), 9.01, False),  # tame
        ((8, 0, -8, 4), math.sqrt(128), False),
        ((6, -6), 4.01, True),
        ((6, -6), 3.99, False),  # wild
        ((8, 0, -8, 4), 2, False),
        ((15.9, 0, 0, 0), 8, True),
        ((0, 0, 0, -16.1), 8, False),  # the right size, but one score is too far
    ],
)
def test_a_fair_row_is_as_large_as_theory_says(
    scores: tuple[float, ...], sd: float, expected: bool
) -> None:
    assert degrees.fair(scores, sd) == expected


@pytest.mark.parametrize(
    ("spread", "expected"), [(1.049, True), (1.051, False), (0.951, True), (0.949, False)]
)
def test_a_spread_stays_at_one_within_a_twentieth(spread: float, expected: bool) -> None:
    assert degrees.stays_at_one(spread) == expected


@pytest.mark.parametrize(
    ("difference", "expected"), [(0.29, True), (-0.29, True), (0.31, False), (-0.31, False)]
)
def test_chance_explains_three_standard_errors(difference: float, expected: bool) -> None:
    assert degrees.explained_by_chance(difference, 0.1) == expected


@pytest.mark.parametrize(("error", "expected"), [(0.0166, True), (0.0167, False)])
def test_an_exponent_is_sharp_when_three_standard_errors_are_at_most_a_twentieth(
    error: float, expected: bool
) -> None:
    assert degrees.sharp(error) == expected


@pytest.mark.parametrize(
    ("misses", "of", "expected"),
    [
        (0, 9, True),
        (3, 9, True),  # 0.0084: Binomial(9, 1/20) tables
        (4, 9, False),  # 0.00064
        (2, 2, False),  # 0.0025
        (1, 1, True),
    ],
)
def test_misses_are_chance_unless_so_many_are_too_rare(
    misses: int, of: int, expected: bool
) -> None:
    assert degrees.as_many_by_chance(misses, of, 0.05) == expected


def test_the_two_forms_of_the_limit_of_chance_are_one() -> None:
    assert math.erfc(degrees.SURE / math.sqrt(2)) == pytest.approx(degrees.RARE, rel=1e-3)


def test_almost_even_weights_are_never_half_as_large_again_as_one_another() -> None:
    ratio = (1 + degrees.EVEN) / (1 - degrees.EVEN)

    assert math.isclose(ratio, degrees.STEEPER)


@pytest.mark.parametrize(
    ("values", "up", "down"),
    [
        ([1, 2, 3], True, False),
        ([3, 2, 1], False, True),
        ([1, 2, 2], False, False),
        ([3, 1, 2], False, False),
        ([1], False, False),  # shows no trend
    ],
)
def test_a_trend_has_no_step_the_other_way(values: list[float], up: bool, down: bool) -> None:
    assert (degrees.rises(values), degrees.falls(values)) == (up, down)


@pytest.mark.parametrize(("end", "expected"), [(0.099, True), (0.101, False), (0.0, True)])
def test_what_fades_keeps_at_most_a_tenth(end: float, expected: bool) -> None:
    assert degrees.fades(end, 1.0) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(2.19, True), (2.21, False), (1.81, True), (1.79, False)]
)
def test_near_is_within_a_tenth(value: float, expected: bool) -> None:
    assert degrees.near(value, 2.0) == expected


@pytest.mark.parametrize(
    ("first", "expected"), [(1.61, True), (1.59, False), (2.39, True), (2.41, False)]
)
def test_what_is_level_strays_from_its_end_by_at_most_a_fifth(first: float, expected: bool) -> None:
    assert degrees.level([first, 2.1, 2.0]) == expected


@pytest.mark.parametrize(("other", "expected"), [(1.99, True), (2.01, False), (0.51, True)])
def test_alike_are_two_of_which_neither_is_twice_the_other(other: float, expected: bool) -> None:
    assert degrees.alike(1.0, other) == degrees.alike(other, 1.0) == expected


@pytest.mark.parametrize(("high", "expected"), [(10.1, True), (9.9, False)])
def test_ten_times_is_a_wide_range(high: float, expected: bool) -> None:
    assert degrees.varies_widely(1.0, high) == expected


@pytest.mark.parametrize(("other", "expected"), [(0.5049, True), (0.5051, False), (0.4951, True)])
def test_shares_are_the_same_where_they_round_alike(other: float, expected: bool) -> None:
    assert degrees.the_same(0.5, other) == expected


@pytest.mark.parametrize(("weight", "expected"), [(0.299, True), (0.301, False)])
def test_a_weight_is_hardly_above_even_up_to_a_fifth(weight: float, expected: bool) -> None:
    assert degrees.hardly_above_even(weight, 4) == expected


@pytest.mark.parametrize(("share", "expected"), [(0.5, True), (0.49, False)])
def test_most_is_half_or_more(share: float, expected: bool) -> None:
    assert degrees.most(share) == expected


@pytest.mark.parametrize(
    ("share", "few", "some"), [(0.009, True, False), (0.011, False, True), (0.0, True, False)]
)
def test_one_in_a_hundred_parts_few_from_some(share: float, few: bool, some: bool) -> None:
    assert (degrees.few(share), degrees.some(share)) == (few, some)


@pytest.mark.parametrize(
    ("below", "expected"), [(0.26, True), (0.24, False), (0.74, True), (0.76, False)]
)
def test_the_middle_is_half_of_the_rows(below: float, expected: bool) -> None:
    assert degrees.in_the_middle(below) == expected
