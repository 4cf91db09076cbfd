"""Samples that are drawn in parts, so that memory holds one part however large they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import TypeAlias

import numpy as np

from attention import Array

HALF = 0.5  # of the way between two values: from there on numpy reckons back from the higher
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


class Quantiles:
    """Quantiles of a sample that comes in parts, and comes twice: to be counted, then to be looked at.

    The values of the first part cut the line into cells. Once it is known how many values lie in each,
    only those have to be kept that share a cell with a quantile.
    """

    def __init__(self, shares: Sequence[float]) -> None:
        self._shares = np.array(shares, dtype=float)
        self._edges = self._kept = np.empty(0)
        self._counts = np.empty(0, dtype=int)

    def count(self, part: Array) -> None:
        """Count some more values (n,), one at least."""
        if not len(self._counts):
            self._edges = np.unique(part)
            self._counts = np.zeros(2 * len(self._edges) + 1, dtype=int)
        self._counts += np.bincount(self._cells(part), minlength=len(self._counts))

    def keep(self, part: Array) -> None:
        """Look at some values again, when all have been counted."""
        cells = self._cells(part)
        wanted = np.isin(cells, self._cell_of(self._ranks)) & (cells % 2 == 0)
        self._kept = np.concatenate((self._kept, part[wanted]))

    @property
    def values(self) -> Array:
        """The quantiles, between two values in proportion: what `np.quantile` gives of the whole."""
        low, high = (np.array([self._at(rank) for rank in ranks]) for ranks in self._ranks)
        beyond = self._shares * (self._total - 1) % 1
        apart = high - low
        found: Array = np.where(beyond < HALF, low + apart * beyond, high - apart * (1 - beyond))
        return found

    @property
    def _total(self) -> int:
        return int(np.sum(self._counts))

    @property
    def _ranks(self) -> Array:
        """Which values lie on either side of each quantile, counted from zero: (2, shares)."""
        low = np.floor(self._shares * (self._total - 1)).astype(int)
        return np.array((low, np.minimum(low + 1, self._total - 1)))

    def _cells(self, part: Array) -> Array:
        """The cell of each value: an odd one is an edge itself, an even one lies before an edge."""
        after = np.searchsorted(self._edges, part)
        edge = self._edges[np.minimum(after, len(self._edges) - 1)]
        cells: Array = 2 * after + (part == edge)
        return cells

    def _cell_of(self, rank: Array | int) -> Array:
        cell: Array = np.searchsorted(np.cumsum(self._counts), rank, "right")
        return cell

    def _at(self, rank: int) -> float:
        """The value of a rank."""
        cell = int(self._cell_of(rank))
        if cell % 2:
            return float(self._edges[cell // 2])
        inside = np.sort(self._kept[self._cells(self._kept) == cell])
        return float(inside[rank - np.sum(self._counts[:cell])])


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
