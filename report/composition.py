"""How pages are composed, as arithmetic: where figures go so that no page stays empty, and where notes fit.

Lengths are points. Nothing here knows the PDF engine: it is handed what a first layout measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

MOST_BLANK: Final = 0.30  # of a page that is not the last
FARTHEST: Final = 3  # paragraphs a figure may follow that it stood before
BEAM: Final = 24  # plans kept while figures are placed one after another

# What a plan costs, in squared shares of a page left blank.
_HOLE, _LATER, _EARLIER, _PARTED, _COMPACT = 10.0, 0.004, 0.012, 0.02, 0.008

Kind = Literal["text", "formula", "heading", "figure", "closing", "other"]


@dataclass(frozen=True)
class Slice:
    """A piece that cannot be cut: a line, a row, a panel; `gap` lies above it."""

    height: float
    gap: float
    cut: bool  # whether a page may end above it


@dataclass(frozen=True)
class Unit:
    """A block of the text with its margins; a figure has a name and a lower drawing's saving."""

    kind: Kind
    above: float
    below: float
    slices: tuple[Slice, ...]
    name: str = ""
    saving: float = 0.0  # points the compact drawing is lower by
    leads: bool = False  # no page may end below it
    follows: bool = False  # no page may end above it


@dataclass(frozen=True)
class Sheet:
    """The height of a page's text, and how much of the first page is taken before it begins."""

    height: float
    taken: float


@dataclass(frozen=True)
class Choice:
    """Where a figure goes: how many paragraphs later than written (-1: one earlier), and which drawing."""

    later: int = 0
    compact: bool = False
    parted: bool = False  # it leaves the heading it stands under


Plan = dict[str, Choice]


def blanks(units: Sequence[Unit], sheet: Sheet) -> list[float]:
    """Fill pages the way the engine does; give the share of each page that stays blank, last included."""
    pieces = list(_pieces(units))
    found: list[float] = []
    start, room = 0, sheet.height - sheet.taken
    while start < len(pieces):
        end, used = _fill(pieces, start, room)
        found.append((room - used) / sheet.height)
        start, room = end, sheet.height
    return found


def _pieces(units: Sequence[Unit]) -> Iterable[Slice]:
    before: Unit | None = None
    for unit in units:
        for index, piece in enumerate(unit.slices):
            if index or before is None:
                yield piece
                continue
            gap = max(before.below, unit.above)
            yield Slice(piece.height, gap, not (before.leads or unit.follows))
        before = unit


def _fill(pieces: Sequence[Slice], start: int, room: float) -> tuple[int, float]:
    """Fill one page; give the piece the next begins with, and the height used."""
    used = at_cut = 0.0
    cut = start
    for index in range(start, len(pieces)):
        piece = pieces[index]
        if index > start and piece.cut:
            cut, at_cut = index, used
        used += piece.height + (piece.gap if index > start else 0.0)
        if used > room + 0.01 and index > start:
            return (cut, at_cut) if cut > start else (index, used - piece.height - piece.gap)
    return len(pieces), used


def arrange(units: Sequence[Unit], plan: Plan) -> list[Unit]:
    """Put every figure where a plan wants it."""
    placed = list(units)
    for unit in units:
        if unit.kind == "figure" and unit.name in plan:
            choice, at = plan[unit.name], placed.index(unit)
            placed.remove(unit)
            placed.insert(at + choice.later, _lowered(unit) if choice.compact else unit)
    return placed


def _lowered(unit: Unit) -> Unit:
    first, *rest = unit.slices
    lower = Slice(first.height - unit.saving, first.gap, first.cut)
    return replace(unit, slices=(lower, *rest), saving=0.0)


def choices(units: Sequence[Unit], at: int) -> list[Choice]:
    """List what may be done with the figure at a place: it moves over paragraphs alone."""
    kinds: list[Kind] = [unit.kind for unit in units] + ["other"]
    later = [0]
    for step in range(1, FARTHEST + 1):
        if kinds[at + step] not in ("text", "formula"):
            break
        if kinds[at + step + 1] != "formula":  # a formula stays under the words that lead to it
            later.append(step)
    if at > 1 and kinds[at - 1] == "text" and kinds[at - 2] not in ("heading", "figure"):
        later.append(-1)
    heights = (False, True) if units[at].saving else (False,)
    under = at > 0 and kinds[at - 1] == "heading"
    return [Choice(steps, low, under and steps > 0) for low in heights for steps in later]


