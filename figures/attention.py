"""The mathematics the experiments share: scores, divisors, softmax, its slope and its entropy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
from annotated_types import Ge, Le, Len, Predicate
from numpy.typing import NDArray

if TYPE_CHECKING:
    from report.contracts import Say

Array: TypeAlias = NDArray[Any]  # float64; complex128 where a complex step takes a derivative

# Limits every experiment shares. Within them no weight underflows to zero and no exponential
# overflows, so every ratio of slopes is a finite number.
Score: TypeAlias = Annotated[float, Predicate(math.isfinite), Ge(-300), Le(300)]
Row: TypeAlias = Annotated[tuple[Score, ...], Len(2, 8)]  # more than eight keys cannot be drawn
KeyDimension: TypeAlias = Annotated[int, Ge(1), Le(65536)]


@dataclass(frozen=True)
class Example:
    """The worked case of the article: one query's score for each key."""

    scores: Row
    d_k: KeyDimension


NAMES = {
    "raw": "unscaled",
    "sqrt": "divided by √d_k",
    "dk": "divided by d_k",
}  # as texts say them


def scores(q: Array, k: Array) -> Array:
    """Dot products q·k along the last axis, one for each pair of rows: (..., d_k) -> (...).

    Plain einsum rather than matmul: its last digit does not depend on the BLAS that is installed.
    """
    products: Array = np.einsum("...i,...i->...", q, k)
    return products


def divisors(d_k: int) -> dict[str, float]:
    """What a score is divided by, by name: `raw` 1, `sqrt` √d_k, `dk` d_k.

    `sqrt` is Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    return {"raw": 1.0, "sqrt": math.sqrt(d_k), "dk": float(d_k)}


def softmax(z: Array, axis: int = -1) -> Array:
    """Weights exp(z_i) / Σ exp(z_j) along one axis, same shape as `z`, safe for large inputs.

    The largest real part is subtracted first: that changes no weight and keeps exp from
    overflowing. Complex input stays analytic, so complex-step derivatives come out exact.
    """
    weights: Array = z - np.maximum.reduce(np.real(z), axis=axis, keepdims=True)
    np.exp(weights, out=weights)
    weights /= np.add.reduce(weights, axis=axis, keepdims=True)
    return weights


def jacobian(p: Array) -> Array:
    """Slope ∂p_i/∂z_j = diag(p) - p pᵀ of the softmax at its input: (n,) weights -> (n, n).

    The diagonal is p_i (1 - p_i), at most 1/4; rows sum to zero; no eigenvalue is above 1/2.
    It is summed from the other weights of its row: 1 - p_i loses its digits as p_i nears one.
    """
    products = p[:, np.newaxis] * p[np.newaxis, :]
    np.fill_diagonal(products, 0.0)
    slope: Array = np.diag(np.sum(products, axis=1)) - products
    return slope


def entropy(p: Array) -> float:
    """Entropy -Σ p ln p of the weights, in nats; a weight of zero adds nothing. (n,) -> number."""
    present = p[p > 0]
    return max(0.0, float(-np.sum(present * np.log(present))))  # never the -0.0 of a one-hot row


def effective_keys(p: Array) -> float:
    """How many equally weighted keys would have this entropy: exp(H), from 1 to n."""
    return math.exp(entropy(p))


def brief(say: Say, value: float, digits: int = 4) -> str:
    """Print `value` exactly where so few digits allow it, else rounded, far from one as a power.

    8 is `8`, 1/√2 `0.7071`, e⁻¹⁶ `1.125 × 10⁻⁷`: a saturated row has weights of any size.
    Digits before the point are all kept.
    """
    if value and not 1e-4 <= abs(value) < 1e6:  # noqa: PLR2004  longer than a power of ten
        return say.scientific(value, digits)
    return say.brief(value, digits)
