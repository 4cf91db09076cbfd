"""Names and labels of scales keep apart, move as little as needed, and print shares as people do."""

from __future__ import annotations

import pytest

import labels
from report.numbers import Printer


@pytest.mark.parametrize(
    ("share", "expected"), [(0, "0%"), (0.5, "50%"), (-0.05, "−5%"), (0.07, "7%"), (0.125, "12.5%")]
)
def test_a_share_is_labeled_in_percent(share: float, expected: str) -> None:
    assert labels.percent(Printer(strict=True), share) == expected


def test_names_that_have_room_stay_where_their_lines_end() -> None:
    assert labels.apart([50, 10, 30], 12, 0, 100) == [50, 10, 30]


def test_names_that_crowd_move_apart_by_as_little_as_needed_and_keep_their_order() -> None:
    assert labels.apart([50, 52, 90], 12, 0, 100) == pytest.approx([45, 57, 90])


def test_names_stay_between_the_ends() -> None:
    assert labels.apart([1, 2, 99], 10, 0, 100) == pytest.approx([0, 10, 99])
    assert labels.apart([98, 99], 10, 0, 100) == pytest.approx([90, 100])


def test_names_with_too_little_room_are_spread_evenly() -> None:
    assert labels.apart([5, 5, 5], 50, 0, 60) == pytest.approx([0, 30, 60])
    assert labels.apart([], 50, 0, 60) == []
