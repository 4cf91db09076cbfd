"""Worker processes: one pool for a whole build, with time limits that are kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.synchronize import RLock
from pathlib import Path
from typing import Any, Protocol

from report import worker
from report.errors import Mistake
from report.progress import plural
from report.stopping import ask, deaf, held

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


class Unfinished(Mistake):
    """A task that gave nothing: it went wrong or took too long, or its process died."""


class Suspected(Unfinished):
    """A task that whole workers of a cluster died over, or over another that they did beside it."""


class Crew(Protocol):
    """Whoever runs tasks: the pool of a build, or a stand-in that runs them on the spot."""

    def start(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a task, for at most `limit` seconds."""

    def stop(self, *, now: bool = False) -> None:
        """End the processes; `now` does not wait for what they do."""


class Context(SpawnContext):
    """Starts the processes of one pool, and holds what must last until they have ended.

    The pool lets go of the locks its processes share before it ends them, and one that was still
    starting would complain that they are gone.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._locks: list[RLock] = []
        self._processes: list[SpawnProcess] = []

    def RLock(self) -> RLock:  # noqa: N802 - the name is that of the standard library
        """Make a lock."""
        self._locks.append(lock := super().RLock())
        return lock

    def Process(self, **told: Any) -> SpawnProcess:  # type: ignore[override] # noqa: N802 - as above
        """Make a process."""
        self._processes.append(process := SpawnProcess(**told))
        return process

    def kill(self) -> None:
        """End every process, whatever it is doing."""
        for each in self._processes:
            if each.is_alive():
                each.kill()


class Pool:
    """A pool of processes that starts with its first task.

    Beside several that share the experiments, the PDF has one of its own: it loads the engine meanwhile,
    and what one has loaded another could not use.
    """

    def __init__(self, jobs: int, cache: Path) -> None:
        """Take the number of processes, and a folder they may keep caches in."""
        self.jobs, self.cache = jobs, cache
        self._printer = Pool(1, cache) if jobs > 1 else None
        self._pool: Any = None
        self._context = Context()
        self._birth = ExitStack()

    def start(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Future[Any]:
        """Hand a task to the next free process, to be stopped after `limit` seconds."""
        if self._pool is None:
            self._open()
        if self._printer and task in (worker.ready, worker.paper):
            return self._printer.start(limit, task, *args)
        # The first task starts the processes, which the build ends. They could not ignore Ctrl-C before
        # Python is up, but inherit what is blocked here; and none is left half started.
        with held(), deaf():
            future: Future[Any] = self._pool.schedule(task, args=args, timeout=limit)
        return future

    def _open(self) -> None:
        from pebble import ProcessPool  # noqa: PLC0415 - loads slowly, and not every build needs it

        self._birth.enter_context(born_with(worker.environment(self.cache)))
        resource_tracker.ensure_running()  # later it would start by itself, and not deaf
        self._pool = ProcessPool(self.jobs, initializer=worker.begin, context=self._context)

    def stop(self, *, now: bool = False) -> None:
        """End the processes: they have nothing that would have to be finished."""
        if self._pool is None:
            return
        with held():
            if self._printer:  # it was born last
                self._printer.stop(now=now)
            self._pool.stop()  # from here on no process is replaced
            self._context.kill()
            self._pool.join()
            self._pool, self._context = None, Context()
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

    It looks up now and then, to be stopped where no lock of a task is taken.
    """
    done: set[Future[Any]] = set()
    while not done:
        with held():
            done = wait(running, HEARING, FIRST_COMPLETED).done
        ask()
    return [each for each in running if each in done]


def outcome(future: Future[Any], stem: str, doing: str, limit: float) -> Any:
    """Give what a task gave; raise Unfinished where its process was stopped, or died, or all there was."""
    file = f"figures/{stem}.py" if stem else None
    first([future])
    try:
        return future.result()
    except TimeoutError:
        raise Unfinished(
            f"{doing} took longer than {limit:g} seconds and was stopped",
            file=file,
            then="make it faster, or allow more with `limit` under [build] in seeds.toml",
        ) from None
    except Exception as error:
        if (allowed := getattr(error, "allowed_failures", None)) is not None:  # as Dask tells it
            raise Suspected(
                f"{doing} ended {plural(allowed + 1, 'worker')} of the cluster",
                file=file,
                then="if memory ran out, ask for less of it, or see what the workers said; then run"
                " the command again",
            ) from None
        if (code := getattr(error, "exitcode", None)) is None:
            raise
        code = 0 if code == worker.LEFT else code
        how = f"was killed by signal {-code}" if code < 0 else f"ended by itself with status {code}"
        raise Unfinished(
            f"the process {how} while {doing}",
            file=file,
            then="if memory ran out, ask for less of it; then run the command again",
        ) from None


def cores() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
