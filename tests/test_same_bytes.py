"""The same bytes whatever the surroundings, and the committed ones from nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import matplotlib as mpl
import pytest

from report.drawing import svg
from report.glance import SWEPT
from report.results import loads, same_numbers
from report.worker import TOLERANCE
from tests.builds import made_files
from tests.conftest import laid
from tests.nobody import as_nobody
from tests.test_asking import CLAIMS, LUCK
from tests.test_page import OWN

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux", reason="not proved: being someone else needs Linux"
    ),
]

ROOT: Final = Path(__file__).parent.parent
PATIENCE: Final = 600  # seconds after which a test gives up on a process

CLOCK: Final = '''
"""Python starts twenty years later: every library that asks it for the time or the day hears of then."""

import datetime
import time

LATER = 20 * 365 * 86400.25
now, local, world, said = time.time, time.localtime, time.gmtime, time.strftime
time.time = lambda: now() + LATER
time.time_ns = lambda: int(time.time() * 1e9)
time.localtime = lambda seconds=None: local(time.time() if seconds is None else seconds)
time.gmtime = lambda seconds=None: world(time.time() if seconds is None else seconds)
time.strftime = lambda shape, moment=None: said(shape, moment or time.localtime())


class Date(datetime.date):
    @classmethod
    def today(cls):
        return cls.fromtimestamp(time.time())


class Moment(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return cls.utcfromtimestamp(time.time())


datetime.date, datetime.datetime = Date, Moment
'''

# another letter where the language is Turkish
DOTTED: Final = 'canvas.text(canvas.width - 90, 30, "mean of *q_i*")'

PROBE: Final = """
import ctypes, datetime, getpass, json, locale, os, time
from report import glance
fonts = ctypes.CDLL("libfontconfig.so.1")
fonts.FcConfigGetFonts.restype = ctypes.POINTER(ctypes.c_int)
fonts.FcInit()
print(json.dumps({
    "folder": os.getcwd(),
    "generator": glance.GENERATOR,
    "user": getpass.getuser(),
    "home": os.path.expanduser("~"),
    "time zone": time.tzname,
    "year": datetime.datetime.now().year,
    "day": datetime.date.today().isoformat(),
    "locale": locale.setlocale(locale.LC_ALL, ""),
    "comma": locale.str(1.5),
    "umask": os.umask(0),
    "hashes": hash("a"),
    "fonts": fonts.FcConfigGetFonts(None, 0)[0],
}))
"""


@dataclass(frozen=True)
class Surroundings:
    """Where, when and by whom something is run."""

    place: Path
    generator: Path
    umask: int
    env: dict[str, str]
    user: str = ""

    def run(self, *words: str) -> str:
        """Run Python with some words, and give what it prints."""
        command = [sys.executable, *words]
        done = subprocess.run(
            as_nobody(command) if self.user else command,
            cwd=self.place,
            env={"PATH": os.environ["PATH"], **self.env},
            umask=self.umask,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert (done.stderr, done.returncode) == ("", 0)
        return done.stdout

    def report(self, *words: str) -> str:
        """Give a command to the generator."""
        return self.run("-m", "report", *words)


def fonts_in(folder: Path, config: Path) -> str:
    """Write what tells the system that its fonts lie in one folder."""
    config.parent.mkdir(parents=True, exist_ok=True)
    where = f"<dir>{escape(str(folder))}</dir><cachedir>{escape(str(config.parent))}</cachedir>"
    config.write_text(f"<fontconfig>{where}</fontconfig>", "utf-8")
    return str(config)


@pytest.fixture
def plain(still: Path, tmp_path: Path) -> Surroundings:
    """As most would build."""
    place = tmp_path / "plain"
    (place / "none").mkdir(parents=True)
    env = {
        "PYTHONPATH": str(still),
        "HOME": str(place),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "1",
        "FONTCONFIG_FILE": fonts_in(place / "none", place / "fonts.conf"),
    }
    return Surroundings(place, still, 0o022, env)


@pytest.fixture
def strange(still: Path, tmp_path: Path) -> Surroundings:
    """As few would build: all is different that must not matter."""
    place = tmp_path / "Ωμέγα & 'ü' 数"
    shutil.copytree(still, place / "générateur 2")
    (place / "clock").mkdir()
    (place / "clock" / "sitecustomize.py").write_text(CLOCK, "utf-8")
    some = Path(mpl.get_data_path()) / "fonts" / "ttf"
    language = ["localedef", "--inputfile", "tr_TR", "--charmap", "UTF-8", "./tr_TR.UTF-8"]
    subprocess.run(language, cwd=place, capture_output=True, check=False)  # where it is not there
    env = {
        "PYTHONPATH": f"{place}/clock:{place}/générateur 2",
        "HOME": "/nowhere",
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "tr_TR.UTF-8",
        "LOCPATH": str(place),
        "PYTHONHASHSEED": "4242",
        "SOURCE_DATE_EPOCH": "86400",
        "FONTCONFIG_FILE": fonts_in(some, place / "fonts.conf"),
    }
    return Surroundings(place, place / "générateur 2", 0o077, env, "nobody")


def surroundings(one: Surroundings, two: Surroundings) -> dict[str, tuple[Any, Any]]:
    """What is different about two surroundings, as a process there sees it; all of it should be."""
    seen, other = (json.loads(each.run("-c", PROBE)) for each in (one, two))
    return {name: (seen[name], other[name]) for name in seen if seen[name] != other[name]}


def test_two_builds_under_different_everything_are_the_same_bytes(
    plain: Surroundings, strange: Surroundings
) -> None:
    here, there = laid(plain.place / "project"), laid(strange.place / "a  project")
    for tiny in (here, there):
        for name, text in OWN.items():
            tiny.write(name, text)
        tiny.write("figures/faces.py", tiny.read("figures/faces.py") + CLAIMS)
        tiny.write("figures/roll.py", tiny.read("figures/roll.py") + LUCK)
        tiny.edit("figures/roll.py", "canvas.height = 60", f"canvas.height = 60\n    {DOTTED}")
    for path in there.root.rglob("*"):
        os.utime(path, (0, 0))
    plain.report("build", "--project", "project", "--jobs", "1")
    strange.report("figures", "roll", "--project", str(there.root))
    strange.report("build", "--project", "a  project", "--jobs", "2")

    ours, theirs = made_files(here), made_files(there)
    assert len(ours) > 16
    assert [
        name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)
    ] == []
    assert surroundings(plain, strange).keys() == json.loads(plain.run("-c", PROBE)).keys()


def test_every_committed_result_and_picture_comes_again_from_nothing(
    strange: Surroundings,
) -> None:
    clone = strange.place / "clone"
    made = shutil.ignore_patterns("*.json", "*.svg", "__pycache__")
    for name in ("figures", "templates"):
        shutil.copytree(ROOT / name, clone / name, ignore=made)
    patient = f"\n[build]\nlimit = {PATIENCE}  # other tests run beside this one\n"
    (clone / "seeds.toml").write_text((ROOT / "seeds.toml").read_text("utf-8") + patient, "utf-8")
    strange.report("figures", "--project", str(clone), "--quiet")
    committed, again = (
        {path.name: path.read_text("utf-8") for path in (root / "figures").glob("*.[js][sv][og]*")}
        for root in (ROOT, clone)
    )
    del committed[SWEPT]  # the sweep of many seeds, which takes hours

    assert again.keys() == committed.keys()
    assert [name for name in again if not agree(name, committed[name], again[name])] == []


def agree(name: str, one: str, two: str) -> bool:
    """Tell whether two results hold the same numbers, or two pictures the same words and coordinates."""
    if name.endswith(".svg"):
        return svg.same(one, two, TOLERANCE)
    return same_numbers(loads(name, one), loads(name, two), TOLERANCE)
