"""Is the scale anything but a choice of initial weights and learning rates?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le

import degrees
from attention import Array, KeyDimension
from heads import (
    EPSILON,
    Adam,
    GradientDescent,
    Heads,
    Optimizer,
    Task,
    draw_examples,
    draw_head,
    train,
)

if TYPE_CHECKING:
    from report.contracts import Claim, Say, Stored, Stream, Table

Record = dict[str, Any]
Rate = Annotated[float, Gt(0), Le(10)]

# By optimizer, its name and the power of the scale c by which rates are multiplied: when c is folded
# into both projections as √c each, and when it is folded into the query projection alone.
OPTIMIZERS = {
    "descent": ("Gradient descent", {"both": 1.0, "query": 2.0}),
    "adam": ("Adam", {"both": 0.5, "query": 1.0}),
    "relative": ("Adam, steps relative to weights", {"both": 0.0, "query": 0.0}),
}
FOLDS = {"both": "into both projections", "query": "into the query projection"}
SAME = 1e-9  # losses this close are the same but for rounding; they are of order one
NONE = 1e-30  # Adam's ε is a size for gradients, which folding changes: it is exact without ε only


@dataclass(frozen=True)
class Parameters:
    """One head and its task, and the learning rate of each optimizer with the scale in place."""

    d_k: KeyDimension
    keys: Annotated[int, Ge(2), Le(64)]
    inputs: Annotated[int, Ge(1), Le(64)]
    noise: Annotated[float, Ge(0), Le(100)]
    batch: Annotated[int, Ge(1), Le(4096)]
    steps: Annotated[int, Ge(1), Le(10_000)]
    descent: Rate
    adam: Rate
    relative: Rate


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Train a head that divides by √d_k, and heads that do not but start with smaller weights.

    All see the same batches. Folded heads start from the same weights times √c in both projections
    or times c in the query projection, c being 1/√d_k; each is trained once at the rates that the
    optimizer calls for and once at the rates of the scaled head.
    """
    task = Task(parameters.keys, parameters.inputs, parameters.noise)
    head = draw_head(task.inputs, parameters.d_k, stream("head"))
    generator = stream("batches")
    batches = [draw_examples(task, parameters.batch, generator) for _ in range(parameters.steps)]
    c = 1 / math.sqrt(parameters.d_k)
    result: Record = {
        "d_k": parameters.d_k,
        "steps": parameters.steps,
        "scale": c,
        "same": SAME,
    }
    for name, (_, powers) in OPTIMIZERS.items():
        rate = getattr(parameters, name)
        asked = rate * rates(c, powers)
        losses = train(fold(head, c), batches, optimizer(name, asked))
        result[name] = {"rate": rate, "first": float(losses[0, 0]), **compare(losses, powers, c)}
    asked = parameters.adam * rates(c, OPTIMIZERS["adam"][1])
    losses = train(fold(head, c), batches, Adam(asked))
    result["with_epsilon"] = {"epsilon": EPSILON, "apart": apart(losses[:, 1], losses[:, 0])}
    return result


def fold(head: Array, c: float) -> Heads:
    """Put five heads side by side: scaled; folded into both, twice; folded into queries, twice."""
    root = math.sqrt(c)
    shares = np.array([[1, 1], [root, root], [root, root], [c, 1], [c, 1]])
    return Heads(head * shares[:, :, np.newaxis, np.newaxis], np.array([1 / c, 1, 1, 1, 1]))


def rates(c: float, powers: dict[str, float]) -> Array:
    """What multiplies the rates of queries and keys: adjusted, then unchanged, for each fold."""
    both, query = c ** powers["both"], c ** powers["query"]
    return np.array([[1, 1], [both, both], [1, 1], [query, 1], [1, 1]])


def optimizer(name: str, rates: Array) -> Optimizer:
    """Make an optimizer of one kind."""
    if name == "descent":
        return GradientDescent(rates)
    return Adam(rates, relative=name == "relative", epsilon=NONE)


