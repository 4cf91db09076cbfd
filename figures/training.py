"""Does a head without scaling train worse, and does its best learning rate depend on its width?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, Len, Predicate

import degrees
from attention import NAMES, Array, KeyDimension, brief, divisors
from evidence import first_to_last, lowest_to_highest
from heads import Adam, Examples, Heads, Task, best_possible, draw_examples, draw_head, train
from labels import put, spaced
from panels import SHAPES, TITLES

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Scale, Stored, Stream

Record = dict[str, Any]
Run = tuple[float, float]  # a divisor and a learning rate

TOGETHER = 2**17  # weights trained side by side: few enough to stay in a processor's cache

STROKES = ("hair", "flow", "outline", "lane")  # the wider the head, the thicker its line
BAND = 0.2  # opacity of the range over seeds
LABELS, APART = 28, 18  # printed points before panels for the labels of levels, and between panels
ASIDE = {"raw": 0, "sqrt": -5, "dk": 5}  # printed points by which equal losses are set apart


def rising(values: Sequence[int]) -> bool:
    """Whether each value is above the one before it."""
    return all(one < two for one, two in pairwise(values))


Sizes = Annotated[tuple[KeyDimension, ...], Len(2, 5), Predicate(rising)]  # a line each
Exponent = Annotated[int, Ge(-20), Le(0)]  # a learning rate is one over a power of two
Rates = Annotated[tuple[Exponent, ...], Len(3, 21), Predicate(rising)]


@dataclass(frozen=True)
class Parameters:
    """The task, how often and how long to train on it, and the grids of widths and rates."""

    keys: Annotated[int, Ge(2), Le(64)]
    inputs: Annotated[int, Ge(1), Le(64)]
    noise: Annotated[float, Gt(0), Le(100)]
    batch: Annotated[int, Ge(1), Le(4096)]
    steps: Annotated[int, Ge(1), Le(10_000)]
    seeds: Annotated[int, Ge(2), Le(100)]
    test_rows: Annotated[int, Ge(2), Le(1_000_000)]
    sizes: Sizes
    rates: Rates
    coarse_from: KeyDimension
    control_sizes: Sizes
    control_rates: Rates
    longer_size: KeyDimension
    longer_steps: Annotated[int, Ge(1), Le(100_000)]
    longer_rates: Rates


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Train one head a width, scaling, rate and seed with Adam, and test all on the same rows.

    A head's weights have a stream of their own, keyed by width and seed, which the scalings and
    rates share, and so do a seed's batches: adding a width, a rate or a seed moves no other run.
    The control repeats it without noise in the queries. The last run is the unscaled head again,
    given more steps.
    """
    noisy = Task(parameters.keys, parameters.inputs, parameters.noise)
    clean = Task(parameters.keys, parameters.inputs, 0.0)
    fine = {d_k: rates_of(d_k, parameters) for d_k in parameters.sizes}
    coarse = dict.fromkeys(parameters.control_sizes, parameters.control_rates)
    main = explore(noisy, fine, parameters, stream)
    common = [rate for rate in parameters.rates if all(rate in tried for tried in fine.values())]
    return {
        "keys": parameters.keys,
        "inputs": parameters.inputs,
        "noise": parameters.noise,
        "batch": parameters.batch,
        "steps": parameters.steps,
        "seeds": parameters.seeds,
        "test_rows": parameters.test_rows,
        "even": 1 - 1 / parameters.keys,
        "one_at_random": 2 * (1 - 1 / parameters.keys),
        **main,
        "control": worst(explore(clean, coarse, parameters, stream)),
        "carried": carry(main, [2.0**rate for rate in common]),
        "drift": drift(main),
        "longer": train_longer(noisy, parameters, stream),
    }


def rates_of(d_k: int, parameters: Parameters) -> tuple[int, ...]:
    """The exponents of the rates tried at one width: every second one where steps cost most."""
    return parameters.rates[:: 2 if d_k >= parameters.coarse_from else 1]


