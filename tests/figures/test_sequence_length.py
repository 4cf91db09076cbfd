"""A match among ever more random keys, held against an exact integral and other measurements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sequence_length
from report.contracts import Stream
from sequence_length import Parameters, expected_weight, measure, multiplier, totals_of

LENGTHS, WEAK, STRONG, ROWS = (16, 128, 1024, 8192), 3.0, 5.0, 300
MARGIN = {"weak": WEAK, "strong": STRONG}
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
FOUND = {  # mean weights that another program found
    ("strong", "fixed"): (0.859, 0.417, 0.081, 0.011),
    ("strong", "log"): (0.859, 0.916, 0.924, 0.885),
    ("weak", "fixed"): (0.462, 0.089, 0.012, 0.0015),
    ("weak", "log"): (0.462, 0.259, 0.082, 0.013),
}

each_line = pytest.mark.parametrize(("strength", "correction"), FOUND)


def parameters(lengths: tuple[int, ...] = LENGTHS, rows: int = ROWS) -> Parameters:
    """What `seeds.toml` asks for, at the lengths that others have measured."""
    return Parameters(lengths, WEAK, STRONG, rows)


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published margins, read back."""
    return stored("sequence_length", measure(parameters(), stream("sequence_length")))


@each_line
@pytest.mark.parametrize("n", LENGTHS)
def test_the_mean_weight_is_that_of_the_exact_integral(
    result: Any, strength: str, correction: str, n: int
) -> None:
    one = result[strength].at[n][correction]

    assert abs(one.mean - one.theory) < SIGMAS * one.error


@each_line
def test_the_mean_weights_are_what_another_program_found(
    result: Any, strength: str, correction: str
) -> None:
    for n, theirs in zip(LENGTHS, FOUND[strength, correction], strict=True):
        one = result[strength].at[n][correction]
        rounding = 0.0005
        assert abs(one.mean - theirs) < SIGMAS * math.sqrt(2) * one.error + rounding


@pytest.mark.parametrize("sd", [0.1, 1.0, 2.4])
@pytest.mark.parametrize("rivals", [1, 15])
def test_the_integral_is_the_mean_over_many_drawn_rows(sd: float, rivals: int) -> None:
    rows = 100_000
    drawn = np.random.default_rng([11, rivals]).standard_normal((rows, rivals))
    weights = 1 / (1 + np.sum(np.exp(sd * drawn - 1.5), axis=1))

    actual = expected_weight(1.5, sd, rivals)

    assert abs(actual - np.mean(weights)) < SIGMAS * np.std(weights) / math.sqrt(rows)


@pytest.mark.parametrize("sd", [0.5, 2.0])
@pytest.mark.parametrize("rivals", [1, 7])
def test_every_key_expects_its_share_when_none_is_special(sd: float, rivals: int) -> None:
    z = np.linspace(-8, 8, 81)
    chance = np.exp(-(z**2) / 2) / np.sum(np.exp(-(z**2) / 2))

    actual = sum(
        share * expected_weight(sd * one, sd, rivals) for one, share in zip(z, chance, strict=True)
    )

    assert actual == pytest.approx(1 / (rivals + 1), rel=1e-9)


def test_without_spread_the_integral_is_the_softmax_itself() -> None:
    assert expected_weight(2.0, 0.0, 9) == pytest.approx(math.exp(2) / (math.exp(2) + 9), rel=1e-9)


def test_among_many_rivals_the_fixed_scale_leaves_the_annealed_weight() -> None:
    lead, n = math.exp(STRONG), 65536
    annealed = lead / (lead + (n - 1) * math.exp(0.5))  # rivals sum to their expectation

    assert expected_weight(STRONG, 1.0, n - 1) == pytest.approx(annealed, rel=1e-3)


@each_line
def test_the_theory_curve_passes_through_the_theory_of_both_ends(
    result: Any, strength: str, correction: str
) -> None:
    curve, at = result[strength].curve, result[strength].at

    assert (curve.n[0], curve.n[-1]) == (16, 8192)
    assert curve[correction][0] == pytest.approx(at[16][correction].theory, rel=1e-7)
    assert curve[correction][-1] == pytest.approx(at[8192][correction].theory, rel=1e-7)


