"""Does the gradient vanish without scaling, and seen from where: softmax, raw score or query?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le, Len, Predicate

from attention import NAMES, Array, divisors, softmax
from rows import (
    TAIL,
    Sizes,
    draw_rows_with_keys,
    each_once,
    expected_maximum,
    slopes,
    slopes_through,
    summary,
)

if TYPE_CHECKING:
    from report.contracts import Stream

Record = dict[str, Any]

CHUNK = 2**10  # rows in memory at once; fixed, since another number would draw other rows
DEAD = 0.001  # slope at the query under which a row counts as dead
FEW = 0.05  # share of the rows, the steepest ones, whose part of the whole is told
PLACES = ("input", "score", "query")  # where the slope is seen from, on the way back

Keys = Annotated[int, Ge(2), Le(64)]


@dataclass(frozen=True)
class Parameters:
    """Key dimensions and numbers of keys to try, and how many random rows for each pair."""

    sizes: Sizes
    keys: Annotated[tuple[Keys, ...], Len(1, 4), Predicate(each_once)]  # the largest is drawn
    rows: Annotated[int, Ge(20), Le(1_000_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Follow the slope of random rows back from the softmax to the raw score and to the query.

    The three divisors share a pair's rows. Each pair has its own stream, keyed by both numbers:
    adding a size or a number of keys moves no other.
    """
    sizes, keys, rows = sorted(parameters.sizes), sorted(parameters.keys), parameters.rows
    at = {
        str(n): {str(d_k): sum_up(follow(d_k, n, rows, stream(n, d_k))) for d_k in sizes}
        for n in keys
    }
    errors = [
        one[name][place]["error"] / one[name][place]["mean"]
        for by_size in at.values()
        for one in by_size.values()
        for name in NAMES
        for place in PLACES
    ]
    return {
        "rows": rows,
        "sizes": sizes,
        "keys": keys,
        "smallest": sizes[0],
        "largest": sizes[-1],
        "drawn": keys[-1],
        "dead_below": DEAD,
        "few": FEW,
        "band": {"low": TAIL, "high": 1 - TAIL},
        "largest_error": max(errors),
        "theory": {str(n): expected_maximum(n) for n in keys},
        "typical_below_from": {n: typical_below_from(by_size) for n, by_size in at.items()},
        "at": at,
    }


def follow(d_k: int, keys: int, rows: int, generator: np.random.Generator) -> Record:
    """Slope of every row at each place under each divisor T, an array of (rows,) each.

    Frobenius norms of how all weights move with the softmax input, J; with the raw score, J/T; and
    with the query, JK/T, by the chain rule. J is the Jacobian of the softmax, K the keys.
    """
    by = divisors(d_k)
    found: Record = {name: {place: [] for place in PLACES} for name in by}
    for start in range(0, rows, CHUNK):
        scores, turned = draw_rows_with_keys(d_k, keys, min(CHUNK, rows - start), generator)
        for name, divisor in by.items():
            weights = softmax(scores / divisor)
            at_input = slopes(weights)
            found[name]["input"].append(at_input)
            found[name]["score"].append(at_input / divisor)
            found[name]["query"].append(slopes_through(weights, turned) / divisor)
    return {
        name: {place: np.concatenate(parts) for place, parts in places.items()}
        for name, places in found.items()
    }


def sum_up(found: dict[str, dict[str, Array]]) -> Record:
    """Sum up the rows of a pair: each place, and at the query also both ends of the rows."""
    return {
        name: {
            **{place: summary(values) for place, values in places.items()},
            "rms": math.sqrt(float(np.mean(places["query"] ** 2))),
            "dead": float(np.mean(places["query"] < DEAD)),
            "carried": carried_by_few(places["query"]),
        }
        for name, places in found.items()
    }


def carried_by_few(values: Array) -> float:
    """Part of the sum of squares that the steepest few of the rows make up."""
    squares = np.sort(values**2)
    few = max(1, round(FEW * len(squares)))
    return float(np.sum(squares[-few:]) / np.sum(squares))


def typical_below_from(by_size: dict[str, Record]) -> int:
    """The least d_k at which the median row sends less to the query unscaled than with √d_k.

    Zero if there is no such size.
    """
    below = (
        int(d_k)
        for d_k, one in by_size.items()
        if one["raw"]["query"]["median"] < one["sqrt"]["query"]["median"]
    )
    return min(below, default=0)
