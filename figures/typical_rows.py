"""Is the example row a typical one, and how much steeper does scaling make the others?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Le

import degrees
from attention import Array, Example, brief, divisors
from labels import percent
from rows import draw_rows_in_parts
from samples import Quantiles

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Kind, Say, Scale, Stored, Stream

Record = dict[str, Any]

CHUNK = 2**15  # rows in memory at once
MOST = 1e300  # where a ratio of slopes stops being counted: a far larger one cannot be stored
SHOWN = 0.99  # share of the rows, those of lower ratios, that get bars of their own
OCTAVES = 60  # the most bars there are
QUANTILES = {f"q{share:02d}": share / 100 for share in (5, 10, 25, 50, 75, 90, 95)}
MEASURES = {  # of a row: as a drawing and a text name it
    "top": ("Largest weight", "Largest weight, unscaled"),
    "gap": ("Gap to runner-up", "Gap from the highest score to the next"),
    "spread": ("Spread of scores", "Standard deviation of the scores"),
    "raw": ("Slope, unscaled", "Largest slope, unscaled"),
    "sqrt": ("Slope, ÷ √*d_k*", "Largest slope, divided by √d_k"),
    "ratio": ("Times as steep", "Times as steep by scaling"),
}
FILLED = 0.9  # width of a bar in its slot
PARTLY = 0.45  # opacity of bars for rows that are steeper at the softmax input only
ASIDE = 0.47  # where on the axis the words about the bars may start, over the low ones
FLAG_STEP = 14  # printed points from the words of one flag to those of the next
STEPS = (0.05, 0.1, 0.25, 0.5)  # between hairlines
WORDY = 1e6  # from where a ratio is printed as a power of ten
MIDDLE = 0.5  # of the strip: half of the rows
EDGE = 0.12  # share from which a label has room between its mark and the end of the strip


@dataclass(frozen=True)
class Parameters:
    """The row to place among random ones as long as it, and how many of these."""

    example: Example
    rows: Annotated[int, Ge(100), Le(2_000_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Draw random rows as long as the example at its d_k, and compare it with every one."""
    own, d_k = np.array([parameters.example.scores], dtype=float), parameters.example.d_k
    rows, keys, root = parameters.rows, own.shape[1], math.sqrt(d_k)
    generator = stream(keys, d_k)

    def drawn() -> Iterator[dict[str, Array]]:
        """Portray the random rows, the same ones every time."""
        parts = draw_rows_in_parts(d_k, keys, rows, CHUNK, deepcopy(generator))
        return (portrait(part, d_k) for part in parts)

    example = {name: float(one[0]) for name, one in portrait(own, d_k).items()}
    seen = Seen(example, root, drawn())
    less = {name: count / rows for name, count in seen.less.items()}
    means = {name: seen.sums[name] / rows for name in ("raw", "sqrt")}
    return {
        "rows": rows,
        "keys": keys,
        "d_k": d_k,
        "root": root,
        "example": example,
        "rank": {name: below / rows for name, below in seen.below.items()},
        "largest_error": 0.5 / math.sqrt(rows),  # of a share, which errs most at half
        "quantiles": QUANTILES,
        "middle": QUANTILES["q90"] - QUANTILES["q10"],
        "random": seen.spread(drawn()),
        "less_steep": less,
        "steeper": {
            "input_only": (seen.less["raw_score"] - seen.less["input"]) / rows,
            "raw_score": (rows - seen.less["raw_score"]) / rows,
        },
        "mean": {**means, "ratio": means["sqrt"] / means["raw"] if means["raw"] else MOST},
        "histogram": histogram(seen.octaves),
    }


