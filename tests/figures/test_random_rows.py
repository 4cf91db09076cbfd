"""The three experiments on random rows: words and drawings that hold whatever is asked of them."""

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

from labels import apart
from report.contracts import Stream
from report.drawing import canvas, svg
from report.drawing.canvas import Canvas
from report.numbers import Printer, Quote
from report.style import Layout, read_tokens

pytestmark = pytest.mark.slow  # many parameters, each measured and drawn

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
PUBLISHED = tomllib.loads((ROOT / "seeds.toml").read_text("utf-8"))
FEW = {"rows": 300}  # rows enough for every number there is

WORLDS: dict[str, list[dict[str, Any]]] = {
    "saturation": [
        {},
        {"sizes": [1, 2], "keys": [2]},
        {"sizes": [512, 65536], "keys": [7, 1024], "rows": 20},
        {"sizes": [3, 64, 100, 1000], "keys": [16, 64]},
    ],
    "gradient_path": [
        {},
        {"sizes": [1, 2], "keys": [2]},
        {"sizes": [4, 65536], "keys": [2, 64], "rows": 20},
        {"sizes": [4, 8, 16, 32, 64, 128, 256, 512, 1024], "keys": [3]},
    ],
    "typical_rows": [
        {},
        {"scores": [1, 1]},
        {"scores": [0.5, 0], "d_k": 1},
        {"scores": [300, -300, 300], "d_k": 65536},
        {"scores": [8, 0, -8, 4, 2, -2.5, 6, -6.25], "d_k": 80},
        {"scores": [-3, 17.123456, 0], "d_k": 1024},
        {"d_k": 4},
    ],
}
CASES = [(stem, world) for stem, worlds in WORLDS.items() for world in worlds]


def checked(stem: str, changes: dict[str, Any]) -> Any:
    """Parameters as the build checks them: the published ones with few rows, and the changes."""
    kind = importlib.import_module(stem).Parameters
    settings = {**PUBLISHED["example"], **PUBLISHED[stem], **FEW, **changes}
    asked = {name: settings.get(name) for name in kind.__dataclass_fields__}
    if "example" in asked:
        asked["example"] = {name: settings[name] for name in ("scores", "d_k")}
    return pydantic.TypeAdapter(kind).validate_json(json.dumps(asked), strict=True)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} {case[1]}")
def answer(
    request: pytest.FixtureRequest,
    stream: Callable[[str], Stream],
    stored: Callable[[str, object], Any],
) -> tuple[Any, Any]:
    """An experiment, and what it found in one world."""
    stem, world = request.param
    module = importlib.import_module(stem)
    return module, stored(stem, module.measure(checked(stem, world), stream(stem)))


@pytest.fixture(params=WORLDS)
def published(
    request: pytest.FixtureRequest,
    stream: Callable[[str], Stream],
    stored: Callable[[str, object], Any],
) -> tuple[Any, Any]:
    """An experiment, and what it found with the published parameters but few rows."""
    module = importlib.import_module(request.param)
    found = module.measure(checked(request.param, {}), stream(request.param))
    return module, stored(request.param, found)


def sheet(module: Any, result: Any, layout: Layout) -> Canvas:
    """A drawing by a printer that refuses a number no result holds."""
    say = Printer(strict=True)
    return canvas.compose(module.draw, result, say, layout, TOKENS, TEMPLATES / "fonts")


def texts(description: Any) -> list[str]:
    """Every text of a description."""
    table = description["table"]
    cells = [cell for row in table["rows"] for cell in row]
    words = [description["alt"], *description["description"]]
    return [*words, table["caption"], *table["columns"], *cells]


def hidden(quote: Quote) -> str:  # noqa: ARG001  the number itself is left out
    """Print a mark in a number's place."""
    return "…"


@pytest.mark.parametrize("layout", ["wide", "compact", "narrow"])
def test_nothing_collides_in_a_drawing(answer: tuple[Any, Any], layout: Layout) -> None:
    assert sheet(*answer, layout).problems() == []


def test_an_alternative_is_neither_short_nor_long(answer: tuple[Any, Any]) -> None:
    module, result = answer

    assert 125 <= len(module.describe(result, Printer(strict=True))["alt"]) <= 250


def test_an_alternative_holds_at_least_two_bound_numbers(answer: tuple[Any, Any]) -> None:
    module, result = answer
    said = module.describe(result, Printer(lambda quote: f"<{quote.path}>", strict=True))["alt"]

    assert len(set(re.findall(r"<[\w.]+>", said))) >= 2


def test_no_digit_in_the_words_was_typed(answer: tuple[Any, Any]) -> None:
    module, result = answer
    written = "\n".join(texts(module.describe(result, Printer(hidden, strict=True))))

    assert re.findall(r".{0,20}\d", written) == []


def test_the_words_need_no_eye_for_color(published: tuple[Any, Any]) -> None:
    module, result = published
    words = " ".join(texts(module.describe(result, Printer()))).lower()
    colors = r"\b(red|orange|blue|teal|green|purple|violet|gr[ae]y|black|white|colou?r\w*)\b"

    assert re.findall(rf"{colors}|image of|picture of", words) == []


