"""Can a row of attention that starts out wrong recover, if its query is trained by nothing else?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen, Predicate

from attention import Array, KeyDimension, divisors, softmax
from heads import on_grid

if TYPE_CHECKING:
    from report.contracts import Canvas, Description, Say, Scale, Stored, Stream

Record = dict[str, Any]

SOLVED = 0.5  # weight on the wanted key from which a row counts as solved: no rival can match it
NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
COVERAGE = 0.95  # share of such intervals that hold the truth, in the long run
LOSSES = ("squared", "cross_entropy")

# At high rates a row is chaotic, and the last bit of a sum depends on the machine. Products of keys
# lie on a grid of 2⁻²⁰ and slopes on one of 2⁻³⁰, so that sums over keys fit in the 53 bits of a
# float64 and are exact in any order. A slope that is rounded away, below 10⁻⁹, moves nothing here.
KEY_BITS, SLOPE_BITS = 20, 30


def rising(values: Sequence[float]) -> bool:
    """Whether each value is above the one before it."""
    return all(one < two for one, two in zip(values, values[1:], strict=False))


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
    course_steps: Annotated[tuple[Annotated[int, Ge(0), Le(100_000)], ...], MinLen(2), Predicate(rising)]


@dataclass(frozen=True)
class Rows:
    """Rows that share nothing: raw scores (keys, rows), products of keys over d_k, wanted keys."""

    scores: Array
    products: Array  # (keys, keys, rows)
    wanted: Array  # (keys, rows), one-hot


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
        "solved": SOLVED,
        "coverage": COVERAGE,
        "chance": 1 - 1 / parameters.keys,
        **{
            loss: {"at": {str(d_k): at[loss][d_k] for d_k in parameters.sizes}} for loss in LOSSES
        },
        "course": course(drawn[parameters.course_size], at["squared"][parameters.course_size], parameters),
    }


def draw_rows(rows: int, keys: int, d_k: int, generator: np.random.Generator) -> Rows:
    """Draw each row's own query and keys, all normal, and the key it is to find."""
    q = generator.standard_normal((rows, 1, d_k))
    k = generator.standard_normal((rows, keys, d_k))
    wanted = generator.integers(0, keys, rows)
    scores = (q @ k.swapaxes(1, 2))[:, 0].T
    products = (k @ k.swapaxes(1, 2)).transpose(1, 2, 0) / d_k
    return Rows(
        on_grid(scores, SLOPE_BITS),
        on_grid(np.ascontiguousarray(products), KEY_BITS),
        np.eye(keys)[wanted].T,
    )


def learn(
    rows: Rows, by: Sequence[float], rates: Array, loss: str
) -> Iterator[Array]:
    """Descend on each row's query for ever; give the weights (keys, runs, rows) before each step.

    A run is a divisor and a rate. A step moves q along K'g, g being the slope at the scores, so
    the scores move along K K'g: the products of keys are all it takes, and that is exact. A rate
    counts in softmax inputs: rate 1 moves them by about the slope, whatever d_k and the divisor.
    """
    inputs = np.stack([rows.scores / one for one in by], axis=1)  # (keys, runs, rows)
    wanted = rows.wanted[:, np.newaxis, :]
    rates = rates[:, np.newaxis]
    while True:
        weights = softmax(inputs, axis=0)
        yield weights
        slopes = on_grid(slope(weights, wanted, loss), SLOPE_BITS)
        inputs -= rates * np.einsum("ijr,jkr->ikr", rows.products, slopes)


def slope(weights: Array, wanted: Array, loss: str) -> Array:
    """Slope of the loss at the softmax inputs, keys along the first axis.

    The squared loss goes back through the softmax's Jacobian; for cross-entropy it cancels.
    """
    errors = weights - wanted
    if loss == "cross_entropy":
        return errors
    return weights * (errors - np.sum(weights * errors, axis=0))


def unsolved(weights: Array, rows: Rows) -> Array:
    """Share of rows (runs,) whose wanted key has less weight than a solved one."""
    on_wanted = np.sum(weights * rows.wanted[:, np.newaxis, :], axis=0)
    share: Array = np.mean(on_wanted < SOLVED, axis=1)
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
    """Follow the share of unsolved rows of one width step by step, each scaling at its best rate."""
    by = divisors(parameters.course_size)
    rates = np.array([tuned[name]["best"]["rate"] for name in by])
    walk = learn(rows, list(by.values()), rates, "squared")
    shares = [
        unsolved(weights, rows)
        for step, weights in enumerate(islice(walk, parameters.course_steps[-1] + 1))
        if step in parameters.course_steps
    ]
    return {
        "d_k": parameters.course_size,
        "steps": list(parameters.course_steps),
        **{name: [float(one[run]) for one in shares] for run, name in enumerate(by)},
    }
