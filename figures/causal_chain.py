"""How does a wider head lead to a flat softmax, and where does dividing by √d_k step in?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Le

import degrees
from attention import NAMES, Array, Example, brief, divisors, jacobian, softmax
from panels import TITLES

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Stored, Stream

REACH = 3  # standard deviations of the undivided score on either side of zero: the drawn range
TAIL = 4  # standard deviations within which a curve is drawn through points, beyond it straight
LANES = ("raw", "sqrt")
POINTS = 81  # points on a curve; odd, so that one stands at the peak

CEILING = 0.25  # the most a slope can be: the full color of the small tables
EXACT = 1e-8  # relative; a result keeps nine digits
NAMED = 4  # keys up to which every weight is named
DARKEST = 2.5  # size of a component of q or k that fills its cell
LEADING = 11.5  # printed points from line to line
SOURCE = "Wider heads"
STEPS = ("Score spread", "Softmax weights", "Softmax slope")


@dataclass(frozen=True)
class Parameters:
    """The row the chain follows, and how much of q and k it shows."""

    example: Example
    components: Annotated[int, Ge(1), Le(16)]


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:
    """Compute every small picture of the chain: cells of q and k, then two lanes of three.

    The cells are the first components of random vectors, no more than the vectors have.
    """
    row, d_k = np.array(parameters.example.scores, dtype=float), parameters.example.d_k
    cells = min(parameters.components, d_k)
    by = divisors(d_k)
    return {
        "d_k": d_k,
        "keys": len(row),
        "scores": row.tolist(),
        "q": stream("q").standard_normal(cells).tolist(),
        "k": stream("k").standard_normal(cells).tolist(),
        "raw": lane(row, d_k, by["raw"]),
        "sqrt": lane(row, d_k, by["sqrt"]),
    }


def lane(row: Array, d_k: int, divisor: float) -> dict[str, Any]:
    """Follow the row through one divisor: spread of a score, weights, slope at softmax input."""
    weights = softmax(row / divisor)
    entries = jacobian(weights)
    sd = math.sqrt(d_k) / divisor
    return {
        "variance": d_k / divisor**2,
        "sd": sd,
        "divisor": divisor,
        "curve": normal_curve(sd, reach=REACH * math.sqrt(d_k)),
        "weights": weights.tolist(),
        "entries": entries.tolist(),
        "largest": float(np.max(entries)),
    }


def normal_curve(sd: float, reach: float) -> dict[str, list[float]]:
    """Density of a normal score with mean 0, from -reach to reach, with points where it bends."""
    bend = min(TAIL * sd, reach)
    x = np.linspace(-bend, bend, POINTS)
    if bend < reach:
        x = np.concatenate(([-reach], x, [reach]))
    density = np.exp(-0.5 * (x / sd) ** 2) / (sd * math.sqrt(2 * math.pi))
    return {"x": x.tolist(), "density": density.tolist()}


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the division does to a score, and to the row at the end of each lane."""
    raw, sqrt = result["raw"], result["sqrt"]
    slopes = f"{brief(say, sqrt['largest'], 3)} against {brief(say, raw['largest'], 3)}"
    variances = f"{brief(say, sqrt['variance'])} instead of {brief(say, raw['variance'])}"
    return [
        {
            "name": "variance_becomes_one",
            "sentence": "Dividing by √d_k takes the variance of a score from d_k to one.",
            "holds": math.isclose(raw["variance"], result["d_k"], rel_tol=EXACT)
            and math.isclose(sqrt["variance"], 1, rel_tol=EXACT),
            "evidence": f"variance {variances} at d_k = {say.count(result['d_k'])}",
        },
        {
            "name": "lanes_part",
            "sentence": (
                "With the division, the largest slope at the softmax input is at least "
                f"{say.plain(degrees.STEEPER)} times as steep as without it."
            ),
            "holds": degrees.steeper(sqrt["largest"] / raw["largest"]),
            "evidence": f"largest slope {slopes}",
        },
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell the chain in words, and give the data of its pictures."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(follow(name, result[name], say) for name in LANES),
            (
                "The lanes differ by one step, the division by √d_k before the softmax. The row "
                "of scores is an illustration, and the slopes are those at the softmax input."
            ),
        ],
        "table": {
            "caption": f"What the chain shows at d_k = {say.count(result['d_k'])}, lane by lane.",
            "columns": ["Quantity", *(NAMES[name] for name in LANES)],
            "rows": table_rows(result, say),
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the chain in one breath."""
    raw, sqrt = result["raw"], result["sqrt"]
    return (
        "Flow chart in lanes from long keys over score spread and softmax weights to softmax "
        f"slope. Unscaled: variance {brief(say, raw['variance'])}, largest weight "
        f"{say.weight(max(raw['weights']))}, slope {brief(say, raw['largest'], 3)}. Divided by "
        f"√d_k: {brief(say, sqrt['variance'])}, {say.weight(max(sqrt['weights']))}, "
        f"{brief(say, sqrt['largest'], 3)}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    scores = ", ".join(brief(say, score) for score in result["scores"])
    q, k = (", ".join(say.fixed(cell, 2) for cell in result[name]) for name in ("q", "k"))
    return (
        "The chain starts from a panel: a query q and a key k, each a line of shaded cells, and "
        "a score that adds up d_k products, so that its variance is d_k. The cells are the first "
        f"components of random vectors: q has {q}; k has {k}. From there an arrow forks into "
        "lanes, unscaled and divided by √d_k. The pictures of a lane show how scores spread, "
        f"the softmax weights of the row {scores}, and the slope of the softmax there as a shaded "
        "table. The curves share one axis of scores and are drawn to one height."
    )


def follow(name: str, lane: Stored, say: Say) -> str:
    """Read one lane from left to right."""
    said = NAMES[name]
    return (
        f"{said[0].upper()}{said[1:]}: the score has variance {brief(say, lane['variance'])} and "
        f"standard deviation {brief(say, lane['sd'])}. The weights are "
        f"{', '.join(say.weight(p) for p in lane['weights'])}; the largest is "
        f"{say.percent(max(lane['weights']))} of the whole. The largest slope at the softmax "
        f"input is {brief(say, lane['largest'])}."
    )


def table_rows(result: Stored, say: Say) -> list[list[str]]:
    """Print what the pictures show, one quantity a row."""
    lanes = [result[name] for name in LANES]
    scalars = {
        "Divisor": "divisor",
        "Variance of a score": "variance",
        "Standard deviation of a score": "sd",
        "Largest slope": "largest",
    }
    keys = range(result["keys"])
    return [
        *([said, *(brief(say, lane[key]) for lane in lanes)] for said, key in scalars.items()),
        *(
            [f"Weight of key {say.label(i + 1)}", *(say.weight(one["weights"][i]) for one in lanes)]
            for i in keys
        ),
        *(
            [
                f"Slopes of weight {say.label(i + 1)}, input by input",
                *(", ".join(say.fixed(x, 4) for x in one["entries"][i]) for one in lanes),
            ]
            for i in keys
        ),
    ]


class Spot(NamedTuple):
    """Where one small picture of a lane stands."""

    lane: str
    x: float
    top: float
    wide: float
    high: float


def draw(result: Stored, canvas: Canvas) -> None:
    """Fork long keys into two lanes of three small pictures; one of them passes the division."""
    if canvas.narrow:
        draw_down(result, canvas)
    else:
        draw_across(result, canvas)


def draw_across(result: Stored, canvas: Canvas) -> None:
    """Lay the lanes from left to right, one below the other, beside the source of both."""
    columns, top, gap, bar = (143.0, 251.0, 359.0), 21.0, 11.0, 2.4
    picture = canvas.panel_height(50)
    high, middle = picture + 64, picture / 2 + 27  # of a lane, and the height its arrows run at
    name_step(canvas, 0, 6.5, 1, SOURCE)
    for number, (x, step) in enumerate(zip(columns, STEPS, strict=True), start=2):
        name_step(canvas, x, 6.5, number, step)
    tops = {"raw": top, "sqrt": top + high + gap}
    for name, y in tops.items():
        left = columns[0] - 12
        canvas.rectangle(left, y, canvas.width - left, high, "panel", radius=bar, under=True)
        canvas.rectangle(left, y, bar, high, name, under=True)
        canvas.text(columns[0], y + 16.5, TITLES[name], f"{name}-words", kind="title")
        for x, draw_picture in zip(columns, PICTURES, strict=True):
            draw_picture(result, Spot(name, x, y + 27, 72, picture), canvas)
        for x in columns[1:]:
            canvas.arrow([(x - 28, y + middle), (x - 9, y + middle)])
    canvas.height = 2 * high + gap + top
    draw_source(result, canvas, Spot("", 0, top, 94, canvas.height - top))
    start, turn, end, fork = 94, 112.5, 129, top + high + gap / 2
    canvas.line([(start, fork), (turn, fork)], "ink2", "flow")
    for y in tops.values():
        canvas.arrow([(turn, fork), (turn, y + middle), (end, y + middle)])
    draw_division(canvas, turn, (fork + tops["sqrt"] + middle) / 2)


def draw_down(result: Stored, canvas: Canvas) -> None:
    """Let the lanes run downward, side by side, below the source of both."""
    wide, gap, pad, top, picture = 165.0, 13.0, 13.0, 104.0, 60.0
    name_step(canvas, 0, 9.5, 1, SOURCE)
    draw_vectors(result, canvas, 0, 21, 152)
    canvas.text(wide + gap, 27.5, "A score adds up *d_k*", kind="strong")
    canvas.text(wide + gap, 43, "products: variance *d_k*", "ink2")
    for index, name in enumerate(LANES):
        x, y = index * (wide + gap), top + 23
        canvas.text(x + pad, y, TITLES[name], f"{name}-words", kind="title")
        y += 23
        for number, (step, draw_picture) in enumerate(zip(STEPS, PICTURES, strict=True), start=2):
            name_step(canvas, x + pad, y, number, step)
            draw_picture(result, Spot(name, x + pad, y + 13, wide - 2 * pad, picture), canvas)
            y += 13 + picture + 35
            if draw_picture is not PICTURES[-1]:
                canvas.arrow([(x + wide / 2, y + 9), (x + wide / 2, y + 24)])
                y += 40
        canvas.height = y + 15
        canvas.rectangle(x, top, wide, canvas.height - top, "panel", radius=3.2, under=True)
        canvas.rectangle(x, top, wide, 3.2, name, under=True)
        canvas.arrow([(x + wide / 2, 60), (x + wide / 2, top - 2)])
    draw_division(canvas, 1.5 * wide + gap, 79)


def draw_division(canvas: Canvas, x: float, y: float) -> None:
    """Put the one difference between the lanes on an arrow."""
    words, high = "÷ √*d_k*", 16 * canvas.pt
    wide = canvas.words(words, "strong").width + 12 * canvas.pt
    canvas.rectangle(x - wide / 2, y - high / 2, wide, high, "sqrt", radius=high / 2, over=True)
    canvas.text(x, y, words, "paper", kind="strong", anchor="middle", centered=True)


def name_step(canvas: Canvas, x: float, y: float, number: int, name: str) -> None:
    """Name a step of the argument, its number in front."""
    canvas.text(x, y, str(number), "ink3", kind="strong")
    canvas.text(x + 9 * canvas.pt, y, name, "ink3", kind="strong")


def draw_source(result: Stored, canvas: Canvas, spot: Spot) -> None:
    """Draw the panel both lanes start from: a score is a sum over the components of q and k."""
    pad = 9
    canvas.rectangle(*spot[1:], "panel", radius=2.4, under=True)
    said = ["products, one per component, so its variance is *d_k*.", "More terms, more spread."]
    lines = [line for words in said for line in canvas.wrap(words, spot.wide - 2 * pad)]
    y = spot.top + (spot.high - LEADING * len(lines) - 42) / 2
    draw_vectors(result, canvas, spot.x + pad, y, spot.wide - pad - 5)
    y += 42
    canvas.text(spot.x + pad, y, "A score adds up *d_k*", kind="strong")
    for line in lines:
        y += LEADING
        canvas.text(spot.x + pad, y, line, "ink2")


def draw_vectors(result: Stored, canvas: Canvas, x: float, y: float, wide: float) -> None:
    """Draw the first components of q and k as cells, the darker the larger in size."""
    pt, cells = canvas.pt, len(result["q"])
    dots = 8 * pt if cells < result["d_k"] else 0.0
    left = x + 11 * pt
    pitch = min((wide - 11 * pt - dots) / cells, 6 * pt)
    for name, top in (("q", y), ("k", y + 13 * pt)):
        canvas.text(x, top + 5 * pt, f"*{name}*")
        for index, value in enumerate(result[name]):
            shade = round(0.14 + 0.86 * min(abs(value) / DARKEST, 1), 2)
            canvas.rectangle(left + index * pitch, top, 0.76 * pitch, 5 * pt, "ink3", shade)
        if dots:
            canvas.text(left + cells * pitch, top + 4.6 * pt, "…", "ink3")


def draw_spread(result: Stored, spot: Spot, canvas: Canvas) -> None:
    """Draw how scores spread: both lanes on one scale of scores, each curve to one height."""
    one, foot = result[spot.lane], spot.top + spot.high
    x = canvas.scale(result["raw"]["curve"]["x"], spot.x, spot.x + spot.wide)
    y = canvas.scale([0, max(one["curve"]["density"])], foot, spot.top)
    curve = [
        (x(score), y(density))
        for score, density in zip(one["curve"]["x"], one["curve"]["density"], strict=True)
    ]
    canvas.area([(curve[0][0], foot), *curve, (curve[-1][0], foot)], spot.lane, 0.2)
    canvas.line([(x.start, foot), (x.end, foot)])
    canvas.line([(x(0), foot), (x(0), foot + 2.5 * canvas.pt)])
    canvas.line(curve, spot.lane, "data")
    sd = canvas.say.brief(one["sd"])
    if spot.lane == "raw":
        d_k = canvas.say.count(result["d_k"])
        name_picture(canvas, spot, "variance *d_k*", f"about ±{sd} when *d_k* = {d_k}")
    else:
        variance = canvas.say.brief(one["variance"])
        name_picture(canvas, spot, f"variance {variance}", f"about ±{sd} at any *d_k*")


def draw_weights(result: Stored, spot: Spot, canvas: Canvas) -> None:
    """Draw the weights of the row as bars, the whole weight being the height of the picture."""
    slot, foot = spot.wide / result["keys"], spot.top + spot.high
    for index, weight in enumerate(result[spot.lane]["weights"]):
        high = spot.high * weight
        canvas.rectangle(spot.x + (index + 0.2) * slot, foot - high, 0.6 * slot, high, spot.lane)
    canvas.line([(spot.x, foot), (spot.x + spot.wide, foot)])
    name_picture(canvas, spot, *shares(result[spot.lane]["weights"], canvas.say))


def shares(weights: list[float], say: Say) -> tuple[str, str]:
    """Say who takes the weight: true of whatever weights there are."""
    top = max(weights)
    if degrees.takes_nearly_all(top):
        return f"one key takes {nearly(top, say)}", "the others almost nothing"
    first = f"the top key takes {say.percent(top)}"
    if weights.count(top) > 1:
        first = f"the top keys take {say.percent(top)} each"
    if len(weights) <= NAMED:
        *others, last = [say.percent(weight) for weight in weights]
        first = f"{', '.join(other.rstrip('%') for other in others)} and {last}"
    return first, "every key still counts" if degrees.all_count(weights) else "some hardly count"


def nearly(share: float, say: Say) -> str:
    """Print a large share with the decimals it takes not to call it the whole: `98%`, `99.97%`."""
    digits = next((digits for digits in (0, 1, 2) if round(100 * share, digits) < 100), None)  # noqa: PLR2004  percent
    return "over 99.99%" if digits is None else say.percent(share, digits)


def draw_slope(result: Stored, spot: Spot, canvas: Canvas) -> None:
    """Draw the table of slopes, the ceiling being its full color."""
    side = spot.high / result["keys"]
    for i, line in enumerate(result[spot.lane]["entries"]):
        for j, value in enumerate(line):
            left, top = spot.x + j * side, spot.top + i * side
            canvas.cell(left, top, side, side, abs(value) / CEILING)
    canvas.lattice(spot.x, spot.top, (result["keys"], result["keys"]), (side, side))
    largest = canvas.say.fixed(result[spot.lane]["largest"], 3)
    name_picture(canvas, spot, f"largest slope {largest}", "at the softmax input")


def name_picture(canvas: Canvas, spot: Spot, first: str, second: str) -> None:
    """Write two lines below a small picture."""
    y = spot.top + spot.high + 14.5 * canvas.pt
    canvas.text(spot.x, y, first, kind="strong")
    canvas.text(spot.x, y + LEADING * canvas.pt, second, "ink2")


PICTURES = (draw_spread, draw_weights, draw_slope)