class Seen:
    """What is counted of the random rows while they pass, a part at a time."""

    def __init__(
        self, example: Mapping[str, float], root: float, drawn: Iterable[dict[str, Array]]
    ) -> None:
        self.below = dict.fromkeys(example, 0.0)  # how many rows lie below the example
        self.sums = dict.fromkeys(example, 0.0)
        self.less = dict.fromkeys(("input", "raw_score"), 0)  # how many scaling makes less steep
        self.octaves = Counter[int]()
        self._quantiles = {name: Quantiles([*QUANTILES.values()]) for name in example}
        for part in drawn:
            for name, values in part.items():
                self.below[name] += below(values, example[name])
                self.sums[name] += float(np.sum(values))
                self._quantiles[name].count(values)
            self.less["input"] += int(np.sum(part["ratio"] < 1))
            self.less["raw_score"] += int(np.sum(part["ratio"] < root))
            self.octaves += octaves(part["ratio"])

    def spread(self, again: Iterable[dict[str, Array]]) -> dict[str, dict[str, float]]:
        """Quantiles of each measure by their percentage, `q50` the median, when the rows pass again."""
        for part in again:
            for name, values in part.items():
                self._quantiles[name].keep(values)
        return {
            name: dict(zip(QUANTILES, found.values.tolist(), strict=True))
            for name, found in self._quantiles.items()
        }


def portrait(scores: Array, d_k: int) -> dict[str, Array]:
    """What is compared of each row: (rows, keys) raw scores -> (rows,) each.

    The largest unscaled weight, the lead of the highest score over the next, the standard deviation
    of the scores, the largest slope of the softmax unscaled and divided by √d_k, and their ratio,
    which counts how many times as steep scaling makes the row at the softmax input.
    """
    ordered, by = np.sort(scores, axis=-1), divisors(d_k)
    raw, sqrt = (log_steepest(ordered / by[name]) for name in ("raw", "sqrt"))
    return {
        "top": 1 / (1 + np.exp(others(ordered))),
        "gap": ordered[:, -1] - ordered[:, -2],
        "spread": np.std(scores, axis=-1),
        "raw": np.exp(raw),
        "sqrt": np.exp(sqrt),
        "ratio": np.exp(np.minimum(sqrt - raw, math.log(MOST))),
    }


def others(ordered: Array) -> Array:
    """Logarithm of what all other keys weigh against the leading one: (rows, n) -> (rows,)."""
    weight: Array = np.logaddexp.reduce(ordered[:, :-1] - ordered[:, -1:], axis=-1)
    return weight


def log_steepest(ordered: Array) -> Array:
    """Logarithm of the largest entry of each row's Jacobian: rows in ascending order -> (rows,).

    It is p(1 - p) of the leading key, whose weight is nearest to one half on either side: one
    above leaves less than its rest to any other. The logarithm lives on where the entry underflows.
    """
    weight = others(ordered)
    log: Array = weight - 2 * np.logaddexp(0.0, weight)
    return log


def below(values: Array, own: float) -> float:
    """How many of the values are below one's own, ties counted half."""
    return float(np.sum(values < own) + np.sum(values == own) / 2)


def octaves(ratio: Array) -> Counter[int]:
    """How many of the ratios lie in each octave, from 2 to its power upward."""
    found, counts = np.unique(np.floor(np.log2(ratio)).astype(int), return_counts=True)
    return Counter(dict(zip(found.tolist(), counts.tolist(), strict=True)))


