"""Reasons in words, and the versions of what code uses."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from report import versions
from report.freshness import Depends, reasons
from report.known import Known
from report.project import open_project, read_settings
from tests.conftest import Tiny

OLD = {
    "parameter seed": "11",
    "parameter roll.trials": "20000",
    "parameter example.size": "64",
    "code figures/dice.py mean": "1",
    "code figures/dice.py spread": "1",
    "version numpy": "2.4.5",
    "file templates/fonts/A.ttf": "1",
    "result roll": "1",
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, []),
        ({"parameter roll.trials": "50000"}, ["trials changed from 20000 to 50000"]),
        ({"parameter example.size": "8"}, ["example.size changed from 64 to 8"]),
        ({"parameter roll.trials": "9" * 99}, ["trials changed"]),
        ({"parameter seed": None}, ["seed is no longer read"]),
        ({"parameter roll.extra": "1"}, ["extra is new"]),
        ({"code figures/dice.py mean": "2"}, ["figures/dice.py changed (mean)"]),
        (
            {"code figures/dice.py mean": None, "code figures/dice.py spread": "2"},
            ["figures/dice.py changed (mean, spread)"],
        ),
        (
            {f"code figures/dice.py f{n}": "1" for n in range(9)},
            ["figures/dice.py changed (f0, f1, f2, f3, f4 and 4 more)"],
        ),
        (
            {f"code figures/f{n}.py mean": "1" for n in range(9)},
            [
                *(f"figures/f{n}.py changed (mean)" for n in range(5)),
                "4 more files of code changed",
            ],
        ),
        ({"version numpy": "2.4.6"}, ["numpy 2.4.5 -> 2.4.6"]),
        ({"version scipy": "1.0"}, ["scipy absent -> 1.0"]),
        ({"file templates/fonts/A.ttf": "2"}, ["templates/fonts/A.ttf changed"]),
        ({"file templates/fonts/A.ttf": ""}, ["templates/fonts/A.ttf is gone"]),
        ({"file templates/fonts/B.ttf": "1"}, ["templates/fonts/B.ttf is new"]),
        ({"result roll": "2"}, ["its result changed"]),
        ({"drawing faces-wide": "2", "words faces": "1"}, ["what faces shows changed"]),
    ],
)
def test_a_reason_is_said_in_words(change: dict[str, str | None], said: list[str]) -> None:
    new = {name: value for name, value in (OLD | change).items() if value is not None}

    assert reasons("roll", OLD, new) == said


def test_what_was_never_made_says_so() -> None:
    assert reasons("roll", None, OLD) == ["it was not built here before"]


def test_versions_are_those_the_libraries_give_themselves() -> None:
    found = versions.needed_by(["numpy", "matplotlib", "markdown_it", "fontTools"], deep=False)

    assert found == {
        name: importlib.metadata.version(name)
        for name in ("numpy", "matplotlib", "markdown-it-py", "fonttools")
    }


def test_what_a_library_needs_counts_with_it() -> None:
    assert {"matplotlib", "numpy", "contourpy", "pyparsing"} <= versions.needed_by(
        ["matplotlib"]
    ).keys()


def test_pythons_own_modules_have_no_version_of_their_own() -> None:
    assert versions.needed_by(["json", "os", "tomllib", "no_such_module"]) == {}


def test_an_exact_experiment_reads_no_seed_and_a_random_one_does(tiny: Tiny) -> None:
    project = open_project(tiny.root)
    depends = Depends(project, read_settings(project))
    roll, faces = (
        depends.measure(stem, {"": [], "dice": ["sides"]}) for stem in project.stems[::-1]
    )

    assert roll["parameter seed"] == "11"
    assert "parameter seed" not in faces
    assert faces["parameter dice.sides"] == "6"


def test_a_result_depends_on_neither_words_nor_drawing_nor_style(tiny: Tiny) -> None:
    project = open_project(tiny.root)
    parts = Depends(project, read_settings(project)).measure("roll", {})

    assert not [name for name in parts if name.startswith("file ") or " draw" in name]
    assert "code figures/deeper.py total" in parts
    assert "code figures/chance.py never_called" not in parts
    assert "version matplotlib" not in parts


def test_a_drawing_depends_on_its_library_fonts_and_colors(tiny: Tiny) -> None:
    tiny.write("templates/tokens.toml", "")
    project = open_project(tiny.root)
    parts = Depends(project, read_settings(project)).draw("roll", "hash")

    assert {"version matplotlib", "file templates/tokens.toml", "result roll"} <= parts.keys()
    assert [name for name in parts if name.endswith(".ttf")]
    assert not [name for name in parts if name.endswith((".woff2", ".css", ".md"))]


def test_what_is_made_while_the_generator_is_edited_is_doubted(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = open_project(tiny.root)
    steady, edited = (Depends(project, read_settings(project)) for _ in range(2))
    assert not steady.is_outdated({})

    monkeypatch.setattr(Known, "moved", True)

    assert edited.is_outdated({})


def test_a_template_of_the_project_counts_in_place_of_the_generators(tiny: Tiny) -> None:
    project = open_project(tiny.root)
    before = Depends(project, read_settings(project)).templates["page.html"]
    tiny.write("templates/page.html", "")
    after = Depends(project, read_settings(project)).templates["page.html"]

    assert before != after == Path(tiny.path("templates/page.html"))


def test_whatever_an_article_can_include_counts_and_what_is_hidden_cannot(tiny: Tiny) -> None:
    included = {"__notes.md", "_part.md", "parts/__more.md", "shown.py", "words.json"}
    hidden = {".notes.md", "._part.md", ".parts/more.md", "__pycache__/x.md"}
    for name in included | hidden:
        tiny.write(f"templates/{name}", "x")
    project = open_project(tiny.root)
    depends = Depends(project, read_settings(project))
    for parts in (depends.page({}, {}), depends.paper({}, {}, "a4"), depends.sources()):
        files = {name.removeprefix("file ").removeprefix("templates/") for name in parts}
        assert included <= files
        assert not hidden & files


def test_a_whole_number_written_as_a_real_one_counts_as_changed_for_only_the_experiment_tells(
    tiny: Tiny,
) -> None:
    project = open_project(tiny.root)
    whole, real = (
        Depends(project, read_settings(project, {"roll.scale": value})).measure(
            "roll", {"": ["scale"]}
        )
        for value in (2, 2.0)
    )

    assert reasons("roll", whole, real) == ["scale changed from 2 to 2.0"]
