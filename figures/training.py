"""Does a head without scaling train worse, and does its best learning rate depend on its width?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen, Predicate

from attention import Array, KeyDimension, divisors
from heads import Adam, Examples, Heads, Task, best_possible, draw_examples, draw_head, train

if TYPE_CHECKING:
    from report.contracts import Canvas, Description, Say, Scale, Stored, Stream

Record = dict[str, Any]
Run = tuple[float, float]  # a divisor and a learning rate

TOGETHER = 2**17  # weights trained side by side: few enough to stay in a processor's cache


def rising(values: Sequence[int]) -> bool:
    """Whether each value is above the one before it."""
    return all(one < two for one, two in zip(values, values[1:], strict=False))


Sizes = Annotated[tuple[KeyDimension, ...], MinLen(2), Predicate(rising)]
Exponent = Annotated[int, Ge(-20), Le(0)]  # a learning rate is one over a power of two
Rates = Annotated[tuple[Exponent, ...], MinLen(3), Predicate(rising)]


@dataclass(frozen=True)
class Parameters:
    """The task, how often and how long to train on it, and the grids of widths and rates."""

    keys: Annotated[int, Ge(2), Le(64)]
    inputs: Annotated[int, Ge(1), Le(64)]
    noise: Annotated[float, Gt(0), Le(100)]
    batch: Annotated[int, Ge(1), Le(4096)]
    steps: Annotated[int, Ge(1), Le(10_000)]
    seeds: Annotated[int, Ge(2), Le(100)]
    test_rows: Annotated[int, Ge(2), Le(1_000_000)]
    sizes: Sizes
    rates: Rates
    coarse_from: KeyDimension
    control_sizes: Sizes
    control_rates: Rates
    longer_size: KeyDimension
    longer_steps: Annotated[int, Ge(1), Le(100_000)]
    longer_rates: Rates


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Train one head a width, scaling, rate and seed with Adam, and test all on the same rows.

    A head's weights have a stream of their own, keyed by width and seed, which the scalings and
    rates share, and so do a seed's batches: adding a width, a rate or a seed moves no other run.
    The control repeats it without noise in the queries. The last run is the unscaled head again,
    given more steps.
    """
    noisy = Task(parameters.keys, parameters.inputs, parameters.noise)
    clean = Task(parameters.keys, parameters.inputs, 0.0)
    fine = {d_k: rates_of(d_k, parameters) for d_k in parameters.sizes}
    coarse = dict.fromkeys(parameters.control_sizes, parameters.control_rates)
    main = explore(noisy, fine, parameters, stream)
    common = [rate for rate in parameters.rates if all(rate in tried for tried in fine.values())]
    return {
        "keys": parameters.keys,
        "inputs": parameters.inputs,
        "noise": parameters.noise,
        "batch": parameters.batch,
        "steps": parameters.steps,
        "seeds": parameters.seeds,
        "test_rows": parameters.test_rows,
        "even": 1 - 1 / parameters.keys,
        "one_at_random": 2 * (1 - 1 / parameters.keys),
        **main,
        "control": explore(clean, coarse, parameters, stream),
        "carried": carry(main, [2**-rate for rate in common]),
        "drift": drift(main),
        "longer": train_longer(noisy, parameters, stream),
    }


def rates_of(d_k: int, parameters: Parameters) -> tuple[int, ...]:
    """The exponents of the rates tried at one width: every second one where steps cost most."""
    return parameters.rates[:: 2 if d_k >= parameters.coarse_from else 1]


def explore(
    task: Task, grid: dict[int, tuple[int, ...]], parameters: Parameters, stream: Stream
) -> Record:
    """Train at every width, scaling, rate and seed, and sum each scaling up over rates."""
    tested = draw_examples(task, parameters.test_rows, stream("test"))
    losses: dict[int, list[Array]] = {d_k: [] for d_k in grid}
    for seed in range(parameters.seeds):
        batches = list(draw_batches(task, parameters.batch, parameters.steps, seed, stream))
        for d_k, exponents in grid.items():
            head = draw_head(task.inputs, d_k, stream("head", d_k, seed))
            runs = [(by, 2.0**rate) for by in divisors(d_k).values() for rate in exponents]
            ends = train_all(head, runs, batches, tested)
            losses[d_k].append(ends.reshape(-1, len(exponents)))
    return {
        "sizes": list(grid),
        "best_possible": best_possible(task, tested),
        "at": {
            str(d_k): {
                name: tuned(exponents, np.stack(losses[d_k], axis=-1)[scaling])
                for scaling, name in enumerate(divisors(d_k))
            }
            for d_k, exponents in grid.items()
        },
    }


