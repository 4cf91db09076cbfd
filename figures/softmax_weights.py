"""How do the softmax weights of one row of scores change when the scores are divided?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention import Array, KeyDimension, Row, divisors, effective_keys, entropy, softmax

if TYPE_CHECKING:
    from report.contracts import Stream


@dataclass(frozen=True)
class Example:
    """The worked case of the article: one query's score for each key."""

    scores: Row
    d_k: KeyDimension


@dataclass(frozen=True)
class Parameters:
    """The row to weigh."""

    example: Example


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:  # noqa: ARG001  exact
    """Weigh the row as it is, divided by √d_k and divided by d_k. Nothing here is random."""
    row, d_k = np.array(parameters.example.scores, dtype=float), parameters.example.d_k
    one_sd = math.sqrt(d_k)
    return {
        "scores": row.tolist(),
        "d_k": d_k,
        "keys": len(row),
        "even": 1 / len(row),
        "gap": {"size": one_sd, "factor": math.exp(one_sd)},
        "row": portrait(row, one_sd),
        **{name: weigh(row, divisor) for name, divisor in divisors(d_k).items()},
    }


def portrait(row: Array, one_sd: float) -> dict[str, Any]:
    """Where the row lies, in its own units and in the standard deviations theory gives a score."""
    highest, second = float(np.max(row)), float(np.sort(row)[-2])
    lowest = float(np.min(row))
    return {
        "highest": highest,
        "lowest": lowest,
        "in_sd": {"highest": highest / one_sd, "lowest": lowest / one_sd},
        "runner_up_gap": highest - second,
        "mean": float(np.mean(row)),
        "rms": math.sqrt(float(np.mean(row**2))),
    }


def weigh(row: Array, divisor: float) -> dict[str, Any]:
    """Softmax inputs and weights of the row after one division, and how even they are."""
    inputs = row / divisor
    weights = softmax(inputs)
    return {
        "divisor": divisor,
        "inputs": inputs.tolist(),
        "weights": weights.tolist(),
        "top": float(np.max(weights)),
        "top_key": int(np.argmax(weights)) + 1,
        "smallest": float(np.min(weights)),
        "entropy": entropy(weights),
        "entropy_share": entropy(weights) / math.log(len(row)),
        "effective_keys": effective_keys(weights),
    }
