"""What every experiment promises, for the published parameters and for unusual ones."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pydantic
import pytest

from report.contracts import Stream
from report.drawing import canvas, svg
from report.drawing.canvas import Canvas
from report.numbers import Printer, Quote
from report.style import Layout, read_tokens
from tests.figures.worlds import KEYS, PUBLISHED, REFUSED, WORLDS, World, cases, checked, marks

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
NAMES = r"p\(1 − p\)|1/√d_k|(?i:key|input|weight) \d|\bT5\b"  # what has a digit and is no number
AXIS = {"0", "0.5", "0.01", "0.0001", "1", *(f"{n}%" for n in (0, 5, 10, 15, 25, 50, 75, 100))}

DRAWN = [stem for stem in WORLDS if hasattr(importlib.import_module(stem), "draw")]

Answer = tuple[Any, Any]  # the module of an experiment, and what it found
Ask = Callable[[str, World], Answer]


@pytest.fixture(scope="module")
def ask(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Ask:
    """Give an experiment and what it found in a world, measured once."""
    kept: dict[str, Answer] = {}

    def answer(stem: str, world: World) -> Answer:
        name, module = f"{stem} {world}", importlib.import_module(stem)
        if name not in kept:
            found = module.measure(checked(stem, world), stream(stem))
            kept[name] = module, stored(stem, found)
        return kept[name]

    return answer


@pytest.fixture(params=cases())
def answer(request: pytest.FixtureRequest, ask: Ask) -> Answer:
    """Any experiment in any of its worlds."""
    return ask(*request.param)


@pytest.fixture(params=cases(DRAWN))
def drawn(request: pytest.FixtureRequest, ask: Ask) -> Answer:
    """Any experiment that is drawn, in any of its worlds."""
    return ask(*request.param)


def table(answer: Answer, printer: Printer) -> Any:
    """The table of an experiment, beside its drawing or in its place."""
    module, result = answer
    if hasattr(module, "describe"):
        return module.describe(result, printer)["table"]
    return module.table(result, printer)


def texts(answer: Answer, printer: Printer) -> list[str]:
    """Every text of an experiment about what it found."""
    module, result = answer
    said = module.describe(result, printer) if hasattr(module, "describe") else None
    shown = table(answer, printer)
    cells = [cell for row in shown["rows"] for cell in row]
    words = [said["alt"], *said["description"]] if said else []
    return [*words, shown["caption"], *shown["columns"], *cells]


def sheet(answer: Answer, layout: Layout) -> Canvas:
    """A drawing by a printer that refuses a number no result holds."""
    module, result = answer
    say = Printer(strict=True)
    return canvas.compose(module.draw, result, say, layout, TOKENS, TEMPLATES / "fonts")


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


# What is measured


@pytest.mark.parametrize("case", cases())
def test_an_answer_is_plain_data(case: tuple[str, World], stream: Callable[[str], Stream]) -> None:
    stem, world = case
    answer = importlib.import_module(stem).measure(checked(stem, world), stream(stem))

    assert kinds(answer) <= {dict, list, str, int, float, bool}


@pytest.mark.parametrize("stem", [pytest.param(stem, marks=marks(stem)) for stem in WORLDS])
def test_the_same_stream_gives_the_same_answer(stem: str, stream: Callable[[str], Stream]) -> None:
    module, parameters = importlib.import_module(stem), checked(stem, {})

    assert module.measure(parameters, stream(stem)) == module.measure(parameters, stream(stem))


@pytest.mark.parametrize("stem", [pytest.param(stem, marks=marks(stem)) for stem in KEYS])
def test_randomness_comes_from_one_stream_a_case(
    stem: str, stream: Callable[[str], Stream]
) -> None:
    asked_for: list[tuple[int | str, ...]] = []
    world, keys = KEYS[stem]

    def recorded(*key: int | str) -> np.random.Generator:
        asked_for.append(key)
        return stream(stem)(*key)

    before = str(np.random.get_state())
    importlib.import_module(stem).measure(checked(stem, world), recorded)

    assert asked_for == keys
    assert str(np.random.get_state()) == before


@pytest.mark.parametrize(("stem", "changes"), REFUSED)
def test_parameters_that_cannot_be_measured_are_refused(stem: str, changes: World) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        checked(stem, changes)

    assert next(iter(changes)) in refusal.value.errors()[0]["loc"]


def test_every_parameter_says_why_on_its_own_line() -> None:
    seeds = (ROOT / "seeds.toml").read_text("utf-8").splitlines()
    lines = [line for line in seeds if "=" in line.split("#")[0]]

    assert [line for line in lines if not re.search(r"\S  # \w.{10,}", line)] == []


def test_every_experiment_is_tried_in_unusual_worlds() -> None:
    stems = {path.stem for path in (ROOT / "figures").glob("*.json")} - {"sweep"}

    assert WORLDS.keys() == stems
    assert PUBLISHED.keys() - {"build", "example", "seed"} <= stems
    assert [stem for stem, worlds in WORLDS.items() if len(worlds) < 3] == []


# What is claimed


def test_every_claim_can_be_judged_whatever_is_asked(answer: Answer) -> None:
    module, result = answer

    for claim in module.claims(result, Printer()):
        assert isinstance(claim["holds"], bool), claim
        assert re.search(r"\d", claim["evidence"]), claim


# What is said


def test_an_alternative_is_neither_short_nor_long(drawn: Answer) -> None:
    module, result = drawn

    assert 125 <= len(module.describe(result, Printer(strict=True))["alt"]) <= 250


def test_an_alternative_holds_at_least_two_bound_numbers(drawn: Answer) -> None:
    module, result = drawn
    said = module.describe(result, Printer(lambda quote: f"<{quote.path}>", strict=True))["alt"]

    assert len(set(re.findall(r"<[\w.]+>", said))) >= 2


def test_no_digit_in_the_words_was_typed(answer: Answer) -> None:
    written = "\n".join(texts(answer, Printer(hidden, strict=True)))

    assert re.findall(r".{0,20}\d", re.sub(NAMES, "", written)) == []


def test_the_words_need_no_eye_for_color(answer: Answer) -> None:
    words = " ".join(texts(answer, Printer())).lower()
    colors = r"\b(red|orange|blue|teal|green|purple|violet|gr[ae]y|black|white|colou?r\w*)\b"

    assert re.findall(rf"{colors}|image of|picture of", words) == []


def test_every_row_of_a_table_has_a_name_of_its_own_and_a_cell_for_each_column(
    answer: Answer,
) -> None:
    shown = table(answer, Printer(strict=True))
    names = [row[0] for row in shown["rows"]]

    assert {len(row) for row in shown["rows"]} == {len(shown["columns"])}
    assert len(names) == len(set(names))
    assert len(shown["columns"]) == len(set(shown["columns"]))
    assert all(cell.strip() for row in shown["rows"] for cell in row)


@pytest.mark.slow
def test_no_two_alternatives_are_the_same(ask: Ask) -> None:
    alternatives = {
        module.describe(result, Printer())["alt"]
        for module, result in (ask(stem, {}) for stem in DRAWN)
    }

    assert len(alternatives) == len(DRAWN)


# What is drawn


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["wide", "compact", "narrow"])
def test_nothing_collides_in_a_drawing(drawn: Answer, layout: Layout) -> None:
    assert sheet(drawn, layout).problems() == []


@pytest.mark.slow
@pytest.mark.parametrize("stem", ["saturation", "gradient_path", "typical_rows"])
def test_every_number_in_a_drawing_is_in_its_description(stem: str, ask: Ask) -> None:
    published = ask(stem, {})
    told = set(re.findall(r"\d[\d,.]*%?", " ".join(texts(published, Printer()))))
    shown = " ".join(svg.text_of(sheet(published, "wide").svg("sample")))
    found = {number.rstrip(".,") for number in re.findall(r"\d[\d,.]*%?", shown)} - AXIS

    assert {number for number in found if not near(number, told)} == set()


def near(number: str, told: set[str]) -> bool:
    """Whether a drawn number, rounded as it is, stands for one of those told."""

    def value(text: str) -> float:
        return float(text.rstrip("%.,").replace(",", ""))

    if re.fullmatch(r"1(0|,000)+|10+", number):
        return True  # a power of ten on an axis
    return any(abs(value(number) - value(one)) <= 0.06 * max(value(one), 9) for one in told)