def explore(
    task: Task, grid: dict[int, tuple[int, ...]], parameters: Parameters, stream: Stream
) -> Record:
    """Train at every width, scaling, rate and seed, and sum each scaling up over rates."""
    tested = draw_examples(task, parameters.test_rows, stream("test"))
    losses: dict[int, list[Array]] = {d_k: [] for d_k in grid}
    for seed in range(parameters.seeds):
        batches = list(draw_batches(task, parameters.batch, parameters.steps, seed, stream))
        for d_k, exponents in grid.items():
            head = draw_head(task.inputs, d_k, stream("head", d_k, seed))
            runs = [(by, 2.0**rate) for by in divisors(d_k).values() for rate in exponents]
            ends = train_all(head, runs, batches, tested)
            losses[d_k].append(ends.reshape(-1, len(exponents)))
    return {
        "sizes": list(grid),
        "best_possible": best_possible(task, tested),
        "at": {
            str(d_k): {
                name: tuned(exponents, np.stack(losses[d_k], axis=-1)[scaling])
                for scaling, name in enumerate(divisors(d_k))
            }
            for d_k, exponents in grid.items()
        },
    }


def draw_batches(
    task: Task, rows: int, steps: int, seed: int, stream: Stream
) -> Iterable[Examples]:
    """Draw fresh rows for every step."""
    generator = stream("batches", seed)
    return (draw_examples(task, rows, generator) for _ in range(steps))


