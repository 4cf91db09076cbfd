"""The canvas: what it draws, what it refuses, and what it finds before a reader does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from fontTools.ttLib import TTFont

from report.drawing import canvas, svg
from report.drawing.canvas import Canvas
from report.drawing.lettering import Fonts
from report.drawing.neutral import parse
from report.drawing.proof import Box, Proof
from report.errors import Mistake
from report.numbers import Printer
from report.style import WEIGHTS, Layout, read_tokens

ROOT = Path(__file__).parent.parent
FONTS = ROOT / "templates" / "fonts"
TOKENS = read_tokens(ROOT / "templates" / "tokens.toml")

SELF = """
import sys
from pathlib import Path
from report.drawing import canvas
from report.numbers import Printer
from report.style import read_tokens

def draw(result, canvas):
    canvas.height = canvas.heading(0, "Speed of *d_k*", "in √*d_k* steps") + 45
    canvas.line([(5, 20), (100, 30)], "ink", "data")
    canvas.line([(0, 50), (100, 50)], "ink", "dotted", dotted=True)
    canvas.marks([(10, 21), (90, 29)], "raw", "diamond")
    canvas.arrow([(10, 40), (60, 40)])
    canvas.rectangle(120, 20, 40, 20, "sqrt", 0.5, radius=4)

