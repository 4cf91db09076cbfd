"""Parameters every experiment has to stand: the published ones with little work, and unusual ones."""

from __future__ import annotations

import importlib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pydantic
import pytest

PUBLISHED = tomllib.loads((Path(__file__).parents[2] / "seeds.toml").read_text("utf-8"))
STEPS = ("score_spread", "softmax_weights", "softmax_jacobian", "causal_chain")

World = dict[str, Any]  # parameters that differ from the published ones

FEW: dict[str, World] = {  # as little work as gives every number there is
    "score_spread": {"trials": 200},
    "saturation": {"rows": 300},
    "gradient_path": {"rows": 300},
    "typical_rows": {"rows": 300},
    "correlated_keys": {"rows": 100},
    "broken_assumptions": {"trials": 500, "law_trials": 50, "rows": 100},
    "sequence_length": {"rows": 100},
    "initializers": {"inputs": 60},
    "half_precision": {"rows": 100},
    "training": {"steps": 8, "longer_steps": 16, "seeds": 2, "test_rows": 64, "batch": 16},
    "stuck_rows": {"rows": 20, "steps": 10, "course_steps": [0, 1, 3, 10]},
    "folded_scale": {"steps": 5},
}
ROWS: list[World] = [  # the example, which the four steps share
    {},
    {"scores": [1, 1]},
    {"scores": [-0.123456789, 3.25, 17, -11.5, 0, 1, 2, 299.999], "d_k": 128},
    {"scores": [0.5, 0], "d_k": 1},
    {"scores": [300, -300, 300], "d_k": 65536, "sizes": [1, 65536]},
    {"d_k": 80, "sizes": [1, 3], "trials": 3},
    {"trials": 2, "components": 1},
]
WORLDS: dict[str, list[World]] = {
    **dict.fromkeys(STEPS, ROWS),
    "saturation": [
        {},
        {"sizes": [1, 2], "keys": [2]},
        {"sizes": [512, 65536], "keys": [7, 1024], "rows": 20},
        {"sizes": [3, 64, 100, 1000], "keys": [16, 64]},
    ],
    "gradient_path": [
        {},
        {"sizes": [1, 2], "keys": [2]},
        {"sizes": [4, 65536], "keys": [2, 64], "rows": 20},
        {"sizes": [4, 8, 16, 32, 64, 128, 256, 512, 1024], "keys": [3]},
    ],
    "typical_rows": [
        {},
        {"scores": [1, 1]},
        {"scores": [0.5, 0], "d_k": 1},
        {"scores": [300, -300, 300], "d_k": 65536},
        {"scores": [8, 0, -8, 4, 2, -2.5, 6, -6.25], "d_k": 80},
        {"scores": [-3, 17.123456, 0], "d_k": 1024},
        {"d_k": 4},
    ],
    "correlated_keys": [
        {},
        {"sizes": [1, 2], "keys": 2, "base": 1},
        {"sizes": [512, 65536], "strong": 0.99, "weak": 0.01, "rows": 20},
        {"sizes": [3, 64, 100, 1000], "keys": 1024, "base": 80},
    ],
    "broken_assumptions": [
        {},
        {"sizes": [1, 2], "correlations": [0.9], "d_k": 1, "law_size": 1, "law_trials": 2},
        {"correlations": [0.01, 0.02, 0.03, 0.04], "component_sds": [0.1, 16], "means": [8, 16]},
        {"component_sds": [1, 1.1], "means": [0.05], "correlations": [0.001], "repeats": 40},
    ],
    "sequence_length": [
        {},
        {"lengths": [2, 3], "rows": 2},
        {"lengths": [100, 1000, 100000], "rows": 5},
        {"strong": 30, "weak": 0.1, "lengths": [16, 64]},
        {"strong": 3.3, "weak": 3.2, "lengths": [16, 256, 4096]},
    ],
    "initializers": [{}, {"head": 1, "inputs": 2, "normal": [1]}, {"t5": [64, 128, 256]}],
    "half_precision": [{}, {"sizes": [1, 65536], "keys": 2, "rows": 20}, {"keys": 1024}],
    "training": [
        {},
        {"sizes": [1, 2], "control_sizes": [1, 2], "rates": [-20, -10, 0]},
        {"sizes": [16, 32, 64, 128, 256], "control_sizes": [64, 256], "steps": 40},
        {"sizes": [64, 2048], "keys": 2, "inputs": 1, "noise": 0.125},
    ],
    "stuck_rows": [
        {},
        {"sizes": [1, 2], "rates": [1, 2, 3], "keys": 2},
        {"sizes": [4, 16, 64, 256, 1024, 4096], "course_size": 4096, "rows": 2},
        {"sizes": [64, 1024], "steps": 1, "rates": [0.001, 0.01, 0.1], "course_steps": [0, 1]},
    ],
    "folded_scale": [{}, {"d_k": 1}, {"d_k": 1024, "steps": 1}],
}
REFUSED: list[tuple[str, World]] = [  # one parameter each that cannot be measured
    ("score_spread", {"sizes": []}),
    ("score_spread", {"sizes": [64]}),
    ("score_spread", {"sizes": [4, 64, 4]}),
    ("score_spread", {"sizes": [4, 0]}),
    ("score_spread", {"sizes": [4, 6.5]}),
    ("score_spread", {"trials": 1}),
    ("score_spread", {"trials": "many"}),
    ("score_spread", {"d_k": 0}),
    ("softmax_weights", {"scores": [8]}),
    ("softmax_weights", {"scores": [1, 2, 3, 4, 5, 6, 7, 8, 9]}),
    ("softmax_weights", {"scores": [8, float("nan")]}),
    ("softmax_weights", {"scores": [8, float("inf")]}),
    ("softmax_weights", {"scores": [8, 1e9]}),
    ("softmax_jacobian", {"d_k": 0}),
    ("causal_chain", {"components": 0}),
    ("causal_chain", {"d_k": 64.5}),
    ("saturation", {"sizes": [64]}),
    ("saturation", {"sizes": [64, 64]}),
    ("saturation", {"keys": [1]}),
    ("saturation", {"keys": [2, 3, 4, 5]}),
    ("saturation", {"keys": []}),
    ("saturation", {"rows": 1}),
    ("gradient_path", {"sizes": [4, 0]}),
    ("gradient_path", {"keys": [65]}),
    ("gradient_path", {"keys": [4, 4]}),
    ("gradient_path", {"rows": 19}),
    ("typical_rows", {"rows": 99}),
    ("typical_rows", {"scores": [1]}),
    ("typical_rows", {"d_k": 0}),
    ("correlated_keys", {"strong": 1}),
    ("correlated_keys", {"weak": 0}),
    ("correlated_keys", {"sizes": [64, 64]}),
    ("correlated_keys", {"keys": 1}),
    ("broken_assumptions", {"correlations": [1]}),
    ("broken_assumptions", {"correlations": []}),
    ("broken_assumptions", {"component_sds": [0, 1]}),
    ("broken_assumptions", {"means": [-1]}),
    ("broken_assumptions", {"law_trials": 1}),
    ("sequence_length", {"lengths": [16]}),
    ("sequence_length", {"lengths": [1, 2]}),
    ("sequence_length", {"strong": float("nan")}),
    ("sequence_length", {"weak": -3}),
    ("initializers", {"normal_sd": 0}),
    ("initializers", {"t5": []}),
    ("half_precision", {"sizes": [16]}),
    ("half_precision", {"rows": 1}),
    ("training", {"sizes": [16]}),
    ("training", {"sizes": [64, 16]}),
    ("training", {"sizes": [1, 2, 3, 4, 5, 6]}),
    ("training", {"rates": [-8, -7]}),
    ("training", {"rates": [-8, -7, 1]}),
    ("training", {"seeds": 1}),
    ("training", {"noise": 0}),
    ("training", {"keys": 1}),
    ("stuck_rows", {"rows": 1}),
    ("stuck_rows", {"rates": [1, 1, 5]}),
    ("stuck_rows", {"rates": [0, 1, 5]}),
    ("stuck_rows", {"course_steps": [10, 1]}),
    ("folded_scale", {"d_k": 0}),
    ("folded_scale", {"adam": 0}),
]
KEYS: dict[str, tuple[World, list[tuple[Any, ...]]]] = {  # a world, and the streams it asks for
    "score_spread": ({"sizes": [9, 4]}, [(4,), (9,), (64,)]),
    "softmax_weights": ({}, []),
    "softmax_jacobian": ({}, []),
    "causal_chain": ({}, [("q",), ("k",)]),
    "saturation": ({"sizes": [9, 4], "keys": [3, 2]}, [(2, 4), (2, 9), (3, 4), (3, 9)]),
    "gradient_path": ({"sizes": [9, 4], "keys": [3, 2]}, [(2, 4), (2, 9), (3, 4), (3, 9)]),
    "typical_rows": ({}, [(4, 64)]),
    "correlated_keys": ({"sizes": [4, 9]}, [("0.25", 4), ("0.25", 9), ("0.5", 4), ("0.5", 9)]),
    "sequence_length": ({"lengths": [9, 4]}, [(4,), (9,)]),
    "half_precision": ({"sizes": [9, 4]}, [(4,), (9,)]),
}


def checked(stem: str, changes: World) -> Any:
    """Parameters as the build checks them: the published ones, less work, and the changes."""
    kind = importlib.import_module(stem).Parameters
    settings = {**PUBLISHED["example"], **PUBLISHED.get(stem, {}), **FEW.get(stem, {}), **changes}
    asked = {name: settings.get(name) for name in kind.__dataclass_fields__}
    if "example" in asked:
        fields = importlib.import_module(stem).Example.__dataclass_fields__
        asked["example"] = {name: settings[name] for name in fields}
    return pydantic.TypeAdapter(kind).validate_json(json.dumps(asked), strict=True)


def cases(stems: Iterable[str] = WORLDS) -> list[Any]:
    """Every experiment in each of its worlds; those of the four steps are fast."""
    return [
        pytest.param((stem, world), id=f"{stem} {world}", marks=marks(stem))
        for stem in stems
        for world in WORLDS[stem]
    ]


def marks(stem: str) -> list[pytest.MarkDecorator]:
    """Whether an experiment's worlds take long."""
    return [] if stem in STEPS else [pytest.mark.slow]
