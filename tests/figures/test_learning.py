"""The experiments that train: words and drawings that hold whatever is asked of them."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pydantic
import pytest

from report.contracts import Stream
from report.drawing import canvas
from report.drawing.canvas import Canvas
from report.numbers import Printer, Quote
from report.style import Layout, read_tokens

pytestmark = pytest.mark.slow  # trains heads for many parameters

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
PUBLISHED = tomllib.loads((ROOT / "seeds.toml").read_text("utf-8"))
FEW: dict[str, dict[str, Any]] = {  # as few as give every number there is
    "training": {"steps": 8, "longer_steps": 16, "seeds": 2, "test_rows": 64, "batch": 16},
    "stuck_rows": {"rows": 20, "steps": 10, "course_steps": [0, 1, 3, 10]},
    "folded_scale": {"steps": 5},
}
WORLDS: dict[str, list[dict[str, Any]]] = {
    "training": [
        {},
        {"sizes": [1, 2], "control_sizes": [1, 2], "rates": [-20, -10, 0]},
        {"sizes": [16, 32, 64, 128, 256], "control_sizes": [64, 256], "steps": 40},
        {"sizes": [64, 2048], "keys": 2, "inputs": 1, "noise": 0.125},
    ],
    "stuck_rows": [
        {},
        {"sizes": [1, 2], "rates": [1, 2, 3], "keys": 2},
        {"sizes": [4, 16, 64, 256, 1024, 4096], "course_size": 4096, "rows": 2},
        {"sizes": [64, 1024], "steps": 1, "rates": [0.001, 0.01, 0.1], "course_steps": [0, 1]},
    ],
}
CASES = [(stem, world) for stem, worlds in WORLDS.items() for world in worlds]
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("training", {"sizes": [16]}),
    ("training", {"sizes": [64, 16]}),
    ("training", {"sizes": [1, 2, 3, 4, 5, 6]}),
    ("training", {"rates": [-8, -7]}),
    ("training", {"rates": [-8, -7, 1]}),
    ("training", {"seeds": 1}),
    ("training", {"noise": 0}),
    ("training", {"keys": 1}),
    ("stuck_rows", {"rows": 1}),
    ("stuck_rows", {"rates": [1, 1, 5]}),
    ("stuck_rows", {"rates": [0, 1, 5]}),
    ("stuck_rows", {"course_steps": [10, 1]}),
    ("folded_scale", {"d_k": 0}),
    ("folded_scale", {"adam": 0}),
]


def checked(stem: str, changes: dict[str, Any]) -> Any:
    """Parameters as the build checks them: the published ones, less work, and the changes."""
    asked = {**PUBLISHED[stem], **FEW[stem], **changes}
    kind = importlib.import_module(stem).Parameters
    return pydantic.TypeAdapter(kind).validate_json(json.dumps(asked), strict=True)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]} {case[1]}")
def answer(
    request: pytest.FixtureRequest,
    stream: Callable[[str], Stream],
    stored: Callable[[str, object], Any],
) -> tuple[Any, Any]:
    """An experiment, and what it found in one world."""
    stem, world = request.param
    module = importlib.import_module(stem)
    return module, stored(stem, module.measure(checked(stem, world), stream(stem)))


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


def test_the_words_need_no_eye_for_color(answer: tuple[Any, Any]) -> None:
    module, result = answer
    words = " ".join(texts(module.describe(result, Printer()))).lower()
    colors = r"\b(red|orange|blue|teal|green|purple|violet|gr[ae]y|black|white|colou?r\w*)\b"

    assert re.findall(rf"{colors}|image of|picture of", words) == []


def test_every_row_of_the_data_has_a_name_of_its_own_and_a_cell_for_each_column(
    answer: tuple[Any, Any],
) -> None:
    module, result = answer
    table = module.describe(result, Printer())["table"]
    names = [row[0] for row in table["rows"]]

    assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    assert len(names) == len(set(names))
    assert all(cell.strip() for row in table["rows"] for cell in row)


@pytest.mark.parametrize(("stem", "changes"), REFUSED)
def test_parameters_that_cannot_be_measured_are_refused(stem: str, changes: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        checked(stem, changes)

    assert next(iter(changes)) in refusal.value.errors()[0]["loc"]


def test_every_claim_can_be_judged_whatever_is_asked(answer: tuple[Any, Any]) -> None:
    module, result = answer

    for claim in module.claims(result, Printer()):
        assert isinstance(claim["holds"], bool), claim
        assert re.search(r"\d", claim["evidence"]), claim
