"""The articles under `examples/` are projects of their own, which the generator builds as it is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from report.glance import SWEPT

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/*/seeds.toml"))

each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)


def _make(project: Path, *words: str) -> str:
    ran = subprocess.run(
        [shutil.which("make") or "make", "-C", project, *words, f"PYTHON={sys.executable}"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def _made(project: Path) -> dict[str, bytes]:
    """The results and pictures of a project."""
    files = [path for path in (project / "figures").iterdir() if path.suffix in {".json", ".svg"}]
    return {path.name: path.read_bytes() for path in files if path.name != Path(SWEPT).name}


@pytest.mark.slow
@each
def test_an_example_builds_strictly_and_makes_what_is_committed_byte_for_byte(
    example: Path, tmp_path: Path
) -> None:
    left = shutil.ignore_patterns("build", "__pycache__", *_made(example))
    copy = shutil.copytree(example, tmp_path / example.name, ignore=left)
    said = _make(copy, "check")

    assert "nothing reused" in said
    assert _made(copy) == _made(example) != {}


@pytest.mark.slow
@each
def test_the_tests_of_an_example_pass(example: Path) -> None:
    assert " passed" in _make(example, "test")


@each
def test_the_makefile_of_an_example_is_the_starters(example: Path) -> None:
    """What `report new` laid out still works as it was: only what an article says is its own."""
    for name in ("Makefile", "pytest.ini", ".gitignore"):
        assert (example / name).read_text() == (ROOT / "report" / "starter" / name).read_text()
