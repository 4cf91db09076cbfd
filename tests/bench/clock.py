"""Runs whole processes and says what they cost: time on the clock, time of the processors, and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

Kind = Literal["wall", "cpu"]

UNIT = 2**20 if sys.platform == "darwin" else 2**10  # of the system's count of memory, to a MiB


@dataclass(frozen=True)
class Cost:
    """What one command took, with all processes it started and waited for."""

    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # MiB of the process that took most
    said: str  # both of its outputs

    def of(self, kind: Kind) -> float:
        """Seconds of one kind."""
        return self.wall if kind == "wall" else self.cpu


def run(words: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end; raise RuntimeError with what it said if it fails."""
    with tempfile.TemporaryFile("w+") as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            words, cwd=folder, stdout=out, stderr=out, env={**os.environ, **(variables or {})}
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}:\n{said}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / UNIT, said)


@contextmanager
def one_core() -> Iterator[None]:
    """Let commands run on one processor only, where the system can say so."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def ratio(costs: Sequence[Cost], to: Sequence[Cost], of: Kind = "wall") -> float:
    """The median of how many times the cost of the other each is, pair by pair: both ran in turn."""
    return median(a.of(of) / b.of(of) for a, b in zip(costs, to, strict=True))


def middle(costs: Sequence[Cost], of: Kind = "wall") -> float:
    """The median of one kind of cost."""
    return median(each.of(of) for each in costs)
