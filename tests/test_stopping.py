"""A wish to end stops a command where nothing is left halfway, and is never lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import _base as futures
from threading import Timer
from typing import Any

import pytest

from report import stopping
from report.crew import first
from report.stopping import Stopped, ask, held


@pytest.fixture(autouse=True)
def _heeding() -> Iterator[None]:
    """Heed for one test, as a command does."""
    before = {number: signal.getsignal(number) for number in stopping.SAID}
    stopping.heed()
    yield
    stopping.ignore()
    for number, way in before.items():
        signal.signal(number, way)


@pytest.mark.parametrize("number", stopping.SAID)
def test_a_wish_to_end_stops_at_once_and_says_which_it_was(number: signal.Signals) -> None:
    with pytest.raises(Stopped) as stopped:
        signal.raise_signal(number)

    assert stopped.value.number is number


def test_what_is_held_comes_at_the_end_of_the_outermost_block() -> None:
    steps: list[int] = []

    def work() -> None:
        with held():
            with held():
                signal.raise_signal(signal.SIGINT)
                steps.append(1)
            steps.append(2)
        steps.append(3)

    with pytest.raises(Stopped):
        work()

    assert steps == [1, 2]


def test_who_is_stopped_once_can_tidy_up_undisturbed() -> None:
    with pytest.raises(Stopped):
        signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)
    with held():
        pass


def test_another_wish_amid_the_first_is_no_fault() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, stopping.SAID)
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Stopped):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stopping.SAID)

    with held():
        pass


class Dropping:
    """An object at whose end Python drops what is raised."""

    def __del__(self) -> None:
        """End while the process is told to."""
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_wish_that_python_dropped_is_found_by_who_waits() -> None:
    Dropping()

    with pytest.raises(Stopped):
        first([Future()])


def test_a_wait_is_stopped_with_no_lock_of_a_task_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[Future[Any]] = [Future(), Future()]
    take = futures._AcquireFutures.__enter__

    def told(self: Any) -> None:
        take(self)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(futures._AcquireFutures, "__enter__", told)
    with pytest.raises(Stopped):
        first(tasks)

    setting = Timer(0, tasks[0].set_result, [1])
    setting.start()
    assert tasks[0].result(timeout=5) == 1


def test_nothing_stops_what_is_left_when_all_is_done() -> None:
    stopping.ignore()
    signal.raise_signal(signal.SIGINT)

    ask()


@pytest.mark.parametrize("number", stopping.SAID)
def test_nothing_stops_a_process_that_is_just_ending(number: signal.Signals) -> None:
    code = f"""
import signal
from report import stopping

class Last:
    def __del__(self, tell=signal.raise_signal):
        tell({int(number)})

stopping.heed()
stopping.ignore()
signal.last = Last()  # it goes with the module, when Python has taken its handlers back
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