def histogram(counts: Counter[int]) -> Record:
    """Share of the rows in each octave of the ratio, from `lowest` (2 to that power) upward."""
    rows, lowest = counts.total(), min(counts)
    reached = zip(sorted(counts), accumulate(counts[each] for each in sorted(counts)), strict=True)
    last = next(octave for octave, so_far in reached if so_far >= SHOWN * rows)
    shown = [counts[lowest + bar] for bar in range(min(last - lowest + 1, OCTAVES))]
    shares = [count / rows for count in shown]
    return {"lowest": lowest, "shares": shares, "beyond": (rows - sum(shown)) / rows}


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of the example among random rows, and of the ratio."""
    return [*of_the_example(result, say), *of_the_ratio(result, say)]


def of_the_example(result: Stored, say: Say) -> list[Claim]:
    """Claim that the example is a row like many others."""
    ranks = {name: result["rank"][name] for name in ("top", "gap", "spread")}
    own, median = result["example"]["ratio"], result["random"]["ratio"]["q50"]
    return [
        {
            "name": "example_is_typical",
            "sentence": (
                "By its largest weight, its gap and its spread the example stands above at least "
                f"{say.percent(degrees.MIDDLE)} of the random rows and below as many."
            ),
            "holds": all(map(degrees.in_the_middle, ranks.values())),
            "evidence": "; ".join(
                f"{MEASURES[name][0].lower()} above {say.percent(rank, 1)}"
                for name, rank in ranks.items()
            ),
        },
        {
            "name": "median_alike",
            "sentence": (
                "The ratio of the example and that of the median row are alike: neither is more "
                f"than {say.plain(degrees.ALIKE)} times the other."
            ),
            "holds": degrees.alike(own, median),
            "evidence": f"{brief(say, own, 3)} against {brief(say, median, 3)}",
        },
    ]


def of_the_ratio(result: Stored, say: Say) -> list[Claim]:
    """Claim that the ratio of one row is no law, and no gain seen from elsewhere."""
    ratio, less, more = result["random"]["ratio"], result["less_steep"], result["steeper"]
    own, average = result["example"]["ratio"], result["mean"]["ratio"]
    return [
        {
            "name": "ratio_varies_widely",
            "sentence": (
                f"Over the middle {say.percent(result['middle'])} of the rows the ratio varies by "
                f"a factor of at least {say.plain(degrees.WIDELY)}."
            ),
            "holds": degrees.varies_widely(ratio["q10"], ratio["q90"]),
            "evidence": f"{rough(say, ratio['q10'])} to {rough(say, ratio['q90'])}",
        },
        {
            "name": "some_less_steep",
            "sentence": (
                f"Scaling makes at least {say.percent(degrees.FEW)} of the rows less steep at the "
                "softmax input."
            ),
            "holds": degrees.some(less["input"]),
            "evidence": say.percent(less["input"], 1),
        },
        {
            "name": "averages_gain_less",
            "sentence": (
                "The ratio of the mean slopes is at most "
                f"{say.percent(1 / degrees.ALIKE)} of that of the example."
            ),
            "holds": bool(degrees.ALIKE * average <= own),
            "evidence": f"{brief(say, average, 3)} against {brief(say, own, 3)}",
        },
        {
            "name": "raw_score_divides",
            "sentence": (
                f"Seen from the raw score, scaling makes at least {say.percent(degrees.MIDDLE)} of "
                "the rows steeper and as many less steep."
            ),
            "holds": degrees.in_the_middle(less["raw_score"]),
            "evidence": (
                f"{say.percent(more['raw_score'], 1)} steeper, "
                f"{say.percent(less['raw_score'], 1)} less steep"
            ),
        },
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell the bars and the strip in words, and give the comparisons as data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            how_steep(result, say),
            bars(result, say),
            where_it_stands(result, say),
        ],
        "table": {
            "caption": (
                f"The example row against {say.count(result['rows'])} random rows of "
                f"{say.count(result['keys'])} keys at d_k = {say.count(result['d_k'])}: its value, "
                "the share of them below it, and the values below which given shares of them lie."
            ),
            "columns": [
                "Measure",
                "Example",
                "Share below it",
                *(f"{say.percent(share)} below" for _, share in quantiles(result)),
            ],
            "rows": [table_row(name, result, say) for name in MEASURES],
        },
    }


def quantiles(result: Stored) -> list[tuple[str, float]]:
    """Names and shares of the quantiles that are kept, from low to high."""
    return sorted(result["quantiles"].items())


def table_row(name: str, result: Stored, say: Say) -> list[str]:
    """Print one measure for the table."""
    random = result["random"][name]
    return [
        MEASURES[name][1],
        brief(say, result["example"][name]),
        say.percent(result["rank"][name], 1),
        *(brief(say, random[q], 3) for q, _ in quantiles(result)),
    ]


def alternative(result: Stored, say: Say) -> str:
    """Say the bars and the strip in one breath."""
    ratio, less, rank_of = result["random"]["ratio"], result["less_steep"], result["rank"]
    return (
        f"Histogram over {say.count(result['rows'])} random rows of how many times as steep "
        f"scaling makes them: median {brief(say, ratio['q50'], 2)}, below one for "
        f"{say.percent(less['input'])}. The example, {brief(say, result['example']['ratio'], 2)}, "
        f"is above {say.percent(rank_of['ratio'])} of them, as a strip of marks shows."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    return (
        f"Bars over a log scale of ratios: how many times the largest slope divided by √d_k is the "
        f"largest unscaled one, at the softmax input, for {say.count(result['rows'])} random rows "
        f"of {say.count(result['keys'])} keys at d_k = {say.count(result['d_k'])}, with independent "
        "standard normal components. Each bar is an octave, its height the share of rows in it. "
        "Flags mark, as far as the scale reaches, the example row, the median row, and the ratio "
        "of the mean slopes. Below, "
        "a strip has a line for each measure of a row and a mark on it for the share of random "
        "rows whose value is below that of the example."
    )


def how_steep(result: Stored, say: Say) -> str:
    """Read the zones and the flags."""
    ratio, less, more = result["random"]["ratio"], result["less_steep"], result["steeper"]
    return (
        f"Scaling makes {say.percent(less['input'], 1)} of the rows less steep at the softmax "
        f"input, {say.percent(more['input_only'], 1)} steeper there but not seen from the raw "
        f"score, where the slope is divided by {brief(say, result['root'])} again, and "
        f"{say.percent(more['raw_score'], 1)} steeper from the raw score too. Flags: the example "
        f"at {brief(say, result['example']['ratio'], 3)}, the median row at "
        f"{brief(say, ratio['q50'], 3)}, and the ratio of the means, "
        f"{brief(say, result['mean']['sqrt'], 3)} over {brief(say, result['mean']['raw'], 3)}, at "
        f"{brief(say, result['mean']['ratio'], 3)}. The middle {say.percent(result['middle'])} of "
        f"the rows reach from {rough(say, ratio['q10'])} to {rough(say, ratio['q90'])}."
    )


def rough(say: Say, ratio: float) -> str:
    """Print a ratio of any size by few digits."""
    return say.significant(ratio, 3) if ratio < WORDY else say.scientific(ratio, 3)


def bars(result: Stored, say: Say) -> str:
    """Print every bar, from the lowest ratios up."""
    shares = result["histogram"]["shares"]
    return (
        f"The bars from low to high: {', '.join(say.percent(share, 1) for share in shares)}. "
        f"Beyond them lie {say.percent(result['histogram']['beyond'], 1)} of the rows."
    )


def where_it_stands(result: Stored, say: Say) -> str:
    """Read the strip."""
    places = "; ".join(
        f"{said.lower()}, {brief(say, result['example'][name], 3)}, above "
        f"{say.percent(result['rank'][name], 1)}"
        for name, (_, said) in MEASURES.items()
    )
    return (
        f"The example among the random rows: {places}. A share of so many rows has a standard "
        f"error of at most {say.percent(result['largest_error'], 1)}."
    )


class Frame(NamedTuple):
    """Where the bars stand: ratios from left to right, shares upward."""

    x: Scale
    y: Scale


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw the bars, flags above them, and the strip below."""
    pt, say = canvas.pt, canvas.say
    about = f"{say.count(result['rows'])} random rows, {say.count(result['keys'])} keys"
    y = canvas.heading(
        0,
        "How many times as steep scaling makes a row",
        f"{about}, *d_k* = {say.count(result['d_k'])}",
    )
    shares, lowest = result["histogram"]["shares"], result["histogram"]["lowest"]
    ratios = (2.0**lowest, 2.0 ** (lowest + len(shares)))
    x = canvas.scale(ratios, 28 * pt, canvas.width - 2 * pt, log=True)
    high = canvas.panel_height((116 if canvas.narrow else 128) * pt)
    frame = Frame(x, canvas.scale((0, max(shares)), high, 0))
    flags = make_flags(result, canvas, x)
    free = x.start + ASIDE * (x.end - x.start)
    room = frame.y(tallest(result, x, free, x.end)) > 46 * pt
    aside = not canvas.narrow and room and all(flag.right < free - 10 * pt for flag in flags)
    if not aside:
        y = draw_zones(result, canvas, 0, y + 5 * pt)
    top = y + 16 * pt + lift(result, flags, frame, pt)
    frame = Frame(x, canvas.scale((0, max(shares)), top + high, top))
    draw_bars(result, frame, canvas)
    draw_flags(result, flags, frame, canvas, y + 16 * pt)
    if aside:
        draw_zones(result, canvas, free, top - 9 * pt)
    draw_strip(result, canvas, draw_ratios(frame, canvas) + 20 * pt)


