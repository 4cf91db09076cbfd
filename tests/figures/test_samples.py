"""Samples in parts, held against whole arrays and against the moments of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samples import Draw, Moments, Quantiles, drawn_in_turn, parts

DRAWS: tuple[Draw, ...] = (  # those that take a varying number of bits a value are the hard ones
    lambda generator, rows: generator.standard_normal(rows),
    lambda generator, rows: generator.chisquare(3.5, rows),
    lambda generator, rows: generator.integers(0, 2, (rows, 3)),  # two from one word
    lambda generator, rows: generator.standard_t(2.5, (rows, 2)),
)


def test_parts_are_as_large_as_they_may_be() -> None:
    assert list(parts(7, 3)) == [3, 3, 1]
    assert list(parts(6, 3)) == [3, 3]
    assert list(parts(2, 3)) == [2]


@pytest.mark.parametrize("most", [1, 7, 64, 99, 100, 1000])
def test_arrays_drawn_in_parts_are_those_drawn_whole(most: int) -> None:
    generator, whole = np.random.default_rng(1), np.random.default_rng(1)
    drawn = list(drawn_in_turn(generator, 100, most, *DRAWS))

    assert max(len(part) for one in drawn for part in one) == min(most, 100)
    for draw, found in zip(DRAWS, zip(*drawn, strict=True), strict=True):
        assert np.array_equal(np.concatenate(found), draw(whole, 100))
    assert generator.random() == whole.random()  # and the next draw is where it would be


@pytest.mark.parametrize("most", [1, 3, 100, 1000])
@pytest.mark.parametrize("about", [0.0, 1e6])
def test_moments_of_parts_are_those_of_the_whole(most: int, about: float) -> None:
    values = about + np.random.default_rng(2).laplace(0, 3, 1000)
    apart = values - np.mean(values)
    sample = Moments(np.split(values, range(most, 1000, most)))

    assert sample.count == 1000
    assert sample.mean == pytest.approx(np.mean(values), rel=1e-12)
    assert sample.variance == pytest.approx(np.var(values, ddof=1), rel=1e-9)
    assert sample.sd == pytest.approx(np.std(values, ddof=1), rel=1e-9)
    assert sample.kurtosis == pytest.approx(np.mean(apart**4) / np.var(values) ** 2, rel=1e-9)


@pytest.mark.parametrize("most", [1, 3, 100, 1000])
@pytest.mark.parametrize("law", ["lognormal", "ties", "equals", "sorted"])
def test_quantiles_of_parts_are_those_of_the_whole(most: int, law: str) -> None:
    values = np.random.default_rng(5).lognormal(0, 30, 1000)
    values = {
        "lognormal": values,
        "ties": np.round(np.log(values) / 9),
        "equals": np.full(1000, 0.1),
        "sorted": np.sort(values)[::-1],
    }[law]
    shares = [0.0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.9, 0.999, 1.0]
    whole = np.split(values, range(most, 1000, most))
    sample = Quantiles(shares)
    for part in whole:
        sample.count(part)
    for part in whole:
        sample.keep(part)

    assert sample.values.tolist() == np.quantile(values, shares).tolist()


def test_the_variance_errs_by_the_kurtosis() -> None:
    generator = np.random.default_rng(3)
    samples = [Moments([generator.uniform(size=500)]) for _ in range(2000)]
    strays = np.std([sample.variance for sample in samples]) * 12

    assert np.mean([sample.error for sample in samples]) == pytest.approx(strays, rel=0.08)
    assert np.mean([sample.kurtosis for sample in samples]) == pytest.approx(9 / 5, rel=0.01)


def test_a_sample_of_equals_has_no_spread() -> None:
    sample: Any = Moments([np.full(3, 0.1), np.full(2, 0.1)])

    assert (sample.mean, sample.variance) == (0.1, 0.0)
