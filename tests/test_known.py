"""What is known of the generator's code from an earlier build is what reading it would find."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.code import Code
from report.freshness import DRAW, MEASURE, PAGE, PAPER
from report.known import NAME, Known
from report.statements import read_module

GENERATOR = Path(__file__).parents[1] / "report"
TOOLS = """
import json
from report.deep import least
def most(): return json.loads(str(least()))
"""
STARTS = (*MEASURE, *DRAW, *PAGE, *PAPER)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A generator of two modules, and a project that calls it."""
    for name, text in {
        "report/__init__.py": "",
        "report/tools.py": TOOLS,
        "report/deep.py": "def least(): return 1\n",
        "figures/one.py": "from report.tools import most\ndef measure(): return most()\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def known(root: Path) -> Known:
    """Read what is kept in a project."""
    return Known(root / "build", root / "report", root / "figures")


def followed(root: Path) -> Code:
    """Follow the project with what is known, and keep what was found."""
    kept = known(root)
    code = Code(root, root / "report", known=kept.steps)
    code.reach(("one", "measure"))
    kept.keep(*code.of_generator)
    return code


def test_what_is_known_of_this_generator_reaches_what_reading_it_does(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    code = Code(tmp_path, GENERATOR)
    read = code.reach(*STARTS)
    kept = Known(tmp_path, GENERATOR, tmp_path / "figures")
    kept.keep(*code.of_generator)

    steps = Known(tmp_path, GENERATOR, tmp_path / "figures").steps

    assert Code(tmp_path, GENERATOR, known=steps).reach(*STARTS) == read
    assert len(read.parts) > 500


def test_known_code_is_not_parsed_again(own: Path) -> None:
    followed(own)
    read_module.cache_clear()  # what another process would have read

    code = followed(own)

    assert "pieces" not in vars(code.module("report.tools"))
    assert "pieces" in vars(code.module("one"))


def test_what_an_edit_of_the_generator_brings_is_found(own: Path) -> None:
    before = followed(own).reach(("one", "measure"))
    (own / "report" / "deep.py").write_text("def least(): return 2\n", "utf-8")

    after = followed(own).reach(("one", "measure"))

    moved = {part for part in before.parts if before.parts[part] != after.parts[part]}
    assert moved == {"code report/deep.py least"}


def test_a_module_of_the_project_takes_the_place_of_a_library_the_generator_imports(
    own: Path,
) -> None:
    assert "json" in followed(own).reach(("one", "measure")).libraries
    (own / "figures" / "json.py").write_text("print('mine')\n", "utf-8")

    after = followed(own).reach(("one", "measure"))

    assert "code figures/json.py (top level)" in after.parts


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b"\xff", b"[" * 200_000])
def test_what_is_kept_and_damaged_is_not_used(own: Path, damage: bytes) -> None:
    followed(own)
    file = own / "build" / NAME
    whole = file.read_bytes()
    assert known(own).steps

    file.write_bytes(damage or whole.replace(b"least", b"leest", 1))

    assert known(own).steps == {}


def test_what_was_read_of_code_that_was_edited_meanwhile_is_not_kept(own: Path) -> None:
    kept, deep = known(own), own / "report" / "deep.py"
    before = deep.read_text("utf-8")
    code = Code(own, own / "report", known=kept.steps)
    deep.write_text("def least(): return 2\n", "utf-8")
    code.reach(("one", "measure"))
    deep.write_text(before, "utf-8")

    kept.keep(*code.of_generator)

    assert known(own).steps == {}


def test_a_generator_that_moved_is_noticed(own: Path) -> None:
    kept = known(own)
    assert not kept.moved

    (own / "report" / "more.py").write_text("", "utf-8")

    assert kept.moved


def test_a_process_that_builds_again_keeps_its_steps_once(own: Path) -> None:
    kept = known(own)
    code = Code(own, own / "report", known=kept.steps)
    code.reach(("one", "measure"))
    kept.keep(*code.of_generator)
    (own / "build" / NAME).unlink()

    kept.keep(*code.of_generator)

    assert not (own / "build" / NAME).exists()


def test_nothing_is_written_where_nothing_is_new(own: Path) -> None:
    followed(own)
    file = own / "build" / NAME
    file.chmod(0o444)
    before = file.stat().st_mtime_ns

    followed(own)

    assert file.stat().st_mtime_ns == before


def test_a_disk_that_keeps_nothing_costs_nothing_else(own: Path) -> None:
    (own / "build").write_text("a file where the folder would be", "utf-8")

    assert followed(own).reach(("one", "measure")).parts
