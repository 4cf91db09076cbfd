"""Builds that are ended, fail or find no room: nothing is lost, nothing half, and the next one is right."""

from __future__ import annotations

import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from report.glance import unsealed
from tests.builds import REMEMBERED, made_files, make
from tests.conftest import Tiny, laid
from tests.nobody import as_nobody

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("undisturbed", "swift"),
    pytest.mark.skipif(sys.platform != "linux", reason="not proved: watching a build needs Linux"),
]

ROOT: Final = Path(__file__).parent.parent
PROCESSES: Final = Path("/proc")
PATIENCE: Final = 60  # seconds after which a test gives up on a process
GOES_ON: Final = "what is there is whole, and the next build goes on from it.\n"
SAID: Final = {
    signal.SIGINT: f"Error: stopped; {GOES_ON}",
    signal.SIGTERM: f"Error: terminated; {GOES_ON}",
    signal.SIGKILL: "",
}


# A project to build, and a process that builds it


@dataclass(frozen=True)
class World:
    """A project that was built and then edited: its made files before and after the next build."""

    tiny: Tiny
    old: dict[str, bytes]
    new: dict[str, bytes]

    def torn(self) -> dict[str, bytes]:
        """The made files as a build left them: each the whole old or the whole new one."""
        found = made_files(self.tiny)
        assert found.keys() == self.old.keys() == self.new.keys()
        assert [name for name in found if found[name] not in (self.old[name], self.new[name])] == []
        for path in self.tiny.path("build").rglob("*"):
            if path.name in REMEMBERED:
                unsealed(path.read_bytes())
        return found

    def is_mended(self) -> None:
        """Build once more: all is right, nothing is left over, and nothing is left to do."""
        make(self.tiny)
        assert made_files(self.tiny) == self.new
        assert self.parts() == []
        assert make(self.tiny).ran == []

    def parts(self) -> list[Path]:
        """The files that are not in place yet."""
        return list(self.tiny.root.rglob("*.part"))


@pytest.fixture
def world(tiny: Tiny, tmp_path: Path) -> World:
    """The small project; the next build makes every one of its files anew."""
    make(tiny)
    old = made_files(tiny)
    tiny.edit("seeds.toml", "sides = 6", "sides = 8")
    other = tiny.copy(tmp_path / "undisturbed")
    make(other)
    return World(tiny, old, made_files(other))


