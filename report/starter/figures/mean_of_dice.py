"""How fast does the mean of several dice settle?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le, MinLen

if TYPE_CHECKING:
    from report.contracts import Anchor, Canvas, Claim, Description, Say, Stored, Stream

POINTS = 33  # of the curve
TOLERANCE = 0.02  # how far a measured spread may lie from theory, as a share of it


@dataclass(frozen=True)
class Parameters:
    """The die, how many of them to average, and how often to roll each lot."""

    sides: Annotated[int, Ge(2), Le(100)]
    dice: Annotated[tuple[Annotated[int, Ge(1), Le(256)], ...], MinLen(2)]
    rolls: Annotated[int, Ge(1000), Le(50_000)]


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:
    """Roll every lot of dice many times. Each number of dice has a random stream of its own."""
    sides, dice = parameters.sides, sorted(set(parameters.dice))
    one = math.sqrt((sides**2 - 1) / 12)  # standard deviation of a fair die
    at = {n: roll(sides, n, parameters.rolls, stream(n)) for n in dice}
    for n, record in at.items():
        record["theory"] = one / math.sqrt(n)
        record["deviation"] = abs(record["sd"] / record["theory"] - 1)
    between = np.geomspace(dice[0], dice[-1], POINTS)
    return {
        "sides": sides,
        "dice": dice,
        "fewest": dice[0],
        "most": dice[-1],
        "rolls": parameters.rolls,
        "expected": (sides + 1) / 2,
        "one": one,
        "at": {str(n): record for n, record in at.items()},
        "curve": {"dice": between, "sd": one / np.sqrt(between)},
        "worst": max(record["deviation"] for record in at.values()),
        "tolerance": TOLERANCE,
        "narrowing": at[dice[0]]["sd"] / at[dice[-1]]["sd"],
    }


def roll(sides: int, n: int, rolls: int, generator: np.random.Generator) -> dict[str, Any]:
    """Give the mean and the standard deviation of so many means of n dice."""
    means = generator.integers(1, sides + 1, (rolls, n)).mean(axis=1)
    return {"n": n, "mean": means.mean(), "sd": means.std(ddof=1)}


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the text says of this experiment."""
    return [
        {
            "name": "root_law",
            "sentence": (
                "For every number of dice the measured spread of the mean is within "
                f"{say.percent(result['tolerance'])} of that of one die over the root of their "
                "number."
            ),
            "holds": bool(result["worst"] <= result["tolerance"]),
            "evidence": f"the farthest is {say.percent(result['worst'], 1)} off",
        }
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell the picture in words, and give its data."""
    first, last = (result["at"][str(result[end])] for end in ("fewest", "most"))
    ends = (
        f"{say.fixed(first['sd'], 2)} for {say.count(first['n'])} to "
        f"{say.fixed(last['sd'], 2)} for {say.count(last['n'])}"
    )
    return {
        "alt": (
            "Funnel: one standard deviation on either side of the mean of several dice, against "
            f"how many they are. Measured marks follow the curve of theory and close in on "
            f"{say.plain(result['expected'])}: from {ends}."
        ),
        "description": [
            f"The number of dice is on a log scale. The shaded funnel is theory: "
            f"{say.plain(result['expected'])} plus and minus {say.fixed(result['one'], 2)} over the "
            f"root of their number. Each pair of marks is one standard deviation either way, "
            f"measured on {say.count(result['rolls'])} rolls. It shrinks from {ends}."
        ],
        "table": {
            "caption": "Mean and spread for each number of dice.",
            "columns": ["Dice", "Mean", "Standard deviation", "Theory"],
            "rows": [
                [
                    say.count(one["n"]),
                    say.fixed(one["mean"], 3),
                    say.fixed(one["sd"], 3),
                    say.fixed(one["theory"], 3),
                ]
                for one in (result["at"][str(n)] for n in result["dice"])
            ],
        },
    }


def draw(result: Stored, canvas: Canvas) -> None:
    """Shade the funnel of theory and set the measured spreads on it."""
    pt, say, middle = canvas.pt, canvas.say, result["expected"]
    records = [result["at"][str(n)] for n in result["dice"]]
    sides = (1, -1)
    top = canvas.heading(
        0, "Mean of several dice", "one standard deviation either way; shaded: theory"
    )
    bottom = top + 14 * pt + canvas.panel_height(135 * pt)
    reach = 1.08 * max(*result["curve"]["sd"], *(one["sd"] for one in records))
    x = canvas.scale(result["dice"], 30 * pt, canvas.width - 42 * pt, log=True)
    y = canvas.scale((middle - reach, middle + reach), bottom, top + 14 * pt)

    curve = list(zip(result["curve"]["dice"], result["curve"]["sd"], strict=True))
    edges = [[(x(n), y(middle + side * sd)) for n, sd in curve] for side in sides]
    canvas.area([*edges[0], *reversed(edges[1])], "panel")
    for edge in edges:
        canvas.line(edge, "ink3")
    canvas.line([(x.start, y(middle)), (x.end, y(middle))], "ink3", "dotted", dotted=True)
    canvas.text(x.start - 9 * pt, y(middle), say.plain(middle), "ink2", anchor="end", centered=True)
    for side in sides:
        canvas.marks([(x(one["n"]), y(middle + side * one["sd"])) for one in records], "measured")
    ends: tuple[tuple[Stored, float, Anchor], ...] = (
        (records[0], -9 * pt, "end"),
        (records[-1], 9 * pt, "start"),
    )
    for one, aside, anchor in ends:
        words, place = f"±{say.fixed(one['sd'], 2)}", y(middle + one["sd"])
        canvas.text(x(one["n"]) + aside, place, words, "measured", anchor=anchor, centered=True)
    ticks = [(x(n), say.count(n)) for n in result["dice"]]
    lowest = canvas.axis(bottom + 8 * pt, ticks) + 13 * pt
    canvas.text((x.start + x.end) / 2, lowest, "dice (log scale)", "ink2", anchor="middle")
    canvas.height = lowest + 3 * pt
