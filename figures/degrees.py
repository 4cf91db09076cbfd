"""The words of degree the article and its drawings use: what each means, as a fixed threshold with its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

# Weights of a row
NEARLY_ALL = 0.95  # one key takes "nearly everything": a twentieth is left for all the others
EVEN = 0.2  # part of its even share an "almost even" weight may be off: none is 1.5 times another
LEAD = 0.1  # weight by which a "clear first" is ahead: a tenth of all there is to share
COUNTS = 0.05  # weight from which a key "still counts": more than "nearly everything" leaves over

# Slopes of a softmax
FLAT = 0.1  # part of its ceiling up to which a slope "barely responds": an order of magnitude lost
HEALTHY = 0.5  # part of its ceiling from which a slope "looks healthy": most of it is left
STEEPER = 1.5  # ratio from which "steeper" is worth the word: half as much again

# Scores of a row against the standard deviation of theory
TAME, WILD = 0.667, 1.5  # root mean squares of a "fair" row: off by the same factor either way
FAR = 2.0  # what no score of a "fair" row is beyond: only one in twenty normal scores is

# Measurements against theory
STEADY = 0.05  # how far from one a spread "stays at one": as far as the band of the figure reaches
SURE = 3.0  # standard errors that chance explains: it goes farther once in 370 runs
RARE = 0.0027  # the same as a probability
SHARP = 0.05  # how unsure a sharp exponent may be: that of a cube root is three times as far

# Measurements against each other
NEAR = 0.1  # part by which a value "near" another may be off: hardly seen on a scale of decades
LEVEL = 0.2  # part by which a "level" value may change: what is not level changes severalfold
ALIKE = 2.0  # ratio up to which two are "alike": neither is twice the other
WIDELY = 10.0  # ratio of its ends from which something "varies widely": an order of magnitude
SAME = 0.005  # difference up to which shares are "the same": they round alike to two decimals

# Shares of rows
MOST = 0.5  # share from which it is "most": more than all the others together
MIDDLE = 0.25  # share below and above "the middle half"
FEW = 0.01  # share up to which it is "few" and from which it is "some": one in a hundred


def takes_nearly_all(weight: float) -> bool:
    """Whether one key with this weight makes its row close to one-hot."""
    return weight >= NEARLY_ALL


def almost_even(weights: Sequence[float]) -> bool:
    """Whether every weight is close to its even share: almost flat, almost indifferent."""
    even = 1 / len(weights)
    return all(abs(weight - even) <= EVEN * even for weight in weights)


def clear_first(weights: Sequence[float]) -> bool:
    """Whether the largest of at least two weights is well ahead of the next."""
    second, first = sorted(weights)[-2:]
    return first - second >= LEAD


def still_peaked(weights: Sequence[float]) -> bool:
    """Whether a row has a clear first that leaves something to the others."""
    return clear_first(weights) and not takes_nearly_all(max(weights))


def all_count(weights: Sequence[float]) -> bool:
    """Whether every key still counts, so that the weight is shared."""
    return min(weights) >= COUNTS


def barely_responds(slope: float, ceiling: float) -> bool:
    """Whether the largest slope of a row is nearly flat against the most it could be."""
    return slope <= FLAT * ceiling


def looks_healthy(slope: float, ceiling: float) -> bool:
    """Whether a slope is a good part of the most it could be."""
    return slope >= HEALTHY * ceiling


def steeper(ratio: float) -> bool:
    """Whether a slope so many times another is worth calling steeper."""
    return ratio >= STEEPER


def fair(scores: Sequence[float], sd: float) -> bool:
    """Whether scores could pass for a sample of a distribution with mean zero and this spread."""
    rms = math.sqrt(math.fsum(score**2 for score in scores) / len(scores))
    return TAME * sd <= rms <= WILD * sd and max(map(abs, scores)) <= FAR * sd


def stays_at_one(spread: float) -> bool:
    """Whether a measured spread is one for all a reader cares."""
    return abs(spread - 1) <= STEADY


def explained_by_chance(difference: float, error: float) -> bool:
    """Whether a difference from theory is no larger than its standard error makes likely."""
    return abs(difference) <= SURE * error


def sharp(error: float) -> bool:
    """Whether an exponent with this standard error tells a square root from its neighbors."""
    return SURE * error <= SHARP


def as_many_by_chance(misses: int, of: int, share: float) -> bool:
    """Whether so many misses are likely where each of `of` independent tries misses with chance `share`."""
    fewer = math.fsum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(misses))
    return 1 - fewer >= RARE


def rises(values: Sequence[float]) -> bool:
    """Whether each of at least two values is above the one before it."""
    return len(values) > 1 and all(later > earlier for earlier, later in pairwise(values))


def falls(values: Sequence[float]) -> bool:
    """Whether each of at least two values is below the one before it."""
    return len(values) > 1 and all(later < earlier for earlier, later in pairwise(values))


def fades(end: float, start: float) -> bool:
    """Whether so little of a value is left that it has lost an order of magnitude."""
    return end <= FLAT * start


def near(value: float, other: float) -> bool:
    """Whether a value is near another one."""
    return abs(value - other) <= NEAR * abs(other)


def level(values: Sequence[float]) -> bool:
    """Whether no value is far from the last one."""
    return all(abs(value - values[-1]) <= LEVEL * abs(values[-1]) for value in values)


def alike(one: float, other: float) -> bool:
    """Whether neither of two positive values is twice the other."""
    return max(one, other) <= ALIKE * min(one, other)


def varies_widely(low: float, high: float) -> bool:
    """Whether the ends of a range are an order of magnitude apart."""
    return high >= WIDELY * low


def the_same(one: float, other: float) -> bool:
    """Whether two shares are the same for all a reader sees of them."""
    return abs(one - other) <= SAME


def hardly_above_even(weight: float, keys: int) -> bool:
    """Whether the largest of so many weights is close to its even share."""
    return weight * keys <= 1 + EVEN


def most(share: float) -> bool:
    """Whether a share is at least as large as all the rest."""
    return share >= MOST


def few(share: float) -> bool:
    """Whether a share hardly counts."""
    return share <= FEW


def some(share: float) -> bool:
    """Whether a share is too large to be left out."""
    return share >= FEW


def in_the_middle(share_below: float) -> bool:
    """Whether something with this share of others below it is in their middle half."""
    return MIDDLE <= share_below <= 1 - MIDDLE
