"""Which files of a project may be data: none that is made, wherever it lies."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from report.data import data
from tests.builds import make
from tests.conftest import Tiny

GLOBS = "from pathlib import Path; list(Path(__file__).parents[1].rglob('*.csv'))"


def named(tiny: Tiny) -> list[str]:
    """Name what may be data."""
    return sorted(data(tiny.root, ["faces", "roll"]))


@pytest.mark.usefixtures("undisturbed", "swift")
@pytest.mark.parametrize("out", ["out", "figures_made", ".", "data"])
def test_what_was_made_elsewhere_in_the_project_is_no_data(tiny: Tiny, out: str) -> None:
    tiny.edit("figures/deeper.py", "    return float", f"    {GLOBS}\n    return float")
    tiny.write("data/points.csv", "1")
    tiny.write("figures/heights.csv", "1")
    for place in (None, tiny.path(out)):
        make(tiny, out=place)
        make(tiny, {"seed": 7}, out=place and place / "seven")

    assert named(tiny) == ["data/points.csv", "figures/heights.csv"]
    assert make(tiny, out=tiny.path(out)).ran == []


@pytest.mark.usefixtures("undisturbed", "swift")
def test_what_a_project_inside_the_project_made_is_no_data(tiny: Tiny) -> None:
    make(tiny)
    tiny.write("build/cache/fonts.json", "")
    tiny.write("build/notes.txt", "mine")
    tiny.copy(tiny.root.parent / "copy").path("").rename(tiny.path("inner"))

    assert [name for name in named(tiny) if name.startswith("inner/build")] == [
        "inner/build/notes.txt"
    ]


def test_a_damaged_record_tells_of_nothing_made(tiny: Tiny) -> None:
    tiny.write("out/record.json", "{}")

    assert named(tiny) == ["out/record.json"]


def test_what_a_process_says_is_no_data_of_its_own(tiny: Tiny) -> None:
    tiny.write("points.csv", "1")
    tells = f"from report.data import data; print(*data({str(tiny.root)!r}, ['faces', 'roll']))"
    with tiny.path("said.txt").open("w") as said:
        subprocess.run([sys.executable, "-c", tells], stdout=said, check=True, env=os.environ)

    assert tiny.read("said.txt") == "points.csv\n"
    assert named(tiny) == ["points.csv", "said.txt"]
