"""What does variance one after division by √d_k rest on, and how does it fail?"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le, Len, Lt, Predicate

import degrees
from attention import Array, KeyDimension, brief, scores
from evidence import lowest_to_highest
from labels import apart, middle
from panels import Panel
from rows import Sizes, each_once
from samples import Draw, Moments, drawn_in_turn

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Scale, Stored, Stream

Record = dict[str, Any]
Shape = int | tuple[int, ...]

CHUNK = 2**15  # numbers of an array in memory at once; any other number gives the same trials
NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
COVERAGE = 0.95
EDGE = math.sqrt(3)  # where a uniform law of variance one ends
SPARSE = 0.05  # share of components of the sparse law that are not zero
INSET = 8.0  # printed points between the ends of a hairline and the outer marks
LEADING = 11.5  # printed points from line to line
KURTOSIS = "kurtosis"
PARTS = ("pairs", "rows")  # names of the lines of shifted components
SQUARE = "as its square"
OCTAVES = tuple(2.0**power for power in range(-10, 21))  # where the lower panel may have ticks
LEAST = 0.01  # ratio of variances below which a run stands at the edge
ROW = 13.0  # printed points from one law to the next
POINTS = 33  # of a theory curve


class Law(NamedTuple):
    """A distribution of components with mean zero and variance one."""

    kurtosis: float  # infinite where the fourth moment does not exist
    factors: tuple[Callable[[np.random.Generator, Shape], Array], ...]  # independent; their product
    degrees: float = 0.0  # of Student's t


def normal(generator: np.random.Generator, shape: Shape) -> Array:
    """Draw from the standard normal law."""
    return generator.standard_normal(shape)


def student(degrees: float, kurtosis: float = math.inf) -> Law:
    """Student's t with more than two degrees of freedom, divided by its deviation."""
    sd = math.sqrt(degrees / (degrees - 2))
    return Law(
        kurtosis, (lambda generator, shape: generator.standard_t(degrees, shape) / sd,), degrees
    )


def sparse() -> Law:
    """Normal components of which most are zero; the others are larger in exchange."""
    return Law(
        3 / SPARSE,
        (
            lambda generator, shape: generator.random(shape) < SPARSE,
            lambda generator, shape: generator.standard_normal(shape) / math.sqrt(SPARSE),
        ),
    )


