"""How is the weight of a random row shared as heads widen, with few keys and with many?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le, Len, Predicate

import degrees
from attention import NAMES, Array, brief, divisors, softmax
from evidence import first_to_last, lowest_to_highest
from labels import apart
from panels import ORDER, SHAPES, TITLES, Panel, draw_halves
from rows import (
    Sizes,
    complements,
    draw_rows,
    each_once,
    entropies,
    expected_maximum,
    summary,
    traces,
)

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Stored, Stream

ONE_HOT = 0.99  # weight from which a row belongs to one key
MEASURES = {  # each between zero and one: its name, and what it tells
    "top": ("Largest weight", "share of the row that one key takes"),
    "entropy_share": ("Entropy", "share of that of an even split"),
    "trace": ("Trace of the Jacobian", "slope left at the softmax input"),
}
INSET = 4  # printed points from the edges of a panel to its first and last size
NAMES_WIDE = 77  # printed points beside a panel for the names of its lines

Keys = Annotated[int, Ge(2), Le(1024)]


@dataclass(frozen=True)
class Parameters:
    """Key dimensions and numbers of keys to try, and how many random rows for each pair."""

    sizes: Sizes
    keys: Annotated[tuple[Keys, ...], Len(1, 3), Predicate(each_once)]  # a column of panels each
    rows: Annotated[int, Ge(2), Le(20_000)]


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:
    """Weigh random rows at every size and number of keys, under each divisor.

    The three divisors share a pair's rows. Each pair has its own stream, keyed by both numbers:
    adding a size or a number of keys moves no other.
    """
    sizes, keys, rows = sorted(parameters.sizes), sorted(parameters.keys), parameters.rows
    weighed = {
        (n, d_k): weigh(draw_rows(d_k, n, rows, stream(n, d_k)), d_k) for n in keys for d_k in sizes
    }
    errors = [
        one[name][part]["error"] for one in weighed.values() for name in NAMES for part in MEASURES
    ]
    return {
        "rows": rows,
        "sizes": sizes,
        "keys": keys,
        "smallest": sizes[0],
        "largest": sizes[-1],
        "fewest": keys[0],
        "most": keys[-1],
        "one_hot_from": ONE_HOT,
        "largest_error": max(errors),
        "theory": {str(n): theory(n) for n in keys},
        "at": {str(n): {str(d_k): record(weighed[n, d_k]) for d_k in sizes} for n in keys},
    }


def theory(n: int) -> dict[str, float]:
    """What is known of random rows of n keys.

    `even` is the weight of an even split. Above a d_k of `frozen_above`, 2 ln n, unscaled scores
    are in the frozen phase of the random energy model (Derrida 1981), a statement about large n.
    √d_k times the mean unscaled trace tends to `trace_times_root`, M_n, as d_k grows.
    """
    return {
        "even": 1 / n,
        "frozen_above": 2 * math.log(n),
        "trace_times_root": expected_maximum(n),
    }


def frozen_squares(d_k: int, n: int) -> float:
    """Σ p² of an unscaled row in the random energy model: max(0, 1 - √(2 ln n / d_k)), large n."""
    return max(0.0, 1 - math.sqrt(2 * math.log(n) / d_k))


def weigh(scores: Array, d_k: int) -> dict[str, Any]:
    """How the weight of one pair's rows is shared, under each divisor: (rows, keys) scores."""
    by = {name: share(softmax(scores / divisor)) for name, divisor in divisors(d_k).items()}
    squares = {
        "mean": 1 - by["raw"]["trace"]["mean"],
        "theory": frozen_squares(d_k, scores.shape[1]),
    }
    return {**by, "squares": squares}


def share(weights: Array) -> dict[str, Any]:
    """How each row's weights are shared, summed up over the rows."""
    trace = traces(weights)
    one_hot = np.min(complements(weights), axis=-1) <= 1 - ONE_HOT
    return {
        "top": summary(np.max(weights, axis=-1)),
        "entropy_share": summary(entropies(weights) / math.log(weights.shape[1])),
        "trace": summary(trace),
        "one_hot": float(np.mean(one_hot)),
    }


