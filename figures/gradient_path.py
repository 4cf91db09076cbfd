"""Does the gradient vanish without scaling, and seen from where: softmax, raw score or query?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Le, Len, Predicate

import degrees
from attention import NAMES, Array, brief, divisors, softmax
from evidence import first_to_last, lowest_to_highest
from labels import apart, percent
from panels import ORDER, SHAPES, TITLES
from rows import (
    TAIL,
    Sizes,
    draw_rows_with_keys,
    each_once,
    expected_maximum,
    slopes,
    slopes_through,
    summary,
)

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Scale, Stored, Stream

Record = dict[str, Any]

CHUNK = 2**10  # rows in memory at once; fixed, since another number would draw other rows
DEAD = 0.001  # slope at the query under which a row counts as dead
FEW = 0.05  # share of the rows, the steepest ones, whose part of the whole is told
PLACES = {  # where the slope is seen from on the way back, and what that adds
    "input": ("At the softmax input", "the Jacobian alone"),
    "score": ("At the raw score", "that, ÷ the divisor"),
    "query": ("At the query", "that, × the keys"),
}
SHADE = {"raw": 0.16, "sqrt": 0.3, "dk": 0.3}  # opacity of the band between the deciles
INSET = 4  # printed points from the edges of a panel to its first and last size
NAMES_WIDE = 84  # printed points beside a panel for the names of its lines
FLOOR = 1e-5  # the lowest slope that is drawn; what falls further leaves the panel

Keys = Annotated[int, Ge(2), Le(64)]


@dataclass(frozen=True)
class Parameters:
    """Key dimensions and numbers of keys to try, and how many random rows for each pair."""

    sizes: Sizes
    keys: Annotated[tuple[Keys, ...], Len(1, 4), Predicate(each_once)]  # the largest is drawn
    rows: Annotated[int, Ge(20), Le(1_000_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Follow the slope of random rows back from the softmax to the raw score and to the query.

    The three divisors share a pair's rows. Each pair has its own stream, keyed by both numbers:
    adding a size or a number of keys moves no other.
    """
    sizes, keys, rows = sorted(parameters.sizes), sorted(parameters.keys), parameters.rows
    at = {
        str(n): {str(d_k): sum_up(follow(d_k, n, rows, stream(n, d_k))) for d_k in sizes}
        for n in keys
    }
    means = [
        one[name][place]
        for by_size in at.values()
        for one in by_size.values()
        for name in NAMES
        for place in PLACES
    ]
    return {
        "rows": rows,
        "sizes": sizes,
        "keys": keys,
        "smallest": sizes[0],
        "largest": sizes[-1],
        "drawn": keys[-1],
        "floor": FLOOR,
        "dead_below": DEAD,
        "few": FEW,
        "band": {"low": TAIL, "high": 1 - TAIL, "middle": 1 - 2 * TAIL},
        "largest_error": max(one["error"] / one["mean"] for one in means if one["mean"] > 0),
        "theory": {str(n): expected_maximum(n) for n in keys},
        "typical_below_from": {n: typical_below_from(by_size) for n, by_size in at.items()},
        "at": at,
    }


def follow(d_k: int, keys: int, rows: int, generator: np.random.Generator) -> Record:
    """Slope of every row at each place under each divisor T, an array of (rows,) each.

    Frobenius norms of how all weights move with the softmax input, J; with the raw score, J/T; and
    with the query, JK/T, by the chain rule. J is the Jacobian of the softmax, K the keys.
    """
    by = divisors(d_k)
    found: Record = {name: {place: [] for place in PLACES} for name in by}
    for start in range(0, rows, CHUNK):
        scores, turned = draw_rows_with_keys(d_k, keys, min(CHUNK, rows - start), generator)
        for name, divisor in by.items():
            weights = softmax(scores / divisor)
            at_input = slopes(weights)
            found[name]["input"].append(at_input)
            found[name]["score"].append(at_input / divisor)
            found[name]["query"].append(slopes_through(weights, turned) / divisor)
    return {
        name: {place: np.concatenate(parts) for place, parts in places.items()}
        for name, places in found.items()
    }


