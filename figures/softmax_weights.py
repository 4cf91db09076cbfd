"""How do the softmax weights of one row of scores change when the scores are divided?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import degrees
from attention import (
    NAMES,
    Array,
    Example,
    brief,
    divisors,
    effective_keys,
    entropy,
    softmax,
)
from evidence import leaders, numbered

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Kind, Say, Stored, Stream

BAR = 0.6  # width of a bar against its slot
PARTS = ("Input", "Weight")  # columns of the data table, for each scaling


@dataclass(frozen=True)
class Parameters:
    """The row to weigh."""

    example: Example


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:  # noqa: ARG001  exact
    """Weigh the row as it is, divided by √d_k and divided by d_k. Nothing here is random."""
    row, d_k = np.array(parameters.example.scores, dtype=float), parameters.example.d_k
    one_sd = math.sqrt(d_k)
    return {
        "scores": row.tolist(),
        "d_k": d_k,
        "keys": len(row),
        "even": 1 / len(row),
        "gap": {"size": one_sd, "factor": math.exp(one_sd)},
        "row": portrait(row, one_sd),
        **{name: weigh(row, divisor) for name, divisor in divisors(d_k).items()},
    }


def portrait(row: Array, one_sd: float) -> dict[str, Any]:
    """Where the row lies, in its own units and in the standard deviations theory gives a score."""
    highest, second = float(np.max(row)), float(np.sort(row)[-2])
    lowest = float(np.min(row))
    return {
        "highest": highest,
        "lowest": lowest,
        "in_sd": {"highest": highest / one_sd, "lowest": lowest / one_sd},
        "runner_up_gap": highest - second,
        "mean": float(np.mean(row)),
        "rms": math.sqrt(float(np.mean(row**2))),
    }


def weigh(row: Array, divisor: float) -> dict[str, Any]:
    """Softmax inputs and weights of the row after one division, and how even they are."""
    inputs = row / divisor
    weights = softmax(inputs)
    return {
        "divisor": divisor,
        "inputs": inputs.tolist(),
        "weights": weights.tolist(),
        "top": float(np.max(weights)),
        "top_key": int(np.argmax(weights)) + 1,
        "smallest": float(np.min(weights)),
        "entropy": entropy(weights),
        "entropy_share": entropy(weights) / math.log(len(row)),
        "effective_keys": effective_keys(weights),
    }


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of the row, as it is and after either division."""
    return [
        is_fair(result, say),
        takes_nearly_all(result["raw"], say),
        *of_the_root(result["sqrt"], say),
        almost_even(result, say),
        keeps_order(result, say),
        from_end_to_end(result, say),
    ]


def is_fair(result: Stored, say: Say) -> Claim:
    """Claim that the row could have been drawn at this d_k."""
    row, sd = result["row"], result["gap"]["size"]
    farthest = max(row["highest"], -row["lowest"])
    return {
        "name": "row_is_fair",
        "sentence": (
            f"The row is a fair one at this d_k: its root mean square is {say.plain(degrees.TAME)} "
            f"to {say.plain(degrees.WILD)} standard deviations of a score, and no score is beyond "
            f"{say.plain(degrees.FAR)}."
        ),
        "holds": degrees.fair(result["scores"], sd),
        "evidence": (
            f"root mean square {brief(say, row['rms'])}, farthest score {brief(say, farthest)}, "
            f"standard deviation {brief(say, sd)}"
        ),
    }


def takes_nearly_all(raw: Stored, say: Say) -> Claim:
    """Claim that the row saturates the softmax as it is."""
    return {
        "name": "one_key_takes_nearly_all",
        "sentence": (
            "Unscaled, one key takes nearly everything: at least "
            f"{say.percent(degrees.NEARLY_ALL)} of the weight."
        ),
        "holds": degrees.takes_nearly_all(raw["top"]),
        "evidence": f"largest weight {say.weight(raw['top'])}",
    }


