"""What the tests in a real browser share: the finished page, and a browser to open it in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium
from tests.finished import Finished


@pytest.fixture(scope="module")
def file(finished: Finished) -> Path:
    """The finished page of this project's article."""
    return finished.page


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    """One browser for all tests of a module."""
    with Chromium() as chromium:
        yield chromium
