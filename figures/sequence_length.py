"""What does one matching key keep of the weight as a row of keys grows long?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen, Predicate

import degrees
from attention import Array, brief
from evidence import first_to_last, lowest_to_highest
from panels import Panel, draw_halves
from rows import TAIL, each_once, summary

if TYPE_CHECKING:
    from report.contracts import Anchor, Canvas, Claim, Description, Say, Stored, Stream

Record = dict[str, Any]

CHUNK = 2**18  # scores in memory at once; any other number gives the same rows
STRENGTHS = ("weak", "strong")
CORRECTIONS = ("fixed", "log")
POINTS = 33  # of a theory curve
SERIES = (  # a scale, the role and shape of its marks, the role of its name, and its name
    ("fixed", "sqrt", "square", "sqrt-words", "scale kept"),
    ("log", "ink2", "dot", "ink2", "scale grows like ln *n*"),
)
MATCHES = {"strong": "Strong", "weak": "Weak"}
OUTDONE = ("a rival is expected", "above the match")
INSET = 9.0  # printed points between the ends of a hairline and the outer marks
LEADING = 12.0  # printed points from line to line

Length = Annotated[int, Ge(2), Le(1_000_000)]
Margin = Annotated[float, Gt(0), Le(30)]


@dataclass(frozen=True)
class Parameters:
    """Lengths of a row, how far a match leads the mean of its rivals, and how many rows to draw."""

    lengths: Annotated[tuple[Length, ...], MinLen(2), Predicate(each_once)]
    weak: Margin
    strong: Margin
    rows: Annotated[int, Ge(2), Le(100_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Weigh a match among ever more random keys, with the scale kept and with it grown like ln n.

    Rivals have standard normal scores, as they have at initialization after division by √d_k, and
    the match a fixed one. All cases of a length share its rows, which have a stream of their own.
    """
    lengths = sorted(parameters.lengths)
    margins = dict(zip(STRENGTHS, sorted((parameters.weak, parameters.strong)), strict=True))
    found = {n: weigh(n, lengths[0], margins, parameters.rows, stream(n)) for n in lengths}
    errors = [
        found[n][strength][correction]["error"]
        for n in lengths
        for strength in STRENGTHS
        for correction in CORRECTIONS
    ]
    return {
        "rows": parameters.rows,
        "lengths": lengths,
        "shortest": lengths[0],
        "longest": lengths[-1],
        "band": {"low": TAIL, "high": 1 - TAIL, "middle": 1 - 2 * TAIL},
        "largest_error": max(errors),
        "alone": {str(n): found[n]["alone"] for n in lengths},
        "multipliers": {str(n): multiplier(n, lengths[0]) for n in lengths},
        **{
            strength: {
                "margin": margin,
                "outdone_from": 1 + 1 / tail(margin),
                "at": {str(n): found[n][strength] for n in lengths},
                "curve": curve(margin, lengths[0], lengths[-1]),
            }
            for strength, margin in margins.items()
        },
    }


def multiplier(n: float, shortest: int) -> float:
    """What scores are multiplied by so that the scale grows like ln n: one for the shortest row.

    Chiang & Cholak 2022 and Nakanishi 2025 multiply by a constant times ln n.
    """
    return math.log(n) / math.log(shortest)


def weigh(
    n: int, shortest: int, margins: dict[str, float], rows: int, generator: np.random.Generator
) -> Record:
    """Weigh rows of n keys: without a match, and with one of each strength, scale kept and grown."""
    multipliers = {"fixed": 1.0, "log": multiplier(n, shortest)}
    totals, alone = totals_of(n, rows, tuple(multipliers.values()), generator)
    weights = {
        strength: {
            correction: {
                **summary(1 / (1 + totals[i] * math.exp(-factor * margin))),
                "theory": expected_weight(factor * margin, factor, n - 1),
            }
            for i, (correction, factor) in enumerate(multipliers.items())
        }
        for strength, margin in margins.items()
    }
    return {"alone": alone, **weights}


