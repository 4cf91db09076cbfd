"""Where the example stands among random rows, held against exact sums over their law."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import typical_rows
from attention import Array, Example, jacobian, softmax
from report.contracts import Stream
from report.numbers import Printer
from rows import standard_normal_grid
from typical_rows import Parameters, histogram, log_steepest, measure, octaves, portrait

ROW, D_K, ROWS = (8.0, 0.0, -8.0, 4.0), 64, 200_000
SIGMAS = 5  # a true theory is farther off once in 1.7 million measurements
ERROR = 0.5 / math.sqrt(ROWS)  # the most a share of so many rows errs


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    answer = measure(Parameters(Example(ROW, D_K), ROWS), stream("typical_rows"))
    return stored("typical_rows", answer)


def small(stream: Callable[[str], Stream], row: tuple[float, ...], d_k: int) -> Any:
    """An answer of few rows."""
    return measure(Parameters(Example(row, d_k), 500), stream("typical_rows"))


def norms(d_k: int) -> tuple[Array, Array]:
    """Places and weights of the norm of a query of d_k standard normals, a chi distribution."""
    norm = np.linspace(1e-6, math.sqrt(d_k) + 9, 801)
    log_density = (d_k - 1) * np.log(norm) - norm**2 / 2
    density = np.exp(log_density - np.max(log_density))
    return norm, density / np.sum(density)


def below(x: Array) -> Array:
    """Share of a standard normal below each value."""
    tails = [math.erfc(-one / math.sqrt(2)) / 2 for one in x.ravel()]
    return np.array(tails).reshape(x.shape)


def test_the_gap_of_the_example_stands_where_theory_puts_it(result: Any) -> None:
    x, weight = standard_normal_grid()
    x, weight = x[::8], weight[::8] * 8
    norm, share = norms(D_K)
    wider = 4 * np.sum(weight * below(x - 4 / norm[:, np.newaxis]) ** 3, axis=1)
    theory = 1 - np.sum(share * wider)

    assert abs(result.rank.gap - theory) < SIGMAS * ERROR


def test_the_spread_of_the_example_stands_where_theory_puts_it(result: Any) -> None:
    norm, share = norms(D_K)
    radius = result.example.spread * 2 / norm  # squared it is chi-squared, with three degrees
    inside = 2 * below(radius) - 1 - radius * np.exp(-(radius**2) / 2) * math.sqrt(2 / math.pi)

    assert abs(result.rank.spread - np.sum(share * inside)) < SIGMAS * ERROR


def test_the_example_is_the_row_of_the_article(result: Any) -> None:
    weights = softmax(np.array(ROW))
    slope = {divisor: np.max(jacobian(softmax(np.array(ROW) / divisor))) for divisor in (1, 8)}

    assert result.example == {
        "top": pytest.approx(weights[0], rel=1e-8),
        "gap": 4,
        "spread": pytest.approx(math.sqrt(35), rel=1e-8),
        "raw": pytest.approx(slope[1], rel=1e-8),
        "sqrt": pytest.approx(slope[8], rel=1e-8),
        "ratio": pytest.approx(slope[8] / slope[1], rel=1e-8),
    }
    assert (result["keys"], result.d_k, result.root) == (4, 64, 8)


@pytest.mark.parametrize(
    ("share", "theirs"), [("q05", 0.569), ("q25", 0.875), ("q50", 0.989), ("q75", 0.9997)]
)
def test_top_weights_are_what_another_program_found(result: Any, share: str, theirs: float) -> None:
    assert result.random.top[share] == pytest.approx(theirs, abs=0.004)


def test_the_ratio_is_spread_as_another_program_found(result: Any) -> None:
    ratio = result.random.ratio

    assert ratio.q50 == pytest.approx(22.9, rel=0.05)
    assert ratio.q10 == pytest.approx(1.04, abs=0.015)
    assert ratio.q90 == pytest.approx(51_000, rel=0.15)
    assert result.mean.ratio == pytest.approx(3.73, rel=0.02)
    assert abs(result.less_steep.input - 0.082) < SIGMAS * math.sqrt(2) * ERROR
    assert abs(result.rank.top - 0.455) < SIGMAS * math.sqrt(2) * ERROR


def test_the_zones_add_up(result: Any) -> None:
    zones = [result.less_steep.input, result.steeper.input_only, result.steeper.raw_score]

    assert sum(zones) == pytest.approx(1)
    assert result.less_steep.raw_score == pytest.approx(sum(zones[:2]))


def test_the_bars_hold_all_rows(result: Any) -> None:
    bars = result.histogram

    assert sum(bars.shares) + bars.beyond == pytest.approx(1)
    assert sum(bars.shares[: -bars.lowest]) == pytest.approx(result.less_steep.input)
    assert bars.beyond < 0.01


def test_a_bar_is_an_octave() -> None:
    actual = histogram(octaves(np.array([0.5, 0.99, 1, 1.99, 2, 3.99, 4, 7] * 100 + [1e9])))

    assert actual["lowest"] == -1
    assert actual["shares"] == pytest.approx([200 / 801] * 4)
    assert actual["beyond"] == pytest.approx(1 / 801)


def test_the_steepest_entry_is_that_of_the_leading_key() -> None:
    rows = np.sort(3 * np.random.default_rng(4).standard_normal((300, 5)), axis=-1)
    expected = [np.max(jacobian(row)) for row in softmax(rows)]

    assert np.exp(log_steepest(rows)) == pytest.approx(expected, rel=1e-12)


def test_the_steepest_entry_outlives_underflow() -> None:
    assert log_steepest(np.array([[-2000.0, -1000.0, 0.0]])) == pytest.approx([-1000])


def test_with_two_keys_scaling_never_makes_a_row_less_steep(
    stream: Callable[[str], Stream],
) -> None:
    assert small(stream, (1.0, 0.0), 64)["less_steep"]["input"] == 0


def test_one_component_leaves_every_ratio_at_one(stream: Callable[[str], Stream]) -> None:
    actual = small(stream, (0.5, 0.0, 1.0), 1)

    assert actual["random"]["ratio"] == dict.fromkeys(actual["random"]["ratio"], 1)
    assert actual["histogram"] == {"lowest": 0, "shares": [1], "beyond": 0}


def test_the_widest_head_has_ratios_that_can_be_stored(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> None:
    actual = stored("typical_rows", small(stream, (300.0, -300.0, 300.0), 65536))

    assert 1e20 < actual.random.ratio.q95 <= 1e300


def test_ties_count_half() -> None:
    assert typical_rows.below(np.array([1.0, 2, 2, 3]), 2) == 2


def test_eight_times_the_rows_take_no_more_memory(
    stream: Callable[[str], Stream],
    peak_memory: Callable[[Callable[[], object]], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def peak(rows: int) -> int:
        parameters = Parameters(Example(ROW, D_K), rows)
        return peak_memory(lambda: measure(parameters, stream("typical_rows")))

    monkeypatch.setattr(typical_rows, "CHUNK", 2**11)
    peak(2**11)  # what is loaded or kept once is not counted

    assert peak(2**16) < 1.1 * peak(2**13)


def test_a_portrait_does_not_mind_the_order_of_the_keys() -> None:
    one, two = (portrait(np.array([row]), 64) for row in (ROW, ROW[::-1]))

    assert {name: float(value[0]) for name, value in one.items()} == pytest.approx(
        {name: float(value[0]) for name, value in two.items()}
    )


def test_shares_err_by_less_than_told(result: Any) -> None:
    assert result.largest_error == pytest.approx(ERROR)


def test_the_data_table_has_a_line_for_each_comparison(result: Any) -> None:
    table = typical_rows.describe(result, Printer())["table"]

    assert len(table["rows"]) == len(result.example)
