"""What spread of scores do the initializers of real layers hand to the softmax?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen, Predicate

from attention import Array, KeyDimension
from rows import each_once

if TYPE_CHECKING:
    from report.contracts import Say, Stored, Stream, Table

Record = dict[str, Any]

Width = Annotated[int, Ge(1), Le(16384)]
Widths = Annotated[tuple[Width, ...], MinLen(1), Predicate(each_once)]


@dataclass(frozen=True)
class Parameters:
    """The width of a head, how many inputs meet, and the model widths to try for each rule."""

    head: KeyDimension
    inputs: Annotated[int, Ge(2), Le(4096)]
    normal_sd: Annotated[float, Gt(0)]
    packed: Widths
    linear: Widths
    normal: Widths
    fan_in: Widths
    t5: Widths


class Rule(NamedTuple):
    """How a layer draws its projections: shape, spread of the query and key weights, divisor."""

    said: str
    uniform: bool
    sds: Callable[[int, Parameters], tuple[float, float]]
    divided: bool = True


RULES = {
    "packed": Rule(
        "PyTorch multi-head layer, Xavier over packed blocks",
        uniform=True,
        sds=lambda width, _: (math.sqrt(2 / (width + 3 * width)),) * 2,  # Glorot & Bengio 2010
    ),
    "linear": Rule(
        "PyTorch linear layers, default",
        uniform=True,
        sds=lambda width, _: (math.sqrt(1 / (3 * width)),) * 2,  # uniform within 1/√E of zero
    ),
    "normal": Rule(
        "Normal weights of one spread",
        uniform=False,
        sds=lambda _, parameters: (parameters.normal_sd,) * 2,
    ),
    "fan_in": Rule(
        "Normal weights, one over the root of the model width",
        uniform=False,
        sds=lambda width, _: (math.sqrt(1 / width),) * 2,
    ),
    "t5": Rule(
        "T5, the root of d_k in the query’s weights",
        uniform=False,
        sds=lambda width, parameters: (  # Raffel et al. 2019, their code
            math.sqrt(1 / (width * parameters.head)),
            math.sqrt(1 / width),
        ),
        divided=False,
    ),
}


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Project inputs of unit variance into one head, and take the spread of its scores.

    Every layer has its own stream, keyed by its rule and width: adding one moves no other.
    """
    layers = {
        key: [
            try_layer(rule, width, parameters, stream(key, width))
            for width in sorted(getattr(parameters, key))
        ]
        for key, rule in RULES.items()
    }
    every = [layer for group in layers.values() for layer in group]
    off = max(every, key=lambda layer: abs(layer["sd"] / layer["theory_sd"] - 1))
    return {
        "head": parameters.head,
        "root": math.sqrt(parameters.head),
        "inputs": parameters.inputs,
        "normal_sd": parameters.normal_sd,
        "lowest": min(layer["sd"] for layer in every),
        "highest": max(layer["sd"] for layer in every),
        "worst": abs(off["sd"] / off["theory_sd"] - 1),
        "layers": layers,
    }


def try_layer(
    rule: Rule, width: int, parameters: Parameters, generator: np.random.Generator
) -> Record:
    """Draw the inputs, then the query and key weights of one head; measure all pairs of inputs.

    A component of q has variance E times that of a weight, E being the model width; a divided score
    then has the product of both standard deviations, whatever the head width.
    """
    sds = rule.sds(width, parameters)
    divisor = math.sqrt(parameters.head) if rule.divided else 1.0
    inputs = generator.standard_normal((parameters.inputs, width))
    q, k = (inputs @ draw_weights(rule, sd, (width, parameters.head), generator) for sd in sds)
    theory = width * sds[0] * sds[1] * math.sqrt(parameters.head) / divisor
    sd = float(np.std(q @ k.T)) / divisor
    return {
        "width": width,
        "heads": width / parameters.head,
        "query_variance": float(np.mean(q**2)),
        "sd": sd,
        "variance": sd**2,
        "theory_sd": theory,
        "theory_variance": theory**2,
        "by_model_width": sd * divisor / math.sqrt(width),
    }


def draw_weights(
    rule: Rule, sd: float, shape: tuple[int, int], generator: np.random.Generator
) -> Array:
    """Draw (model width, head width) weights with this standard deviation."""
    if rule.uniform:
        return generator.uniform(-math.sqrt(3) * sd, math.sqrt(3) * sd, shape)
    return sd * generator.standard_normal(shape)


def table(result: Stored, say: Say) -> Table:
    """Set the layers below each other, each with theory beside what was measured."""
    return {
        "caption": (
            "Scores on their way into the softmax at initialization: all pairs of "
            f"{say.count(result['inputs'])} inputs of unit variance, one head of width "
            f"{say.count(result['head'])}, no training. Weights of one spread have a standard "
            f"deviation of {say.plain(result['normal_sd'])}."
        ),
        "columns": [
            "Weights and model width",
            "Variance of a query component",
            "Spread of a scaled score",
            "Theory",
            "Divided by the root of the model width instead",
        ],
        "rows": [row(key, layer, say) for key in RULES for layer in result["layers"][key]],
    }


def row(key: str, layer: Stored, say: Say) -> list[str]:
    """Print one layer; T5 divides by nothing, so it cannot divide by the wrong root."""
    rule = RULES[key]
    return [
        f"{rule.said}; {say.count(layer['width'])}",
        say.significant(layer["query_variance"], 3),
        say.fixed(layer["sd"], 3),
        say.fixed(layer["theory_sd"], 3),
        say.fixed(layer["by_model_width"], 3) if rule.divided else "no division",
    ]
