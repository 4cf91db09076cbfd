"""The shared mathematics, held against theory, complex-step derivatives and exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from attention import (
    Array,
    brief,
    divisors,
    effective_keys,
    entropy,
    jacobian,
    scores,
    softmax,
)
from report.numbers import Printer

STEP = 1e-20  # of the complex step: too small to leave a trace in the real part


def random_rows(count: int = 200) -> Iterator[Array]:
    """Rows of 2 to 32 softmax inputs, from almost even to saturated."""
    generator = np.random.default_rng(17)
    for _ in range(count):
        n, spread = int(generator.integers(2, 33)), 10 ** generator.uniform(-1, 1)
        yield spread * generator.standard_normal(n)


def complex_step(z: Array) -> Array:
    """The Jacobian of `softmax` by the imaginary part of an imaginary step: no cancellation."""
    columns = [np.imag(softmax(z + 1j * STEP * unit)) / STEP for unit in np.eye(len(z))]
    return np.array(columns).T


def test_a_score_is_the_sum_of_its_products() -> None:
    generator = np.random.default_rng(1)
    q, k = generator.standard_normal((2, 5, 64))

    actual = scores(q, k)
    expected = [
        math.fsum(a * b for a, b in zip(x, y, strict=True)) for x, y in zip(q, k, strict=True)
    ]

    assert actual == pytest.approx(expected, abs=1e-13)


def test_the_divisors_are_one_the_root_and_the_dimension() -> None:
    assert divisors(64) == {"raw": 1, "sqrt": 8, "dk": 64}


def test_softmax_weighs_by_exponentials() -> None:
    weights = softmax(np.log([1.0, 2.0, 5.0]))

    assert weights == pytest.approx([1 / 8, 2 / 8, 5 / 8], rel=1e-15)


def test_softmax_works_along_the_last_axis() -> None:
    table = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])

    assert softmax(table).tolist() == [softmax(row).tolist() for row in table]


def test_only_gaps_matter_to_softmax_however_large_the_scores() -> None:
    row = np.array([8.0, 0.0, -8.0, 4.0])

    assert softmax(row + 2.0**40).tolist() == softmax(row).tolist()


def test_the_jacobian_is_the_derivative_of_softmax() -> None:
    errors = [np.max(np.abs(jacobian(softmax(z)) - complex_step(z))) for z in random_rows()]

    assert max(errors) < 2e-15


def test_the_jacobian_is_diag_p_minus_p_p_transposed() -> None:
    for z in random_rows():
        p = softmax(z)

        assert jacobian(p) == pytest.approx(np.diag(p) - np.outer(p, p), abs=4e-16)


def test_a_slope_keeps_its_digits_in_a_saturated_row() -> None:
    slopes = jacobian(softmax(np.array([60.0, 0.0])))

    assert slopes[0, 0] == pytest.approx(math.exp(-60), rel=1e-12, abs=0)


def test_moving_all_inputs_together_moves_no_weight() -> None:
    sums = [np.max(np.abs(np.sum(jacobian(softmax(z)), axis=1))) for z in random_rows()]

    assert max(sums) < 1e-15


def test_row_sums_of_absolute_slopes_are_twice_p_one_minus_p() -> None:
    for z in random_rows():
        p = softmax(z)

        assert np.sum(np.abs(jacobian(p)), axis=1) == pytest.approx(2 * p * (1 - p), abs=1e-15)


def test_no_slope_is_above_a_quarter_and_no_eigenvalue_above_a_half() -> None:
    slopes = [jacobian(softmax(z)) for z in random_rows()]
    eigenvalues = np.array([value for slope in slopes for value in np.linalg.eigvalsh(slope)])

    assert max(np.max(np.abs(slope)) for slope in slopes) <= 1 / 4
    assert np.max(eigenvalues) <= 1 / 2
    assert np.min(eigenvalues) > -1e-15


def test_two_keys_that_share_all_weight_reach_both_bounds() -> None:
    slopes = jacobian(np.array([0.5, 0.5, 0.0]))

    assert np.max(slopes) == 1 / 4
    assert np.linalg.eigvalsh(slopes)[-1] == pytest.approx(1 / 2, rel=1e-15)


@pytest.mark.parametrize("n", [2, 4, 8])
def test_even_weights_have_the_entropy_of_all_keys(n: int) -> None:
    even = np.full(n, 1 / n)

    assert entropy(even) == pytest.approx(math.log(n), rel=1e-15)
    assert effective_keys(even) == pytest.approx(n, rel=1e-14)


def test_a_one_hot_row_has_no_entropy_and_one_effective_key() -> None:
    one_hot = np.array([0.0, 1.0, 0.0])

    assert str(entropy(one_hot)) == "0.0"  # and not -0.0
    assert effective_keys(one_hot) == 1


def test_entropy_is_the_logarithm_of_the_total_minus_the_mean_input() -> None:
    for z in random_rows():
        expected = math.log(math.fsum(np.exp(z))) - math.fsum(softmax(z) * z)

        assert entropy(softmax(z)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (8.0, "8"),
        (-8.0, "−8"),
        (0.0, "0"),
        (0.0625, "0.0625"),
        (1 / math.sqrt(2), "0.7071"),
        (0.98169, "0.9817"),
        (1.10474688e-7, "1.105 × 10⁻⁷"),
        (2980.95799, "2,981"),
        (65536.0, "65,536"),
        (81937.4, "81,937"),
        (1.6e7, "1.600 × 10⁷"),
    ],
)
def test_a_brief_number_is_exact_where_it_can_be_and_a_power_where_it_must(
    value: float, printed: str
) -> None:
    assert brief(Printer(), value) == printed
