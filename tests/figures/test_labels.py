"""Labels of scales keep apart, and print shares as people read them."""

from __future__ import annotations

import pytest

import labels
from report.numbers import Printer


@pytest.mark.parametrize(
    ("share", "expected"), [(0, "0%"), (0.5, "50%"), (-0.05, "−5%"), (0.07, "7%"), (0.125, "12.5%")]
)
def test_a_share_is_labeled_in_percent(share: float, expected: str) -> None:
    assert labels.percent(Printer(strict=True), share) == expected
