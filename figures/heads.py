"""Single attention heads that learn: their task, their slopes by hand, and their optimizers.

Many heads train at once, each with its own divisor, rate and weights, on the same examples. The
weights of all of them stand in one array of shape (runs, 2, inputs, d_k): the query projection,
then the key projection. A score is a bilinear form of the inputs, x W_q W_kᵀ yᵀ, so forward and
backward pass go through the small matrices A = W_q W_kᵀ whatever d_k is; that is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from attention import Array, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # of Adam: Kingma & Ba 2014, algorithm 1

# Training at too high a rate is chaotic: it can blow the last bit of a sum up to the second digit
# of a loss, and that bit depends on the machine. So weights lie on a grid of 2⁻¹⁸ and slopes on
# one of 2⁻²⁶ over their divisor. While weights stay below 4, the sums over d_k ≤ 1,024 products
# and over the inputs then fit in the 53 bits of a float64: they are exact, in any order, and with
# them all of training. A grid of 2⁻¹⁸ is 1/64 of the smallest step Adam makes here at full length.
WEIGHT_BITS, SLOPE_BITS = 18, 26


@dataclass(frozen=True)
class Task:
    """Find the key that a noisy query was made from, and read its value."""

    keys: int
    inputs: int
    noise: float


@dataclass(frozen=True)
class Examples:
    """Rows of the task; an output is wanted that equals the value of the wanted key."""

    queries: Array  # (rows, inputs), of unit variance
    keys: Array  # (rows, keys, inputs), of unit variance
    values: Array  # (rows, keys), each 1 or -1
    wanted: NDArray[np.int64]  # (rows,)

    def __len__(self) -> int:
        return len(self.queries)

    def part(self, start: int, end: int) -> Examples:
        """Take some of the rows."""
        return Examples(
            self.queries[start:end],
            self.keys[start:end],
            self.values[start:end],
            self.wanted[start:end],
        )


def draw_examples(task: Task, rows: int, generator: np.random.Generator) -> Examples:
    """Draw rows: normal keys, one of them with noise on it as the query, coin tosses as values.

    The draws do not depend on the noise level: two tasks that differ in it alone can be given the
    same keys, values and directions of noise.
    """
    keys = generator.standard_normal((rows, task.keys, task.inputs))
    noise = generator.standard_normal((rows, task.inputs))
    wanted = generator.integers(0, task.keys, rows)
    values = 2.0 * generator.integers(0, 2, (rows, task.keys)) - 1
    queries = (keys[np.arange(rows), wanted] + task.noise * noise) / math.hypot(1, task.noise)
    return Examples(queries, keys, values, wanted)


def draw_head(inputs: int, d_k: int, generator: np.random.Generator) -> Array:
    """Weights (2, inputs, d_k) of variance 1/inputs, on the grid: components of q and k get one."""
    drawn = generator.standard_normal((2, inputs, d_k)) / math.sqrt(inputs)
    return on_grid(drawn, WEIGHT_BITS)


def on_grid(values: Array, bits: int | Array) -> Array:
    """Round to multiples of 2^-bits, ties to even: adding a large number drops what is finer."""
    large = 1.5 * 2.0 ** (52 - bits)
    rounded: Array = (values + large) - large
    return rounded


def attend(maps: Array, examples: Examples) -> Array:
    """Attention weights (rows, keys, runs) under `maps` (runs, inputs, inputs), divided already."""
    runs, inputs, _ = maps.shape
    side_by_side = maps.transpose(1, 0, 2).reshape(inputs, runs * inputs)
    asked = (examples.queries @ side_by_side).reshape(-1, runs, inputs)
    return softmax(examples.keys @ asked.transpose(0, 2, 1), axis=1)


def loss_and_slope(weights: Array, examples: Examples) -> tuple[Array, Array]:
    """Squared error (runs,) averaged over rows, and its slope (runs, inputs, inputs) at `maps`."""
    rows, _, runs = weights.shape
    outputs = examples.values[:, np.newaxis, :] @ weights  # (rows, 1, runs)
    aim = examples.values[np.arange(rows), examples.wanted]
    errors = outputs - aim[:, np.newaxis, np.newaxis]
    at_scores = examples.values[:, :, np.newaxis] - outputs
    at_scores *= weights  # the softmax's Jacobian, applied to the values
    at_scores *= 2 / rows * errors
    pulled = at_scores.transpose(0, 2, 1) @ examples.keys  # (rows, runs, inputs)
    slope = examples.queries.T @ pulled.reshape(rows, -1)
    inputs = examples.queries.shape[1]
    loss = np.add.reduce(errors[:, 0] ** 2, axis=0) / rows
    return loss, slope.reshape(inputs, runs, inputs).swapaxes(0, 1)


def mean_loss(weights: Array, examples: Examples) -> Array:
    """Squared error (runs,), averaged over rows and, exactly, over all the values they could have.

    Values are independent with variance one, so a row's average is |p - e|², e being one-hot.
    """
    hit = weights[np.arange(len(examples)), examples.wanted]
    losses: Array = np.mean(1 - 2 * hit + np.sum(weights**2, axis=1), axis=0)
    return losses


def best_possible(task: Task, examples: Examples) -> float:
    """Mean loss of the exact posterior over keys, the least that any predictor can expect."""
    if not task.noise:
        return 0.0
    restored = examples.queries * math.hypot(1, task.noise)
    gaps = restored[:, np.newaxis, :] - examples.keys
    fit = -np.sum(gaps**2, axis=2) / (2 * task.noise**2)
    return float(mean_loss(softmax(fit)[:, :, np.newaxis], examples)[0])


@dataclass
class Heads:
    """Weights (runs, 2, inputs, d_k) that training changes in place, and divisors (runs,)."""

    weights: Array
    divisors: Array

    def maps(self) -> Array:
        """Multiply out and divide: scores are bilinear forms with these (runs, inputs, inputs)."""
        products = self.weights[:, 0] @ self.weights[:, 1].swapaxes(1, 2)
        return products / self.divisors[:, np.newaxis, np.newaxis]

    def gradient(self, slope: Array, into: Array) -> Array:
        """Carry the slope at the undivided products back to the weights: the product rule."""
        np.matmul(slope, self.weights[:, 1], out=into[:, 0])
        np.matmul(slope.swapaxes(1, 2), self.weights[:, 0], out=into[:, 1])
        return into

    def test(self, examples: Examples, chunk: int = 512) -> Array:
        """Mean loss (runs,) on examples, so many at a time."""
        maps, total = self.maps(), np.zeros(len(self.divisors))
        for start in range(0, len(examples), chunk):
            part = examples.part(start, start + chunk)
            total += len(part) * mean_loss(attend(maps, part), part)
        mean: Array = total / len(examples)
        return mean


class Optimizer(Protocol):
    """Moves weights against a gradient, both (runs, 2, inputs, d_k), in place; may spoil both."""

    def step(self, weights: Array, gradient: Array) -> None:
        """Make one step."""


def train(
    heads: Heads, batches: Iterable[Examples], optimizer: Optimizer, *, exact: bool = False
) -> Array:
    """Take one step a batch and give the loss (steps, runs) of each batch before its step.

    `exact` puts slopes on their grid, so that no machine's way of adding can move a run.
    """
    divisors = heads.divisors[:, np.newaxis, np.newaxis]
    bits = SLOPE_BITS + np.floor(np.log2(divisors))
    gradient = np.empty_like(heads.weights)
    losses = []
    for batch in batches:
        loss, slope = loss_and_slope(attend(heads.maps(), batch), batch)
        slope = slope / divisors
        heads.gradient(on_grid(slope, bits) if exact else slope, gradient)
        optimizer.step(heads.weights, gradient)
        losses.append(loss)
    return np.array(losses)


class GradientDescent:
    """Plain steps; `rates` are (runs,), or (runs, 2) for one each of queries and keys."""

    def __init__(self, rates: Array) -> None:
        self.rates = spread(rates)

    def step(self, weights: Array, gradient: Array) -> None:
        """Subtract the gradient times the rate."""
        gradient *= self.rates
        weights -= gradient


class Adam:
    """Adam (Kingma & Ba 2014, algorithm 1), with steps on the weights' grid if `exact`.

    `relative` multiplies a step by the root mean square of the matrix it moves, as Adafactor does
    (Shazeer & Stern 2018, section 8). `rates` are (runs,), or (runs, 2) for queries and keys.
    """

    def __init__(
        self,
        rates: Array,
        *,
        exact: bool = False,
        relative: bool = False,
        epsilon: float = EPSILON,
    ) -> None:
        self.rates = spread(rates)
        self.exact, self.relative, self.epsilon = exact, relative, epsilon
        self.steps = 0
        self.mean = self.square = np.zeros(0)

    def step(self, weights: Array, gradient: Array) -> None:
        """Divide the mean gradient by the root of the mean square, both unbiased; step so far.

        Both means are kept without their factors 1 - β, which join the rate: fewer passes over
        memory, and those are what training costs.
        """
        if not self.steps:
            self.mean, self.square = np.zeros_like(weights), np.zeros_like(weights)
        self.steps += 1
        first, second = ((1 - beta) / (1 - beta**self.steps) for beta in (BETA_1, BETA_2))
        rates = self.rates * (first / math.sqrt(second))
        if self.relative:
            rates = rates * np.sqrt(np.mean(weights**2, axis=(2, 3), keepdims=True))
        self.mean *= BETA_1
        self.mean += gradient
        gradient *= gradient
        self.square *= BETA_2
        self.square += gradient
        move = np.sqrt(self.square, out=gradient)
        move += self.epsilon / math.sqrt(second)
        np.divide(self.mean, move, out=move)
        move *= rates
        weights -= on_grid_in_place(move) if self.exact else move


def on_grid_in_place(moves: Array) -> Array:
    """Round moves to the weights' grid without another array."""
    large = 1.5 * 2.0 ** (52 - WEIGHT_BITS)
    moves += large
    moves -= large
    return moves


def spread(rates: Array) -> Array:
    """Give rates (runs,) or (runs, 2) the shape of the weights they multiply."""
    return rates.reshape(len(rates), -1, 1, 1)