def tallest(result: Stored, x: Scale, left: float, right: float) -> float:
    """The highest share among the bars that stand between two places."""
    shares = result["histogram"]["shares"]
    first, last = (
        min(max(int((at - x.start) / (x.end - x.start) * len(shares)), 0), len(shares) - 1)
        for at in (left, right)
    )
    return float(max(shares[first : last + 1]))


def draw_bars(result: Stored, frame: Frame, canvas: Canvas) -> None:
    """Draw one bar an octave, told apart by where scaling makes the row steeper."""
    x, y = frame
    shares, lowest = result["histogram"]["shares"], result["histogram"]["lowest"]
    step = next(step for step in STEPS if y.high < 5 * step)
    for count in range(1, int(y.high / step) + 1):
        canvas.grid(y(count * step), x.start, x.end)
        label = percent(canvas.say, count * step)
        left = x.start - 4 * canvas.pt
        canvas.text(left, y(count * step), label, "ink2", anchor="end", centered=True)
    root = x(result["root"])
    for index, share in enumerate(shares):
        start, end = (x(2.0 ** (lowest + index + edge)) for edge in (0, 1))
        inset = (1 - FILLED) / 2 * (end - start)
        edges = sorted([start + inset, end - inset, *([root] if start < root < end else [])])
        for left, right in pairwise(edges):
            role, opacity = zone((left + right) / 2, x(1), root)
            box = left, y(share), right - left, y(0) - y(share)
            canvas.rectangle(*box, "paper")
            canvas.rectangle(*box, role, opacity)
    canvas.line([(x.start, y(0)), (x.end, y(0))], "ink2")


