"""How much slope does the softmax leave for learning, before and after the scores are divided?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention import NAMES, Array, KeyDimension, Row, brief, divisors, jacobian, softmax

if TYPE_CHECKING:
    from report.contracts import Description, Say, Stored, Stream

CEILING = 0.25  # the most p(1 - p) can be, at p = 1/2
DRAWN = ("raw", "sqrt")  # d_k has no picture: its table looks healthy, its raw-score slope is not


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


def describe(result: Stored, say: Say) -> Description:
    """Tell the two tables in words, and give all three as data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(cells(name, result[name], say) for name in DRAWN),
            extremes(result, say),
            from_raw_score(result, say),
        ],
        "table": {
            "caption": (
                "Slope of each softmax weight at each softmax input, for each scaling, "
                f"at d_k = {say.count(result['d_k'])}."
            ),
            "columns": ["Weight", *(f"Input {key + 1}" for key in range(result["keys"]))],
            "rows": [
                [f"Key {key + 1}, {said}", *(brief(say, x) for x in entries)]
                for name, said in NAMES.items()
                for key, entries in enumerate(result[name]["entries"])
            ],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the two tables in one breath."""
    raw, sqrt = result["raw"], result["sqrt"]
    return (
        f"Two tables of softmax slopes for {say.count(result['keys'])} keys, on one scale up to "
        f"{say.plain(result['ceiling'])}. At the softmax input the largest is "
        f"{brief(say, raw['largest'], 3)} unscaled, {brief(say, sqrt['largest'], 3)} "
        f"divided by √d_k; from the raw score, {brief(say, raw['raw_score']['largest'], 3)} "
        f"and {brief(say, sqrt['raw_score']['largest'], 3)}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    scores = ", ".join(brief(say, score) for score in result["scores"])
    return (
        f"Two tables for the row of scores {scores}: first unscaled, then divided by √d_k. A "
        "row is a key's weight, a column a key's softmax input, and a cell says how fast the "
        "weight moves as the input does. Cells are shaded on one scale from zero to "
        f"{say.plain(result['ceiling'])}, the most a slope can be, by size whatever the sign. "
        "Cells on the diagonal are positive, p(1 − p); the others are negative. The largest "
        "cell is outlined."
    )


def cells(name: str, one: Stored, say: Say) -> str:
    """Read one table, row by row."""
    said = NAMES[name]
    rows = "; ".join(
        f"key {key + 1}: {', '.join(say.fixed(x, 4) for x in entries)}"
        for key, entries in enumerate(one["entries"])
    )
    return (
        f"{said[0].upper()}{said[1:]}, row by row, {rows}. The largest is "
        f"{brief(say, one['largest'])}, at key {say.count(one['largest_key'])}; the diagonal adds "
        f"up to {brief(say, one['trace'])}, and the largest eigenvalue is "
        f"{brief(say, one['largest_eigenvalue'])}."
    )


def extremes(result: Stored, say: Say) -> str:
    """Compare the tables at the softmax input, in three ways."""
    ratio = result["ratio"]
    return (
        "At the softmax input the largest slope divided by √d_k is "
        f"{brief(say, ratio['input'], 3)} times the unscaled one; by the sum of the "
        f"diagonal it is {brief(say, ratio['trace'], 3)} times, by the largest eigenvalue "
        f"{brief(say, ratio['largest_eigenvalue'], 3)} times."
    )


def from_raw_score(result: Stored, say: Say) -> str:
    """Give the slopes after the chain rule, where the third scaling belongs too."""
    slopes = {name: result[name]["raw_score"]["largest"] for name in NAMES}
    said = ", ".join(f"{brief(say, slopes[name])} {NAMES[name]}" for name in NAMES)
    ratio = result["ratio"]
    return (
        "From the raw score the chain rule divides each slope by its divisor. The largest are "
        f"then {said}. Divided by √d_k is {brief(say, ratio['raw_score'], 3)} times unscaled, "
        f"and unscaled is {brief(say, ratio['raw_over_dk_at_raw_score'], 3)} times divided by "
        f"d_k. The smallest of the three: {NAMES[min(slopes, key=slopes.__getitem__)]}. The "
        "scaling that is not drawn, divided by d_k, has a largest slope of "
        f"{brief(say, result['dk']['largest'])} at the softmax input."
    )