def of_the_root(sqrt: Stored, say: Say) -> list[Claim]:
    """Claim that the row keeps a preference after division by √d_k, and leaves no key out."""
    second, first = sorted(sqrt["weights"])[-2:]
    return [
        {
            "name": "sqrt_still_peaked",
            "sentence": (
                "Divided by √d_k, the row is still peaked: the first key leads by at least "
                f"{say.percent(degrees.LEAD)} of the weight and takes less than "
                f"{say.percent(degrees.NEARLY_ALL)}."
            ),
            "holds": degrees.still_peaked(sqrt["weights"]),
            "evidence": f"first {say.weight(first)}, second {say.weight(second)}",
        },
        {
            "name": "sqrt_shares_the_weight",
            "sentence": (
                "Divided by √d_k, the weight is shared: every key takes at least "
                f"{say.percent(degrees.COUNTS)}."
            ),
            "holds": degrees.all_count(sqrt["weights"]),
            "evidence": f"smallest weight {say.weight(sqrt['smallest'])}",
        },
    ]


def almost_even(result: Stored, say: Say) -> Claim:
    """Claim that division by d_k leaves hardly a preference."""
    dk = result["dk"]
    return {
        "name": "dk_almost_even",
        "sentence": (
            "Divided by d_k, the split is almost even: every weight is within "
            f"{say.percent(degrees.EVEN)} of an even share."
        ),
        "holds": degrees.almost_even(dk["weights"]),
        "evidence": (
            f"weights from {say.weight(dk['smallest'])} to {say.weight(dk['top'])}, "
            f"even {say.weight(result['even'])}"
        ),
    }


def keeps_order(result: Stored, say: Say) -> Claim:
    """Claim that no division makes two keys change places."""
    pairs = list(combinations(range(result["keys"]), 2))
    weights = [result[name]["weights"] for name in NAMES]
    changed = sum(
        min(one[i] - one[j] for one in weights) < 0 < max(one[i] - one[j] for one in weights)
        for i, j in pairs
    )
    return {
        "name": "order_kept",
        "sentence": "Every divisor leaves the keys in the same order.",
        "holds": changed == 0,
        "evidence": f"{say.count(changed)} of {say.count(len(pairs))} pairs change places",
    }


def from_end_to_end(result: Stored, say: Say) -> Claim:
    """Claim that the panels show the three kinds of row the caption names."""
    raw, sqrt, dk = (result[name] for name in NAMES)
    tops = [say.weight(one["top"]) for one in (raw, sqrt, dk)]
    return {
        "name": "certainty_to_indifference",
        "sentence": (
            "Unscaled, one key takes nearly everything; divided by √d_k, the row is still "
            "peaked; divided by d_k, the split is almost even."
        ),
        "holds": degrees.takes_nearly_all(raw["top"])
        and degrees.still_peaked(sqrt["weights"])
        and degrees.almost_even(dk["weights"]),
        "evidence": f"largest weights {', '.join(tops)}",
    }


def describe(result: Stored, say: Say) -> Description:
    """Tell the bars in words, and give their data."""
    return {
        "alt": alternative(result, say),
        "description": [
            how_built(result, say),
            *(panel(name, result[name], say) for name in NAMES),
            trend(result, say),
        ],
        "table": {
            "caption": (
                f"Softmax input and weight of each key at d_k = {say.count(result['d_k'])}, "
                "for each scaling."
            ),
            "columns": ["Key"] + [f"{part}, {n}" for n in NAMES.values() for part in PARTS],
            "rows": [table_row(index, result, say) for index in range(result["keys"])],
        },
    }


def alternative(result: Stored, say: Say) -> str:
    """Say the bars in one breath."""
    tops = ", ".join(f"{say.weight(result[name]['top'])} {said}" for name, said in NAMES.items())
    return (
        f"Bar charts on one scale: softmax weights of a row of {say.count(result['keys'])} "
        f"scores at d_k = {say.count(result['d_k'])}. The largest weight is {tops}; "
        f"an even split would give each key {say.weight(result['even'])}."
    )


def how_built(result: Stored, say: Say) -> str:
    """Name the parts in the order they are read."""
    scores = ", ".join(brief(say, score) for score in result["scores"])
    return (
        f"The panels, in this order: {', '.join(NAMES.values())}. Each has one bar for each of "
        f"{say.count(result['keys'])} keys, in the order of the row of scores {scores}. The "
        "weight stands above its bar and the softmax input below it. All panels share one scale, "
        "from none of the weight to all of it, and a dotted line marks the even split, "
        f"{say.weight(result['even'])}."
    )


