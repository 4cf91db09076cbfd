"""How does a longer key lead to a flat softmax, and where does dividing by √d_k step in?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le

from attention import Array, KeyDimension, Row, divisors, jacobian, softmax

if TYPE_CHECKING:
    from report.contracts import Stream

REACH = 3  # standard deviations of the undivided score on either side of zero: the drawn range
TAIL = 4  # standard deviations within which a curve is drawn through points, beyond it straight
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