def sum_up(found: dict[str, dict[str, Array]]) -> Record:
    """Sum up the rows of a pair: each place, and at the query also both ends of the rows."""
    return {
        name: {
            **{place: summary(values) for place, values in places.items()},
            "rms": math.sqrt(float(np.mean(places["query"] ** 2))),
            "dead": float(np.mean(places["query"] < DEAD)),
            "carried": carried_by_few(places["query"]),
        }
        for name, places in found.items()
    }


def carried_by_few(values: Array) -> float:
    """Part of the sum of squares that the steepest few of the rows make up; 0 of nothing."""
    squares = np.sort(values**2)
    few, total = max(1, round(FEW * len(squares))), float(np.sum(squares))
    return float(np.sum(squares[-few:])) / total if total > 0 else 0.0


def typical_below_from(by_size: dict[str, Record]) -> int:
    """The least d_k at which the median row sends less to the query unscaled than with √d_k.

    Zero if there is no such size.
    """
    below = (
        int(d_k)
        for d_k, one in by_size.items()
        if one["raw"]["query"]["median"] < one["sqrt"]["query"]["median"]
    )
    return min(below, default=0)


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of the way back, for the number of keys that is drawn."""
    return [
        *typical_row(result, say),
        *average_row(result, say),
        *scaled_rows(result, say),
        caveat(result, say),
    ]


def by_size(result: Stored, name: str, place: str, of: str) -> list[float]:
    """One number of each size, from the narrowest head to the widest."""
    return [drawn(result, d_k)[name][place][of] for d_k in result["sizes"]]


def typical_row(result: Stored, say: Say) -> list[Claim]:
    """Claim that the median unscaled slope fades, and as an exponential does."""
    medians = by_size(result, "raw", "input", "median")
    exponents = local_exponents(result["sizes"], medians)
    return [
        {
            "name": "typical_fades",
            "sentence": (
                "Unscaled, the median slope at the softmax input is in the widest head at most "
                f"{say.percent(degrees.FLAT)} of that in the narrowest."
            ),
            "holds": degrees.fades(medians[-1], medians[0]),
            "evidence": first_to_last(say, medians),
        },
        {
            "name": "fades_faster_than_a_power",
            "sentence": (
                "Unscaled, the median slope at the softmax input falls more steeply from each size "
                "to the next than before, faster than any power of d_k."
            ),
            "holds": degrees.falls(exponents) and exponents[-1] < 0,
            "evidence": f"exponents from size to size {', '.join(power(say, e) for e in exponents)}",
        },
    ]


def local_exponents(sizes: Sequence[int], values: Sequence[float]) -> list[float]:
    """Exponents a of value ∝ d_k^a from each size to the next; minus infinity where nothing is left."""
    pairs = list(zip(sizes, values, strict=True))
    return [
        math.log(later / earlier) / math.log(wide / narrow) if earlier > 0 < later else -math.inf
        for (narrow, earlier), (wide, later) in pairwise(pairs)
    ]


def power(say: Say, exponent: float) -> str:
    """Print an exponent; that of a value which is lost to rounding has no number."""
    return say.fixed(exponent, 2) if math.isfinite(exponent) else "below every number"


def average_row(result: Stored, say: Say) -> list[Claim]:
    """Claim that the mean unscaled slope survives, ever more of it in ever fewer rows."""
    query = [drawn(result, d_k)["raw"]["query"] for d_k in result["sizes"]]
    means = [one["mean"] for one in query]
    kept = [
        later["mean"] - earlier["mean"]
        >= -degrees.SURE * math.hypot(earlier["error"], later["error"])
        for earlier, later in pairwise(query)
    ]
    limit = result["theory"][str(result["drawn"])]
    dead, carried = (
        [drawn(result, d_k)["raw"][part] for d_k in result["sizes"]] for part in ("dead", "carried")
    )
    return [
        no_faster_than_root(result, say),
        {
            "name": "mean_survives_at_query",
            "sentence": (
                "Unscaled, the mean slope at the query falls at no size by more than chance "
                f"explains, and is in the widest head within {say.percent(degrees.LEVEL)} of its "
                "limit in theory."
            ),
            "holds": all(kept) and degrees.level([means[-1], limit]),
            "evidence": f"{first_to_last(say, means)}; limit {brief(say, limit, 3)}",
        },
        {
            "name": "sparse_and_heavy_tailed",
            "sentence": (
                "Unscaled, more rows are dead at each larger size, and in the widest head the "
                f"steepest {say.percent(result['few'])} carry at least "
                f"{say.percent(degrees.MOST)} of all squared slopes."
            ),
            "holds": degrees.rises(dead) and degrees.most(carried[-1]),
            "evidence": (
                f"dead {say.percent(dead[0], 1)} to {say.percent(dead[-1], 1)}; carried "
                f"{say.percent(carried[-1], 1)}"
            ),
        },
    ]


def no_faster_than_root(result: Stored, say: Say) -> Claim:
    """Claim that the mean unscaled slope falls no faster than 1/√d_k at the softmax input."""
    slopes = [(d_k, drawn(result, d_k)["raw"]["input"]) for d_k in result["sizes"]]
    times_root = [math.sqrt(d_k) * one["mean"] for d_k, one in slopes]
    errors = [math.sqrt(d_k) * one["error"] for d_k, one in slopes]
    return {
        "name": "mean_falls_no_faster_than_root",
        "sentence": (
            "Unscaled, the mean slope at the softmax input falls no faster than 1/√d_k, but for "
            "what chance explains."
        ),
        "holds": all(
            later - earlier >= -degrees.SURE * math.hypot(*pair)
            for (earlier, later), pair in zip(pairwise(times_root), pairwise(errors), strict=True)
        ),
        "evidence": f"times √d_k it goes {first_to_last(say, times_root)}",
    }


def scaled_rows(result: Stored, say: Say) -> list[Claim]:
    """Claim that division by √d_k keeps every row alike, and that division by d_k keeps less."""
    levels = [one for of in ("mean", "median") for one in by_size(result, "sqrt", "query", of)]
    last = by_size(result, "sqrt", "query", "mean")[-1]
    dead = [drawn(result, d_k)[name]["dead"] for d_k in result["sizes"] for name in ("sqrt", "dk")]
    return [
        {
            "name": "scaled_is_flat",
            "sentence": (
                "Divided by √d_k, the slope at the query is at every size, on average and in the "
                f"median row, within {say.percent(degrees.NEAR)} of its mean in the widest head."
            ),
            "holds": all(degrees.near(one, last) for one in levels),
            "evidence": lowest_to_highest(say, levels),
        },
        {
            "name": "scaled_row_has_no_dead",
            "sentence": "Divided by √d_k or by d_k, no row is dead at any size.",
            "holds": max(dead) == 0,
            "evidence": f"at most {say.percent(max(dead), 1)} of the rows",
        },
        falls_as_root(result, say),
    ]


def falls_as_root(result: Stored, say: Say) -> Claim:
    """Claim that division by d_k leaves the least slope at the query, and ever less."""
    means = {name: by_size(result, name, "query", "mean") for name in NAMES}
    times_root = [
        math.sqrt(d_k) * mean for d_k, mean in zip(result["sizes"], means["dk"], strict=True)
    ]
    smallest = [
        dk < min(raw, sqrt)
        for d_k, raw, sqrt, dk in zip(
            result["sizes"], *(means[n] for n in ("raw", "sqrt", "dk")), strict=True
        )
        if d_k > 1
    ]
    return {
        "name": "dk_falls_as_root",
        "sentence": (
            "Divided by d_k, the mean slope at the query is the smallest of all at every size "
            "above one, and times √d_k it stays within "
            f"{say.percent(degrees.NEAR)} of what it is in the widest head."
        ),
        "holds": all(smallest) and all(degrees.near(one, times_root[-1]) for one in times_root),
        "evidence": (
            f"{first_to_last(say, means['dk'])}; times √d_k {lowest_to_highest(say, times_root)}"
        ),
    }


def caveat(result: Stored, say: Say) -> Claim:
    """Claim that in narrow heads the typical unscaled row is no worse off at the query."""
    raw, sqrt = (by_size(result, name, "query", "median")[0] for name in ("raw", "sqrt"))
    return {
        "name": "typical_steeper_in_narrow",
        "sentence": (
            "In the narrowest head the median unscaled row is steeper at the query than the median "
            "row divided by √d_k."
        ),
        "holds": bool(raw > sqrt),
        "evidence": f"{brief(say, raw, 3)} against {brief(say, sqrt, 3)}",
    }


def describe(result: Stored, say: Say) -> Description:
    """Tell the panels in words, and give the data of every number of keys."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(at_place(place, result, say) for place in PLACES),
            both_ends(result, say),
            against_theory(result, say),
        ],
        "table": {
            "caption": (
                f"Slope of {say.count(result['rows'])} random rows for each number of keys, d_k "
                "and scaling, from each place; dead rows, and the part of all squared "
                f"slopes that the steepest {say.percent(result['few'])} of the rows carry."
            ),
            "columns": [
                "Keys, d_k and scaling",
                "Softmax input, mean",
                "Softmax input, median",
                "Raw score, mean",
                "Raw score, median",
                "Query, mean",
                "Query, median",
                f"Query, middle {say.percent(result['band']['middle'])}",
                "Dead",
                "Carried by the steepest",
            ],
            "rows": [
                table_row(n, d_k, name, result, say)
                for n in result["keys"]
                for d_k in result["sizes"]
                for name in NAMES
            ],
        },
    }


