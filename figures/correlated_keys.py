"""How much weight does a matching key get, when query and key agree and heads grow wider?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, Lt

import degrees
from attention import NAMES, Array, KeyDimension, brief, divisors, softmax
from evidence import first_to_last, lowest_to_highest
from labels import apart
from panels import SHAPES, TITLES, Panel, draw_halves
from rows import TAIL, Sizes, summary

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Stored, Stream

Record = dict[str, Any]

STRENGTHS = ("weak", "strong")
SCALINGS = {**NAMES, "mup": "with the factor of muP"}  # as texts say them
HELD = {  # what a divisor does to match and rivals
    "sqrt": "holds the noise; the match pulls away",
    "dk": "holds the match; the noise fades",
}
SERIES = (  # a scaling, the role and the shape of its marks, and how dark its band is
    ("raw", "raw", "circle", 0.16),
    ("sqrt", "sqrt", "square", 0.2),
    ("mup", "ink2", "dot", 0.16),
    ("dk", "dk", "diamond", 0.3),
)
LEVEL = 0.005  # change of a mean weight up to which it stays the same
INSET = 9.0  # printed points between the ends of a hairline and the outer marks
AXIS = "key dimension *d_k* (log scales)"
LEADING = 12.0  # printed points from a panel's title to the line below it

Correlation = Annotated[float, Gt(0), Lt(1)]


@dataclass(frozen=True)
class Parameters:
    """Head widths, two strengths of a match, and the width at which muP keeps the usual factor."""

    sizes: Sizes
    weak: Correlation
    strong: Correlation
    keys: Annotated[int, Ge(2), Le(1024)]
    rows: Annotated[int, Ge(20), Le(200_000)]
    base: KeyDimension


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Weigh one matching key among independent ones at every width, under four divisors.

    The divisors share a case's rows. Each case has its own stream, keyed by its correlation and
    width: adding a width moves no other.
    """
    sizes = sorted(parameters.sizes)
    strengths = dict(zip(STRENGTHS, sorted((parameters.weak, parameters.strong)), strict=True))
    found = {
        name: {str(d_k): weigh_match(parameters, rho, d_k, stream(str(rho), d_k)) for d_k in sizes}
        for name, rho in strengths.items()
    }
    errors = [
        case[scaling]["weight"]["error"]
        for by_size in found.values()
        for case in by_size.values()
        for scaling in SCALINGS
    ]
    return {
        "rows": parameters.rows,
        "keys": parameters.keys,
        "even": 1 / parameters.keys,
        "base": parameters.base,
        "base_root": math.sqrt(parameters.base),
        "sizes": sizes,
        "smallest": sizes[0],
        "largest": sizes[-1],
        "band": {"low": TAIL, "high": 1 - TAIL, "middle": 1 - 2 * TAIL},
        "largest_error": max(errors),
        **{
            name: {
                "correlation": rho,
                "signal_is_noise_at": 1 / rho**2,
                "limit": limits(rho, parameters.keys, parameters.base),
                "at": found[name],
            }
            for name, rho in strengths.items()
        },
    }


def scalings(d_k: int, base: int) -> dict[str, float]:
    """What a score is divided by, by name: the usual three, and `mup`, d_k over the root of `base`.

    muP writes it as a factor, 8/d_k: it equals 1/√d_k at a head width of 64 (Yang et al. 2022).
    """
    return {**divisors(d_k), "mup": d_k / math.sqrt(base)}


def draw_match(rho: float, d_k: int, keys: int, rows: int, generator: np.random.Generator) -> Array:
    """Raw scores (rows, keys) of queries whose first key is ρ q + √(1 - ρ²) times an independent one.

    Components are standard normal, in every key, and ρ is the correlation of a component of the
    match with the same one of q. Given the length of q, a rival's score is normal with that
    standard deviation, and the match's has mean ρ|q|² besides: no vector need be drawn.
    """
    square = generator.chisquare(d_k, rows)
    scores: Array = np.sqrt(square)[:, np.newaxis] * generator.standard_normal((rows, keys))
    scores[:, 0] *= math.sqrt(1 - rho**2)
    scores[:, 0] += rho * square
    return scores


