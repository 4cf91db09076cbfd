"""What all four experiments of the steps promise, for the published parameters and for others."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pydantic
import pytest

from report.contracts import Stream
from report.numbers import Printer, Quote

STEMS = ("score_spread", "softmax_weights", "softmax_jacobian", "causal_chain")
SEEDS = Path(__file__).parents[2] / "seeds.toml"
PUBLISHED = tomllib.loads(SEEDS.read_text("utf-8"))
LONGEST_ALT, SHORTEST_ALT = 250, 125

WORLDS: dict[str, dict[str, Any]] = {
    "published": {},
    "two keys": {"scores": [1, 1]},
    "eight keys": {"scores": [-0.123456789, 3.25, 17, -11.5, 0, 1, 2, 299.999], "d_k": 128},
    "one component": {"d_k": 1, "scores": [0.5, 0]},
    "saturated": {"scores": [300, -300, 300], "d_k": 65536, "sizes": [1, 65536]},
    "no square": {"d_k": 80, "sizes": [1, 3], "trials": 3},
    "two trials": {"trials": 2, "components": 1},
}


def asked(stem: str, **changes: Any) -> dict[str, Any]:
    """What `seeds.toml` gives an experiment, with few trials and the changes wanted."""
    settings = {**PUBLISHED["example"], **PUBLISHED.get(stem, {})}
    settings |= {"trials": 200} | changes
    kind = importlib.import_module(stem).Parameters
    own = {name: settings[name] for name in kind.__dataclass_fields__ if name != "example"}
    example = importlib.import_module(stem).Example.__dataclass_fields__
    return {**own, "example": {name: settings[name] for name in example}}


def checked(stem: str, **changes: Any) -> Any:
    """Parameters as the build checks them."""
    adapter = pydantic.TypeAdapter(importlib.import_module(stem).Parameters)
    return adapter.validate_json(json.dumps(asked(stem, **changes)), strict=True)


@pytest.fixture(params=STEMS)
def stem(request: pytest.FixtureRequest) -> str:
    """One experiment."""
    return str(request.param)


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One set of parameters."""
    return WORLDS[request.param]


@pytest.fixture
def described(
    stem: str,
    world: dict[str, Any],
    stream: Callable[[str], Stream],
    stored: Callable[[str, object], Any],
) -> Callable[[Printer], Any]:
    """An experiment's words about its stored answer, printed with the printer given."""
    module = importlib.import_module(stem)
    answer = stored(stem, module.measure(checked(stem, **world), stream(stem)))
    return lambda printer: module.describe(answer, printer)


def texts(description: Any) -> list[str]:
    """Every text of a description."""
    table = description["table"]
    cells = [cell for row in table["rows"] for cell in row]
    return [
        description["alt"],
        *description["description"],
        table["caption"],
        *table["columns"],
        *cells,
    ]


def hidden(quote: Quote) -> str:  # noqa: ARG001  the number itself is left out
    """Print a mark in a number's place."""
    return "…"


def kinds(value: Any) -> set[type]:
    """The types of every value inside plain data."""
    if type(value) is dict:
        return {dict} | {type(key) for key in value} | set().union(*map(kinds, value.values()))
    if type(value) is list:
        return {list}.union(*map(kinds, value))
    return {type(value)}


def test_an_answer_is_plain_data(
    stem: str, world: dict[str, Any], stream: Callable[[str], Stream]
) -> None:
    answer = importlib.import_module(stem).measure(checked(stem, **world), stream(stem))

    assert kinds(answer) <= {dict, list, str, int, float}


def test_the_same_stream_gives_the_same_answer(stem: str, stream: Callable[[str], Stream]) -> None:
    module, parameters = importlib.import_module(stem), checked(stem)

    assert module.measure(parameters, stream(stem)) == module.measure(parameters, stream(stem))


