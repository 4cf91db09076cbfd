"""What spread of scores do the initializers of real layers hand to the softmax?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen, Predicate

import degrees
from attention import Array, KeyDimension
from evidence import first_to_last, lowest_to_highest
from rows import each_once

if TYPE_CHECKING:
    from report.contracts import Claim, Say, Stored, Stream, Table

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
        "Normal weights, spread fixed",
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


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of the spread that layers start with."""
    return [
        *against_theory(result, say),
        starts_at("packed_gives_half", "packed", "one half", 1 / 2, result, say),
        starts_at("linear_gives_third", "linear", "one third", 1 / 3, result, say),
        starts_at("t5_starts_at_one", "t5", "one", 1, result, say),
        grows_with_width(result, say),
        wrong_root(result, say),
    ]


def spreads(result: Stored, key: str) -> list[float]:
    """Measured spreads of a scaled score under one rule, from the narrowest model to the widest."""
    return [layer["sd"] for layer in result["layers"][key]]


def against_theory(result: Stored, say: Say) -> list[Claim]:
    """Claim that theory says what layers start with, and that it is seldom one."""
    every = [sd for key in RULES for sd in spreads(result, key)]
    at_one = sum(map(degrees.stays_at_one, every))
    return [
        {
            "name": "theory_holds",
            "sentence": (
                f"Every measured spread is within {say.percent(degrees.STEADY)} of theory."
            ),
            "holds": degrees.stays_at_one(1 + result["worst"]),
            "evidence": f"at worst {say.percent(result['worst'], 1)} off",
        },
        {
            "name": "seldom_one",
            "sentence": (
                f"Fewer than {say.percent(degrees.MOST)} of the layers tried give a scaled score "
                f"a spread within {say.percent(degrees.STEADY)} of one."
            ),
            "holds": not degrees.most(at_one / len(every)),
            "evidence": (
                f"{say.count(at_one)} of {say.count(len(every))}; spreads "
                f"{lowest_to_highest(say, every)}"
            ),
        },
    ]


def starts_at(name: str, key: str, said: str, spread: float, result: Stored, say: Say) -> Claim:
    """Claim that a rule gives scores this spread in every model tried."""
    found = spreads(result, key)
    return {
        "name": name,
        "sentence": (
            f"{RULES[key].said}: a scaled score starts with a spread within "
            f"{say.percent(degrees.STEADY)} of {said}, at every width tried."
        ),
        "holds": all(degrees.stays_at_one(one / spread) for one in found),
        "evidence": lowest_to_highest(say, found),
    }


def grows_with_width(result: Stored, say: Say) -> Claim:
    """Claim that weights of a fixed spread bring the width of the model back."""
    found = spreads(result, "normal")
    return {
        "name": "normal_grows_with_width",
        "sentence": (
            "With normal weights of a fixed spread, scaled scores spread farther in each wider model, "
            f"and in the widest at least {say.plain(degrees.ALIKE)} times as far as in the narrowest."
        ),
        "holds": degrees.rises(found) and not degrees.alike(found[-1], found[0]),
        "evidence": first_to_last(say, found),
    }


def wrong_root(result: Stored, say: Say) -> Claim:
    """Claim that the root of the model width makes a score too small by far."""
    layers = result["layers"]["fan_in"]
    left = [layer["by_model_width"] for layer in layers]
    return {
        "name": "wrong_root_shrinks",
        "sentence": (
            "Divided by the root of the model width, a score spreads at most "
            f"{say.percent(1 / degrees.ALIKE)} as far as divided by the root of d_k."
        ),
        "holds": all(degrees.ALIKE * layer["by_model_width"] <= layer["sd"] for layer in layers),
        "evidence": f"{lowest_to_highest(say, left)} against "
        f"{lowest_to_highest(say, spreads(result, 'fan_in'))}",
    }


def table(result: Stored, say: Say) -> Table:
    """Set the layers below each other, each with theory beside what was measured."""
    return {
        "caption": (
            "Scores on their way into the softmax at initialization: all pairs of "
            f"{say.count(result['inputs'])} inputs of unit variance, one head of width "
            f"{say.count(result['head'])}, no training. Weights of a fixed spread have a standard "
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
        say.fixed(layer["query_variance"], 3),
        say.fixed(layer["sd"], 3),
        say.fixed(layer["theory_sd"], 3),
        say.fixed(layer["by_model_width"], 3) if rule.divided else "no division",
    ]