def zone(at: float, one: float, root: float) -> tuple[str, float]:
    """The color and opacity of bars at a place: where scaling makes their rows steeper."""
    if at < one:
        return "raw", 1.0
    return "sqrt", PARTLY if at < root else 1.0


class Flag(NamedTuple):
    """A marked ratio: its place, its words and where these start and end."""

    at: float
    words: str
    kind: Kind
    left: float
    right: float


def make_flags(result: Stored, canvas: Canvas, x: Scale) -> list[Flag]:
    """Three ratios, from the lowest: their words to the right if there is room, else to the left."""
    named: list[tuple[float, str, Kind]] = [
        (result["mean"]["ratio"], "ratio of the mean slopes", "body"),
        (result["example"]["ratio"], "our row", "strong"),
        (result["random"]["ratio"]["q50"], "median row", "body"),
    ]
    found = []
    for ratio, name, kind in sorted(one for one in named if x.low <= one[0] <= x.high):
        words = f"{name}: {brief(canvas.say, ratio, 2)}"
        wide, beside = canvas.words(words, kind).width, 4 * canvas.pt
        left = x(ratio) + beside
        if left + wide > canvas.width:
            left = max(0.0, x(ratio) - beside - wide)
        found.append(Flag(x(ratio), words, kind, left, left + wide))
    return found


def lift(result: Stored, flags: Sequence[Flag], frame: Frame, pt: float) -> float:
    """How far the flags must rise above the bars so that no bar runs into their words."""
    x, y = frame
    needed = [
        (FLAG_STEP * index + 9) * pt - y(tallest(result, x, flag.left, flag.right))
        for index, flag in enumerate(flags)
    ]
    return max([0.0, *needed])


