"""Random rows held against rows made of real vectors, and their statistics against theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention import Array, entropy, jacobian, softmax
from rows import (
    complements,
    draw_rows,
    draw_rows_in_parts,
    draw_rows_with_keys,
    entropies,
    expected_maximum,
    slopes,
    slopes_through,
    standard_normal_grid,
    summary,
    traces,
)

SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
MANY = 20_000
SHAPES = [(1, 3), (2, 4), (4, 4), (4, 9), (9, 4), (64, 4)]  # d_k and keys, either one the larger


def generator(*keys: int) -> np.random.Generator:
    """A generator of these tests."""
    return np.random.default_rng([23, *keys])


def real_rows(d_k: int, keys: int, rows: int = MANY) -> tuple[Array, Array]:
    """Scores and keys of vectors that are really drawn and really multiplied."""
    q = generator(1, d_k).standard_normal((rows, d_k))
    k = generator(2, d_k).standard_normal((rows, keys, d_k))
    return np.einsum("rd,rnd->rn", q, k), k


def farthest(one: Array, two: Array) -> float:
    """The Kolmogorov-Smirnov distance of two samples of one size, in its standard error."""
    both = np.sort(np.concatenate((one, two)))
    steps = [np.searchsorted(np.sort(some), both, side="right") / len(some) for some in (one, two)]
    distance: float = np.max(np.abs(steps[0] - steps[1])) * math.sqrt(len(one) / 2)
    return distance


KS_LIMIT = 2.4  # two samples of one law are farther apart once in fifty thousand times


@pytest.mark.parametrize(("d_k", "keys"), SHAPES)
def test_rows_without_vectors_are_distributed_like_rows_with_them(d_k: int, keys: int) -> None:
    real, _ = real_rows(d_k, keys)
    quick = draw_rows(d_k, keys, MANY, generator(3, d_k))

    for read in (np.max, np.std, np.sum):  # an extreme, a spread, and what keys share through q
        assert farthest(read(real, axis=-1), read(quick, axis=-1)) < KS_LIMIT


@pytest.mark.parametrize(("d_k", "keys"), SHAPES)
def test_turned_keys_leave_slopes_distributed_as_they_were(d_k: int, keys: int) -> None:
    real = slopes_through(*weighed(*real_rows(d_k, keys)))
    turned = slopes_through(*weighed(*draw_rows_with_keys(d_k, keys, MANY, generator(4, d_k))))

    assert farthest(real, turned) < KS_LIMIT


def weighed(scores: Array, keys: Array) -> tuple[Array, Array]:
    """Weights in the place of scores."""
    return softmax(scores), keys


@pytest.mark.parametrize(("d_k", "keys"), SHAPES)
def test_turned_keys_keep_their_norms_and_their_angles(d_k: int, keys: int) -> None:
    _, real = real_rows(d_k, keys)
    _, turned = draw_rows_with_keys(d_k, keys, MANY, generator(5, d_k))
    last = keys - 1

    assert turned.shape == (MANY, keys, 1 + min(d_k - 1, keys))
    for i, j in ((0, 0), (last, last), (0, last), (last - 1, last)):
        one, two = (np.einsum("rd,rd->r", k[:, i], k[:, j]) for k in (real, turned))
        assert farthest(one, two) < KS_LIMIT


def test_the_score_of_a_turned_key_is_its_product_with_the_turned_query() -> None:
    scores, turned = draw_rows_with_keys(16, 4, 100, generator(6))
    norm = scores[:, :1] / turned[:, :1, 0]

    assert scores == pytest.approx(norm * turned[:, :, 0], rel=1e-12)


def some_weights(spread: float) -> Array:
    """Weights of random rows, from even to saturated."""
    return softmax(spread * generator(7).standard_normal((200, 5)))


@pytest.mark.parametrize("spread", [0.01, 1, 8, 30])
def test_row_statistics_are_those_of_the_jacobian(spread: float) -> None:
    p, k = some_weights(spread), generator(8).standard_normal((200, 5, 7))
    each = [jacobian(row) for row in p]

    assert traces(p) == pytest.approx([np.trace(j) for j in each], rel=1e-12)
    assert slopes(p) == pytest.approx([np.linalg.norm(j) for j in each], rel=1e-12)
    assert slopes_through(p, k) == pytest.approx(
        [np.linalg.norm(j @ one) for j, one in zip(each, k, strict=True)], rel=1e-9, abs=1e-14
    )


@pytest.mark.parametrize("gap", [1, 30, 40, 80, 300])
def test_no_slope_drowns_in_rounding_as_the_leading_weight_nears_one(gap: float) -> None:
    p, keys = softmax(np.array([[0.0, -gap]])), np.array([[[2.0, 1.0, 5.0], [1.0, -1.0, 7.0]]])
    slope = math.exp(-gap) / (1 + math.exp(-gap)) ** 2  # p(1 - p) of two keys

    assert complements(p)[0, 0] == pytest.approx(1 / (1 + math.exp(gap)), rel=1e-14)
    assert traces(p) == pytest.approx([2 * slope], rel=1e-13)
    assert slopes(p) == pytest.approx([2 * slope], rel=1e-13)  # each of four entries is ±slope
    assert slopes_through(p, keys) == pytest.approx([slope * math.sqrt(2 * 9)], rel=1e-13)


def test_the_entropy_of_rows_is_that_of_each() -> None:
    p = np.concatenate((some_weights(4), [[1.0, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0]]))

    assert entropies(p) == pytest.approx([entropy(row) for row in p], abs=1e-15)
    assert entropies(p)[-2:] == pytest.approx([0, math.log(2)])


def test_a_summary_has_the_mean_the_median_and_both_deciles() -> None:
    actual = summary(np.arange(101.0))

    assert actual == {
        "mean": 50,
        "error": pytest.approx(math.sqrt(101 * 102 / 12 / 101)),  # variance of 0 … n-1: n(n+1)/12
        "median": 50,
        "low": 10,
        "high": 90,
    }


@pytest.mark.parametrize(
    ("n", "exact"),
    [
        (1, 0),
        (2, 1 / math.sqrt(math.pi)),
        (3, 3 / (2 * math.sqrt(math.pi))),
        (4, 3 / math.sqrt(math.pi) * (0.5 + math.asin(1 / 3) / math.pi)),
        (16, 1.76599),  # tables of expected normal order statistics
        (64, 2.34373),
    ],
)
def test_the_expected_maximum_of_normals_is_the_known_one(n: int, exact: float) -> None:
    assert expected_maximum(n) == pytest.approx(exact, abs=5e-6)


@pytest.mark.parametrize("n", [2, 4, 16])
def test_the_gap_between_the_leading_two_has_that_density_at_zero(n: int) -> None:
    x, weight = standard_normal_grid()
    below = np.array([math.erfc(-one / math.sqrt(2)) / 2 for one in x])
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    actual = n * (n - 1) * np.sum(weight * density * below ** (n - 2))

    assert actual == pytest.approx(expected_maximum(n), rel=1e-10)


@pytest.mark.parametrize("n", [2, 16])
def test_the_expected_maximum_is_what_draws_show(n: int) -> None:
    largest = np.max(generator(9).standard_normal((MANY, n)), axis=-1)
    error = np.std(largest) / math.sqrt(MANY)

    assert abs(np.mean(largest) - expected_maximum(n)) < SIGMAS * error


def test_rows_in_parts_are_the_rows_drawn_at_once() -> None:
    whole = draw_rows(64, 4, 10, np.random.default_rng(3))
    parts = list(draw_rows_in_parts(64, 4, 10, 4, np.random.default_rng(3)))

    assert [len(part) for part in parts] == [4, 4, 2]
    assert np.array_equal(np.concatenate(parts), whole)