def plan(units: Sequence[Unit], sheet: Sheet) -> Plan:
    """Choose for every figure where it goes; the same units always give the same plan."""
    kept: list[Plan] = [{}]
    for at, unit in enumerate(units):
        if unit.kind != "figure":
            continue
        longer = [old | {unit.name: each} for old in kept for each in choices(units, at)]
        longer = [one for one in longer if _in_order(units, one)]
        kept = sorted(longer, key=lambda one: cost(units, one, sheet, unit.name))[:BEAM]
    return min(kept, key=lambda one: cost(units, one, sheet))


def _in_order(units: Sequence[Unit], chosen: Plan) -> bool:
    """Tell whether the figures still follow each other as they are numbered."""
    names = [unit.name for unit in arrange(units, chosen) if unit.kind == "figure"]
    return names == [unit.name for unit in units if unit.kind == "figure"]


def cost(units: Sequence[Unit], chosen: Plan, sheet: Sheet, until: str = "") -> float:
    """Weigh a plan, up to the figure it has come to."""
    placed = arrange(units, chosen)
    if until:
        names = [unit.name for unit in placed]
        placed = placed[: names.index(until) + 1]
    return emptiness(blanks(placed, sheet)) + sum(map(_liberty, chosen.values()))


def emptiness(shares: Sequence[float]) -> float:
    """Weigh blank shares of pages, the last of which may be as empty as it likes."""
    return sum(share * share + (_HOLE if share > MOST_BLANK else 0.0) for share in shares[:-1])


def _liberty(choice: Choice) -> float:
    moved = _EARLIER if choice.later < 0 else _LATER * choice.later
    return moved + (_COMPACT if choice.compact else 0.0) + (_PARTED if choice.parted else 0.0)


# -- notes ------------------------------------------------------------------------------------------

GAP: Final = 7.5  # points between two notes, and between a note and what it must not touch
GRID: Final = 0.5  # points; places are tried at this distance
STRAYS: Final = 105.0  # points a note may stand away from its paragraph


@dataclass(frozen=True)
class Wish:
    """A note of one page: where it would stand, and its height."""

    top: float
    height: float


@dataclass(frozen=True)
class Taken:
    """A stretch of the margin that something else stands in."""

    top: float
    bottom: float


def stack(
    wishes: Sequence[Wish], taken: Sequence[Taken], top: float, bottom: float
) -> list[float] | None:
    """Place the notes of a page in their order, as near to their wishes as they fit; None if they do not.

    Exact on a grid: the least sum of distances over all places that keep the order and touch nothing.
    """
    places = [wish.top for wish in wishes]
    if _fits(wishes, places, taken, bottom):
        return places
    count = int((bottom - top) / GRID) + 1
    best: list[
        list[tuple[float, int]]
    ] = []  # per note and place: least cost so far, the last place
    for index, wish in enumerate(wishes):
        row: list[tuple[float, int]] = []
        reach = int((wishes[index - 1].height + GAP) / GRID + 1) if index else 0
        cheapest, where = (0.0, -1) if not index else (float("inf"), -1)
        for step in range(count):
            at = top + step * GRID
            if index and step >= reach and best[-1][step - reach][0] < cheapest:
                cheapest, where = best[-1][step - reach][0], step - reach
            away = abs(at - wish.top)
            free = away <= STRAYS and _free(at, wish.height, taken, bottom)
            row.append((cheapest + away if free else float("inf"), where))
        best.append(row)
    return _traced(best, top) if best else []


def _traced(best: list[list[tuple[float, int]]], top: float) -> list[float] | None:
    step = min(range(len(best[-1])), key=lambda one: best[-1][one][0])
    if best[-1][step][0] == float("inf"):
        return None
    places: list[float] = []
    for row in reversed(best):
        places.append(top + step * GRID)
        step = row[step][1]
    return places[::-1]


def _free(at: float, height: float, taken: Sequence[Taken], bottom: float) -> bool:
    return at + height <= bottom and all(
        at + height + GAP <= each.top or at >= each.bottom + GAP for each in taken
    )


def _fits(
    wishes: Sequence[Wish], places: Sequence[float], taken: Sequence[Taken], bottom: float
) -> bool:
    ends = [at + wish.height for at, wish in zip(places, wishes, strict=True)]
    apart = all(end + GAP <= after for end, after in zip(ends, places[1:], strict=False))
    return apart and all(
        _free(at, wish.height, taken, bottom) for at, wish in zip(places, wishes, strict=True)
    )
