"""Worker processes: one pool for a whole build, with time limits that are kept."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Protocol

from report import worker
from report.errors import Mistake

HEARING = 0.2  # seconds


@contextmanager
def born_with(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the processes that start meanwhile, before they import anything."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from what starts meanwhile: it is the build's to end its processes.

    A new process could not ignore it before Python is up, but it inherits what its parent blocks.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Crew(Protocol):
    """Whoever runs tasks: the pool of a build, or a stand-in that runs them on the spot."""

    def start(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a task, for at most `limit` seconds."""

    def stop(self, *, now: bool = False) -> None:
        """End the processes; `now` does not wait for what they do."""


class Pool:
    """A pool of processes that starts with its first task."""

    def __init__(self, jobs: int, cache: Path) -> None:
        """Take the number of processes, and a folder they may keep caches in."""
        self.jobs, self.cache = jobs, cache
        self._pool: Any = None
        self._birth = ExitStack()

    def start(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Future[Any]:
        """Hand a task to the next free process, to be stopped after `limit` seconds."""
        if self._pool is None:
            self._open()
        with deaf_to_interrupts():  # the first task starts the processes
            future: Future[Any] = self._pool.schedule(task, args=args, timeout=limit)
        return future

    def _open(self) -> None:
        from pebble import ProcessPool  # noqa: PLC0415 - loads slowly, and not every build needs it

        self._birth.enter_context(born_with(worker.environment(self.cache)))
        resource_tracker.ensure_running()  # later it would start by itself, and not deaf
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPool(self.jobs, initializer=worker.begin, context=context)

    def stop(self, *, now: bool = False) -> None:
        """End the processes; `now` does not wait for what they do."""
        if self._pool is None:
            return
        if now:
            for child in multiprocessing.active_children():
                child.kill()
        self._pool.stop()
        self._pool.join()
        self._pool = None
        self._birth.close()


class Staff(Executor):
    """A crew as an executor of the standard library, which gives each task so many seconds.

    Whatever ends its `with` ends the processes at once: nobody is left to take what they would give.
    """

    def __init__(self, crew: Crew, limit: float) -> None:
        self._crew, self._limit = crew, limit

    def submit(self, task: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Hand a task to the crew."""
        return self._crew.start(self._limit, partial(task, **named) if named else task, *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        del wait, cancel_futures
        self._crew.stop(now=True)


def first(running: Collection[Future[Any]]) -> list[Future[Any]]:
    """Wait until at least one of some tasks is done, and give those that are, in their order.

    It looks up now and then: a signal that comes just before a wait is heard only after it.
    """
    while not (done := wait(running, HEARING, FIRST_COMPLETED).done):
        pass
    return [each for each in running if each in done]


def outcome(future: Future[Any], stem: str, doing: str, limit: float) -> Any:
    """Give what a task gave; raise Mistake where its process was stopped or died."""
    file = f"figures/{stem}.py" if stem else None
    first([future])
    try:
        return future.result()
    except TimeoutError:
        raise Mistake(
            f"{doing} took longer than {limit:g} seconds and was stopped",
            file=file,
            then="make it faster, or allow more with `limit` under [build] in seeds.toml",
        ) from None
    except Exception as error:
        if (code := getattr(error, "exitcode", None)) is None:
            raise
        code = 0 if code == worker.LEFT else code
        how = f"was killed by signal {-code}" if code < 0 else f"ended by itself with status {code}"
        raise Mistake(
            f"the process {how} while {doing}",
            file=file,
            then="if memory ran out, ask for less of it; then run the command again",
        ) from None


def cores() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
