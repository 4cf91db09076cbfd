"""How pages are composed, as arithmetic: where figures go so that no page stays empty, and where notes fit.

Lengths are points. Nothing here knows the PDF engine: it is handed what a first layout measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Final, Literal

MOST_BLANK: Final = 0.30  # of a page that is not the last
FARTHEST: Final = 4  # paragraphs a figure may follow that it stood before
BEAM: Final = 24  # plans kept while figures are placed one after another

# What a plan costs, in squared shares of a page left blank.
_HOLE, _LATER, _EARLIER, _PARTED, _COMPACT = 10.0, 0.004, 0.012, 0.02, 0.008
WORTH: Final = 0.01  # less is not worth taking a figure from where its author put it

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


class Filling:
    """Pages in the making: blocks are put on them one after another, the way the engine does it."""

    def __init__(self, sheet: Sheet) -> None:
        self.shares: list[float] = []  # of finished pages, what stays blank
        self._height = sheet.height
        self._room = sheet.height - sheet.taken
        self._used = 0.0
        self._cut: float | None = None  # what was used above the last place where the page may end
        self._since: list[Slice] = []  # what was put below it
        self._before: Unit | None = None

    def fork(self) -> Filling:
        """Copy the pages, to try something."""
        other = copy(self)
        other.shares, other._since = list(self.shares), list(self._since)
        return other

    @property
    def state(self) -> tuple[float | None, ...]:
        """All that matters for what comes after."""
        numbers = (self._room, self._used, self._cut, sum(each.height for each in self._since))
        return tuple(None if number is None else round(number, 2) for number in numbers)

    @property
    def all(self) -> list[float]:
        """The share of each page that stays blank, the unfinished page last."""
        return [*self.shares, (self._room - self._used) / self._height]

    def add(self, unit: Unit) -> None:
        """Put a block on the page, and on the next ones."""
        first, *rest = unit.slices
        if self._before is not None:
            gap, cut = max(self._before.below, unit.above), not (self._before.leads or unit.follows)
            first = Slice(first.height, gap, cut)
        for piece in (first, *rest):
            self._put(piece)
        self._before = unit

    def _put(self, piece: Slice) -> None:
        if not self._used:  # margins vanish at the head of a page
            self._used = piece.height
        else:
            if piece.cut:
                self._cut, self._since = self._used, []
            if self._used + piece.gap + piece.height > self._room + 0.01:
                self._turn(piece)
                return
            self._used += piece.gap + piece.height
        self._since.append(piece)

    def _turn(self, piece: Slice) -> None:
        """End the page where it may end, or where it is full, and go on with what is left."""
        end = self._used if self._cut is None else self._cut
        left = [piece] if self._cut is None else [*self._since, piece]
        self.shares.append((self._room - end) / self._height)
        self._room, self._used, self._cut, self._since = self._height, 0.0, None, []
        for each in left:
            self._put(each)


def blanks(units: Sequence[Unit], sheet: Sheet) -> list[float]:
    """Fill pages with blocks; give the share of each page that stays blank, last included."""
    pages = Filling(sheet)
    for unit in units:
        pages.add(unit)
    return pages.all


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


@dataclass(frozen=True)
class _Draft:
    """A plan for the first figures: the pages up to there, and the first block not yet on them."""

    pages: Filling
    plan: Plan
    next: int
    cost: float

    def further(self, units: Sequence[Unit], until: int) -> _Draft:
        """Put the blocks before a place on the pages."""
        return self._with(units[self.next : until], max(self.next, until), self.plan)

    def placed(self, units: Sequence[Unit], at: int, choice: Choice) -> _Draft:
        """Put a figure where a choice wants it, and the paragraphs that go before or after it."""
        figure = _lowered(units[at]) if choice.compact else units[at]
        plan = self.plan | {figure.name: choice}
        if choice.later < 0:
            return self._with([figure, units[at - 1]], at + 1, plan)
        past = at + 1 + choice.later
        return self._with([*units[self.next : at], *units[at + 1 : past], figure], past, plan)

    def _with(self, blocks: Sequence[Unit], past: int, plan: Plan) -> _Draft:
        pages = self.pages.fork()
        for block in blocks:
            pages.add(block)
        return _Draft(pages, plan, past, emptiness(pages.all) + _liberties(plan))


def plan(units: Sequence[Unit], sheet: Sheet) -> Plan:
    """Choose where figures go, if pages gain enough by it; the same units always give the same plan."""
    kept = [_Draft(Filling(sheet), {}, 0, 0.0)]
    for at, unit in enumerate(units):
        if unit.kind == "figure":
            ready = [draft.further(units, max(at - 1, 0)) for draft in kept]
            options = choices(units, at)
            longer = [
                draft.placed(units, at, each)
                for draft in ready
                for each in options
                if each.later >= 0
                or draft.next < at  # no figure before it has passed the paragraph
            ]
            kept = _best(longer)
    found = _best([draft.further(units, len(units)) for draft in kept])[0]
    return found.plan if found.cost < cost(units, {}, sheet) - WORTH else {}


def _best(drafts: list[_Draft]) -> list[_Draft]:
    """Keep the cheapest drafts, and of those that go on alike only the cheapest."""
    found: dict[tuple[object, ...], _Draft] = {}
    for draft in sorted(drafts, key=lambda one: one.cost):
        found.setdefault((draft.next, draft.pages.state), draft)
    return list(found.values())[:BEAM]


def cost(units: Sequence[Unit], chosen: Plan, sheet: Sheet) -> float:
    """Weigh a plan: what it leaves blank, and the liberties it takes."""
    return emptiness(blanks(arrange(units, chosen), sheet)) + _liberties(chosen)


def emptiness(shares: Sequence[float]) -> float:
    """Weigh blank shares of pages, the last of which may be as empty as it likes."""
    return sum(share * share + (_HOLE if share > MOST_BLANK else 0.0) for share in shares[:-1])


def _liberties(plan: Plan) -> float:
    return sum(map(_liberty, plan.values()))


def _liberty(choice: Choice) -> float:
    moved = _EARLIER if choice.later < 0 else _LATER * choice.later
    return moved + (_COMPACT if choice.compact else 0.0) + (_PARTED if choice.parted else 0.0)


# -- notes ------------------------------------------------------------------------------------------

GAP: Final = 7.5  # points between two notes, and between a note and what it must not touch
GRID: Final = 0.5  # points; places are tried at this distance
STRAYS: Final = 105.0  # points a note may stand away from its paragraph
FAR: Final = 270.0  # ... where it would else have to go to the foot of the page


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
    wishes: Sequence[Wish],
    taken: Sequence[Taken],
    top: float,
    bottom: float,
    strays: float = STRAYS,
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
            free = away <= strays and _free(at, wish.height, taken, bottom)
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
