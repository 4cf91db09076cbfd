"""The four figures of the article's steps by one flat script: what the report is measured against.

It imports nothing of the generator. From `seeds.toml` it takes the same parameters, does the same
arithmetic on chunks of real vectors, makes drawings that look the same, and sets a text of the same
length as a page and as a tagged PDF with its data attached, the way one writes such a script by hand.

Usage: python flat.py FOLDER_WITH_SEEDS_TOML FOLDER_FOR_OUTPUTS
"""

from __future__ import annotations

import base64
import io
import json
import math
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import jinja2
import latex2mathml.converter
import numpy as np
from markdown_it import MarkdownIt
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from numpy.typing import NDArray
from weasyprint import HTML, Attachment
from ziamath.zmath import Latex

FONTS = Path(__file__).parents[2] / "templates" / "fonts"
CHUNK = 2**16  # components of q in memory at once
WIDTH = 459.0  # points: 162 mm
SPACE = 0.2  # em
MINUS = "\N{MINUS SIGN}"
PAPER, PANEL, INK, INK2, INK3 = "#FFFFFF", "#F5F4F0", "#141311", "#4A4741", "#69655D"
RULE, GRID, HEAT = "#CFCBC1", "#E4E1D9", "#4E2E86"
COLORS = {"raw": "#BF4316", "sqrt": "#18479A", "dk": "#5B96A2"}
WORDS = {"raw": "#A83A10", "sqrt": "#18479A", "dk": "#2B6C79"}
TITLES = {"raw": "No scaling", "sqrt": "Divided by √*d_k*", "dk": "Divided by *d_k*"}

KINDS = {"body": (8.5, 400), "strong": (8.5, 600), "title": (9.5, 600)}  # size and weight of words

Style = Literal["normal", "italic"]
Result = dict[str, Any]
Array = NDArray[np.float64]


# -- measuring --------------------------------------------------------------------------------------


def spread(sizes: list[int], example: int, trials: int, seed: int) -> Result:
    """Multiply random q and k at every size and compare the spread of the scores with theory."""
    at = {d_k: moments(d_k, scores(d_k, trials, seed)) for d_k in sorted({*sizes, example})}
    x = np.log(sizes) - np.mean(np.log(sizes))
    records = [at[d_k] for d_k in sizes]
    return {
        "trials": trials,
        "at": at,
        "records": records,
        "slope": float(np.sum(x * np.log([one["sd"] for one in records])) / np.sum(x * x)),
        "worst": max(records, key=lambda one: abs(one["deviation"])),
        "misses": sum(not one["low"] <= 0 <= one["high"] for one in records),
    }