def weigh_match(
    parameters: Parameters, rho: float, d_k: int, generator: np.random.Generator
) -> Record:
    """Give what reaches the softmax, and the weight on the match, under each divisor."""
    scores = draw_match(rho, d_k, parameters.keys, parameters.rows, generator)
    return {
        name: {
            "divisor": divisor,
            "match": {
                "mean": float(np.mean(scores[:, 0])) / divisor,
                "sd": float(np.std(scores[:, 0], ddof=1)) / divisor,
                "theory_mean": rho * d_k / divisor,
                "theory_sd": math.sqrt(d_k * (1 + rho**2)) / divisor,
            },
            "rival": {
                "sd": math.sqrt(float(np.mean(scores[:, 1:] ** 2))) / divisor,
                "theory_sd": math.sqrt(d_k) / divisor,
            },
            "weight": summary(softmax(scores / divisor)[:, 0]),
        }
        for name, divisor in scalings(d_k, parameters.base).items()
    }


def limits(rho: float, keys: int, base: int) -> dict[str, float]:
    """Weight on the match as d_k grows without bound: noise averages out, the match keeps its lead.

    Divided by d_k the lead is ρ; muP multiplies it by the root of `base`.
    """
    leads = {"dk": rho, "mup": rho * math.sqrt(base)}
    return {name: 1 / (1 + (keys - 1) * math.exp(-lead)) for name, lead in leads.items()}


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of the match that is drawn, and of its rivals."""
    return [*held_still(result, say), *weight_on_match(result, say)]


def by_width(result: Stored, name: str, what: str, of: str) -> list[float]:
    """One number of each width, from the narrowest head to the widest."""
    return [strong(result, d_k)[name][what][of] for d_k in result["sizes"]]


def held_still(result: Stored, say: Say) -> list[Claim]:
    """Claim that √d_k holds the noise and d_k the match, while the noise fades."""
    rho = result["strong"]["correlation"]
    noise, matches = (
        by_width(result, "sqrt", "rival", "sd"),
        by_width(result, "dk", "match", "mean"),
    )
    fading = by_width(result, "dk", "rival", "sd")
    return [
        {
            "name": "root_holds_noise",
            "sentence": (
                "Divided by √d_k, the standard deviation of a rival is within "
                f"{say.percent(degrees.STEADY)} of one at every width."
            ),
            "holds": all(map(degrees.stays_at_one, noise)),
            "evidence": lowest_to_highest(say, noise),
        },
        {
            "name": "dk_holds_signal",
            "sentence": (
                "Divided by d_k, the mean of the match is within "
                f"{say.percent(degrees.STEADY)} of its correlation with the query at every width."
            ),
            "holds": all(degrees.stays_at_one(mean / rho) for mean in matches),
            "evidence": f"{lowest_to_highest(say, matches)}; correlation {say.plain(rho)}",
        },
        {
            "name": "dk_noise_fades",
            "sentence": (
                "Divided by d_k, the standard deviation of a rival is in the widest head at most "
                f"{say.percent(degrees.FLAT)} of that in the narrowest."
            ),
            "holds": degrees.fades(fading[-1], fading[0]),
            "evidence": first_to_last(say, fading),
        },
    ]


def weight_on_match(result: Stored, say: Say) -> list[Claim]:
    """Claim that the weight on one match hangs on the width under √d_k, and not under the others."""
    weights = {name: by_width(result, name, "weight", "mean") for name in ("sqrt", "dk", "mup")}
    limit = result["strong"]["limit"]["mup"]
    return [
        {
            "name": "root_ends_certain",
            "sentence": (
                "Divided by √d_k, the match gets on average less than "
                f"{say.percent(degrees.MOST)} of the weight in the narrowest head and at least "
                f"{say.percent(degrees.NEARLY_ALL)} in the widest."
            ),
            "holds": not degrees.most(weights["sqrt"][0])
            and degrees.takes_nearly_all(weights["sqrt"][-1]),
            "evidence": first_to_last(say, weights["sqrt"]),
        },
        {
            "name": "match_hidden_by_dk",
            "sentence": (
                f"Divided by d_k, the match gets on average at most {say.plain(degrees.ALIKE)} "
                "times an even share at every width."
            ),
            "holds": all(degrees.alike(weight, result["even"]) for weight in weights["dk"]),
            "evidence": (
                f"{lowest_to_highest(say, weights['dk'])}; even share {brief(say, result['even'], 3)}"
            ),
        },
        {
            "name": "mup_near_its_limit",
            "sentence": (
                "With the factor of muP, the mean weight on the match is in the widest head within "
                f"{say.percent(degrees.NEAR)} of its limit."
            ),
            "holds": degrees.near(weights["mup"][-1], limit),
            "evidence": f"{brief(say, weights['mup'][-1], 3)}; limit {brief(say, limit, 3)}",
        },
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell the panels in words, and give the data of both strengths."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(held(name, TITLES[name], result, say) for name in HELD),
            weights(result, say),
            against_theory(result, say),
        ],
        "table": {
            "caption": (
                f"A matching key among {say.count(result['keys'])}: its softmax input, that of a "
                f"rival, and its weight in {say.count(result['rows'])} random rows for each "
                "correlation, d_k and scaling."
            ),
            "columns": [
                "Correlation, d_k and scaling",
                "Match, mean",
                "Theory",
                "Match, standard deviation",
                "Rival, standard deviation",
                "Weight on the match, mean",
                "Median",
                f"Middle {say.percent(result['band']['middle'])} of rows",
            ],
            "rows": [
                table_row(result[strength], d_k, name, say)
                for strength in STRENGTHS
                for d_k in result["sizes"]
                for name in SCALINGS
            ],
        },
    }


def strong(result: Stored, d_k: int) -> Stored:
    """What was measured at one width for the correlation that is drawn."""
    one: Stored = result["strong"]["at"][str(d_k)]
    return one


def alternative(result: Stored, say: Say) -> str:
    """Say the panels in one breath."""
    first, last = (strong(result, result[end]) for end in ("smallest", "largest"))
    ends = "; ".join(
        f"{said}, {say.fixed(first[name]['weight']['mean'], 2)} and "
        f"{say.fixed(last[name]['weight']['mean'], 2)}"
        for name, said in SCALINGS.items()
    )
    return (
        f"Line charts of the weight on a key whose correlation with the query is "
        f"{say.plain(result['strong']['correlation'])}, mean at d_k = "
        f"{say.count(result['smallest'])} and {say.count(result['largest'])}: {ends}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    sizes = ", ".join(say.count(size) for size in result["sizes"])
    return (
        "The upper panels show what enters the softmax, divided by √d_k and divided by d_k: a line "
        "with marks for the mean of the match, a plain line at zero for the mean of a rival, and "
        "around each a shaded band of one standard deviation either way. Each has a vertical scale "
        "of its own. Below, a panel for each scaling shows the weight on the match: a line with "
        f"marks joins the means, and a shaded band holds the middle "
        f"{say.percent(result['band']['middle'])} of the rows; all share one scale from zero to "
        f"one. The axis of every panel is d_k, on a log scale: {sizes}. A row has "
        f"{say.count(result['keys'])} keys with standard normal components; each component of the "
        f"first has correlation {say.plain(result['strong']['correlation'])} with that of the "
        f"query. There are {say.count(result['rows'])} rows for each width, and the scalings share "
        f"them. The factor of muP is {say.brief(result['base_root'])}/d_k."
    )


def held(name: str, title: str, result: Stored, say: Say) -> str:
    """Read one of the upper panels at both ends."""
    first, last = (strong(result, result[end])[name] for end in ("smallest", "largest"))
    return (
        f"{title.replace('*', '')}: the mean of the match goes from "
        f"{brief(say, first['match']['mean'], 3)} to {brief(say, last['match']['mean'], 3)} "
        f"(theory {brief(say, first['match']['theory_mean'], 3)} and "
        f"{brief(say, last['match']['theory_mean'], 3)}), its standard deviation from "
        f"{brief(say, first['match']['sd'], 3)} to {brief(say, last['match']['sd'], 3)}, and that "
        f"of a rival from {brief(say, first['rival']['sd'], 3)} to "
        f"{brief(say, last['rival']['sd'], 3)}."
    )


def weights(result: Stored, say: Say) -> str:
    """Read the lower panels at every width."""
    lines = "; ".join(
        f"{said}, "
        + ", ".join(
            say.fixed(strong(result, d_k)[name]["weight"]["mean"], 3) for d_k in result["sizes"]
        )
        for name, said in SCALINGS.items()
    )
    return (
        f"The mean weight on the match, in the order of the widths: {lines}. An even split would "
        f"give it {say.weight(result['even'])}."
    )


def against_theory(result: Stored, say: Say) -> str:
    """Give what the weights tend to, where two scalings meet, and how sure the means are."""
    limit = result["strong"]["limit"]
    return (
        f"As d_k grows the weight tends to {say.fixed(limit['dk'], 3)} divided by d_k and to "
        f"{say.fixed(limit['mup'], 3)} with the factor of muP, which a dotted line marks in its "
        f"panel; unscaled and divided by √d_k it tends to certainty. At d_k = "
        f"{say.count(result['base'])} the factor of muP is that of √d_k. The signal is as large as "
        f"the noise at d_k = {brief(say, result['strong']['signal_is_noise_at'], 3)}. Standard "
        f"errors of the means are at most {say.fixed(result['largest_error'], 4)}."
    )


def table_row(case: Stored, d_k: int, name: str, say: Say) -> list[str]:
    """Print one scaling of one case for the table."""
    one = case["at"][str(d_k)][name]
    match, weight = one["match"], one["weight"]
    return [
        f"{say.plain(case['correlation'])}, d_k = {say.count(d_k)}, {SCALINGS[name]}",
        brief(say, match["mean"], 3),
        brief(say, match["theory_mean"], 3),
        brief(say, match["sd"], 3),
        brief(say, one["rival"]["sd"], 3),
        say.fixed(weight["mean"], 3),
        say.fixed(weight["median"], 3),
        f"{say.fixed(weight['low'], 3)} to {say.fixed(weight['high'], 3)}",
    ]


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw what either divisor holds still, and below it the weight that follows."""
    pt, say = canvas.pt, canvas.say
    who = "the match and a rival" if canvas.narrow else "lines: mean of the match and of a rival"
    y = canvas.heading(
        0, "What enters the softmax", f"{who}; shaded: one standard deviation either way"
    )
    y = draw_inputs(result, canvas, y + 15 * pt)
    rho, keys = say.plain(result["strong"]["correlation"]), say.count(result["keys"])
    y = canvas.heading(
        y + 17 * pt,
        "Weight on the match",
        f"one of {keys} keys, correlation {rho}; marks: mean; shaded: the middle "
        f"{say.percent(result['band']['middle'])} of rows",
    )
    y = draw_weights(result, canvas, y + 15 * pt)
    canvas.text(canvas.width / 2, y + 13 * pt, AXIS, "ink2", anchor="middle")
    canvas.height = y + 16 * pt


