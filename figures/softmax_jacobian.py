"""How much slope does the softmax leave for learning, before and after the scores are divided?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import degrees
from attention import NAMES, Array, Example, brief, divisors, jacobian, softmax
from evidence import leaders, numbered

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Stored, Stream

CEILING = 0.25  # the most p(1 - p) can be, at p = 1/2
STRETCH = 0.5  # the most an eigenvalue can be: no row of absolute entries adds up to more
EXACT = 1e-8  # a result keeps nine digits
ZERO = 0.00005  # size under which an entry prints as 0; the caption says so
STEPS = 5  # of the scale, from nothing to the ceiling
DRAWN = ("raw", "sqrt")  # d_k has no picture: its table looks healthy, its raw-score slope is not


@dataclass(frozen=True)
class Parameters:
    """The row whose slope is taken."""

    example: Example


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:  # noqa: ARG001  exact
    """Slope of the softmax at the row, for each divisor, at its input and at the raw score.

    The raw score is divided before it enters, so by the chain rule its slope is divided too.
    """
    row, d_k = np.array(parameters.example.scores, dtype=float), parameters.example.d_k
    slopes = {name: slope(row, divisor) for name, divisor in divisors(d_k).items()}
    return {
        "scores": row.tolist(),
        "d_k": d_k,
        "keys": len(row),
        "ceiling": CEILING,
        **slopes,
        "ratio": compare(**slopes),
    }


def slope(row: Array, divisor: float) -> dict[str, Any]:
    """The whole Jacobian after one division, with its size taken in several ways.

    The largest entry is on the diagonal: there no entry beside it is larger in absolute value.
    """
    weights = softmax(row / divisor)
    entries = jacobian(weights)
    diagonal = np.diag(entries)
    largest = float(np.max(diagonal))
    return {
        "divisor": divisor,
        "weights": weights.tolist(),
        "entries": entries.tolist(),
        "largest": largest,
        "largest_key": int(np.argmax(diagonal)) + 1,
        "trace": float(np.sum(diagonal)),
        "largest_eigenvalue": float(np.linalg.eigvalsh(entries)[-1]),
        "raw_score": {"largest": largest / divisor},
    }


def compare(raw: dict[str, Any], sqrt: dict[str, Any], dk: dict[str, Any]) -> dict[str, float]:
    """How many times larger one slope is than another; `sqrt` over `raw` unless named."""
    at_raw = {name: one["raw_score"]["largest"] for name, one in (("raw", raw), ("dk", dk))}
    return {
        "input": sqrt["largest"] / raw["largest"],
        "raw_score": sqrt["raw_score"]["largest"] / at_raw["raw"],
        "trace": sqrt["trace"] / raw["trace"],
        "largest_eigenvalue": sqrt["largest_eigenvalue"] / raw["largest_eigenvalue"],
        "raw_over_dk_at_raw_score": at_raw["raw"] / at_raw["dk"],
    }


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of the row's slopes, seen from either end of the division."""
    return [
        *at_the_input(result, say),
        *at_the_raw_score(result, say),
        respects_ceiling(result, say),
    ]


def at_the_input(result: Stored, say: Say) -> list[Claim]:
    """Claim what the softmax alone does with the row."""
    raw, sqrt, dk = (brief(say, result[name]["largest"], 3) for name in NAMES)
    ceiling = result["ceiling"]
    return [
        {
            "name": "raw_barely_responds",
            "sentence": (
                "Unscaled, the row barely responds at the softmax input: no slope is more than "
                f"{say.percent(degrees.FLAT)} of the most it could be."
            ),
            "holds": degrees.barely_responds(result["raw"]["largest"], ceiling),
            "evidence": f"largest slope {raw}, at most {say.plain(ceiling)}",
        },
        {
            "name": "steeper_at_input",
            "sentence": (
                "At the softmax input, the largest slope divided by √d_k is at least "
                f"{say.plain(degrees.STEEPER)} times the unscaled one."
            ),
            "holds": degrees.steeper(result["ratio"]["input"]),
            "evidence": f"{sqrt} against {raw}, {brief(say, result['ratio']['input'], 3)} times",
        },
        {
            "name": "dk_looks_healthy",
            "sentence": (
                "At the softmax input, the largest slope divided by d_k looks healthy: it is at "
                f"least {say.percent(degrees.HEALTHY)} of the most it could be."
            ),
            "holds": degrees.looks_healthy(result["dk"]["largest"], ceiling),
            "evidence": f"largest slope {dk}, at most {say.plain(ceiling)}",
        },
    ]