def compare(losses: Array, powers: dict[str, float], c: float) -> Record:
    """Hold each folded head's losses (steps, 5) against the scaled head's, batch by batch."""
    scaled, *folded = losses.T
    return {
        fold: {
            "times": c**power,
            "apart": apart(folded[2 * index], scaled),
            "unchanged": apart(folded[2 * index + 1], scaled),
        }
        for index, (fold, power) in enumerate(powers.items())
    }


def apart(one: Array, two: Array) -> float:
    """Largest difference of two runs; none where it is rounding, which differs by machine."""
    most = float(np.max(np.abs(one - two)))
    return most if most >= SAME else 0.0


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of scaled and folded heads, step by step."""
    return [*folded(result, say), at_old_rate(result, say), with_epsilon(result, say)]


def folded(result: Stored, say: Say) -> list[Claim]:
    """Claim that folded heads are the scaled one, at rates that the optimizer asks for."""
    most = max(result[key][fold]["apart"] for key in OPTIMIZERS for fold in FOLDS)
    unchanged = max(result["relative"][fold]["unchanged"] for fold in FOLDS)
    under = say.scientific(result["same"], 1)
    return [
        {
            "name": "trajectories_equal",
            "sentence": (
                "At the rate that a fold asks for, the loss of a folded head differs at no step by "
                f"{under} or more from that of the scaled head, with any optimizer tried."
            ),
            "holds": bool(most < result["same"]),
            "evidence": parted(most, result, say),
        },
        {
            "name": "relative_steps_need_no_change",
            "sentence": (
                "With steps relative to the weights the same holds at the old rate: the losses "
                f"differ at no step by {under} or more."
            ),
            "holds": bool(unchanged < result["same"]),
            "evidence": parted(unchanged, result, say),
        },
    ]


def parted(value: float, result: Stored, say: Say) -> str:
    """Print how far losses are apart, or that it is rounding."""
    return say.significant(value, 2) if value else f"under {say.scientific(result['same'], 1)}"


def at_old_rate(result: Stored, say: Say) -> Claim:
    """Claim that a fold alone changes what gradient descent and Adam do."""
    part, first = (
        min(result[key][fold]["unchanged"] for key in ("descent", "adam") for fold in FOLDS),
        result["descent"]["first"],
    )
    return {
        "name": "old_rate_parts_them",
        "sentence": (
            "At the old rate, the losses of gradient descent and of Adam differ at some step by at "
            f"least {say.percent(degrees.FLAT)} of the first loss, for either fold."
        ),
        "holds": bool(part >= degrees.FLAT * first),
        "evidence": f"at least {say.significant(part, 2)}; first loss {say.significant(first, 2)}",
    }


def with_epsilon(result: Stored, say: Say) -> Claim:
    """Claim that Adam's usual ε, which a fold leaves out of proportion, hardly shows."""
    one = result["with_epsilon"]
    return {
        "name": "epsilon_hardly_matters",
        "sentence": (
            f"With Adam's ε of {say.scientific(one['epsilon'], 1)} the losses differ at no step by "
            f"more than {say.plain(degrees.SAME)}."
        ),
        "holds": degrees.the_same(one["apart"], 0),
        "evidence": f"{say.scientific(one['apart'], 2)} at most",
    }


def table(result: Stored, say: Say) -> Table:
    """Give each optimizer and fold a row: how the rate changes, and how far the runs part."""
    return {
        "caption": (
            f"A head of d_k = {say.count(result['d_k'])} trained for {say.count(result['steps'])} "
            f"steps with its scores multiplied by {say.brief(result['scale'])}, against heads whose "
            "initial weights were multiplied instead, on the same batches: the largest difference "
            "between their losses at any step. The last column leaves the learning rate as it was."
        ),
        "columns": [
            "Optimizer, fold",
            "Rate of folded weights, × old",
            "Loss apart",
            "Apart at the old rate",
        ],
        "rows": [
            [
                f"{name}, {said}",
                say.brief(result[key][fold]["times"]),
                parted(result[key][fold]["apart"], result, say),
                parted(result[key][fold]["unchanged"], result, say),
            ]
            for key, (name, _) in OPTIMIZERS.items()
            for fold, said in FOLDS.items()
        ],
    }