def scores(d_k: int, trials: int, seed: int) -> Array:
    """Scores of random pairs, a chunk of them at a time."""
    generator = np.random.default_rng([seed, d_k])
    rows = min(trials, max(1, CHUNK // d_k))
    pairs, drawn = np.empty((rows, 2, d_k)), np.empty(trials)
    for start in range(0, trials, rows):
        part = pairs[: trials - start]
        generator.standard_normal(out=part)
        drawn[start : start + rows] = np.einsum("ij,ij->i", part[:, 0], part[:, 1])
    return drawn


def moments(d_k: int, drawn: Array) -> Result:
    """Spread of the scores under each divisor, with a 95 % interval by the measured kurtosis."""
    squares = (drawn - drawn.mean()) ** 2
    kurtosis = float(np.mean(squares**2) / np.mean(squares) ** 2)
    ratio = float(np.var(drawn, ddof=1)) / d_k
    half = 1.96 * ratio * math.sqrt(max(0.0, kurtosis - 1) / len(drawn))
    spreads = {
        name: float(np.std(drawn / by, ddof=1))
        for name, by in (("sd", 1), ("sqrt", math.sqrt(d_k)), ("dk", d_k))
    }
    interval = {"deviation": ratio - 1, "low": ratio - half - 1, "high": ratio + half - 1}
    return {"d_k": d_k, **spreads, **interval, "kurtosis": kurtosis}


def row(inputs: Array, d_k: int) -> Result:
    """Softmax weights of one row and their slopes, under each divisor."""
    divisors = {"raw": 1.0, "sqrt": math.sqrt(d_k), "dk": float(d_k)}
    return {name: weigh(inputs / divisor, divisor) for name, divisor in divisors.items()}


def weigh(inputs: Array, divisor: float) -> Result:
    """Weights, their entropy, and the Jacobian of the softmax."""
    weights = np.exp(inputs - inputs.max())
    weights /= weights.sum()
    slopes = np.diag(weights) - np.outer(weights, weights)
    largest = float(np.max(slopes))
    return {
        "divisor": divisor,
        "inputs": inputs.tolist(),
        "weights": weights.tolist(),
        "top": float(weights.max()),
        "effective": math.exp(-float(np.sum(weights * np.log(weights)))),
        "slopes": slopes.tolist(),
        "largest": largest,
        "at_raw": largest / divisor,
        "trace": float(np.trace(slopes)),
        "eigenvalue": float(np.linalg.eigvalsh(slopes)[-1]),
    }


# -- printing numbers -------------------------------------------------------------------------------


def fixed(value: float, digits: int = 2) -> str:
    """Print decimals with a true minus."""
    return f"{value:,.{digits}f}".replace("-", MINUS)


def brief(value: float) -> str:
    """Print as few digits as it takes, at most four."""
    return f"{value:,.4g}".replace("-", MINUS)


def share(value: float) -> str:
    """Print a weight: two decimals, more for a small one, and a bound for one that would vanish."""
    if value < 0.00005:
        return "<0.0001"
    return f"{value:.2f}" if value >= 0.05 else f"{value:.3f}" if value >= 0.001 else f"{value:.4f}"


def percent(value: float, digits: int = 0) -> str:
    """Print a share of a hundred."""
    return f"{value:.{digits}%}".replace("-", MINUS)


def entry(value: float) -> str:
    """Print a slope."""
    if abs(value) < 0.00005:
        return "0"
    return fixed(value, 3 if abs(value) >= 0.001 else 4)


def series(values: list[float], show: Any = brief) -> str:
    """List numbers as a sentence does."""
    return ", ".join(map(show, values[:-1])) + f" and {show(values[-1])}"


# -- claims and numbers -----------------------------------------------------------------------------

Claims = list[tuple[str, bool, str]]  # a sentence, whether it holds, and the evidence


def claims(spread: Result, row: Result, d_k: int) -> Claims:
    """State what the text leans on, and hold it against the results."""
    return [*of_spread(spread, d_k), *of_weights(row, d_k), *of_slopes(row)]


def of_spread(spread: Result, d_k: int) -> Claims:
    """State what is said of the spread of a score."""
    records = spread["records"]
    sds, roots = [one["sd"] for one in records], [one["sqrt"] for one in records]
    steps = sum(wide > narrow for narrow, wide in pairwise(sds))
    return [
        (
            "Dividing by $\\sqrt{d_k}$ takes the variance of a score from $d_k$ to one.",
            math.isclose(spread["at"][d_k]["sqrt"] ** 2, 1, rel_tol=0.05),
            f"variance {fixed(spread['at'][d_k]['sqrt'] ** 2)} instead of {d_k} at $d_k$ = {d_k}",
        ),
        (
            "Unscaled, the spread of a score grows from each size to the next.",
            steps == len(sds) - 1,
            f"{steps} of {len(sds) - 1} steps go up, from {brief(sds[0])} to {brief(sds[-1])}",
        ),
        (
            "The spread grows like $\\sqrt{d_k}$: its exponent is one half to within a hundredth, "
            "about three standard errors.",
            abs(spread["slope"] - 0.5) < 0.01,
            f"exponent {fixed(spread['slope'], 4)}",
        ),
        (
            "Divided by $\\sqrt{d_k}$, the spread is within 5% of one at every size.",
            all(abs(one - 1) < 0.05 for one in roots),
            f"from {fixed(min(roots), 3)} to {fixed(max(roots), 3)}",
        ),
        (
            "The measured variance is within 5% of $d_k$ at every size.",
            abs(spread["worst"]["deviation"]) < 0.05,
            f"worst {percent(spread['worst']['deviation'], 1)} at $d_k$ = {spread['worst']['d_k']}",
        ),
        (
            "No more 95% intervals leave theory out than chance allows.",
            spread["misses"] <= 3,
            f"{spread['misses']} of {len(records)} miss; chance alone makes "
            f"{fixed(0.05 * len(records))} on average",
        ),
    ]


def of_weights(row: Result, d_k: int) -> Claims:
    """State what is said of the weights of the example row."""
    weights = {name: one["weights"] for name, one in row.items()}
    tops = {name: one["top"] for name, one in row.items()}
    inputs, ranked = row["raw"]["inputs"], sorted(weights["sqrt"], reverse=True)
    size = math.sqrt(sum(x * x for x in inputs) / len(inputs))
    orders = {tuple(sorted(range(len(one)), key=one.__getitem__)) for one in weights.values()}
    even = 1 / len(inputs)
    return [
        (
            "The row is a fair one at this $d_k$: its root mean square is 0.667 to 1.5 standard "
            "deviations of a score, and no score is beyond two of them.",
            1 / 1.5 < size / math.sqrt(d_k) < 1.5 and max(map(abs, inputs)) <= 2 * math.sqrt(d_k),
            f"root mean square {brief(size)}, farthest score {brief(max(map(abs, inputs)))}, "
            f"standard deviation {brief(math.sqrt(d_k))}",
        ),
        (
            "Unscaled, one key takes nearly everything: at least 95% of the weight.",
            tops["raw"] >= 0.95,
            f"largest weight {share(tops['raw'])}",
        ),
        (
            "Divided by $\\sqrt{d_k}$, the row is still peaked: the first key leads by at least 10% of "
            "the weight and takes less than 95%.",
            ranked[0] - ranked[1] >= 0.1 and ranked[0] < 0.95,
            f"first {share(ranked[0])}, second {share(ranked[1])}",
        ),
        (
            "Divided by $\\sqrt{d_k}$, the weight is shared: every key takes at least 5%.",
            ranked[-1] >= 0.05,
            f"smallest weight {share(ranked[-1])}",
        ),
        (
            "Divided by $d_k$, the split is almost even: every weight is within 20% of an even share.",
            all(abs(one / even - 1) <= 0.2 for one in weights["dk"]),
            f"weights from {share(min(weights['dk']))} to {share(max(weights['dk']))}, even "
            f"{share(even)}",
        ),
        (
            "Every divisor leaves the keys in the same order.",
            len(orders) == 1,
            f"{len(orders) - 1} of 2 divisors change it",
        ),
        (
            "Unscaled, one key takes nearly everything; divided by $\\sqrt{d_k}$, the row is still "
            "peaked; divided by $d_k$, the split is almost even.",
            tops["raw"] >= 0.95 and tops["sqrt"] < 0.95 and tops["dk"] <= 1.2 * even,
            f"largest weights {series(list(tops.values()), share)}",
        ),
    ]


def of_slopes(row: Result) -> Claims:
    """State what is said of the slopes of the example row."""
    raw, root, dk = row["raw"], row["sqrt"], row["dk"]
    here, there = root["largest"] / raw["largest"], root["at_raw"] / raw["at_raw"]
    return [
        (
            "Unscaled, the row barely responds at the softmax input: no slope is more than 10% of the "
            "most it could be.",
            raw["largest"] <= 0.025,
            f"largest slope {fixed(raw['largest'], 4)}, at most 0.25",
        ),
        (
            "At the softmax input, the largest slope divided by $\\sqrt{d_k}$ is at least 1.5 times the "
            "unscaled one.",
            here >= 1.5,
            f"{fixed(root['largest'], 3)} against {fixed(raw['largest'], 4)}, {fixed(here, 1)} times",
        ),
        (
            "At the softmax input, the largest slope divided by $d_k$ looks healthy: it is at least "
            "50% of the most it could be.",
            dk["largest"] >= 0.125,
            f"largest slope {fixed(dk['largest'], 3)}, at most 0.25",
        ),
        (
            "Seen from the raw score, the gain of dividing by $\\sqrt{d_k}$ is smaller than at the "
            "softmax input, by a factor of at least 1.5.",
            here / there >= 1.5,
            f"{fixed(there)} times from the raw score, {fixed(here, 1)} times at the softmax input",
        ),
        (
            "Seen from the raw score, dividing by $d_k$ leaves the smallest slope of all.",
            dk["at_raw"] < min(raw["at_raw"], root["at_raw"]),
            f"{fixed(dk['at_raw'], 5)} against {fixed(raw['at_raw'], 4)} unscaled and "
            f"{fixed(root['at_raw'], 4)} divided by $\\sqrt{{d_k}}$",
        ),
        (
            "No slope of a softmax is above 0.25, and no eigenvalue of its Jacobian above 0.5.",
            all(one["largest"] <= 0.25 and one["eigenvalue"] <= 0.5 for one in row.values()),
            f"largest slope {fixed(root['largest'], 3)}, largest eigenvalue "
            f"{fixed(max(one['eigenvalue'] for one in row.values()), 3)}",
        ),
    ]


def numbers(told: Any, path: str) -> Iterator[str]:
    """Print every number of a result with its place and its value."""
    if isinstance(told, dict | list):
        inner = told.items() if isinstance(told, dict) else enumerate(told)
        for key, value in inner:
            yield from numbers(value, f"{path}.{key}")
    else:
        yield f"{brief(told)} {path} = {told:.9g}"


# -- drawing ----------------------------------------------------------------------------------------


def prepare() -> None:
    """Let matplotlib use the article's fonts and write words as words."""
    for name in ("Sans-Regular", "Sans-Semibold", "Text-Italic", "Text-SemiboldItalic"):
        fontManager.addfont(FONTS / f"Quill{name}.ttf")
    rcParams.update(
        {
            "font.family": "Quill Sans",
            "font.size": 8.5,
            "svg.fonttype": "none",
            "svg.hashsalt": "flat",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.linewidth": 0.6,
            "xtick.major.width": 0.6,
        }
    )


@cache
def advance(text: str, family: str, style: Style, weight: int, size: float) -> float:
    """Measure a text in points."""
    font = get_font(findfont(FontProperties(family=family, style=style, weight=weight)))
    font.set_size(size, 72)
    font.set_text(text, flags=LoadFlags.NO_HINTING)
    return float(font.get_width_height()[0] / 64)


def write(  # noqa: PLR0913 - words have that many properties, half of them with a default
    ax: Axes,
    x: float,
    y: float,
    markup: str,
    color: str = INK,
    kind: str = "body",
    *,
    anchor: float = 0.0,
    middle: bool = False,
) -> float:
    """Write a line in which `*d_k*` is a symbol, and give its end; x and y are points."""
    size, weight = KINDS[kind]
    runs: list[tuple[str, str, Style, float, float]] = []
    for index, part in enumerate(markup.split("*")):
        if not index % 2:
            runs.append((part, "Quill Sans", "normal", size, 0.0))
            continue
        letter, _, below = part.partition("_")
        runs.append((letter, "Quill Text", "italic", size, 0.0))
        runs.append((below, "Quill Text", "italic", 0.74 * size, 0.2 * size))
    widths = [advance(text.strip(), *face, weight, pt) for text, *face, pt, _ in runs]
    spaces = [SPACE * size * (len(run[0]) - len(run[0].strip())) for run in runs]
    x -= anchor * (sum(widths) + sum(spaces))
    for (text, family, style, pt, drop), wide, space in zip(runs, widths, spaces, strict=True):
        lead = SPACE * size * (len(text) - len(text.lstrip()))
        if text := text.strip():
            font = FontProperties(family=family, style=style, weight=weight, size=pt)
            at = y + drop + (0.33 * size if middle else 0)
            ax.text(x + lead, at, text, color=color, fontproperties=font, zorder=5)
        x += wide + space
    return x


def sheet(height: float) -> tuple[Figure, Axes]:
    """Make a figure, and on it axes that count points from the top left."""
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_xlim(0, WIDTH)
    ax.set_ylim(height, 0)
    ax.axis("off")
    return figure, ax


def chart(figure: Figure, box: tuple[float, float, float, float]) -> Axes:
    """Add the axes of a chart at left, top, width and height in points."""
    height = figure.get_figheight() * 72
    left, top, wide, high = box
    ax = figure.add_axes((left / WIDTH, 1 - (top + high) / height, wide / WIDTH, high / height))
    ax.patch.set_visible(False)
    return ax


def heading(ax: Axes, y: float, strong: str, quiet: str) -> None:
    """Name a quantity, and say more quietly how to read it."""
    write(ax, write(ax, 0, y, strong, kind="strong") + 7, y, quiet, INK3)


def draw_spread(result: Result, d_k: int) -> Figure:
    """Three lines that fan out on log axes, and below them measured variance against theory."""
    figure, page = sheet(296)
    heading(
        page,
        6.5,
        "Spread of one attention score",
        "standard deviation over random *q* and *k*; lines: theory, marks: measured",
    )
    fan = chart(figure, (32, 25, 318, 164))
    sizes = np.array([one["d_k"] for one in result["records"]])
    top = math.sqrt(sizes[-1])
    laws = {"raw": np.sqrt(sizes), "sqrt": np.ones(len(sizes)), "dk": 1 / np.sqrt(sizes)}
    for (name, law), key, mark in zip(laws.items(), ("sd", "sqrt", "dk"), "osD", strict=True):
        measured = [one[key] for one in result["records"]]
        fan.plot(sizes, law, color=COLORS[name], linewidth=1.3)
        fan.plot(sizes, measured, mark, color=COLORS[name], ms=4.7, mec=PAPER, mew=0.9)
    example = math.sqrt(d_k)
    fan.set(xscale="log", yscale="log", ylim=(1 / top, top))
    fan.set_xlim(sizes[0] * 0.8, sizes[-1] * 1.25)
    fan.axis("off")
    for at, said in (
        (top, brief(top)),
        (example, brief(example)),
        (1, "1"),
        (1 / example, f"1/{brief(example)}"),
        (1 / top, f"1/{brief(top)}"),
    ):
        fan.axhline(at, color=GRID, linewidth=0.6, zorder=0)
        place = 107 - 82 * math.log(at) / math.log(top)
        write(page, 27, place, said, INK2, anchor=1, middle=True)
    fan.plot([d_k, d_k], [1 / example, example], ":", color=INK3, linewidth=0.7, zorder=0)
    across = 318 * math.log(d_k / fan.get_xlim()[0]) / math.log(1.5625 * sizes[-1] / sizes[0])
    write(page, 32 + across + 5, 86, f"*d_k* = {d_k}", INK2)
    for name, law_words, place in (
        ("raw", "grows as √*d_k*", 23.5),
        ("sqrt", "stays at 1", 105.5),
        ("dk", "shrinks as 1/√*d_k*", 187.5),
    ):
        write(page, 358, place, TITLES[name], WORDS[name], "title")
        write(page, 358, place + 11.5, law_words, INK2)
    heading(
        page,
        215.5,
        "Measured variance against theory",
        f"{result['trials']:,} seeded trials per size",
    )
    strip = chart(figure, (32, 224.5, 318, 36))
    strip.axhspan(-5, 5, color=PANEL, zorder=0)
    strip.axhline(0, color=INK3, linewidth=0.6)
    low, off, high = (
        100 * np.array([one[key] for one in result["records"]])
        for key in ("low", "deviation", "high")
    )
    strip.vlines(sizes, low, high, color=INK2, linewidth=1.1)
    strip.plot(sizes, off, "o", color=INK, markersize=4.2, mec=PAPER, mew=0.9)
    strip.set(xscale="log", ylim=(-7, 5), xlim=fan.get_xlim())
    strip.set_xticks(sizes, [f"{size:,}" for size in sizes], color=INK2)
    strip.minorticks_off()
    strip.set_yticks([-5, 0, 5], [f"{MINUS}5%", "0", "+5%"], color=INK2)
    strip.tick_params(axis="y", length=0)
    strip.tick_params(axis="x", color=INK3)
    strip.spines["left"].set_visible(False)
    write(page, 191, 291, "key dimension *d_k* (log scales)", INK2, anchor=0.5)
    write(page, 358, 240, "bars: 95% sampling interval", INK3)
    write(page, 358, 251.5, "band: within 5% of *d_k*", INK3)
    return figure


def draw_weights(result: Result, d_k: int) -> Figure:
    """Three panels of bars on one scale."""
    figure, page = sheet(200)
    keys = len(result["raw"]["weights"])
    heading(
        page,
        6.5,
        "Attention weight on each key",
        f"one row of {keys} scores at *d_k* = {d_k}; dotted: an even split",
    )
    titles = {
        "raw": ("No scaling", "One key takes nearly everything"),
        "sqrt": (f"Divided by √*d_k* = {brief(math.sqrt(d_k))}", "A clear first, the rest count"),
        "dk": (f"Divided by *d_k* = {d_k}", "Almost an even split"),
    }
    for index, (name, (title, verdict)) in enumerate(titles.items()):
        left, one = 30 + 148.7 * index, result[name]
        write(page, left, 29.5, title, WORDS[name], "title")
        write(page, left, 42, verdict, INK2)
        ax = chart(figure, (left, 52, 131.7, 118))
        ax.bar(range(keys), one["weights"], 0.6, color=COLORS[name], zorder=2)
        for at in (0.5, 1):
            ax.axhline(at, color=GRID, linewidth=0.6, zorder=0)
        ax.axhline(1 / keys, color=INK3, linewidth=0.7, linestyle=":", zorder=0)
        for key, weight in enumerate(one["weights"]):
            bold = 600 if weight == one["top"] else 400
            text = ax.annotate(
                share(weight), (key, weight), (0, 3.5), textcoords="offset points", ha="center"
            )
            text.set(weight=bold, color=INK, bbox={"fc": PAPER, "ec": "none", "pad": 0.8})
        ax.set(ylim=(0, 1.07), xlim=(-0.5, keys - 0.5))
        labels = [f"{key + 1}\n{brief(x)}" for key, x in enumerate(one["inputs"])]
        ax.set_xticks(range(keys), labels, color=INK2, linespacing=1.25)
        ax.tick_params(length=0)
        ax.spines["left"].set_visible(False)
        ticks = [] if index else [0, 1 / keys, 0.5, 1]
        ax.set_yticks(ticks, [brief(at) for at in ticks], color=INK2)
    write(page, 25, 182, "key", INK3, anchor=1)
    write(page, 25, 194, "input", INK3, anchor=1)
    return figure


def draw_jacobian(result: Result) -> Figure:
    """Two tables of slopes on one scale."""
    figure, page = sheet(265)
    heading(
        page,
        6.5,
        "Slope of the softmax at its input",
        "change of weight *p_i* (row) per unit of input *z_j* (column)",
    )
    raw, root = result["raw"], result["sqrt"]
    times = root["largest"] / raw["largest"]
    tables = (
        ("raw", "No scaling", "nearly flat", f"{entry(raw['largest'])} as well"),
        (
            "sqrt",
            f"Divided by √*d_k* = {brief(root['divisor'])}",
            f"about {times:.0f} times as steep",
            f"{entry(root['largest'])} ÷ {brief(root['divisor'])} = {entry(root['at_raw'])}",
        ),
    )
    for index, (name, title, verdict, seen) in enumerate(tables):
        left, one = 18 + 238 * index, result[name]
        write(page, left, 29.5, title, WORDS[name], "title")
        write(page, left, 42, f"Largest entry {entry(one['largest'])}: {verdict}", INK2)
        table(page, (left, 63, 202, 136), one)
        write(page, left, 213, f"Seen from the raw score: {seen}", INK2)
    write(page, 246, 239, "Size of entry; 0.25 is the most it can be", INK3, anchor=1, middle=True)
    for step in range(6):
        cell(page, (254 + 34 * step, 234, 34, 9), step / 5)
        write(page, 271 + 34 * step, 253, brief(step / 20), INK2, anchor=0.5)
    return figure


def table(page: Axes, box: tuple[float, float, float, float], one: Result) -> None:
    """Draw one table of slopes, its largest entry outlined."""
    left, top, wide, high = box
    keys = len(one["slopes"])
    across, down = wide / keys, high / keys
    for i, line in enumerate(one["slopes"]):
        write(page, left + (i + 0.5) * across, top - 5.5, f"*z_{i + 1}*", INK2, anchor=0.5)
        write(page, left - 6, top + (i + 0.5) * down, f"*p_{i + 1}*", INK2, anchor=1, middle=True)
        for j, value in enumerate(line):
            x, y, largest = left + j * across, top + i * down, value == one["largest"]
            cell(page, (x, y, across, down), abs(value) / 0.25)
            color = PAPER if abs(value) > 0.177 else "#000000"
            kind = "strong" if largest else "body"
            middle = (x + across / 2, y + down / 2)
            write(page, *middle, entry(value), color, kind, anchor=0.5, middle=True)
            if largest:
                frame = Rectangle((x, y), across, down, fill=False, ec=INK, lw=1.5, zorder=4)
                page.add_patch(frame)


def cell(page: Axes, box: tuple[float, float, float, float], part: float) -> None:
    """Shade a cell by a share of the full color."""
    left, top, wide, high = box
    if part:
        page.add_patch(Rectangle((left, top), wide, high, fc=HEAT, alpha=round(min(part, 1), 3)))
    page.add_patch(Rectangle((left, top), wide, high, fill=False, ec=RULE, lw=0.6))


def draw_chain(result: Result, vectors: Array, d_k: int) -> Figure:
    """Fork long keys into two lanes of three small pictures."""
    figure, page = sheet(260)
    for x, number, said in (
        (0, 1, "Wider heads"),
        (143, 2, "Score spread"),
        (251, 3, "Softmax weights"),
        (359, 4, "Softmax slope"),
    ):
        write(page, x, 6.5, f"{number}  {said}", INK3, kind="strong")
    page.add_patch(panel(0, 21, 94, 239))
    for y, name, line in ((92, "q", vectors[0]), (105, "k", vectors[1])):
        write(page, 9, y + 5, f"*{name}*")
        for index, value in enumerate(line):
            dark = 0.14 + 0.86 * min(abs(value) / 2.5, 1)
            page.add_patch(Rectangle((20 + 6 * index, y), 4.6, 5, fc=INK3, alpha=dark))
        write(page, 20 + 6 * len(line), y + 4.6, "…", INK3)
    write(page, 9, 134, "A score adds up *d_k*", kind="strong")
    for index, said in enumerate(
        (
            "products, one per",
            "component, so its",
            "variance is *d_k*.",
            "More terms, more",
            "spread.",
        )
    ):
        write(page, 9, 145.5 + 11.5 * index, said, INK2)
    page.plot([94, 112.5, 112.5], [140.5, 140.5, 73], color=INK2, lw=1)
    page.plot([112.5, 112.5], [140.5, 198], color=INK2, lw=1)
    for name, top in (("raw", 21), ("sqrt", 146)):
        lane(page, name, top, result[name], d_k)
    pill = FancyBboxPatch((99, 161), 27, 16, "round,pad=0,rounding_size=8", fc=COLORS["sqrt"])
    pill.set(edgecolor="none", zorder=4)
    page.add_patch(pill)
    write(page, 112.5, 169, "÷ √*d_k*", PAPER, kind="strong", anchor=0.5, middle=True)
    return figure


def panel(left: float, top: float, wide: float, high: float) -> FancyBboxPatch:
    """A panel with round corners."""
    style = "round,pad=0,rounding_size=2.4"
    return FancyBboxPatch((left, top), wide, high, style, fc=PANEL, ec="none", zorder=0)


def lane(page: Axes, name: str, top: float, one: Result, d_k: int) -> None:
    """Draw the spread of a score, the weights of the row and its slopes, side by side."""
    color, foot, sd = COLORS[name], top + 77, math.sqrt(d_k) / one["divisor"]
    page.add_patch(panel(131, top, WIDTH - 131, 114))
    page.add_patch(Rectangle((131, top), 2.4, 114, fc=color))
    write(page, 143, top + 16.5, TITLES[name], WORDS[name], "title")
    for start, end in ((112.5, 129), (223, 242), (331, 350)):
        ends = (start, top + 52), (end, top + 52)
        page.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=5, color=INK2, lw=1))
    scores_at = np.linspace(-3 * math.sqrt(d_k), 3 * math.sqrt(d_k), 121)
    x = 143 + 72 * (scores_at - scores_at[0]) / (scores_at[-1] - scores_at[0])
    y = foot - 50 * np.exp(-0.5 * (scores_at / sd) ** 2)
    page.fill_between(x, y, foot, color=color, alpha=0.2, linewidth=0)
    page.plot(x, y, color=color, lw=1.3)
    page.plot([143, 215], [foot, foot], color=INK2, lw=0.6)
    keys = len(one["weights"])
    slot = 72 / keys
    for index, weight in enumerate(one["weights"]):
        bar = Rectangle((251 + (index + 0.2) * slot, foot), 0.6 * slot, -50 * weight, fc=color)
        page.add_patch(bar)
        for other, value in enumerate(one["slopes"][index]):
            side = 50 / keys
            place = (359 + other * side, foot - 50 + index * side, side, side)
            cell(page, place, abs(value) / 0.25)
    page.plot([251, 323], [foot, foot], color=INK2, lw=0.6)
    listed = ", ".join(percent(weight).rstrip("%") for weight in one["weights"][:-1])
    said = {
        "raw": (
            ("variance *d_k*", f"about ±{brief(sd)} when *d_k* = {d_k}"),
            (f"one key takes {percent(one['top'])}", "the others almost nothing"),
        ),
        "sqrt": (
            ("variance 1", f"about ±{brief(sd)} at any *d_k*"),
            (f"{listed} and {percent(one['weights'][-1])}", "every key still counts"),
        ),
    }[name]
    slope = (f"largest slope {fixed(one['largest'], 3)}", "at the softmax input")
    for left, (first, second) in zip((143, 251, 359), (*said, slope), strict=True):
        write(page, left, foot + 14.5, first, kind="strong")
        write(page, left, foot + 26, second, INK2)


