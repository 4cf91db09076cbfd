"""What does one matching key keep of the weight as a row of keys grows long?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen, Predicate

from attention import Array
from rows import TAIL, each_once, summary

if TYPE_CHECKING:
    from report.contracts import Stream

Record = dict[str, Any]

CHUNK = 2**18  # scores in memory at once; any other number gives the same rows
STRENGTHS = ("weak", "strong")
CORRECTIONS = ("fixed", "log")
POINTS = 33  # of a theory curve

Length = Annotated[int, Ge(2), Le(1_000_000)]
Margin = Annotated[float, Gt(0), Le(30)]


@dataclass(frozen=True)
class Parameters:
    """Lengths of a row, how far a match leads the mean of its rivals, and how many rows to draw."""

    lengths: Annotated[tuple[Length, ...], MinLen(2), Predicate(each_once)]
    weak: Margin
    strong: Margin
    rows: Annotated[int, Ge(2), Le(100_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Weigh a match among ever more random keys, with the scale kept and with it grown like ln n.

    Rivals have standard normal scores, as they have at initialization after division by √d_k, and
    the match a fixed one. All cases of a length share its rows, which have a stream of their own.
    """
    lengths = sorted(parameters.lengths)
    margins = {name: float(getattr(parameters, name)) for name in STRENGTHS}
    found = {n: weigh(n, lengths[0], margins, parameters.rows, stream(n)) for n in lengths}
    errors = [
        found[n][strength][correction]["error"]
        for n in lengths
        for strength in STRENGTHS
        for correction in CORRECTIONS
    ]
    return {
        "rows": parameters.rows,
        "lengths": lengths,
        "shortest": lengths[0],
        "longest": lengths[-1],
        "band": {"low": TAIL, "high": 1 - TAIL, "middle": 1 - 2 * TAIL},
        "largest_error": max(errors),
        "alone": {str(n): found[n]["alone"] for n in lengths},
        "multipliers": {str(n): multiplier(n, lengths[0]) for n in lengths},
        **{
            strength: {
                "margin": margin,
                "outdone_from": 1 + 1 / tail(margin),
                "at": {str(n): found[n][strength] for n in lengths},
                "curve": curve(margin, lengths[0], lengths[-1]),
            }
            for strength, margin in margins.items()
        },
    }


def multiplier(n: float, shortest: int) -> float:
    """What scores are multiplied by so that the scale grows like ln n: one for the shortest row.

    Chiang & Cholak 2022 and Nakanishi 2025 multiply by a constant times ln n.
    """
    return math.log(n) / math.log(shortest)


def weigh(
    n: int, shortest: int, margins: dict[str, float], rows: int, generator: np.random.Generator
) -> Record:
    """Weigh rows of n keys: without a match, and with one of each strength, scale kept and grown."""
    multipliers = {"fixed": 1.0, "log": multiplier(n, shortest)}
    totals, alone = totals_of(n, rows, tuple(multipliers.values()), generator)
    weights = {
        strength: {
            correction: {
                **summary(1 / (1 + totals[i] * math.exp(-factor * margin))),
                "theory": expected_weight(factor * margin, factor, n - 1),
            }
            for i, (correction, factor) in enumerate(multipliers.items())
        }
        for strength, margin in margins.items()
    }
    return {"alone": alone, **weights}


def totals_of(
    n: int, rows: int, multipliers: tuple[float, ...], generator: np.random.Generator
) -> tuple[Array, Record]:
    """Sum exp(a z) over the n - 1 rivals of each row for every multiplier a: (multipliers, rows).

    Also gives, for rows that a further random key makes complete, the mean largest weight and the
    mean entropy over ln n: what scaled attention looks like when nothing matches.
    """
    totals = np.empty((len(multipliers), rows))
    top, entropy = np.empty(rows), np.empty(rows)
    for part, z in chunks(n, rows, generator):
        powers = np.exp(z)
        whole = np.sum(powers, axis=1)
        top[part] = np.exp(np.max(z, axis=1)) / whole
        entropy[part] = np.log(whole) - np.sum(powers * z, axis=1) / whole
        for i, a in enumerate(multipliers):
            raised = powers if a == 1 else np.exp(a * z)
            totals[i, part] = np.sum(raised[:, 1:], axis=1)
    share = entropy / math.log(n)
    return totals, {"top": summary(top), "entropy_share": summary(share), "even": 1 / n}


def chunks(n: int, rows: int, generator: np.random.Generator) -> Iterator[tuple[slice, Array]]:
    """Draw the standard normal scores of (rows, n), some rows at a time."""
    step = max(1, CHUNK // n)
    for start in range(0, rows, step):
        part = slice(start, min(start + step, rows))
        yield part, generator.standard_normal((part.stop - part.start, n))


def curve(margin: float, shortest: int, longest: int) -> dict[str, list[float]]:
    """Expected weights at lengths between those measured, evenly spaced on a log axis."""
    lengths = np.geomspace(shortest, longest, POINTS).tolist()
    factors = {"fixed": [1.0] * POINTS, "log": [multiplier(n, shortest) for n in lengths]}
    expected = {
        correction: [
            expected_weight(factor * margin, factor, n - 1)
            for n, factor in zip(lengths, every, strict=True)
        ]
        for correction, every in factors.items()
    }
    return {"n": lengths, **expected}


def tail(margin: float) -> float:
    """Chance that one standard normal rival is above the margin."""
    return math.erfc(margin / math.sqrt(2)) / 2


def expected_weight(lead: float, sd: float, rivals: float) -> float:
    """Mean softmax weight of a key with input `lead` among independent normal inputs (0, sd²).

    A weight is the chance that its key comes first once standard Gumbel noise is added to every
    input. So this is ∫ f(v) F(v)^rivals dv, with f the density of lead plus noise, and F the
    distribution function of one rival's input plus noise. The trapezoid rule is exact to rounding.
    """
    z = np.linspace(-12.0, 12.0, 24 * math.ceil(4 + 4 * sd) + 1)
    chance = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    v = np.linspace(-6.0, 45.0, 409) + lead
    noise = v - lead
    density = np.exp(-noise - np.exp(-noise)) * (v[1] - v[0])
    over = -np.expm1(-np.exp(np.minimum(sd * z - v[:, np.newaxis], 300.0)))
    missed = np.sum(over * chance, axis=1)  # 1 - F, which keeps its digits where F is nearly one
    return float(np.sum(density * np.exp(rivals * np.log1p(-np.minimum(missed, 1 - 1e-16)))))