def record(one: dict[str, Any]) -> dict[str, Any]:
    """What is kept of one pair: means and medians, and how many rows belong to one key."""
    kept = {
        name: {
            **{part: {of: one[name][part][of] for of in ("mean", "median")} for part in MEASURES},
            "one_hot": one[name]["one_hot"],
        }
        for name in NAMES
    }
    return {**kept, "squares": one["squares"]}


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of random rows under each divisor."""
    return [
        *unscaled_rows(result, say),
        *divided_rows(result, say),
        *longer_rows(result, say),
        slope_in_few(result, say),
    ]


def by_size(result: Stored, n: int, name: str, part: str, of: str = "mean") -> list[float]:
    """One number of each size, from the narrowest head to the widest, for one number of keys."""
    return [pair(result, n, d_k)[name][part][of] for d_k in result["sizes"]]


def unscaled_rows(result: Stored, say: Say) -> list[Claim]:
    """Claim that the typical unscaled row ends with one key, and that width takes it there."""
    medians = [by_size(result, n, "raw", "top", "median")[-1] for n in result["keys"]]
    means = {n: by_size(result, n, "raw", "top") for n in result["keys"]}
    return [
        {
            "name": "unscaled_freezes",
            "sentence": (
                "In the widest head the typical unscaled row gives one key at least "
                f"{say.percent(degrees.NEARLY_ALL)}, with every number of keys."
            ),
            "holds": all(map(degrees.takes_nearly_all, medians)),
            "evidence": f"medians {', '.join(say.weight(one) for one in medians)}",
        },
        {
            "name": "unscaled_closes_up",
            "sentence": (
                "Unscaled, the largest weight grows on average from each size to the next, with "
                "every number of keys."
            ),
            "holds": all(map(degrees.rises, means.values())),
            "evidence": with_keys(say, {n: first_to_last(say, one) for n, one in means.items()}),
        },
    ]


def divided_rows(result: Stored, say: Say) -> list[Claim]:
    """Claim that division by √d_k takes the width out, and that division by d_k evens rows out."""
    means = {n: by_size(result, n, "sqrt", "top") for n in result["keys"]}
    ends = {n: by_size(result, n, "dk", "top")[-1] for n in result["keys"]}
    return [
        {
            "name": "scaled_does_not_depend_on_width",
            "sentence": (
                "Divided by √d_k, the largest weight is on average at every size within "
                f"{say.percent(degrees.LEVEL)} of what it is in the widest head."
            ),
            "holds": all(map(degrees.level, means.values())),
            "evidence": with_keys(
                say, {n: lowest_to_highest(say, one) for n, one in means.items()}
            ),
        },
        {
            "name": "dk_almost_even",
            "sentence": (
                "Divided by d_k, the largest weight in the widest head is on average at most "
                f"{say.percent(degrees.EVEN)} above an even share."
            ),
            "holds": all(degrees.hardly_above_even(top, n) for n, top in ends.items()),
            "evidence": with_keys(say, {n: brief(say, top, 3) for n, top in ends.items()}),
        },
    ]


def longer_rows(result: Stored, say: Say) -> list[Claim]:
    """Claim that more keys take weight from the leading one, and flatten the scaled row."""
    tops, shares = (
        {
            (name, d_k): [pair(result, n, d_k)[name][part]["mean"] for n in result["keys"]]
            for name in ("raw", "sqrt")
            for d_k in result["sizes"]
        }
        for part in ("top", "entropy_share")
    )
    scaled = [one for (name, _), one in shares.items() if name == "sqrt"]
    return [
        {
            "name": "more_keys_lower_the_top",
            "sentence": (
                "At every size more keys leave less to the leading one on average, unscaled and "
                "divided by √d_k."
            ),
            "holds": all(map(degrees.falls, tops.values())),
            "evidence": (
                f"in the widest head {first_to_last(say, tops['raw', result['largest']])} unscaled "
                f"and {first_to_last(say, tops['sqrt', result['largest']])} divided by √d_k"
            ),
        },
        {
            "name": "long_rows_flatten",
            "sentence": (
                "Divided by √d_k, rows with more keys are on average nearer to the entropy of an "
                "even split, at every size."
            ),
            "holds": all(map(degrees.rises, scaled)),
            "evidence": f"in the widest head {first_to_last(say, scaled[-1])} of it",
        },
    ]


def slope_in_few(result: Stored, say: Say) -> Claim:
    """Claim that in wide unscaled heads the mean slope is not that of the typical row."""
    slopes = [pair(result, n, result["largest"])["raw"]["trace"] for n in result["keys"]]
    return {
        "name": "few_rows_keep_the_slope",
        "sentence": (
            "In the widest unscaled head the median trace of the Jacobian is at most "
            f"{say.percent(degrees.FLAT)} of the mean one, with every number of keys."
        ),
        "holds": all(degrees.fades(one["median"], one["mean"]) for one in slopes),
        "evidence": "; ".join(
            f"{brief(say, one['median'], 2)} against {brief(say, one['mean'], 2)}" for one in slopes
        ),
    }


def with_keys(say: Say, said: dict[int, str]) -> str:
    """Print what was found for each number of keys."""
    return "; ".join(f"{words} with {say.count(n)} keys" for n, words in said.items())


def describe(result: Stored, say: Say) -> Description:
    """Tell the panels in words, and give their data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(at_ends(part, result, say) for part in MEASURES),
            frozen(result, say),
            one_hot(result, say),
        ],
        "table": {
            "caption": (
                f"Mean and median over {say.count(result['rows'])} random rows for each number "
                "of keys, each d_k and each scaling."
            ),
            "columns": [
                "Keys, d_k and scaling",
                *(f"{title}, {of}" for title, _ in MEASURES.values() for of in ("mean", "median")),
                "One-hot rows",
            ],
            "rows": [
                table_row(n, d_k, name, result, say)
                for n in result["keys"]
                for d_k in result["sizes"]
                for name in NAMES
            ],
        },
    }