def test_every_row_of_the_data_has_a_cell_for_each_column(answer: tuple[Any, Any]) -> None:
    module, result = answer
    table = module.describe(result, Printer())["table"]
    names = [row[0] for row in table["rows"]]

    assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    assert len(names) == len(set(names))
    assert len(table["columns"]) == len(set(table["columns"]))
    assert all(cell.strip() for row in table["rows"] for cell in row)


def test_every_word_of_a_drawing_is_in_its_description_or_its_heading(
    published: tuple[Any, Any],
) -> None:
    module, result = published
    told = " ".join(texts(module.describe(result, Printer())))
    numbers = set(re.findall(r"\d[\d,.]*%?", told))
    drawn = " ".join(svg.text_of(sheet(module, result, "wide").svg("sample")))
    axis = {
        "0",
        "0.5",
        "0.01",
        "0.0001",
        "1",
        "0%",
        "100%",
        "5%",
        "10%",
        "15%",
        "25%",
        "50%",
        "75%",
    }
    found = {number.rstrip(".,") for number in re.findall(r"\d[\d,.]*%?", drawn)} - axis

    assert {number for number in found if not near(number, numbers)} == set()


def near(number: str, told: set[str]) -> bool:
    """Whether a drawn number, rounded as it is, stands for one of those told."""

    def value(text: str) -> float:
        return float(text.rstrip("%.,").replace(",", ""))

    if re.fullmatch(r"1(0|,000)+|10+", number):
        return True  # a power of ten on an axis
    return any(abs(value(number) - value(one)) <= 0.06 * max(value(one), 9) for one in told)


@pytest.mark.parametrize("stem", WORLDS)
def test_the_same_stream_gives_the_same_answer(stem: str, stream: Callable[[str], Stream]) -> None:
    module, parameters = importlib.import_module(stem), checked(stem, {})

    assert module.measure(parameters, stream(stem)) == module.measure(parameters, stream(stem))


@pytest.mark.parametrize(
    ("stem", "changes", "keys"),
    [
        ("saturation", {"sizes": [9, 4], "keys": [3, 2]}, [(2, 4), (2, 9), (3, 4), (3, 9)]),
        ("gradient_path", {"sizes": [9, 4], "keys": [3, 2]}, [(2, 4), (2, 9), (3, 4), (3, 9)]),
        ("typical_rows", {}, [(4, 64)]),
    ],
)
def test_randomness_comes_from_the_stream_alone(
    stem: str, changes: dict[str, Any], keys: list[tuple[int, ...]], stream: Callable[[str], Stream]
) -> None:
    asked_for: list[tuple[int | str, ...]] = []

    def recorded(*key: int | str) -> np.random.Generator:
        asked_for.append(key)
        return stream(stem)(*key)

    before = str(np.random.get_state())
    importlib.import_module(stem).measure(checked(stem, changes), recorded)

    assert asked_for == keys
    assert str(np.random.get_state()) == before


@pytest.mark.parametrize(
    ("stem", "changes"),
    [
        ("saturation", {"sizes": [64]}),
        ("saturation", {"sizes": [64, 64]}),
        ("saturation", {"keys": [1]}),
        ("saturation", {"keys": [2, 3, 4, 5]}),
        ("saturation", {"keys": []}),
        ("saturation", {"rows": 1}),
        ("gradient_path", {"sizes": [4, 0]}),
        ("gradient_path", {"keys": [65]}),
        ("gradient_path", {"keys": [4, 4]}),
        ("gradient_path", {"rows": 19}),
        ("typical_rows", {"rows": 99}),
        ("typical_rows", {"scores": [1]}),
        ("typical_rows", {"d_k": 0}),
    ],
)
def test_parameters_that_cannot_be_measured_are_refused(stem: str, changes: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        checked(stem, changes)

    assert next(iter(changes)) in refusal.value.errors()[0]["loc"]


def test_names_that_have_room_stay_where_their_lines_end() -> None:
    assert apart([50, 10, 30], 12, 0, 100) == [50, 10, 30]


def test_names_that_crowd_move_apart_by_as_little_as_needed_and_keep_their_order() -> None:
    assert apart([50, 52, 90], 12, 0, 100) == pytest.approx([45, 57, 90])


def test_names_stay_between_the_ends() -> None:
    assert apart([1, 2, 99], 10, 0, 100) == pytest.approx([0, 10, 99])
    assert apart([98, 99], 10, 0, 100) == pytest.approx([90, 100])


def test_names_with_too_little_room_are_spread_evenly() -> None:
    assert apart([5, 5, 5], 50, 0, 60) == pytest.approx([0, 30, 60])
    assert apart([], 50, 0, 60) == []


def test_every_claim_can_be_judged_whatever_is_asked(answer: tuple[Any, Any]) -> None:
    module, result = answer

    for claim in module.claims(result, Printer()):
        assert isinstance(claim["holds"], bool), claim
        assert re.search(r"\d", claim["evidence"]), claim
