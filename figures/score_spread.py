"""How far do attention scores spread as the key dimension grows?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le, MinLen

from attention import Array, KeyDimension, divisors, scores

if TYPE_CHECKING:
    from report.contracts import Stream

Record = dict[str, Any]

CHUNK = 2**16  # components of q in memory at once; any other number gives the same trials
NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
MISSED = 0.05  # share of such intervals that leave the truth out
BAND = 0.05  # the deviation from theory the figure draws as a band


@dataclass(frozen=True)
class Example:
    """The worked case of the article."""

    d_k: KeyDimension


@dataclass(frozen=True)
class Parameters:
    """Key dimensions to try, and how many random pairs of q and k for each."""

    example: Example
    sizes: Annotated[tuple[KeyDimension, ...], MinLen(1)]
    trials: Annotated[int, Ge(2), Le(100_000_000)]

    def __post_init__(self) -> None:
        """Refuse a size given twice: it would be counted twice among the intervals."""
        if len(set(self.sizes)) < len(self.sizes):
            raise ValueError("sizes names one key dimension twice; give each once")


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
        "misses_expected": MISSED * len(sizes),
        "band": BAND,
    }


def draw_scores(d_k: int, trials: int, generator: np.random.Generator, chunk: int = CHUNK) -> Array:
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


def record(d_k: int, drawn: Array) -> Record:
    """What is kept of one size: moments as they are, and after either division."""
    plain = moments(drawn)
    ratio = plain["variance"] / d_k
    kurtosis = fourth_moment(drawn)
    half = NORMAL_95 * ratio * math.sqrt(max(0.0, kurtosis - 1) / len(drawn))
    by = divisors(d_k)
    return {
        "d_k": d_k,
        "trials": len(drawn),
        **plain,
        "kurtosis": kurtosis,
        "ratio": ratio,
        "deviation": ratio - 1,
        "interval": {"low": ratio - half - 1, "high": ratio + half - 1},
        "theory_sd": math.sqrt(d_k),
        "sqrt": {**moments(drawn / by["sqrt"]), "theory_sd": 1.0},
        "dk": {**moments(drawn / by["dk"]), "theory_sd": 1 / math.sqrt(d_k)},
    }


def moments(values: Array) -> dict[str, float]:
    """Mean, unbiased variance and standard deviation of a sample, in two passes."""
    variance = float(np.var(values, ddof=1))
    return {"mean": float(np.mean(values)), "variance": variance, "sd": math.sqrt(variance)}


def fourth_moment(values: Array) -> float:
    """Kurtosis m₄/m₂² of a sample about its own mean; 3 for a normal one, never below 1."""
    squares = (values - np.mean(values)) ** 2
    return float(np.mean(squares**2) / np.mean(squares) ** 2)


def log_log_slope(sizes: Sequence[int], spreads: Sequence[float]) -> float | None:
    """Least-squares exponent a in sd ∝ d_k^a; None for a single size, which has no slope."""
    x, y = np.log(np.asarray(sizes)), np.log(np.asarray(spreads))
    x = x - np.mean(x)
    return float(np.sum(x * y) / np.sum(x * x)) if len(sizes) > 1 else None


def includes_zero(interval: dict[str, float]) -> bool:
    """Whether theory, a deviation of zero, lies within the interval."""
    return interval["low"] <= 0 <= interval["high"]
