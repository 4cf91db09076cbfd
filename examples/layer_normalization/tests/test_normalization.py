"""Normalization by a power of the standard deviation, against algebra and numerical slopes."""

from __future__ import annotations

import numpy as np
import pytest

from normalization import normalize, pull_back, spread

X = np.array([[3.0, -1.0, 4.0, 1.0, -5.0], [2.0, 7.0, 1.0, 8.0, 2.0]])
every_power = pytest.mark.parametrize("power", [0, 1, 2])


def test_the_spread_of_one_to_five_is_the_root_of_two() -> None:
    assert spread(np.arange(1.0, 6.0)) == pytest.approx(2**0.5)


def test_layer_normalization_gives_mean_zero_and_variance_one_to_every_row() -> None:
    out = normalize(X, 1)

    assert out.mean(axis=-1) == pytest.approx([0, 0])
    assert out.var(axis=-1) == pytest.approx([1, 1])


@every_power
def test_a_layer_c_times_as_large_comes_out_c_to_the_one_minus_power_as_large(power: int) -> None:
    for c in (0.01, 3.0, 1000.0):
        assert normalize(c * X, power) == pytest.approx(c ** (1 - power) * normalize(X, power))


@every_power
def test_a_shift_changes_nothing(power: int) -> None:
    assert normalize(X + 17, power) == pytest.approx(normalize(X, power))


@every_power
def test_a_gradient_comes_back_as_a_complex_step_has_it(power: int) -> None:
    gradient = np.array([0.5, -2.0, 1.0, 3.0, 0.25])
    x = X[0]
    steps = x + 1e-30j * np.eye(5)  # row i moves component i

    numerical = normalize(steps, power).imag @ gradient / 1e-30

    assert pull_back(gradient, x, power) == pytest.approx(numerical)
