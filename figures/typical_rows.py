"""Is the example row a typical one, and how much steeper does scaling make the others?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le

from attention import Array, KeyDimension, Row, divisors
from rows import draw_rows

if TYPE_CHECKING:
    from report.contracts import Stream

Record = dict[str, Any]

MOST = 1e300  # where a ratio of slopes stops being counted: a far larger one cannot be stored
SHOWN = 0.99  # share of the rows, those of lower ratios, that get bars of their own
OCTAVES = 60  # the most bars there are
QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True)
class Example:
    """The worked case of the article: one query's score for each key."""

    scores: Row
    d_k: KeyDimension


@dataclass(frozen=True)
class Parameters:
    """The row to place among random ones as long as it, and how many of these."""

    example: Example
    rows: Annotated[int, Ge(100), Le(2_000_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Draw random rows as long as the example at its d_k, and compare it with every one."""
    own, d_k = np.array([parameters.example.scores], dtype=float), parameters.example.d_k
    scores = draw_rows(d_k, own.shape[1], parameters.rows, stream(own.shape[1], d_k))
    example, random = portrait(own, d_k), portrait(scores, d_k)
    root, ratio = math.sqrt(d_k), random["ratio"]
    means = {name: float(np.mean(random[name])) for name in ("raw", "sqrt")}
    return {
        "rows": parameters.rows,
        "keys": own.shape[1],
        "d_k": d_k,
        "root": root,
        "example": {name: float(one[0]) for name, one in example.items()},
        "rank": {name: rank(random[name], float(one[0])) for name, one in example.items()},
        "largest_error": 0.5 / math.sqrt(parameters.rows),  # of a share, which errs most at half
        "random": {name: spread(values) for name, values in random.items()},
        "less_steep": {
            "input": float(np.mean(ratio < 1)),
            "raw_score": float(np.mean(ratio < root)),
        },
        "steeper": {
            "input_only": float(np.mean((ratio >= 1) & (ratio < root))),
            "raw_score": float(np.mean(ratio >= root)),
        },
        "mean": {**means, "ratio": means["sqrt"] / means["raw"] if means["raw"] else MOST},
        "histogram": histogram(ratio),
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


def rank(values: Array, own: float) -> float:
    """Share of the values that are below one's own, ties counted half."""
    return float(np.mean(values < own) + np.mean(values == own) / 2)


def spread(values: Array) -> dict[str, float]:
    """Quantiles by their percentage: `q50` is the median."""
    found = np.quantile(values, QUANTILES)
    return {
        f"q{round(100 * share):02d}": float(at) for share, at in zip(QUANTILES, found, strict=True)
    }


def histogram(ratio: Array) -> Record:
    """Share of the rows in each octave of the ratio, from `lowest` (2 to that power) upward."""
    octave = np.floor(np.log2(ratio)).astype(int)
    lowest = int(np.min(octave))
    last = int(np.quantile(octave, SHOWN, method="inverted_cdf"))
    shown = min(last - lowest + 1, OCTAVES)
    counts = np.bincount(np.minimum(octave - lowest, shown), minlength=shown + 1)
    shares = counts / len(ratio)
    return {"lowest": lowest, "shares": shares[:-1].tolist(), "beyond": float(shares[-1])}