def at_the_raw_score(result: Stored, say: Say) -> list[Claim]:
    """Claim what is left of it once the chain rule has divided every slope."""
    slopes = {name: result[name]["raw_score"]["largest"] for name in NAMES}
    raw, sqrt, dk = (brief(say, slope, 3) for slope in slopes.values())
    ratio = result["ratio"]
    return [
        {
            "name": "less_from_raw_score",
            "sentence": (
                "Seen from the raw score, the gain of dividing by √d_k is smaller than at the "
                f"softmax input, by a factor of at least {say.plain(degrees.STEEPER)}."
            ),
            "holds": degrees.steeper(ratio["input"] / ratio["raw_score"]),
            "evidence": (
                f"{brief(say, ratio['raw_score'], 3)} times from the raw score, "
                f"{brief(say, ratio['input'], 3)} times at the softmax input"
            ),
        },
        {
            "name": "dk_smallest_from_raw_score",
            "sentence": "Seen from the raw score, dividing by d_k leaves the smallest slope of all.",
            "holds": slopes["dk"] < min(slopes["raw"], slopes["sqrt"]),
            "evidence": f"{dk} against {raw} unscaled and {sqrt} divided by √d_k",
        },
    ]


def respects_ceiling(result: Stored, say: Say) -> Claim:
    """Claim the bounds that hold for every softmax."""
    largest, stretch = (
        max(result[name][size] for name in NAMES) for size in ("largest", "largest_eigenvalue")
    )
    return {
        "name": "ceiling_respected",
        "sentence": (
            f"No slope of a softmax is above {say.plain(result['ceiling'])}, and no eigenvalue of "
            f"its Jacobian above {say.plain(STRETCH)}."
        ),
        "holds": largest <= result["ceiling"] + EXACT and stretch <= STRETCH + EXACT,
        "evidence": (
            f"largest slope {brief(say, largest, 3)}, largest eigenvalue {brief(say, stretch, 3)}"
        ),
    }


