"""Figures leave no page empty, and notes find room, whatever the text."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.pdf.composition import (
    GAP,
    GRID,
    MOST_BLANK,
    STRAYS,
    WORTH,
    Choice,
    Kind,
    Plan,
    Sheet,
    Slice,
    Taken,
    Unit,
    Wish,
    arrange,
    blanks,
    choices,
    cost,
    plan,
    stack,
)

LINE = 15.0
SHEET = Sheet(600.0, 0.0)  # forty lines


def _text(lines: int, kind: Kind = "text") -> Unit:
    """A paragraph; no page keeps fewer than three of its lines."""
    cuts = [i == 0 or 3 <= i <= lines - 3 for i in range(lines)]
    return Unit(kind, 0.0, 0.0, tuple(Slice(LINE, 0.0, cut) for cut in cuts))


def _figure(name: str, height: float, saving: float = 0.0) -> Unit:
    return Unit("figure", 0.0, 0.0, (Slice(height, 0.0, cut=True),), name, saving)


HEADING = replace(_text(1, "heading"), leads=True)
TAKEAWAY = replace(_text(1, "closing"), follows=True)
FORMULA = replace(_text(1, "formula"), follows=True)


def test_pages_are_filled_line_by_line() -> None:
    shares = blanks([_text(30), _text(30)], SHEET)

    assert shares == [0.0, 0.5]


def test_what_is_taken_of_the_first_page_counts_as_full() -> None:
    shares = blanks([_text(30)], Sheet(600.0, 150.0))

    assert shares == [0.0]


def test_a_paragraph_keeps_three_lines_on_each_page() -> None:
    shares = blanks([_text(38), _text(5)], SHEET)

    assert shares[0] == pytest.approx(2 / 40)


def test_no_page_ends_below_a_heading() -> None:
    shares = blanks([_text(39), HEADING, _text(5)], SHEET)

    assert shares == [pytest.approx(1 / 40), pytest.approx(34 / 40)]


def test_no_page_begins_with_what_closes_the_one_before() -> None:
    shares = blanks([_text(40), TAKEAWAY], SHEET)

    assert shares == [pytest.approx(3 / 40), pytest.approx(36 / 40)]


def test_margins_share_their_room_and_vanish_between_pages() -> None:
    loose = replace(_text(20), above=30.0, below=10.0)

    shares = blanks([loose, loose, loose], SHEET)

    first, second = 37 * LINE + 30, 23 * LINE + 30  # three lines of the second go on
    assert shares == [pytest.approx(1 - first / 600), pytest.approx(1 - second / 600)]


def test_a_figure_lets_the_next_paragraphs_go_before_it_rather_than_leave_a_hole() -> None:
    units = [_text(25), _figure("f", 300), _text(10), _text(10)]

    chosen = plan(units, SHEET)

    assert max(blanks(units, SHEET)[:-1]) > MOST_BLANK
    assert max(blanks(arrange(units, chosen), SHEET)[:-1]) <= MOST_BLANK
    assert chosen["f"].later > 0


def test_a_figure_is_drawn_lower_where_nothing_can_go_before_it() -> None:
    units = [_text(25, "other"), _figure("f", 250, saving=40), TAKEAWAY, HEADING, _text(30)]

    chosen = plan(units, SHEET)

    assert chosen == {"f": Choice(0, compact=True)}


def test_a_figure_stays_as_written_where_no_page_gains() -> None:
    units = [_text(20), _figure("f", 300, saving=40), _text(40)]

    chosen = plan(units, SHEET)

    assert chosen == {}


@pytest.mark.parametrize(("lines", "moves"), [(3, False), (8, True)])
def test_a_figure_moves_only_where_pages_gain_enough_to_be_seen(lines: int, *, moves: bool) -> None:
    units = [_text(40 - lines), _figure("f", (lines + 1) * LINE), *[_text(lines)] * 2, _text(40)]

    chosen = plan(units, SHEET)

    gain = cost(units, {}, SHEET) - cost(units, {"f": Choice(1)}, SHEET)
    assert gain > 0
    assert (gain > WORTH) is moves
    assert bool(chosen) is moves


@pytest.mark.parametrize("barrier", [HEADING, TAKEAWAY, _figure("g", 10), _text(4, "other")])
def test_a_figure_passes_over_paragraphs_alone(barrier: Unit) -> None:
    units = [_text(9, "other"), _figure("f", 300), _text(4), barrier, _text(4)]

    steps = {choice.later for choice in choices(units, 1)}

    assert steps == {0, 1}


def test_no_figure_comes_between_a_formula_and_the_words_that_lead_to_it() -> None:
    units = [_text(9, "other"), _figure("f", 300), _text(4), FORMULA, _text(4)]

    steps = {choice.later for choice in choices(units, 1)}

    assert steps == {0, 2, 3}


BLOCKS = st.one_of(
    st.integers(1, 12).map(_text),
    st.integers(1, 12).map(lambda lines: _text(lines, "other")),
    st.sampled_from([HEADING, TAKEAWAY, FORMULA]),
    st.tuples(st.integers(60, 400), st.integers(0, 50)).map(lambda f: _figure("", *f)),
)


def _named(blocks: list[Unit]) -> list[Unit]:
    return [replace(b, name=f"f{i}") if b.kind == "figure" else b for i, b in enumerate(blocks)]


@given(st.lists(BLOCKS, min_size=1, max_size=25).map(_named))
def test_a_plan_keeps_the_order_of_figures_and_text_and_never_costs_more(units: list[Unit]) -> None:
    chosen: Plan = plan(units, SHEET)
    placed = arrange(units, chosen)

    assert [u.name for u in placed if u.name] == [u.name for u in units if u.name]
    assert [u for u in placed if not u.name] == [u for u in units if not u.name]
    assert cost(units, chosen, SHEET) <= cost(units, {}, SHEET)


# Notes


def test_notes_that_fit_stand_level_with_their_paragraphs() -> None:
    places = stack([Wish(100, 50), Wish(200, 50)], [Taken(300, 400)], 60, 700)

    assert places == [100, 200]


def test_notes_that_would_touch_share_the_way_apart() -> None:
    places = stack([Wish(100, 50), Wish(120, 50)], [], 60, 700)

    assert places is not None
    assert places[1] - places[0] == pytest.approx(50 + GAP, abs=GRID)


def test_a_note_moves_away_from_a_figure() -> None:
    places = stack([Wish(280, 50)], [Taken(300, 400)], 60, 700)

    assert places == pytest.approx([300 - GAP - 50], abs=GRID)


def test_a_note_keeps_to_the_page() -> None:
    places = stack([Wish(690, 50)], [], 60, 700)

    assert places == pytest.approx([650], abs=GRID)


def test_a_note_that_would_stand_far_from_its_paragraph_has_no_place() -> None:
    places = stack([Wish(300, 50)], [Taken(60, 700)], 60, 700)

    assert places is None


@given(
    st.lists(st.tuples(st.floats(60, 700), st.floats(10, 120)), max_size=5).map(sorted),
    st.lists(st.tuples(st.floats(60, 700), st.floats(0, 250)), max_size=3),
)
def test_no_note_touches_anything_or_strays(
    wished: list[tuple[float, float]], others: list[tuple[float, float]]
) -> None:
    wishes = [Wish(*each) for each in wished]
    taken = [Taken(top, top + height) for top, height in others]

    places = stack(wishes, taken, 60, 700) or []

    stretches = [(at, at + wish.height) for at, wish in zip(places, wishes, strict=False)]
    assert all(above[1] + GAP <= below[0] + 1e-9 for above, below in pairwise(stretches))
    assert all(
        end + GAP <= each.top + 1e-9 or start >= each.bottom + GAP - 1e-9
        for start, end in stretches
        for each in taken
    )
    assert all(start >= 60 and end <= 700 for start, end in stretches)
    assert all(
        abs(at - wish.top) <= STRAYS + GRID for at, wish in zip(places, wishes, strict=False)
    )
