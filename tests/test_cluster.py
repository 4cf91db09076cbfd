"""A sweep on a real Dask cluster: the same outcomes as here, whatever dies, and nothing left behind."""

from __future__ import annotations

import json
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import pytest

from report import alike
from report.asking import cluster_at
from report.crew import Suspected, outcome
from report.errors import Mistake
from report.project import open_project, read_settings
from tests.conftest import Run, Tiny
from tests.test_asking import LUCK

ROOT = Path(__file__).parent.parent
PATIENCE = 60  # seconds after which a test gives up on a process
READS = {"roll": {"": ["throws", "scale"], "dice": ["sides"]}}


@pytest.fixture
def claiming(tiny: Tiny) -> Tiny:
    """A small project whose random experiment claims something."""
    tiny.write("figures/roll.py", tiny.read("figures/roll.py") + LUCK)
    return tiny


def asked(tiny: Tiny) -> alike.Sources:
    """What a sweep of the project asks of every worker."""
    project = open_project(tiny.root)
    return alike.sources(project, read_settings(project), READS)


# The same sources


@pytest.mark.usefixtures("undisturbed")
def test_a_process_that_sees_the_same_runs_what_it_is_given(claiming: Tiny) -> None:
    assert alike.run("here", asked(claiming), max, 2, 3) == 3


@pytest.mark.usefixtures("undisturbed")
@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("figures/deeper.py", "float(sum", "float(0 + sum", "figures/deeper.py changed (total)"),
        ("figures/roll.py", '["20"] > 3.5', '["20"] > 3', "figures/roll.py changed (claims)"),
    ],
)
def test_a_process_that_sees_other_sources_measures_nothing(
    claiming: Tiny, file: str, old: str, new: str, said: str
) -> None:
    sources = asked(claiming)
    claiming.edit(file, old, new)

    with pytest.raises(Mistake) as refused:
        alike.run("the worker", sources, pytest.fail, "it measured")

    assert str(refused.value) == (
        f"the worker sees other sources or libraries than this process ({said});"
        " bring both to the same state and run the command again."
    )


def test_a_process_that_does_not_see_the_project_says_so(claiming: Tiny) -> None:
    sources = asked(claiming)
    shutil.rmtree(claiming.root)

    with pytest.raises(Mistake, match=r"the worker does not see the folder .*tiny"):
        alike.run("the worker", sources, pytest.fail, "it measured")


