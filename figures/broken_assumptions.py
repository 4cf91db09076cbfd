"""What does variance one after division by √d_k rest on, and how does it fail?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le, Len, Lt, Predicate

from attention import Array, KeyDimension, scores
from rows import Sizes, each_once

if TYPE_CHECKING:
    from report.contracts import Stream

Record = dict[str, Any]

NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
COVERAGE = 0.95
EDGE = math.sqrt(3)  # where a uniform law of variance one ends
SPARSE = 0.05  # share of components of the sparse law that are not zero
POINTS = 33  # of a theory curve


class Law(NamedTuple):
    """A distribution of components with mean zero and variance one."""

    kurtosis: float  # infinite where the fourth moment does not exist
    draw: Callable[[np.random.Generator, tuple[int, ...]], Array]
    degrees: float = 0.0  # of Student's t


def student(degrees: float) -> Callable[[np.random.Generator, tuple[int, ...]], Array]:
    """Draw from Student's t with more than two degrees of freedom, divided by its deviation."""
    sd = math.sqrt(degrees / (degrees - 2))
    return lambda generator, shape: generator.standard_t(degrees, shape) / sd


def sparse(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw normal components of which most are zero; the others are larger in exchange."""
    present = generator.random(shape) < SPARSE
    drawn: Array = present * generator.standard_normal(shape) / math.sqrt(SPARSE)
    return drawn


LAWS = {
    "coin": Law(1.0, lambda generator, shape: 2.0 * generator.integers(0, 2, shape) - 1),
    "uniform": Law(1.8, lambda generator, shape: generator.uniform(-EDGE, EDGE, shape)),
    "normal": Law(3.0, lambda generator, shape: generator.standard_normal(shape)),
    "laplace": Law(6.0, lambda generator, shape: generator.laplace(0, math.sqrt(0.5), shape)),
    "t5": Law(9.0, student(5.0), 5.0),
    "sparse": Law(3 / SPARSE, sparse),
    "t3": Law(math.inf, student(3.0), 3.0),
    "t2_5": Law(math.inf, student(2.5), 2.5),
}

Correlation = Annotated[float, Gt(0), Lt(1)]
Deviation = Annotated[float, Gt(0), Le(16)]
Mean = Annotated[float, Gt(0), Le(16)]


@dataclass(frozen=True)
class Example:
    """The worked case of the article."""

    d_k: KeyDimension


@dataclass(frozen=True)
class Parameters:
    """How far each assumption is broken, and how often each case is drawn."""

    example: Example
    sizes: Sizes
    correlations: Annotated[tuple[Correlation, ...], Len(1, 4), Predicate(each_once)]
    component_sds: Annotated[tuple[Deviation, ...], Len(2, 8), Predicate(each_once)]
    means: Annotated[tuple[Mean, ...], Len(1, 8), Predicate(each_once)]
    trials: Annotated[int, Ge(20), Le(1_000_000)]
    keys: Annotated[int, Ge(2), Le(64)]
    law_size: KeyDimension
    law_trials: Annotated[int, Ge(2), Le(100_000)]
    repeats: Annotated[int, Ge(2), Le(40)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Break one assumption at a time and measure the spread of scores divided by √d_k.

    Every case has its own stream, keyed by what is broken, by how much, and by the width: adding a
    case moves no other.
    """
    d_k, trials = parameters.example.d_k, parameters.trials
    lines = [
        line_of(r, sorted(parameters.sizes), trials, stream)
        for r in ascending(0, parameters.correlations)
    ]
    deviations = [
        scaled_by(sd, d_k, trials, stream("sd", str(sd)))
        for sd in ascending(1, parameters.component_sds)
    ]
    means = [
        shifted_by(mean, d_k, (trials, parameters.keys), stream("mean", str(mean)))
        for mean in ascending(0, parameters.means)
    ]
    points = [
        *(point for line in lines for point in line["at"].values()),
        *deviations,
        *(case[part] for case in means for part in ("all", "row")),
    ]
    return {
        "trials": trials,
        "keys": parameters.keys,
        "sizes": sorted(parameters.sizes),
        "d_k": d_k,
        "coverage": COVERAGE,
        "largest_error": NORMAL_95 * max(point["error"] / point["sd"] for point in points),
        "lines": lines,
        "deviations": deviations,
        "means": means,
        "law_size": parameters.law_size,
        "law_trials": parameters.law_trials,
        "repeats": parameters.repeats,
        "laws": {key: try_law(law, parameters, stream("law", key)) for key, law in LAWS.items()},
    }


def ascending(assumed: float, broken: Sequence[float]) -> list[float]:
    """What the argument assumes and how far it is broken, each once, in order."""
    return sorted({float(value) for value in (assumed, *broken)})


def line_of(r: float, sizes: list[int], trials: int, stream: Stream) -> Record:
    """Let any two components within a vector correlate by r, at every width."""
    widths = np.geomspace(sizes[0], sizes[-1], POINTS).tolist()
    return {
        "r": r,
        "at": {str(d_k): correlated(r, d_k, trials, stream("r", str(r), d_k)) for d_k in sizes},
        "curve": {"d_k": widths, "sd": [correlated_sd(r, width) for width in widths]},
    }


def correlated_sd(r: float, d_k: float) -> float:
    """Standard deviation of a score over √d_k when the components of each vector correlate by r.

    The variance of a score is the trace of the product of both covariance matrices. Theirs has the
    eigenvalue 1 + (d_k - 1) r once and 1 - r otherwise, which gives d_k + d_k (d_k - 1) r².
    """
    return math.sqrt(1 + (d_k - 1) * r**2)


def correlated(r: float, d_k: int, trials: int, generator: np.random.Generator) -> Record:
    """Measure the scaled score when components share one factor and correlate by r."""
    drawn = draw_correlated(r, d_k, trials, generator)
    return spread(drawn / math.sqrt(d_k), correlated_sd(r, d_k))


def draw_correlated(r: float, d_k: int, trials: int, generator: np.random.Generator) -> Array:
    """Scores (trials,) of normal vectors with correlation r inside each, drawn along the eigenvectors.

    Along the shared direction both have a normal component of variance 1 + (d_k - 1) r. The rest is
    isotropic with variance 1 - r: given the length of one, its product with the other is normal.
    """
    shared = (1 + (d_k - 1) * r) * np.prod(generator.standard_normal((2, trials)), axis=0)
    if d_k == 1:
        return np.asarray(shared)
    length = np.sqrt(generator.chisquare(d_k - 1, trials))
    drawn: Array = shared + (1 - r) * length * generator.standard_normal(trials)
    return drawn


def scaled_by(sd: float, d_k: int, trials: int, generator: np.random.Generator) -> Record:
    """Measure the scaled score when every component has this standard deviation, in q and in k."""
    length = np.sqrt(generator.chisquare(d_k, trials))
    drawn = sd**2 * length * generator.standard_normal(trials)
    return {"component": sd, **spread(drawn / math.sqrt(d_k), sd**2)}


def shifted_by(
    mean: float, d_k: int, shape: tuple[int, int], generator: np.random.Generator
) -> Record:
    """Measure scaled scores when every component has this mean: over all pairs, and within rows.

    Of a pair the variance is 1 + 2 mean² once divided; but what the shift adds to every key of a
    query alike cancels in the softmax, and within a row 1 + mean² is left.
    """
    drawn = draw_shifted(mean, d_k, shape, generator) / math.sqrt(d_k)
    within = np.var(drawn, axis=1, ddof=1)
    sd = math.sqrt(float(np.mean(within)))
    error = float(np.std(within, ddof=1)) / math.sqrt(len(within)) / (2 * sd)
    return {
        "mean": mean,
        "all": spread(drawn[:, 0], math.sqrt(1 + 2 * mean**2)),
        "row": {"sd": sd, "error": error, "theory_sd": math.sqrt(1 + mean**2)},
    }


def draw_shifted(
    mean: float, d_k: int, shape: tuple[int, int], generator: np.random.Generator
) -> Array:
    """Scores of (rows, keys), a query a row; all vectors have independent N(mean, 1) components.

    Only two numbers of a query matter: its component along the mean, and its length.
    """
    rows, keys = shape
    along = math.sqrt(d_k) * mean + generator.standard_normal(rows)
    across = generator.chisquare(d_k - 1, rows) if d_k > 1 else 0.0
    length = np.sqrt(along**2 + across)
    shared = math.sqrt(d_k) * mean * along
    drawn: Array = shared[:, np.newaxis] + length[:, np.newaxis] * generator.standard_normal(
        (rows, keys)
    )
    return drawn


def spread(values: Array, theory_sd: float) -> dict[str, float]:
    """Standard deviation of a sample, its standard error by the measured kurtosis, and theory."""
    squares = (values - np.mean(values)) ** 2
    kurtosis = float(np.mean(squares**2) / np.mean(squares) ** 2)
    sd = float(np.std(values, ddof=1))
    error = sd / 2 * math.sqrt(max(0.0, kurtosis - 1) / len(values))
    return {"sd": sd, "error": error, "theory_sd": theory_sd}


def try_law(law: Law, parameters: Parameters, generator: np.random.Generator) -> Record:
    """Measure the variance of scores over d_k again and again, for components of one law.

    The true ratio is one for every law. The kurtosis of a score, 3 + (kurtosis² - 3) / d_k, says
    how far a measurement strays; where there is none, no standard error exists.
    """
    d_k, trials = parameters.law_size, parameters.law_trials
    ratios = sorted(
        float(np.var(scores(*law.draw(generator, (2, trials, d_k))), ddof=1)) / d_k
        for _ in range(parameters.repeats)
    )
    found: Record = {"ratios": ratios, "low": ratios[0], "high": ratios[-1]}
    if law.degrees:
        found["degrees"] = law.degrees
    if math.isinf(law.kurtosis):
        return found
    error = math.sqrt((2 + (law.kurtosis**2 - 3) / d_k) / trials)
    return {**found, "kurtosis": law.kurtosis, "error": error, "reach": NORMAL_95 * error}
