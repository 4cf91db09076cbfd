"""How much slope does the softmax leave for learning, before and after the scores are divided?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention import Array, KeyDimension, Row, divisors, jacobian, softmax

if TYPE_CHECKING:
    from report.contracts import Stream

CEILING = 0.25  # the most p(1 - p) can be, at p = 1/2


@dataclass(frozen=True)
class Example:
    """The worked case of the article: one query's score for each key."""

    scores: Row
    d_k: KeyDimension


@dataclass(frozen=True)
class Parameters:
    """The row whose slope is taken."""

    example: Example


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:  # noqa: ARG001  exact
    """Slope of the softmax at the row, for each divisor, at its input and at the raw score.

    The raw score is divided before it enters, so by the chain rule its slope is divided too.
    """
    row, d_k = np.array(parameters.example.scores, dtype=float), parameters.example.d_k
    slopes = {name: slope(row, divisor) for name, divisor in divisors(d_k).items()}
    return {
        "scores": row.tolist(),
        "d_k": d_k,
        "keys": len(row),
        "ceiling": CEILING,
        **slopes,
        "ratio": compare(**slopes),
    }


def slope(row: Array, divisor: float) -> dict[str, Any]:
    """The whole Jacobian after one division, with its size taken in several ways.

    The largest entry is on the diagonal: there no entry beside it is larger in absolute value.
    """
    weights = softmax(row / divisor)
    entries = jacobian(weights)
    diagonal = np.diag(entries)
    largest = float(np.max(diagonal))
    return {
        "divisor": divisor,
        "weights": weights.tolist(),
        "entries": entries.tolist(),
        "largest": largest,
        "largest_key": int(np.argmax(diagonal)) + 1,
        "trace": float(np.sum(diagonal)),
        "largest_eigenvalue": float(np.linalg.eigvalsh(entries)[-1]),
        "raw_score": {"largest": largest / divisor},
    }


def compare(raw: dict[str, Any], sqrt: dict[str, Any], dk: dict[str, Any]) -> dict[str, float]:
    """How many times larger one slope is than another; `sqrt` over `raw` unless named."""
    at_raw = {name: one["raw_score"]["largest"] for name, one in (("raw", raw), ("dk", dk))}
    return {
        "input": sqrt["largest"] / raw["largest"],
        "raw_score": sqrt["raw_score"]["largest"] / at_raw["raw"],
        "trace": sqrt["trace"] / raw["trace"],
        "largest_eigenvalue": sqrt["largest_eigenvalue"] / raw["largest_eigenvalue"],
        "raw_over_dk_at_raw_score": at_raw["raw"] / at_raw["dk"],
    }
