"""What a sentence quotes of somebody's text shows, and is no longer than a sentence bears."""

from __future__ import annotations

import pytest

from report.errors import LONG, shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("as it is", "as it is"),
        ("on\n two\tlines ", "on two lines"),
        ("clears\x1b[2Jthe screen", "clears\ufffd[2Jthe screen"),
        ("x" * LONG, "x" * LONG),
        ("x" * LONG + "y", "x" * (LONG - 1) + "…"),
    ],
)
def test_a_quoted_text_stands_on_one_line_that_shows_and_is_cut(text: str, shown: str) -> None:
    assert shortened(text) == shown


def test_a_quoted_text_is_cut_to_the_length_that_is_asked() -> None:
    assert shortened("twelve words", 8) == "twelve…"
