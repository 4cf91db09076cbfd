"""How far do attention scores spread as the key dimension grows?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le, MinLen, Predicate

import degrees
from attention import Array, KeyDimension, brief, divisors, scores
from labels import percent
from panels import SHAPES, TITLES
from samples import Moments, parts

if TYPE_CHECKING:
    from report.contracts import Anchor, Canvas, Claim, Description, Say, Scale, Stored, Stream

Record = dict[str, Any]

CHUNK = 2**16  # components of q in memory at once; any other number gives the same trials
TOGETHER = 2**15  # scores in memory at once; so does any other number of these
NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
COVERAGE = 0.95  # share of such intervals that hold the truth, in the long run
ROOT = 0.5  # exponent of a square root
BAND = 0.05  # the deviation from theory the figure draws as a band

LAWS = {  # how the spread goes with d_k under each scaling
    "raw": "grows as √*d_k*",
    "sqrt": "stays at 1",
    "dk": "shrinks as 1/√*d_k*",
}
PLOT, NAMES_AT = (42.0, 340.0), 358.0  # in a wide drawing: the sizes, and the names of lines
STRIP, THIN = 36, 11  # height of the strip, and of half a band whose ends have room for labels
LEADING = 11.5  # printed points from a line's name to its law


@dataclass(frozen=True)
class Example:
    """The worked case of the article."""

    d_k: KeyDimension


def each_once(sizes: Sequence[int]) -> bool:
    """Whether no size is named twice; one that is would count twice among the intervals."""
    return len(set(sizes)) == len(sizes)


@dataclass(frozen=True)
class Parameters:
    """Key dimensions to try, at least two for a slope, and how many random pairs for each."""

    example: Example
    sizes: Annotated[tuple[KeyDimension, ...], MinLen(2), Predicate(each_once)]
    trials: Annotated[int, Ge(2), Le(100_000_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Multiply random q and k at every size and compare the spread of q·k with theory.

    Components are independent standard normal, so the variance of a score is d_k and its kurtosis
    3 + 6/d_k. Each size has its own stream, keyed by the size: adding one moves no other. The
    example's d_k is measured too where `sizes` leaves it out, and then kept out of the summary.
    """
    sizes = sorted(parameters.sizes)
    example = parameters.example.d_k
    at = {
        d_k: record(d_k, draw_scores(d_k, parameters.trials, stream(d_k)))
        for d_k in sorted({*sizes, example})
    }
    records = [at[d_k] for d_k in sizes]
    worst = max(records, key=lambda one: abs(one["deviation"]))
    return {
        "trials": parameters.trials,
        "sizes": sizes,
        "smallest": records[0],
        "largest": records[-1],
        "example": {
            "d_k": example,
            "theory_sd": math.sqrt(example),
            "theory_sd_dk": 1 / math.sqrt(example),
        },
        "at": {str(d_k): one for d_k, one in at.items()},
        "slope": log_log_slope(sizes, [one["sd"] for one in records]),
        "worst": {"d_k": worst["d_k"], "deviation": worst["deviation"]},
        "misses": sum(not includes_zero(one["interval"]) for one in records),
        "misses_expected": (1 - COVERAGE) * len(sizes),
        "coverage": COVERAGE,
        "band": BAND,
    }


def draw_scores(d_k: int, trials: int, generator: np.random.Generator) -> Iterator[Array]:
    """Scores of `trials` random pairs, (n,) at a time, so that their number takes no memory."""
    return (multiply(d_k, part, generator) for part in parts(trials, TOGETHER))