def pair(result: Stored, n: int, d_k: int) -> Stored:
    """What was measured of one number of keys at one size."""
    one: Stored = result["at"][str(n)][str(d_k)]
    return one


def alternative(result: Stored, say: Say) -> str:
    """Say the panels in one breath."""
    n, last = result["most"], result["largest"]
    tops = ", ".join(
        f"{say.weight(pair(result, n, last)[name]['top']['mean'])} {said}"
        for name, said in NAMES.items()
    )
    return (
        "Line charts against d_k of largest weight, entropy and slope of random rows, for "
        f"{say.series(result['keys'])} keys. With {say.count(n)} keys at d_k = {say.count(last)} "
        f"the mean largest weight is {tops}; an even split is "
        f"{say.weight(result['theory'][str(n)]['even'])}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    sizes = ", ".join(say.count(size) for size in result["sizes"])
    parts = "; ".join(
        f"{title[0].lower()}{title[1:]}, the {tells}" for title, tells in MEASURES.values()
    )
    return (
        f"A grid of panels: a column for each number of keys ({say.series(result['keys'])}), and "
        f"a line of panels for each measure, from the top: {parts}. All share one vertical scale "
        f"from zero to one and one horizontal axis, the key dimension d_k, on a log scale: {sizes}. "
        "A line with marks joins the means of each scaling, a dotted line its medians. Each point "
        f"sums up {say.count(result['rows'])} random rows, whose queries and keys have "
        "independent standard normal components; the scalings share them. Standard errors "
        f"of the means are at most {say.fixed(result['largest_error'], 4)}."
    )


def at_ends(part: str, result: Stored, say: Say) -> str:
    """Give both ends of the lines of one measure, for each number of keys."""

    def ends(n: int, name: str) -> str:
        first, last = (pair(result, n, result[end])[name][part] for end in ("smallest", "largest"))
        return (
            f"{NAMES[name]} {printed(say, part, first['mean'])} to "
            f"{printed(say, part, last['mean'])} (median {printed(say, part, last['median'])})"
        )

    lines = "; ".join(
        f"with {say.count(n)} keys, {', '.join(ends(n, name) for name in NAMES)}"
        for n in result["keys"]
    )
    return f"{MEASURES[part][0]}, means from the smallest to the largest d_k: {lines}."


def printed(say: Say, part: str, value: float) -> str:
    """Print a measure: a share as a weight, a slope however small it is."""
    return brief(say, value, 3) if part == "trace" else say.weight(value)


def frozen(result: Stored, say: Say) -> str:
    """Tell where theory has unscaled rows freeze, and how far off it is with so few keys."""
    lines = "; ".join(
        f"with {say.count(n)} keys at d_k = {brief(say, result['theory'][str(n)]['frozen_above'], 2)}"
        for n in result["keys"]
    )
    n, d_k = result["most"], result["largest"]
    squares = pair(result, n, d_k)["squares"]
    return (
        f"A dotted upright line marks, where the axis reaches so far, at which d_k the theory of "
        "long rows has unscaled ones freeze: "
        f"{lines}. The lines bend gradually, since these rows are short. With {say.count(n)} keys "
        f"at d_k = {say.count(d_k)} the squared weights add up to "
        f"{say.fixed(squares['mean'], 3)} on average, against {say.fixed(squares['theory'], 3)} in "
        "that theory."
    )


def one_hot(result: Stored, say: Say) -> str:
    """Tell how many rows belong to one key."""
    lines = "; ".join(
        f"with {say.count(n)} keys "
        + ", ".join(
            say.percent(pair(result, n, d_k)["raw"]["one_hot"], 1) for d_k in result["sizes"]
        )
        for n in result["keys"]
    )
    return (
        f"Unscaled rows whose largest weight is at least {say.plain(result['one_hot_from'])}, in "
        f"the order of the sizes: {lines}."
    )


def table_row(n: int, d_k: int, name: str, result: Stored, say: Say) -> list[str]:
    """Print one scaling of one pair for the table."""
    one = pair(result, n, d_k)[name]
    return [
        f"{say.count(n)} keys, d_k = {say.count(d_k)}, {NAMES[name]}",
        *(printed(say, part, one[part][of]) for part in MEASURES for of in ("mean", "median")),
        say.percent(one["one_hot"], 1),
    ]


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw a grid of panels: a column for each number of keys, a line for each measure."""
    pt, say, keys = canvas.pt, canvas.say, result["keys"]
    y = canvas.heading(
        0,
        "How a random row shares its weight",
        "means with marks; dotted: medians; upright: *d_k* = 2 ln(keys)",
    )
    if canvas.narrow:
        y = draw_key(canvas, y + 8 * pt)
    first, last = (
        canvas.words(say.count(result[end])).width / 2 - INSET * pt
        for end in ("smallest", "largest")
    )
    left, gap = 22 * pt, max((9 if canvas.narrow else 15) * pt, first + last + 3 * pt)
    beside = max(0.0, last) if canvas.narrow else NAMES_WIDE * pt
    wide = (canvas.width - left - beside - gap * (len(keys) - 1)) / len(keys)
    columns = [left + index * (wide + gap) for index in range(len(keys))]
    top = y + 14 * pt
    for x, n in zip(columns, keys, strict=True):
        named = canvas.text(x, top + 8 * pt, f"{say.count(n)} keys", kind="title")
        freezes = f"2 ln {say.count(n)} ≈ {brief(say, result['theory'][str(n)]['frozen_above'], 2)}"
        below = 12.5 * pt if canvas.narrow else 0
        beside = x if canvas.narrow else named.right + 6 * pt
        canvas.text(beside, top + 8 * pt + below, freezes, "ink3")
    top += 9 * pt + below
    for part, (title, tells) in MEASURES.items():
        start = head(canvas, left, top, title, tells)
        high = canvas.panel_height((60 if canvas.narrow else 66) * pt)
        for index, (x, n) in enumerate(zip(columns, keys, strict=True)):
            panel = Panel(
                canvas.scale(result["sizes"], x + INSET * pt, x + wide - INSET * pt, log=True),
                canvas.scale((0, 1), start + high, start),
            )
            draw_panel(result, (n, part), panel, canvas, labeled=not index)
        if not canvas.narrow:
            draw_names(result, part, panel, canvas)
        top = start + high + 3 * pt
    draw_axes(
        result, canvas, top + 4 * pt, [(x + INSET * pt, x + wide - INSET * pt) for x in columns]
    )


def draw_key(canvas: Canvas, top: float) -> float:
    """Say which mark is which scaling, on one line; give its baseline."""
    pt, x = canvas.pt, 4 * canvas.pt
    y = top + 8 * pt
    for name, title in TITLES.items():
        canvas.marks([(x, y - canvas.cap() / 2)], name, SHAPES[name])
        x = canvas.text(x + 6 * pt, y, title, f"{name}-words", kind="strong").right + 15 * pt
    return y


def head(canvas: Canvas, x: float, top: float, title: str, tells: str) -> float:
    """Name a line of panels, and say more quietly what it tells; give where the panels start."""
    pt = canvas.pt
    y = top + 14 * pt
    named = canvas.text(x, y, title, kind="strong")
    canvas.text(named.right + 6 * pt, y, tells, "ink3")
    return y + 8 * pt


def draw_panel(
    result: Stored, what: tuple[int, str], panel: Panel, canvas: Canvas, *, labeled: bool
) -> None:
    """Draw one measure for one number of keys."""
    (n, part), (x, y) = what, panel
    draw_halves(panel, canvas, INSET, labeled=labeled)
    threshold = result["theory"][str(n)]["frozen_above"]
    if x.low <= threshold <= x.high:
        at = x(threshold)
        canvas.line([(at, y.end), (at, y.start)], "ink3", "dotted", dotted=True, under=True)
    for name in ORDER:
        means, medians = (
            [(x(d_k), y(pair(result, n, d_k)[name][part][of])) for d_k in result["sizes"]]
            for of in ("mean", "median")
        )
        canvas.line(medians, name, "data", dotted=True)
        canvas.line(means, name, "data")
        canvas.marks(means, name, SHAPES[name])


def draw_names(result: Stored, part: str, panel: Panel, canvas: Canvas) -> None:
    """Name the lines of the last panel of a line beside their ends."""
    pt, (x, y) = canvas.pt, panel
    last = pair(result, result["most"], result["largest"])
    ends = [y(last[name][part]["mean"]) + canvas.cap() / 2 for name in ORDER]
    places = apart(ends, 12.5 * pt, y.end, y.start + 3 * pt)
    for at, name in zip(places, ORDER, strict=True):
        canvas.text(x.end + 9 * pt, at, TITLES[name], f"{name}-words", kind="strong")


def draw_axes(
    result: Stored, canvas: Canvas, top: float, columns: list[tuple[float, float]]
) -> None:
    """Draw the axis of the sizes under each column; set the height of the sheet."""
    say, sizes = canvas.say, result["sizes"]
    y = top
    for start, end in columns:
        x = canvas.scale(sizes, start, end, log=True)
        y = canvas.axis(top, [(x(d_k), say.count(d_k)) for d_k in sizes])
    y += 13 * canvas.pt
    middle = (columns[0][0] + columns[-1][1]) / 2
    canvas.text(middle, y, "key dimension *d_k* (log scale)", "ink2", anchor="middle")
    canvas.height = y + 3 * canvas.pt
