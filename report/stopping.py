"""Ends a command when it is told to, by Ctrl-C or by the system, but not amid what cannot be left halfway.

An exception may be raised between any two steps of Python: with a lock just taken that nobody will let
go of, or where Python drops it, as in the end of an object. So what must not be cut off holds it back, and
whoever waits asks whether one was lost.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

SAID: Final = {
    signal.SIGINT: "stopped; what is there is whole, and the next build goes on from it.",
    signal.SIGTERM: "terminated; what is there is whole, and the next build goes on from it.",
}


class Stopped(BaseException):
    """Someone asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = signal.Signals(number)


class _heard:  # noqa: N801 - there is one, and no more of its kind
    """What the process was told, and how many hold it back."""

    number: int | None = None
    holding = 0
    is_due = False  # it was held back, and nobody was stopped for it yet


def heed() -> None:
    """Raise Stopped, from here on, when the process is told to end."""
    _heard.number, _heard.is_due = None, False
    _answer(_hear)


def ignore() -> None:
    """Let nothing stop what is left to do, to the very end of the process.

    Python takes back whatever answers a signal before it ends, and then that would end it; but it lets be
    what is ignored.
    """
    with deaf():
        _answer(_overhear)
        _answer(signal.SIG_IGN)
    _heard.number, _heard.is_due = None, False


@contextmanager
def deaf() -> Iterator[None]:
    """Keep signals waiting, and from the processes that start meanwhile."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SAID)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _answer(way: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in SAID:
        signal.signal(number, way)


def _hear(number: int, frame: FrameType | None) -> None:
    del frame
    _answer(_overhear)  # impatience must not cut off the tidying up
    _heard.number, _heard.is_due = number, bool(_heard.holding)
    if not _heard.is_due:
        raise Stopped(number)


def _overhear(number: int, frame: FrameType | None) -> None:
    """Do nothing: where a signal came already, Python complains if it is to be ignored by now."""
    del number, frame


@contextmanager
def held() -> Iterator[None]:
    """Hold back what would stop the process until the end of a block."""
    _heard.holding += 1
    try:
        yield
    finally:
        _heard.holding -= 1
    if _heard.is_due and not _heard.holding:
        _heard.is_due = False
        ask()


def ask() -> None:
    """Raise Stopped if the process was told to end, also if that was lost on the way."""
    if _heard.number is not None and not _heard.holding:
        raise Stopped(_heard.number)
