"""How is the weight of a random row shared as heads widen, with few keys and with many?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le, Len, Predicate

from attention import NAMES, Array, divisors, softmax
from rows import (
    Sizes,
    complements,
    draw_rows,
    each_once,
    entropies,
    expected_maximum,
    summary,
    traces,
)

if TYPE_CHECKING:
    from report.contracts import Stream

ONE_HOT = 0.99  # weight from which a row belongs to one key
MEASURES = ("top", "entropy_share", "trace")  # each between zero and one

Keys = Annotated[int, Ge(2), Le(1024)]


@dataclass(frozen=True)
class Parameters:
    """Key dimensions and numbers of keys to try, and how many random rows for each pair."""

    sizes: Sizes
    keys: Annotated[tuple[Keys, ...], Len(1, 3), Predicate(each_once)]  # a column of panels each
    rows: Annotated[int, Ge(2), Le(20_000)]


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:
    """Weigh random rows at every size and number of keys, under each divisor.

    The three divisors share a pair's rows. Each pair has its own stream, keyed by both numbers:
    adding a size or a number of keys moves no other.
    """
    sizes, keys, rows = sorted(parameters.sizes), sorted(parameters.keys), parameters.rows
    weighed = {
        (n, d_k): weigh(draw_rows(d_k, n, rows, stream(n, d_k)), d_k) for n in keys for d_k in sizes
    }
    errors = [
        one[name][part]["error"] for one in weighed.values() for name in NAMES for part in MEASURES
    ]
    return {
        "rows": rows,
        "sizes": sizes,
        "keys": keys,
        "smallest": sizes[0],
        "largest": sizes[-1],
        "fewest": keys[0],
        "most": keys[-1],
        "one_hot_from": ONE_HOT,
        "largest_error": max(errors),
        "theory": {str(n): theory(n) for n in keys},
        "at": {str(n): {str(d_k): record(weighed[n, d_k]) for d_k in sizes} for n in keys},
    }


def theory(n: int) -> dict[str, float]:
    """What is known of random rows of n keys.

    `even` is the weight of an even split. Above a d_k of `frozen_above`, 2 ln n, unscaled scores
    are in the frozen phase of the random energy model (Derrida 1981), a statement about large n.
    √d_k times the mean unscaled trace tends to `trace_times_root`, M_n, as d_k grows.
    """
    return {
        "even": 1 / n,
        "frozen_above": 2 * math.log(n),
        "trace_times_root": expected_maximum(n),
    }


def frozen_squares(d_k: int, n: int) -> float:
    """Σ p² of an unscaled row in the random energy model: max(0, 1 - √(2 ln n / d_k)), large n."""
    return max(0.0, 1 - math.sqrt(2 * math.log(n) / d_k))


def weigh(scores: Array, d_k: int) -> dict[str, Any]:
    """How the weight of one pair's rows is shared, under each divisor: (rows, keys) scores."""
    by = {name: share(softmax(scores / divisor)) for name, divisor in divisors(d_k).items()}
    squares = {
        "mean": 1 - by["raw"]["trace"]["mean"],
        "theory": frozen_squares(d_k, scores.shape[1]),
    }
    return {**by, "squares": squares}


def share(weights: Array) -> dict[str, Any]:
    """How each row's weights are shared, summed up over the rows."""
    trace = traces(weights)
    one_hot = np.min(complements(weights), axis=-1) <= 1 - ONE_HOT
    return {
        "top": summary(np.max(weights, axis=-1)),
        "entropy_share": summary(entropies(weights) / math.log(weights.shape[1])),
        "trace": summary(trace),
        "one_hot": float(np.mean(one_hot)),
    }


def record(one: dict[str, Any]) -> dict[str, Any]:
    """What is kept of one pair: means and medians, and how many rows belong to one key."""
    kept = {
        name: {
            **{part: {of: one[name][part][of] for of in ("mean", "median")} for part in MEASURES},
            "one_hot": one[name]["one_hot"],
        }
        for name in NAMES
    }
    return {**kept, "squares": one["squares"]}
