"""Whatever a reader meets in a report is kept in its reading, once and where it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from report import experiment
from report.article import Origin, World, compose
from report.claims import Ledger, judge
from report.moved import compare
from report.pdf.paper import DRAWINGS
from report.project import open_project, read_settings
from report.reading import reading
from report.results import loads
from report.style import read_tokens
from tests.conftest import Tiny
from tests.test_asking import LUCK

TEXT = """
::: short-answer
A die with {{ dice.sides | count }} sides shows each with a share of {{ faces.share | fixed(3) }}.
:::

## Throws {#throws}

Means stray, as [](#roll) shows for {{ roll.sides | count }} sides.[^many] {% claim roll.high %}They are
high{% else %}They are low{% endclaim %}. At seed {{ seed | bare }} {% if roll.means["20"] > 3.5 %}luck{% else
%}no luck{% endif %} was there (sec. 3.2 of Fisher). A share is $1/n$.

[^many]: With {{ roll.throws[1] | words }} throws the mean is {{ roll.means["20"] | fixed(2) }}.

::: figure roll
**Means stray.** The last is {{ roll.means["20"] | fixed(1) }}.
:::

::: figure faces
**All faces are alike.** The bar is the share of each.
:::

::: table shares
How likely {{ faces.sides | count }} faces are.

| Face | Share |
|---|---|
| each | {{ faces.share | percent(1) }} |
| none | nothing |
:::

:::: self-test
::: question
How many sides?

???

It has {{ dice.sides | words }}.
:::
::::
"""


@pytest.fixture
def telling(tiny: Tiny) -> Tiny:
    """A small article with a number, or words that turn on one, wherever such can stand."""
    front = tiny.read("templates/article.md").partition("\n\n:::")[0]
    text = TEXT.replace("roll.throws[1]", "parameters.roll.throws[1]")
    tiny.write("templates/article.md", f"{front}\n{text}")
    tiny.write("figures/roll.py", tiny.read("figures/roll.py") + LUCK)
    return tiny


def _told(tiny: Tiny, drawings: Path, last: float = 3.7, **overrides: Any) -> dict[str, Any]:
    """What is told if the mean of the longest row of throws is as given."""
    project = open_project(tiny.root)
    settings = read_settings(project, overrides)
    loaded = {stem: experiment.load(project, stem) for stem in project.stems}
    answers = {
        stem: json.loads(experiment.measure(project, each, settings))
        for stem, each in loaded.items()
    }
    answers["roll"]["means"]["20"] = last
    stored = {stem: loads(stem, json.dumps(answer)) for stem, answer in answers.items()}
    words = {s: experiment.describe(project, each, stored[s]) for s, each in loaded.items()}
    ledger = Ledger.of(judge(each, stored[stem]) for stem, each in loaded.items())
    tallies = {"roll.high": "holds for 3 of 5 seeds"}
    world = World(
        project, settings, stored, words, Origin({"numpy": "1"}, "make report"), ledger, tallies
    )
    tokens, fonts = read_tokens(project.own("tokens.toml")), project.template("fonts")
    for stem, each in loaded.items():
        for layout in DRAWINGS:
            drawn = experiment.draw(project, each, stored[stem], layout, tokens, fonts)
            (drawings / f"{stem}-{layout}.svg").write_text(drawn, "utf-8")
    return reading(compose(world), world, drawings)


def _at(told: dict[str, Any], section: str, part: str = "") -> list[str]:
    return [s["text"] for s in told["sentences"] if (s["section"], s["part"]) == (section, part)]


def test_each_passage_is_kept_where_it_stands(telling: Tiny, tmp_path: Path) -> None:
    told = _told(telling, tmp_path)

    assert _at(told, "throws") == [
        "Throws",
        "Means stray, as Figure 1 shows for 6 sides.",
        "They are high.",
        "At seed 11 luck was there (sec. 3.2 of Fisher).",
        "A share is $1/n$.",
    ]
    assert _at(told, "note-many") == ["With twenty throws the mean is 3.70."]
    assert _at(told, "roll", "caption")[:2] == ["Figure 1 Means stray.", "The last is 3.7."]
    assert _at(told, "roll", "alt text")[0].startswith("Marks for the mean of throws")
    assert _at(told, "roll", "drawing")[0].endswith(" | 3.70")
    assert _at(told, "roll", "description")
    assert _at(told, "roll", "data")[:2] == ["Means.", "Throws | Mean"]
    assert _at(told, "roll", "data")[-1] == "20 | 3.70"
    assert _at(told, "shares", "caption") == ["Table 1 How likely 6 faces are."]
    assert _at(told, "shares", "table") == ["Face | Share", "each | 16.7%", "none | nothing"]
    assert _at(told, "question-1") == ["How many sides?"]
    assert _at(told, "question-1", "answer") == ["It has six."]
    assert {"make report", "dice.sides = 6", "numpy 1"} <= set(_at(told, "colophon"))
    assert {"Throws of a die", "Seed 11", "A small article."} <= set(_at(told, ""))
    assert told["claims"]["roll.high"]["tally"] == "holds for 3 of 5 seeds"


def test_the_numbers_of_a_passage_are_kept_with_their_paths(telling: Tiny, tmp_path: Path) -> None:
    told = _told(telling, tmp_path)
    note = next(each for each in told["sentences"] if each["section"] == "note-many")

    assert note["numbers"] == [
        ["parameters.roll.throws.1", "words", "twenty"],
        ["roll.means.20", "fixed 2", "3.70"],
    ]


def test_the_words_of_each_form_of_a_drawing_are_kept_piece_by_piece(
    telling: Tiny, tmp_path: Path
) -> None:
    wide, compact = _told(telling, tmp_path)["figures"]["roll"]["words"]

    assert wide == compact
    assert wide[-1] == "3.70"


def test_one_moved_result_is_told_everywhere_a_reader_meets_it_and_nowhere_else(
    telling: Tiny, tmp_path: Path
) -> None:
    moved = compare(_told(telling, tmp_path), _told(telling, tmp_path, 3.2))

    assert [(each.place, *each.changes) for each in moved.passages] == [
        ("#throws", "high → low"),
        ("#throws", "luck → no luck"),
        ("#note-many", "3.70 → 3.20"),
        ("#roll, drawing", "3.70 → 3.20"),
        ("#roll, caption", "3.7 → 3.2"),
        ("#roll, data", "20: 3.70 → 3.20"),
    ]
    assert moved.claims == ["roll.high no longer holds (3.20)"]
    assert moved.figures == ["roll"]


def test_another_seed_is_told_in_the_text_and_in_how_it_was_made(
    telling: Tiny, tmp_path: Path
) -> None:
    moved = compare(_told(telling, tmp_path), _told(telling, tmp_path, seed=12))
    told = {each.place: each.changes for each in moved.passages}

    assert told["at the top"] == told["#throws"] == ("11 → 12",)