def totals_of(
    n: int, rows: int, multipliers: tuple[float, ...], generator: np.random.Generator
) -> tuple[Array, Record]:
    """Sum exp(a z) over the n - 1 rivals of each row for every multiplier a: (multipliers, rows).

    Also gives, for rows that a further random key makes complete, the mean largest weight and the
    mean entropy over ln n: what scaled attention looks like when nothing matches.
    """
    totals = np.empty((len(multipliers), rows))
    top, entropy = np.empty(rows), np.empty(rows)
    for part, z in chunks(n, rows, generator):
        powers = np.exp(z)
        whole = np.sum(powers, axis=1)
        top[part] = np.exp(np.max(z, axis=1)) / whole
        entropy[part] = np.log(whole) - np.sum(powers * z, axis=1) / whole
        for i, a in enumerate(multipliers):
            raised = powers if a == 1 else np.exp(a * z)
            totals[i, part] = np.sum(raised[:, 1:], axis=1)
    share = entropy / math.log(n)
    return totals, {"top": summary(top), "entropy_share": summary(share), "even": 1 / n}


def chunks(n: int, rows: int, generator: np.random.Generator) -> Iterator[tuple[slice, Array]]:
    """Draw the standard normal scores of (rows, n), some rows at a time."""
    step = max(1, CHUNK // n)
    for start in range(0, rows, step):
        part = slice(start, min(start + step, rows))
        yield part, generator.standard_normal((part.stop - part.start, n))


def curve(margin: float, shortest: int, longest: int) -> dict[str, list[float]]:
    """Expected weights at lengths between those measured, evenly spaced on a log axis."""
    lengths = np.geomspace(shortest, longest, POINTS).tolist()
    factors = {"fixed": [1.0] * POINTS, "log": [multiplier(n, shortest) for n in lengths]}
    expected = {
        correction: [
            expected_weight(factor * margin, factor, n - 1)
            for n, factor in zip(lengths, every, strict=True)
        ]
        for correction, every in factors.items()
    }
    return {"n": lengths, **expected}


def tail(margin: float) -> float:
    """Chance that one standard normal rival is above the margin."""
    return math.erfc(margin / math.sqrt(2)) / 2


def expected_weight(lead: float, sd: float, rivals: float) -> float:
    """Mean softmax weight of a key with input `lead` among independent normal inputs (0, sd²).

    A weight is the chance that its key comes first once standard Gumbel noise is added to every
    input. So this is ∫ f(v) F(v)^rivals dv, with f the density of lead plus noise, and F the
    distribution function of one rival's input plus noise. The trapezoid rule is exact to rounding.
    """
    z = np.linspace(-8.0, 8.0, 16 * math.ceil(4 + 3 * sd) + 1)
    chance = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    v = np.linspace(-5.0, 40.0, 181) + lead
    noise = v - lead
    density = np.exp(-noise - np.exp(-noise)) * (v[1] - v[0])
    over = -np.expm1(-np.exp(np.minimum(sd * z - v[:, np.newaxis], 300.0)))
    missed = np.sum(over * chance, axis=1)  # 1 - F, which keeps its digits where F is nearly one
    return float(np.sum(density * np.exp(rivals * np.log1p(-np.minimum(missed, 1 - 1e-16)))))


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of long rows, with a match and without one."""
    return [*kept_scale(result, say), *grown_scale(result, say), agrees(result, say)]


def means_of(result: Stored, strength: str, correction: str) -> list[float]:
    """Mean weights on a match, from the shortest row to the longest."""
    at = result[strength]["at"]
    return [at[str(n)][correction]["mean"] for n in result["lengths"]]


def kept_scale(result: Stored, say: Say) -> list[Claim]:
    """Claim that length takes the weight from a match, and evens out what has none."""
    weights = {strength: means_of(result, strength, "fixed") for strength in STRENGTHS[::-1]}
    tops, shares = (
        [result["alone"][str(n)][part]["mean"] for n in result["lengths"]]
        for part in ("top", "entropy_share")
    )
    return [
        {
            "name": "fixed_scale_dilutes",
            "sentence": (
                "With the scale kept, either match loses weight from each length to the next, and "
                f"keeps in the longest row at most {say.percent(degrees.FLAT)} of what it had in "
                "the shortest."
            ),
            "holds": all(
                degrees.falls(one) and degrees.fades(one[-1], one[0]) for one in weights.values()
            ),
            "evidence": "; ".join(
                f"{MATCHES[strength].lower()} {first_to_last(say, one, 2)}"
                for strength, one in weights.items()
            ),
        },
        {
            "name": "long_rows_flatten",
            "sentence": (
                "Without a match the largest weight falls from each length to the next, and the "
                "entropy comes nearer to that of an even split."
            ),
            "holds": degrees.falls(tops) and degrees.rises(shares),
            "evidence": (
                f"largest weight {first_to_last(say, tops, 2)}; entropy "
                f"{say.percent(shares[0], 1)} to {say.percent(shares[-1], 1)}"
            ),
        },
    ]


def grown_scale(result: Stored, say: Say) -> list[Claim]:
    """Claim that a scale like ln n keeps a strong match and loses a weak one, and why."""
    strong, weak = (means_of(result, strength, "log") for strength in ("strong", "weak"))
    from_weak, from_strong = (result[strength]["outdone_from"] for strength in STRENGTHS)
    return [
        {
            "name": "log_keeps_strong",
            "sentence": (
                "With a scale that grows like ln n, the strong match keeps on average at least "
                f"{say.percent(degrees.MOST)} of the weight at every length."
            ),
            "holds": all(map(degrees.most, strong)),
            "evidence": (
                f"{lowest_to_highest(say, strong, 2)}; in the longest row {brief(say, strong[-1], 2)}"
            ),
        },
        {
            "name": "log_loses_weak",
            "sentence": (
                "With a scale that grows like ln n, the weak match gets in the longest row less "
                f"than {say.percent(degrees.COUNTS)} of the weight."
            ),
            "holds": bool(weak[-1] < degrees.COUNTS),
            "evidence": first_to_last(say, weak, 2),
        },
        {
            "name": "weak_is_outdone",
            "sentence": (
                "A random rival is expected above the weak match within the lengths tried, and "
                "above the strong one in none of them."
            ),
            "holds": bool(from_weak <= result["longest"] < from_strong),
            "evidence": (
                f"from {say.significant(from_weak, 2)} and {say.significant(from_strong, 2)} keys, "
                f"with rows of up to {say.count(result['longest'])}"
            ),
        },
    ]


def agrees(result: Stored, say: Say) -> Claim:
    """Claim that the measured means are where the exact expectation has them."""
    cases = [
        result[strength]["at"][str(n)][correction]
        for strength in STRENGTHS
        for n in result["lengths"]
        for correction in CORRECTIONS
    ]
    off = [
        one
        for one in cases
        if not degrees.explained_by_chance(one["mean"] - one["theory"], one["error"])
    ]
    return {
        "name": "theory_holds",
        "sentence": (
            f"No more mean weights are over {say.plain(degrees.SURE)} standard errors from their "
            "exact expectation than chance allows."
        ),
        "holds": degrees.as_many_by_chance(len(off), len(cases), degrees.RARE),
        "evidence": f"{say.count(len(off))} of {say.count(len(cases))} are",
    }


def describe(result: Stored, say: Say) -> Description:
    """Tell the panels in words, and give their data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(course(strength, result, say) for strength in STRENGTHS[::-1]),
            outdone(result, say),
            without_match(result, say),
        ],
        "table": {
            "caption": (
                f"Weight on a match in {say.count(result['rows'])} rows of each length, and rows "
                "without a match: their largest weight, and their entropy over ln n."
            ),
            "columns": [
                "Keys",
                *(
                    f"{MATCHES[strength]} match, {said}{of}"
                    for strength in STRENGTHS[::-1]
                    for said in ("scale kept", "scale like ln n")
                    for of in ("", ", theory")
                ),
                "No match, largest weight",
                "No match, entropy over ln n",
            ],
            "rows": [table_row(n, result, say) for n in result["lengths"]],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the panels in one breath."""

    def ends(strength: str, correction: str) -> str:
        first, last = (
            result[strength]["at"][str(result[end])][correction]["mean"]
            for end in ("shortest", "longest")
        )
        return f"{say.weight(first)} to {say.weight(last)}"

    return (
        f"Line charts of the weight on a match among {say.count(result['shortest'])} to "
        f"{say.count(result['longest'])} keys. Strong match: {ends('strong', 'fixed')} with the "
        f"scale kept, {ends('strong', 'log')} if it grows like ln n. Weak match: "
        f"{ends('weak', 'fixed')} and {ends('weak', 'log')}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    lengths = ", ".join(say.count(n) for n in result["lengths"])
    multipliers = ", ".join(say.fixed(result["multipliers"][str(n)], 2) for n in result["lengths"])
    return (
        f"The panels share both scales: the number of keys n, on a log scale ({lengths}), and the "
        "softmax weight on a matching key, from none to all. The first has a match "
        f"{say.plain(result['strong']['margin'])} standard deviations above the mean of its "
        f"rivals, the second one {say.plain(result['weak']['margin'])}. Rivals have independent "
        "standard normal scores, as at initialization after division by √d_k. Squares stand for "
        "that scale at every length; dots for scores multiplied, besides, by ln n over ln "
        f"{say.count(result['shortest'])}, which is {multipliers}. Marks are means of "
        f"{say.count(result['rows'])} rows with standard errors of at most "
        f"{say.fixed(result['largest_error'], 4)}; lines are the exact expectation; bars "
        f"hold the middle {say.percent(result['band']['middle'])} of the rows."
    )


def course(strength: str, result: Stored, say: Say) -> str:
    """Read both lines of a panel at every length."""
    lines = (
        ", ".join(
            say.weight(result[strength]["at"][str(n)][correction]["mean"])
            for n in result["lengths"]
        )
        for correction in CORRECTIONS
    )
    kept, grown = lines
    return (
        f"{MATCHES[strength]} match, mean weight in the order of the lengths: {kept} with the scale "
        f"kept; {grown} with a scale that grows like ln n."
    )


def outdone(result: Stored, say: Say) -> str:
    """Say from where on a random key is expected above the match."""
    lengths = " and ".join(
        f"{say.significant(result[strength]['outdone_from'], 2)} keys for the "
        f"{MATCHES[strength].lower()} match"
        for strength in STRENGTHS
    )
    return (
        "Where a row is long enough, one random key can be expected to score above the match: from "
        f"{lengths}. A dotted guide stands there where it falls inside a panel."
    )


def without_match(result: Stored, say: Say) -> str:
    """Read the rows that hold nothing but rivals."""
    first, last = (result["alone"][str(result[end])] for end in ("shortest", "longest"))
    return (
        "Not drawn: rows without a match, with the scale kept. From the shortest to the longest "
        f"their largest weight goes from {say.weight(first['top']['mean'])} to "
        f"{say.weight(last['top']['mean'])} on average, and their entropy from "
        f"{say.percent(first['entropy_share']['mean'], 1)} to "
        f"{say.percent(last['entropy_share']['mean'], 1)} of its largest value, ln n."
    )


def table_row(n: int, result: Stored, say: Say) -> list[str]:
    """Print one length for the table."""
    alone = result["alone"][str(n)]
    return [
        say.count(n),
        *(
            say.weight(result[strength]["at"][str(n)][correction][of])
            for strength in STRENGTHS[::-1]
            for correction in CORRECTIONS
            for of in ("mean", "theory")
        ),
        say.weight(alone["top"]["mean"]),
        say.percent(alone["entropy_share"]["mean"], 1),
    ]


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw a strong and a weak match on one scale, side by side or stacked."""
    pt, say = canvas.pt, canvas.say
    y = canvas.heading(
        0,
        "Weight on the match",
        f"lines: theory; marks: mean of {say.count(result['rows'])} rows; bars: the middle "
        f"{say.percent(result['band']['middle'])}",
    )
    left, gap, across = 27 * pt, 18 * pt, 1 if canvas.narrow else len(STRENGTHS)
    right = 12 * pt  # half of the last label
    wide = (canvas.width - left - right - gap * (across - 1)) / across
    high = canvas.panel_height((118 if canvas.narrow else 142) * pt)
    top = y + 15 * pt
    for index, strength in enumerate(STRENGTHS[::-1]):
        column = index % across
        top = y + 15 * pt if index and not column else top
        start, foot = left + column * (wide + gap), top + 30 * pt + high
        panel = Panel(
            canvas.scale(
                result["lengths"], start + INSET * pt, start + wide - INSET * pt, log=True
            ),
            canvas.scale((0, 1), foot, foot - high),
        )
        name_panel(strength, start, top, result, canvas)
        draw_halves(panel, canvas, INSET, labeled=column == 0)
        draw_guide(result[strength]["outdone_from"], panel, canvas)
        draw_weights(result, strength, panel, canvas)
        if strength == "strong":
            draw_names(result[strength], panel, canvas)
        ticks = [(panel.x(n), say.count(n)) for n in result["lengths"]]
        y = canvas.axis(foot + 7 * pt, ticks)
    y += 13 * pt
    canvas.text(canvas.width / 2, y, "keys in the row, *n* (log scale)", "ink2", anchor="middle")
    canvas.height = y + 3 * pt


def name_panel(strength: str, x: float, top: float, result: Stored, canvas: Canvas) -> None:
    """Say above a panel how far its match leads."""
    pt, margin = canvas.pt, canvas.say.plain(result[strength]["margin"])
    canvas.text(x, top + 7 * pt, f"{MATCHES[strength]} match", kind="title")
    lead = f"{margin} standard deviations above the mean of its rivals"
    canvas.text(x, top + (7 + LEADING) * pt, lead, "ink2")


def draw_guide(outdone_from: float, panel: Panel, canvas: Canvas) -> None:
    """Mark the length from which a random key can be expected above the match."""
    pt, (x, y) = canvas.pt, panel
    if not x.low <= outdone_from <= x.high:
        return
    at = x(outdone_from)
    canvas.line([(at, y.start), (at, y.end)], "ink3", "dotted", dotted=True, under=True)
    lines = [f"from *n* = {canvas.say.significant(outdone_from, 2)}", *OUTDONE]
    for index, words in enumerate(lines):
        place = y.end + (11 + index * LEADING) * pt
        if canvas.clear(at + 5 * pt, place, words):
            canvas.text(at + 5 * pt, place, words, "ink3")


def draw_weights(result: Stored, strength: str, panel: Panel, canvas: Canvas) -> None:
    """Draw the theory, and the measured means with the middle of the rows, of one panel."""
    x, y = panel
    one, lengths = result[strength], result["lengths"]
    for name, role, *_ in SERIES:
        curve = zip(one["curve"]["n"], one["curve"][name], strict=True)
        canvas.line([(x(n), y(weight)) for n, weight in curve], role, "data")
    for name, role, shape, *_ in SERIES:
        for n in lengths:
            rows = one["at"][str(n)][name]
            ends = [(x(n), y(rows["low"])), (x(n), y(rows["high"]))]
            canvas.line(ends, role, "interval")
        canvas.marks([(x(n), y(one["at"][str(n)][name]["mean"])) for n in lengths], role, shape)


def draw_names(one: Stored, panel: Panel, canvas: Canvas) -> None:
    """Name each line where there is room, as near to its middle as possible."""
    for name, _, _, role, words in SERIES:
        for x, y, anchor in places(one["curve"], name, panel, canvas.pt):
            if canvas.clear(x, y, words, kind="strong", anchor=anchor):
                canvas.text(x, y, words, role, kind="strong", anchor=anchor)
                break


def places(
    curve: Stored, name: str, panel: Panel, pt: float
) -> Iterator[tuple[float, float, Anchor]]:
    """Places for the name of a line inside its panel: near its middle first, near the line first."""
    middle = len(curve["n"]) / 2
    points = zip(curve["n"], curve[name], strict=True)
    nearest = sorted(enumerate(points), key=lambda each: abs(each[0] - middle))
    for _, (n, weight) in nearest:
        x, y = panel.x(n), panel.y(weight)
        for away in range(6, 60, 3):
            tries: tuple[tuple[float, float, Anchor], ...] = (
                (x + away * pt, y - away * pt, "start"),
                (x, y + (away + 8) * pt, "middle"),
                (x, y - away * pt, "middle"),
            )
            yield from (one for one in tries if panel.y.end + 8 * pt < one[1] < panel.y.start)