def test_another_version_of_a_library_is_another_world(
    claiming: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = asked(claiming)
    monkeypatch.setattr("report.freshness.PYTHON", "4.0")

    with pytest.raises(Mistake, match=r"\(Python 4\.0 -> 3\.\d+\)"):
        alike.run("the worker", sources, pytest.fail, "it measured")


# What can be wrong with a cluster


def test_without_dask_the_command_that_brings_it_is_named(
    claiming: Tiny, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "report.cluster", raising=False)
    code, _, err = run("sweep", "--project", claiming.root, "--scheduler", "tcp://127.0.0.1:1")

    assert code == 2
    assert err == (
        "Error: a sweep on a cluster needs Dask, and there is no Python module distributed;"
        " type `python -m pip install 'answering-report[cluster]'` and run the command again.\n"
    )


@pytest.mark.parametrize("address", ["", "nonsense", "tcp://127.0.0.1:x", "tcp://127.0.0.1:1"])
def test_where_no_scheduler_answers_a_sentence_says_so(
    claiming: Tiny, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    from report import cluster

    monkeypatch.setattr(cluster, "HEARD", 0.2)
    project = open_project(claiming.root)

    with (
        pytest.raises(Mistake, match=f"^no scheduler answers at {address}; "),
        cluster_at(address, project, read_settings(project), READS),
    ):
        pytest.fail("it was joined")


class StandIn:
    """A client of a scheduler with one worker, where this much is otherwise."""

    def __init__(self, **others: str) -> None:
        self.others = others

    def get_versions(self) -> dict[str, object]:
        here = {"packages": {"python": "3.11.7", "distributed": "1"}}
        there = {"packages": here["packages"] | self.others}
        return {"client": here, "scheduler": here, "workers": {"tcp://w:1": there}}

    def register_plugin(self, plugin: object, name: str) -> None:
        assert pickle.loads(pickle.dumps(plugin)), name

    def get_executor(self, *, pure: bool) -> None:
        assert not pure

    def close(self) -> None:
        """Have nothing to close."""


def joined(claiming: Tiny, monkeypatch: pytest.MonkeyPatch, **others: str) -> Any:
    from report import cluster

    monkeypatch.setattr(cluster, "_connect", lambda *_, **__: StandIn(**others))
    return cluster.joined("tcp://s:1", asked(claiming))


@pytest.mark.parametrize("name", ["python", "distributed"])
def test_a_worker_of_another_version_is_named(
    claiming: Tiny, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with (
        pytest.raises(Mistake, match=f"^the worker at tcp://w:1 runs {name} 9, and this process "),
        joined(claiming, monkeypatch, **{name: "9"}),
    ):
        pytest.fail("it was joined")


def test_a_scheduler_that_dies_is_told(claiming: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(Mistake, match=r"^the scheduler at tcp://s:1 is gone; "),
        joined(claiming, monkeypatch),
    ):
        raise CancelledError


def test_what_kills_one_worker_after_another_did_not_finish() -> None:
    from distributed import KilledWorker

    future: Future[Any] = Future()
    future.set_exception(KilledWorker("seed", None, 3))  # type: ignore[arg-type]  # who it was is not told

    with pytest.raises(Suspected) as caught:
        outcome(future, "roll", "measuring", 1)
    assert str(caught.value) == (
        "figures/roll.py: measuring ended 4 workers of the cluster; if memory ran out, ask for less of"
        " it, or see what the workers said; then run the command again."
    )


def test_processes_here_are_not_counted_for_a_cluster(run: Run, claiming: Tiny) -> None:
    code, _, err = run("sweep", "--project", claiming.root, "--jobs", "2", "--scheduler", "s:1")

    assert code == 2
    assert "--jobs counts processes here" in err


# Real processes


class Net:
    """A scheduler and workers on this machine, each with all it starts in a session of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(file))
        until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address: str = json.loads(file.read_text())["address"]

    def worker(self, *options: str, at: Path = ROOT) -> subprocess.Popen[bytes]:
        """Start a worker with one thread, and wait until it has joined."""
        scratch = str(self.folder / "scratch")
        options = ("--nthreads", "1", "--local-directory", scratch, *options)
        worker = self._start("worker", self.address, *options, at=at)
        until(lambda: "Registered to" in self._log(len(self.started)).read_text())
        return worker

    def _log(self, number: int) -> Path:
        return self.folder / f"{number}.log"

    def _start(self, *words: str, at: Path = ROOT) -> subprocess.Popen[bytes]:
        words = (*words, "--host", "127.0.0.1", "--no-dashboard")
        with self._log(len(self.started) + 1).open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                cwd=at,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def running(self) -> list[str]:
        """Whatever runs in any of the sessions."""
        sessions = {str(process.pid) for process in self.started}
        return [
            (stat.parent / "cmdline").read_text().replace("\0", " ")
            for stat in Path("/proc").glob("[0-9]*/stat")
            if stat.exists()
            if (fields := stat.read_text().rpartition(")")[2].split())[3] in sessions
            if fields[0] != "Z"
        ]

    def spawned(self) -> int:
        """How many of them other processes have spawned to work for them."""
        return sum("spawn_main" in each for each in self.running())

    def end(self) -> None:
        """End it all as a person would."""
        for process in reversed(self.started):
            process.terminate()
        for process in self.started:
            process.wait(PATIENCE)


def until(there: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Net]:
    """A scheduler without workers."""
    net = Net(tmp_path)
    yield net
    net.end()


def sweeping(
    tiny: Tiny, seeds: int, *options: str, stderr: int | None = None
) -> subprocess.Popen[str]:
    """Start a sweep by the command line."""
    words = ("sweep", "--project", str(tiny.root), "--seeds", str(seeds), *options, "roll")
    return subprocess.Popen(
        [sys.executable, "-m", "report", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


linux = pytest.mark.skipif(sys.platform != "linux", reason="not proved: watching needs Linux")


@pytest.mark.slow
@linux
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_goes_costs_no_outcome_and_nothing_is_left(
    claiming: Tiny, tmp_path: Path, net: Net, sent: signal.Signals
) -> None:
    claiming.in_measure("import time; time.sleep(0.2)")
    alone = claiming.copy(tmp_path / "alone")
    net.worker()
    gone = net.worker("--no-nanny")
    before = net.spawned()
    sweep = sweeping(claiming, 24, "--scheduler", net.address)
    until(lambda: sweep.stdout is not None and "3 seeds" in sweep.stdout.readline())
    assert net.spawned() == before + 2  # each worker measures in a process of its own
    gone.send_signal(sent)
    sweep.communicate(timeout=PATIENCE)
    sweeping(alone, 24).communicate(timeout=PATIENCE)

    assert sweep.returncode == 0
    assert gone.wait(PATIENCE) == (-sent if sent == signal.SIGKILL else 0)
    assert claiming.read("figures/sweep.json") == alone.read("figures/sweep.json")
    assert set(json.loads(alone.read("figures/sweep.json"))["roll"]["held"]["high"]) == {"0", "1"}
    until(lambda: net.spawned() == before)
    net.end()
    until(lambda: net.running() == [])


@pytest.mark.slow
@linux
def test_a_seed_that_kills_whole_workers_is_counted_apart_and_no_other_is(
    claiming: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    dies = "import os; stream('fate').integers(4) or os.kill(os.get{}(), 9)"
    alone = claiming.copy(tmp_path / "alone")
    claiming.in_measure(dies.format("ppid"))
    alone.in_measure(dies.format("pid"))
    net = Net(tmp_path)
    try:
        net.worker("--nthreads", "2")  # who dies is never alone
        sweep = sweeping(claiming, 12, "--scheduler", net.address, stderr=subprocess.PIPE)
        _, err = sweep.communicate(timeout=PATIENCE)
    finally:
        net.end()
    sweeping(alone, 12, stderr=subprocess.DEVNULL).communicate(timeout=PATIENCE)
    here, there = (
        json.loads(each.read("figures/sweep.json"))["roll"] for each in (alone, claiming)
    )

    assert sweep.returncode == 2
    assert " measuring ended 1 worker of the cluster; " in err
    assert 0 < here["held"]["high"].count("x") < 6
    assert there["held"] == here["held"]


@pytest.mark.slow
@linux
def test_what_goes_wrong_on_a_cluster_is_one_sentence(
    claiming: Tiny, net: Net, tmp_path: Path
) -> None:
    def said(seeds: int) -> str:
        sweep = sweeping(claiming, seeds, "--scheduler", net.address, stderr=subprocess.PIPE)
        _, err = sweep.communicate(timeout=PATIENCE)
        assert sweep.returncode == 2
        assert err.startswith("Error: ")
        assert err.count("\n") == 1
        return err

    assert f"the scheduler at {net.address} has no workers" in said(1)

    for name in ("report", "templates"):
        shutil.copytree(ROOT / name, tmp_path / "other" / name)
    streams = tmp_path / "other" / "report" / "streams.py"
    streams.write_text(streams.read_text().replace("entropy=seed", "entropy=seed + 1"))
    other = net.worker(at=tmp_path / "other")
    assert "other sources or libraries than this process (report/streams.py changed" in said(1)

    other.terminate()
    other.wait(PATIENCE)
    net.worker()
    claiming.in_measure("while True: pass")
    claiming.path("seeds.toml").write_text(claiming.read("seeds.toml") + "\n[build]\nlimit = 2\n")
    assert (
        "figures/roll.py: under seed 0 measuring took longer than 2 seconds and was stopped"
        in said(1)
    )
    assert not claiming.path("figures/sweep.json").exists()
