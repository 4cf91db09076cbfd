"""What the tests of the experiments share: the example, real streams, and results read back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from report.contracts import Stream
from report.numbers import Printer
from report.results import dumps, loads
from report.streams import stream_for

SEED = 2017


@pytest.fixture(scope="session")
def stream() -> Callable[[str], Stream]:
    """Streams as the build makes them."""
    return lambda stem: stream_for(SEED, stem)


@pytest.fixture(scope="session")
def stored() -> Callable[[str, object], Any]:
    """An answer as `describe` and `draw` get it: written to JSON and read back."""
    return lambda stem, answer: loads(stem, dumps(stem, answer))


@pytest.fixture
def say() -> Printer:
    """A printer that refuses a number no result holds."""
    return Printer(strict=True)
