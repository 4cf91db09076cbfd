"""The experiments on what the argument assumes: words, tables and drawings that hold whatever is asked."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pydantic
import pytest

from report.contracts import Stream
from report.drawing import canvas
from report.numbers import Printer, Quote
from report.style import Layout, read_tokens

pytestmark = pytest.mark.slow  # many parameters, each measured and drawn

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
PUBLISHED = tomllib.loads((ROOT / "seeds.toml").read_text("utf-8"))
FEW = {"rows": 100, "trials": 500, "law_trials": 50, "inputs": 60}  # enough for every number

DRAWN: dict[str, list[dict[str, Any]]] = {
    "correlated_keys": [
        {},
        {"sizes": [1, 2], "keys": 2, "base": 1},
        {"sizes": [512, 65536], "strong": 0.99, "weak": 0.01, "rows": 20},
        {"sizes": [3, 64, 100, 1000], "keys": 1024, "base": 80},
    ],
    "broken_assumptions": [
        {},
        {"sizes": [1, 2], "correlations": [0.9], "d_k": 1, "law_size": 1, "law_trials": 2},
        {"correlations": [0.01, 0.02, 0.03, 0.04], "component_sds": [0.1, 16], "means": [8, 16]},
        {"component_sds": [1, 1.1], "means": [0.05], "correlations": [0.001], "repeats": 40},
    ],
    "sequence_length": [
        {},
        {"lengths": [2, 3], "rows": 2},
        {"lengths": [100, 1000, 100000], "rows": 5},
        {"strong": 30, "weak": 0.1, "lengths": [16, 64]},
        {"strong": 3.3, "weak": 3.2, "lengths": [16, 256, 4096]},
    ],
}
SET: dict[str, list[dict[str, Any]]] = {
    "initializers": [{}, {"head": 1, "inputs": 2, "normal": [1]}, {"t5": [64, 128, 256]}],
    "half_precision": [{}, {"sizes": [1, 65536], "keys": 2, "rows": 20}, {"keys": 1024}],
}
WORLDS = {**DRAWN, **SET}
COUNTED = {  # keys of the streams that a small world asks for
    "correlated_keys": ({"sizes": [4, 9]}, [("0.25", 4), ("0.25", 9), ("0.5", 4), ("0.5", 9)]),
    "sequence_length": ({"lengths": [9, 4]}, [(4,), (9,)]),
    "half_precision": ({"sizes": [9, 4]}, [(4,), (9,)]),
}


def checked(stem: str, changes: dict[str, Any]) -> Any:
    """Parameters as the build checks them: the published ones but small, and the changes."""
    kind = importlib.import_module(stem).Parameters
    settings = {**PUBLISHED["example"], **PUBLISHED[stem], **FEW, **changes}
    asked = {name: settings.get(name) for name in kind.__dataclass_fields__}
    if "example" in asked:
        asked["example"] = {"d_k": settings["d_k"]}
    return pydantic.TypeAdapter(kind).validate_json(json.dumps(asked), strict=True)


def cases(worlds: dict[str, list[dict[str, Any]]]) -> list[Any]:
    """Every experiment in every one of its worlds."""
    return [
        pytest.param((stem, world), id=f"{stem} {world}")
        for stem, every in worlds.items()
        for world in every
    ]


Answer = tuple[Any, Any]


@pytest.fixture(scope="module")
def answered(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> Callable[[str, dict[str, Any]], Answer]:
    """Gives an experiment and what it found in a world, measured once."""
    kept: dict[str, Answer] = {}

    def answer(stem: str, world: dict[str, Any]) -> Answer:
        name, module = f"{stem} {world}", importlib.import_module(stem)
        if name not in kept:
            found = module.measure(checked(stem, world), stream(stem))
            kept[name] = module, stored(stem, found)
        return kept[name]

    return answer


@pytest.fixture(params=cases(DRAWN))
def drawn(
    request: pytest.FixtureRequest, answered: Callable[[str, dict[str, Any]], Answer]
) -> Answer:
    """An experiment that is drawn, in one world."""
    return answered(*request.param)


@pytest.fixture(params=cases(WORLDS))
def told(
    request: pytest.FixtureRequest, answered: Callable[[str, dict[str, Any]], Answer]
) -> Callable[[Printer], list[str]]:
    """Gives every text of an experiment in one world, printed with the printer given."""
    module, result = answered(*request.param)

    def texts(printer: Printer) -> list[str]:
        if not hasattr(module, "describe"):
            return cells(module.table(result, printer))
        said = module.describe(result, printer)
        return [said["alt"], *said["description"], *cells(said["table"])]

    return texts


@pytest.fixture(params=cases(WORLDS))
def table(request: pytest.FixtureRequest, answered: Callable[[str, dict[str, Any]], Answer]) -> Any:
    """The table of an experiment in one world."""
    module, result = answered(*request.param)
    if not hasattr(module, "describe"):
        return module.table(result, Printer(strict=True))
    return module.describe(result, Printer(strict=True))["table"]


def cells(table: Any) -> list[str]:
    """Every text of a table."""
    return [table["caption"], *table["columns"], *(cell for row in table["rows"] for cell in row)]


def kinds(value: Any) -> set[type]:
    """The types of every value inside plain data."""
    if type(value) is dict:
        return {dict} | {type(key) for key in value} | set().union(*map(kinds, value.values()))
    if type(value) is list:
        return {list}.union(*map(kinds, value))
    return {type(value)}


def hidden(quote: Quote) -> str:  # noqa: ARG001  the number itself is left out
    """Print a mark in a number's place."""
    return "…"