def train_all(
    head: Array, runs: Sequence[Run], batches: Sequence[Examples], tested: Examples
) -> Array:
    """Train copies of a head, one a run, as many side by side as is fast; give their losses."""
    together = max(1, TOGETHER // head.size)
    parts = [runs[start : start + together] for start in range(0, len(runs), together)]
    return np.concatenate([train_together(head, part, batches, tested) for part in parts])


def train_together(
    head: Array, runs: Sequence[Run], batches: Iterable[Examples], tested: Examples
) -> Array:
    """Train copies of a head side by side and give the loss (runs,) of each afterwards."""
    by, rates = np.array(runs).T
    heads = Heads(np.repeat(head[np.newaxis], len(runs), axis=0), by)
    train(heads, batches, Adam(rates, exact=True), exact=True)
    return heads.test(tested)


def tuned(exponents: Sequence[int], losses: Array) -> Record:
    """Sum up one scaling at one width: `losses` (rates, seeds) by rate, and the best rate."""
    curve = [
        {
            "rate": 2.0**exponent,
            "mean": float(np.mean(seeds)),
            "low": float(np.min(seeds)),
            "high": float(np.max(seeds)),
        }
        for exponent, seeds in zip(exponents, losses, strict=True)
    ]
    best = min(range(len(curve)), key=lambda index: curve[index]["mean"])
    return {
        "curve": curve,
        "best": {
            **curve[best],
            "seeds": losses[best].tolist(),
            "at_edge": best in (0, len(curve) - 1),
        },
    }


def carry(main: Record, rates: Sequence[float]) -> Record:
    """Hold every width to the rate that is best for the narrowest head when divided by d_k."""
    at = {
        name: {
            rate: [
                point["mean"]
                for one in main["at"].values()
                for point in one[name]["curve"]
                if point["rate"] == rate
            ]
            for rate in rates
        }
        for name in divisors(1)
    }
    held = min(rates, key=lambda rate: at["dk"][rate][0])
    return {
        "rate": held,
        **{name: means[held] for name, means in at.items()},
        "dk_apart": max(max(means[1:]) - min(means[1:]) for means in at["dk"].values()),
    }


def worst(control: Record) -> Record:
    """Add the highest loss that any width and scaling ends at."""
    bests = [one["best"]["mean"] for at in control["at"].values() for one in at.values()]
    return {**control, "worst": max(bests)}


def drift(main: Record) -> Record:
    """How many times the best rate of the narrowest head is that of the widest."""
    first, last = (main["at"][str(main["sizes"][end])] for end in (0, -1))
    return {
        **{name: first[name]["best"]["rate"] / last[name]["best"]["rate"] for name in first},
        "theory": math.sqrt(main["sizes"][-1] / main["sizes"][0]),
    }


def train_longer(task: Task, parameters: Parameters, stream: Stream) -> Record:
    """Give the first seed's unscaled head of one width more steps on the same stream of rows."""
    d_k, steps = parameters.longer_size, parameters.longer_steps
    head = draw_head(task.inputs, d_k, stream("head", d_k, 0))
    tested = draw_examples(task, parameters.test_rows, stream("test"))
    runs = [(1.0, 2.0**rate) for rate in parameters.longer_rates]
    batches = draw_batches(task, parameters.batch, steps, 0, stream)
    ends = train_together(head, runs, batches, tested)
    return {
        "d_k": d_k,
        "steps": steps,
        "times": steps / parameters.steps,
        "raw": tuned(parameters.longer_rates, ends[:, np.newaxis])["best"],
    }


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of trained heads, of their rates, and of the control."""
    return [
        *at_best_rate(result, say),
        without_effect(result, say),
        *rates_by_width(result, say),
        given_time(result, say),
    ]


def reached(result: Stored, name: str) -> list[Stored]:
    """What one scaling reaches at its best rate, from the narrowest head to the widest."""
    return [one[name]["best"] for one in by_width(result)]


def at_best_rate(result: Stored, say: Say) -> list[Claim]:
    """Claim that wide unscaled heads end worse than no choice at all, and divided ones do not."""
    start = say.count(result["sizes"][1])
    raw, even = reached(result, "raw")[1:], result["even"]
    divided = [best["mean"] for name in ("sqrt", "dk") for best in reached(result, name)[1:]]
    return [
        {
            "name": "unscaled_worse_than_uniform_from",
            "sentence": (
                f"From d_k = {start} on, the unscaled head ends at its best rate worse than an "
                "even split, with every seed."
            ),
            "holds": all(best["low"] > even for best in raw),
            "evidence": (
                f"lowest losses {lowest_to_highest(say, [best['low'] for best in raw])}; even "
                f"split {say.brief(even)}"
            ),
        },
        {
            "name": "scaled_near_best",
            "sentence": (
                f"From d_k = {start} on, heads divided by √d_k or by d_k end within "
                f"{say.percent(degrees.NEAR)} of the best loss that is possible."
            ),
            "holds": all(degrees.near(loss, result["best_possible"]) for loss in divided),
            "evidence": (
                f"losses {lowest_to_highest(say, divided)}; possible "
                f"{brief(say, result['best_possible'], 3)}"
            ),
        },
    ]


def without_effect(result: Stored, say: Say) -> Claim:
    """Claim that the control shows no head at a loss."""
    worst_end, widest = result["control"]["worst"], result["control"]["sizes"][-1]
    return {
        "name": "control_shows_no_effect",
        "sentence": (
            f"Without noise in the queries every head up to d_k = {say.count(widest)}, unscaled or "
            f"not, ends at its best rate at most at {say.percent(degrees.FLAT)} of the loss of an "
            "even split, on average over its seeds."
        ),
        "holds": degrees.fades(worst_end, result["even"]),
        "evidence": f"at most {brief(say, worst_end, 2)}; even split {say.brief(result['even'])}",
    }


def rates_by_width(result: Stored, say: Say) -> list[Claim]:
    """Claim that the best rate stays divided by d_k, falls divided by √d_k, and what that costs."""
    held = result["carried"]
    dk, sqrt = ([best["rate"] for best in reached(result, name)] for name in ("dk", "sqrt"))
    return [
        {
            "name": "dk_rate_does_not_move",
            "sentence": "Divided by d_k, one learning rate is the best at every width.",
            "holds": min(dk) == max(dk),
            "evidence": f"best rate {lowest_to_highest(say, dk)}",
        },
        {
            "name": "root_rate_falls",
            "sentence": (
                "Divided by √d_k, no head has a higher best learning rate than a narrower one, and "
                f"that of the narrowest is at least {say.plain(degrees.ALIKE)} times that of the "
                "widest."
            ),
            "holds": all(wide <= narrow for narrow, wide in pairwise(sqrt))
            and bool(sqrt[0] >= degrees.ALIKE * sqrt[-1]),
            "evidence": f"best rate {first_to_last(say, sqrt)}",
        },
        {
            "name": "dk_rate_carries_over",
            "sentence": (
                "At the rate that is best for the narrowest head divided by d_k, every head "
                f"divided by d_k is within {say.percent(degrees.NEAR)} of its own best loss, and "
                "the widest divided by √d_k is not."
            ),
            "holds": all(
                degrees.near(loss, best["mean"])
                for loss, best in zip(held["dk"], reached(result, "dk"), strict=True)
            )
            and not degrees.near(held["sqrt"][-1], reached(result, "sqrt")[-1]["mean"]),
            "evidence": (
                f"losses {first_to_last(say, held['dk'])} divided by d_k, "
                f"{first_to_last(say, held['sqrt'])} divided by √d_k"
            ),
        },
    ]


def given_time(result: Stored, say: Say) -> Claim:
    """Claim that the unscaled head is slow rather than stuck: time helps it, and not enough."""
    longer, at = result["longer"], result["at"].get(str(result["longer"]["d_k"]))
    loss = longer["raw"]["mean"]
    scaled = at["sqrt"]["best"]["mean"] if at else math.inf
    against = f"divided by √d_k {brief(say, scaled, 3)}" if at else "no scaled head of this width"
    return {
        "name": "unscaled_slow_not_stuck",
        "sentence": (
            f"Given {say.brief(longer['times'])} times as many steps, the unscaled head of d_k = "
            f"{say.count(longer['d_k'])} ends below an even split, but above what division by √d_k "
            "reaches in the usual number."
        ),
        "holds": bool(scaled < loss < result["even"]),
        "evidence": f"{brief(say, loss, 3)}; {against}; even split {say.brief(result['even'])}",
    }


def describe(result: Stored, say: Say) -> Description:
    """Tell the panels in words, and give every loss that was measured."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(at_best(name, result, say) for name in NAMES),
            without_noise(result, say),
            by_rate(result, say),
            with_time(result, say),
        ],
        "table": {
            "caption": (
                f"Squared error after {say.count(result['steps'])} steps: mean, lowest and highest "
                f"of {say.words(result['seeds'])} seeds at the best learning rate, and the mean "
                "at every rate."
            ),
            "columns": ["Head", "Best rate", "Mean", "Lowest", "Highest", "Rate: mean"],
            "rows": [
                row(f"{task}, d_k = {say.count(d_k)}, {said}", part["at"][str(d_k)][name], say)
                for task, part in (("Noisy", result), ("Control", result["control"]))
                for d_k in part["sizes"]
                for name, said in NAMES.items()
            ],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the panels in one breath."""
    first, *_, last = by_width(result)

    def ends(name: str) -> str:
        losses = (one[name]["best"]["mean"] for one in (first, last))
        return " to ".join(say.fixed(loss, 2) for loss in losses)

    return (
        f"Line charts of the loss of a trained head from d_k = {say.count(result['sizes'][0])} to "
        f"{say.count(result['sizes'][-1])}: {ends('raw')} unscaled, {ends('sqrt')} divided by √d_k, "
        f"{ends('dk')} by d_k; at most {say.significant(result['control']['worst'], 2)} without "
        "noise. Below, the loss against the learning rate."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read, and the task."""
    return (
        "The panels above share one scale of loss, with a line for each scaling against the key "
        "dimension d_k on a log scale; bars reach from the lowest to the highest of "
        f"{say.words(result['seeds'])} seeds. Left, queries are noisy; right, the control, they "
        "are not. The panels below show the left task at every learning rate, on a log scale, a "
        "panel for each scaling and a line for each d_k, the wider the thicker; the best rate is "
        f"marked. A head sees {say.count(result['keys'])} keys of {say.count(result['inputs'])} "
        "inputs and a query that is one of them with noise "
        f"{say.plain(result['noise'])} times as large, and has to give the value of that key, "
        f"which is plus or minus one. It takes {say.count(result['steps'])} steps of Adam on "
        f"{say.count(result['batch'])} fresh rows each, and is tested on "
        f"{say.count(result['test_rows'])} rows that all runs share. Lines across mark what needs no "
        f"training: a key picked at random, {say.brief(result['one_at_random'])}; an even split, "
        f"{say.brief(result['even'])}; the best that is possible with this noise, "
        f"{brief(say, result['best_possible'], 3)}."
    )


def at_best(name: str, result: Stored, say: Say) -> str:
    """Read one line of the left panel."""
    ends = "; ".join(
        f"{say.fixed(best['mean'], 3)} at d_k = {say.count(d_k)} (from {say.fixed(best['low'], 3)} "
        f"to {say.fixed(best['high'], 3)}, rate {say.significant(best['rate'], 2)})"
        for d_k, one in zip(result["sizes"], by_width(result), strict=True)
        for best in [one[name]["best"]]
    )
    said = NAMES[name]
    return f"{said[0].upper()}{said[1:]}, the loss at the best rate is {ends}."


def without_noise(result: Stored, say: Say) -> str:
    """Read the right panel."""
    control = result["control"]
    ends = "; ".join(
        f"at d_k = {say.count(d_k)}, "
        + ", ".join(f"{say.fixed(one[name]['best']['mean'], 3)} {NAMES[name]}" for name in NAMES)
        for d_k, one in zip(control["sizes"], by_width(control), strict=True)
    )
    return f"In the control, without noise, the loss at the best rate is: {ends}."


def by_rate(result: Stored, say: Say) -> str:
    """Read the lower panels: how the best rate moves, and what a rate does that does not."""
    held, drifts = result["carried"], result["drift"]
    moved = ", ".join(f"{say.brief(drifts[name])} {NAMES[name]}" for name in NAMES)
    at_held = "; ".join(
        f"{', '.join(say.fixed(loss, 3) for loss in held[name])} {NAMES[name]}" for name in NAMES
    )
    return (
        "The best rate of the narrowest head over that of the widest is "
        f"{moved}. At the rate {say.significant(held['rate'], 2)}, which is best for the narrowest "
        f"head divided by d_k, the losses from the narrowest to the widest are {at_held}. Divided "
        "by d_k, all heads but the narrowest are within "
        f"{say.fixed(held['dk_apart'], 3)} of each other at every rate they share."
    )


def with_time(result: Stored, say: Say) -> str:
    """Give the run that is not drawn: the unscaled head with more steps."""
    longer = result["longer"]
    return (
        f"Not drawn: given {say.count(longer['steps'])} steps, {say.brief(longer['times'])} times "
        f"as many, the unscaled head of d_k = {say.count(longer['d_k'])} reaches "
        f"{say.fixed(longer['raw']['mean'], 3)} at its best rate, in a single run."
    )


def row(name: str, one: Stored, say: Say) -> list[str]:
    """Print one width and scaling for the table."""
    best = one["best"]
    edge = ", at the edge of the grid" if best["at_edge"] else ""
    return [
        name,
        say.significant(best["rate"], 2) + edge,
        *(say.fixed(best[key], 4) for key in ("mean", "low", "high")),
        "; ".join(
            f"{say.significant(point['rate'], 2)}: {say.fixed(point['mean'], 3)}"
            for point in one["curve"]
        ),
    ]


def draw(result: Stored, canvas: Canvas) -> None:
    """Show what is reached at the best rate, with noise and without, and then every rate."""
    pt, say = canvas.pt, canvas.say
    seeds = say.words(result["seeds"])
    ends = f"squared error after {say.count(result['steps'])} steps at the best rate"
    ends += f"; bars: lowest and highest of {seeds} seeds"
    foot = draw_ends(result, canvas, canvas.heading(0, "Loss after training", ends))
    rates = f"thicker lines: wider heads; marks: best rate; bands: all {seeds} seeds"
    top = canvas.heading(foot + 22 * pt, "Loss against learning rate", rates)
    canvas.height = draw_rates(result, canvas, top) + 3 * pt


def columns(canvas: Canvas, count: int) -> list[tuple[float, float]]:
    """Left and right edges of so many panels side by side, with room for labels before them."""
    left, apart = LABELS * canvas.pt, APART * canvas.pt
    width = (canvas.width - left + apart) / count
    return [(left + i * width, left + (i + 1) * width - apart) for i in range(count)]


def head(canvas: Canvas, x: float, top: float, title: str, note: str, role: str = "ink") -> float:
    """Name a panel and say more quietly what it is; give the top of its plot."""
    canvas.text(x, top + 21 * canvas.pt, title, role, kind="title")
    canvas.text(x, top + 32.5 * canvas.pt, note, "ink3")
    return top + 48 * canvas.pt


def draw_ends(result: Stored, canvas: Canvas, top: float) -> float:
    """Draw the loss at the best rate against width, with noise and without; give the foot."""
    pt, say = canvas.pt, canvas.say
    noise = f"noise {say.plain(result['noise'])} times the signal"
    control = result["control"]
    reach = f"widths to {say.count(control['sizes'][-1])}, rates to match"
    panels = (
        (result, "Noisy queries", noise, 112),
        (control, "Control: no noise", reach, 64 if canvas.narrow else 112),
    )
    places = columns(canvas, 1) * 2 if canvas.narrow else columns(canvas, 2)
    foot = top
    for edges, (part, title, note, height) in zip(places, panels, strict=True):
        upper = head(canvas, edges[0], foot if canvas.narrow else top, title, note)
        lower = upper + canvas.panel_height(height * pt)
        y = canvas.scale((0, result["one_at_random"]), lower, upper)
        sizes = result["sizes"] + control["sizes"]
        x = canvas.scale(sizes, edges[0] + 9 * pt, edges[1] - 11 * pt, log=True)
        draw_levels(levels(result, noisy=part is result), canvas, y, edges)
        for name in ("sqrt", "dk", "raw"):
            draw_series(part, name, canvas, x, y)
        foot = canvas.axis(lower + 8 * pt, [(x(d_k), say.count(d_k)) for d_k in part["sizes"]])
        if part is result:
            name_lines(result, canvas, x, y)
        else:
            name_levels(result, canvas, y, edges)
    foot += 13 * pt
    canvas.text(canvas.width / 2, foot, "key dimension *d_k* (log scale)", "ink2", anchor="middle")
    return foot


def draw_series(part: Stored, name: str, canvas: Canvas, x: Scale, y: Scale) -> None:
    """Draw the best losses of one scaling, a little aside so that equal ones stay apart."""
    aside = ASIDE[name] * canvas.pt
    bests = [(x(d_k) + aside, part["at"][str(d_k)][name]["best"]) for d_k in part["sizes"]]
    points = [(at, y(best["mean"])) for at, best in bests]
    canvas.line(points, name, "data")
    for at, best in bests:
        canvas.line([(at, y(best["low"])), (at, y(best["high"]))], name, "interval")
    canvas.marks(points, name, SHAPES[name])


def levels(result: Stored, *, noisy: bool) -> list[float]:
    """The losses that take no training, the ones to be labeled first in front."""
    zero = result["control"]["best_possible"]
    possible = [result["best_possible"]] if noisy else []
    return [result["one_at_random"], result["even"], *possible, zero]


def draw_levels(
    losses: Sequence[float], canvas: Canvas, y: Scale, edges: tuple[float, float]
) -> None:
    """Draw a hairline at each level, labeled before the first panel of a line."""
    pt = canvas.pt
    for loss in losses:
        canvas.grid(y(loss), *edges)
    if edges[0] == LABELS * pt:
        for index in spaced([y(loss) for loss in losses], 10 * pt):
            at, label = y(losses[index]), brief(canvas.say, losses[index], 3)
            canvas.text(edges[0] - 4 * pt, at, label, "ink2", anchor="end", centered=True)


def name_lines(result: Stored, canvas: Canvas, x: Scale, y: Scale) -> None:
    """Name the lines and where they end, and the least loss, wherever there is room.

    Where there is none the panels below still name the colors.
    """
    pt, say, widest = canvas.pt, canvas.say, result["sizes"][-1]
    least = y(result["best_possible"]) + 3.5 * pt + canvas.cap()
    put(canvas, "best possible", [(x.start, least), (x.end - 60 * pt, least)], "ink3")
    low = least + 2 * pt
    down = [low + step * pt for step in range(0, int((y.start - low) / pt), 2)]
    up = [y.end + step * pt for step in range(14, int((y.start - y.end) / pt), 2)]
    for name, title in TITLES.items():
        loss = say.fixed(result["at"][str(widest)][name]["best"]["mean"], 2)
        words = f"**{title}**  {loss} at {say.count(widest)}"
        if name == "raw":
            put(canvas, words, [(x.start, place) for place in up], "raw-words")
        else:
            places = [(x.end, place) for place in down + up]
            put(canvas, words, places, f"{name}-words", "end")


def name_levels(result: Stored, canvas: Canvas, y: Scale, edges: tuple[float, float]) -> None:
    """Say in the control what the levels are, and how low all its heads end."""
    pt, worst = canvas.pt, result["control"]["worst"]
    words = f"all means at most {canvas.say.significant(worst, 2)}"
    put(canvas, words, [(edges[0] + 4 * pt, y(worst) - 7 * pt)], "ink2")
    for key, name in (("one_at_random", "one key at random"), ("even", "even split")):
        put(canvas, name, [(edges[1], y(result[key]) - 4.5 * pt)], "ink3", "end")


def draw_rates(result: Stored, canvas: Canvas, top: float) -> float:
    """Draw the loss against the rate, one panel a scaling and one line a width; give the foot."""
    pt, say = canvas.pt, canvas.say
    curves = [one[name]["curve"] for one in by_width(result) for name in TITLES]
    worst = max(point["high"] for curve in curves for point in curve)
    finest = max(curves, key=len)
    places = columns(canvas, 3)
    if canvas.narrow:
        places = columns(canvas, 1) + columns(canvas, 2)
    tops = [top] * 3
    foot = top
    for index, (edges, name) in enumerate(zip(places, TITLES, strict=True)):
        if canvas.narrow and index == 1:
            tops = [foot] * 3
        note = f"best: {best_rates(result, name, say)}"
        upper = head(canvas, edges[0], tops[index], TITLES[name], note, f"{name}-words")
        lower = upper + 104 * pt  # no lower in a compact drawing: names need the room
        y = canvas.scale((result["best_possible"], worst), lower, upper)
        reach = [point["rate"] for point in finest]
        x = canvas.scale(reach, edges[0] + 9 * pt, edges[1] - 12 * pt, log=True)
        ticks = [(x(rate), say.significant(rate, 2)) for rate in reach]
        foot = canvas.axis(lower + 16 * pt, ticks)
        draw_curves(result, name, canvas, x, y)
        mark_bests(result, name, canvas, x, y)
        draw_levels([result["even"], result["best_possible"]], canvas, y, edges)
    foot += 13 * pt
    canvas.text(canvas.width / 2, foot, "learning rate (log scale)", "ink2", anchor="middle")
    return foot


def best_rates(result: Stored, name: str, say: Say) -> str:
    """Say at which rates the best losses lie, from the narrowest head to the widest."""
    rates = [one[name]["best"]["rate"] for one in by_width(result)]
    if len(set(rates)) == 1:
        return f"{say.significant(rates[0], 2)} at every width"
    return f"{say.significant(rates[0], 2)} to {say.significant(rates[-1], 2)}"


def by_width(part: Stored) -> list[Stored]:
    """The records of all widths, from the narrowest head to the widest."""
    return [part["at"][str(d_k)] for d_k in part["sizes"]]


def draw_curves(result: Stored, name: str, canvas: Canvas, x: Scale, y: Scale) -> None:
    """Draw mean losses as lines, the wider the head the thicker, on bands over all seeds."""
    curves = [one[name]["curve"] for one in by_width(result)]
    for curve, stroke in zip(curves, strokes(len(curves)), strict=True):
        at = [x(point["rate"]) for point in curve]
        mean, low, high = (
            [(one, y(point[key])) for one, point in zip(at, curve, strict=True)]
            for key in ("mean", "low", "high")
        )
        canvas.area([*high, *reversed(low)], name, BAND)
        canvas.line(mean, name, stroke)


def strokes(count: int) -> list[str]:
    """Thin to thick, one for each of so many lines."""
    return [STROKES[round(i * (len(STROKES) - 1) / max(1, count - 1))] for i in range(count)]


def mark_bests(result: Stored, name: str, canvas: Canvas, x: Scale, y: Scale) -> None:
    """Mark the best rate of each width, and name the width; one name for marks on one spot."""
    spots: list[list[tuple[float, float, int]]] = []
    for d_k in result["sizes"]:
        best = result["at"][str(d_k)][name]["best"]
        here = x(best["rate"]), y(best["mean"]), d_k
        if spots and spots[-1][0][0] == here[0] and abs(spots[-1][-1][1] - here[1]) < 8 * canvas.pt:
            spots[-1].append(here)
        else:
            spots.append([here])
    canvas.marks([one[:2] for spot in spots for one in spot], name, SHAPES[name])
    for spot in spots:
        first, last = canvas.say.count(spot[0][2]), canvas.say.count(spot[-1][2])
        words = first if len(spot) == 1 else f"{first} to {last}"
        put(canvas, words, beside(spot, canvas), f"{name}-words", "middle", patch=True)


def beside(
    spot: Sequence[tuple[float, float, int]], canvas: Canvas
) -> Iterator[tuple[float, float]]:
    """Places for the name of marks, the nearest first: below them, above, and to either side."""
    pt, at = canvas.pt, spot[0][0]
    below = max(one[1] for one in spot) + 5.5 * pt + canvas.cap()
    above = min(one[1] for one in spot) - 6 * pt
    places = sorted(
        (abs(shift) + away + side, at + shift * pt, place + (1 - side) * away * pt)
        for shift in range(-12, 13, 2)
        for away in (0, 2, 4)
        for side, place in ((0, below), (1, above))
    )
    return (one[1:] for one in places)
