"""Centers a layer and divides it by a power of its standard deviation; how that passes a gradient back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

POWERS = {"nothing": 0, "sd": 1, "variance": 2}  # of the standard deviation that is divided by


def spread(x: Array) -> Array:
    """Give the standard deviation of the components of each layer: (..., n) to (..., 1)."""
    centered = x - x.mean(axis=-1, keepdims=True)
    root: Array = np.sqrt((centered**2).mean(axis=-1, keepdims=True))
    return root


def normalize(x: Array, power: int) -> Array:
    """Center each layer and divide it by its standard deviation to some power; (..., n) both ways."""
    centered: Array = (x - x.mean(axis=-1, keepdims=True)) / spread(x) ** power
    return centered


def pull_back(gradient: Array, x: Array, power: int) -> Array:
    """Give the gradient before the normalization from the one after it; all are (..., n).

    The Jacobian (I - 11ᵀ/n - power x̂x̂ᵀ/n) / σ^power is symmetric, so it serves both ways. x̂ is
    the layer centered and divided by its standard deviation, whatever the power.
    """
    sd, unit = spread(x), normalize(x, 1)
    along = (gradient * unit).mean(axis=-1, keepdims=True)
    passed: Array = (gradient - gradient.mean(axis=-1, keepdims=True) - power * along * unit) / (
        sd**power
    )
    return passed