def multiply(d_k: int, trials: int, generator: np.random.Generator, chunk: int = CHUNK) -> Array:
    """Scores of `trials` random pairs, shape (trials,), with about `chunk` components at a time.

    Each trial takes its q and then its k from the generator, so the chunk size moves no trial.
    """
    rows = min(trials, max(1, chunk // d_k))
    pairs = np.empty((rows, 2, d_k))
    drawn = np.empty(trials)
    for start in range(0, trials, rows):
        part = pairs[: trials - start]
        generator.standard_normal(out=part)
        drawn[start : start + rows] = scores(part[:, 0], part[:, 1])
    return drawn


def record(d_k: int, drawn: Iterable[Array]) -> Record:
    """What is kept of one size: moments as they are, and after either division."""
    by = {name: (divisor, Moments()) for name, divisor in divisors(d_k).items()}
    for part in drawn:
        for divisor, sample in by.values():
            sample.add(part / divisor)
    raw, sqrt, dk = (sample for _, sample in by.values())
    ratio = raw.variance / d_k
    half = NORMAL_95 * ratio * raw.error
    return {
        "d_k": d_k,
        "trials": raw.count,
        **moments(raw),
        "kurtosis": raw.kurtosis,
        "ratio": ratio,
        "deviation": ratio - 1,
        "interval": {"low": ratio - half - 1, "high": ratio + half - 1},
        "theory_sd": math.sqrt(d_k),
        "sqrt": {**moments(sqrt), "theory_sd": 1.0},
        "dk": {**moments(dk), "theory_sd": 1 / math.sqrt(d_k)},
    }


def moments(sample: Moments) -> dict[str, float]:
    """Mean, unbiased variance and standard deviation of a sample."""
    return {"mean": sample.mean, "variance": sample.variance, "sd": sample.sd}


def log_log_slope(sizes: Sequence[int], spreads: Sequence[float]) -> float:
    """Least-squares exponent a in sd ∝ d_k^a over at least two sizes."""
    x, y = np.log(np.asarray(sizes)), np.log(np.asarray(spreads))
    x = x - np.mean(x)
    return float(np.sum(x * y) / np.sum(x * x))


def includes_zero(interval: dict[str, float]) -> bool:
    """Whether theory, a deviation of zero, lies within the interval."""
    return interval["low"] <= 0 <= interval["high"]


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of the measured spread, size by size and as a whole."""
    records = [result["at"][str(d_k)] for d_k in result["sizes"]]
    return [
        grows(records, say),
        is_a_root(result, records, say),
        stays_at_one(records, say),
        *close_to_theory(result, say),
    ]


def grows(records: Sequence[Stored], say: Say) -> Claim:
    """Claim that wider keys always give scores that spread farther."""
    spreads = [one["sd"] for one in records]
    steps = sum(wider > narrower for narrower, wider in pairwise(spreads))
    return {
        "name": "raw_grows",
        "sentence": "Unscaled, the spread of a score grows from each size to the next.",
        "holds": steps == len(spreads) - 1,
        "evidence": (
            f"{say.count(steps)} of {say.count(len(spreads) - 1)} steps go up, from "
            f"{brief(say, spreads[0], 3)} to {brief(say, spreads[-1], 3)}"
        ),
    }


def is_a_root(result: Stored, records: Sequence[Stored], say: Say) -> Claim:
    """Claim that the spread grows like √d_k, by an exponent that is known well enough to tell."""
    slope, error = result["slope"], slope_error(records)
    return {
        "name": "slope_is_half",
        "sentence": (
            "The spread grows like √d_k: its exponent is one half within "
            f"{say.plain(degrees.SURE)} standard errors, which are at most "
            f"{say.plain(degrees.SHARP)}."
        ),
        "holds": degrees.explained_by_chance(slope - ROOT, error) and degrees.sharp(error),
        "evidence": f"exponent {say.fixed(slope, 4)}, standard error {say.fixed(error, 4)}",
    }


def slope_error(records: Sequence[Stored]) -> float:
    """Standard error of the fitted exponent, from the sampling error of each variance.

    The relative error of a variance is √((kurtosis - 1) / trials); half of it is the error of the
    logarithm of the standard deviation, and the fit weighs those of all sizes, which are independent.
    """
    x = np.log([one["d_k"] for one in records])
    x = x - np.mean(x)
    squares = np.array([max(0.0, one["kurtosis"] - 1) / one["trials"] for one in records])
    return float(np.sqrt(np.sum(x**2 * squares)) / np.sum(x**2) / 2)


def stays_at_one(records: Sequence[Stored], say: Say) -> Claim:
    """Claim that division by √d_k takes the width out."""
    spreads = [one["sqrt"]["sd"] for one in records]
    return {
        "name": "sqrt_stays_at_one",
        "sentence": (
            f"Divided by √d_k, the spread is within {say.percent(degrees.STEADY)} of one at every "
            "size."
        ),
        "holds": all(map(degrees.stays_at_one, spreads)),
        "evidence": f"from {say.fixed(min(spreads), 3)} to {say.fixed(max(spreads), 3)}",
    }


def close_to_theory(result: Stored, say: Say) -> list[Claim]:
    """Claim that the measured variances stray from d_k no farther than drawn, or than by chance."""
    worst, sizes, misses = result["worst"], len(result["sizes"]), result["misses"]
    return [
        {
            "name": "within_band",
            "sentence": (
                f"The measured variance is within {say.percent(result['band'])} of d_k at every "
                "size."
            ),
            "holds": bool(abs(worst["deviation"]) <= result["band"]),
            "evidence": (
                f"worst {say.percent(worst['deviation'], 1)} at d_k = {say.count(worst['d_k'])}"
            ),
        },
        {
            "name": "misses_few",
            "sentence": (
                f"No more {say.percent(result['coverage'])} intervals leave theory out than chance "
                "allows."
            ),
            "holds": degrees.as_many_by_chance(misses, sizes, 1 - result["coverage"]),
            "evidence": (
                f"{say.count(misses)} of {say.count(sizes)} miss; chance alone makes "
                f"{brief(say, result['misses_expected'], 2)} on average"
            ),
        },
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell the chart in words, and give its data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            how_spread(result, say),
            at_example(result, say),
            how_close(result, say),
        ],
        "table": {
            "caption": (
                f"Scores of {say.count(result['trials'])} random pairs of q and k at each d_k: "
                "their spread after each division, and their variance against theory."
            ),
            "columns": [
                "d_k",
                "Standard deviation, unscaled",
                "Theory, √d_k",
                "Divided by √d_k",
                "Divided by d_k",
                "Variance against d_k",
                f"{say.percent(result['coverage'])} interval",
                "Kurtosis",
            ],
            "rows": [row(result["at"][d_k], say) for d_k in sorted(result["at"], key=int)],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the chart in one breath."""
    first, last, worst = result["smallest"], result["largest"], result["worst"]
    span = {
        "unscaled": (first["sd"], last["sd"]),
        "divided by √d_k": (first["sqrt"]["sd"], last["sqrt"]["sd"]),
        "divided by d_k": (first["dk"]["sd"], last["dk"]["sd"]),
    }
    lines = "; ".join(
        f"{name}, {brief(say, start, 3)} to {brief(say, end, 3)}"
        for name, (start, end) in span.items()
    )
    return (
        f"Line chart of the standard deviation of a score from d_k = {say.count(first['d_k'])} "
        f"to {say.count(last['d_k'])}: {lines}. "
        f"A strip shows variance against theory, at worst {say.percent(worst['deviation'], 1)} off."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    sizes = ", ".join(say.count(size) for size in result["sizes"])
    band = say.percent(result["band"])
    return (
        f"The panels share one axis, the key dimension d_k, on a log scale: {sizes}. The upper "
        "panel shows the standard deviation of the score q·k, on a log scale too: lines for "
        "theory, and a mark for each measurement. The strip below shows how far the measured "
        f"variance is from d_k, with a bar for the {say.percent(result['coverage'])} sampling "
        f"interval and a band that reaches {band} either way. Each size has "
        f"{say.count(result['trials'])} trials with components drawn from a standard normal "
        "distribution. The scalings share these trials: one measurement, shown under each, "
        "so one strip serves them all."
    )


def how_spread(result: Stored, say: Say) -> str:
    """Give both ends of each line, measured and in theory."""
    first, last = result["smallest"], result["largest"]

    def ends(start: Stored, end: Stored) -> str:
        return (
            f"{brief(say, start['sd'])} at the smallest d_k and {brief(say, end['sd'])} at the "
            f"largest (theory {brief(say, start['theory_sd'])} and {brief(say, end['theory_sd'])})"
        )

    return (
        "The lines form a fan. Unscaled, the theory line rises as √d_k, and the marks "
        f"measure {ends(first, last)}. Divided by √d_k it is level, and they measure "
        f"{ends(first['sqrt'], last['sqrt'])}. Divided by d_k it falls as 1/√d_k, and they measure "
        f"{ends(first['dk'], last['dk'])}. The exponent fitted to the unscaled marks is "
        f"{say.fixed(result['slope'], 3)}; a square root has one half."
    )


def at_example(result: Stored, say: Say) -> str:
    """Read the fan where the guide stands."""
    case = result["example"]
    here = result["at"][str(case["d_k"])]
    at = f"d_k = {say.count(case['d_k'])}, the example of the article"
    place = f"A guide stands at {at}" if shows_example(result) else f"Outside the chart lies {at}"
    return (
        f"{place}. Theory "
        f"gives {brief(say, case['theory_sd'])} unscaled and "
        f"{brief(say, case['theory_sd_dk'])} divided by d_k; measured are "
        f"{brief(say, here['sd'])} and {brief(say, here['dk']['sd'])}, and "
        f"{brief(say, here['sqrt']['sd'])} divided by √d_k."
    )


def how_close(result: Stored, say: Say) -> str:
    """Read the strip: the farthest measurement, and how many intervals leave theory out."""
    worst = result["worst"]
    return (
        "In the strip the measurement farthest from theory is "
        f"{say.percent(worst['deviation'], 1)} off, at d_k = {say.count(worst['d_k'])}. "
        f"Intervals that leave theory out: {say.count(result['misses'])}; chance alone makes "
        f"{brief(say, result['misses_expected'], 2)} on average."
    )


def row(one: Stored, say: Say) -> list[str]:
    """Print one size for the table."""
    interval = one["interval"]
    return [
        say.count(one["d_k"]),
        brief(say, one["sd"]),
        brief(say, one["theory_sd"]),
        brief(say, one["sqrt"]["sd"]),
        brief(say, one["dk"]["sd"]),
        say.percent(one["deviation"], 2),
        f"{say.percent(interval['low'], 2)} to {say.percent(interval['high'], 2)}",
        say.fixed(one["kurtosis"], 2),
    ]


def draw(result: Stored, canvas: Canvas) -> None:
    """Fan three straight lines out from one, and show below them what was measured."""
    pt, sizes = canvas.pt, result["sizes"]
    over = "" if canvas.narrow else " over random *q* and *k*"
    y = canvas.heading(
        0,
        "Spread of one attention score",
        f"standard deviation{over}; lines: theory, marks: measured",
    )
    x = canvas.scale(sizes, *extent(result, canvas), log=True)
    y = draw_fan(result, canvas, x, y + 19 * pt)
    y = draw_strip(result, canvas, x, y + 20 * pt)
    y = canvas.axis(y + 7 * pt, [(x(d_k), canvas.say.count(d_k)) for d_k in sizes]) + 13 * pt
    middle = (x.start + x.end) / 2
    canvas.text(middle, y, "key dimension *d_k* (log scales)", "ink2", anchor="middle")
    canvas.height = y + 3 * pt


def extent(result: Stored, canvas: Canvas) -> tuple[float, float]:
    """Where the smallest and the largest size stand: as wide as the labels beside them allow."""
    if not canvas.narrow:
        return PLOT
    labels = [f"1/{canvas.say.brief(value)}" for value in quoted(result)]
    labels += strip_labels(result, canvas.say).values()
    widest = max(canvas.words(label).width for label in labels)
    last = canvas.words(canvas.say.count(result["sizes"][-1])).width
    return widest + 15 * canvas.pt, canvas.width - max(last / 2, 5 * canvas.pt)


def shows_example(result: Stored) -> bool:
    """Whether the example's d_k lies among the sizes."""
    return bool(result["sizes"][0] <= result["example"]["d_k"] <= result["sizes"][-1])


def quoted(result: Stored) -> list[float]:
    """Spreads the text quotes beside 1: at the largest size and, if it is shown, the example's."""
    largest, example = result["largest"]["theory_sd"], result["example"]["theory_sd"]
    return [largest, example] if shows_example(result) else [largest]


def draw_fan(result: Stored, canvas: Canvas, x: Scale, top: float) -> float:
    """Draw the three laws as lines and the measured spreads as marks; give the lowest place."""
    bottom = top + canvas.panel_height((176 if canvas.narrow else 164) * canvas.pt)
    records = [result["at"][str(d_k)] for d_k in result["sizes"]]
    farthest = [1 / min(one["dk"]["sd"] for one in records), max(one["sd"] for one in records)]
    reach = max(result["largest"]["theory_sd"], *farthest)
    y = canvas.scale((1 / reach, reach), bottom, top, log=True)
    draw_hairlines(result, canvas, x, y)
    for name, shape in SHAPES.items():
        spreads = records if name == "raw" else [one[name] for one in records]
        theory = [
            (x(one["d_k"]), y(two["theory_sd"])) for one, two in zip(records, spreads, strict=True)
        ]
        canvas.line([theory[0], theory[-1]], name, "data")
        measured = [
            (x(one["d_k"]), y(two["sd"])) for one, two in zip(records, spreads, strict=True)
        ]
        canvas.marks(measured, name, shape)
    if shows_example(result):
        draw_example(result, canvas, x, y)
    draw_names(canvas, x, y)
    return bottom


def draw_hairlines(result: Stored, canvas: Canvas, x: Scale, y: Scale) -> None:
    """Draw a hairline at 1 and at each quoted spread and its inverse, where it has room."""
    pt = canvas.pt
    left, right = x.start - 10 * pt, min(x.end + 10 * pt, canvas.width)
    lines = {y(1): "1"}
    for value in quoted(result):
        if all(abs(y(value) - place) > 12 * pt for place in lines):
            label = canvas.say.brief(value)
            lines |= {y(value): label, y(1 / value): f"1/{label}"}
    for place, label in lines.items():
        canvas.grid(place, left, right)
        canvas.text(left - 5 * pt, place, label, "ink2", anchor="end", centered=True)


def draw_example(result: Stored, canvas: Canvas, x: Scale, y: Scale) -> None:
    """Guide the eye at the example's d_k, and name the spread at either end of the guide."""
    pt, at, sd = canvas.pt, x(result["example"]["d_k"]), result["example"]["theory_sd"]
    canvas.line([(at, y(sd)), (at, y(1 / sd))], "ink3", "dotted", dotted=True, under=True)
    label = canvas.say.brief(sd)
    above, below = y(sd) - 5 * pt, y(1 / sd) + 5 * pt + canvas.cap()
    left, right = at - 4 * pt, at + 5 * pt
    for name, place, words in (("raw", above, label), ("dk", below, f"1/{label}")):
        if canvas.clear(left, place, words, kind="strong", anchor="end", room=0.5):
            canvas.text(left, place, words, f"{name}-words", kind="strong", anchor="end")
    words = f"*d_k* = {canvas.say.count(result['example']['d_k'])}"
    halves = [(y(end) + y(1) + canvas.cap()) / 2 for end in (sd, 1 / sd)]
    sides: tuple[tuple[float, Anchor], ...] = ((right, "start"), (left, "end"))
    for place, (side, anchor) in product(halves, sides):
        if canvas.clear(side, place, words, anchor=anchor):
            canvas.text(side, place, words, "ink2", anchor=anchor)
            break


def draw_names(canvas: Canvas, x: Scale, y: Scale) -> None:
    """Name each line and its law: beside its end, or on a phone inside the fan."""
    pt = canvas.pt
    apart = 25 * pt  # of the names of two lines that end close together
    ends = {
        "raw": min(y(y.high), y(1) - apart),
        "sqrt": y(1),
        "dk": max(y(y.low), y(1) + apart),
    }
    for name, law in LAWS.items():
        at, place, anchor = (
            place_in_fan(name, (TITLES[name], law), canvas, x, y)
            if canvas.narrow
            else (NAMES_AT, ends[name] - 1.5 * pt, "start")
        )
        canvas.text(at, place, TITLES[name], f"{name}-words", kind="title", anchor=anchor)
        canvas.text(at, place + LEADING * pt, law, "ink2", anchor=anchor)


def place_in_fan(
    name: str, words: tuple[str, str], canvas: Canvas, x: Scale, y: Scale
) -> tuple[float, float, Anchor]:
    """Find the first place where a line's name and law touch nothing, from the outside inwards."""
    pt = canvas.pt
    left: list[tuple[float, Anchor]] = [(x.start, "start"), (x.start + 8 * pt, "start")]
    right: list[tuple[float, Anchor]] = [(x.end, "end"), (x.end - 8 * pt, "end")]
    top, bottom = y.end + 14 * pt, y.start - 16 * pt
    falling = [top + step for step in range(int(bottom - top))]
    rising = [bottom - step for step in range(int(bottom - top))]
    above_one = [place for place in rising if place <= y(1) - 18 * pt]
    sides, places = {
        "raw": (left + right, falling),
        "sqrt": (right + left, above_one + falling),
        "dk": (left + right, rising),
    }[name]
    for (at, anchor), place in product(sides, places):
        if canvas.clear(at, place, words[0], kind="title", anchor=anchor, room=4) and canvas.clear(
            at, place + LEADING * pt, words[1], anchor=anchor, room=4
        ):
            return at, place, anchor
    return sides[0][0], places[0], sides[0][1]


def draw_strip(result: Stored, canvas: Canvas, x: Scale, top: float) -> float:
    """Draw the measured variance against theory on a scale of its own; give the lowest place."""
    pt, band = canvas.pt, result["band"]
    top = name_strip(result, canvas, top) + 9 * pt
    reach = max(band, abs(farthest_end(result)))
    y = canvas.scale((-reach, reach), top + STRIP * pt, top)
    left, right = x.start - 10 * pt, min(x.end + 10 * pt, canvas.width)
    canvas.rectangle(left, y(band), right - left, y(-band) - y(band), "panel", under=True)
    canvas.line([(left, y(0)), (right, y(0))], "ink3")
    records = [result["at"][str(d_k)] for d_k in result["sizes"]]
    for one in records:
        at, interval = x(one["d_k"]), one["interval"]
        canvas.line([(at, y(interval["low"])), (at, y(interval["high"]))], "ink2", "interval")
    canvas.marks([(x(one["d_k"]), y(one["deviation"])) for one in records], "ink", "dot")
    for value, label in strip_labels(result, canvas.say).items():
        canvas.text(left - 5 * pt, y(value), label, "ink2", anchor="end", centered=True)
    if not canvas.narrow:
        bars = f"bars: {canvas.say.percent(result['coverage'])} sampling interval"
        canvas.text(NAMES_AT, y(0) - 2 * pt, bars, "ink3")
        within = f"band: within {canvas.say.percent(band)} of *d_k*"
        canvas.text(NAMES_AT, y(0) + 9.5 * pt, within, "ink3")
    return y.start


def farthest_end(result: Stored) -> float:
    """The end of an interval that lies farthest from theory."""
    intervals = [result["at"][str(d_k)]["interval"] for d_k in result["sizes"]]
    ends: list[float] = [interval[end] for interval in intervals for end in ("low", "high")]
    return max(ends, key=abs)


def strip_labels(result: Stored, say: Say) -> dict[float, str]:
    """What the strip's axis names: the band, or the farthest end where the band is too thin."""
    band, end = result["band"], farthest_end(result)
    if STRIP / 2 * band / max(band, abs(end)) < THIN:
        return {0: say.label(0), end: say.percent(end) if end < 0 else f"+{say.percent(end)}"}
    return {0: say.label(0), band: f"+{percent(say, band)}", -band: percent(say, -band)}


def name_strip(result: Stored, canvas: Canvas, top: float) -> float:
    """Name the strip, with its key in the same words on a phone; give the last baseline."""
    say = canvas.say
    trials = f"{say.count(result['trials'])} seeded trials per size"
    if canvas.narrow:
        trials += f"; bars: {say.percent(result['coverage'])} intervals"
        trials += f"; band: within {say.percent(result['band'])}"
    return canvas.heading(top, "Measured variance against theory", trials)
