"""Does dividing by √d_k guard half precision against overflow, or is that another problem?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from annotated_types import Ge, Le

import degrees
from attention import Array, brief, divisors, softmax
from evidence import first_to_last, lowest_to_highest
from rows import Sizes, draw_rows

if TYPE_CHECKING:
    from report.contracts import Claim, Say, Stored, Stream, Table

Record = dict[str, Any]

LARGEST = float(np.finfo(np.float16).max)  # 65,504
SMALLEST = float(np.finfo(np.float16).smallest_subnormal)  # 2⁻²⁴
SCALINGS = {"raw": "unscaled", "sqrt": "scaled"}  # as the table says them


@dataclass(frozen=True)
class Parameters:
    """Head widths, the number of keys in a row, and how many random rows to weigh."""

    sizes: Sizes
    keys: Annotated[int, Ge(2), Le(1024)]
    rows: Annotated[int, Ge(20), Le(200_000)]


def measure(parameters: Parameters, stream: Stream) -> Record:
    """Weigh random rows in half precision, plainly and with the largest score subtracted first.

    Both divisors share a width's rows, and each width has a stream of its own.
    """
    sizes, keys, rows = sorted(parameters.sizes), parameters.keys, parameters.rows
    at = {}
    for d_k in sizes:
        scores = draw_rows(d_k, keys, rows, stream(d_k))
        at[str(d_k)] = {name: weigh(scores / divisors(d_k)[name]) for name in SCALINGS}
    return {
        "rows": rows,
        "keys": keys,
        "sizes": sizes,
        "smallest": sizes[0],
        "largest": sizes[-1],
        "largest_half": LARGEST,
        "overflow_from": math.log(LARGEST),
        "largest_error": 0.5 / math.sqrt(rows),  # of a share of rows, which errs most at half
        "smallest_half": SMALLEST,
        "at": at,
    }


def half(values: Array) -> Array:
    """Round to the nearest half-precision number, ties to even; beyond the largest lies infinity."""
    with np.errstate(over="ignore"):
        return values.astype(np.float16).astype(np.float64)


def half_softmax(z: Array, *, shifted: bool) -> Array:
    """Weights of rows (rows, keys) with every step rounded to half precision, except the sum.

    Kernels add up in single precision or better, so the sum is exact here. Exponentials are taken
    in double precision and rounded once: the counts then do not depend on a processor's `exp`.
    """
    inputs = half(z)
    if shifted:
        inputs = half(inputs - np.max(inputs, axis=1, keepdims=True))
    powers = half(np.exp(inputs))
    with np.errstate(invalid="ignore"):
        return half(powers / np.sum(powers, axis=1, keepdims=True))


def half_slopes(p: Array) -> Array:
    """The diagonal p(1 - p) of each row's Jacobian, every step rounded: (rows, keys), the same."""
    return half(p * half(1 - p))


def weigh(z: Array) -> Record:
    """Count what goes wrong in half precision, and give the top weight in double precision."""
    plain, shifted = half_softmax(z, shifted=False), half_softmax(z, shifted=True)
    return {
        "plain_fails": share(~np.all(np.isfinite(plain), axis=1)),
        "shifted_fails": share(~np.all(np.isfinite(shifted), axis=1)),
        "zero_weights": share(shifted == 0),
        "flat_rows": share(np.all(half_slopes(shifted) == 0, axis=1)),
        "top": float(np.mean(np.max(softmax(z), axis=1))),
        "top_half": float(np.mean(np.max(shifted, axis=1))),
    }


def share(condition: Array) -> float:
    """Share of the entries for which a condition holds."""
    return float(np.mean(condition))


def claims(result: Stored, say: Say) -> list[Claim]:
    """State what the article says of overflow, and of saturation once there is none."""
    return [*overflow(result, say), *after_shift(result, say)]


def shares(result: Stored, name: str, part: str) -> list[float]:
    """One share of each width, from the narrowest head to the widest."""
    return [result["at"][str(d_k)][name][part] for d_k in result["sizes"]]


