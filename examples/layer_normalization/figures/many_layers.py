"""What becomes of the scale, and of the gradient, through many layers whose weights are too large?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le

from log_panels import Panel, draw_panels
from normalization import POWERS, Array, normalize, pull_back, spread

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Stored, Stream

STEADY = 0.1  # how far a scale may stray, as a share of it, and still be called steady
FAR = 10  # a factor that nobody calls steady
TICKS = 6  # steps of the level scale, or a few more
KEYS = ("scale", "gradient")
SAID = {"nothing": "mean only", "sd": "÷ σ", "variance": "÷ σ²"}


@dataclass(frozen=True)
class Parameters:
    """Size and number of the networks, how large their weights are, and the spread of the input."""

    width: Annotated[int, Ge(16), Le(1024)]
    layers: Annotated[int, Ge(2), Le(64)]
    networks: Annotated[int, Ge(2), Le(1000)]
    gain: Annotated[float, Gt(0), Le(10)]
    start: Annotated[float, Gt(0), Le(1000)]


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:
    """Send one random input through every network, and a random gradient back.

    The divisors share the weights of a network, which has a stream of its own. Scales of several
    networks are averaged as logarithms.
    """
    runs = [run_network(parameters, stream(number)) for number in range(parameters.networks)]
    by = {
        name: {
            "power": power,
            "scale": np.exp(np.mean([run[name][0] for run in runs], axis=0)),
            "gradient": np.exp(np.mean([run[name][1] for run in runs], axis=0)),
            "theory": theory(power, parameters),
        }
        for name, power in POWERS.items()
    }
    for record in by.values():
        record["end"] = {"scale": record["scale"][-1], "gradient": record["gradient"][-1]}
    kept = by["sd"]
    return {
        "width": parameters.width,
        "layers": parameters.layers,
        "networks": parameters.networks,
        "gain": parameters.gain,
        "start": parameters.start,
        "steady": STEADY,
        "by": by,
        "strays": {
            "scale": max(abs(kept["scale"][1:] / parameters.gain - 1)),
            "gradient": max(abs(kept["gradient"][:-1] - 1)),
        },
        "apart": max(
            abs(math.log(found / expected))
            for record in by.values()
            for key in ("scale", "gradient")
            for found, expected in zip(record[key], record["theory"][key], strict=True)
        ),
        "flips": {
            "high": by["variance"]["scale"][::2].min(),
            "low": by["variance"]["scale"][1::2].max(),
        },
    }


def run_network(
    parameters: Parameters, generator: np.random.Generator
) -> dict[str, tuple[Array, Array]]:
    """Give, for each divisor, logarithms of the spread after each layer and of the gradient on its way back.

    A layer is W relu(normalize(x)), its weights normal with variance 2 gain² / n: with gain one and
    nothing divided they keep the spread (He et al.'s choice for rectified units).
    """
    n, depth = parameters.width, parameters.layers
    first = parameters.start * normalize(generator.standard_normal(n), 1)
    back = generator.standard_normal(n)
    sd = parameters.gain * math.sqrt(2 / n)
    weights = generator.standard_normal((depth, n, n)) * sd
    return {name: through(first, back, weights, power) for name, power in POWERS.items()}


def through(first: Array, back: Array, weights: Array, power: int) -> tuple[Array, Array]:
    """Walk one input, (n,), forward through all weights, (layers, n, n), and one gradient back."""
    layers = forward(first, weights, power)
    sizes = np.array([np.linalg.norm(one) for one in backward(layers, back, weights, power)])
    return np.log([spread(x)[0] for x in layers]), np.log(sizes / sizes[0])


def forward(first: Array, weights: Array, power: int) -> list[Array]:
    """Give the input and what every layer makes of it."""
    layers = [first]
    for matrix in weights:
        layers.append(matrix @ np.maximum(normalize(layers[-1], power), 0))
    return layers


def backward(layers: list[Array], back: Array, weights: Array, power: int) -> list[Array]:
    """Give the gradient at the output and what every layer, from the last one, makes of it."""
    gradients = [back]
    for matrix, x in zip(weights[::-1], layers[-2::-1], strict=True):
        rectified = normalize(x, power) > 0
        gradients.append(pull_back((matrix.T @ gradients[-1]) * rectified, x, power))
    return gradients


def theory(power: int, parameters: Parameters) -> dict[str, list[float]]:
    """Follow the scales of a network without end of width: s to gain s^(1 - power), and back gain / s^power."""
    scales = [parameters.start]
    for _ in range(parameters.layers):
        scales.append(parameters.gain * scales[-1] ** (1 - power))
    gradients = [1.0]
    for scale in scales[-2::-1]:
        gradients.append(gradients[-1] * parameters.gain / scale**power)
    return {"scale": scales, "gradient": gradients}


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the text says of many layers."""
    strays, plain, flips = result["strays"], result["by"]["nothing"], result["flips"]
    return [
        {
            "name": "sd_holds_both",
            "sentence": (
                "Divided by the standard deviation, the scale stays within "
                f"{say.percent(result['steady'])} of the gain from the first layer on, and the "
                "gradient within as much of where it began until it reaches the input."
            ),
            "holds": bool(max(strays["scale"], strays["gradient"]) <= result["steady"]),
            "evidence": (
                f"the scale strays by {say.percent(strays['scale'], 1)}, the gradient by "
                f"{say.percent(strays['gradient'], 1)}"
            ),
        },
        {
            "name": "mean_only_explodes",
            "sentence": (
                "With the mean subtracted only, scale and gradient end more than "
                f"{say.label(FAR)} times as large as they began."
            ),
            "holds": bool(
                min(plain["end"]["scale"] / result["start"], plain["end"]["gradient"]) > FAR
            ),
            "evidence": (
                f"the scale ends at {say.significant(plain['end']['scale'], 3)}, the gradient at "
                f"{say.significant(plain['end']['gradient'], 3)}"
            ),
        },
        {
            "name": "variance_flips",
            "sentence": (
                "Divided by the variance, the scale after every second layer is above one and "
                "after all others below."
            ),
            "holds": bool(flips["low"] < 1 < flips["high"]),
            "evidence": (
                f"at least {say.significant(flips['high'], 2)}, then at most "
                f"{say.significant(flips['low'], 2)}"
            ),
        },
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell both panels in words, and give their data."""
    by = result["by"]
    ends = {
        name: f"{say.significant(one['end']['scale'], 2)} and {say.significant(one['end']['gradient'], 2)}"
        for name, one in by.items()
    }
    rows = [
        [
            say.label(layer),
            *(say.significant(by[name][key][layer], 3) for name in POWERS for key in KEYS),
        ]
        for layer in range(int(result["layers"]) + 1)
    ]
    return {
        "alt": (
            f"Line charts through {say.count(result['layers'])} layers. Scale and gradient end at "
            f"{ends['nothing']} with the mean subtracted only, at {ends['sd']} divided by the "
            f"standard deviation, and zigzag divided by the variance, to {ends['variance']}."
        ),
        "description": [
            f"Both scales are logarithmic. All inputs begin with a spread of "
            f"{say.brief(result['start'])}, all gradients with a length that is taken as one. With "
            f"the mean subtracted only, both grow steadily, to {ends['nothing']}. Divided by the "
            f"standard deviation, the scale falls to the gain, {say.brief(result['gain'])}, at once "
            f"and stays; the gradient stays until the input, which is larger, divides it. Divided "
            f"by the variance, both jump up and down from layer to layer."
        ],
        "table": {
            "caption": (
                "Spread after each layer, and length of the gradient after as many on its way "
                f"back: geometric means of {say.count(result['networks'])} networks."
            ),
            "columns": [
                "Layers",
                *(f"{key}, {said}" for said in SAID.values() for key in KEYS),
            ],
            "rows": rows,
        },
    }


def draw(result: Stored, canvas: Canvas) -> None:
    """Set the way forward beside the way back."""
    by, last = result["by"], int(result["layers"])
    ticks = [*range(0, last, math.ceil(last / TICKS)), last]
    panels = [
        Panel(
            title=title,
            quiet=quiet,
            across=range(last + 1),
            theory={name: by[name]["theory"][key] for name in POWERS},
            measured={name: by[name][key] for name in POWERS},
            ticks={layer: canvas.say.label(layer) for layer in ticks},
            below=below,
            log=False,
        )
        for key, title, quiet, below in (
            ("scale", "The way forward", "spread after so many layers", "layers"),
            ("gradient", "The way back", "length of the gradient", "layers, from the last one"),
        )
    ]
    draw_panels(canvas, panels)
