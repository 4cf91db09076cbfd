"""The front door: what a machine lacks is brought or named, and `make` hands on what was asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from report import system
from report.errors import Mistake
from report.system import Need

ROOT = Path(__file__).parent.parent
PANGO = Need("Pango", lambda: False, "libpango-1.0-0", "pango", "pango")
FONTCONFIG = Need("Fontconfig", lambda: False, "libpangoft2-1.0-0", "pango", "pango")
PRESENT = Need("Python", lambda: True, "python3")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that set-up would have run; none is."""
    commands: list[list[str]] = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(list(command))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("report.system.subprocess.run", run)
    return commands


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A machine with just these programs, this user and this system."""

    def have(*programs: str, user: int = 1000, platform: str = "linux") -> None:
        monkeypatch.setattr(
            "report.system.shutil.which", lambda name: name if name in programs else None
        )
        monkeypatch.setattr("report.system.os.geteuid", lambda: user)
        monkeypatch.setattr("report.system.sys.platform", platform)

    return have


def _sentence(*needs: Need) -> str:
    with pytest.raises(Mistake) as caught:
        system.provide(needs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("programs", "platform", "expected"),
    [
        (
            ["apt-get"],
            "linux",
            "type `sudo apt-get install --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0`, ",
        ),
        (["dnf"], "linux", "type `sudo dnf install pango`, "),
        (["brew"], "darwin", "type `brew install pango`, "),
        (
            [],
            "linux",
            "install it (Debian, Ubuntu: `sudo apt-get install --no-install-recommends"
            " libpango-1.0-0 libpangoft2-1.0-0`; Fedora: `sudo dnf install pango`;"
            " macOS: `brew install pango`), ",
        ),
    ],
)
def test_what_is_missing_is_named_with_the_words_to_type(
    machine: Callable[..., None], programs: list[str], platform: str, expected: str
) -> None:
    machine(*programs, platform=platform)

    assert _sentence(PANGO, PRESENT, FONTCONFIG) == (
        f"this machine lacks Pango and Fontconfig; {expected}then type make again."
    )


def test_root_installs_what_is_missing_without_being_asked(
    machine: Callable[..., None], ran: list[list[str]]
) -> None:
    machine("apt-get", user=0)
    late = Need("Pango", lambda: bool(ran), "libpango-1.0-0")

    system.provide([late, PRESENT])

    assert [command[2:] for command in ran] == [
        ["apt-get", "-qq", "update"],
        ["apt-get", "-qq", "install", "--yes", "--no-install-recommends", "libpango-1.0-0"],
    ]


def test_a_user_with_a_free_sudo_installs_through_it(
    machine: Callable[..., None], ran: list[list[str]]
) -> None:
    machine("apt-get", "sudo")
    late = Need("Pango", lambda: len(ran) > 1, "libpango-1.0-0")

    system.provide([late])

    assert [command[:2] for command in ran] == [["sudo", "-n"]] * 3


def test_an_installation_that_brings_nothing_ends_in_the_sentence(
    machine: Callable[..., None], ran: list[list[str]]
) -> None:
    machine("apt-get", user=0)

    assert "libpango-1.0-0" in _sentence(PANGO)
    assert len(ran) == 2


def test_a_machine_that_lacks_nothing_is_left_alone(ran: list[list[str]]) -> None:
    system.provide([PRESENT])

    assert ran == []


def test_a_library_nobody_has_is_not_found() -> None:
    found = system.loads("no-such-library", "libno-such-library.so.0")

    assert found is False


def test_the_libraries_are_those_the_pdf_engine_opens() -> None:
    from weasyprint.text import ffi

    opened = re.findall(r"'lib([a-z0-9.-]+)\.so\.\d'", Path(ffi.__file__).read_text())
    named = {
        "gobject-2.0",
        "pango-1.0",
        "pangoft2-1.0",
        "harfbuzz",
        "harfbuzz-subset",
        "fontconfig",
    }

    assert set(opened) - {"harfbuzz-vector"} == named  # that one is asked for and not needed
    assert len(system.LIBRARIES) == len(named)


# The environment


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a Makefile, pinned libraries, and an environment that only notes what it is told."""
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nfor word; do printf "<%s>" "$word"; done; echo; exit $STATUS\n')
    python.chmod(0o755)
    os.utime(python, (0, 0))
    for name in ("ready-report", "ready-test"):
        (tmp_path / ".venv" / name).touch()
    return tmp_path


