"""What the tests of the experiments share: the example, real streams, and results read back."""

from __future__ import annotations

import tracemalloc
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


@pytest.fixture(scope="session")
def peak_memory() -> Callable[[Callable[[], object]], int]:
    """Bytes that a call takes at most."""

    def peak(call: Callable[[], object]) -> int:
        tracemalloc.start()
        try:
            call()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return peak


@pytest.fixture
def say() -> Printer:
    """A printer that refuses a number no result holds."""
    return Printer(strict=True)
