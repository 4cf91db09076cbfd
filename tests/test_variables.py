"""A variable of the environment that code asks for is an input like a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.build import build
from report.code import Code
from report.glance import nothing_to_do, understood
from report.progress import Tell
from report.project import open_project, read_settings
from report.stages import Request
from report.status import reasons
from report.variables import PINNED
from report.worker import environment
from tests.conftest import Here, Tiny

GENERATOR = Path(__file__).parents[1] / "report"


def asked(root: Path, way: str) -> set[str]:
    """Name the variables that `measure` asks for, which does this one thing."""
    (root / "figures").mkdir()
    head = "import os\nfrom os import environ, getenv\n"
    (root / "figures" / "one.py").write_text(f"{head}def measure(name): {way}\n", "utf-8")
    return set(Code(root, GENERATOR).reach(("one", "measure")).variables)


@pytest.mark.parametrize(
    ("way", "names"),
    [
        ("os.environ['DICE']", {"DICE"}),
        ("environ['DICE']", {"DICE"}),
        ("os.environ.get('DICE', '6')", {"DICE"}),
        ("os.environ.setdefault('DICE', '6')", {"DICE"}),
        ("os.getenv('DICE') or getenv('SIDES')", {"DICE", "SIDES"}),
        ("'DICE' not in os.environ", {"DICE"}),
        ("os.environ['DICE'] = '6'", set()),
        ("dict(os.environ, DICE='6')", set()),
        ("os.getenv('PYTHONHASHSEED')", set()),
        ("{}.get('DICE')", set()),
        ("os.getenv(name)", set()),
    ],
)
def test_what_is_asked_for_by_name_counts(tmp_path: Path, way: str, names: set[str]) -> None:
    assert asked(tmp_path, way) == names


def test_what_every_worker_is_born_with_is_no_input() -> None:
    assert environment(Path()).keys() <= PINNED


@pytest.mark.usefixtures("undisturbed", "swift")
def test_another_value_makes_those_who_ask_run_and_is_told_by_its_name_alone(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["build", "--project", str(tiny.root)]
    typed = understood(words)
    assert typed

    def state() -> list[str]:
        project = open_project(tiny.root)
        return list(reasons(project, read_settings(project)))

    def make() -> None:
        project = open_project(tiny.root)
        build(Request(project, read_settings(project), words=typed[1]), Here(), Tell())

    monkeypatch.delenv("DICE", raising=False)
    tiny.edit("figures/roll.py", "from chance", "import os\n\nfrom chance")
    tiny.in_measure("os.environ.get('DICE')")
    make()
    for value, how in (("secret 7", "is new"), ("secret 8", "changed"), (None, "is gone")):
        assert nothing_to_do(words)
        monkeypatch.setenv("DICE", value) if value else monkeypatch.delenv("DICE")
        assert nothing_to_do(words) is None
        assert state()[0] == f"roll, to measure: $DICE {how}"
        make()
        assert state() == ["Everything is up to date."]
    assert "secret" not in tiny.read("build/record.json") + tiny.read("build/glance.json")