@pytest.fixture
def prepared(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Callable[[], None], list[str]]:
    """Set-up for a build, and what it did, with nothing really installed."""
    done: list[str] = []
    monkeypatch.setattr(system, "provide", lambda _: done.append("looked"))
    monkeypatch.setattr(system, "_create", lambda _: None)
    monkeypatch.setattr(system, "_runs", lambda _: True)
    monkeypatch.setattr(system, "_fetch", lambda *_: done.append("fetched"))
    return lambda: system.prepare(checkout, "report"), done


def test_set_up_looks_at_the_machine_first_and_works_once(
    prepared: tuple[Callable[[], None], list[str]], checkout: Path
) -> None:
    prepare, done = prepared

    prepare()
    (checkout / "requirements.txt").touch()
    prepare()

    assert done == ["looked", "fetched"]


def test_a_changed_pin_is_fetched(
    prepared: tuple[Callable[[], None], list[str]], checkout: Path
) -> None:
    prepare, done = prepared
    prepare()
    done.clear()

    with (checkout / "requirements.txt").open("a") as file:
        file.write("another==1.0\n")
    prepare()

    assert done == ["looked", "fetched"]


def test_a_fetch_that_fails_is_tried_again(
    prepared: tuple[Callable[[], None], list[str]], checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, done = prepared
    stamp = checkout / ".venv" / "ready-report"
    stamp.unlink()

    def fail(*_: object) -> None:
        raise Mistake("no network")

    with monkeypatch.context() as patch:
        patch.setattr(system, "_fetch", fail)
        with pytest.raises(Mistake):
            prepare()

    assert not stamp.exists()
    prepare()
    assert done == ["looked", "looked", "fetched"]


def test_a_mistake_is_one_sentence_and_exit_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacking(*_: object) -> None:
        raise Mistake("this machine lacks Pango", then="install it")

    monkeypatch.setattr(system, "prepare", lacking)

    assert system.main("report") == 2
    assert capsys.readouterr().err == "report: this machine lacks Pango; install it.\n"


# make


def _make(
    checkout: Path, *words: str, path: str = os.defpath, status: int = 0
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [shutil.which("make") or "make", "--no-print-directory", *words],
        cwd=checkout,
        env={"PATH": path, "STATUS": str(status)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["report"], "<-m><report><build>"),
        (
            ["report", "SEED=7", "PAPER=letter"],
            "<-m><report><build><--seed><7><--paper><letter>",
        ),
        (["report", "FRESH=1", "JOBS=2"], "<-m><report><build><--fresh><--jobs><2>"),
        (["report", "FRESH=0"], "<-m><report><build>"),
        (
            ["report", "SET=score_spread.trials=50000 example.d_k=128"],
            "<-m><report><build><--set><score_spread.trials=50000 example.d_k=128>",
        ),
        (
            ["report", "SET=example.scores=[1, 2]\nexample.name='a  b'", "SEED=7\n8"],
            "<-m><report><build><--seed><7 8><--set><example.scores=[1, 2] example.name='a  b'>",
        ),
        (
            ["report", "SET=example.name='it;$$(id)'"],
            "<-m><report><build><--set><example.name='it;$(id)'>",
        ),
        (["figures", "SEED=7"], "<-m><report><figures><--seed><7>"),
        (["figures/score_spread.svg"], "<-m><report><figures><score_spread>"),
    ],
)
def test_make_hands_on_what_was_asked_and_starts_nothing_else(
    checkout: Path, words: list[str], expected: str
) -> None:
    assert _make(checkout, *words).stdout == f"{expected}\n"


@pytest.mark.parametrize("wish", ["seed=7", "SINCES=old.pdf", "DRAFT=1"])
def test_a_wish_that_make_does_not_know_is_refused(checkout: Path, wish: str) -> None:
    ran = _make(checkout, "report", wish)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"there is no '{wish.partition('=')[0]}' to wish for; there are SEED SET " in ran.stderr


