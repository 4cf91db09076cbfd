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


def test_keys_that_tie_all_lead() -> None:
    assert evidence.leaders([2.0, 5.0, 5.0, 1.0]) == [2, 3]
    assert evidence.leaders([2.0, 5.0, 4.0]) == [2]


def test_keys_are_numbered_as_people_say_them() -> None:
    say = Printer(strict=True)

    assert [evidence.numbered(say, keys) for keys in ([3], [1, 2, 4])] == ["3", "1, 2 and 4"]
