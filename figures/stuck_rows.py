"""Can a row of attention that starts out wrong recover, if its query is trained by nothing else?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen, Predicate

import degrees
from attention import NAMES, Array, KeyDimension, divisors, softmax
from heads import on_grid
from labels import put, spaced
from panels import SHAPES, TITLES

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Scale, Stored, Stream

Record = dict[str, Any]

SOLVED = 0.5  # weight on the wanted key from which a row counts as solved: no rival can match it
NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
COVERAGE = 0.95  # share of such intervals that hold the truth, in the long run
LOSSES = ("squared", "cross_entropy")

LABELS, APART = 30, 18  # printed points before panels for the labels of levels, and between panels
ASIDE = {"raw": 0, "sqrt": -5, "dk": 5}  # printed points by which equal shares are set apart

# At high rates a row is chaotic, and the last bit of a sum depends on the machine. Products of keys
# lie on a grid of 2⁻²⁰ and slopes on one of 2⁻³⁰, so that sums over keys fit in the 53 bits of a
# float64 and are exact in any order. A slope that is rounded away, below 10⁻⁹, moves nothing here.
KEY_BITS, SLOPE_BITS = 20, 30


def rising(values: Sequence[float]) -> bool:
    """Whether each value is above the one before it."""
    return all(one < two for one, two in pairwise(values))


Rate = Annotated[float, Gt(0), Le(1e6)]


@dataclass(frozen=True)
class Parameters:
    """How many rows, of how many keys, at which widths; how long and at which rates they learn."""

    rows: Annotated[int, Ge(2), Le(100_000)]
    keys: Annotated[int, Ge(2), Le(64)]
    sizes: Annotated[tuple[KeyDimension, ...], MinLen(2), Predicate(rising)]
    steps: Annotated[int, Ge(1), Le(100_000)]
    rates: Annotated[tuple[Rate, ...], MinLen(3), Predicate(rising)]
    course_size: KeyDimension
    course_steps: Annotated[
        tuple[Annotated[int, Ge(0), Le(100_000)], ...], MinLen(2), Predicate(rising)
    ]


@dataclass(frozen=True)
class Rows:
    """Rows that share nothing: their raw scores, products of their keys, and what they want."""

    scores: Array  # (rows, keys)
    products: Array  # (rows, keys, keys), over d_k
    wanted: Array  # (rows, keys), one-hot


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Train every row's own query on a wanted key drawn by lot, at every scaling and rate.

    Keys are fixed. The loss is half the squared distance of the weights from the wanted ones; the
    control trains the same rows on cross-entropy. Each width has its own stream, keyed by it.
    """
    drawn = {
        d_k: draw_rows(parameters.rows, parameters.keys, d_k, stream(d_k))
        for d_k in sorted({*parameters.sizes, parameters.course_size})
    }
    at = {
        loss: {d_k: ends(rows, d_k, loss, parameters) for d_k, rows in drawn.items()}
        for loss in LOSSES
    }
    return {
        "rows": parameters.rows,
        "keys": parameters.keys,
        "steps": parameters.steps,
        "sizes": list(parameters.sizes),
        "rates": list(parameters.rates),
        "solved": SOLVED,
        "coverage": COVERAGE,
        "chance": 1 - 1 / parameters.keys,
        **{loss: gather(at[loss], parameters.sizes) for loss in LOSSES},
        "course": course(
            drawn[parameters.course_size], at["squared"][parameters.course_size], parameters
        ),
    }


def gather(at: dict[int, Record], sizes: Sequence[int]) -> Record:
    """Put the widths of one loss together, with the largest share that any scaling leaves."""
    kept = {str(d_k): at[d_k] for d_k in sizes}
    return {
        "at": kept,
        "most": max(one["best"]["share"] for by in kept.values() for one in by.values()),
    }