LAWS = {
    "coin": Law(1.0, (lambda generator, shape: 2.0 * generator.integers(0, 2, shape) - 1,)),
    "uniform": Law(1.8, (lambda generator, shape: generator.uniform(-EDGE, EDGE, shape),)),
    "normal": Law(3.0, (normal,)),
    "laplace": Law(6.0, (lambda generator, shape: generator.laplace(0, math.sqrt(0.5), shape),)),
    "t5": student(5.0, 9.0),
    "sparse": sparse(),
    "t3": student(3.0),
    "t2_5": student(2.5),
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
    laws = {key: try_law(law, parameters, stream("law", key)) for key, law in LAWS.items()}
    promised = [law for law in laws.values() if "error" in law]
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
        "laws": laws,
        "sparse_share": SPARSE,
        "promised": len(promised) * parameters.repeats,
        "outside": sum(law["outside"] for law in promised),
        "outside_expected": (1 - COVERAGE) * len(promised) * parameters.repeats,
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
    sample = Moments(part / math.sqrt(d_k) for part in drawn)
    return spread(sample, correlated_sd(r, d_k))


def draw_correlated(
    r: float, d_k: int, trials: int, generator: np.random.Generator
) -> Iterator[Array]:
    """Scores of normal vectors with correlation r inside each, drawn along the eigenvectors.

    Gives (n,) at a time, `trials` in all. Along the shared direction both vectors have a normal
    component of variance 1 + (d_k - 1) r. The rest is isotropic with variance 1 - r: given the
    length of one, its product with the other is normal.
    """
    draws = normal, normal, squared_length(d_k - 1), normal
    for one, other, square, across in drawn_in_turn(generator, trials, CHUNK, *draws):
        shared = (1 + (d_k - 1) * r) * (one * other)
        yield shared + (1 - r) * np.sqrt(square) * across


def squared_length(components: int) -> Draw:
    """Draw squared lengths of normal vectors; of a vector without components it is zero."""
    if not components:
        return lambda _, rows: np.zeros(rows)
    return lambda generator, rows: generator.chisquare(components, rows)


def scaled_by(sd: float, d_k: int, trials: int, generator: np.random.Generator) -> Record:
    """Measure the scaled score when every component has this standard deviation, in q and in k."""
    drawn = drawn_in_turn(generator, trials, CHUNK, squared_length(d_k), normal)
    sample = Moments(sd**2 * np.sqrt(square) * along / math.sqrt(d_k) for square, along in drawn)
    return {"component": sd, **spread(sample, sd**2)}


def shifted_by(
    mean: float, d_k: int, shape: tuple[int, int], generator: np.random.Generator
) -> Record:
    """Measure scaled scores when every component has this mean: over all pairs, and within rows.

    Of a pair the variance is 1 + 2 mean² once divided; but what the shift adds to every key of a
    query alike cancels in the softmax, and within a row 1 + mean² is left.
    """
    pairs, within = Moments(), Moments()
    for drawn in draw_shifted(mean, d_k, shape, generator):
        scaled = drawn / math.sqrt(d_k)
        pairs.add(scaled[:, 0])
        within.add(np.var(scaled, axis=1, ddof=1))
    sd = math.sqrt(within.mean)
    error = within.sd / math.sqrt(within.count) / (2 * sd)
    return {
        "mean": mean,
        "all": spread(pairs, math.sqrt(1 + 2 * mean**2)),
        "row": {"sd": sd, "error": error, "theory_sd": math.sqrt(1 + mean**2)},
    }


def draw_shifted(
    mean: float, d_k: int, shape: tuple[int, int], generator: np.random.Generator
) -> Iterator[Array]:
    """Scores, a query a row; all vectors have independent N(mean, 1) components.

    Gives (n, keys) at a time, (rows, keys) in all. Only two numbers of a query matter: its
    component along the mean, and its length.
    """
    rows, keys = shape
    draws = normal, squared_length(d_k - 1), wide(normal, keys)
    for one, square, others in drawn_in_turn(generator, rows, max(1, CHUNK // keys), *draws):
        along = math.sqrt(d_k) * mean + one
        length = np.sqrt(along**2 + square)
        shared = math.sqrt(d_k) * mean * along
        yield shared[:, np.newaxis] + length[:, np.newaxis] * others


def wide(draw: Callable[[np.random.Generator, Shape], Array], columns: int) -> Draw:
    """Draw so many numbers a row."""
    return lambda generator, rows: draw(generator, (rows, columns))


def spread(sample: Moments, theory_sd: float) -> dict[str, float]:
    """Standard deviation of a sample, its standard error by the measured kurtosis, and theory."""
    return {"sd": sample.sd, "error": sample.sd / 2 * sample.error, "theory_sd": theory_sd}


def try_law(law: Law, parameters: Parameters, generator: np.random.Generator) -> Record:
    """Measure the variance of scores over d_k again and again, for components of one law.

    The true ratio is one for every law. The kurtosis of a score, 3 + (kurtosis² - 3) / d_k, says
    how far a measurement strays; where there is none, no standard error exists.
    """
    d_k, trials = parameters.law_size, parameters.law_trials
    ratios = sorted(
        Moments(draw_of(law, d_k, trials, generator)).variance / d_k
        for _ in range(parameters.repeats)
    )
    found: Record = {"ratios": ratios, "low": ratios[0], "high": ratios[-1]}
    if law.degrees:
        found["degrees"] = law.degrees
    if math.isinf(law.kurtosis):
        return found
    error = math.sqrt((2 + (law.kurtosis**2 - 3) / d_k) / trials)
    outside = sum(abs(ratio - 1) > NORMAL_95 * error for ratio in ratios)
    sure = {"error": error, "reach": NORMAL_95 * error, "outside": outside}
    return {**found, "kurtosis": law.kurtosis, **sure}


def draw_of(law: Law, d_k: int, trials: int, generator: np.random.Generator) -> Iterator[Array]:
    """Scores of vectors with independent components of one law: (n,) at a time, `trials` in all."""
    draws = [wide(factor, d_k) for factor in law.factors for _ in ("q", "k")]
    for drawn in drawn_in_turn(generator, trials, max(1, CHUNK // d_k), *draws):
        yield scores(reduce(np.multiply, drawn[::2]), reduce(np.multiply, drawn[1::2]))


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of each assumption, broken and kept."""
    return [*correlations(result, say), *components(result, say), *runs(result, say)]


def correlations(result: Stored, say: Say) -> list[Claim]:
    """Claim that independent components keep the spread at one, and that no others do."""
    kept, *broken = result["lines"]
    spreads = [point["sd"] for point in kept["at"].values()]
    widest = {line["r"]: line["at"][str(result["sizes"][-1])] for line in broken}
    return [
        {
            "name": "control_stays_at_one",
            "sentence": (
                "With no assumption broken, the spread of a score divided by √d_k is within "
                f"{say.percent(degrees.STEADY)} of one at every width."
            ),
            "holds": all(map(degrees.stays_at_one, spreads)),
            "evidence": lowest_to_highest(say, spreads),
        },
        {
            "name": "correlation_brings_width_back",
            "sentence": (
                "With every correlation within the vectors that was tried, the spread is in the "
                f"widest head above one by more than {say.percent(degrees.STEADY)}, and by more "
                "than chance explains."
            ),
            "holds": all(
                one["sd"] > 1
                and not degrees.stays_at_one(one["sd"])
                and not degrees.explained_by_chance(one["sd"] - 1, one["error"])
                for one in widest.values()
            ),
            "evidence": "; ".join(
                f"{brief(say, one['sd'], 3)} for a correlation of {say.plain(r)}"
                for r, one in widest.items()
            ),
        },
    ]


def components(result: Stored, say: Say) -> list[Claim]:
    """Claim that deviations of components multiply, and that the softmax ignores part of a mean."""
    off = [one["sd"] / one["theory_sd"] for one in result["deviations"]]
    shifted = [one for one in result["means"] if one["mean"] > 0]
    last = shifted[-1]
    return [
        {
            "name": "deviations_multiply",
            "sentence": (
                "The spread of a score divided by √d_k is the square of the standard deviation of "
                f"the components, within {say.percent(degrees.STEADY)}."
            ),
            "holds": all(map(degrees.stays_at_one, off)),
            "evidence": f"measured over theory {lowest_to_highest(say, off)}",
        },
        {
            "name": "shift_cancels_in_rows",
            "sentence": (
                "Whatever mean the components have, the spread within the row of a query is "
                "smaller than over all pairs."
            ),
            "holds": all(one["row"]["sd"] < one["all"]["sd"] for one in shifted),
            "evidence": (
                f"{brief(say, last['row']['sd'], 3)} against {brief(say, last['all']['sd'], 3)} for "
                f"a mean of {say.plain(last['mean'])}"
            ),
        },
    ]


def runs(result: Stored, say: Say) -> list[Claim]:
    """Claim that every law with a kurtosis obeys theory, and that no run is to be trusted without."""
    laws = result["laws"]
    sure = [law for law in laws.values() if "error" in law]
    wild = [law for law in laws.values() if "error" not in law]
    means = [middle(law["ratios"]) for law in sure]
    errors = [law["error"] / math.sqrt(len(law["ratios"])) for law in sure]
    medians = [statistics.median(law["ratios"]) for law in wild]
    highest = max(law["high"] for law in wild)
    return [
        {
            "name": "laws_agree",
            "sentence": (
                "For every law with a kurtosis the mean of the runs is where theory has it, within "
                f"{say.plain(degrees.SURE)} standard errors."
            ),
            "holds": all(
                degrees.explained_by_chance(mean - 1, error)
                for mean, error in zip(means, errors, strict=True)
            ),
            "evidence": (
                f"means {lowest_to_highest(say, means)}; standard errors "
                f"{lowest_to_highest(say, errors, 2)}"
            ),
        },
        {
            "name": "outside_by_chance",
            "sentence": (
                f"No more runs are outside their {say.percent(result['coverage'])} interval than "
                "chance allows."
            ),
            "holds": degrees.as_many_by_chance(
                result["outside"], result["promised"], 1 - result["coverage"]
            ),
            "evidence": (
                f"{say.count(result['outside'])} of {say.count(result['promised'])}; about "
                f"{brief(say, result['outside_expected'], 2)} are expected"
            ),
        },
        {
            "name": "heavy_tails_look_calm",
            "sentence": (
                "For every law without a kurtosis the median run is below the true variance, and "
                "some run of one is farther above it than normal components explain."
            ),
            "holds": all(one < 1 for one in medians)
            and highest > 1 + degrees.SURE * laws["normal"]["error"],
            "evidence": (
                f"medians {lowest_to_highest(say, medians)}; highest run {brief(say, highest, 3)}"
            ),
        },
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell the panels in words, and give the data of the upper ones."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            correlated_said(result, say),
            scaled_said(result, say),
            shifted_said(result, say),
            how_runs(result, say),
            *(law_said(key, result, say) for key in LAWS),
        ],
        "table": {
            "caption": (
                f"Standard deviation of {say.count(result['trials'])} scores divided by √d_k, for "
                "each assumption broken, with its standard error and what theory gives."
            ),
            "columns": ["Components", "Measured", "Standard error", "Theory"],
            "rows": table_rows(result, say),
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the panels in one breath."""
    line, widest = result["lines"][-1], result["deviations"][-1]
    end, shifted = line["at"][str(result["sizes"][-1])], result["means"][-1]
    return (
        "Line charts of the spread of a score divided by √d_k, which should be one: "
        f"{brief(say, end['sd'], 3)} for components correlated by {say.plain(line['r'])}, "
        f"{brief(say, widest['sd'], 3)} for deviation {say.plain(widest['component'])}, "
        f"{brief(say, shifted['row']['sd'], 3)} for mean {say.plain(shifted['mean'])}. "
        "Below, runs scatter with kurtosis."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the upper panels in the order they are read."""
    sizes = ", ".join(say.count(size) for size in result["sizes"])
    return (
        "The upper panels share one vertical scale, the standard deviation of a score divided by "
        "√d_k, on a log scale; it is one where every assumption holds. Each breaks one of them, in "
        "q and in k alike: components that correlate within a vector, against d_k "
        f"({sizes}); components of another standard deviation; components with a mean, for all "
        f"pairs and within rows of {say.count(result['keys'])} keys that share a query. The last "
        f"ones are at d_k = {say.count(result['d_k'])}. Lines are theory and marks are measured "
        f"with {say.count(result['trials'])} normal vectors each; {say.percent(result['coverage'])} "
        f"intervals reach at most {say.percent(result['largest_error'], 1)} either way."
    )


def correlated_said(result: Stored, say: Say) -> str:
    """Read each line of correlated components at every width."""
    lines = "; ".join(
        f"r = {say.plain(line['r'])}, "
        + ", ".join(brief(say, line["at"][str(d_k)]["sd"], 3) for d_k in result["sizes"])
        for line in result["lines"]
    )
    return f"Measured with correlated components, in the order of the widths: {lines}."


def scaled_said(result: Stored, say: Say) -> str:
    """Read the line of scaled components."""
    points = "; ".join(
        f"{say.plain(one['component'])}, {brief(say, one['sd'], 3)}" for one in result["deviations"]
    )
    return (
        "Measured with components of another standard deviation, which comes first: "
        f"{points}. Theory gives its square."
    )


def shifted_said(result: Stored, say: Say) -> str:
    """Read both lines of shifted components."""
    points = "; ".join(
        f"{say.plain(one['mean'])}, {brief(say, one['all']['sd'], 3)} and "
        f"{brief(say, one['row']['sd'], 3)}"
        for one in result["means"]
    )
    return (
        "Measured with components that have a mean, which comes first, then over all pairs and "
        f"within rows: {points}. What the mean adds to every key of a query alike cancels in the "
        "softmax, so the spread within rows is what counts there."
    )


def how_runs(result: Stored, say: Say) -> str:
    """Say how the lower panel is built, and how many runs an interval should have held."""
    return (
        "The lower panel has a line for each law of components. All laws have mean zero and "
        "variance one, so that the true variance of a score is d_k for each. A tick stands for a "
        f"run: the variance of {say.count(result['law_trials'])} scores over d_k, at d_k = "
        f"{say.count(result['law_size'])}, on a log scale; there are {say.count(result['repeats'])} "
        f"runs a law. A shaded bar reaches as far as {say.percent(result['coverage'])} of the runs "
        "should in theory, by the kurtosis of the law, which stands at the right; laws without one "
        f"have no bar. Of {say.count(result['promised'])} runs with a bar, "
        f"{say.count(result['outside'])} are outside it; about "
        f"{brief(say, result['outside_expected'], 2)} are expected."
    )


def law_said(key: str, result: Stored, say: Say) -> str:
    """Read the runs of one law."""
    law = result["laws"][key]
    said = (
        f"kurtosis {brief(say, law['kurtosis'], 3)}, bar {say.percent(law['reach'], 1)} either way"
        if "reach" in law
        else "no kurtosis"
    )
    name = law_name(key, law, result, say).replace("*", "")
    return (
        f"{name[0].upper()}{name[1:]}: {said}; runs from {say.fixed(law['low'], 3)} to "
        f"{say.fixed(law['high'], 3)}."
    )


def table_rows(result: Stored, say: Say) -> list[list[str]]:
    """Print every point of the upper panels."""
    points = [
        *(
            (f"Correlation {say.plain(line['r'])}, d_k = {say.count(d_k)}", line["at"][str(d_k)])
            for line in result["lines"]
            for d_k in result["sizes"]
        ),
        *(
            (f"Standard deviation {say.plain(one['component'])}", one)
            for one in result["deviations"]
        ),
        *(
            (f"Mean {say.plain(one['mean'])}, {said}", one[part])
            for one in result["means"]
            for part, said in (("all", "all pairs"), ("row", "within rows"))
        ),
    ]
    return [
        [name, *(brief(say, one[of], 3) for of in ("sd", "error", "theory_sd"))]
        for name, one in points
    ]


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw the ways the law fails above, and below them the ways a measurement does."""
    pt, say = canvas.pt, canvas.say
    y = canvas.heading(
        0,
        "Spread of a score divided by √*d_k*",
        "standard deviation; lines: theory, marks: measured",
    )
    y = draw_failures(result, canvas, y + 15 * pt)
    runs = f"{say.count(result['repeats'])} runs of {say.count(result['law_trials'])} pairs"
    y = canvas.heading(
        y + 18 * pt,
        "Measured variance against *d_k*",
        f"all laws have variance one; {runs} at *d_k* = {say.count(result['law_size'])}",
    )
    y = draw_laws(result, canvas, y + 8 * pt)
    canvas.height = y + 3 * pt


def draw_failures(result: Stored, canvas: Canvas, top: float) -> float:
    """Draw correlated, scaled and shifted components on one scale; give the last baseline."""
    pt = canvas.pt
    left, gap = 34 * pt, 13 * pt
    names = [*(line_name(line, canvas.say) for line in result["lines"]), *PARTS]
    room = max(canvas.words(name).width for name in names) + 3 * pt  # beside a panel
    high = canvas.panel_height((104 if canvas.narrow else 126) * pt)
    if canvas.narrow:
        half = (canvas.width - left - gap - room) / 2
        spans = [(left, canvas.width - room)]
        spans += [(left, left + half), (left + half + gap, canvas.width - room)]
    else:
        wide = (canvas.width - left - 2 * room - 2 * gap) / len(PANELS)
        starts = (left, left + wide + room + gap, left + 2 * wide + room + 2 * gap)
        spans = [(start, start + wide) for start in starts]
    y, title = top, 16 * pt
    for index, ((start, end), draw_panel) in enumerate(zip(spans, PANELS, strict=True)):
        first = start == left
        if index and first:
            top = y + 13 * pt
        scale = canvas.scale(every_sd(result), top + title + high, top + title, log=True)
        panel = Panel(canvas.scale((0, 1), start + INSET * pt, end - INSET * pt), scale)
        draw_hairlines(result, panel, canvas, labeled=first)
        y = draw_panel(result, panel, canvas)
    return y


def every_sd(result: Stored) -> list[float]:
    """Every spread the upper panels show."""
    return [
        one[of]
        for one in (
            *(point for line in result["lines"] for point in line["at"].values()),
            *result["deviations"],
            *(case[part] for case in result["means"] for part in ("all", "row")),
        )
        for of in ("sd", "theory_sd")
    ]


def draw_hairlines(result: Stored, panel: Panel, canvas: Canvas, *, labeled: bool) -> None:
    """Draw a hairline at one, and at the spreads of scaled components where there is room."""
    pt, (x, y) = canvas.pt, panel
    left, right = x.start - INSET * pt, x.end + INSET * pt
    lines: dict[float, float] = {}
    for value in sorted((one["theory_sd"] for one in result["deviations"]), key=is_not_one):
        if all(abs(y(value) - place) > 11 * pt for place in lines):
            lines[y(value)] = value
    for place, value in lines.items():
        canvas.grid(place, left, right)
        if labeled:
            label = canvas.say.brief(value)
            canvas.text(left - 4 * pt, place, label, "ink2", anchor="end", centered=True)


def is_not_one(value: float) -> bool:
    """Put the aim first."""
    return value != 1


def draw_correlated_lines(result: Stored, panel: Panel, canvas: Canvas) -> float:
    """Draw how correlation within vectors brings width back."""
    pt, say, sizes = canvas.pt, canvas.say, result["sizes"]
    x, y = canvas.scale(sizes, panel.x.start, panel.x.end, log=True), panel.y
    name_panel("Correlated components", panel, canvas)
    for line in result["lines"]:
        curve = zip(line["curve"]["d_k"], line["curve"]["sd"], strict=True)
        canvas.line([(x(d_k), y(sd)) for d_k, sd in curve], "sqrt", "data")
    for line in result["lines"]:
        canvas.marks([(x(d_k), y(line["at"][str(d_k)]["sd"])) for d_k in sizes], "sqrt", "square")
    ends = [y(line["curve"]["sd"][-1]) for line in result["lines"]]
    places = apart(ends, LEADING * pt, y.end, y.start)
    for index, (place, line) in enumerate(zip(places, result["lines"], strict=True)):
        last = index == len(places) - 1
        words = line_name(line, say) if last else say.plain(line["r"])
        canvas.text(x.end + (INSET + 2) * pt, place, words, "sqrt-words", centered=True)
    ticks = [(x(d_k), say.count(d_k)) for d_k in sizes]
    return name_axis(ticks, "key dimension *d_k*", panel, canvas)


def line_name(line: Stored, say: Say) -> str:
    """Name a line of correlated components."""
    return f"*r* = {say.plain(line['r'])}"


def draw_scaled_line(result: Stored, panel: Panel, canvas: Canvas) -> float:
    """Draw how the spreads of components multiply."""
    say, cases = canvas.say, result["deviations"]
    x, y = (
        canvas.scale([one["component"] for one in cases], panel.x.start, panel.x.end, log=True),
        panel.y,
    )
    name_panel("Scaled components", panel, canvas)
    canvas.line([(x(one["component"]), y(one["theory_sd"])) for one in cases], "sqrt", "data")
    canvas.marks([(x(one["component"]), y(one["sd"])) for one in cases], "sqrt", "square")
    end, place = x.end + INSET * canvas.pt, y.start + 0.14 * (y.end - y.start)
    if canvas.clear(end, place, SQUARE, anchor="end"):
        canvas.text(end, place, SQUARE, "ink2", anchor="end")
    ticks = [(x(one["component"]), say.plain(one["component"])) for one in cases]
    return name_axis(ticks, "deviation of each", panel, canvas)


def draw_shifted_lines(result: Stored, panel: Panel, canvas: Canvas) -> float:
    """Draw what a mean adds, over all pairs and within rows."""
    pt, say, cases = canvas.pt, canvas.say, result["means"]
    x, y = canvas.scale([one["mean"] for one in cases], panel.x.start, panel.x.end), panel.y
    name_panel("Shifted components", panel, canvas)
    for part, role, shape in (("all", "ink2", "dot"), ("row", "sqrt", "square")):
        canvas.line([(x(one["mean"]), y(one[part]["theory_sd"])) for one in cases], role, "data")
        canvas.marks([(x(one["mean"]), y(one[part]["sd"])) for one in cases], role, shape)
    ends = [y(cases[-1][part]["theory_sd"]) for part in ("all", "row")]
    places = apart(ends, LEADING * pt, y.end, y.start)
    for place, words, role in zip(places, PARTS, ("ink2", "sqrt-words"), strict=True):
        canvas.text(x.end + (INSET + 2) * pt, place, words, role, centered=True)
    ticks = [(x(one["mean"]), say.plain(one["mean"])) for one in cases]
    return name_axis(ticks, "mean of each", panel, canvas)


PANELS = (draw_correlated_lines, draw_scaled_line, draw_shifted_lines)


def name_panel(title: str, panel: Panel, canvas: Canvas) -> None:
    """Say above a panel what its components are."""
    x = panel.x.start - INSET * canvas.pt
    canvas.text(x, panel.y.end - 9 * canvas.pt, title, "ink", kind="title")


def name_axis(
    ticks: Sequence[tuple[float, str]], title: str, panel: Panel, canvas: Canvas
) -> float:
    """Draw the axis below a panel and name it; give the last baseline."""
    pt = canvas.pt
    y = canvas.axis(panel.y.start + 7 * pt, ticks) + 12.5 * pt
    canvas.text((panel.x.start + panel.x.end) / 2, y, title, "ink2", anchor="middle")
    return y


def draw_laws(result: Stored, canvas: Canvas, top: float) -> float:
    """Draw a tick for every run of every law on one scale; give the last baseline."""
    pt, say = canvas.pt, canvas.say
    names = {key: law_name(key, result["laws"][key], result, say) for key in LAWS}
    left = max(canvas.words(name).width for name in names.values()) + 12 * pt
    right = canvas.width - canvas.words(KURTOSIS).width - 12 * pt
    x = canvas.scale(run_reach(result), left, right, log=True)
    canvas.text(canvas.width, top + 7 * pt, KURTOSIS, "ink3", anchor="end")
    top += 13 * pt
    bottom = top + ROW * pt * len(LAWS)
    canvas.line([(x(1), top), (x(1), bottom)], "ink3", "dotted", dotted=True, under=True)
    for index, key in enumerate(LAWS):
        law, y = result["laws"][key], top + (index + 0.5) * ROW * pt
        canvas.text(0, y, names[key], centered=True)
        said = say.brief(law["kurtosis"]) if "kurtosis" in law else "none"
        canvas.text(canvas.width, y, said, "ink2", anchor="end", centered=True)
        draw_runs(law, x, y, canvas)
    said = f"shaded: {say.percent(result['coverage'])} of runs, in theory"
    if canvas.clear(right, top + ROW * pt, said, anchor="end"):
        canvas.text(right, top + ROW * pt, said, "ink3", anchor="end", centered=True)
    ticks = [(x(value), say.label(value)) for value in OCTAVES if x.low <= value <= x.high]
    return canvas.axis(bottom + 3 * pt, ticks)


def run_reach(result: Stored) -> tuple[float, float]:
    """The range of all runs and bars, and from one half to two at least; it ends at a power of two."""
    laws = result["laws"].values()
    bars = [1 + side * law["reach"] for law in laws if "reach" in law for side in (-1, 1)]
    low = min(0.5, *(law["low"] for law in laws), *bars)
    high = max(2.0, *(law["high"] for law in laws), *bars)
    return max(low, LEAST), 2.0 ** math.ceil(math.log2(high))


def draw_runs(law: Stored, x: Scale, y: float, canvas: Canvas) -> None:
    """Draw the runs of one law, and the bar that should hold most of them."""
    pt = canvas.pt
    if "reach" in law:
        low, high = x(max(1 - law["reach"], x.low)), x(min(1 + law["reach"], x.high))
        canvas.rectangle(low, y - 5.5 * pt, high - low, 11 * pt, "rule", 0.5, under=True)
    for ratio in law["ratios"]:
        at = x(max(ratio, x.low))
        stroke = "hair" if canvas.narrow else "interval"
        canvas.line([(at, y - 3.5 * pt), (at, y + 3.5 * pt)], "ink2", stroke)


def law_name(key: str, law: Stored, result: Stored, say: Say) -> str:
    """Say what a law is called."""
    if "degrees" in law:
        return f"Student’s *t*, {say.plain(law['degrees'])}"
    return {
        "coin": "fair coin",
        "uniform": "uniform",
        "normal": "normal",
        "laplace": "Laplace",
        "sparse": f"normal, {say.percent(result['sparse_share'])} not zero",
    }[key]