def overflow(result: Stored, say: Say) -> list[Claim]:
    """Claim that the plain formula overflows unscaled only, and that a shift ends it."""
    raw, sqrt = (shares(result, name, "plain_fails") for name in SCALINGS)
    shifted = [one for name in SCALINGS for one in shares(result, name, "shifted_fails")]
    return [
        {
            "name": "unscaled_overflows",
            "sentence": (
                "Unscaled, the plain formula fails in at least "
                f"{say.percent(degrees.NEARLY_ALL)} of the rows of the widest head."
            ),
            "holds": degrees.takes_nearly_all(raw[-1]),
            "evidence": f"{say.percent(raw[0], 1)} to {say.percent(raw[-1], 1)}",
        },
        {
            "name": "scaled_never_overflows",
            "sentence": "Divided by √d_k, the plain formula fails in no row at any width.",
            "holds": max(sqrt) == 0,
            "evidence": f"at most {say.percent(max(sqrt), 1)} of the rows",
        },
        {
            "name": "shift_ends_overflow",
            "sentence": (
                "With the largest score subtracted no row fails, unscaled or divided by √d_k, at "
                "any width."
            ),
            "holds": max(shifted) == 0,
            "evidence": f"at most {say.percent(max(shifted), 1)} of the rows",
        },
    ]


def after_shift(result: Stored, say: Say) -> list[Claim]:
    """Claim that rows without overflow are as saturated as before."""
    raw, sqrt = (shares(result, name, "top") for name in SCALINGS)
    pairs = [
        (result["at"][str(d_k)][name]["top_half"], result["at"][str(d_k)][name]["top"])
        for d_k in result["sizes"]
        for name in SCALINGS
    ]
    moved = max(abs(half - exact) for half, exact in pairs)
    zeros, flats = (
        {name: shares(result, name, part) for name in SCALINGS}
        for part in ("zero_weights", "flat_rows")
    )
    return [
        {
            "name": "shift_moves_no_weight",
            "sentence": (
                "With the largest score subtracted, the mean top weight in half precision is "
                f"within {say.plain(degrees.SAME)} of that in double precision, everywhere."
            ),
            "holds": all(degrees.the_same(half, exact) for half, exact in pairs),
            "evidence": f"at most {brief(say, moved, 2)} apart",
        },
        {
            "name": "saturation_remains",
            "sentence": (
                "Without overflow, the mean top weight of unscaled rows is still over "
                f"{say.plain(degrees.ALIKE)} times that of rows divided by √d_k, at every width."
            ),
            "holds": all(top > degrees.ALIKE * other for top, other in zip(raw, sqrt, strict=True)),
            "evidence": f"{first_to_last(say, raw, 2)} against {lowest_to_highest(say, sqrt, 2)}",
        },
        {
            "name": "zeros_only_unscaled",
            "sentence": (
                "In half precision some weights, and the slopes of some rows, are zero unscaled in "
                "the widest head, and none are divided by √d_k at any width."
            ),
            "holds": degrees.some(zeros["raw"][-1])
            and degrees.some(flats["raw"][-1])
            and max(zeros["sqrt"] + flats["sqrt"]) == 0,
            "evidence": (
                f"{say.percent(zeros['raw'][-1], 1)} of the weights and "
                f"{say.percent(flats['raw'][-1], 1)} of the rows"
            ),
        },
    ]


def table(result: Stored, say: Say) -> Table:
    """Set the widths below each other, unscaled and divided by √d_k."""
    return {
        "caption": (
            f"{say.count(result['rows'])} random rows of {say.count(result['keys'])} keys weighed "
            "in half precision. The plain formula fails where an exponential overflows, from a "
            f"softmax input of about {say.fixed(result['overflow_from'], 1)}. A row is flat where "
            "the whole diagonal of its Jacobian rounds to zero."
        ),
        "columns": [
            "Width and scaling",
            "Plain formula fails",
            "Largest subtracted, fails",
            "Then weights of zero",
            "Then flat rows",
            "Mean top weight",
        ],
        "rows": [
            row(d_k, name, result["at"][str(d_k)][name], say)
            for d_k in result["sizes"]
            for name in SCALINGS
        ],
    }


def row(d_k: int, name: str, one: Stored, say: Say) -> list[str]:
    """Print one width under one divisor; the top weight is that of double precision."""
    return [
        f"d_k = {say.count(d_k)}, {SCALINGS[name]}",
        *(
            say.percent(one[part], 1)
            for part in ("plain_fails", "shifted_fails", "zero_weights", "flat_rows")
        ),
        say.weight(one["top"]),
    ]