def panel(name: str, one: Stored, say: Say) -> str:
    """Read one panel: every printed value, and how even the weights are."""
    said = NAMES[name]
    return (
        f"{said[0].upper()}{said[1:]}: inputs {', '.join(brief(say, x) for x in one['inputs'])}; "
        f"weights {', '.join(say.weight(p) for p in one['weights'])}. "
        f"Largest {say.weight(one['top'])}, smallest {say.weight(one['smallest'])}. The entropy "
        f"is {say.fixed(one['entropy'], 3)} nats, {say.percent(one['entropy_share'], 1)} of the "
        f"most it could be, as if {say.fixed(one['effective_keys'], 2)} keys shared the weight "
        "evenly."
    )


def trend(result: Stored, say: Say) -> str:
    """Say what changes from panel to panel, and what a gap of one standard deviation does."""
    row, gap = result["row"], result["gap"]
    tops = ", ".join(say.weight(result[name]["top"]) for name in NAMES)
    first = leaders(result["scores"])
    tallest = f"bar is key {say.count(result['raw']['top_key'])}"
    if len(first) > 1:
        tallest = f"bars are keys {numbered(say, first)}"
    return (
        f"Dividing never changes the order of the keys: the tallest {tallest} "
        f"in every panel, with {tops}. The row reaches from "
        f"{brief(say, row['in_sd']['lowest'])} to {brief(say, row['in_sd']['highest'])} times the "
        f"standard deviation theory gives a score, {brief(say, gap['size'])}. Unscaled, a "
        f"gap of that size makes one weight {brief(say, gap['factor'])} times another."
    )


def table_row(index: int, result: Stored, say: Say) -> list[str]:
    """Print one key for the table."""
    cells = [
        brief(say, result[name][part][index]) for name in NAMES for part in ("inputs", "weights")
    ]
    return [f"Key {say.label(index + 1)}", *cells]


class Panel(NamedTuple):
    """One bar panel: the scaling it shows, where it stands, and whether its axis is labeled."""

    name: str
    x: float
    top: float
    wide: float
    labeled: bool


def draw(result: Stored, canvas: Canvas) -> None:
    """Draw three bar panels on one scale: side by side, or below each other on a phone."""
    pt, say = canvas.pt, canvas.say
    quiet = f"one row of {say.words(result['keys'])} scores at *d_k* = {say.count(result['d_k'])}"
    y = canvas.heading(0, "Attention weight on each key", f"{quiet}; dotted: an even split")
    titles = {
        "raw": "No scaling",
        "sqrt": f"Divided by √*d_k* {canvas.equals(result['sqrt']['divisor'])}",
        "dk": f"Divided by *d_k* = {say.count(result['d_k'])}",
    }
    left, gap = 30 * pt, 17 * pt
    across = 1 if canvas.narrow else len(titles)
    wide = (canvas.width - left - gap * (across - 1)) / across
    draw_bars = upright if all(fits(result[name], canvas, wide) for name in titles) else lying
    top = y + 13 * pt
    for index, (name, title) in enumerate(titles.items()):
        x = left + (index % across) * (wide + gap)
        if index and index % across == 0:
            top = y + 15 * pt
        panel = Panel(name, x, top + 22.5 * pt, wide, labeled=index % across == 0)
        canvas.text(x, top + 10 * pt, title, f"{name}-words", kind="title")
        canvas.text(x, panel.top, verdict(result[name]), "ink2")
        y = draw_bars(result, panel, canvas)
    canvas.height = y + 3 * pt


def verdict(one: Stored) -> str:
    """Say in words how one panel shares the weight, true of whatever weights it shows."""
    weights = one["weights"]
    if degrees.takes_nearly_all(max(weights)):
        return "One key takes nearly everything"
    if degrees.almost_even(weights):
        return "Almost an even split"
    clear, counts = degrees.clear_first(weights), degrees.all_count(weights)
    rest = "some hardly count" if not counts else "the rest still count" if clear else "all count"
    return f"{'A' if clear else 'No'} clear first, {rest}"


