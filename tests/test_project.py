"""The project file: what it says, where it says so, and what may be put over it."""

from __future__ import annotations

from typing import Any

import pytest

from report.authored import line_of
from report.project import Settings, default_templates, open_project, read_settings
from tests.conftest import SEEDS, Tiny


def settings(tiny: Tiny, **overrides: Any) -> Settings:
    """Read the project file, with overrides written `roll__scale`."""
    named = {name.replace("__", "."): value for name, value in overrides.items()}
    return read_settings(open_project(tiny.root), named)


def test_the_experiments_are_the_files_that_measure(tiny: Tiny) -> None:
    assert open_project(tiny.root).stems == ["faces", "roll"]


def test_a_file_that_cannot_be_read_counts_as_an_experiment(tiny: Tiny) -> None:
    tiny.write("figures/broken.py", "def (")

    assert "broken" in open_project(tiny.root).stems


def test_an_override_stands_over_the_file(tiny: Tiny) -> None:
    found = settings(tiny, seed=7, roll__scale=2.5)

    assert found.seed == 7
    assert found.sections["roll"] == {"throws": [10, 20], "scale": 2.5}
    assert found.overrides == {"seed": 7, "roll.scale": 2.5}


def test_a_section_may_be_given_a_seed_of_its_own(tiny: Tiny) -> None:
    found = settings(tiny, roll__seed=3, seed=7)

    assert (found.seed_for("roll"), found.seed_for("faces")) == (3, 7)


@pytest.mark.parametrize(
    ("section", "key", "line"),
    [
        ("", "seed", 2),
        ("dice", "", 4),
        ("dice", "sides", 5),
        ("roll", "scale", 9),
        ("faces", "label", 12),
        ("roll", "absent", 7),
        ("absent", "key", None),
    ],
)
def test_the_line_of_a_key_is_found(section: str, key: str, line: int | None) -> None:
    assert line_of(SEEDS, section, key) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\n\ndice.sides = 1", 3),
        ("x = 1\n'dice' . \"sides\" = 1", 2),
        ("x = 1\ndice = {edges = 2, sides = 1}", 2),
        ("dice.edges = 2\ndice.more = 3", 1),
        ("[dice.more]\nsides = 1\n[ dice ]\nsides = 1", 4),
        ("[a]\ndice.sides = 1\n[b]\ndice = {sides = 1}", None),
        ("dices.sides = 1\n[dice2]\nsides = 1", None),
    ],
)
def test_the_line_of_a_key_is_found_however_it_is_written(text: str, line: int | None) -> None:
    assert line_of(text, "dice", "sides") == line


def test_a_key_of_the_same_name_in_another_section_is_not_taken_for_it() -> None:
    assert line_of("[a]\nx = 1\n[b]\nx = 2\n", "b", "x") == 4


def test_a_template_of_the_project_wins_over_the_generators(tiny: Tiny) -> None:
    project = open_project(tiny.root)
    before = project.template("screen.css")
    tiny.write("templates/screen.css", "")

    assert before == default_templates() / "screen.css"
    assert project.template("screen.css") == tiny.path("templates/screen.css")


def test_the_limit_can_be_set(tiny: Tiny) -> None:
    before = settings(tiny).limit
    tiny.edit("seeds.toml", "[dice]", "[build]\nlimit = 2.5\n\n[dice]")

    assert (before, settings(tiny).limit) == (120.0, 2.5)