@pytest.mark.parametrize("case", cases(WORLDS))
def test_an_answer_is_plain_data(
    case: tuple[str, dict[str, Any]], stream: Callable[[str], Stream]
) -> None:
    stem, world = case
    answer = importlib.import_module(stem).measure(checked(stem, world), stream(stem))

    assert kinds(answer) <= {dict, list, str, int, float}


@pytest.mark.parametrize("stem", WORLDS)
def test_the_same_stream_gives_the_same_answer(stem: str, stream: Callable[[str], Stream]) -> None:
    module, parameters = importlib.import_module(stem), checked(stem, {})

    assert module.measure(parameters, stream(stem)) == module.measure(parameters, stream(stem))


@pytest.mark.parametrize("stem", COUNTED)
def test_randomness_comes_from_one_stream_a_case(
    stem: str, stream: Callable[[str], Stream]
) -> None:
    asked_for: list[tuple[int | str, ...]] = []
    world, keys = COUNTED[stem]

    def recorded(*key: int | str) -> np.random.Generator:
        asked_for.append(key)
        return stream(stem)(*key)

    before = str(np.random.get_state())
    importlib.import_module(stem).measure(checked(stem, world), recorded)

    assert asked_for == keys
    assert str(np.random.get_state()) == before


@pytest.mark.parametrize("layout", ["wide", "compact", "narrow"])
def test_nothing_collides_in_a_drawing(drawn: Answer, layout: Layout) -> None:
    module, result = drawn
    say = Printer(strict=True)
    sheet = canvas.compose(module.draw, result, say, layout, TOKENS, TEMPLATES / "fonts")

    assert sheet.problems() == []


def test_an_alternative_is_neither_short_nor_long(drawn: Answer) -> None:
    module, result = drawn

    assert 125 <= len(module.describe(result, Printer(strict=True))["alt"]) <= 250


def test_an_alternative_holds_at_least_two_bound_numbers(drawn: Answer) -> None:
    module, result = drawn
    said = module.describe(result, Printer(lambda quote: f"<{quote.path}>", strict=True))["alt"]

    assert len(set(re.findall(r"<[\w.]+>", said))) >= 2


def test_no_digit_in_the_words_was_typed(told: Callable[[Printer], list[str]]) -> None:
    written = "\n".join(told(Printer(hidden, strict=True)))
    named = r"\bT5\b"

    assert re.findall(r".{0,20}\d", re.sub(named, "", written)) == []


def test_the_words_need_no_eye_for_color(told: Callable[[Printer], list[str]]) -> None:
    words = " ".join(told(Printer())).lower()
    colors = r"\b(red|orange|blue|teal|green|purple|violet|gr[ae]y|black|white|colou?r\w*)\b"

    assert re.findall(rf"{colors}|image of|picture of", words) == []


def test_every_row_of_a_table_has_a_cell_for_each_column(table: Any) -> None:
    names = [row[0] for row in table["rows"]]

    assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    assert distinct(names)
    assert distinct(table["columns"])
    assert all(cell.strip() for row in table["rows"] for cell in row)


def distinct(names: Sequence[str]) -> bool:
    """Whether no name stands twice."""
    return len(names) == len(set(names))


@pytest.mark.parametrize(
    ("stem", "changes"),
    [
        ("correlated_keys", {"strong": 1}),
        ("correlated_keys", {"weak": 0}),
        ("correlated_keys", {"sizes": [64, 64]}),
        ("correlated_keys", {"keys": 1}),
        ("broken_assumptions", {"correlations": [1]}),
        ("broken_assumptions", {"correlations": []}),
        ("broken_assumptions", {"component_sds": [0, 1]}),
        ("broken_assumptions", {"means": [-1]}),
        ("broken_assumptions", {"law_trials": 1}),
        ("sequence_length", {"lengths": [16]}),
        ("sequence_length", {"lengths": [1, 2]}),
        ("sequence_length", {"strong": float("nan")}),
        ("sequence_length", {"weak": -3}),
        ("initializers", {"normal_sd": 0}),
        ("initializers", {"t5": []}),
        ("half_precision", {"sizes": [16]}),
        ("half_precision", {"rows": 1}),
    ],
)
def test_parameters_that_cannot_be_measured_are_refused(stem: str, changes: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        checked(stem, changes)

    assert next(iter(changes)) in refusal.value.errors()[0]["loc"]


@pytest.mark.parametrize("world", cases(WORLDS))
def test_every_claim_can_be_judged_whatever_is_asked(
    world: tuple[str, dict[str, Any]], answered: Callable[[str, dict[str, Any]], Answer]
) -> None:
    module, result = answered(*world)

    for claim in module.claims(result, Printer()):
        assert isinstance(claim["holds"], bool), claim
        assert re.search(r"\d", claim["evidence"]), claim
