"""What the experiments claim: borne out by the committed results, and refuted by a doctored one each."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import causal_chain
import score_spread
import softmax_jacobian
import softmax_weights
from report.claims import Claim, judge
from report.contracts import Stream
from report.experiment import Experiment
from report.results import loads

FIGURES = Path(causal_chain.__file__).parent
EXPERIMENTS: dict[str, ModuleType] = {
    each.__name__: each for each in (causal_chain, score_spread, softmax_jacobian, softmax_weights)
}
CLAIMS = {
    "causal_chain": {"variance_becomes_one", "lanes_part"},
    "score_spread": {
        "raw_grows",
        "slope_is_half",
        "sqrt_stays_at_one",
        "within_band",
        "misses_few",
    },
    "softmax_jacobian": {
        "raw_barely_responds",
        "steeper_at_input",
        "dk_looks_healthy",
        "less_from_raw_score",
        "dk_smallest_from_raw_score",
        "ceiling_respected",
    },
    "softmax_weights": {
        "row_is_fair",
        "one_key_takes_nearly_all",
        "sqrt_still_peaked",
        "sqrt_shares_the_weight",
        "dk_almost_even",
        "order_kept",
        "certainty_to_indifference",
    },
}

COUNTEREXAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("causal_chain.variance_becomes_one", {"sqrt.variance": 1.01}),
    ("causal_chain.variance_becomes_one", {"raw.variance": 63.0}),
    ("causal_chain.lanes_part", {"sqrt.largest": 0.026}),
    ("score_spread.raw_grows", {"at.128.sd": 7.9}),
    ("score_spread.slope_is_half", {"slope": 0.506}),
    ("score_spread.slope_is_half", {"slope": 0.49}),
    ("score_spread.slope_is_half", {"slope": 1.0}),
    ("score_spread.sqrt_stays_at_one", {"at.1024.sqrt.sd": 1.051}),
    ("score_spread.sqrt_stays_at_one", {"at.4.sqrt.sd": 0.949}),
    ("score_spread.within_band", {"worst.deviation": 0.0501}),
    ("score_spread.within_band", {"worst.deviation": -0.0501}),
    ("score_spread.misses_few", {"misses": 4}),
    ("softmax_jacobian.raw_barely_responds", {"raw.largest": 0.026}),
    ("softmax_jacobian.steeper_at_input", {"ratio.input": 1.4}),
    ("softmax_jacobian.dk_looks_healthy", {"dk.largest": 0.12}),
    ("softmax_jacobian.less_from_raw_score", {"ratio.raw_score": 10.0}),
    ("softmax_jacobian.dk_smallest_from_raw_score", {"dk.raw_score.largest": 0.02}),
    ("softmax_jacobian.dk_smallest_from_raw_score", {"sqrt.raw_score.largest": 0.001}),
    ("softmax_jacobian.ceiling_respected", {"sqrt.largest": 0.26}),
    ("softmax_jacobian.ceiling_respected", {"dk.largest_eigenvalue": 0.51}),
    ("softmax_weights.row_is_fair", {"gap.size": 9.1}),
    ("softmax_weights.row_is_fair", {"scores": [0.0, 0.0, 0.0, 16.1]}),
    ("softmax_weights.one_key_takes_nearly_all", {"raw.top": 0.949}),
    ("softmax_weights.sqrt_still_peaked", {"sqrt.weights": [0.34, 0.26, 0.15, 0.25]}),
    ("softmax_weights.sqrt_still_peaked", {"sqrt.weights": [0.96, 0.02, 0.01, 0.01]}),
    ("softmax_weights.sqrt_shares_the_weight", {"sqrt.weights": [0.5, 0.26, 0.2, 0.04]}),
    ("softmax_weights.dk_almost_even", {"dk.weights": [0.31, 0.24, 0.21, 0.24]}),
    ("softmax_weights.order_kept", {"dk.weights": [0.26, 0.27, 0.22, 0.25]}),
    ("softmax_weights.certainty_to_indifference", {"raw.top": 0.949}),
    ("softmax_weights.certainty_to_indifference", {"sqrt.weights": [0.3, 0.3, 0.2, 0.2]}),
    ("softmax_weights.certainty_to_indifference", {"dk.weights": [0.31, 0.24, 0.21, 0.24]}),
]


def judged(stem: str, changes: dict[str, Any] | None = None) -> dict[str, Claim]:
    """Judge the claims on a committed result, with some of its values changed."""
    answer = json.loads((FIGURES / f"{stem}.json").read_text("utf-8"))
    for path, value in (changes or {}).items():
        *parents, key = path.split(".")
        place = answer
        for parent in parents:
            place = place[parent]
        assert key in place, path
        place[key] = value
    result = loads(stem, json.dumps(answer))
    experiment = Experiment(stem, FIGURES / f"{stem}.py", EXPERIMENTS[stem])
    return {claim.name: claim for claim in judge(experiment, result)}


every_stem = pytest.mark.parametrize("stem", sorted(EXPERIMENTS))


@every_stem
def test_every_claim_is_borne_out_by_the_committed_result(stem: str) -> None:
    claims = judged(stem)

    assert set(claims) == CLAIMS[stem]
    assert [name for name, claim in claims.items() if not claim.holds] == []


@every_stem
def test_a_claim_is_a_sentence_and_its_evidence_has_numbers(stem: str) -> None:
    for claim in judged(stem).values():
        assert re.match(r"[A-Z].+[^.]\.$", claim.sentence), claim.sentence
        assert re.search(r"\d", claim.evidence), claim.name
        assert not claim.evidence.endswith("."), claim.name


def test_every_claim_has_a_counterexample() -> None:
    stated = {f"{stem}.{name}" for stem, names in CLAIMS.items() for name in names}

    assert {path for path, _ in COUNTEREXAMPLES} == stated


@pytest.mark.parametrize(("path", "changes"), COUNTEREXAMPLES, ids=str)
def test_a_doctored_result_refutes_the_claim(path: str, changes: dict[str, Any]) -> None:
    stem, _, name = path.partition(".")

    assert not judged(stem, changes)[name].holds


def test_an_exponent_that_few_trials_leave_unsure_is_not_called_one_half() -> None:
    few = {f"at.{d_k}.trials": 50 for d_k in (4, 8, 16, 32, 64, 128, 256, 512, 1024)}

    assert not judged("score_spread", few | {"slope": 0.5})["slope_is_half"].holds


def test_the_error_of_the_exponent_is_what_a_hundred_runs_scatter_by(
    stream: Callable[[str], Stream],
) -> None:
    sizes, trials = (4, 16, 64), 400
    draws = stream("test_claims")
    slopes, errors = [], []
    for run in range(100):
        records = [
            score_spread.record(d_k, score_spread.draw_scores(d_k, trials, draws(run, d_k)))
            for d_k in sizes
        ]
        slopes.append(score_spread.log_log_slope(sizes, [one["sd"] for one in records]))
        errors.append(score_spread.slope_error(records))
    mean = math.fsum(slopes) / len(slopes)
    scatter = math.sqrt(math.fsum((slope - mean) ** 2 for slope in slopes) / (len(slopes) - 1))

    # a standard deviation from a hundred draws is good to about seven percent: three of them
    assert scatter == pytest.approx(math.fsum(errors) / len(errors), rel=0.22)


@pytest.mark.parametrize("d_k", [4, 128])
def test_the_row_is_fair_at_no_other_usual_width(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any], d_k: int
) -> None:
    example = softmax_weights.Example((8.0, 0.0, -8.0, 4.0), d_k)
    answer = softmax_weights.measure(softmax_weights.Parameters(example), stream("softmax_weights"))
    experiment = Experiment("softmax_weights", FIGURES / "softmax_weights.py", softmax_weights)
    claims = {c.name: c for c in judge(experiment, stored("softmax_weights", answer))}

    assert not claims["row_is_fair"].holds


def test_a_tied_row_is_called_neither_saturated_nor_steeper(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> None:
    claims: dict[str, Claim] = {}
    for module in (softmax_weights, softmax_jacobian):
        example = module.Example((8.0, 8.0, 0.0, -8.0), 64)
        answer = module.measure(module.Parameters(example), stream(module.__name__))
        experiment = Experiment(module.__name__, FIGURES / f"{module.__name__}.py", module)
        result = stored(module.__name__, answer)
        claims |= {claim.name: claim for claim in judge(experiment, result)}
    false = {name for name, claim in claims.items() if not claim.holds}

    assert false == {
        "one_key_takes_nearly_all",
        "sqrt_still_peaked",
        "certainty_to_indifference",
        "raw_barely_responds",
        "steeper_at_input",
    }
