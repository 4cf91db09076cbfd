"""The scale folded away: the same run to rounding, and another one where the rate is left alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import divisors
from folded_scale import FOLDS, OPTIMIZERS, SAME, Parameters, apart, fold, measure, table
from heads import draw_head
from report.contracts import Stream

PUBLISHED = Parameters(64, 8, 16, 3.0, 64, 200, 0.3, 0.004, 0.02)


@pytest.fixture(scope="module")
def result(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for the published parameters, read back."""
    return stored("folded_scale", measure(PUBLISHED, stream("folded_scale")))


@pytest.fixture(scope="module")
def uneven(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Any:
    """The answer for a width whose root has no end."""
    asked = dataclasses.replace(PUBLISHED, d_k=48, steps=50)
    return stored("folded_scale", measure(asked, stream("folded_scale")))


def test_folded_heads_start_with_the_scores_of_the_scaled_head() -> None:
    for d_k in (1, 48, 64):
        heads = fold(draw_head(4, d_k, np.random.default_rng(d_k)), 1 / divisors(d_k)["sqrt"])
        scaled, *folded = heads.maps()

        assert all(np.max(np.abs(one - scaled)) < 1e-14 for one in folded)


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("where", FOLDS)
def test_at_the_rate_asked_for_a_folded_run_is_the_scaled_one(
    result: Any, uneven: Any, kind: str, where: str
) -> None:
    assert result[kind][where].apart == 0
    assert uneven[kind][where].apart == 0


@pytest.mark.parametrize("kind", ["descent", "adam"])
@pytest.mark.parametrize("where", FOLDS)
def test_at_the_old_rate_it_is_another_run(result: Any, kind: str, where: str) -> None:
    assert result[kind][where].unchanged > 0.1


@pytest.mark.parametrize("where", FOLDS)
def test_steps_relative_to_weights_need_no_other_rate(result: Any, where: str) -> None:
    assert result.relative[where] == {"apart": 0, "times": 1, "unchanged": 0}


def test_the_rates_follow_the_powers_of_the_scale(result: Any) -> None:
    assert result.scale == 1 / 8
    assert (result.descent.both.times, result.descent.query.times) == (1 / 8, 1 / 64)
    assert (result.adam.both.times, result.adam.query.times) == (pytest.approx(8**-0.5), 1 / 8)


def test_the_epsilon_of_adam_breaks_the_fold_a_little(result: Any) -> None:
    assert SAME < result.with_epsilon.apart < 1e-4


def test_all_optimizers_start_from_one_loss(result: Any) -> None:
    assert len({result[kind].first for kind in OPTIMIZERS}) == 1


def test_rounding_counts_as_no_difference() -> None:
    assert apart(np.array([1.0, 2.0]), np.array([1.0, 2 + 1e-12])) == 0
    assert apart(np.array([1.0, 2.0]), np.array([1.0, 2.5])) == 0.5


def test_the_same_stream_gives_the_same_answer(stream: Callable[[str], Stream]) -> None:
    few = dataclasses.replace(PUBLISHED, steps=5)

    assert measure(few, stream("folded_scale")) == measure(few, stream("folded_scale"))


def test_the_table_has_a_row_for_each_optimizer_and_fold(result: Any, say: Any) -> None:
    shown = table(result, say)
    names = [row[0] for row in shown["rows"]]

    assert len(set(names)) == len(OPTIMIZERS) * len(FOLDS)
    assert {len(row) for row in shown["rows"]} == {len(shown["columns"])}
    assert shown["rows"][1][1:] == ["0.0156", "under 1 × 10⁻⁹", "1.1"]