def test_the_shortest_row_is_the_same_with_either_scale(result: Any) -> None:
    assert multiplier(16, 16) == 1
    for strength in MARGIN:
        assert result[strength].at[16].log == result[strength].at[16].fixed


def test_the_scale_grows_like_the_logarithm_of_the_length() -> None:
    assert [multiplier(n, 16) for n in (16, 256, 4096, 65536)] == pytest.approx([1, 2, 3, 4])


@pytest.mark.parametrize("strength", MARGIN)
def test_with_a_fixed_scale_any_match_is_diluted(result: Any, strength: str) -> None:
    weights = [result[strength].at[n].fixed.mean for n in LENGTHS]

    assert weights == sorted(weights, reverse=True)
    assert weights[-1] < 0.02


def test_log_n_keeps_a_strong_match_and_loses_a_weak_one(result: Any) -> None:
    assert min(result.strong.at[n].log.mean for n in LENGTHS) > 0.85
    assert result.weak.at[8192].log.mean < 0.02


def test_a_match_is_outdone_where_one_rival_is_expected_above_it(result: Any) -> None:
    generator = np.random.default_rng(12)
    above = np.mean(generator.standard_normal(2_000_000) > WEAK)
    error = math.sqrt(above / 2_000_000)
    expected = (result.weak.outdone_from - 1) * above

    assert abs(expected - 1) < SIGMAS * error / above
    assert result.strong.outdone_from > 1e6


def test_rows_without_a_match_come_close_to_even(result: Any) -> None:
    longest = result.alone["8192"]

    assert longest.even == pytest.approx(1 / 8192)
    # ln n - 1/2 for many keys of unit spread: E[z e^z] / E[e^z] = 1 less ln E[e^z] = 1/2.
    assert longest.entropy_share.mean == pytest.approx(1 - 0.5 / math.log(8192), abs=1e-3)
    shares = [result.alone[str(n)].entropy_share.mean for n in LENGTHS]
    assert shares == sorted(shares)


def test_entropy_and_largest_weight_are_those_of_the_softmax() -> None:
    n, rows = 7, 40
    z = np.random.default_rng(13).standard_normal((rows, n))
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)

    totals, alone = totals_of(n, rows, (1.0, 2.5), np.random.default_rng(13))

    assert alone["top"]["mean"] == pytest.approx(np.mean(np.max(p, axis=1)))
    entropy = np.mean(-np.sum(p * np.log(p), axis=1)) / math.log(n)
    assert alone["entropy_share"]["mean"] == pytest.approx(entropy)
    assert totals[1] == pytest.approx(np.sum(np.exp(2.5 * z[:, 1:]), axis=1))


@pytest.mark.parametrize("chunk", [1, 16, 33, 2**20])
def test_the_chunk_size_moves_no_row(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    whole, _ = totals_of(16, 50, (1.0, 2.0), np.random.default_rng(3))
    monkeypatch.setattr(sequence_length, "CHUNK", chunk)

    chunked, _ = totals_of(16, 50, (1.0, 2.0), np.random.default_rng(3))

    assert chunked == pytest.approx(whole, rel=1e-12)


def test_adding_a_length_moves_no_other(stream: Callable[[str], Stream]) -> None:
    few = measure(parameters((16, 64), 20), stream("sequence_length"))
    more = measure(parameters((64, 17, 16), 20), stream("sequence_length"))

    assert more["lengths"] == [16, 17, 64]
    assert {n: more["alone"][n] for n in few["alone"]} == few["alone"]
    for strength in MARGIN:
        assert {n: more[strength]["at"][n] for n in few[strength]["at"]} == few[strength]["at"]


def test_the_largest_error_is_that_of_the_least_certain_mean(result: Any) -> None:
    errors = [
        result[strength].at[n][correction].error for strength, correction in FOUND for n in LENGTHS
    ]

    assert result.largest_error == max(errors)
    assert result.largest_error < 0.01