@dataclass(frozen=True)
class Line:
    """A command line that builds, halts at a place and leaves a mark there."""

    still: Path
    mark: Path

    def words(self, tiny: Tiny, *words: str) -> list[str]:
        """What is typed."""
        line = [sys.executable, str(ROOT / "tests" / "halting.py"), "build"]
        return [*line, "--project", str(tiny.root), *words]

    def env(self, halt: str = "", quick: str = "yes") -> dict[str, str]:
        """Where it is typed."""
        path = f"{self.still}:{ROOT}"
        told = {"HALT": halt, "HALT_MARK": str(self.mark), "HALT_QUICK": quick}
        return {**os.environ, "PYTHONPATH": path, **told}

    def start(
        self, tiny: Tiny, *words: str, halt: str = "", quick: str = "yes"
    ) -> subprocess.Popen[str]:
        """Start the build in a session of its own."""
        self.mark.unlink(missing_ok=True)
        return subprocess.Popen(
            self.words(tiny, *words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self.env(halt, quick),
        )

    def reached(self) -> str:
        """Wait until the build says where it is."""
        for _ in range(PATIENCE * 50):
            if self.mark.exists():
                return self.mark.read_text("utf-8")
            time.sleep(0.02)
        raise AssertionError("the build never came to its place")


@pytest.fixture
def line(still: Path, tmp_path: Path) -> Line:
    """The command line."""
    return Line(still, tmp_path / "mark")


def end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """End a build as a terminal, a system or a merciless user does: its status and its last words."""
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # Ctrl-C reaches every process
    else:
        process.send_signal(number)
    return finished(process)


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end of a build: its status and what it complained of."""
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in out
    return process.returncode, err


def status_of(number: signal.Signals) -> int:
    """The exit status of a build that was ended so; nothing can answer SIGKILL."""
    return -number if number == signal.SIGKILL else 128 + number


def survivors(session: int) -> list[str]:
    """Name the processes of a session that are still there after a while."""
    for _ in range(100):
        if not (
            names := [
                each for path in PROCESSES.glob("[0-9]*/stat") if (each := _of(path, session))
            ]
        ):
            break
        time.sleep(0.05)
    return names


def _of(stat: Path, session: int) -> str:
    """Name a process if it lives and belongs to a session."""
    try:
        name, _, rest = stat.read_text("utf-8").rpartition(") ")
    except OSError:  # it is gone
        return ""
    state, _, _, its = rest.split()[:4]
    return name if int(its) == session and state != "Z" else ""


# Ended from outside


def stage(name: str) -> int:
    """Say where in a build a file is made: 0 a result, 1 a drawing, 2 an output."""
    outputs = ("build/throws", "build/reading.json")  # and what the page tells
    return 0 if re.match(r"figures/.*\.json", name) else 2 if name.startswith(outputs) else 1


# phase: where it halts, the stages done by then, the file that is being written, how it is ended
PHASES: Final = {
    "measure": ("measure 1", 0, "", SAID),
    "store": ("write roll.json 1", 0, "roll.json", SAID),
    "draw": ("draw 1", 0, "", (signal.SIGINT,)),
    "page": ("page 1", 2, "", (signal.SIGTERM,)),
    "PDF": ("paper 1", 2, "", (signal.SIGKILL,)),
    "rename": ("replace throws.html 1", 2, "throws.html", SAID),
    "record": ("replace record.json 2", 3, "record.json", SAID),
}


@pytest.mark.parametrize(
    ("phase", "number"), [(phase, number) for phase, each in PHASES.items() for number in each[3]]
)
def test_a_build_ended_in_any_phase_leaves_every_file_whole_and_the_next_is_right(
    world: World, line: Line, phase: str, number: signal.Signals
) -> None:
    place, done, writing, _ = PHASES[phase]
    process = line.start(world.tiny, "--jobs", "1", halt=place)
    assert line.reached() == place
    half = [path.name[1:].rsplit(".", 2)[0] for path in world.parts()]
    status, said = end(process, number)
    torn = world.torn()

    assert writing in ("", *half)
    assert {stage(name) for name in torn if torn[name] != world.old[name]} <= {0, *range(done)}
    assert all(torn[name] == world.new[name] for name in torn if stage(name) < done)
    assert (status, said) == (status_of(number), SAID[number])
    assert survivors(process.pid) == []
    assert number == signal.SIGKILL or world.parts() == []
    world.is_mended()


@pytest.fixture(scope="module")
def seconds(still: Path, tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long a build takes from its first line of code to its end."""
    folder = tmp_path_factory.mktemp("timed")
    line = Line(still, folder / "mark")
    process = line.start(laid(folder / "tiny"))
    line.reached()
    began = time.perf_counter()
    assert finished(process) == (0, "")
    return time.perf_counter() - began


@pytest.mark.parametrize("chance", range(20))
def test_a_build_ended_at_a_random_moment_leaves_every_file_whole_and_the_next_is_right(
    world: World, line: Line, seconds: float, tmp_path: Path, chance: int
) -> None:
    number = list(SAID)[chance % len(SAID)]
    moment = random.Random(chance).uniform(0, seconds)
    status = 0
    while status == 0:  # it was done sooner this time
        hit = World(world.tiny.copy(tmp_path / f"{moment}"), world.old, world.new)
        process = line.start(hit.tiny, "--jobs", str(1 + chance % 2))
        line.reached()
        time.sleep(moment)
        status, said = end(process, number)
        moment /= 2
    before = {-signal.SIGTERM: "", 128 + signal.SIGINT: "Error: stopped before anything began.\n"}

    assert (status, said) in [(status_of(number), SAID[number]), *before.items()]
    assert survivors(process.pid) == []
    assert number == signal.SIGKILL or hit.parts() == []
    hit.torn()
    hit.is_mended()


def test_builds_ended_while_they_really_draw_and_set_leave_every_file_whole(
    line: Line, tmp_path: Path
) -> None:
    tiny, undisturbed = laid(tmp_path / "tiny"), laid(tmp_path / "undisturbed")
    assert finished(line.start(undisturbed, quick="")) == (0, "")
    whole = made_files(undisturbed)
    for place in ("draw 1", "page 1", "paper 1"):
        process = line.start(tiny, halt=place, quick="")
        assert line.reached() == place
        time.sleep(random.Random(place).uniform(0, 0.5))
        assert end(process, signal.SIGKILL) == (-signal.SIGKILL, "")
        assert survivors(process.pid) == []
        assert made_files(tiny).items() <= whole.items()

    assert finished(line.start(tiny, quick="")) == (0, "")
    assert made_files(tiny) == whole


@pytest.mark.parametrize("number", SAID)
def test_a_terminal_is_left_clean(world: World, line: Line, number: signal.Signals) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    words = ["setsid", "--ctty", *line.words(world.tiny)]
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, env=line.env("measure 1")
    )
    screen = ""
    while " measuring" not in screen:
        screen += os.read(ours, 65536).decode()
    if number == signal.SIGINT:
        os.write(ours, b"\x03")  # Ctrl-C
    else:
        process.send_signal(number)
    status = process.wait(PATIENCE)
    while select.select([ours], [], [], 0.2)[0]:
        screen += os.read(ours, 65536).decode()
    after = termios.tcgetattr(theirs)
    os.close(ours)
    os.close(theirs)

    assert status == status_of(number)
    assert after == before
    assert screen.rfind("\x1b[?25h") >= screen.rfind("\x1b[?25l")  # one sees the cursor
    if SAID[number]:  # no line of what was under way is left
        assert " measuring" not in screen.rpartition("\x1b[2K")[2]
        assert screen.endswith(SAID[number].replace("\n", "\r\n"))
    assert survivors(process.pid) == []


