"""A whole small project with two figures, for any test that needs one to build, edit or break."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import hypothesis
import jinja2
import pytest

from report import crew, experiment, freshness, glance, worker
from report.__main__ import main
from report.code import Reach
from report.freshness import Depends
from tests.finished import Finished
from tests.stand_ins import STAND_INS

# A busy machine is slow, which proves nothing of the code
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")

SEEDS = """\
# A small world.
seed = 11  # base of every stream

[dice]  # shared by both
sides = 6

[roll]
throws = [10, 20]  # how often
scale = 1.5

[faces]
label = "face"
"""

ROLL = '''\
"""How far does the mean of some throws stray?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, MinLen

from chance import mean


@dataclass(frozen=True)
class Dice:
    """The die."""

    sides: Annotated[int, Ge(2)]


@dataclass(frozen=True)
class Parameters:
    """What is thrown."""

    dice: Dice
    throws: Annotated[tuple[Annotated[int, Ge(1)], ...], MinLen(1)]
    scale: float


def measure(parameters, stream):
    """Throw, and average."""
    sides = parameters.dice.sides
    means = {n: mean(stream(n).integers(1, sides + 1, n)) for n in parameters.throws}
    return {"sides": sides, "scale": parameters.scale, "means": {str(n): m for n, m in means.items()}}


def describe(result, say):
    """Say the means."""
    rows = [[n, say.fixed(m, 2)] for n, m in result["means"].items()]
    first = say.fixed(next(iter(result["means"].values())), 2)
    alt = (
        f"Marks for the mean of throws of a die with {say.count(result['sides'])} sides; the first"
        f" lies at {first}. Each is one mean, and longer rows of throws stray less from the middle."
    )
    table = {"caption": "Means.", "columns": ["Throws", "Mean"], "rows": rows}
    return {"alt": alt, "description": [alt], "table": table}


def draw(result, canvas):
    """One mark for each mean."""
    canvas.height = 60
    for index, each in enumerate(result["means"].values()):
        canvas.marks([(40 + 60 * index, 30)], "ink")
        canvas.text(50 + 60 * index, 30, canvas.say.fixed(each, 2), centered=True)
'''

FACES = '''\
"""How likely is each face?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, MinLen

LOW = 1


@dataclass(frozen=True)
class Dice:
    """The die."""

    sides: Annotated[int, Ge(2)]


@dataclass(frozen=True)
class Parameters:
    """What is counted."""

    dice: Dice
    label: Annotated[str, MinLen(1)]


def measure(parameters, stream):
    """Give every face its share."""
    sides = parameters.dice.sides
    return {"label": parameters.label, "low": LOW, "sides": sides, "share": 1 / sides}


def describe(result, say):
    """Say the share."""
    share = say.fixed(result["share"], 3)
    alt = (
        f"A bar for the share of each of the {say.count(result['sides'])} sides of a die: all reach"
        f" {share}, since no side comes up more often than another when the die is a fair one."
    )
    table = {"caption": "Shares.", "columns": ["Face", "Share"], "rows": [["each", share]]}
    return {"alt": alt, "description": [alt], "table": table}


def draw(result, canvas):
    """One bar."""
    canvas.height = 60
    canvas.rectangle(40, 10, 200 * result["share"], 20, "ink")
    canvas.text(40, 50, canvas.say.fixed(result["share"], 3))
'''

CHANCE = '''\
"""Mathematics that experiments share."""

from deeper import total

UNUSED = 1


def mean(values):
    """Average some values."""
    return total(values) / len(values)


def never_called(values):
    """Stand by."""
    return max(values)
'''

DEEPER = '''\
"""Mathematics that the shared mathematics uses."""


def total(values):
    """Add values up."""
    return float(sum(values))
'''

ARTICLE = """\
+++
title = "Throws of a die"
short_title = "Throws"
kicker = "Chance"
dek = "A small article."
slug = "throws"
author = "Nobody"
published = "2026-01-02"
version = "1.0"
language = "en-US"
license = "CC0"
license_url = "https://creativecommons.org/publicdomain/zero/1.0/"
keywords = ["dice"]
description = "A small article about dice."
+++

::: short-answer
A die with {{ dice.sides | count }} sides shows each with a share of {{ faces.share | fixed(3) }}.
:::

## Throws {#throws}