@pytest.mark.parametrize(
    ("stem", "keys"),
    [
        ("score_spread", [(4,), (9,), (64,)]),
        ("softmax_weights", []),
        ("softmax_jacobian", []),
        ("causal_chain", [("q",), ("k",)]),
    ],
)
def test_randomness_comes_from_the_stream_alone(
    stem: str, keys: list[tuple[int | str, ...]], stream: Callable[[str], Stream]
) -> None:
    asked_for: list[tuple[int | str, ...]] = []

    def recorded(*key: int | str) -> np.random.Generator:
        asked_for.append(key)
        return stream(stem)(*key)

    before = str(np.random.get_state())
    importlib.import_module(stem).measure(checked(stem, sizes=[9, 4]), recorded)

    assert asked_for == keys
    assert str(np.random.get_state()) == before


def test_an_alternative_is_neither_short_nor_long(described: Callable[[Printer], Any]) -> None:
    alternative = described(Printer(strict=True))["alt"]

    assert SHORTEST_ALT <= len(alternative) <= LONGEST_ALT


def test_an_alternative_holds_at_least_two_bound_numbers(
    described: Callable[[Printer], Any],
) -> None:
    alternative = described(Printer(lambda quote: f"<{quote.path}>", strict=True))["alt"]

    assert len(set(re.findall(r"<[\w.]+>", alternative))) >= 2


def test_no_digit_in_the_words_was_typed(described: Callable[[Printer], Any]) -> None:
    written = "\n".join(texts(described(Printer(hidden, strict=True))))
    formulas_and_labels = r"p\(1 − p\)|1/√d_k|(?i:key|input|weight) \d"

    assert re.findall(r".{0,20}\d", re.sub(formulas_and_labels, "", written)) == []


def test_the_words_need_no_eye_for_color(described: Callable[[Printer], Any]) -> None:
    words = " ".join(texts(described(Printer()))).lower()
    colors = r"\b(red|orange|blue|teal|green|purple|violet|gr[ae]y|black|white|colou?r\w*)\b"

    assert re.findall(rf"{colors}|image of|picture of", words) == []


def test_every_row_of_the_data_has_a_cell_for_each_column(
    described: Callable[[Printer], Any],
) -> None:
    table = described(Printer())["table"]
    names = [row[0] for row in table["rows"]]

    assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    assert len(names) == len(set(names))
    assert all(cell.strip() for row in table["rows"] for cell in row)


def test_no_two_alternatives_are_the_same(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> None:
    modules = [importlib.import_module(stem) for stem in STEMS]
    answers = [
        stored(stem, module.measure(checked(stem), stream(stem)))
        for stem, module in zip(STEMS, modules, strict=True)
    ]
    alternatives = {m.describe(a, Printer())["alt"] for m, a in zip(modules, answers, strict=True)}

    assert len(alternatives) == len(STEMS)


@pytest.mark.parametrize(
    ("stem", "changes"),
    [
        ("score_spread", {"sizes": []}),
        ("score_spread", {"sizes": [64]}),
        ("score_spread", {"sizes": [4, 64, 4]}),
        ("score_spread", {"sizes": [4, 0]}),
        ("score_spread", {"sizes": [4, 6.5]}),
        ("score_spread", {"trials": 1}),
        ("score_spread", {"trials": "many"}),
        ("score_spread", {"d_k": 0}),
        ("softmax_weights", {"scores": [8]}),
        ("softmax_weights", {"scores": [1, 2, 3, 4, 5, 6, 7, 8, 9]}),
        ("softmax_weights", {"scores": [8, float("nan")]}),
        ("softmax_weights", {"scores": [8, float("inf")]}),
        ("softmax_weights", {"scores": [8, 1e9]}),
        ("softmax_jacobian", {"d_k": 0}),
        ("causal_chain", {"components": 0}),
        ("causal_chain", {"d_k": 64.5}),
    ],
)
def test_parameters_that_cannot_be_measured_are_refused(stem: str, changes: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        checked(stem, **changes)

    assert next(iter(changes)) in refusal.value.errors()[0]["loc"]


def test_every_parameter_says_why_on_its_own_line() -> None:
    lines = [line for line in SEEDS.read_text("utf-8").splitlines() if "=" in line.split("#")[0]]

    assert [line for line in lines if not re.search(r"\S  # \w.{10,}", line)] == []