def svg(figure: Figure) -> str:
    """Save a figure, without matplotlib's style for the whole page."""
    saved = io.StringIO()
    figure.savefig(saved, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = re.sub(
        r"<(defs|metadata)>\s*(<style.*?</style>|<rdf.*?)\s*</\1>", "", saved.getvalue(), flags=re.S
    )
    return text[text.index("<svg") :].replace("<svg ", '<svg stroke-linejoin="round" ', 1)


# -- the text ---------------------------------------------------------------------------------------

TITLE = "Why does attention require scaling?"
TEXT = r"""
<div class="panel">

**The short answer.** At initialization an attention score is a sum of $d_k$ independent products, $d_k$
being the width of one head, so its spread grows like $\sqrt{d_k}$. In wide heads that concentrates the
softmax of a typical query on one key, where it is nearly flat and passes little gradient to the query and
key projections. Dividing every score by $\sqrt{d_k}$ starts the softmax from the same spread at any width.
It is a square root because variances add: $d_k$ products of variance one have variance $d_k$, and a standard
deviation is the root of a variance.

</div>

<h2 id="first-principles">Attention scaling from first principles</h2>

### Definitions

<div class="panel">

**Attention scaling factor.** The constant, $1/\sqrt{d_k}$ by default, that multiplies every score of a head
before the softmax. It corrects for the *number of components* in a query and a key. It does not correct for
their norms, and it has no trained parameters. Its inverse, $T=\sqrt{d_k}$, is a softmax temperature.

</div>

<div class="panel">

**Softmax saturation.** The state in which one input leads its nearest rival by so much that the output is
nearly one-hot and hardly moves when the inputs move. The *gap to the runner-up* decides, not the size of the
scores: adding one constant to all of them changes nothing, and a pair of keys that shares all the weight is
peaked yet not saturated.

</div>

Saturation starves the choice of route: the query and key projections. It does not starve everything; values
still learn.

### In plain words

Picture a walker on a line. Every step goes left or right by a random amount. Steps partly cancel, so after
$d_k$ steps the walker is typically about $\sqrt{d_k}$ from home, not $d_k$. A raw score is such a walk: each
component of $q$ and $k$ adds one random push.

The picture has its limits. A step is a product of random numbers, so step sizes are uneven: many tiny
pushes, a few big ones.^[The root-mean-square distance is $\sqrt{d_k}$. The mean distance is shorter, by a
factor of $\sqrt{2/π}$ for long walks.] The walkers of one row share a query, so a query of large norm
carries them all farther. And training makes the steps dependent: a query and a key that have learned to
match push the same way at every step, and then the distance grows like $d_k$.

The softmax is a contrast knob. It turns differences between scores into ratios between weights, and dividing
the scores turns the contrast down. That is the half people remember. The other half: turning the knob down
also weakens, by the same factor, every signal that travels back through it. Flatter is not automatically
safer.

### One precise sentence

<div class="panel key">

**The claim with its conditions.** If the components of $q$ and $k$ are independent, with mean zero and
variance one, then $q·k$ has standard deviation $\sqrt{d_k}$, and dividing by $\sqrt{d_k}$ gives every
softmax input standard deviation one, at initialization, for every head width.

</div>

### The chain

[Figure 1](#causal_chain) is the map for the steps. A score adds up $d_k$ products, so its variance is $d_k$.
Unscaled, one key of our example row takes {{ percent(row.raw.top) }} of the weight. There the softmax
responds weakly: its largest slope is {{ fixed(row.raw.largest, 3) }}. Divide the scores by $\sqrt{d_k}$, and
the variance is one, the weight is shared, and the largest slope is {{ fixed(row.sqrt.largest, 3) }}.

FIGURE causal_chain
**One division, made before the softmax, separates the lanes.** Follow the arrows along each lane: the spread
of a score, the weights of one row, the slopes at the softmax input, all at $d_k$ = {{ d_k }}. Both curves
share one horizontal scale and are drawn to one height. The row is illustrative and its arithmetic exact, so
there is no uncertainty to show.

<h2 id="step-1"><small>Step 1</small> Dot products spread out as heads widen</h2>

Take one query and one key at initialization. Assume that every component has mean zero and variance one, and
that all are independent. Each product of components then has mean zero and variance one as well. Variances
of independent terms add:

$$\operatorname{Var}(q\cdot k)=\sum_{i=1}^{d_k}\operatorname{Var}(q_i k_i)=d_k$$

The standard deviation is the root: {{ brief(d_k ** 0.5) }} at $d_k$ = {{ d_k }},
{{ brief(last.d_k ** 0.5) }} at {{ "{:,}".format(last.d_k) }}. The shape of the distribution does not enter,
only its variance. And only the width of a head counts: a model that grows by adding heads of the same width
keeps the same spread.

Does the law hold for vectors that are really drawn and really multiplied? [Figure 2](#score_spread) tries it
with {{ "{:,}".format(spread.trials) }} pairs of Gaussian vectors at each size from {{ first.d_k }} to
{{ "{:,}".format(last.d_k) }}.^[Simulated: {{ "{:,}".format(spread.trials) }} seeded trials a size, seed
{{ seed }}, one random stream for each size. The 95% intervals use the measured kurtosis, because sums of
products have heavier tails than a Gaussian.] The standard deviation grows from each size to the next: it is
{{ fixed(first.sd) }} at the first and {{ fixed(last.sd) }} at the last, and at $d_k$ = {{ d_k }} it is
{{ fixed(spread.at[d_k].sd) }}. Fitted to all sizes on log axes, it has a slope of
{{ fixed(spread.slope, 3) }}: one half within its sampling error, as a square root predicts. At every size
the variance is within 5% of $d_k$: the farthest, at $d_k$ = {{ spread.worst.d_k }}, deviates by
{{ percent(spread.worst.deviation, 1) }}.

FIGURE score_spread
**Only division by $\sqrt{d_k}$ keeps the spread independent of width.** Lines are theory; the marks are one
measurement under each divisor. On log axes every power of $d_k$ is straight. The strip compares measured
variance with $d_k$: bars are 95% sampling intervals, the band is 5% either way. Chance alone makes
{{ fixed(0.05 * spread.records | length) }} of these intervals miss on average; in this run
{{ spread.misses }} do.

<p class="takeaway">Variances add, so at initialization an unscaled score has standard deviation
$\sqrt{d_k}$.</p>

<h2 id="step-2"><small>Step 2</small> Wide gaps saturate the softmax</h2>

A softmax sees differences only. The ratio of one weight to another is $e$ raised to the gap between their
scores. At $d_k$ = {{ d_k }} a gap of one standard deviation is {{ brief(d_k ** 0.5) }}, and it makes one
key's weight {{ brief(2.718281828 ** (d_k ** 0.5)) }} times the other's.

Without scaling the weights are {{ series(row.raw.weights, share) }}.^[Exact for this row, under every
divisor. Weights are rounded for print and need not add up to one. The effective number of keys is the
exponential of the entropy.] Measured by entropy, the row has {{ fixed(row.raw.effective) }} effective keys
out of {{ row.raw.weights | length }}. Key 1 takes {{ percent(row.raw.top) }} of the weight. The rest still
matters, since it sets the gap, but little flows from it.

Divided by $\sqrt{d_k}$, the same row reads {{ series(row.sqrt.inputs) }}, and its weights are
{{ series(row.sqrt.weights, share) }}. The order is the same, and the row now has
{{ fixed(row.sqrt.effective) }} effective keys ([Figure 3](#softmax_weights), middle). It is still peaked:
key 1 leads with {{ share(row.sqrt.top) }}.

FIGURE softmax_weights
**Same scores, different divisors: certainty, preference, near indifference.** Each panel is the same row
after one division, with the softmax input at the foot of each bar; the dotted line is an even split. The row
is illustrative and its arithmetic exact, so there is no uncertainty to show.

<p class="takeaway">The gap to the runner-up saturates a softmax, and at initialization gaps grow like
$\sqrt{d_k}$.</p>

<h2 id="step-3"><small>Step 3</small> A saturated softmax hardly responds</h2>

How does weight number $i$ move when input number $j$ moves? Call the inputs $z$ and differentiate:

$$\frac{\partial p_i}{\partial z_j}=p_i\left(\delta_{ij}-p_j\right)$$

Here $δ_{ij}$ is one if $i=j$ and zero otherwise. On the diagonal this is $p(1-p)$: at most one quarter, when
the weight is one half, and zero at both ends. A weight near one can hardly move, and neither can a weight
near zero.

For our row the largest entry is {{ fixed(row.raw.largest, 3) }} without scaling and
{{ fixed(row.sqrt.largest, 3) }} with it.^[Exact for this row. By other measures of the same matrices the
ratio is {{ brief(row.sqrt.eigenvalue / row.raw.eigenvalue) }} (largest eigenvalue) or
{{ brief(row.sqrt.trace / row.raw.trace) }} (trace).] That is
{{ fixed(row.sqrt.largest / row.raw.largest, 0) }} times as steep ([Figure 4](#softmax_jacobian)).

FIGURE softmax_jacobian
**At the softmax input, the unscaled row barely responds.** Each cell is the change of a weight $p_i$ per unit
change of one softmax input: positive on the diagonal, negative elsewhere; a zero is a slope too small to
print. *How it could mislead:* the ratio of the largest slopes,
{{ fixed(row.sqrt.largest / row.raw.largest, 0) }}, is {{ fixed(row.sqrt.at_raw / row.raw.at_raw, 1) }} from
the raw score. Exact for this row; no uncertainty to show.

### Steeper, seen from where?

The divisor acts twice. On the way forward it keeps the softmax away from its flat ends. On the way back the
chain rule multiplies every gradient by $1/T$. Seen from the raw score, and so from $q$ and $k$, the largest
slope of this row is {{ fixed(row.raw.at_raw, 4) }} without scaling and {{ fixed(row.sqrt.at_raw, 4) }} with
it. The ratio there is {{ fixed(row.sqrt.at_raw / row.raw.at_raw, 1) }}, not
{{ fixed(row.sqrt.largest / row.raw.largest, 0) }}.

Take division by $d_k$. At the softmax input its largest entry is {{ fixed(row.dk.largest, 3) }}, which looks
healthy. From the raw score it is {{ fixed(row.dk.at_raw, 5) }}, smaller than without any scaling by a factor
of {{ fixed(row.raw.at_raw / row.dk.at_raw, 1) }}.

### What is starved, and what is not

A saturated row starves the query and key projections, because their gradient passes through its softmax. It
does not starve the values: a value's gradient is its weight times what arrives from above. And the residual
stream passes by on the side.

<h2 id="step-4"><small>Step 4</small> Dividing by $\sqrt{d_k}$ takes the width out</h2>

Dividing a random number by $T$ divides its standard deviation by $T$. The score has standard deviation
$\sqrt{d_k}$, so $T=\sqrt{d_k}$ leaves one, at every width ([Vaswani et al. 2017, eq. 1](#vaswani)):

$$\operatorname{Attention}(Q,K,V)=\operatorname{softmax}\left(\frac{QK^{\top}}{\sqrt{d_k}}\right)V$$

**Why not $d_k$?** Then the spread at initialization is $1/\sqrt{d_k}$: {{ brief(d_k ** -0.5) }} at $d_k$ =
{{ d_k }}, the falling line of [Figure 2](#score_spread). The weights of our row become
{{ series(row.dk.weights, share) }}, or {{ fixed(row.dk.effective) }} effective keys out of
{{ row.dk.weights | length }}. The row is almost indifferent, and to change that the raw score has a slope of
{{ fixed(row.dk.at_raw, 5) }}, against {{ fixed(row.sqrt.at_raw, 4) }} under $\sqrt{d_k}$.

**Where the factor came from.** Additive attention scores a pair with a small network ([Bahdanau et al. 2014,
app. A.1.2](#bahdanau)). The dot product is faster, being plain matrix multiplication. But without scaling, the
Transformer paper recalls, it falls behind additive attention at large $d_k$. The paper suspects that large
scores push the softmax to where gradients are tiny, and brings in the factor against that suspected cause
([Vaswani et al. 2017, sec. 3.2.1](#vaswani)). The comparison it cites trained recurrent translation models:
the unscaled dot product reached 22.03, 22.33, 21.78 and 18.22 BLEU at attention widths 128, 256, 512 and
1,024, additive attention 22.10 at the last ([Britz et al. 2017, attention table](#britz)). One drop, at one
width: suggestive, no proof.

**What the factor does not do.** It sets a starting point and does not hold training to it. A vision model of
about 8B parameters diverged with the factor in place, its weights nearly one-hot, until its queries and keys
were normalized ([Dehghani et al. 2023](#dehghani)). The same growth of scores appears in small models at high
learning rates ([Wortsman et al. 2023](#wortsman)), and low attention entropy goes with unstable training
([Zhai et al. 2023](#zhai)).

<p class="takeaway">Dividing by $\sqrt{d_k}$ takes the head width out of the softmax input at initialization.
It promises nothing about later.</p>

<h2 id="sources">Sources</h2>

<ol class="sources">
<li id="bahdanau">Bahdanau et al. 2014. <cite>Neural Machine Translation by Jointly Learning to Align and
Translate.</cite> <a href="https://arxiv.org/abs/1409.0473">arXiv:1409.0473</a>.</li>
<li id="britz">Britz et al. 2017. <cite>Massive Exploration of Neural Machine Translation
Architectures.</cite> <a href="https://arxiv.org/abs/1703.03906">arXiv:1703.03906</a>.</li>
<li id="dehghani">Dehghani et al. 2023. <cite>Scaling Vision Transformers to 22 Billion Parameters.</cite>
<a href="https://arxiv.org/abs/2302.05442">arXiv:2302.05442</a>.</li>
<li id="vaswani">Vaswani et al. 2017. <cite>Attention Is All You Need.</cite>
<a href="https://arxiv.org/abs/1706.03762">arXiv:1706.03762</a>.</li>
<li id="wortsman">Wortsman et al. 2023. <cite>Small-scale proxies for large-scale Transformer training
instabilities.</cite> <a href="https://arxiv.org/abs/2309.14322">arXiv:2309.14322</a>.</li>
<li id="zhai">Zhai et al. 2023. <cite>Stabilizing Transformer Training by Preventing Attention Entropy
Collapse.</cite> <a href="https://arxiv.org/abs/2303.06296">arXiv:2303.06296</a>.</li>
</ol>

<h2 id="colophon">How this was made</h2>

Every number was computed by one script from the seed {{ seed }} and the parameters: scores
{{ series(scores) }}; $d_k$ = {{ d_k }}; sizes {{ series(sizes) }}; {{ "{:,}".format(spread.trials) }} trials.
Computed and drawn with {{ versions }}. Attached to the PDF: results.json.

| $d_k$ | Standard deviation | by $\sqrt{d_k}$ | by $d_k$ | Variance against $d_k$ | 95% interval | Kurtosis |
|---|---|---|---|---|---|---|
{% for one in spread.records %}
| {{ one.d_k }} | {{ brief(one.sd) }} | {{ brief(one.sqrt) }} | {{ brief(one.dk) }} |
{{- percent(one.deviation, 2) }} | {{ percent(one.low, 2) }} to {{ percent(one.high, 2) }} |
{{- fixed(one.kurtosis) }} |
{% endfor %}
"""

LEDGER = r"""
<h2 id="claims">What this report claims</h2>

The text leans on these sentences. {{ claims | selectattr(1) | list | length }} of {{ claims | length }} hold.

| Claim | Holds | Evidence |
|---|---|---|
{% for claim, holds, evidence in claims %}
| {{ claim }} | {{ "yes" if holds else "no" }} | {{ evidence }} |
{% endfor %}

<h2 id="numbers">Numbers</h2>

The numbers of the example row and of the widths in the text, each with its place and its value.

{% for name, told in quoted.items() %}
### {{ name }}

{{ told | join(" · ") }}

{% endfor %}
"""

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
CAPTIONED = re.compile(r"^FIGURE (\w+) (.+)$", re.MULTILINE)


class Setting:
    """How page or print sets formulas and pictures."""

    def __init__(self, pictures: dict[str, str], alts: dict[str, str], *, print_: bool) -> None:
        self.pictures, self.alts, self.print = pictures, alts, print_
        self.files: dict[str, bytes] = {}
        self.notes = self.figures = 0

    def body(self, text: str) -> str:
        """Set the text with its formulas, notes and figures."""
        text = re.sub(r"(?<=\S)\n(?=[^\s|<])(?<!\|\n)", " ", text)  # a paragraph is one line
        text = re.sub(r"\$\$(.+?)\$\$", self.formula, text)
        text = re.sub(r"\$(.+?)\$", inline, text)
        text = re.sub(r"\^\[((?:[^\[\]]|\[[^\]]*\])*)\]", self.note, text)
        text = CAPTIONED.sub(self.figure, text)
        return str(MARKDOWN.render(text))

    def formula(self, found: re.Match[str]) -> str:
        """Set a displayed formula as MathML, or as outlines for print."""
        if not self.print:
            return str(latex2mathml.converter.convert(found[1], display="block"))
        drawn = Latex(found[1], size=14.5)
        wide, high = drawn.getsize()
        image = base64.b64encode(drawn.svg().encode()).decode()
        said = found[1].replace("\\", "")
        size = f"width:{0.75 * wide:.1f}pt;height:{0.75 * high:.1f}pt"
        return f'<p><img class="formula" alt="{said}" style="{size}" src="data:image/svg+xml;base64,{image}"></p>'

    def note(self, found: re.Match[str]) -> str:
        """Set a note where it is called: at the foot of the page in print."""
        self.notes += 1
        if self.print:
            return f'<span class="note">{found[1]}</span>'
        return (
            f'<sup>{self.notes}</sup><small class="note"><sup>{self.notes}</sup> {found[1]}</small>'
        )

    def figure(self, found: re.Match[str]) -> str:
        """Set a figure with its caption."""
        self.figures += 1
        stem, drawing = found[1], self.pictures[found[1]]
        if self.print:
            image = base64.b64encode(drawing.encode()).decode()
            picture = f'<img alt="{self.alts[stem]}" src="data:image/svg+xml;base64,{image}">'
        else:
            label = f'<svg role="img" aria-label="{self.alts[stem]}" '
            picture = re.sub(r"<\?.*?\?>|<!.*?>", "", drawing).replace("<svg ", label, 1)
        caption = MARKDOWN.renderInline(f"Figure {self.figures} {found[2]}")
        return f'<figure id="{stem}">{picture}<figcaption>{caption}</figcaption></figure>'


def inline(found: re.Match[str]) -> str:
    """Set a short formula as text: letters italic, what follows `_` lowered."""
    text = re.sub(r"\\sqrt\{(.+?)\}(?!\})", r"√\1", found[1])
    text = re.sub(r"_\{?(\w+)\}?", r"<sub>\1</sub>", text).replace("=", " = ")
    return re.sub(r"(?<![<\w/])([a-zA-Zδπ])(?![\w>])", r"<i>\1</i>", text)


# -- the outputs ------------------------------------------------------------------------------------

FACES = (
    ("Quill Text", 400, "normal", "Text-Regular"),
    ("Quill Text", 400, "italic", "Text-Italic"),
    ("Quill Text", 600, "normal", "Text-Semibold"),
    ("Quill Text", 600, "italic", "Text-SemiboldItalic"),
    ("Quill Display", 600, "normal", "Display-Semibold"),
    ("Quill Subhead", 400, "normal", "Subhead-Regular"),
    ("Quill Subhead", 600, "normal", "Subhead-Semibold"),
    ("Quill Sans", 400, "normal", "Sans-Regular"),
    ("Quill Sans", 600, "normal", "Sans-Semibold"),
    ("Quill Math", 400, "normal", "Math-Regular"),
)
SHARED = """
body { margin: 0; color: #141311; font: 10.25pt/15pt "Quill Text"; font-variant-numeric: lining-nums; }
p { margin: 0 0 7.5pt; }
a { color: #18479A; text-decoration: none; }
b, strong { font-weight: 600; }
sub, sup { font-size: 74%; line-height: 0; }
h1 { margin: 0; font: 600 27pt/30pt "Quill Display"; }
h2 { margin: 24pt 0 6pt; font: 600 15pt/19pt "Quill Subhead"; }
h2 small { display: block; font: 600 8.5pt/12pt "Quill Sans"; color: #69655D; }
h3 { margin: 15pt 0 3.75pt; font: 600 11.5pt/15pt "Quill Subhead"; }
.dek { font: 13pt/19pt "Quill Subhead"; color: #4A4741; }
.byline { border-top: 0.5pt solid #CFCBC1; padding-top: 6pt; font: 8.5pt/12pt "Quill Sans"; }
.panel { margin: 10.5pt 0 12pt; padding: 7pt 10pt 0.1pt; background: #F5F4F0; border-radius: 3pt; }
.key { border-left: 2pt solid #18479A; }
.takeaway { border-top: 0.5pt solid #CFCBC1; padding-top: 6pt; font: 600 9.5pt/14pt "Quill Sans"; }
figcaption, .note, .sources { font: 8.75pt/12.5pt "Quill Sans"; color: #4A4741; }
figcaption { margin-top: 9pt; }
table { width: 100%; border-collapse: collapse; font: 8.5pt/12pt "Quill Sans"; }
th, td { padding: 3pt 9pt 3pt 0; text-align: left; border-bottom: 0.5pt solid #E4E1D9; font-weight: 400; }
"""
SCREEN = """
main { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; font-size: 1.1rem; line-height: 1.6; }
figure { margin: 1.5rem -4rem; }
figure svg { width: 100%; height: auto; }
figcaption { margin: 0 4rem; }
math { font-family: "Quill Math"; }
.note { display: block; margin: 0 0 0.5rem 2rem; }
@media (max-width: 45rem) { figure { margin: 1.5rem 0; overflow-x: auto; } figcaption { margin: 0; } }
"""
PRINT = """
@page { size: A4; margin: 24mm 24mm 27mm; @bottom-left { content: "CC BY 4.0"; font: 8pt "Quill Sans"; }
  @top-left { content: "Why attention is scaled"; font: 8pt "Quill Sans"; color: #69655D; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 600 8.5pt "Quill Sans"; } }
body { orphans: 3; widows: 3; hyphens: auto; hyphenate-limit-chars: 7 3 4; }
main { width: 112mm; position: relative; }
h2, h3 { hyphens: none; break-after: avoid; }
figure { width: 162mm; margin: 15pt 0 18pt; break-inside: avoid; }
figure img { display: block; width: 162mm; }
figcaption { width: 112mm; }
.panel { break-inside: avoid; }
.note { float: footnote; width: 112mm; }
.formula { display: block; margin: 9pt 0 10.5pt 8mm; }
#numbers ~ p { width: 162mm; font: 8pt/11pt "Quill Sans"; }
.contents { position: absolute; left: 119mm; top: 0; width: 43mm; font: 8.5pt/12pt "Quill Sans"; }
.contents a { display: block; margin-bottom: 3pt; color: #141311; }
.contents a::after { content: " " target-counter(attr(href), page); color: #69655D; }
"""
DOCUMENT = """<!doctype html>
<html lang="en-US"><head><meta charset="utf-8"><title>{{ title }}</title>
<meta name="viewport" content="width=device-width"><meta name="author" content="The Answering Report project">
<meta name="description" content="Why attention divides its scores by the root of the head width.">
<style>{{ css }}</style></head>
<body><header><h1>{{ title }}</h1>
<p class="dek">Raw scores spread out as heads get wider, and the softmax turns spread into certainty. One
division takes the width out.</p>
<p class="byline">The Answering Report project · Seed {{ seed }}</p></header>
<main>{{ contents }}{{ body }}</main></body></html>
"""


def faces(ending: str) -> str:
    """Write the fonts as CSS: inside the page, beside the print."""
    rules = []
    for family, weight, style, name in FACES:
        path = FONTS / f"Quill{name}.{ending}"
        inside = ending == "woff2"
        data = base64.b64encode(path.read_bytes()).decode() if inside else ""
        source = f"data:font/woff2;base64,{data}" if inside else path.as_uri()
        rules.append(
            f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
            f"src: url({source}); }}"
        )
    return "\n".join(rules)


def document(body: str, css: str, seed: int) -> str:
    """Put head, contents and text together."""
    entries = re.findall(r'<h2 id="([\w-]+)">(.*?)</h2>', body)
    links = "".join(f'<a href="#{anchor}">{title}</a>' for anchor, title in entries)
    contents = f'<nav class="contents">{links}</nav>'
    template = jinja2.Template(DOCUMENT)
    return str(template.render(title=TITLE, css=css, seed=seed, contents=contents, body=body))


def main(folder: Path, out: Path) -> None:
    """Measure, draw, and write results, pictures, page and PDF."""
    given = tomllib.loads((folder / "seeds.toml").read_text("utf-8"))
    seed, d_k, inputs = given["seed"], given["example"]["d_k"], given["example"]["scores"]
    sizes, trials = given["score_spread"]["sizes"], given["score_spread"]["trials"]
    cells = given["causal_chain"]["components"]
    spreads, weighed = spread(sizes, d_k, trials, seed), row(np.array(inputs, float), d_k)
    vectors = np.random.default_rng([seed, 1]).standard_normal((2, cells))
    results = json.dumps({"spread": spreads, "row": weighed, "vectors": vectors.tolist()}, indent=1)
    (out / "results.json").write_text(results, "utf-8")

    prepare()
    pictures = {
        "causal_chain": svg(draw_chain(weighed, vectors, d_k)),
        "score_spread": svg(draw_spread(spreads, d_k)),
        "softmax_weights": svg(draw_weights(weighed, d_k)),
        "softmax_jacobian": svg(draw_jacobian(weighed)),
    }
    for stem, picture in pictures.items():
        (out / f"{stem}.svg").write_text(picture, "utf-8")
    raw, root = weighed["raw"], weighed["sqrt"]
    alts = {
        "causal_chain": f"Two lanes from long keys to softmax slope: {fixed(raw['largest'], 3)} unscaled, "
        f"{fixed(root['largest'], 3)} divided by the root.",
        "score_spread": f"Lines of the spread of a score; unscaled it ends at "
        f"{fixed(spreads['records'][-1]['sd'])}, divided by the root it stays at one.",
        "softmax_weights": f"Bars of softmax weights; the largest are {share(raw['top'])}, "
        f"{share(root['top'])} and {share(weighed['dk']['top'])}.",
        "softmax_jacobian": f"Two tables of slopes; the largest are {entry(raw['largest'])} unscaled and "
        f"{entry(root['largest'])} divided by the root.",
    }
    text = jinja2.Template(TEXT + LEDGER, trim_blocks=True).render(
        row=weighed, spread=spreads, first=spreads["records"][0], last=spreads["records"][-1],
        seed=seed, d_k=d_k, scores=inputs, sizes=sizes, series=series, brief=brief, fixed=fixed,
        share=share, percent=percent,
        versions=", ".join(f"{name} {version(name)}" for name in ("numpy", "matplotlib", "weasyprint")),
        claims=claims(spreads, weighed, d_k),
        quoted={
            "The spread of a score": [
                each for size in (sizes[0], d_k, sizes[-1]) for each in numbers(spreads["at"][size], f"at.{size}")
            ],
            **{f"The example row, {name}": [*numbers(one, name)] for name, one in weighed.items()},
        },
    )  # fmt: skip

    body = Setting(pictures, alts, print_=False).body(text)
    page = document(body, faces("woff2") + SHARED + SCREEN, seed)
    (out / "flat.html").write_text(page, "utf-8")
    body = Setting(pictures, alts, print_=True).body(text)
    printed = HTML(string=document(body, faces("ttf") + SHARED + PRINT, seed))
    data = Attachment(
        string=results, name="results.json", description="The numbers behind the figures"
    )
    printed.write_pdf(out / "flat.pdf", pdf_variant="pdf/ua-1", attachments=[data])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