fonts = Path("templates/fonts")
tokens = read_tokens(Path("templates/tokens.toml"))
sys.stdout.buffer.write(canvas.draw(draw, {}, Printer(), "wide", tokens, fonts).encode())
assert "matplotlib.pyplot" not in sys.modules
"""


@pytest.fixture
def sheet() -> Canvas:
    return new_sheet()


def new_sheet(layout: Layout = "wide") -> Canvas:
    made = Canvas(layout, Printer(), TOKENS, Fonts(FONTS))
    made.height = 100
    return made


def drawn(draw: Callable[[Any, Canvas], None], layout: Layout = "wide") -> str:
    return canvas.draw(draw, {}, Printer(), layout, TOKENS, FONTS)


# Scales


def test_a_log_scale_puts_the_geometric_mean_in_the_middle(sheet: Canvas) -> None:
    scale = sheet.scale([4, 1024], 100, 300, log=True)

    assert scale(64) == pytest.approx(200)


def test_a_scale_may_run_upwards(sheet: Canvas) -> None:
    scale = sheet.scale([0, 1], 80, 20)

    assert scale(0.25) == pytest.approx(65)


def test_values_that_are_all_the_same_stand_in_the_middle(sheet: Canvas) -> None:
    scale = sheet.scale([5, 5], 0, 10)

    assert scale(5) == 5


# Words


def test_words_are_as_wide_as_their_font_says(sheet: Canvas) -> None:
    font = TTFont(FONTS / "QuillSans-Regular.ttf")
    cmap, metrics = font.getBestCmap(), font["hmtx"]
    advances = sum(metrics[cmap[ord(char)]][0] for char in "1,024")

    actual = sheet.words("1,024").width

    assert actual == pytest.approx(advances / font["head"].unitsPerEm * sheet.size(), rel=1e-6)


def test_kerning_is_written_down_so_that_no_engine_has_to_know_it(sheet: Canvas) -> None:
    sheet.text(10, 50, "AVATAR")
    text = next(parse(sheet.svg("sample")).iter("{*}text"))
    written = [float(step) for step in str(text.get("dx")).split()]
    font = TTFont(FONTS / "QuillSans-Regular.ttf")
    cmap, metrics = font.getBestCmap(), font["hmtx"]
    plain = sum(metrics[cmap[ord(char)]][0] for char in "AVATAR") / 1000 * sheet.size()

    assert sum(written) == pytest.approx(sheet.words("AVATAR").width - plain, abs=0.01)
    assert sum(written) < -1


def test_a_line_that_ends_at_a_place_starts_its_own_width_before_it(sheet: Canvas) -> None:
    sheet.text(200, 50, "grows as √*d_k*", anchor="end")
    spans = list(next(parse(sheet.svg("sample")).iter("{*}text")))

    assert float(str(spans[0].get("x"))) == pytest.approx(
        200 - sheet.words("grows as √*d_k*").width, abs=0.01
    )


def test_a_symbol_is_serif_italic_with_a_smaller_lower_subscript(sheet: Canvas) -> None:
    sheet.text(10, 50, "*d_k*")
    letter, below = next(parse(sheet.svg("sample")).iter("{*}text"))

    assert (letter.text, below.text) == ("d", "k")
    assert below.get("font-size") == "6.29"
    assert float(str(below.get("y"))) > float(str(letter.get("y")))
    assert parse(sheet.svg("sample"))[0].get("font-style") == "italic"


def test_digits_in_a_symbol_stand_upright(sheet: Canvas) -> None:
    words = sheet.words("*p_1*")

    assert [(run.text, run.face.style) for run in words.runs] == [("p", "italic"), ("1", "normal")]


def test_a_character_without_a_glyph_is_refused_by_name(sheet: Canvas) -> None:
    with pytest.raises(Mistake, match=r"'☃' \(U\+2603 SNOWMAN\), which a drawing writes in 'so ☃'"):
        sheet.text(0, 10, "so ☃")


def test_a_symbol_that_is_never_closed_is_refused(sheet: Canvas) -> None:
    with pytest.raises(Mistake, match=r"'a \*b' of a drawing open a symbol and never close it"):
        sheet.text(0, 10, "a *b")


def test_an_escaped_asterisk_is_an_asterisk(sheet: Canvas) -> None:
    assert sheet.words(r"5 \* 3").text == "5 * 3"


def test_lines_are_broken_between_words_and_stay_within_the_width(sheet: Canvas) -> None:
    lines = sheet.wrap("products, one per component, so its variance is *d_k*.", 70)

    assert " ".join(lines) == "products, one per component, so its variance is *d_k*."
    assert max(sheet.words(line).width for line in lines) <= 70


@pytest.mark.parametrize(("value", "expected"), [(8.0, "= 8"), (11.3137085, "≈ 11.3")])
def test_a_rounded_number_does_not_claim_to_be_equal(
    sheet: Canvas, value: float, expected: str
) -> None:
    assert sheet.equals(value) == expected


def test_axis_labels_that_would_collide_are_left_out_but_the_ends_stay(sheet: Canvas) -> None:
    sheet.axis(50, [(10 + 5 * step, f"{step:,}00") for step in range(40)])
    labels = svg.text_of(sheet.svg("sample"))

    assert {"000", "3900"} <= set(labels)
    assert sheet.problems() == []


# Colors


def test_a_color_role_nobody_defined_names_the_nearest_one(sheet: Canvas) -> None:
    with pytest.raises(Mistake, match=r"color role 'pape'.*did you mean 'paper'"):
        sheet.text(0, 10, "x", "pape")


def test_words_turn_light_on_a_cell_that_is_nearly_full(sheet: Canvas) -> None:
    roles = [sheet.cell(0, 0, 20, 20, share) for share in (0, 0.5, 0.95)]

    assert roles == ["onheat-pale", "onheat-pale", "onheat"]


# What is found before a reader finds it


def test_words_that_overlap_are_found(sheet: Canvas) -> None:
    sheet.text(10, 50, "largest slope")
    sheet.text(30, 52, "at the input")

    assert sheet.problems() == ["'largest slope' and 'at the input' are too close"]


def test_words_side_by_side_need_a_gap(sheet: Canvas) -> None:
    first = sheet.text(10, 50, "one")
    sheet.text(first.right + 1, 50, "two")

    assert sheet.problems() == ["'one' and 'two' are too close"]


def test_words_that_leave_the_sheet_are_found(sheet: Canvas) -> None:
    sheet.text(440, 50, "too far right")

    assert sheet.problems() == ["'too far right' leaves the sheet"]


def test_a_stroke_that_would_be_cut_in_half_is_found(sheet: Canvas) -> None:
    sheet.frame(400, 10, 59, 20, "ink", "outline")

    assert sheet.problems() == ["a line, mark or shape leaves the sheet"]


def test_a_line_through_words_is_found(sheet: Canvas) -> None:
    sheet.text(10, 50, "crossed out")
    sheet.line([(5, 40), (100, 55)])

    assert sheet.problems() == ["a line crosses 'crossed out'"]


def test_paper_under_words_hides_the_grid_but_not_the_data(sheet: Canvas) -> None:
    sheet.text(10, 50, "0.98", patch=True)
    sheet.grid(48, 0, 100)
    hidden = sheet.problems()
    sheet.line([(0, 48), (100, 48)], "raw", "data")

    assert hidden == []
    assert sheet.problems() == ["a line crosses '0.98'"]


def test_words_on_the_edge_of_a_cell_are_found(sheet: Canvas) -> None:
    sheet.cell(10, 40, 20, 20, 0.5)
    sheet.text(12, 52, "−0.0003")

    assert sheet.problems() == ["the edge of a shape crosses '−0.0003'"]


def test_words_under_a_mark_are_found(sheet: Canvas) -> None:
    sheet.marks([(15, 47)], "raw")
    sheet.text(10, 50, "8")

    assert sheet.problems() == ["a mark crosses '8'"]


@pytest.mark.parametrize(("layout", "size"), [("wide", 7.9), ("narrow", 10.9)])
def test_words_too_small_to_read_are_found(layout: Layout, size: float) -> None:
    proof = Proof(layout)
    proof.words("tiny", Box(1, 1, 9, 9), size, patch=False)

    assert proof.problems(100, 100) == [
        f"'tiny' is {size} high, under {8 if layout == 'wide' else 11}"
    ]


def test_every_kind_of_words_is_large_enough_in_every_layout() -> None:
    for layout in ("wide", "compact", "narrow"):
        made = new_sheet(layout)
        for line, kind in enumerate(WEIGHTS):
            made.text(5, 15 + 20 * line, "Words", kind=kind)

        assert made.problems() == []


def test_a_place_is_clear_only_with_room_around_it(sheet: Canvas) -> None:
    sheet.line([(0, 50), (400, 50)])

    assert not sheet.clear(10, 49, "close")
    assert sheet.clear(10, 45, "apart")
    assert not sheet.clear(-5, 20, "off the sheet")


# Saving


def test_a_drawing_that_says_no_height_is_refused_by_name() -> None:
    with pytest.raises(Mistake, match="figure 'test_canvas' never says how high it is"):
        drawn(lambda _, sheet: sheet.line([(0, 0), (1, 1)]))


def test_a_drawing_with_too_many_elements_is_refused_by_name() -> None:
    def crowded(_: object, sheet: Canvas) -> None:
        sheet.height = 100
        sheet.marks([(x % 400 + 5, 50) for x in range(5000)], "raw")

    with pytest.raises(Mistake, match=r"figure 'test_canvas' has 5,0\d\d elements"):
        drawn(crowded)


def test_a_drawing_with_too_many_points_is_refused_by_name() -> None:
    def detailed(_: object, sheet: Canvas) -> None:
        sheet.height = 100
        sheet.line([(x * 77 % 450, x * 31 % 97) for x in range(90_000)])

    with pytest.raises(Mistake, match=r"figure 'test_canvas' has \d+ elements and \d{3} kB"):
        drawn(detailed)


def test_a_sheet_has_the_width_of_its_layout_and_the_height_it_was_given() -> None:
    def blank(_: object, sheet: Canvas) -> None:
        sheet.height = 123.4

    views = [parse(drawn(blank, layout)).get("viewBox") for layout in ("wide", "narrow")]

    assert views == ["0 0 459 123.4", "0 0 343 123.4"]


def test_a_place_on_the_sheet_is_the_place_in_the_file(sheet: Canvas) -> None:
    sheet.line([(10, 20), (30, 40.5)])

    assert 'd="M10 20L30 40.5"' in sheet.svg("sample")


def test_a_compact_panel_is_lower() -> None:
    assert new_sheet("compact").panel_height(100) == 85
    assert new_sheet("wide").panel_height(100) == 100


def test_drawing_leaves_the_settings_of_matplotlib_alone(sheet: Canvas) -> None:
    before = dict(mpl.rcParams)
    sheet.text(0, 20, "x")
    sheet.svg("sample")

    assert dict(mpl.rcParams) == before


def test_the_same_drawing_has_the_same_bytes_in_any_process_and_needs_no_pyplot(
    tmp_path: Path,
) -> None:
    (tmp_path / "matplotlibrc").write_text("lines.scale_dashes: False\nsvg.fonttype: path\n")
    surroundings = [
        {"PYTHONHASHSEED": "1", "MATPLOTLIBRC": str(tmp_path / "matplotlibrc"), "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "SOURCE_DATE_EPOCH": "1000000000", "TZ": "Asia/Tokyo"},
    ]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", SELF],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **surrounding},
            stdout=subprocess.PIPE,
        )
        for surrounding in surroundings
    ]
    one, two = (process.communicate()[0] for process in running)

    assert [process.returncode for process in running] == [0, 0]
    assert one.startswith(b"<svg ")
    assert one == two
