"""How does a longer key lead to a flat softmax, and where does dividing by √d_k step in?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le

from attention import NAMES, Array, KeyDimension, Row, brief, divisors, jacobian, softmax

if TYPE_CHECKING:
    from report.contracts import Description, Say, Stored, Stream

REACH = 3  # standard deviations of the undivided score on either side of zero: the drawn range
TAIL = 4  # standard deviations within which a curve is drawn through points, beyond it straight
LANES = ("raw", "sqrt")
POINTS = 81  # points on a curve; odd, so that one stands at the peak


@dataclass(frozen=True)
class Example:
    """The worked case of the article: one query's score for each key."""

    scores: Row
    d_k: KeyDimension


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
        "Flow chart in two lanes from long keys over score spread and softmax weights to softmax "
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
        "The chain starts from one panel: a query q and a key k, each a line of shaded cells, and "
        "a score that adds up d_k products, so that its variance is d_k. The cells are the first "
        f"components of random vectors: q has {q}; k has {k}. From there an arrow forks into two "
        "lanes, unscaled and divided by √d_k. Each lane has three pictures: how scores spread, "
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
            [f"Weight of key {i + 1}", *(say.weight(one["weights"][i]) for one in lanes)]
            for i in keys
        ),
        *(
            [
                f"Slopes of weight {i + 1}, input by input",
                *(", ".join(say.fixed(x, 4) for x in one["entries"][i]) for one in lanes),
            ]
            for i in keys
        ),
    ]