def draw_inputs(result: Stored, canvas: Canvas, top: float) -> float:
    """Draw the match and a rival under either divisor; give the last baseline."""
    pt, across = canvas.pt, 1 if canvas.narrow else len(HELD)
    left, right, gap = 27 * pt, 37 * pt, 20 * pt
    wide, high = (
        (canvas.width - gap * (across - 1)) / across,
        canvas.panel_height((74 if canvas.narrow else 88) * pt),
    )
    y = top
    for index, (name, verdict) in enumerate(HELD.items()):
        start = (index % across) * (wide + gap)
        top = y + 14 * pt if index and across == 1 else top
        canvas.text(start + left, top + 7 * pt, TITLES[name], f"{name}-words", kind="title")
        canvas.text(start + left, top + (7 + LEADING) * pt, verdict, "ink2")
        records = [strong(result, d_k)[name] for d_k in result["sizes"]]
        foot = top + 28 * pt + high
        inner = start + left + INSET * pt, start + wide - right - INSET * pt
        panel = Panel(
            canvas.scale(result["sizes"], *inner, log=True),
            canvas.scale(edges(records), foot, foot - high),
        )
        draw_bands(result, name, panel, canvas)
        y = sizes_below(result, panel, canvas)
    return y


def edges(records: list[Stored]) -> list[float]:
    """The ends of all bands: a standard deviation on either side of the match and of a rival."""
    return [
        middle + side * one[who]["theory_sd"]
        for one in records
        for who, middle in (("match", one["match"]["theory_mean"]), ("rival", 0.0))
        for side in (-1, 1)
    ]


