"""A match among independent keys, held against its moments, an exact integral and real vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import Array, softmax
from correlated_keys import Parameters, draw_match, limits, measure, scalings
from report.contracts import Stream

SIZES, WEAK, STRONG, KEYS, ROWS, BASE = (4, 16, 64, 256, 1024), 0.25, 0.5, 16, 10_000, 64
RHO = {"weak": WEAK, "strong": STRONG}
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
THEIRS = {4: 4000, 16: 4000, 64: 4000, 256: 4000, 1024: 1000}  # rows of another program ...
FOUND = {  # ... and the mean weight on a match of one half that it found
    "raw": (0.186, 0.542, 0.974, 1.000, 1.000),
    "sqrt": (0.139, 0.275, 0.652, 0.986, 1.000),
    "mup": (0.215, 0.442, 0.652, 0.748, 0.776),
}

each_case = pytest.mark.parametrize(
    ("strength", "d_k"), [(strength, d_k) for strength in RHO for d_k in SIZES]
)


def parameters(sizes: tuple[int, ...] = SIZES, rows: int = ROWS) -> Parameters:
    """What `seeds.toml` asks for, at fewer widths."""
    return Parameters(sizes, WEAK, STRONG, KEYS, rows, BASE)


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    return stored("correlated_keys", measure(parameters(), stream("correlated_keys")))


def excess_kurtosis(rho: float, d_k: int) -> float:
    """Excess kurtosis of a match's score: that of one product of correlated normals, over d_k."""
    fourth = 9 + 42 * rho**2 + 9 * rho**4  # central moment of a product, by Isserlis
    return (fourth / (1 + rho**2) ** 2 - 3) / d_k


@each_case
def test_a_match_has_mean_rho_d_k_and_variance_d_k_and_rho_squared_more(
    result: Any, strength: str, d_k: int
) -> None:
    rho, match = RHO[strength], result[strength].at[d_k].raw.match
    variance = d_k * (1 + rho**2)
    error = math.sqrt((2 + excess_kurtosis(rho, d_k)) / ROWS)

    assert abs(match.mean - rho * d_k) < SIGMAS * math.sqrt(variance / ROWS)
    assert abs(match.sd**2 / variance - 1) < SIGMAS * error
    assert match.theory_mean == rho * d_k
    assert match.theory_sd == pytest.approx(math.sqrt(variance), rel=1e-8)


@each_case
def test_a_rival_has_variance_d_k(result: Any, strength: str, d_k: int) -> None:
    rival, others = result[strength].at[d_k].raw.rival, KEYS - 1
    error = math.sqrt((2 / d_k + 2 * (1 + 2 / d_k) / others) / ROWS)  # rivals share their query

    assert abs(rival.sd**2 / d_k - 1) < SIGMAS * error


@each_case
def test_dividing_changes_signal_and_noise_alike(result: Any, strength: str, d_k: int) -> None:
    case = result[strength].at[d_k]
    ratios = [one.match.theory_mean / one.rival.theory_sd for one in case.values()]

    assert ratios == pytest.approx([RHO[strength] * math.sqrt(d_k)] * 4, rel=1e-7)


@pytest.mark.parametrize("strength", RHO)
def test_the_root_holds_the_noise_and_d_k_holds_the_signal(result: Any, strength: str) -> None:
    rho, cases = RHO[strength], [result[strength].at[d_k] for d_k in SIZES]

    assert {case.sqrt.rival.theory_sd for case in cases} == {1}
    assert {case.dk.match.theory_mean for case in cases} == {rho}
    assert {case.mup.match.theory_mean for case in cases} == {8 * rho}
    assert [case.sqrt.match.theory_mean / rho for case in cases] == [2, 4, 8, 16, 32]


def exact_weight(rho: float, d_k: int, divisor: float) -> float:
    """Mean weight on the match, by the Gumbel rule, summed over grids of every random number."""
    square = np.linspace(max(1e-9, d_k - 9 * math.sqrt(2 * d_k)), d_k + 15 * math.sqrt(2 * d_k), 49)
    log_density = (d_k / 2 - 1) * np.log(square) - square / 2
    share = np.exp(log_density - np.max(log_density))
    v = np.linspace(-30, 60, 361)
    z = np.linspace(-6, 6, 97)
    chance = np.exp(-(z**2) / 2) / np.sum(np.exp(-(z**2) / 2))
    weights = []
    for length in np.sqrt(square):
        lead = (rho * length**2 + math.sqrt(1 - rho**2) * length * z) / divisor
        noise = np.minimum(v[:, np.newaxis] - lead, 700)
        density = np.exp(-noise - np.exp(np.minimum(-noise, 700))) @ chance
        rival = np.exp(-np.exp(np.minimum(length / divisor * z - v[:, np.newaxis], 700))) @ chance
        weights.append(np.sum(density * rival ** (KEYS - 1)) * (v[1] - v[0]))
    return float(np.sum(share * np.array(weights)) / np.sum(share))


