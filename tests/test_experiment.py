"""Experiments: loaded as they stand, given what they read, blamed by line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from report import experiment, parameters
from report.errors import Mistake
from report.project import Project, Settings, default_templates, open_project, read_settings
from report.results import dumps, loads
from report.style import read_tokens
from tests.conftest import Tiny


def world(tiny: Tiny, **overrides: Any) -> tuple[Project, Settings]:
    """Open a project anew."""
    experiment.forget()
    project = open_project(tiny.root)
    named = {name.replace("__", "."): value for name, value in overrides.items()}
    return project, read_settings(project, named)


def measured(tiny: Tiny, stem: str, **overrides: Any) -> Any:
    """Measure one experiment."""
    project, settings = world(tiny, **overrides)
    return json.loads(experiment.measure(project, experiment.load(project, stem), settings))


def test_an_experiment_says_what_it_asks_and_what_it_reads(tiny: Tiny) -> None:
    project, _ = world(tiny)
    roll = experiment.load(project, "roll")

    assert roll.question == "How far does the mean of some throws stray?"
    assert parameters.reads(roll) == {"": ["scale", "throws"], "dice": ["sides"]}


def test_a_result_is_canonical_json(tiny: Tiny) -> None:
    project, settings = world(tiny)
    text = experiment.measure(project, experiment.load(project, "roll"), settings)

    assert text == dumps("roll", loads("roll", text))
    assert set(json.loads(text)) == {"means", "scale", "sides"}


def test_an_edit_within_the_same_second_and_of_the_same_length_is_seen(tiny: Tiny) -> None:
    before = measured(tiny, "faces")["low"]
    tiny.edit("figures/faces.py", "LOW = 1", "LOW = 2")

    assert (before, measured(tiny, "faces")["low"]) == (1, 2)


def test_loading_leaves_nothing_in_the_project(tiny: Tiny) -> None:
    before = sorted(tiny.root.rglob("*"))
    measured(tiny, "roll")

    assert sorted(tiny.root.rglob("*")) == before


def test_two_projects_with_modules_of_the_same_name_do_not_mix(tiny: Tiny, tmp_path: Path) -> None:
    other = tiny.copy(tmp_path / "other")
    other.edit("figures/deeper.py", "sum(values)", "1000 + sum(values)")
    here, there = (open_project(each.root) for each in (tiny, other))
    found = []
    for project in (here, there, here):
        loaded = experiment.load(project, "roll")
        text = experiment.measure(project, loaded, read_settings(project))
        found.append(json.loads(text)["means"]["10"])

    assert found[0] == found[2]
    assert found[1] == pytest.approx(found[0] + 100)


def test_a_helper_named_like_a_library_is_the_projects_own(tiny: Tiny) -> None:
    tiny.path("figures/deeper.py").rename(tiny.path("figures/outloud.py"))
    tiny.edit("figures/chance.py", "from deeper import", "from outloud import")

    assert measured(tiny, "roll")["sides"] == 6
    experiment.forget()
    assert "outloud" not in sys.modules


def test_a_case_keeps_its_numbers_when_others_come_and_go(tiny: Tiny) -> None:
    usual = measured(tiny, "roll")["means"]
    more = measured(tiny, "roll", roll__throws=[20, 5, 10])["means"]

    assert {n: more[n] for n in ("10", "20")} == usual


def test_another_seed_moves_the_random_and_not_the_exact(tiny: Tiny) -> None:
    moved = {
        stem: measured(tiny, stem) != measured(tiny, stem, seed=12) for stem in ("roll", "faces")
    }

    assert moved == {"roll": True, "faces": False}


def test_a_seed_of_its_own_is_no_parameter(tiny: Tiny) -> None:
    project, settings = world(tiny, roll__seed=3)
    roll = experiment.load(project, "roll")

    assert parameters.parameters_for(roll, settings) == {
        "throws": [10, 20],
        "scale": 1.5,
        "dice": {"sides": 6},
    }


def test_numbers_arrive_as_the_types_that_were_declared(tiny: Tiny) -> None:
    project, settings = world(tiny, roll__scale=2)
    found = parameters.check_parameters(experiment.load(project, "roll"), settings)

    assert (found.throws, found.scale, found.dice.sides) == ((10, 20), 2.0, 6)
    assert isinstance(found.scale, float)


def test_a_parameter_with_a_default_may_be_left_out(tiny: Tiny) -> None:
    tiny.edit("figures/roll.py", "    scale: float\n", "    scale: float = 1.5\n")
    tiny.edit("seeds.toml", "scale = 1.5\n", "")

    assert measured(tiny, "roll")["scale"] == 1.5


def test_a_check_of_the_experiments_own_is_worded_and_placed(tiny: Tiny) -> None:
    check = (
        '\n    def __post_init__(self):\n        if self.scale > 1: raise ValueError("Too wide")\n'
    )
    tiny.edit("figures/roll.py", "    scale: float\n", f"    scale: float\n{check}")
    project, settings = world(tiny)
    with pytest.raises(Mistake, match=r"seeds.toml, line 7: \[roll\]: too wide"):
        parameters.check_parameters(experiment.load(project, "roll"), settings)


def test_numpy_values_are_stored_as_plain_numbers(tiny: Tiny) -> None:
    tiny.edit(
        "figures/faces.py", '"share": 1 / sides', '"share": np.float64(0.25), "n": np.arange(2)'
    )
    tiny.edit("figures/faces.py", "LOW = 1", "import numpy as np\nLOW = np.int64(1)")
    found = measured(tiny, "faces")

    assert (found["share"], found["n"], found["low"]) == (0.25, [0, 1], 1)


def test_words_of_another_shape_are_refused(tiny: Tiny) -> None:
    tiny.edit("figures/faces.py", '"alt": alt, ', "")
    project, settings = world(tiny)
    faces = experiment.load(project, "faces")
    result = loads("faces", experiment.measure(project, faces, settings))
    with pytest.raises(Mistake, match=r"figures/faces.py: `describe` gives something else than"):
        experiment.describe(project, faces, result)


def test_a_fault_in_the_words_names_the_line(tiny: Tiny) -> None:
    tiny.edit("figures/faces.py", "    share = say.fixed", "    1 / 0\n    share = say.fixed")
    project, settings = world(tiny)
    faces = experiment.load(project, "faces")
    result = loads("faces", experiment.measure(project, faces, settings))
    with pytest.raises(
        Mistake, match=r"figures/faces.py, line \d+: describing stopped with ZeroDivisionError: "
    ):
        experiment.describe(project, faces, result)


def test_a_fault_in_a_drawing_names_the_line(tiny: Tiny) -> None:
    tiny.edit("figures/faces.py", "    canvas.height = 60", "    canvas.height = 60 / 0")
    project, settings = world(tiny)
    faces = experiment.load(project, "faces")
    result = loads("faces", experiment.measure(project, faces, settings))
    tokens, fonts = read_tokens(None), default_templates() / "fonts"
    with pytest.raises(
        Mistake, match=r"figures/faces.py, line \d+: drawing stopped with ZeroDivisionError: "
    ):
        experiment.draw(project, faces, result, "wide", tokens, fonts)


def test_a_key_that_is_not_stored_is_named_where_it_is_read(tiny: Tiny) -> None:
    tiny.edit(
        "figures/faces.py",
        'say.fixed(result["share"], 3)\n    alt',
        'say.fixed(result["shar"], 3)\n    alt',
    )
    project, settings = world(tiny)
    faces = experiment.load(project, "faces")
    result = loads("faces", experiment.measure(project, faces, settings))
    with pytest.raises(
        Mistake,
        match=r"line 36: describing stopped: faces has no 'shar' \(did you mean 'share'\?\)",
    ):
        experiment.describe(project, faces, result)
