"""A Dask cluster as a crew: its workers run tasks in processes like those of a build.

They see the project in the same folder as whoever asks, shared or on one machine, and one that sees
anything else there measures nothing.
"""

from __future__ import annotations

import logging
import multiprocessing
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from typing import Any, cast

from distributed import Client, Reschedule, Worker, WorkerPlugin, get_worker
from distributed.comm.addressing import get_address_host_port

from report import alike
from report.crew import Pool
from report.errors import Mistake

HEARD = 10  # seconds in which a scheduler has to answer
_connect: Callable[..., Any] = Client  # its methods are typed by halves: what it gives is Any
LEVEL = ("python", "distributed")  # who speaks with each other has the same version of these


class Cluster:
    """The workers of a scheduler. What one was doing when it died, another does again.

    That goes on as often as the scheduler allows for; then the task is one that workers died over.
    """

    def __init__(self, client: Any, name: str) -> None:
        """Take a client, and the name under which each worker keeps processes for it."""
        self._client, self._name = client, name
        self._executor = client.get_executor(pure=False)  # whatever else ran, a task is run

    def start(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a task on some worker, in a process that is stopped after `limit` seconds."""
        future: Future[Any] = self._executor.submit(_hand_on, self._name, limit, task, *args)
        return future

    def stop(self, *, now: bool = False) -> None:
        """Have every worker end the processes it keeps for this; the workers stay."""
        del now
        with suppress(OSError):  # where the scheduler is gone, so are its workers
            self._client.unregister_worker_plugin(self._name)


class Processes(WorkerPlugin):
    """What a worker keeps for one project: as many processes as it has threads."""

    def __init__(self, sources: alike.Sources) -> None:
        """Take what is measured."""
        self._sources = sources

    def setup(self, worker: Worker) -> None:
        """Get ready on a worker, whether it is there already or joins later."""
        multiprocessing.current_process().daemon = False  # below a nanny it is, and may start none
        self._pool = Pool(worker.state.nthreads, self._sources.project.build / "cache")
        self._turn = threading.Lock()
        self._where = f"the worker at {worker.address}"
        self._leaves = False

    def teardown(self, worker: Worker) -> None:
        """End the processes."""
        del worker
        self._leaves = True
        self._pool.stop()

    def run(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Any:
        """Run a task in the next free process, and wait for what it gives."""
        with self._turn:  # the first task opens the pool
            future = self._pool.start(limit, alike.run, self._where, self._sources, task, *args)
        try:
            return future.result()
        except Exception:
            if self._leaves:  # the process was ended with its worker: another one does it again
                raise Reschedule from None
            raise


def _hand_on(name: str, limit: float | None, task: Callable[..., Any], *args: Any) -> Any:
    """Run a task in a process of the worker this is called on."""
    return cast("Processes", get_worker().plugins[name]).run(limit, task, *args)


@contextmanager
def joined(address: str, sources: alike.Sources) -> Iterator[Cluster]:
    """Give the cluster of a scheduler; raise Mistake where it cannot be had, or is lost meanwhile."""
    name = f"report {sources.project.root}"  # one sweep at a time runs in a project
    client = _client(address)
    try:
        _check(client, address)
        _send(client, address, Processes(sources), name)
        yield Cluster(client, name)
    except CancelledError:
        what = f"the scheduler at {address} is gone"
        raise Mistake(what, then="start it again and run the command again to go on") from None
    finally:
        with suppress(OSError):
            client.close()


def _client(address: str) -> Any:
    """Connect, and leave it to sentences to say what is wrong."""
    for name in ("distributed", "distributed.client", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        get_address_host_port(address)  # a client that gets none does not end by itself
        with warnings.catch_warnings(action="ignore"):
            return _connect(address, timeout=HEARD, set_as_default=False)
    except (OSError, ValueError):
        what = f"no scheduler answers at {address}"
        raise Mistake(what, then="start one with `dask scheduler`, and name its address") from None


def _check(client: Any, address: str) -> None:
    """Raise Mistake where nobody is there to work, or somebody speaks another version."""
    told = client.get_versions()
    if not told["workers"]:
        what = f"the scheduler at {address} has no workers"
        raise Mistake(what, then=f"start some with `dask worker {address}`")
    workers = {f"the worker at {where}": there for where, there in told["workers"].items()}
    for who, there in {f"the scheduler at {address}": told["scheduler"], **workers}.items():
        for name in LEVEL:
            theirs, ours = there["packages"][name], told["client"]["packages"][name]
            if theirs != ours:
                what = f"{who} runs {name} {theirs}, and this process {ours}"
                raise Mistake(what, then="start all with the same environment")


def _send(client: Any, address: str, plugin: WorkerPlugin, name: str) -> None:
    """Have each worker, now or later, get ready; raise Mistake where one cannot load the generator."""
    try:
        client.register_plugin(plugin, name=name)
    except Exception as error:  # Dask passes on what a worker said as no exception of its own
        what = f"a worker of the scheduler at {address} cannot load this generator ({error})"
        raise Mistake(what, then="start all with the same environment") from None