@pytest.mark.parametrize(
    ("strength", "name", "d_k"),
    [
        *(("strong", name, 16) for name in ("raw", "sqrt", "dk", "mup")),
        *(("weak", "raw", 4), ("weak", "sqrt", 64), ("weak", "mup", 256), ("strong", "sqrt", 64)),
    ],
)
def test_the_mean_weight_on_the_match_is_that_of_the_exact_integral(
    result: Any, strength: str, name: str, d_k: int
) -> None:
    theory = exact_weight(RHO[strength], d_k, scalings(d_k, BASE)[name])
    measured = result[strength].at[d_k][name].weight

    assert abs(measured.mean - theory) < SIGMAS * measured.error


@pytest.mark.parametrize(
    ("name", "d_k", "theirs"),
    [(name, d_k, one) for name, row in FOUND.items() for d_k, one in zip(SIZES, row, strict=True)],
)
def test_the_weights_are_what_another_program_found(
    result: Any, name: str, d_k: int, theirs: float
) -> None:
    weight = result.strong.at[d_k][name].weight
    error = weight.error * math.sqrt(1 + ROWS / THEIRS[d_k])
    rounding = 0.0005

    assert abs(weight.mean - theirs) < SIGMAS * error + rounding


def test_drawing_along_the_query_gives_what_real_vectors_give() -> None:
    rho, d_k, rows = 0.5, 16, 20_000
    generator = np.random.default_rng(8)
    q, own = generator.standard_normal((2, rows, d_k))
    rivals = np.einsum("ri,rni->rn", q, generator.standard_normal((rows, KEYS - 1, d_k)))
    match = np.einsum("ri,ri->r", q, rho * q + math.sqrt(1 - rho**2) * own)
    real = np.column_stack((match, rivals))

    drawn = draw_match(rho, d_k, KEYS, rows, np.random.default_rng(9))

    for observe in (first_weight, first_weight_of_half, products):
        one, two = observe(real), observe(drawn)
        error = math.sqrt((np.var(one) + np.var(two)) / rows)
        assert abs(np.mean(one) - np.mean(two)) < SIGMAS * error


def first_weight(scores: Array) -> Array:
    """Weight on the match with the usual scale."""
    return softmax(scores / 4)[:, 0]


def first_weight_of_half(scores: Array) -> Array:
    """Weight on the match without scaling, among few of the rivals."""
    return softmax(scores[:, :3])[:, 0]


def products(scores: Array) -> Array:
    """What tells that match and rivals share their query: large scores come together."""
    products: Array = scores[:, 0] ** 2 * scores[:, 1] ** 2
    return products


@pytest.mark.parametrize("strength", RHO)
def test_at_the_base_width_mup_is_the_usual_scale(result: Any, strength: str) -> None:
    at_base = result[strength].at[BASE]

    assert (result.base, result.base_root) == (64, 8)
    assert at_base.mup == at_base.sqrt


def test_the_limits_are_those_of_a_lead_without_noise() -> None:
    assert limits(0.5, 16, 64) == {
        "dk": pytest.approx(math.exp(0.5) / (math.exp(0.5) + 15)),
        "mup": pytest.approx(math.exp(4) / (math.exp(4) + 15)),
    }


@pytest.mark.parametrize("strength", RHO)
def test_in_very_wide_heads_the_weight_reaches_its_limit(
    stream: Callable[[str], Stream], strength: str
) -> None:
    widest = measure(parameters((64, 65536), 1000), stream("correlated_keys"))[strength]

    for name, limit in widest["limit"].items():
        noise = widest["at"]["65536"][name]["rival"]["theory_sd"] ** 2  # shifts a mean by its order
        weight = widest["at"]["65536"][name]["weight"]
        assert abs(weight["mean"] - limit) < SIGMAS * weight["error"] + noise
    assert widest["at"]["65536"]["sqrt"]["weight"]["mean"] > 0.9999


@pytest.mark.parametrize("strength", RHO)
def test_only_scalings_with_d_k_in_them_stop_short_of_certainty(result: Any, strength: str) -> None:
    widest = result[strength].at[1024]

    assert min(widest.raw.weight.mean, widest.sqrt.weight.mean) > 0.97
    assert widest.mup.weight.mean < 0.8
    assert widest.dk.weight.mean < 2 * result.even


def test_the_signal_passes_the_noise_at_one_over_the_correlation_squared(result: Any) -> None:
    assert (result.strong.signal_is_noise_at, result.weak.signal_is_noise_at) == (4, 16)


def test_the_largest_error_is_that_of_the_least_certain_mean(result: Any) -> None:
    errors = [
        one.weight.error
        for strength in RHO
        for case in result[strength].at.values()
        for one in case.values()
    ]

    assert result.largest_error == max(errors)
    assert result.largest_error < 0.006


def test_adding_a_width_moves_no_other(stream: Callable[[str], Stream]) -> None:
    few = measure(parameters((4, 64), 50), stream("correlated_keys"))
    more = measure(parameters((64, 5, 4), 50), stream("correlated_keys"))

    for strength in RHO:
        assert list(more[strength]["at"]) == ["4", "5", "64"]
        assert {d_k: more[strength]["at"][d_k] for d_k in few[strength]["at"]} == few[strength][
            "at"
        ]
