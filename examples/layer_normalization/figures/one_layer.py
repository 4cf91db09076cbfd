"""What do the output of a layer and its slope make of the scale of the input?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le, MinLen

from log_panels import Panel, draw_panels
from normalization import POWERS, Array, normalize, spread

if TYPE_CHECKING:
    from report.contracts import Canvas, Claim, Description, Say, Stored, Stream

EXACT = 1e-9  # relative error under which arithmetic and theory are the same
DECIMALS = 12  # kept of what is computed: the rest is rounding, which no two machines share
STEP = 1e-30  # of the complex step, which has no cancellation and so may be as small as one likes
SAID = {
    "nothing": "With the mean subtracted only",
    "sd": "Divided by the standard deviation",
    "variance": "Divided by the variance",
}


@dataclass(frozen=True)
class Parameters:
    """Width of the layer, the spreads its input is given, and the mean."""

    width: Annotated[int, Ge(4), Le(1024)]
    spreads: Annotated[tuple[Annotated[float, Gt(0), Le(1000)], ...], MinLen(2)]
    mean: float


def measure(parameters: Parameters, stream: Stream) -> dict[str, Any]:
    """Give one random layer every spread, and measure what comes out and every slope there."""
    generator, n = stream(), parameters.width
    unit = normalize(generator.standard_normal(n), 1)
    across = generator.standard_normal(n)
    across -= across.mean() + unit * (across * unit).mean()
    spreads = sorted(set(parameters.spreads))
    layers = [parameters.mean + sd * unit for sd in spreads]
    found = {name: [look(x, unit, across, p) for x in layers] for name, p in POWERS.items()}
    by = {
        name: {
            "power": POWERS[name],
            **{key: [one[key] for one in records] for key in records[0]},
        }
        for name, records in found.items()
    }
    return {
        "width": n,
        "mean": parameters.mean,
        "spreads": spreads,
        "smallest": spreads[0],
        "largest": spreads[-1],
        "by": by,
        "decimals": DECIMALS,
        "apart": max(
            abs(one[key] * sd ** (power + shift) - expected)
            for name, power in POWERS.items()
            for sd, one in zip(spreads, found[name], strict=True)
            for key, shift, expected in (
                ("out", -1, 1),
                ("across", 0, 1),
                ("along", 0, 1 - power),
                ("mean", 0, 0),
            )
        ),
    }


def look(x: Array, unit: Array, across: Array, power: int) -> dict[str, float]:
    """Give the output's spread, and the slope along the mean, the layer itself and any other way."""

    def moved(direction: Array) -> Array:
        """Derivative of the output along a direction, by a complex step."""
        slope: Array = normalize(x + 1j * STEP * direction, power).imag / STEP
        return slope

    found = {
        "out": spread(normalize(x, power))[0],
        "mean": moved(np.ones_like(x)).mean(),
        "along": (moved(unit) * unit).mean(),
        "across": (moved(across) * across).sum() / (across * across).sum(),
    }
    return {key: round(float(value), DECIMALS) for key, value in found.items()}


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the text says of one layer."""
    by = result["by"]
    spans = {name: max(by[name]["out"]) / min(by[name]["out"]) for name in POWERS}
    along = [abs(slope) for slope in by["sd"]["along"]]
    return [
        {
            "name": "only_sd_forgets",
            "sentence": (
                "Only after division by the standard deviation is the output as large for every "
                "input."
            ),
            "holds": all((spans[name] - 1 < EXACT) == (name == "sd") for name in POWERS),
            "evidence": "largest over smallest output: "
            + ", ".join(f"{say.brief(spans[name])} ({SAID[name].lower()})" for name in POWERS),
        },
        {
            "name": "sd_ignores_growth",
            "sentence": (
                "Divided by the standard deviation, the output has no slope along the layer "
                "itself; divided by the variance it falls there."
            ),
            "holds": max(along) < EXACT and max(by["variance"]["along"]) < 0,
            "evidence": (
                f"slopes at the smallest input: {say.fixed(by['sd']['along'][0], 3)} and "
                f"{say.brief(by['variance']['along'][0])}"
            ),
        },
        {
            "name": "algebra_holds",
            "sentence": "Outputs and slopes are those that the algebra gives, but for rounding.",
            "holds": bool(result["apart"] < EXACT),
            "evidence": (
                f"to {say.count(result['decimals'])} decimals the farthest is "
                f"{say.brief(result['apart'])} off"
            ),
        },
    ]


def describe(result: Stored, say: Say) -> Description:
    """Tell both panels in words, and give their data."""
    by, ends = result["by"], [say.brief(result[end]) for end in ("smallest", "largest")]

    def course(name: str, key: str) -> str:
        first, last = by[name][key][0], by[name][key][-1]
        return f"{say.brief(first)} to {say.brief(last)}"

    return {
        "alt": (
            f"Fans on log scales, input spread {ends[0]} to {ends[1]}. Output: "
            f"{course('nothing', 'out')} centered only, flat divided by the standard deviation, "
            f"{course('variance', 'out')} by the variance. Slope: flat, then "
            f"{course('sd', 'across')} and {course('variance', 'across')}."
        ),
        "description": [
            f"{SAID[name]}, the spread of the output goes from {course(name, 'out')} as that of the "
            f"input goes from {ends[0]} to {ends[1]}, and the slope across from "
            f"{course(name, 'across')}."
            for name in POWERS
        ],
        "table": {
            "caption": "Spread of the output and slopes for each spread of the input.",
            "columns": [
                "Input",
                *(
                    f"{said}: {what}"
                    for said in SAID.values()
                    for what in ("output", "slope along the layer", "slope across")
                ),
            ],
            "rows": [
                [
                    say.brief(sd),
                    *(
                        say.brief(by[name][key][at])
                        if name != "sd" or key != "along"
                        else say.fixed(by[name][key][at], 3)
                        for name in POWERS
                        for key in ("out", "along", "across")
                    ),
                ]
                for at, sd in enumerate(result["spreads"])
            ],
        },
    }


def draw(result: Stored, canvas: Canvas) -> None:
    """Set what goes forward beside what comes back."""
    spreads, by = result["spreads"], result["by"]
    panels = [
        Panel(
            title=title,
            quiet=quiet,
            across=spreads,
            theory={name: [sd ** (shift - p) for sd in spreads] for name, p in POWERS.items()},
            measured={name: by[name][key] for name in POWERS},
            ticks={sd: canvas.say.brief(sd) for sd in spreads},
            below="spread *σ* of the input",
        )
        for key, shift, title, quiet in (
            ("out", 1, "What comes out", "spread of the output"),
            ("across", 0, "What passes back", "slope across the layer"),
        )
    ]
    draw_panels(canvas, panels)
