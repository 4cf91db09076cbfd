"""The four drawings: nothing collides and every word stays true, whatever is measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import causal_chain
import score_spread
import softmax_jacobian
import softmax_weights
from report.contracts import Stream
from report.drawing import canvas, svg
from report.drawing.canvas import Canvas
from report.numbers import Printer
from report.style import Layout, read_tokens

pytestmark = pytest.mark.slow  # many parameters, each drawn in three layouts

TEMPLATES = Path(__file__).parent.parent.parent / "templates"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
LAYOUTS: tuple[Layout, ...] = ("wide", "compact", "narrow")

ROW, LONG_ROW = (8, 0, -8, 4), (8, 0, -8, 4, 2, -2.5, 6, -6.25)
SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)

Draw = Callable[..., Canvas]


@pytest.fixture
def drawn(stream: Callable[[str], Stream], stored: Callable[[str, object], Any]) -> Draw:
    """Measure one experiment, store its answer, and draw it with a strict printer."""

    def draw(experiment: Any, layout: Layout, row: Any = ROW, d_k: int = 64, **own: Any) -> Canvas:
        stem = experiment.__name__
        fields = {"scores": row, "d_k": d_k}
        wanted = experiment.Example.__dataclass_fields__
        example = experiment.Example(**{key: fields[key] for key in wanted})
        answer = experiment.measure(experiment.Parameters(example=example, **own), stream(stem))
        say = Printer(strict=True)
        fonts = TEMPLATES / "fonts"
        return canvas.compose(experiment.draw, stored(stem, answer), say, layout, TOKENS, fonts)

    return draw


def words(sheet: Canvas) -> list[str]:
    return svg.text_of(sheet.svg("sample"))


both_layouts = pytest.mark.parametrize("layout", ["wide", "narrow"])
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
every_row = pytest.mark.parametrize(
    ("row", "d_k"),
    [
        *((LONG_ROW[:keys], 64) for keys in (2, 3, 5, 6, 8)),
        *((ROW, d_k) for d_k in (1, 128, 1024)),
        (LONG_ROW, 65536),
        ((3, 3, 3, 3), 64),
        ((300, -300, 12.3456789, 0.001), 64),
    ],
)


# Whatever is measured


@both_layouts
@every_row
@pytest.mark.parametrize("experiment", [softmax_weights, softmax_jacobian])
def test_any_row_can_be_read(
    drawn: Draw, experiment: Any, row: tuple[float, ...], d_k: int, layout: Layout
) -> None:
    assert drawn(experiment, layout, row, d_k).problems() == []


@both_layouts
@every_row
def test_the_chain_of_any_row_can_be_read(
    drawn: Draw, row: tuple[float, ...], d_k: int, layout: Layout
) -> None:
    assert drawn(causal_chain, layout, row, d_k, components=10).problems() == []


@every_layout
@pytest.mark.parametrize("components", [1, 16])
def test_any_number_of_components_can_be_read(drawn: Draw, components: int, layout: Layout) -> None:
    assert drawn(causal_chain, layout, components=components).problems() == []


@both_layouts
@pytest.mark.parametrize(
    ("sizes", "trials", "d_k"),
    [
        (SIZES, 200, 64),
        (SIZES, 2, 64),
        (SIZES, 200, 128),
        (SIZES, 200, 4),
        (SIZES, 200, 1024),
        (SIZES, 200, 4096),
        ((1, 2), 5000, 64),
        ((512, 1024), 200, 512),
        ((3, 64, 100, 1000), 200, 100),
        (tuple(2**power for power in range(13)), 50, 64),
    ],
)
def test_any_sizes_and_trials_can_be_read(
    drawn: Draw, sizes: tuple[int, ...], trials: int, d_k: int, layout: Layout
) -> None:
    assert drawn(score_spread, layout, d_k=d_k, sizes=sizes, trials=trials).problems() == []


@every_layout
def test_the_example_can_be_read_in_every_layout(drawn: Draw, layout: Layout) -> None:
    sheets = [
        drawn(causal_chain, layout, components=10),
        drawn(score_spread, layout, sizes=SIZES, trials=200),
        drawn(softmax_weights, layout),
        drawn(softmax_jacobian, layout),
    ]

    assert [sheet.problems() for sheet in sheets] == [[], [], [], []]


# What the drawings say


def test_the_bars_say_what_the_fact_table_says(drawn: Draw) -> None:
    said = words(drawn(softmax_weights, "wide"))

    assert {"0.98", "0.0003", "<0.0001", "0.018", "0.47", "0.29", "0.28"} <= set(said)
    assert {"Divided by √dk = 8", "Divided by dk = 64", "−0.125", "0.0625"} <= set(said)
    assert {"One key takes nearly everything", "Almost an even split"} <= set(said)


def test_a_root_that_is_no_whole_number_is_rounded_and_says_so(drawn: Draw) -> None:
    said = words(drawn(softmax_weights, "wide", d_k=128))

    assert "Divided by √dk ≈ 11.3" in said
    assert "Divided by dk = 128" in said


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([0.951, 0.049], "One key takes nearly everything"),
        ([0.949, 0.051], "A clear first, the rest still count"),
        ([0.56, 0.44], "Almost an even split"),
        ([0.64, 0.36], "A clear first, the rest still count"),
        ([0.62, 0.33, 0.05], "A clear first, the rest still count"),
        ([0.62, 0.34, 0.04], "A clear first, some hardly count"),
        ([0.51, 0.45, 0.04], "No clear first, some hardly count"),
        ([0.46, 0.44, 0.1], "No clear first, all count"),
    ],
)
def test_a_panel_is_called_only_what_it_is(weights: list[float], expected: str) -> None:
    assert softmax_weights.verdict({"weights": weights}) == expected


def test_the_tables_name_their_largest_entry_and_both_points_of_view(drawn: Draw) -> None:
    said = words(drawn(softmax_jacobian, "wide"))

    assert "Largest entry 0.018: nearly flat" in said
    assert "Largest entry 0.249: about 14 times as steep" in said
    assert "Seen from the raw score: 0.249 ÷ 8 = 0.031" in said
    assert said.count("−0.136") == 2


def test_a_table_that_is_no_steeper_is_not_called_so(drawn: Draw) -> None:
    said = words(drawn(softmax_jacobian, "wide", d_k=1))

    assert not any("as steep" in each for each in said)


def test_a_slope_too_small_for_decimals_is_not_called_zero(drawn: Draw) -> None:
    said = words(drawn(softmax_jacobian, "wide", row=(100, 0)))

    assert "Largest entry 3.7 × 10⁻⁴⁴: nearly flat" in said


@every_layout
def test_the_chain_names_the_slope_at_the_softmax_input(drawn: Draw, layout: Layout) -> None:
    said = words(drawn(causal_chain, layout, components=10))

    assert {"variance dk", "about ±8 when dk = 64", "variance 1", "÷ √dk"} <= set(said)
    assert {"one key takes 98%", "47, 17, 6 and 29%"} <= set(said)
    assert {"largest slope 0.018", "largest slope 0.249"} <= set(said)
    assert said.count("at the softmax input") == 2
    assert "signal" not in " ".join(said)


def test_the_chain_calls_no_row_one_sided_that_is_not(drawn: Draw) -> None:
    said = words(drawn(causal_chain, "wide", row=(1, 1, 1), components=10))

    assert said.count("33, 33 and 33%") == 2
    assert said.count("every key still counts") == 2


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(3, "95%"), (6, "99.8%"), (8, "99.97%"), (20, "over 99.99%")],
)
def test_the_chain_never_calls_a_share_the_whole(drawn: Draw, gap: int, expected: str) -> None:
    said = words(drawn(causal_chain, "wide", row=(gap, 0), components=10))

    assert f"one key takes {expected}" in said


def test_the_spread_quotes_its_ends_and_the_example(drawn: Draw) -> None:
    said = words(drawn(score_spread, "wide", sizes=SIZES, trials=200))

    assert {"32", "8", "1", "1/8", "1/32", "dk = 64", "1,024"} <= set(said)
    assert {"grows as √dk", "stays at 1", "shrinks as 1/√dk"} <= set(said)
    assert {"200 seeded trials per size", "bars: 95% sampling interval"} <= set(said)


@every_layout
def test_an_example_outside_the_sizes_is_not_drawn(drawn: Draw, layout: Layout) -> None:
    said = words(drawn(score_spread, layout, sizes=(4, 16), trials=200))

    assert not any("64" in each for each in said)


# What the drawings weigh and hold


def test_divided_by_d_k_never_stands_on_a_panel(drawn: Draw) -> None:
    """Its marks have too little contrast there; the chain, which has panels, draws two scalings."""
    neutral = drawn(causal_chain, "wide", components=10).svg("sample")

    assert "--fig-panel" in neutral
    assert "--fig-dk" not in neutral


def test_all_four_figures_in_both_layouts_add_little_to_a_page(drawn: Draw) -> None:
    sheets = [
        (experiment.__name__, layout, drawn(experiment, layout, **own))
        for experiment, own in (
            (causal_chain, {"components": 10}),
            (score_spread, {"sizes": SIZES, "trials": 200}),
            (softmax_weights, {}),
            (softmax_jacobian, {}),
        )
        for layout in ("wide", "narrow")
    ]
    page = "".join(
        svg.page(sheet.svg(stem), stem, layout, TOKENS) for stem, layout, sheet in sheets
    )

    assert len(page.encode()) < 250_000