def draw_rows(rows: int, keys: int, d_k: int, generator: np.random.Generator) -> Rows:
    """Draw each row's own query and keys, all normal, and the key it is to find."""
    q = generator.standard_normal((rows, 1, d_k))
    k = generator.standard_normal((rows, keys, d_k))
    wanted = generator.integers(0, keys, rows)
    scores = (q @ k.swapaxes(1, 2))[:, 0]
    products = k @ k.swapaxes(1, 2) / d_k
    return Rows(on_grid(scores, SLOPE_BITS), on_grid(products, KEY_BITS), np.eye(keys)[wanted])


def learn(rows: Rows, by: Sequence[float] | Array, rates: Array, loss: str) -> Iterator[Array]:
    """Descend on each row's query for ever; give the weights (rows, keys, runs) before each step.

    A run is a divisor and a rate. A step moves q along K'g, g being the slope at the scores, so
    the scores move along K K'g: the products of keys are all it takes, and that is exact. A rate
    counts in softmax inputs: rate 1 moves them by about the slope, whatever d_k and the divisor.
    """
    inputs = rows.scores[:, :, np.newaxis] / np.array(by)
    wanted = rows.wanted[:, :, np.newaxis]
    while True:
        weights = softmax(inputs, axis=1)
        yield weights
        slopes = on_grid(slope(weights, wanted, loss), SLOPE_BITS)
        inputs -= rates * (rows.products @ slopes)


def slope(weights: Array, wanted: Array, loss: str) -> Array:
    """Slope of the loss at the softmax inputs, (rows, keys, runs).

    The squared loss goes back through the softmax's Jacobian; for cross-entropy it cancels.
    """
    errors = weights - wanted
    if loss == "cross_entropy":
        return errors
    errors -= np.add.reduce(weights * errors, axis=1, keepdims=True)
    errors *= weights
    return errors


def unsolved(weights: Array, rows: Rows) -> Array:
    """Share of rows (runs,) whose wanted key has less weight than a solved one."""
    on_wanted = np.sum(weights * rows.wanted[:, :, np.newaxis], axis=1)
    share: Array = np.mean(on_wanted < SOLVED, axis=0)
    return share