def draw_batches(
    task: Task, rows: int, steps: int, seed: int, stream: Stream
) -> Iterable[Examples]:
    """Draw fresh rows for every step."""
    generator = stream("batches", seed)
    return (draw_examples(task, rows, generator) for _ in range(steps))


def train_all(
    head: Array, runs: Sequence[Run], batches: Sequence[Examples], tested: Examples
) -> Array:
    """Train copies of a head, one a run, as many side by side as is fast; give their losses."""
    together = max(1, TOGETHER // head.size)
    parts = [runs[start : start + together] for start in range(0, len(runs), together)]
    return np.concatenate([train_together(head, part, batches, tested) for part in parts])


def train_together(
    head: Array, runs: Sequence[Run], batches: Iterable[Examples], tested: Examples
) -> Array:
    """Train copies of a head side by side and give the loss (runs,) of each afterwards."""
    by, rates = np.array(runs).T
    heads = Heads(np.repeat(head[np.newaxis], len(runs), axis=0), by)
    train(heads, batches, Adam(rates, exact=True), exact=True)
    return heads.test(tested)


def tuned(exponents: Sequence[int], losses: Array) -> Record:
    """Sum up one scaling at one width: `losses` (rates, seeds) by rate, and the best rate."""
    curve = [
        {
            "inverse": 2**-exponent,
            "mean": float(np.mean(seeds)),
            "low": float(np.min(seeds)),
            "high": float(np.max(seeds)),
        }
        for exponent, seeds in zip(exponents, losses, strict=True)
    ]
    best = min(range(len(curve)), key=lambda index: curve[index]["mean"])
    return {
        "curve": curve,
        "best": {
            **curve[best],
            "seeds": losses[best].tolist(),
            "at_edge": best in (0, len(curve) - 1),
        },
    }


def carry(main: Record, inverses: Sequence[int]) -> Record:
    """Hold every width to the rate that is best for the narrowest head when divided by d_k."""
    at = {
        name: {
            inverse: [
                point["mean"]
                for one in main["at"].values()
                for point in one[name]["curve"]
                if point["inverse"] == inverse
            ]
            for inverse in inverses
        }
        for name in divisors(1)
    }
    held = min(inverses, key=lambda inverse: at["dk"][inverse][0])
    return {
        "inverse": held,
        **{name: means[held] for name, means in at.items()},
        "dk_apart": max(max(means[1:]) - min(means[1:]) for means in at["dk"].values()),
    }


def drift(main: Record) -> Record:
    """How many times the best rate of the narrowest head is that of the widest."""
    first, last = (main["at"][str(main["sizes"][end])] for end in (0, -1))
    return {
        **{name: last[name]["best"]["inverse"] / first[name]["best"]["inverse"] for name in first},
        "theory": math.sqrt(main["sizes"][-1] / main["sizes"][0]),
    }


def train_longer(task: Task, parameters: Parameters, stream: Stream) -> Record:
    """Give the first seed's unscaled head of one width more steps on the same stream of rows."""
    d_k, steps = parameters.longer_size, parameters.longer_steps
    head = draw_head(task.inputs, d_k, stream("head", d_k, 0))
    tested = draw_examples(task, parameters.test_rows, stream("test"))
    runs = [(1.0, 2.0**rate) for rate in parameters.longer_rates]
    batches = draw_batches(task, parameters.batch, steps, 0, stream)
    ends = train_together(head, runs, batches, tested)
    return {
        "d_k": d_k,
        "steps": steps,
        "times": steps / parameters.steps,
        "raw": tuned(parameters.longer_rates, ends[:, np.newaxis])["best"],
    }
