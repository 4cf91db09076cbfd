"""Is the scale anything but a choice of initial weights and learning rates?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le

from attention import Array, KeyDimension
from heads import Adam, GradientDescent, Heads, Optimizer, Task, draw_examples, draw_head, train

if TYPE_CHECKING:
    from report.contracts import Say, Stored, Stream, Table

Record = dict[str, Any]
Rate = Annotated[float, Gt(0), Le(10)]

# By optimizer, the power of the scale c by which rates are multiplied when c is folded into both
# projections as √c each, and when it is folded into the query projection alone.
POWERS = {"descent": (1.0, 2.0), "adam": (0.5, 1.0), "relative": (0.0, 0.0)}
SAME = 1e-9  # losses this close are the same but for rounding; they are of order one
NO_EPSILON = 1e-30  # Adam's ε is a size for gradients, which folding changes: only without it is
# folding exact


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
    for name, powers in POWERS.items():
        rate = getattr(parameters, name)
        heads = fold(head, c)
        losses = train(heads, batches, optimizer(name, rate * rates(c, powers)))
        result[name] = {"rate": rate, **compare(losses, powers, c)}
    return result


def fold(head: Array, c: float) -> Heads:
    """Put five heads side by side: scaled; folded into both, twice; folded into queries, twice."""
    root = math.sqrt(c)
    shares = np.array([[1, 1], [root, root], [root, root], [c, 1], [c, 1]])
    return Heads(head * shares[:, :, np.newaxis, np.newaxis], np.array([1 / c, 1, 1, 1, 1]))


def rates(c: float, powers: tuple[float, float]) -> Array:
    """What multiplies the rates of queries and keys: adjusted, then unchanged, for each fold."""
    both, query = (c**power for power in powers)
    return np.array([[1, 1], [both, both], [1, 1], [query, 1], [1, 1]])


def optimizer(name: str, rates: Array) -> Optimizer:
    """Make an optimizer of one kind."""
    if name == "descent":
        return GradientDescent(rates)
    return Adam(rates, relative=name == "relative", epsilon=NO_EPSILON)


def compare(losses: Array, powers: tuple[float, float], c: float) -> Record:
    """Hold each folded head's losses (steps, 5) against the scaled head's, batch by batch."""
    apart = np.max(np.abs(losses[:, 1:] - losses[:, :1]), axis=0)
    return {
        "first": float(losses[0, 0]),
        "last": float(np.mean(losses[-len(losses) // 10 :, 0])),
        **{
            name: {
                "times": c**power,
                "same": bool(apart[2 * index] < SAME),
                "unchanged": float(apart[2 * index + 1]),
            }
            for index, (name, power) in enumerate(zip(("both", "query"), powers, strict=True))
        },
    }
