"""How do the softmax weights of one row of scores change when the scores are divided?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention import (
    NAMES,
    Array,
    KeyDimension,
    Row,
    brief,
    divisors,
    effective_keys,
    entropy,
    softmax,
)

if TYPE_CHECKING:
    from report.contracts import Description, Say, Stored, Stream

PARTS = ("Input", "Weight")  # columns of the data table, for each scaling


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


def describe(result: Stored, say: Say) -> Description:
    """Tell the bars in words, and give their data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(panel(name, result[name], say) for name in NAMES),
            trend(result, say),
        ],
        "table": {
            "caption": (
                f"Softmax input and weight of each key at d_k = {say.count(result['d_k'])}, "
                "for each scaling."
            ),
            "columns": ["Key"] + [f"{part}, {n}" for n in NAMES.values() for part in PARTS],
            "rows": [table_row(index, result, say) for index in range(result["keys"])],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the bars in one breath."""
    tops = ", ".join(f"{say.weight(result[name]['top'])} {said}" for name, said in NAMES.items())
    return (
        f"Three bar charts on one scale: softmax weights of a row of {say.count(result['keys'])} "
        f"scores at d_k = {say.count(result['d_k'])}. The largest weight is {tops}; "
        f"an even split would give each key {say.weight(result['even'])}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    scores = ", ".join(brief(say, score) for score in result["scores"])
    return (
        f"Three panels, in this order: {', '.join(NAMES.values())}. Each has one bar for each of "
        f"{say.count(result['keys'])} keys, in the order of the row of scores {scores}. The "
        "weight stands above its bar and the softmax input below it. All panels share one scale, "
        "from none of the weight to all of it, and a dotted line marks the even split, "
        f"{say.weight(result['even'])}."
    )


def panel(name: str, one: Stored, say: Say) -> str:
    """Read one panel: every printed value, and how even the weights are."""
    said = NAMES[name]
    return (
        f"{said[0].upper()}{said[1:]}: inputs {', '.join(brief(say, x) for x in one['inputs'])}; "
        f"weights {', '.join(say.weight(p) for p in one['weights'])}. "
        f"Largest {say.weight(one['top'])}, smallest {say.weight(one['smallest'])}. The entropy "
        f"is {say.fixed(one['entropy'], 3)} nats, {say.percent(one['entropy_share'], 1)} of the "
        f"most it could be, as if {say.fixed(one['effective_keys'], 2)} keys shared the weight "
        "evenly."
    )


def trend(result: Stored, say: Say) -> str:
    """Say what changes from panel to panel, and what a gap of one standard deviation does."""
    row, gap = result["row"], result["gap"]
    tops = ", ".join(say.weight(result[name]["top"]) for name in NAMES)
    return (
        "Dividing never changes the order of the keys: the tallest bar is key "
        f"{say.count(result['raw']['top_key'])} in every panel, with {tops}. The row reaches from "
        f"{brief(say, row['in_sd']['lowest'])} to {brief(say, row['in_sd']['highest'])} times the "
        f"standard deviation theory gives a score, {brief(say, gap['size'])}. Unscaled, a "
        f"gap of that size makes one weight {brief(say, gap['factor'])} times another."
    )


def table_row(index: int, result: Stored, say: Say) -> list[str]:
    """Print one key for the table."""
    cells = [
        brief(say, result[name][part][index]) for name in NAMES for part in ("inputs", "weights")
    ]
    return [f"Key {index + 1}", *cells]
