"""Real processes: time limits, deaths, interruptions, and one build at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from report import worker
from report.crew import Pool, outcome
from report.errors import Mistake
from report.project import open_project, read_settings
from tests.conftest import Tiny

PATIENCE = 60  # seconds after which a test gives up on a process


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    """One worker process."""
    pool = Pool(1, tmp_path / "cache")
    yield pool
    pool.stop(now=True)


def measured(pool: Pool, tiny: Tiny, stem: str, limit: float) -> str:
    """Measure in a process of the pool."""
    project = open_project(tiny.root)
    settings = read_settings(project)
    future = pool.start(limit, worker.measure, project, stem, settings)
    found: worker.Measured = outcome(future, stem, "measuring", limit)
    return found.text


def test_the_pdf_has_a_process_of_its_own_beside_several_that_share_the_rest(
    tmp_path: Path,
) -> None:
    before = dict(os.environ)
    pool, alone = Pool(2, tmp_path / "cache"), Pool(1, tmp_path / "cache")
    try:
        crews = pool, alone
        [shared, one] = ([each.start(PATIENCE, os.getpid).result() for _ in "ab"] for each in crews)
        [apart, same] = (each.start(PATIENCE, worker.ready, False) for each in crews)
        assert (apart.result(), same.result()) == (None, None)
        assert pool._printer is not None
        printer = pool._printer.start(PATIENCE, os.getpid).result()
    finally:
        alone.stop()  # it was born last
        pool.stop()

    assert printer not in shared
    assert alone._printer is None
    assert len(set(one)) == 1
    assert dict(os.environ) == before


def test_a_pdf_alone_leaves_nothing_behind(tmp_path: Path) -> None:
    before = dict(os.environ)
    pool = Pool(2, tmp_path / "cache")
    assert pool.start(PATIENCE, worker.ready, False).result() is None
    pool.stop()

    assert dict(os.environ) == before


@pytest.mark.slow
def test_an_experiment_that_never_ends_is_stopped_at_its_limit_and_work_goes_on(
    pool: Pool, tiny: Tiny
) -> None:
    tiny.in_measure("while True: pass")
    with pytest.raises(Mistake) as stopped:
        measured(pool, tiny, "roll", limit=2)
    other = measured(pool, tiny, "faces", limit=PATIENCE)

    assert str(stopped.value) == (
        "figures/roll.py: measuring took longer than 2 seconds and was stopped; make it faster, or"
        " allow more with `limit` under [build] in seeds.toml."
    )
    assert '"share": 0.166666667' in other


@pytest.mark.slow
@pytest.mark.parametrize(
    ("death", "how"),
    [
        ("import os; os.kill(os.getpid(), 9)", "the process was killed by signal 9"),
        ("import os; os.kill(os.getpid(), 15)", "the process was killed by signal 15"),
        ("import os; os._exit(3)", "the process ended by itself with status 3"),
        ("import os; os._exit(0)", "the process ended by itself with status 0"),
    ],
)
def test_an_experiment_that_dies_is_named_and_work_goes_on(
    pool: Pool, tiny: Tiny, death: str, how: str
) -> None:
    tiny.in_measure(death)
    with pytest.raises(Mistake) as died:
        measured(pool, tiny, "roll", limit=PATIENCE)
    other = measured(pool, tiny, "faces", limit=PATIENCE)

    assert str(died.value) == (
        f"figures/roll.py: {how} while measuring; if memory ran out, ask for less of it; then run"
        " the command again."
    )
    assert '"share": 0.166666667' in other


@pytest.mark.slow
def test_where_no_cache_can_be_kept_drawing_goes_on_in_silence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").write_text("a file where a folder should be", "utf-8")
    pool = Pool(1, tmp_path / "full" / "cache")
    outcome(pool.start(PATIENCE, exec, "import report.drawing.canvas"), "", "asking", PATIENCE)
    pool.stop()

    assert capfd.readouterr() == ("", "")


def test_a_mistake_keeps_its_place_on_the_way_between_processes(pool: Pool, tiny: Tiny) -> None:
    tiny.in_measure("1 / 0")
    with pytest.raises(Mistake) as raised:
        measured(pool, tiny, "roll", limit=PATIENCE)

    assert str(raised.value) == (
        "figures/roll.py, line 31: measuring stopped with ZeroDivisionError: division by zero;"
        " correct it and run the command again."
    )


def test_workers_take_the_environment_and_this_process_keeps_its_own(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    seen = outcome(pool.start(PATIENCE, os.getenv, "PYTHONHASHSEED"), "", "asking", PATIENCE)
    threads = outcome(pool.start(PATIENCE, os.getenv, "OPENBLAS_NUM_THREADS"), "", "asking", 1)
    pool.stop()

    assert (seen, threads) == ("0", "1")
    assert os.environ["PYTHONHASHSEED"] == "7"


# The command line as a process


def start(still: Path, tiny: Tiny) -> subprocess.Popen[str]:
    """Start `report figures` in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "report", "figures", "--project", str(tiny.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=still / "templates",
        env={**os.environ, "PYTHONPATH": str(still)},
    )


def wait_for(path: Path) -> str:
    """Wait until a file says something."""
    for _ in range(PATIENCE * 20):
        if path.exists() and (text := path.read_text("utf-8")):
            return text
        time.sleep(0.05)
    raise AssertionError(f"{path.name} never appeared")


def gone(pid: int) -> bool:
    """Wait until a process is no more."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_an_interrupted_build_leaves_no_process_and_nothing_half(
    still: Path, tiny: Tiny, tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    waiting = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    tiny.in_measure(waiting)
    process = start(still, tiny)
    worker_pid = int(wait_for(pid))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does; other ways are slow (test_kills.py)
    out, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert err == "Error: stopped; what is there is whole, and the next build goes on from it.\n"
    assert "Traceback" not in out
    assert gone(worker_pid)
    assert not list(tiny.root.rglob("*.part"))
    assert not tiny.path("figures/roll.json").exists()


@pytest.mark.slow
def test_of_two_builds_at_once_the_second_waits_and_finds_nothing_to_do(
    still: Path, tiny: Tiny
) -> None:
    first = start(still, tiny)
    wait_for_lock(tiny)
    second = start(still, tiny)
    said = [process.communicate(timeout=PATIENCE) for process in (first, second)]

    assert [err for _, err in said] == ["", ""]
    assert said[1][0].splitlines() == [
        "Another build of this project is running; this one waits for it.",
        "Nothing to do: every result and picture asked for is up to date.",
    ]


def wait_for_lock(tiny: Tiny) -> None:
    """Wait until a build works in the project."""
    import fcntl

    folder = os.open(tiny.root, os.O_RDONLY)
    for _ in range(PATIENCE * 50):
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(folder)
            return
        fcntl.flock(folder, fcntl.LOCK_UN)
        time.sleep(0.02)
    raise AssertionError("no build began")


LATE = """
import signal, sys, time
if any("spawn_main" in word for word in sys.orig_argv):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1)
"""
STOPS = """
import time
from pathlib import Path
from report.crew import Pool
if __name__ == "__main__":
    pool = Pool(2, Path("cache"))
    pool.start(60, time.sleep, 0)
    pool.stop()
"""


def test_a_process_that_was_still_starting_when_its_pool_was_stopped_says_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "sitecustomize.py").write_text(LATE)
    (tmp_path / "stops.py").write_text(STOPS)
    line = [sys.executable, "stops.py"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