def test_a_figure_that_stands_already_is_still_the_generators_to_judge(checkout: Path) -> None:
    (checkout / "figures").mkdir()
    (checkout / "figures" / "score_spread.svg").touch()

    assert _make(checkout, "figures/score_spread.svg").stdout.startswith("<-m><report><figures>")


def test_a_failed_build_keeps_its_exit_status(checkout: Path) -> None:
    assert _make(checkout, "report", status=2).returncode == 2


@pytest.mark.parametrize("change", ["requirements.txt", ".venv/ready-report", ".venv/bin/python"])
def test_a_new_pin_a_lost_stamp_or_a_lost_interpreter_sets_up_again(
    checkout: Path, change: str
) -> None:
    path = checkout / change
    if path.suffix == ".txt":
        os.utime(path, (2**31, 2**31))
    else:
        path.unlink()

    assert "-m report.system report" in _make(checkout, "-n", "report").stdout


def test_an_old_python_is_named_in_one_sentence(checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "id"):
        (programs / name).symlink_to(shutil.which(name) or name)
    for name in ("python3", "apt-get"):  # one too old, one with nothing to offer
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    (checkout / ".venv" / "ready-report").unlink()

    ran = _make(checkout, "report", path=str(programs))

    assert ran.returncode == 2
    assert ran.stderr.splitlines()[0] == (
        "report: this machine lacks Python 3.11 or newer; install it (Debian, Ubuntu:"
        " `sudo apt-get install python3-venv`; Fedora: `sudo dnf install python3`; macOS:"
        " `brew install python`), then type make again."
    )


# With the libraries really out of reach


def _hidden_from(command: Sequence[str], programs: Path) -> subprocess.CompletedProcess[str]:
    """Run a command where every file of Pango is an empty one, and apt-get can do nothing."""
    found = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    files = {Path(path).resolve() for path in re.findall(r"libpango\S*\.so\S* .*=> (\S+)", found)}
    hide = " && ".join(f"mount --bind /dev/null {file}" for file in sorted(files))
    own = [] if os.geteuid() == 0 else ["--map-root-user"]
    script = f'{hide} && echo hidden && exec "$@"'
    return subprocess.run(
        ["unshare", "--mount", *own, "sh", "-c", script, "sh", *command],
        cwd=ROOT,
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="not proved: hiding a library needs Linux")
def test_without_pango_set_up_says_so_in_one_sentence_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "apt-get").write_text("#!/bin/sh\nexit 100\n")
    (tmp_path / "apt-get").chmod(0o755)
    code = (
        "import sys; from report import system;"
        "system.prepare = lambda *_: system.provide(system.LIBRARIES);"
        "sys.exit(system.main('report'))"
    )
    ran = _hidden_from([sys.executable, "-c", code], tmp_path)
    if "hidden" not in ran.stdout:
        pytest.skip(f"not proved: this machine lets nobody hide a library ({ran.stderr.strip()})")

    sentence = (
        "report: this machine lacks Pango and PangoFT2; type `sudo apt-get install"
        " --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0`, then type make again."
    )
    assert ran.stderr.splitlines()[-1] == sentence
    assert ran.returncode == 2


# What the project declares


def _pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+)", "\n".join(lines), re.M))


def _names(requirements: Sequence[str]) -> set[str]:
    return {re.split(r"[^a-z0-9-]", each)[0] for each in requirements}


def test_every_declared_library_is_pinned() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = declared["dependency-groups"]
    run = _names([*declared["project"]["dependencies"], *groups["build"]])

    assert run - _pins("requirements.txt").keys() == set()
    assert _names(groups["test"]) - _pins("requirements-dev.txt").keys() == set()


def test_the_two_lists_of_pins_agree() -> None:
    run, test = _pins("requirements.txt"), _pins("requirements-dev.txt")

    assert {name: test[name] for name in run.keys() & test} == {
        name: run[name] for name in run.keys() & test
    }


@pytest.mark.slow
def test_a_wheel_carries_the_default_templates_and_the_command(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        [points] = [archive.read(name) for name in names if name.endswith("entry_points.txt")]
    templates = {
        f"report/default/{file.relative_to(ROOT / 'templates').as_posix()}"
        for file in (ROOT / "templates").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }

    assert b"report = report.__main__:main" in points
    assert templates - names == set()
    assert "report/cli.py" in names