def draw_bands(result: Stored, name: str, panel: Panel, canvas: Canvas) -> None:
    """Draw the spread of a rival around zero and of the match around its mean, and name both."""
    pt, (x, y) = canvas.pt, panel
    places = [x(d_k) for d_k in result["sizes"]]
    records = [strong(result, d_k)[name] for d_k in result["sizes"]]
    left, right = x.start - INSET * pt, x.end + INSET * pt
    last = records[-1]["match"]["theory_mean"]
    for value in (0.0, last):
        canvas.grid(y(value), left, right)
    canvas.text(left - 4 * pt, y(0), canvas.say.label(0), "ink2", anchor="end", centered=True)
    canvas.text(left - 4 * pt, y(last), canvas.say.brief(last), "ink2", anchor="end", centered=True)
    for who, role, shade in (("rival", "ink3", 0.22), ("match", name, 0.3)):
        means = [one["match"]["theory_mean"] if who == "match" else 0.0 for one in records]
        sds = [one[who]["theory_sd"] for one in records]
        upper = [(at, y(mean + sd)) for at, mean, sd in zip(places, means, sds, strict=True)]
        lower = [(at, y(mean - sd)) for at, mean, sd in zip(places, means, sds, strict=True)]
        canvas.area([*upper, *lower[::-1]], role, shade)
        canvas.line([(at, y(mean)) for at, mean in zip(places, means, strict=True)], role, "data")
    measured = [(at, y(one["match"]["mean"])) for at, one in zip(places, records, strict=True)]
    canvas.marks(measured, name, SHAPES[name])
    names = {"match": (last, f"{name}-words"), "rival": (0.0, "ink2")}
    ends = apart([y(value) for value, _ in names.values()], LEADING * pt, y.end, y.start)
    for place, (said, (_, role)) in zip(ends, names.items(), strict=True):
        canvas.text(right + 4 * pt, place, said, role, kind="strong", centered=True)