def fits(one: Stored, canvas: Canvas, wide: float) -> bool:
    """Whether weights above upright bars, and inputs below them, have room side by side."""
    labels = [*map(canvas.say.weight, one["weights"]), *map(canvas.say.brief, one["inputs"])]
    widest = max(canvas.words(label, "strong").width for label in labels)
    return widest + 2.5 * canvas.pt <= wide / len(one["weights"])


def emphasis(one: Stored, index: int) -> Kind:
    """Set the largest weight of a panel in bolder type."""
    return "strong" if index + 1 == one["top_key"] else "body"


def upright(result: Stored, panel: Panel, canvas: Canvas) -> float:
    """Draw upright bars, each weight above and its key and input below; give the last baseline."""
    pt, one, (name, x, top, wide, labeled) = canvas.pt, result[panel.name], panel
    high = canvas.panel_height(112 * pt) if not canvas.narrow else 118
    y = canvas.scale((0, 1), top + 19 * pt + high, top + 19 * pt)
    right, slot, even = x + wide, wide / result["keys"], result["even"]
    lines = {value: canvas.say.label(value) for value in (1, 0.5) if value > even * 1.3}
    for value in lines:
        canvas.grid(y(value), x, right)
    canvas.line([(x, y(even)), (right, y(even))], "ink3", "dotted", dotted=True, under=True)
    bar = min(BAR * slot, 40 * pt)
    for index, weight in enumerate(one["weights"]):
        at, said, kind = x + (index + 0.5) * slot, canvas.say.weight(weight), emphasis(one, index)
        canvas.rectangle(at - bar / 2, y(weight), bar, y(0) - y(weight), name)
        canvas.text(at, y(weight) - 3.5 * pt, said, kind=kind, anchor="middle", patch=True)
        canvas.text(at, y(0) + 12 * pt, canvas.say.label(index + 1), "ink2", anchor="middle")
        input_said = canvas.say.brief(one["inputs"][index])
        canvas.text(at, y(0) + 24 * pt, input_said, anchor="middle")
    canvas.line([(x, y(0)), (right, y(0))], "ink2")
    if labeled:
        for value, label in (
            lines | {even: canvas.say.brief(even), 0: canvas.say.label(0)}
        ).items():
            canvas.text(x - 5 * pt, y(value), label, "ink2", anchor="end", centered=True)
        for below, label in ((12, "key"), (24, "input")):
            canvas.text(x - 5 * pt, y(0) + below * pt, label, "ink3", anchor="end")
    return y(0) + 24 * pt


def lying(result: Stored, panel: Panel, canvas: Canvas) -> float:
    """Draw lying bars, a line for each key, where numbers are too long to stand side by side."""
    pt, one, (name, x, top, wide, labeled) = canvas.pt, result[panel.name], panel
    inputs = [canvas.say.brief(value) for value in one["inputs"]]
    weights = [canvas.say.weight(weight) for weight in one["weights"]]
    left = x + max(canvas.words(said).width for said in [*inputs, "input"]) + 5 * pt
    right = x + wide - max(canvas.words(said, "strong").width for said in weights) - 4 * pt
    at = canvas.scale((0, 1), left, right)
    head, step = top + 15 * pt, 14 * pt
    canvas.text(left - 5 * pt, head, "input", "ink3", anchor="end")
    if labeled:
        canvas.text(x - 7 * pt, head, "key", "ink3", anchor="end")
    top = head + 5 * pt
    bottom = top + step * len(weights)
    even = at(result["even"])
    canvas.line([(even, top), (even, bottom)], "ink3", "dotted", dotted=True, under=True)
    for index, weight in enumerate(one["weights"]):
        y, said, kind = top + (index + 0.5) * step, weights[index], emphasis(one, index)
        canvas.rectangle(left, y - BAR * step / 2, at(weight) - left, BAR * step, name)
        canvas.text(at(weight) + 3 * pt, y, said, kind=kind, centered=True, patch=True)
        canvas.text(left - 5 * pt, y, inputs[index], anchor="end", centered=True)
        if labeled:
            canvas.text(
                x - 7 * pt, y, canvas.say.label(index + 1), "ink2", anchor="end", centered=True
            )
    canvas.line([(left, top), (left, bottom)], "ink2")
    return bottom
