"""Code of a library that no version speaks for counts by what it says."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from report.code import Code
from report.project import open_project, read_settings
from report.status import reasons
from tests.builds import make
from tests.conftest import Tiny

GENERATOR = Path(__file__).parents[1] / "report"


def sources(root: Path, measure: str) -> set[str]:
    """Name the sources outside `figures/` that an experiment runs."""
    for name in (
        "mine/__init__.py",
        "mine/deep/core.py",
        "mine/table.csv",
        "alone.py",
        "spaced/part.py",
        "mine/__pycache__/x.pyc",
    ):
        path = root / "project" / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    figures = root / "project" / "figures"
    figures.mkdir()
    (figures / "one.py").write_text(measure, "utf-8")
    importlib.invalidate_caches()
    found = Code(root / "project", GENERATOR).reach(("one", "measure"))
    return {part.removeprefix("file src/") for part in found.parts if part.startswith("file ")}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("mine", {"mine/__init__.py", "mine/deep/core.py", "mine/table.csv"}),
        ("mine.deep.core", {"mine/__init__.py", "mine/deep/core.py", "mine/table.csv"}),
        ("alone", {"alone.py"}),
        ("spaced.part", {"spaced/part.py"}),
        ("numpy", set()),
        ("json", set()),
        ("nowhere", set()),
    ],
)
def test_a_library_that_is_not_installed_counts_with_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, found: set[str]
) -> None:
    monkeypatch.syspath_prepend(tmp_path / "project" / "src")
    text = f"import {name}\ndef measure(): return {name}.work()"

    assert sources(tmp_path, text) == found


@pytest.mark.parametrize(
    "way",
    [
        "sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'src'))",
        "SRC = os.path.join(os.path.dirname(__file__), '..', 'src')\nsys.path.append(SRC)",
        "sys.path = [*sys.path, str(Path(__file__).parent.parent.joinpath('src'))]",
    ],
)
def test_a_folder_that_code_adds_to_the_path_is_looked_in(tmp_path: Path, way: str) -> None:
    head = f"import sys, os\nfrom pathlib import Path\n{way}\n"

    assert sources(tmp_path, f"{head}import alone\ndef measure(): return alone.work()") == {
        "alone.py"
    }


@pytest.mark.usefixtures("undisturbed", "swift")
def test_an_edit_of_such_a_library_makes_its_users_run(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny.write("src/fair_dice.py", "def total(values): return float(sum(values))\n")
    monkeypatch.syspath_prepend(tiny.path("src"))
    tiny.write("figures/deeper.py", "from fair_dice import total\n")
    make(tiny)
    tiny.edit("src/fair_dice.py", "sum(values)", "max(values)")
    project = open_project(tiny.root)

    assert next(reasons(project, read_settings(project))) == (
        "roll, to measure: src/fair_dice.py changed"
    )