def draw_flags(
    result: Stored, flags: Sequence[Flag], frame: Frame, canvas: Canvas, top: float
) -> None:
    """Mark the ratios, the lowest of them highest, each with its name at the top."""
    pt, (x, y) = canvas.pt, frame
    for index, flag in enumerate(flags):
        at = top + (2 + FLAG_STEP * index) * pt
        foot = y(tallest(result, x, flag.at, flag.at))
        canvas.line([(flag.at, foot), (flag.at, min(at, foot) - 4 * pt)], "ink", under=True)
        canvas.text(flag.left, at, flag.words, kind=flag.kind, centered=True, patch=True)


def draw_zones(result: Stored, canvas: Canvas, x: float, top: float) -> float:
    """Say what the colors of the bars mean and how many rows have each; give the last baseline."""
    pt, say, cap = canvas.pt, canvas.say, canvas.cap()
    less, more = result["less_steep"], result["steeper"]
    lines = [
        ("raw", 1.0, less["input"], "less steep by scaling"),
        ("sqrt", PARTLY, more["input_only"], "steeper at the softmax input only"),
        ("sqrt", 1.0, more["raw_score"], "steeper from the raw score too"),
    ]
    right = (
        x + cap + 6 * pt + max(canvas.words(say.percent(s), "strong").width for *_, s, _ in lines)
    )
    y = top
    for role, opacity, share, words in lines:
        y += 13.5 * pt
        canvas.rectangle(x, y - cap, cap, cap, role, opacity)
        canvas.text(right, y, say.percent(share), kind="strong", anchor="end", patch=True)
        canvas.text(right + 4 * pt, y, words, "ink2", patch=True)
    return y


def draw_ratios(frame: Frame, canvas: Canvas) -> float:
    """Draw the axis of the ratios; give the last baseline."""
    x, pt = frame.x, canvas.pt
    powers = range(math.ceil(math.log10(x.low)), math.floor(math.log10(x.high)) + 1)
    ticks = [(x(10.0**power), canvas.say.label(10**power)) for power in powers if power >= 0]
    while ticks and ticks[-1][0] + canvas.words(ticks[-1][1]).width / 2 > canvas.width:
        ticks.pop()
    y = frame.y.start + 13 * pt
    if ticks:
        y = canvas.axis(frame.y.start + 5 * pt, ticks) + 13 * pt
    words = "times the unscaled slope, at the softmax input (log scale)"
    canvas.text((x.start + x.end) / 2, y, words, "ink2", anchor="middle")
    return y


def draw_strip(result: Stored, canvas: Canvas, top: float) -> None:
    """Draw where the example stands among the random rows; set the height of the sheet."""
    pt, say, step = canvas.pt, canvas.say, 14 * canvas.pt
    y = canvas.heading(top, "Where our row stands", "share of random rows with a lower value")
    values = [brief(say, result["example"][name], 2) for name in MEASURES]
    columns = [[name for name, _ in MEASURES.values()], values]
    left = sum(max(canvas.words(one).width for one in column) for column in columns) + 20 * pt
    x = canvas.scale((0, 1), left, canvas.width - canvas.words("100%").width / 2)
    top = y + 8 * pt
    bottom = top + step * len(MEASURES)
    canvas.line([(x(MIDDLE), top), (x(MIDDLE), bottom)], "ink3", "dotted", dotted=True, under=True)
    for index, (name, value) in enumerate(zip(MEASURES, values, strict=True)):
        at, share = top + (index + 0.5) * step, result["rank"][name]
        canvas.text(0, at, MEASURES[name][0], "ink2", centered=True)
        canvas.text(left - 10 * pt, at, value, anchor="end", centered=True)
        canvas.grid(at, x.start, x.end)
        canvas.marks([(x(share), at)], "ink", "dot")
        before = EDGE < share < MIDDLE or share > 1 - EDGE  # beside the middle line, not on it
        canvas.text(
            x(share) + (-7 if before else 7) * pt,
            at,
            say.percent(share),
            kind="strong",
            anchor="end" if before else "start",
            centered=True,
            patch=True,
        )
    ticks = [(x(share), percent(say, share)) for share in (0, 0.25, 0.5, 0.75, 1)]
    canvas.height = canvas.axis(bottom + 2 * pt, ticks) + 3 * pt