def drawn(result: Stored, d_k: int) -> Stored:
    """What was measured at one size for the number of keys that is drawn."""
    one: Stored = result["at"][str(result["drawn"])][str(d_k)]
    return one


def alternative(result: Stored, say: Say) -> str:
    """Say the panels in one breath."""
    raw, sqrt = (drawn(result, result["largest"])[name] for name in ("raw", "sqrt"))
    mean, median = (brief(say, sqrt["query"][of], 2) for of in ("mean", "median"))
    return (
        f"Line charts of softmax slope against d_k, {say.count(result['drawn'])} keys. "
        f"At d_k = {say.count(result['largest'])} the query sees, unscaled, a mean of "
        f"{brief(say, raw['query']['mean'], 2)} but a median of "
        f"{brief(say, raw['query']['median'], 1)}, with {say.percent(raw['dead'])} of rows dead; "
        f"divided by √d_k, {f'{mean} for both' if mean == median else f'{mean} and {median}'}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    band, sizes = result["band"], ", ".join(say.count(size) for size in result["sizes"])
    return (
        f"All panels share one axis, the key dimension d_k, on a log scale: {sizes}. The upper show "
        "how strongly the weights of a row respond, as the Frobenius norm of their slope, seen "
        "from the softmax input, from the raw score and from the query, on one log scale. In each, "
        "a line with marks joins the medians of the rows, a dotted line their means, and a shaded "
        f"band reaches from {say.percent(band['low'])} to {say.percent(band['high'])} of the rows. "
        f"The smaller panels count, at the query, dead rows (slope under "
        f"{say.plain(result['dead_below'])}) and the part of all squared slopes that the steepest "
        f"{say.percent(result['few'])} of the rows carry. Each size has {say.count(result['rows'])} "
        f"random rows of {say.count(result['drawn'])} keys, with components of q and of the keys "
        "drawn from a standard normal distribution; the scalings share them."
    )


def at_place(place: str, result: Stored, say: Say) -> str:
    """Give both ends of each line at one place."""
    first, last = (drawn(result, result[end]) for end in ("smallest", "largest"))

    def ends(name: str) -> str:
        start, end = first[name][place], last[name][place]
        return (
            f"{NAMES[name]}, the median goes from {brief(say, start['median'], 3)} to "
            f"{brief(say, end['median'], 3)} and the mean from {brief(say, start['mean'], 3)} to "
            f"{brief(say, end['mean'], 3)}, where the band reaches from "
            f"{brief(say, end['low'], 2)} to {brief(say, end['high'], 2)}"
        )

    return f"{PLACES[place][0]}: {'; '.join(ends(name) for name in NAMES)}."


def both_ends(result: Stored, say: Say) -> str:
    """Tell how many rows send nothing and how much a few of them carry."""
    dead, carried = (
        "; ".join(
            f"{', '.join(say.percent(drawn(result, d_k)[name][part], 1) for d_k in result['sizes'])} "
            f"{NAMES[name]}"
            for name in NAMES
        )
        for part in ("dead", "carried")
    )
    return (
        f"Dead rows, in the order of the sizes: {dead}. Carried by the steepest "
        f"{say.percent(result['few'])}: {carried}."
    )


def against_theory(result: Stored, say: Say) -> str:
    """Give what the mean at the query tends to, and where the typical row falls behind."""
    tends = " and ".join(
        f"{brief(say, result['theory'][str(n)], 3)} for {say.count(n)} keys" for n in result["keys"]
    )
    behind = "; ".join(
        f"with {say.count(n)} keys, {f'at d_k = {say.count(d_k)}' if d_k else 'at none of the sizes'}"
        for n, d_k in ((n, result["typical_below_from"][str(n)]) for n in result["keys"])
    )
    return (
        f"In theory the unscaled mean at the query tends to {tends} as d_k grows. The size from "
        f"which the unscaled median there is below that divided by √d_k: {behind}. Standard errors "
        f"of the means are at most {say.percent(result['largest_error'], 1)} of the mean."
    )


def table_row(n: int, d_k: int, name: str, result: Stored, say: Say) -> list[str]:
    """Print one scaling of one pair for the table."""
    one = result["at"][str(n)][str(d_k)][name]
    slopes_at = [brief(say, one[place][of], 3) for place in PLACES for of in ("mean", "median")]
    return [
        f"{say.count(n)} keys, d_k = {say.count(d_k)}, {NAMES[name]}",
        *slopes_at,
        f"{brief(say, one['query']['low'], 2)} to {brief(say, one['query']['high'], 2)}",
        say.percent(one["dead"], 1),
        say.percent(one["carried"], 1),
    ]


class Columns(NamedTuple):
    """Where the first column of panels starts, how wide each is and how far apart they are."""

    left: float
    wide: float
    gap: float


class Panel(NamedTuple):
    """One panel: where its sizes and its values stand, and whether it labels its hairlines."""

    x: Scale
    y: Scale
    labeled: bool


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw three panels on one scale, side by side or stacked, and two smaller ones below."""
    pt, say = canvas.pt, canvas.say
    middle = say.percent(result["band"]["middle"])
    quiet = "marks: the median row; dotted: the mean; shaded: the middle"
    y = canvas.heading(
        0,
        "How strongly weights respond",
        f"{say.count(result['drawn'])} keys; {quiet} {middle} of rows",
    )
    left, gap, across = 33 * pt, 15 * pt, 1 if canvas.narrow else len(PLACES)
    wide = (canvas.width - left - NAMES_WIDE * pt - gap * (across - 1)) / across
    high = canvas.panel_height((112 if canvas.narrow else 158) * pt)
    bounds, top = reach(result), y + 15 * pt
    for index, (place, (title, adds)) in enumerate(PLACES.items()):
        x = left + (index % across) * (wide + gap)
        start = head(canvas, x, top, title, adds)
        panel = Panel(
            canvas.scale(result["sizes"], x + INSET * pt, x + wide - INSET * pt, log=True),
            canvas.scale(bounds, start + high, start, log=True),
            labeled=index % across == 0,
        )
        draw_slopes(result, place, panel, canvas)
        if index % across == across - 1:
            draw_names(result, place, panel, canvas)
        y = draw_axis(result, panel, canvas)
        top = y + 15 * pt if canvas.narrow else top
    draw_ends(result, canvas, y + 19 * pt, Columns(left, wide, gap))


def reach(result: Stored) -> tuple[float, float]:
    """The decades that hold every mean and median that is drawn, and every band from above."""
    every = [
        one[name][place]
        for one in (drawn(result, d_k) for d_k in result["sizes"])
        for name in NAMES
        for place in PLACES
    ]
    least = min(min(one["mean"], one["median"]) for one in every)
    most = max(max(one["mean"], one["high"]) for one in every)
    lowest = max(least, result["floor"])
    return 10.0 ** math.floor(math.log10(lowest)), 10.0 ** math.ceil(math.log10(most))


def draw_slopes(result: Stored, place: str, panel: Panel, canvas: Canvas) -> None:
    """Draw the bands, the means and the medians of one place."""
    x, y, _ = panel
    draw_decades(panel, canvas)
    records = [(x(d_k), drawn(result, d_k)) for d_k in result["sizes"]]
    for name in ORDER:
        band = [
            (at, y(max(one[name][place][edge], y.low)))
            for edge, some in (("high", records), ("low", records[::-1]))
            for at, one in some
        ]
        canvas.area(band, name, SHADE[name])
    for name in ORDER:
        means, medians = (
            down_to(y, [(at, one[name][place][of]) for at, one in records])
            for of in ("mean", "median")
        )
        if name == "dk":  # paper on either side, since its color is too light for a shaded band
            canvas.line(medians, "paper", "lane")
        canvas.line(means, name, "data", dotted=True)
        canvas.line(medians, name, "data")
        inside = [(at, one) for at, one in records if one[name][place]["median"] >= y.low]
        canvas.marks(
            [(at, y(one[name][place]["median"])) for at, one in inside], name, SHAPES[name]
        )


def draw_decades(panel: Panel, canvas: Canvas) -> None:
    """Draw a hairline at every second power of ten, and label it in the first panel."""
    x, y, labeled = panel
    left, right = x.start - INSET * canvas.pt, x.end + INSET * canvas.pt
    for power in range(math.ceil(math.log10(y.low)), math.floor(math.log10(y.high)) + 1):
        if power % 2 == 0:
            canvas.grid(y(10.0**power), left, right)
            if labeled:
                label = canvas.say.label(10.0**power)
                canvas.text(
                    left - 4 * canvas.pt, y(10.0**power), label, "ink2", anchor="end", centered=True
                )


def down_to(y: Scale, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Follow values down to the foot of the panel and end the line where it leaves it."""
    kept: list[tuple[float, float]] = []
    for (at, value), (after, following) in zip(points, [*points[1:], points[-1]], strict=True):
        if value < y.low:
            break
        kept.append((at, y(value)))
        if following < y.low:
            foot = y(max(following, 1e-300))
            share = (y.start - y(value)) / (foot - y(value))
            kept.append((at + share * (after - at), y.start))
    return kept if len(kept) > 1 else [*kept, *kept]


def draw_names(result: Stored, place: str, panel: Panel, canvas: Canvas) -> None:
    """Name the lines beside their ends, each with the value it ends at."""
    pt, last, (x, y, _) = canvas.pt, drawn(result, result["largest"]), panel
    entries = [
        (name, TITLES[name], of if name == "raw" else "", last[name][place][of])
        for name in ORDER
        for of in (("mean", "median") if name == "raw" else ("median",))
    ]
    ends = [y(max(value, y.low)) for *_, value in entries]
    places = apart(ends, 24 * pt, y.end + 4 * pt, y.start - 6 * pt)
    for at, (name, title, of, value) in zip(places, entries, strict=True):
        canvas.text(x.end + 9 * pt, at - 1.5 * pt, title, f"{name}-words", kind="strong")
        said = f"{of} {shown(canvas.say, value)}".strip()
        canvas.text(x.end + 9 * pt, at + 9.5 * pt, said, "ink2")


def shown(say: Say, value: float) -> str:
    """Print a slope of any size in few letters."""
    return brief(say, value, 2 if value >= DEAD else 1)


def draw_axis(result: Stored, panel: Panel, canvas: Canvas) -> float:
    """Draw the axis of the sizes under a panel; give the last baseline."""
    ticks = [(panel.x(d_k), canvas.say.count(d_k)) for d_k in result["sizes"]]
    return canvas.axis(panel.y.start + 6 * canvas.pt, ticks)


def draw_ends(result: Stored, canvas: Canvas, top: float, columns: Columns) -> None:
    """Draw how many rows are dead and how much a few carry; set the height of the sheet."""
    pt, say, (left, wide, gap) = canvas.pt, canvas.say, columns
    titles = {
        "dead": ("Dead rows", f"under {say.plain(result['dead_below'])} at the query"),
        "carried": (f"Carried by the top {say.percent(result['few'])}", "of all squared slopes"),
    }
    step, end = 2 * (wide + gap), left + 3 * wide + 2 * gap  # the outer two of three columns
    if canvas.narrow:
        end = canvas.width - canvas.words(say.count(result["largest"])).width / 2
        gap = 24 * pt
        wide = (end - left - gap) / 2
        step = wide + gap
    for index, (part, (title, note)) in enumerate(titles.items()):
        x = left + index * step
        start = head(canvas, x, top, title, note)
        panel = Panel(
            canvas.scale(result["sizes"], x + INSET * pt, x + wide - INSET * pt, log=True),
            canvas.scale((0, 1), start + 66 * pt, start),
            labeled=index == 0,
        )
        draw_shares(result, part, panel, canvas)
        y = draw_axis(result, panel, canvas)
    y += 13 * pt
    words = "key dimension *d_k* (log scale)"
    canvas.text((left + end) / 2, y, words, "ink2", anchor="middle")
    canvas.height = y + 3 * pt


def head(canvas: Canvas, x: float, top: float, title: str, note: str) -> float:
    """Name a panel, and say more quietly what it shows; give where the panel starts."""
    pt = canvas.pt
    canvas.text(x, top + 8 * pt, title, kind="strong")
    canvas.text(x, top + 20 * pt, note, "ink3")
    return top + 29 * pt


def draw_shares(result: Stored, part: str, panel: Panel, canvas: Canvas) -> None:
    """Draw a share of each scaling against the size, and name its ends."""
    x, y, labeled = panel
    pt, say = canvas.pt, canvas.say
    left = x.start - INSET * pt
    for share, label in ((0, say.label(0)), (0.5, percent(say, 0.5)), (1, percent(say, 1))):
        canvas.grid(y(share), left, x.end + INSET * pt)
        if labeled:
            canvas.text(left - 4 * pt, y(share), label, "ink2", anchor="end", centered=True)
    for name in ORDER:
        points = [(x(d_k), y(drawn(result, d_k)[name][part])) for d_k in result["sizes"]]
        canvas.line(points, name, "data")
        canvas.marks(points, name, SHAPES[name])
    ends = {name: drawn(result, result["largest"])[name][part] for name in ORDER}
    raw, *divided = (say.percent(ends[name]) for name in ("raw", "sqrt", "dk"))
    if canvas.narrow:
        at, end = x.end + 2 * pt, y(ends["raw"])
        for place in (end - 6 * pt, end + 6 * pt + canvas.cap()):
            if canvas.clear(at, place, raw, kind="strong", anchor="end"):
                canvas.text(at, place, raw, "raw-words", kind="strong", anchor="end")
                break
        return
    root, dk = divided
    either = root if root == dk else f"√*d_k* {root}, *d_k* {dk}"
    places = apart([y(ends["raw"]), y(ends["sqrt"])], 24 * pt, y.end + 4 * pt, y.start - 6 * pt)
    for at, (title, said, role) in zip(
        places, (("No scaling", raw, "raw-words"), ("Either division", either, "ink2")), strict=True
    ):
        canvas.text(x.end + 9 * pt, at - 1.5 * pt, title, role, kind="strong")
        canvas.text(x.end + 9 * pt, at + 9.5 * pt, said, "ink2")