def ends(rows: Rows, d_k: int, loss: str, parameters: Parameters) -> Record:
    """Train rows of one width at every scaling and rate; sum up what stays unsolved."""
    count = len(parameters.rates)
    by = np.repeat(list(divisors(d_k).values()), count)
    walk = learn(rows, by, np.tile(parameters.rates, len(by) // count), loss)
    start = unsolved(next(walk), rows)
    last = next(islice(walk, parameters.steps - 1, None))
    left = unsolved(last, rows).reshape(-1, count)
    return {
        name: tuned(parameters, start[one * count], left[one])
        for one, name in enumerate(divisors(d_k))
    }


def tuned(parameters: Parameters, start: float, left: Array) -> Record:
    """Sum up one scaling at one width: what is unsolved at the start, and at the best rate.

    Of rates that do equally well the middle one counts as best.
    """
    equal = np.flatnonzero(left == np.min(left))
    best = int(equal[len(equal) // 2])
    return {
        "start": float(start),
        "left": left.tolist(),
        "best": {
            "rate": parameters.rates[best],
            "share": float(left[best]),
            "interval": wilson(float(left[best]), parameters.rows),
            "at_edge": best in (0, len(left) - 1),
        },
    }


def wilson(share: float, count: int) -> dict[str, float]:
    """95 % interval of a share among so many independent rows (Wilson 1927); never leaves 0 to 1."""
    z = NORMAL_95**2 / count
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(z * share * (1 - share) + z**2 / 4) / (1 + z)
    return {"low": max(0.0, middle - half), "high": min(1.0, middle + half)}


def course(rows: Rows, tuned: Record, parameters: Parameters) -> Record:
    """Follow the unsolved rows of one width step by step, at the rate that is best unscaled."""
    by = divisors(parameters.course_size)
    rate = tuned["raw"]["best"]["rate"]
    walk = learn(rows, list(by.values()), np.full(len(by), rate), "squared")
    shares = [
        unsolved(weights, rows)
        for step, weights in enumerate(islice(walk, parameters.course_steps[-1] + 1))
        if step in parameters.course_steps
    ]
    return {
        "d_k": parameters.course_size,
        "rate": rate,
        "steps": list(parameters.course_steps),
        "last_step": parameters.course_steps[-1],
        **{
            name: {"shares": [float(one[run]) for one in shares], "last": float(shares[-1][run])}
            for run, name in enumerate(by)
        },
    }


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of rows that learn alone, under either loss."""
    return [
        *unscaled_stay(result, say),
        *divided_recover(result, say),
        freed(result, say),
        given_time(result, say),
    ]


def shares(result: Stored, loss: str, name: str) -> list[float]:
    """Share left at the best rate, from the narrowest head to the widest."""
    return [result[loss]["at"][str(d_k)][name]["best"]["share"] for d_k in result["sizes"]]


def unscaled_stay(result: Stored, say: Say) -> list[Claim]:
    """Claim that unscaled rows stay unsolved, the more of them the wider the head."""
    left = shares(result, "squared", "raw")
    widest = result["squared"]["at"][str(result["sizes"][-1])]["raw"]["best"]
    interval = " to ".join(say.percent(widest["interval"][end], 1) for end in ("low", "high"))
    return [
        {
            "name": "unscaled_rows_stay_stuck",
            "sentence": (
                f"Unscaled, at least {say.percent(degrees.MOST)} of the rows of the widest head "
                "stay unsolved at the best rate, as far as chance can tell."
            ),
            "holds": degrees.most(widest["interval"]["low"]),
            "evidence": f"{say.percent(left[-1], 1)}, interval {interval}",
        },
        {
            "name": "stuck_share_grows",
            "sentence": "Unscaled, more rows stay unsolved at each larger size.",
            "holds": degrees.rises(left),
            "evidence": ", ".join(say.percent(share, 1) for share in left),
        },
    ]


def divided_recover(result: Stored, say: Say) -> list[Claim]:
    """Claim that divided rows get solved, though they start no nearer."""
    left = [share for name in ("sqrt", "dk") for share in shares(result, "squared", name)]
    starts = [
        {name: result["squared"]["at"][str(d_k)][name]["start"] for name in NAMES}
        for d_k in result["sizes"]
    ]
    return [
        {
            "name": "scaled_rows_recover",
            "sentence": (
                f"Divided by √d_k or by d_k, at most {say.percent(degrees.FEW)} of the rows stay "
                "unsolved at the best rate, at every width."
            ),
            "holds": all(map(degrees.few, left)),
            "evidence": f"at most {say.percent(max(left), 1)}",
        },
        {
            "name": "scaled_start_no_better",
            "sentence": "Divided rows start out unsolved at least as often as unscaled ones.",
            "holds": all(one["raw"] <= min(one["sqrt"], one["dk"]) for one in starts),
            "evidence": (
                f"unscaled {say.percent(max(one['raw'] for one in starts), 1)} at most, divided "
                f"{say.percent(min(min(one['sqrt'], one['dk']) for one in starts), 1)} at least"
            ),
        },
    ]


def freed(result: Stored, say: Say) -> Claim:
    """Claim that a loss which does not act through the softmax leaves no row behind."""
    left = [share for name in NAMES for share in shares(result, "cross_entropy", name)]
    return {
        "name": "cross_entropy_frees_them",
        "sentence": (
            f"With cross-entropy, at most {say.percent(degrees.FEW)} of the rows stay unsolved at "
            "the best rate, unscaled or not, at every width."
        ),
        "holds": all(map(degrees.few, left)),
        "evidence": f"at most {say.percent(max(left), 1)}",
    }


def given_time(result: Stored, say: Say) -> Claim:
    """Claim that more steps do not do what a division does."""
    course = result["course"]
    raw, sqrt, dk = (course[name]["last"] for name in ("raw", "sqrt", "dk"))
    return {
        "name": "time_alone_does_not_free",
        "sentence": (
            f"After {say.count(course['last_step'])} steps at d_k = {say.count(course['d_k'])}, at "
            f"least {say.percent(degrees.MIDDLE)} of the unscaled rows are unsolved, and at most "
            f"{say.percent(degrees.FEW)} of the divided ones."
        ),
        "holds": bool(raw >= degrees.MIDDLE) and degrees.few(max(sqrt, dk)),
        "evidence": f"{say.percent(raw, 1)} against {say.percent(max(sqrt, dk), 1)}",
    }


def describe(result: Stored, say: Say) -> Description:
    """Tell the panels in words, and give every share that was measured."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(at_best(loss, result, say) for loss in LOSSES),
            step_by_step(result, say),
        ],
        "table": {
            "caption": (
                f"Share of {say.count(result['rows'])} rows left unsolved after "
                f"{say.count(result['steps'])} steps: at the best rate, with its "
                f"{say.percent(result['coverage'])} interval, and at every rate."
            ),
            "columns": ["Rows", "At the start", "Best rate", "Left", "Interval", "Rate: left"],
            "rows": [
                row(
                    f"{said}, d_k = {say.count(d_k)}, {NAMES[name]}",
                    result[loss]["at"][str(d_k)][name],
                    result,
                    say,
                )
                for loss, said in (("squared", "Squared"), ("cross_entropy", "Cross-entropy"))
                for d_k in result["sizes"]
                for name in NAMES
            ],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the panels in one breath."""
    first, last = (result["squared"]["at"][str(result["sizes"][end])] for end in (0, -1))
    raw, sqrt, dk = (last[name]["best"]["share"] for name in ("raw", "sqrt", "dk"))
    return (
        f"Line charts of rows left unsolved, of {say.count(result['rows'])}. Squared loss, "
        f"unscaled: {say.percent(first['raw']['best']['share'])} at d_k = "
        f"{say.count(result['sizes'][0])} to {say.percent(raw)} at {say.count(result['sizes'][-1])}; "
        f"there {say.percent(sqrt)} divided by √d_k, {say.percent(dk)} by d_k. With cross-entropy, "
        f"at most {say.percent(result['cross_entropy']['most'])}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read, and the task."""
    sizes = ", ".join(say.count(d_k) for d_k in result["sizes"])
    return (
        "Panels with one scale show the share of rows left unsolved against d_k on a log scale "
        f"({sizes}), a line for each scaling, with bars for the {say.percent(result['coverage'])} "
        "interval; the first for a squared loss, the second for cross-entropy. A last panel follows "
        f"the squared loss step by step. Each of {say.count(result['rows'])} rows has a query of its "
        f"own and {say.count(result['keys'])} fixed keys, all normal, and one key drawn by lot that "
        "it should attend to. Only the query learns, by gradient descent. A row is solved when that "
        f"key has at least {say.percent(result['solved'])} of the weight. A line across marks "
        f"{say.percent(result['chance'], 1)}, which one-hot rows leave that pick a key at random."
    )


def at_best(loss: str, result: Stored, say: Say) -> str:
    """Read the lines of one panel."""
    lines = "; ".join(
        f"{NAMES[name]}, "
        + ", ".join(
            f"{say.percent(result[loss]['at'][str(d_k)][name]['best']['share'], 1)}"
            for d_k in result["sizes"]
        )
        for name in NAMES
    )
    said = {"squared": "With the squared loss", "cross_entropy": "With cross-entropy"}[loss]
    return (
        f"{said}, {say.count(result['steps'])} steps at the best rate leave unsolved, from the "
        f"narrowest head to the widest: {lines}."
    )


def step_by_step(result: Stored, say: Say) -> str:
    """Read the last panel."""
    course = result["course"]
    lines = "; ".join(
        f"{NAMES[name]}, {', '.join(say.percent(share, 1) for share in course[name]['shares'])}"
        for name in NAMES
    )
    return (
        f"Step by step at d_k = {say.count(course['d_k'])}, at the rate that is best unscaled, "
        f"unsolved are after {', '.join(say.count(step) for step in course['steps'])} steps: {lines}."
    )


def row(name: str, one: Stored, result: Stored, say: Say) -> list[str]:
    """Print one width and scaling for the table."""
    best = one["best"]
    interval = (say.percent(best["interval"][end], 1) for end in ("low", "high"))
    return [
        name,
        say.percent(one["start"], 1),
        say.brief(best["rate"]) + (", at the edge of the grid" if best["at_edge"] else ""),
        say.percent(best["share"], 1),
        " to ".join(interval),
        "; ".join(
            f"{say.brief(rate)}: {say.percent(left, 1)}"
            for rate, left in zip(result["rates"], one["left"], strict=True)
        ),
    ]


def draw(result: Stored, canvas: Canvas) -> None:
    """Show what stays unsolved under either loss, and when the solved rows were solved."""
    pt, say = canvas.pt, canvas.say
    quiet = f"of {say.count(result['rows'])} with a query each; best rate, {say.count(result['steps'])} steps"
    quiet += f"; bars: {say.percent(result['coverage'])} interval"
    top = canvas.heading(0, "Rows left unsolved", quiet)
    first, second, third = places(canvas)
    foot = draw_sizes(result, "squared", canvas, first, top)
    below = foot if canvas.narrow else top
    draw_sizes(result, "cross_entropy", canvas, second, below)
    canvas.height = max(foot, draw_course(result, canvas, third, below)) + 3 * pt


def places(canvas: Canvas) -> list[tuple[float, float]]:
    """Left and right edges of the panels: in one line, or on a phone the first in its own."""
    left, apart = LABELS * canvas.pt, APART * canvas.pt
    count = 2 if canvas.narrow else 3
    width = (canvas.width - left + apart) / count
    line = [(left + i * width, left + (i + 1) * width - apart) for i in range(count)]
    return [(left, canvas.width), *line] if canvas.narrow else line


def panel(title: str, note: str, canvas: Canvas, edges: tuple[float, float], top: float) -> Scale:
    """Name a panel; give its scale of shares."""
    pt = canvas.pt
    canvas.text(edges[0], top + 21 * pt, title, kind="title")
    canvas.text(edges[0], top + 32.5 * pt, note, "ink3")
    upper = top + 48 * pt
    return canvas.scale((0, 1), upper + canvas.panel_height(118 * pt), upper)


def draw_levels(result: Stored, canvas: Canvas, y: Scale, edges: tuple[float, float]) -> None:
    """Draw hairlines at none, at what chance leaves unsolved, and at all."""
    pt = canvas.pt
    levels = [(0, "none"), (result["chance"], canvas.say.percent(result["chance"], 1)), (1, "all")]
    for share, _ in levels:
        canvas.grid(y(share), *edges)
    if edges[0] == LABELS * pt:
        for index in spaced([y(share) for share, _ in levels], 10 * pt):
            share, label = levels[index]
            canvas.text(edges[0] - 4 * pt, y(share), label, "ink2", anchor="end", centered=True)


def draw_sizes(
    result: Stored, loss: str, canvas: Canvas, edges: tuple[float, float], top: float
) -> float:
    """Draw the share left at the best rate against width, for one loss; give the foot."""
    pt, say, sizes = canvas.pt, canvas.say, result["sizes"]
    title, note = {
        "squared": ("Squared loss", "acts through the softmax"),
        "cross_entropy": ("Control: cross-entropy", "its gradient bypasses *J*"),
    }[loss]
    y = panel(title, note, canvas, edges, top)
    x = canvas.scale(sizes, edges[0] + 10 * pt, edges[1] - 12 * pt, log=True)
    draw_levels(result, canvas, y, edges)
    for name in ("sqrt", "dk", "raw"):
        bests = [result[loss]["at"][str(d_k)][name]["best"] for d_k in sizes]
        at = [x(d_k) + ASIDE[name] * pt for d_k in sizes]
        points = [(one, y(best["share"])) for one, best in zip(at, bests, strict=True)]
        canvas.line(points, name, "data")
        for one, best in zip(at, bests, strict=True):
            low, high = (y(best["interval"][end]) for end in ("low", "high"))
            canvas.line([(one, low), (one, high)], name, "interval")
        canvas.marks(points, name, SHAPES[name])
    foot = canvas.axis(y.start + 8 * pt, [(x(d_k), say.count(d_k)) for d_k in sizes]) + 13 * pt
    middle = (edges[0] + edges[1]) / 2
    canvas.text(middle, foot, "key dimension *d_k*", "ink2", anchor="middle")
    if loss == "squared":
        return name_lines(result, canvas, x, y, foot)
    most = result[loss]["most"]
    words = f"at most {say.percent(most, 1)} left" if most else "none left, at any width"
    put(canvas, words, [(edges[0] + 5 * pt, y(most) - 11 * pt)], "ink2")
    chance = y(result["chance"]) + 4.5 * pt + canvas.cap()
    put(canvas, "one key at random", [(edges[1], chance)], "ink3", "end")
    return foot


def name_lines(result: Stored, canvas: Canvas, x: Scale, y: Scale, foot: float) -> float:
    """Name the scalings, with what each leaves in the widest head; without room, under the panel."""
    pt, widest = canvas.pt, str(result["sizes"][-1])
    rows = [y.end + step * pt for step in range(23, int((y.start - y.end) / pt), 2)]
    for name, title in TITLES.items():
        share = canvas.say.percent(result["squared"]["at"][widest][name]["best"]["share"])
        words = f"**{title}** {share}"
        if name == "raw":
            placed = put(canvas, words, [(x.start - 5 * pt, row) for row in rows], "raw-words")
        else:
            wished = y(0.28 if name == "sqrt" else 0.15)
            away = sorted((abs(row - wished), row) for row in rows)
            places = [(x.end + 5 * pt, row) for _, row in away]
            placed = put(canvas, words, places, f"{name}-words", "end")
        if not placed:
            foot += 13 * pt
            canvas.text(x.start - 10 * pt, foot, words, f"{name}-words")
    return foot


def draw_course(result: Stored, canvas: Canvas, edges: tuple[float, float], top: float) -> float:
    """Draw the share left step by step at one width; give the foot."""
    pt, say, course = canvas.pt, canvas.say, result["course"]
    note = f"squared loss, *d_k* = {say.count(course['d_k'])}"
    y = panel("Step by step", note, canvas, edges, top)
    draw_levels(result, canvas, y, edges)
    drawn = [index for index, step in enumerate(course["steps"]) if step > 0]  # the axis is log
    steps = [course["steps"][index] for index in drawn]
    x = canvas.scale(steps, edges[0] + 10 * pt, edges[1] - 12 * pt, log=True)
    for name in ("sqrt", "dk", "raw"):
        points = [
            (x(step), y(course[name]["shares"][index]))
            for step, index in zip(steps, drawn, strict=True)
        ]
        canvas.line(points, name, "data")
        canvas.marks(points, name, SHAPES[name])
    words = f"{say.percent(course['raw']['last'])} at {say.count(course['last_step'])}"
    last = y(course["raw"]["last"])
    put(
        canvas,
        words,
        [(x.end + 5 * pt, last + 16 * pt), (x.end, last - 8 * pt)],
        "raw-words",
        "end",
    )
    foot = canvas.axis(y.start + 8 * pt, [(x(step), say.count(step)) for step in steps]) + 13 * pt
    canvas.text((edges[0] + edges[1]) / 2, foot, "step", "ink2", anchor="middle")
    return foot
