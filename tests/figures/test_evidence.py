"""The evidence of a claim gives the ends of what was found, and one number where they are one."""

from __future__ import annotations

import evidence
from report.numbers import Printer


def test_a_series_is_told_by_its_ends() -> None:
    assert evidence.first_to_last(Printer(), [0.45, 2.0, 0.12345]) == "0.45 to 0.123"


def test_a_range_is_told_from_low_to_high() -> None:
    assert evidence.lowest_to_highest(Printer(), [0.45, 2.0, 0.12345], 2) == "0.12 to 2"


def test_ends_that_print_alike_are_one_number() -> None:
    assert evidence.first_to_last(Printer(), [1.0001, 1.0002], 2) == "1.0"
