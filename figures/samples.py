"""Samples that are drawn in parts, so that memory holds one part however large they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import TypeAlias

import numpy as np

from attention import Array

Draw: TypeAlias = Callable[[np.random.Generator, int], Array]  # gives an array of so many rows


def parts(rows: int, most: int) -> Iterator[int]:
    """Part a number of rows into parts of at most `most`."""
    return (min(most, rows - start) for start in range(0, rows, most))


def drawn_in_turn(
    generator: np.random.Generator, rows: int, most: int, *draws: Draw
) -> Iterator[tuple[Array, ...]]:
    """Draw `rows` rows with each function, and give at most `most` rows of all at a time.

    The numbers are those of whole arrays drawn one after the other: where there are several parts,
    every array has a copy of the generator that stands where it begins.
    """
    if rows <= most:
        yield tuple(draw(generator, rows) for draw in draws)
        return
    generators = []
    for draw in draws[:-1]:
        generators.append(deepcopy(generator))
        for part in parts(rows, most):
            draw(generator, part)
    generators.append(generator)
    for part in parts(rows, most):
        yield tuple(draw(each, part) for draw, each in zip(draws, generators, strict=True))


class Moments:
    """Mean, variance and kurtosis of a sample that comes in parts.

    Powers are summed about the mean of the first part: nearly that of all, so no digits are lost.
    """

    def __init__(self, sample: Iterable[Array] = ()) -> None:
        self.count = 0
        self._about = 0.0
        self._sums = np.zeros(4)
        for part in sample:
            self.add(part)

    def add(self, part: Array) -> None:
        """Take in some more values (n,), one at least."""
        if not self.count:
            self._about = float(np.mean(part))
        apart = part - self._about
        squares = apart * apart
        sums = np.sum(apart), np.sum(squares), np.sum(apart * squares), np.sum(squares * squares)
        self._sums += sums
        self.count += len(part)

    @property
    def mean(self) -> float:
        """The mean."""
        return self._about + float(self._sums[0]) / self.count

    @property
    def variance(self) -> float:
        """The unbiased variance; of two values at least."""
        first, second = self._sums[:2]
        return float(second - first * first / self.count) / (self.count - 1)

    @property
    def sd(self) -> float:
        """The root of the unbiased variance."""
        return math.sqrt(self.variance)

    @property
    def kurtosis(self) -> float:
        """Kurtosis m₄/m₂² about the sample's own mean; 3 for a normal one, never below 1."""
        off, second, third, fourth = self._sums / self.count
        own = fourth - 4 * off * third + 6 * off**2 * second - 3 * off**4
        return float(own / (second - off**2) ** 2)

    @property
    def error(self) -> float:
        """Standard error of the variance as a share of it, by the measured kurtosis."""
        return math.sqrt(max(0.0, self.kurtosis - 1) / self.count)