def describe(result: Stored, say: Say) -> Description:
    """Tell the two tables in words, and give all three as data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(cells(name, result[name], say) for name in DRAWN),
            extremes(result, say),
            from_raw_score(result, say),
        ],
        "table": {
            "caption": (
                "Slope of each softmax weight at each softmax input, for each scaling, "
                f"at d_k = {say.count(result['d_k'])}."
            ),
            "columns": [
                "Weight",
                *(f"Input {say.label(key + 1)}" for key in range(result["keys"])),
            ],
            "rows": [
                [f"Key {say.label(key + 1)}, {said}", *(brief(say, x) for x in entries)]
                for name, said in NAMES.items()
                for key, entries in enumerate(result[name]["entries"])
            ],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the two tables in one breath."""
    raw, sqrt = result["raw"], result["sqrt"]
    return (
        f"Tables of softmax slopes for {say.count(result['keys'])} keys, on one scale up to "
        f"{say.plain(result['ceiling'])}. At the softmax input the largest is "
        f"{brief(say, raw['largest'], 3)} unscaled, {brief(say, sqrt['largest'], 3)} "
        f"divided by √d_k; from the raw score, {brief(say, raw['raw_score']['largest'], 3)} "
        f"and {brief(say, sqrt['raw_score']['largest'], 3)}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    scores = ", ".join(brief(say, score) for score in result["scores"])
    alone = all(len(steepest_keys(result[name])) == 1 for name in DRAWN)
    return (
        f"Tables for the row of scores {scores}: first unscaled, then divided by √d_k. A "
        "row is a key's weight, a column a key's softmax input, and a cell says how fast the "
        "weight moves as the input does. Cells are shaded on one scale from zero to "
        f"{say.plain(result['ceiling'])}, the most a slope can be, by size whatever the sign. "
        "Cells on the diagonal are positive, p(1 − p); the others are negative. The largest "
        f"{'cell is' if alone else 'cells are'} outlined."
    )


def steepest_keys(one: Stored) -> list[int]:
    """Number the keys with the largest entry of the diagonal."""
    return leaders([entries[key] for key, entries in enumerate(one["entries"])])


def cells(name: str, one: Stored, say: Say) -> str:
    """Read one table, row by row."""
    said = NAMES[name]
    rows = "; ".join(
        f"key {say.label(key + 1)}: {', '.join(say.fixed(x, 4) for x in entries)}"
        for key, entries in enumerate(one["entries"])
    )
    first = steepest_keys(one)
    at = f"key {say.count(one['largest_key'])}"
    if len(first) > 1:
        at = f"keys {numbered(say, first)}"
    return (
        f"{said[0].upper()}{said[1:]}, row by row, {rows}. The largest is "
        f"{brief(say, one['largest'])}, at {at}; the diagonal adds "
        f"up to {brief(say, one['trace'])}, and the largest eigenvalue is "
        f"{brief(say, one['largest_eigenvalue'])}."
    )


def extremes(result: Stored, say: Say) -> str:
    """Compare the tables at the softmax input, in three ways."""
    ratio = result["ratio"]
    return (
        "At the softmax input the largest slope divided by √d_k is "
        f"{brief(say, ratio['input'], 3)} times the unscaled one; by the sum of the "
        f"diagonal it is {brief(say, ratio['trace'], 3)} times, by the largest eigenvalue "
        f"{brief(say, ratio['largest_eigenvalue'], 3)} times."
    )


def from_raw_score(result: Stored, say: Say) -> str:
    """Give the slopes after the chain rule, where the third scaling belongs too."""
    slopes = {name: result[name]["raw_score"]["largest"] for name in NAMES}
    said = ", ".join(f"{brief(say, slopes[name])} {NAMES[name]}" for name in NAMES)
    ratio = result["ratio"]
    least = " and ".join(NAMES[name] for name in NAMES if slopes[name] == min(slopes.values()))
    return (
        "From the raw score the chain rule divides each slope by its divisor. The largest are "
        f"then {said}. Divided by √d_k is {brief(say, ratio['raw_score'], 3)} times unscaled, "
        f"and unscaled is {brief(say, ratio['raw_over_dk_at_raw_score'], 3)} times divided by "
        f"d_k. The smallest of these: {least}. The "
        "scaling that is not drawn, divided by d_k, has a largest slope of "
        f"{brief(say, result['dk']['largest'])} at the softmax input."
    )


class Grid(NamedTuple):
    """Where a table of slopes stands, and the size of its cells."""

    x: float
    top: float
    wide: float
    high: float


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw two tables on one scale, side by side or one above the other, and the scale below."""
    pt, keys = canvas.pt, result["keys"]
    quiet = "change of weight *p_i* (row) per unit of input *z_j* (column)"
    y = canvas.heading(0, "Slope of the softmax at its input", quiet)
    left, gap, edge = 18 * pt, 23 * pt, 0.75 * pt
    beside = (canvas.width - gap - edge) / 2 - left
    stacked = canvas.narrow or widest(result, canvas) + 3 * pt > beside / keys
    room = canvas.width - left - edge if stacked else beside
    wide, high = min(room / keys, 68 * pt), max(min(136 / keys, 34) * pt, 19 * pt)
    top = y + 13 * pt
    for index, name in enumerate(DRAWN):
        x = left if stacked else left + index * (beside + gap + left)
        if stacked and index:
            top = y + 17 * pt
        divided = f"Divided by √*d_k* {canvas.equals(result['sqrt']['divisor'])}"
        title = "No scaling" if name == "raw" else divided
        canvas.text(x, top + 10 * pt, title, f"{name}-words", kind="title")
        canvas.text(x, top + 22.5 * pt, verdict(result, name, canvas), "ink2")
        y = draw_table(result, name, canvas, Grid(x, top + 43 * pt, wide, high)) + 14 * pt
        canvas.text(x, y, seen_from_raw_score(result[name], canvas), "ink2")
    draw_scale(result, canvas, left, y + 17 * pt)


def widest(result: Stored, canvas: Canvas) -> float:
    """The width of the widest entry."""
    entries = [x for name in DRAWN for line in result[name]["entries"] for x in line]
    return max(canvas.words(entry(canvas.say, x), "strong").width for x in entries)


def entry(say: Say, value: float) -> str:
    """Print three decimals, a fourth where three would be none, and 0 below half of that."""
    if abs(value) < ZERO:
        return say.label(0)
    return say.fixed(value, 3 if abs(value) >= 0.001 else 4)  # noqa: PLR2004  three decimals


def size(say: Say, value: float) -> str:
    """Print an entry that must not vanish, such as the largest: a tiny one as a power of ten."""
    return entry(say, value) if value >= ZERO else say.scientific(value, 2)


def verdict(result: Stored, name: str, canvas: Canvas) -> str:
    """Name the largest entry, and say how it compares with the ceiling or the other table."""
    say, largest, ratio = canvas.say, result[name]["largest"], result["ratio"]["input"]
    said = f"Largest entry {size(say, largest)}"
    if degrees.barely_responds(largest, result["ceiling"]):
        return f"{said}: nearly flat"
    if name == "sqrt" and degrees.steeper(ratio):
        times = say.about(ratio) if ratio < 1000 else "over a thousand"  # noqa: PLR2004  its name
        return f"{said}: {times} times as steep"
    return said


def seen_from_raw_score(one: Stored, canvas: Canvas) -> str:
    """Say what the chain rule leaves of the largest entry."""
    say, seen = canvas.say, "Seen from the raw score:"
    if one["divisor"] == 1:
        return f"{seen} {size(say, one['largest'])} as well"
    at_raw = one["raw_score"]["largest"]
    left = say.significant(at_raw, 2) if at_raw >= ZERO else say.scientific(at_raw, 2)
    return f"{seen} {size(say, one['largest'])} ÷ {say.brief(one['divisor'])} = {left}"


def draw_table(result: Stored, name: str, canvas: Canvas, grid: Grid) -> float:
    """Draw one table of slopes, shaded by size, its largest entries outlined; give its foot."""
    pt, keys, (x, top, wide, high) = canvas.pt, int(result["keys"]), grid
    first = [key - 1 for key in steepest_keys(result[name])]
    for key in range(keys):
        middle, beside = x + (key + 0.5) * wide, top + (key + 0.5) * high
        canvas.text(middle, top - 5.5 * pt, f"*z_{key + 1}*", "ink2", anchor="middle")
        canvas.text(x - 6 * pt, beside, f"*p_{key + 1}*", "ink2", anchor="end", centered=True)
    for i, line in enumerate(result[name]["entries"]):
        for j, value in enumerate(line):
            left, upper = x + j * wide, top + i * high
            role = canvas.cell(left, upper, wide, high, abs(value) / result["ceiling"])
            canvas.text(
                left + wide / 2,
                upper + high / 2,
                entry(canvas.say, value),
                role,
                kind="strong" if i == j and i in first else "body",
                anchor="middle",
                centered=True,
            )
    canvas.lattice(x, top, (keys, keys), (wide, high))
    for at in first:
        canvas.frame(x + at * wide, top + at * high, wide, high, "ink", "outline")
    return top + keys * high


def draw_scale(result: Stored, canvas: Canvas, left: float, top: float) -> None:
    """Draw the shared scale at the foot, from nothing to the ceiling no entry can pass."""
    pt, high, cells = canvas.pt, 9 * canvas.pt, STEPS + 1
    words = f"Size of entry; {canvas.say.plain(result['ceiling'])} is the most it can be"
    right = canvas.width - 0.75 * pt
    if canvas.narrow:
        wide = (right - left) / cells
        canvas.text(left, top + 4 * pt, words, "ink3")
        top += 10 * pt
    else:
        wide, left = 34, right - 34 * cells
        canvas.text(left - 8 * pt, top + high / 2, words, "ink3", anchor="end", centered=True)
    y = top + high + 4 * pt + canvas.cap()
    for step in range(cells):
        x, share = left + step * wide, step / STEPS
        canvas.cell(x, top, wide, high, share)
        label = canvas.say.label(share * CEILING, 2) if step else canvas.say.label(0)
        canvas.text(x + wide / 2, y, label, "ink2", anchor="middle")
    canvas.lattice(left, top, (1, cells), (wide, high))
    canvas.height = y + 3 * pt