Means stray, as [](#roll) shows for {{ roll.sides | count }} sides, and [](#faces) does not.

::: figure roll
**Means stray.** Each mark is one mean.
:::

::: figure faces
**All faces are alike.** The bar is the share of each.
:::
"""

FILES = {
    "seeds.toml": SEEDS,
    "figures/roll.py": ROLL,
    "figures/faces.py": FACES,
    "figures/chance.py": CHANCE,
    "figures/deeper.py": DEEPER,
    "templates/article.md": ARTICLE,
    "templates/sources.toml": "",
}


@dataclass(frozen=True)
class Tiny:
    """A small project: `roll` is random and imports `chance`, which imports `deeper`; `faces` is exact.

    Both read `dice.sides`.
    """

    root: Path

    def path(self, name: str) -> Path:
        """Give a file of the project."""
        return self.root / name

    def read(self, name: str) -> str:
        """Read a file of the project."""
        return self.path(name).read_text("utf-8")

    def write(self, name: str, text: str) -> None:
        """Write a file of the project, its indentation taken off."""
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(dedent(text), "utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the one place where a file says `old`."""
        text = self.read(name)
        assert text.count(old) == 1, f"{name} says {old!r} {text.count(old)} times"
        self.path(name).write_text(text.replace(old, new), "utf-8")

    def in_measure(self, code: str) -> None:
        """Have the experiment `roll` do something before it measures."""
        self.edit(
            "figures/roll.py", "    sides = parameters", f"    {code}\n    sides = parameters"
        )

    def copy(self, to: Path) -> Tiny:
        """Copy the project with all that was made."""
        shutil.copytree(self.root, to)
        return Tiny(to)


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    """A small project that nothing was made of yet."""
    return laid(tmp_path / "tiny")


def laid(root: Path) -> Tiny:
    """Lay out the small project in a folder."""
    project = Tiny(root)
    for name, text in FILES.items():
        project.write(name, text)
    return project


@pytest.fixture
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile each text once, for tests that bind one to many results: nearly all their time goes there."""
    compile_anew, kept = jinja2.Environment.compile, dict[tuple[Any, ...], Any]()

    def compile_once(env: jinja2.Environment, *text: Any) -> Any:
        if text not in kept:
            kept[text] = compile_anew(env, *text)
        return kept[text]

    monkeypatch.setattr(jinja2.Environment, "compile", compile_once)


class Here:
    """A crew that runs each task at once, in this process, from the files as they are."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def start(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Future[Any]:
        del limit
        experiment.forget()
        words = [task.__name__, *(arg for arg in args[1:2] if isinstance(arg, str))]
        if words[0] not in ("examine", "ready", "told"):  # they make nothing
            self.ran.append(" ".join(words))
        future: Future[Any] = Future()
        try:
            future.set_result(task(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def stop(self, *, now: bool = False) -> None:
        """Have nothing to end."""


Run = Callable[..., tuple[int, str, str]]


class Staff(Here):
    """A crew that is asked for like the pool."""

    def __init__(self, jobs: int, cache: Path) -> None:
        super().__init__()
        assert jobs >= 1
        assert cache.name == "cache"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process: its exit status, and what it printed where."""
    monkeypatch.setattr(crew, "Pool", Staff)
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["report", *map(str, words)])
        code: object = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return code if isinstance(code, int) else 0, out, err

    return run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """The finished files of this project's own article, the same for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    return Finished((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "finished")


@pytest.fixture(scope="session")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the generator, which no one edits while the tests run."""
    copy = tmp_path_factory.mktemp("generator")
    for name in ("report", "templates"):
        shutil.copytree(Path(glance.GENERATOR).parent / name, copy / name)
    return copy


_follow, _followed = Depends.reach, dict[object, Reach]()


def followed_once(depends: Depends, *starts: tuple[str, str]) -> Reach:
    """Follow code as ever, but that of the generator alone once for all tests: nobody edits it."""
    if not all(module.startswith("report.") for module, _ in starts):
        return _follow(depends, *starts)
    key = depends.code.generator, starts
    if key not in _followed:
        _followed[key] = _follow(depends, *starts)
    return _followed[key]


@pytest.fixture
def undisturbed(still: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fingerprints be taken of the copy."""
    monkeypatch.setattr(glance, "GENERATOR", str(still / "report"))
    monkeypatch.setattr(freshness, "default_templates", lambda: still / "templates")
    monkeypatch.setattr(Depends, "reach", followed_once)


@pytest.fixture
def swift(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw and set the article by stand-ins: these tests ask what is done, not how it looks."""
    for stand_in in STAND_INS:
        monkeypatch.setattr(worker, stand_in.__name__, stand_in)