def sizes_below(result: Stored, panel: Panel, canvas: Canvas) -> float:
    """Draw the axis of sizes below a panel; give the labels' baseline."""
    sizes = result["sizes"]
    keep = [sizes.index(result["base"])] if result["base"] in sizes else []
    ticks = [(panel.x(d_k), canvas.say.count(d_k)) for d_k in sizes]
    return canvas.axis(panel.y.start + 7 * canvas.pt, ticks, keep=keep)


def draw_weights(result: Stored, canvas: Canvas, top: float) -> float:
    """Draw the weight on the match under each scaling; give the last baseline."""
    pt, across = canvas.pt, 2 if canvas.narrow else len(SERIES)
    left, gap, right = 27 * pt, 15 * pt, 6 * pt
    wide = (canvas.width - left - right - gap * (across - 1)) / across
    high = canvas.panel_height((84 if canvas.narrow else 112) * pt)
    y = top
    for index, (name, role, shape, shade) in enumerate(SERIES):
        column = index % across
        top = y + 14 * pt if index and not column else top
        start, foot = left + column * (wide + gap), top + 28 * pt + high
        head(name, start, top, result, canvas)
        inner = start + INSET * pt, start + wide - INSET * pt
        panel = Panel(
            canvas.scale(result["sizes"], *inner, log=True),
            canvas.scale((0, 1), foot, foot - high),
        )
        draw_halves(panel, canvas, INSET, labeled=column == 0)
        if name in result["strong"]["limit"]:
            place = panel.y(result["strong"]["limit"][name])
            ends = (start, place), (start + wide, place)
            canvas.line(ends, "ink3", "dotted", dotted=True, under=True)
        weights_on = [
            (panel.x(d_k), strong(result, d_k)[name]["weight"]) for d_k in result["sizes"]
        ]
        band = [
            (at, panel.y(one[edge]))
            for edge, some in (("high", weights_on), ("low", weights_on[::-1]))
            for at, one in some
        ]
        canvas.area(band, role, shade)
        means = [(at, panel.y(one["mean"])) for at, one in weights_on]
        canvas.line(means, role, "data")
        canvas.marks(means, role, shape)
        y = sizes_below(result, panel, canvas)
    return y


def head(name: str, x: float, top: float, result: Stored, canvas: Canvas) -> None:
    """Name a scaling above its panel, and the weights at both ends of its line."""
    pt, say = canvas.pt, canvas.say
    titles = {
        "raw": "No scaling",
        "sqrt": "Divided by √*d_k*",
        "mup": f"Times {say.brief(result['base_root'])}/*d_k*",
        "dk": "Divided by *d_k*",
    }
    role = "ink2" if name == "mup" else f"{name}-words"
    canvas.text(x, top + 7 * pt, titles[name], role, kind="title")
    canvas.text(x, top + (7 + LEADING) * pt, course(name, result, say), "ink2")


def course(name: str, result: Stored, say: Say) -> str:
    """Say where the mean weight starts and ends, or that it hardly moves."""
    means = [strong(result, d_k)[name]["weight"]["mean"] for d_k in result["sizes"]]
    if max(means) - min(means) <= LEVEL:
        return f"{say.fixed(means[-1], 2)} at every width"
    return f"mean {say.fixed(means[0], 2)} to {say.fixed(means[-1], 2)}"
