"""The project file: what it says, what may be put over it, and how an override is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.authored import line_of
from report.errors import Mistake
from report.project import (
    Settings,
    default_templates,
    open_project,
    parse_override,
    read_settings,
)
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
    ("overrides", "name"),
    [
        ({}, ""),
        ({"seed": 7}, "seed=7"),
        ({"seed": 7, "roll__scale": 2.5}, "roll.scale=2.5,seed=7"),
        ({"roll__throws": [1, 2]}, "roll.throws=1+2"),
        ({"roll__scale": -1e-7}, "roll.scale=-1e-07"),
    ],
)
def test_an_override_is_named_by_what_it_says(
    tiny: Tiny, overrides: dict[str, Any], name: str
) -> None:
    assert settings(tiny, **overrides).name == name


@pytest.mark.parametrize("value", ["../../etc", "a/b", "two words", "x" * 200, "\n"])
def test_a_name_that_no_folder_should_have_becomes_a_short_hash(tiny: Tiny, value: str) -> None:
    name, other = (settings(tiny, faces__label=text).name for text in (value, f"{value}!"))

    assert name.startswith("faces.label=")
    assert len(name) == len("faces.label=") + 8
    assert name != other


@given(st.text(min_size=1))
def test_no_override_leaves_the_build_folder(value: str) -> None:
    name = Settings(0, {}, {"a.b": value}).name

    assert Path("/build", name).resolve().parent == Path("/build")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seed=7", 7),
        ("seed = 7 ", 7),
        ("seed=[1, 2]", [1, 2]),
        ("seed=1_000", 1000),
        ("seed=true", True),
        ('seed="a=b"', "a=b"),
        ("seed=-1.5e3", -1500.0),
    ],
)
def test_an_override_is_written_as_in_the_file(text: str, value: object) -> None:
    assert parse_override(text) == ("seed", value)


@pytest.mark.parametrize("text", ["seed=1\nother=2", "seed={a=1}\nb=2", "a.b.c=1", "=1", "a b=1"])
def test_an_override_can_say_one_value_only(text: str) -> None:
    with pytest.raises(Mistake):
        parse_override(text)


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