def test_a_build_that_waits_for_another_takes_over_when_that_is_killed(
    world: World, line: Line
) -> None:
    first = line.start(world.tiny, halt="replace throws.html 1")
    line.reached()
    second = line.start(world.tiny)
    assert second.stdout
    waits = second.stdout.readline()
    assert end(first, signal.SIGKILL) == (-signal.SIGKILL, "")
    out, err = second.communicate(timeout=PATIENCE)

    assert waits == "Another build of this project is running; this one waits for it.\n"
    assert re.search(r"^Set page, PDF; \d reused\. ", out, re.MULTILINE)
    assert (second.returncode, err) == (0, "")
    assert made_files(world.tiny) == world.new


# Ended from inside

FAULTS: Final = {
    "raises": (
        "1 / 0",
        "figures/roll.py, line 31: measuring stopped with ZeroDivisionError: division by zero;"
        " correct it and run the command again.",
    ),
    "never ends": (
        "import time; time.sleep(600)",
        "figures/roll.py: measuring took longer than 8 seconds and was stopped; make it faster, or"
        " allow more with `limit` under [build] in seeds.toml.",
    ),
    "is killed": (
        "import os; os.kill(os.getpid(), 9)",
        "figures/roll.py: the process was killed by signal 9 while measuring; if memory ran out, ask"
        " for less of it; then run the command again.",
    ),
    "leaves": (
        "import os; os._exit(0)",
        "figures/roll.py: the process ended by itself with status 0 while measuring; if memory ran"
        " out, ask for less of it; then run the command again.",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_experiment_that_fails_is_named_with_what_to_do_and_the_others_are_kept(
    world: World, line: Line, fault: str
) -> None:
    code, sentence = FAULTS[fault]
    sound = world.tiny.read("figures/roll.py")
    world.tiny.in_measure(code)
    world.tiny.edit("seeds.toml", "[faces]", "[build]\nlimit = 8\n\n[faces]")
    process = line.start(world.tiny)
    ended = finished(process)
    torn = world.torn()

    assert ended == (2, f"Error: {sentence}\n")
    assert survivors(process.pid) == []
    assert world.parts() == []
    assert torn["figures/faces.json"] == world.new["figures/faces.json"]
    assert torn["figures/roll.json"] == world.old["figures/roll.json"]
    assert torn["build/throws.html"] == world.old["build/throws.html"]
    world.tiny.write("figures/roll.py", sound)
    world.is_mended()


def test_an_experiment_that_dies_while_it_is_loaded_is_named(world: World, line: Line) -> None:
    world.tiny.edit("figures/roll.py", "from chance", "import os\n\nos._exit(0)\nfrom chance")

    assert finished(line.start(world.tiny)) == (
        2,
        "Error: figures/roll.py: the process ended by itself with status 0 while loading; if memory"
        " ran out, ask for less of it; then run the command again.\n",
    )
    assert world.torn() == world.old


# No room, no right

FULL: Final = """
mount -t tmpfs -o size=16m tmpfs "$DISK" && echo mounted || exit
cp -a "$PROJECT" "$DISK/tiny"
dd if=/dev/zero of="$DISK/filler" bs=4096 2>/dev/null
truncate -s "-$FREE" "$DISK/filler"
"$@"; echo "status $?"
cp -a "$DISK/tiny" "$TORN"
"""


def untouched(file: str, why: str) -> str:
    """What is said, as a pattern, where a file cannot be written."""
    then = "see to it and run the command again, for what was there before is untouched"
    what = rf"this file cannot be written \({why}\)"
    return rf"Error: (\S*/)?{re.escape(file)}: {what}; {then}\.\n"


@pytest.mark.parametrize(
    ("free", "file"), [(0, "faces.json"), (4096, "record.json"), (400_000, "throws.html")]
)
def test_on_a_full_disk_nothing_is_lost_and_with_room_the_next_build_is_right(
    tiny: Tiny, line: Line, tmp_path: Path, free: int, file: str
) -> None:
    tiny.write("templates/article.md", tiny.read("templates/article.md") + "Words. " * 100_000)
    make(tiny)
    old = made_files(tiny)
    tiny.edit("seeds.toml", "sides = 6", "sides = 8")
    disk, torn = tmp_path / "disk", tmp_path / "torn"
    disk.mkdir()
    own = [] if os.geteuid() == 0 else ["--map-root-user"]
    script = ["unshare", "--mount", *own, "sh", "-c", FULL, "sh", *line.words(Tiny(disk / "tiny"))]
    places = {"DISK": disk, "PROJECT": tiny.root, "TORN": torn, "FREE": free}
    env = line.env() | {name: str(place) for name, place in places.items()}
    ran = subprocess.run(script, env=env, capture_output=True, text=True, check=False)
    if "mounted" not in ran.stdout:
        pytest.skip(
            f"not proved: this machine lets nobody mount a small disk ({ran.stderr.strip()})"
        )
    make(tiny)
    world = World(Tiny(torn), old, made_files(tiny))

    assert re.findall(r"^status (\d)$", ran.stdout, re.MULTILINE) == ["2"]
    assert re.fullmatch(untouched(file, "No space left on device"), ran.stderr)
    world.torn()
    assert world.parts() == []
    world.is_mended()


def powerless(command: Sequence[str]) -> list[str]:
    """Give a command to someone whom the rights of files hold back."""
    return as_nobody(command) if os.geteuid() == 0 else [*command]


@pytest.mark.parametrize(
    ("folder", "file"),
    [("figures", "faces.json"), ("build", "record.json"), ("build/drawings", "faces-wide.svg")],
)
def test_in_a_folder_without_rights_nothing_is_lost_and_with_them_the_next_build_is_right(
    world: World, line: Line, folder: str, file: str
) -> None:
    place = world.tiny.path(folder)
    place.chmod(0o555)
    can = subprocess.run(powerless(["test", "-w", str(place)]), capture_output=True, check=False)
    if can.returncode == 0 or can.stderr:
        pytest.skip(f"not proved: no one is held back on this machine ({can.stderr.decode()})")
    words = powerless(line.words(world.tiny, "--jobs", "1"))
    ran = subprocess.run(words, env=line.env(), capture_output=True, text=True, check=False)
    place.chmod(0o755)

    assert ran.returncode == 2
    assert re.fullmatch(untouched(file, "Permission denied"), ran.stderr)
    world.torn()
    assert world.parts() == []
    world.is_mended()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_sweep_that_never_ends_stops_at_once_and_leaves_no_process(
    tiny: Tiny, sent: signal.Signals
) -> None:
    tiny.write(
        "figures/roll.py", tiny.read("figures/roll.py") + "\n\ndef claims(result, say): ...\n"
    )
    tiny.edit("figures/chance.py", "    return total", "    while True: pass\n    return total")
    line = [sys.executable, "-m", "report", "sweep", "--project", str(tiny.root), "roll"]
    sweep = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(5)  # its processes are busy by then
    sweep.send_signal(sent)
    _, told = sweep.communicate(timeout=PATIENCE)

    assert told == SAID[sent]
    assert survivors(sweep.pid) == []
