"""Random rows of scores as they are at initialization, and what the experiments read off them.

A row holds one query's scores for its keys. Arrays of rows have shape (rows, keys).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import numpy as np
from annotated_types import MinLen, Predicate

from attention import Array, KeyDimension
from samples import drawn_in_turn

TAIL = 0.1  # share of rows left out at either end of the band between the deciles
REACH, STEPS = 12.0, 4801  # of the sum over a standard normal: far beyond any row, finely enough


def each_once(numbers: Sequence[int]) -> bool:
    """Whether no number is named twice."""
    return len(set(numbers)) == len(numbers)


# Key dimensions to try, two at least for a trend
Sizes: TypeAlias = Annotated[tuple[KeyDimension, ...], MinLen(2), Predicate(each_once)]


def draw_rows(d_k: int, keys: int, rows: int, generator: np.random.Generator) -> Array:
    """Unscaled scores of `rows` queries, each with its own `keys` keys: (rows, keys).

    Components of q and k are independent standard normal. Given q, its scores are then independent
    normals of variance |q|², and |q|² is chi-squared with d_k degrees: no vector need be drawn.
    """
    norm = np.sqrt(generator.chisquare(d_k, rows))
    scores: Array = norm[:, np.newaxis] * generator.standard_normal((rows, keys))
    return scores


def draw_rows_in_parts(
    d_k: int, keys: int, rows: int, most: int, generator: np.random.Generator
) -> Iterator[Array]:
    """The rows that `draw_rows` would give, at most `most` at a time."""
    drawn = drawn_in_turn(
        generator,
        rows,
        most,
        lambda generator, part: np.sqrt(generator.chisquare(d_k, part)),
        lambda generator, part: generator.standard_normal((part, keys)),
    )
    return (norm[:, np.newaxis] * components for norm, components in drawn)


def draw_rows_with_keys(
    d_k: int, keys: int, rows: int, generator: np.random.Generator
) -> tuple[Array, Array]:
    """Unscaled scores, and the keys themselves turned so that few components are not zero.

    Gives (rows, keys) and (rows, keys, components). The turn puts q along the first axis, the rest
    of the first key along the second, and so on. It changes no product and no norm, and leaves
    each key a normal component along every axis before its own and the chi-distributed length of
    its remainder on that one (Bartlett's decomposition): at most 1 + keys components, exactly.
    """
    norm = np.sqrt(generator.chisquare(d_k, rows))
    along = generator.standard_normal((rows, keys, 1))
    axes = min(d_k - 1, keys)
    across = np.tril(generator.standard_normal((rows, keys, axes)), -1)
    remainder = np.sqrt(generator.chisquare(d_k - 1 - np.arange(axes), (rows, axes)))
    across[:, np.arange(axes), np.arange(axes)] = remainder
    return norm[:, np.newaxis] * along[:, :, 0], np.concatenate((along, across), axis=2)


def complements(p: Array) -> Array:
    """1 - p for each weight, that of the largest summed from the others: (rows, keys), the same.

    1 - p loses its digits as p nears one; the sum keeps them all.
    """
    top = np.argmax(p, axis=-1)[:, np.newaxis]
    others = p.copy()
    np.put_along_axis(others, top, 0.0, axis=-1)
    rest = 1 - p
    np.put_along_axis(rest, top, np.sum(others, axis=-1, keepdims=True), axis=-1)
    return rest


def traces(p: Array) -> Array:
    """Trace Σ p(1 - p) of each row's Jacobian, from 0 to 1 - 1/keys: (rows, keys) -> (rows,).

    It is also the chance that two draws by the weights are two different keys.
    """
    trace: Array = np.sum(p * complements(p), axis=-1)
    return trace


def slopes(p: Array) -> Array:
    """Frobenius norm of each row's Jacobian diag(p) - p pᵀ: (rows, keys) -> (rows,)."""
    top, squares = np.argmax(p, axis=-1)[:, np.newaxis], p**2
    others = np.sum(squares, axis=-1, keepdims=True) - squares
    below = squares.copy()
    np.put_along_axis(below, top, 0.0, axis=-1)
    np.put_along_axis(others, top, np.sum(below, axis=-1, keepdims=True), axis=-1)
    norm: Array = np.sqrt(np.sum(squares * (complements(p) ** 2 + others), axis=-1))
    return norm


def slopes_through(p: Array, keys: Array) -> Array:
    """Frobenius norm of Jacobian times keys: (rows, n) and (rows, n, m) -> (rows,).

    Row i of the product is p_i (k_i - Σ p_j k_j). Keys are taken relative to the leading one, so
    that its own row does not drown in rounding when the others weigh almost nothing.
    """
    top = np.argmax(p, axis=-1)[:, np.newaxis, np.newaxis]
    apart = keys - np.take_along_axis(keys, top, axis=1)
    apart -= np.einsum("rn,rnm->rm", p, apart)[:, np.newaxis, :]
    norm: Array = np.sqrt(np.einsum("rn,rnm,rnm->r", p**2, apart, apart))
    return norm


def entropies(p: Array) -> Array:
    """Entropy -Σ p ln p of each row in nats; a weight of zero adds nothing. (rows, keys) -> (rows,)."""
    logs = np.log(p, where=p > 0, out=np.zeros_like(p))
    entropy: Array = np.maximum(0.0, -np.sum(p * logs, axis=-1))
    return entropy


def summary(values: Array) -> dict[str, float]:
    """Mean with its standard error, median, and the deciles that bound the middle rows."""
    low, median, high = np.quantile(values, (TAIL, 0.5, 1 - TAIL))
    return {
        "mean": float(np.mean(values)),
        "error": float(np.std(values, ddof=1)) / math.sqrt(len(values)),
        "median": float(median),
        "low": float(low),
        "high": float(high),
    }


def expected_maximum(n: int) -> float:
    """Mean M_n of the largest of n independent standard normals: n ∫ x φ(x) Φ(x)ⁿ⁻¹ dx.

    By integration by parts it is also the density, at zero, of the gap between the largest two.
    """
    x, weight = standard_normal_grid()
    below = np.array([math.erfc(-one / math.sqrt(2)) / 2 for one in x])
    return float(n * np.sum(weight * x * below ** (n - 1)))


def standard_normal_grid() -> tuple[Array, Array]:
    """Places and weights with Σ w f(x) = ∫ φ f: the trapezoid rule, exact to rounding here."""
    x = np.linspace(-REACH, REACH, STEPS)
    return x, np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])
