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

import broken_assumptions
import causal_chain
import correlated_keys
import folded_scale
import gradient_path
import half_precision
import initializers
import saturation
import score_spread
import sequence_length
import softmax_jacobian
import softmax_weights
import stuck_rows
import training
import typical_rows
from attention import Example
from report.claims import Claim, judge
from report.contracts import Stream
from report.experiment import Experiment
from report.results import Record, loads

FIGURES = Path(causal_chain.__file__).parent
EXPERIMENTS: dict[str, ModuleType] = {
    each.__name__: each
    for each in (
        broken_assumptions,
        causal_chain,
        correlated_keys,
        folded_scale,
        gradient_path,
        half_precision,
        initializers,
        saturation,
        score_spread,
        sequence_length,
        softmax_jacobian,
        softmax_weights,
        stuck_rows,
        training,
        typical_rows,
    )
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
    "saturation": {
        "unscaled_freezes",
        "unscaled_closes_up",
        "scaled_does_not_depend_on_width",
        "dk_almost_even",
        "more_keys_lower_the_top",
        "long_rows_flatten",
        "few_rows_keep_the_slope",
    },
    "gradient_path": {
        "typical_fades",
        "fades_faster_than_a_power",
        "mean_falls_no_faster_than_root",
        "mean_survives_at_query",
        "sparse_and_heavy_tailed",
        "scaled_is_flat",
        "scaled_row_has_no_dead",
        "dk_falls_as_root",
        "typical_steeper_in_narrow",
    },
    "typical_rows": {
        "example_is_typical",
        "median_alike",
        "ratio_varies_widely",
        "some_less_steep",
        "averages_gain_less",
        "raw_score_divides",
    },
    "correlated_keys": {
        "root_holds_noise",
        "dk_holds_signal",
        "dk_noise_fades",
        "root_ends_certain",
        "match_hidden_by_dk",
        "mup_near_its_limit",
    },
    "broken_assumptions": {
        "control_stays_at_one",
        "correlation_brings_width_back",
        "deviations_multiply",
        "shift_cancels_in_rows",
        "laws_agree",
        "outside_by_chance",
        "heavy_tails_look_calm",
    },
    "sequence_length": {
        "fixed_scale_dilutes",
        "long_rows_flatten",
        "log_keeps_strong",
        "log_loses_weak",
        "weak_is_outdone",
        "theory_holds",
    },
    "initializers": {
        "theory_holds",
        "seldom_one",
        "packed_gives_half",
        "linear_gives_third",
        "t5_starts_at_one",
        "normal_grows_with_width",
        "wrong_root_shrinks",
    },
    "half_precision": {
        "unscaled_overflows",
        "scaled_never_overflows",
        "shift_ends_overflow",
        "shift_moves_no_weight",
        "saturation_remains",
        "zeros_only_unscaled",
    },
    "training": {
        "unscaled_worse_than_uniform_from",
        "scaled_near_best",
        "control_shows_no_effect",
        "dk_rate_does_not_move",
        "root_rate_falls",
        "dk_rate_carries_over",
        "unscaled_slow_not_stuck",
    },
    "stuck_rows": {
        "unscaled_rows_stay_stuck",
        "stuck_share_grows",
        "scaled_rows_recover",
        "scaled_start_no_better",
        "cross_entropy_frees_them",
        "time_alone_does_not_free",
    },
    "folded_scale": {
        "trajectories_equal",
        "relative_steps_need_no_change",
        "old_rate_parts_them",
        "epsilon_hardly_matters",
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
    ("saturation.unscaled_freezes", {"at.64.1024.raw.top.median": 0.949}),
    ("saturation.unscaled_closes_up", {"at.4.256.raw.top.mean": 0.9}),
    ("saturation.scaled_does_not_depend_on_width", {"at.16.64.sqrt.top.mean": 0.3}),
    ("saturation.scaled_does_not_depend_on_width", {"at.64.4.sqrt.top.mean": 0.08}),
    ("saturation.dk_almost_even", {"at.4.1024.dk.top.mean": 0.301}),
    ("saturation.more_keys_lower_the_top", {"at.16.64.raw.top.mean": 0.91}),
    ("saturation.more_keys_lower_the_top", {"at.64.64.sqrt.top.mean": 0.25}),
    ("saturation.more_keys_lower_the_top", {"keys": [16]}),
    ("saturation.long_rows_flatten", {"at.64.64.sqrt.entropy_share.mean": 0.85}),
    ("saturation.long_rows_flatten", {"keys": [16]}),
    ("saturation.few_rows_keep_the_slope", {"at.16.1024.raw.trace.median": 0.006}),
    ("gradient_path.typical_fades", {"at.16.1024.raw.input.median": 0.034}),
    ("gradient_path.fades_faster_than_a_power", {"at.16.1024.raw.input.median": 0.0005}),
    ("gradient_path.fades_faster_than_a_power", {"sizes": [256, 1024]}),
    ("gradient_path.fades_faster_than_a_power", {"at.16.64.raw.input.median": 0.0}),
    ("gradient_path.mean_falls_no_faster_than_root", {"at.16.1024.raw.input.mean": 0.045}),
    ("gradient_path.mean_survives_at_query", {"at.16.256.raw.query.mean": 1.3}),
    ("gradient_path.mean_survives_at_query", {"theory.16": 2.17}),
    ("gradient_path.mean_survives_at_query", {"at.16.1024.raw.query.mean": 2.13}),
    ("gradient_path.sparse_and_heavy_tailed", {"at.16.64.raw.dead": 0.28}),
    ("gradient_path.sparse_and_heavy_tailed", {"at.16.1024.raw.carried": 0.49}),
    ("gradient_path.scaled_is_flat", {"at.16.4.sqrt.query.median": 0.27}),
    ("gradient_path.scaled_is_flat", {"at.16.64.sqrt.query.mean": 0.34}),
    ("gradient_path.scaled_row_has_no_dead", {"at.16.1024.dk.dead": 0.0001}),
    ("gradient_path.scaled_row_has_no_dead", {"at.16.4.sqrt.dead": 0.0001}),
    ("gradient_path.dk_falls_as_root", {"at.16.256.dk.query.mean": 0.018}),
    ("gradient_path.dk_falls_as_root", {"at.16.4.sqrt.query.mean": 0.13}),
    ("gradient_path.typical_steeper_in_narrow", {"at.16.4.raw.query.median": 0.27}),
    ("typical_rows.example_is_typical", {"rank.top": 0.24}),
    ("typical_rows.example_is_typical", {"rank.spread": 0.76}),
    ("typical_rows.median_alike", {"random.ratio.q50": 28.0}),
    ("typical_rows.median_alike", {"random.ratio.q50": 6.9}),
    ("typical_rows.ratio_varies_widely", {"random.ratio.q90": 10.4}),
    ("typical_rows.some_less_steep", {"less_steep.input": 0.009}),
    ("typical_rows.averages_gain_less", {"mean.ratio": 7.0}),
    ("typical_rows.raw_score_divides", {"less_steep.raw_score": 0.24}),
    ("typical_rows.raw_score_divides", {"less_steep.raw_score": 0.76}),
    ("correlated_keys.root_holds_noise", {"strong.at.64.sqrt.rival.sd": 1.051}),
    ("correlated_keys.dk_holds_signal", {"strong.at.512.dk.match.mean": 0.474}),
    ("correlated_keys.dk_noise_fades", {"strong.at.1024.dk.rival.sd": 0.051}),
    ("correlated_keys.root_ends_certain", {"strong.at.4.sqrt.weight.mean": 0.51}),
    ("correlated_keys.root_ends_certain", {"strong.at.1024.sqrt.weight.mean": 0.94}),
    ("correlated_keys.match_hidden_by_dk", {"strong.at.64.dk.weight.mean": 0.126}),
    ("correlated_keys.mup_near_its_limit", {"strong.at.1024.mup.weight.mean": 0.7}),
    ("broken_assumptions.control_stays_at_one", {"lines.0.at.256.sd": 0.949}),
    ("broken_assumptions.correlation_brings_width_back", {"lines.1.at.1024.sd": 1.049}),
    ("broken_assumptions.correlation_brings_width_back", {"lines.1.at.1024.sd": 0.9}),
    ("broken_assumptions.correlation_brings_width_back", {"lines.1.at.1024.error": 0.3}),
    ("broken_assumptions.deviations_multiply", {"deviations.4.sd": 15.1}),
    ("broken_assumptions.shift_cancels_in_rows", {"means.1.row.sd": 1.06}),
    ("broken_assumptions.laws_agree", {"laws.uniform.ratios": [1.03] * 20}),
    ("broken_assumptions.outside_by_chance", {"outside": 15}),
    ("broken_assumptions.heavy_tails_look_calm", {"laws.t3.ratios": [1.01] * 20}),
    ("broken_assumptions.heavy_tails_look_calm", {"laws.t3.high": 1.1, "laws.t2_5.high": 1.1}),
    ("sequence_length.fixed_scale_dilutes", {"weak.at.64.fixed.mean": 0.47}),
    ("sequence_length.fixed_scale_dilutes", {"lengths": [16, 64]}),
    ("sequence_length.long_rows_flatten", {"alone.256.top.mean": 0.12}),
    ("sequence_length.long_rows_flatten", {"alone.256.entropy_share.mean": 0.88}),
    ("sequence_length.log_keeps_strong", {"strong.at.65536.log.mean": 0.49}),
    ("sequence_length.log_loses_weak", {"weak.at.65536.log.mean": 0.05}),
    ("sequence_length.weak_is_outdone", {"weak.outdone_from": 70000.0}),
    ("sequence_length.weak_is_outdone", {"strong.outdone_from": 60000.0}),
    (
        "sequence_length.theory_holds",
        {"strong.at.64.fixed.theory": 0.6, "weak.at.64.log.theory": 0.35},
    ),
    ("initializers.theory_holds", {"worst": 0.051}),
    (
        "initializers.seldom_one",
        {"layers.packed.0.sd": 0.951, "layers.linear.0.sd": 1.049},
    ),
    ("initializers.packed_gives_half", {"layers.packed.1.sd": 0.53}),
    ("initializers.linear_gives_third", {"layers.linear.0.sd": 0.31}),
    ("initializers.t5_starts_at_one", {"layers.t5.0.sd": 1.051}),
    ("initializers.normal_grows_with_width", {"layers.normal.1.sd": 0.3}),
    (
        "initializers.normal_grows_with_width",
        {"layers.normal.2.sd": 0.65, "layers.normal.0.sd": 0.4},
    ),
    ("initializers.wrong_root_shrinks", {"layers.fan_in.0.by_model_width": 0.51}),
    ("half_precision.unscaled_overflows", {"at.1024.raw.plain_fails": 0.94}),
    ("half_precision.scaled_never_overflows", {"at.16.sqrt.plain_fails": 0.0002}),
    ("half_precision.shift_ends_overflow", {"at.256.raw.shifted_fails": 0.0002}),
    ("half_precision.shift_moves_no_weight", {"at.256.raw.top_half": 0.9}),
    ("half_precision.saturation_remains", {"at.16.raw.top": 0.48}),
    ("half_precision.zeros_only_unscaled", {"at.1024.raw.zero_weights": 0.0}),
    ("half_precision.zeros_only_unscaled", {"at.1024.raw.flat_rows": 0.0}),
    ("half_precision.zeros_only_unscaled", {"at.64.sqrt.zero_weights": 0.0002}),
    ("half_precision.zeros_only_unscaled", {"at.64.sqrt.flat_rows": 0.0002}),
    ("training.unscaled_worse_than_uniform_from", {"at.64.raw.best.low": 0.87}),
    ("training.scaled_near_best", {"at.256.dk.best.mean": 0.75}),
    ("training.scaled_near_best", {"at.64.sqrt.best.mean": 0.75}),
    ("training.control_shows_no_effect", {"control.worst": 0.09}),
    ("training.dk_rate_does_not_move", {"at.256.dk.best.rate": 0.0078125}),
    ("training.root_rate_falls", {"at.256.sqrt.best.rate": 0.0078125}),
    (
        "training.root_rate_falls",
        {f"at.{d_k}.sqrt.best.rate": 0.0078125 for d_k in (16, 64, 256, 1024)},
    ),
    ("training.dk_rate_carries_over", {"carried.dk": [0.74, 0.71, 0.71, 0.79]}),
    ("training.dk_rate_carries_over", {"carried.sqrt": [0.74, 0.75, 0.83, 0.75]}),
    ("training.unscaled_slow_not_stuck", {"longer.raw.mean": 0.9}),
    ("training.unscaled_slow_not_stuck", {"longer.raw.mean": 0.7}),
    ("training.unscaled_slow_not_stuck", {"longer.d_k": 128}),
    ("stuck_rows.unscaled_rows_stay_stuck", {"squared.at.1024.raw.best.interval.low": 0.49}),
    ("stuck_rows.stuck_share_grows", {"squared.at.256.raw.best.share": 0.45}),
    ("stuck_rows.scaled_rows_recover", {"squared.at.16.dk.best.share": 0.0125}),
    ("stuck_rows.scaled_start_no_better", {"squared.at.64.sqrt.start": 0.87}),
    ("stuck_rows.cross_entropy_frees_them", {"cross_entropy.at.64.raw.best.share": 0.0125}),
    ("stuck_rows.time_alone_does_not_free", {"course.raw.last": 0.24}),
    ("stuck_rows.time_alone_does_not_free", {"course.sqrt.last": 0.0125}),
    ("folded_scale.trajectories_equal", {"adam.query.apart": 2e-9}),
    ("folded_scale.relative_steps_need_no_change", {"relative.both.unchanged": 2e-9}),
    ("folded_scale.old_rate_parts_them", {"descent.both.unchanged": 0.09}),
    ("folded_scale.epsilon_hardly_matters", {"with_epsilon.apart": 0.0051}),
]


def doctored(stem: str, changes: dict[str, Any]) -> Record:
    """Read a committed result, with some of its values changed."""
    answer = json.loads((FIGURES / f"{stem}.json").read_text("utf-8"))
    for path, value in changes.items():
        *parents, key = path.split(".")
        place = answer
        for parent in parents:
            place = place[int(parent) if isinstance(place, list) else parent]
        assert key in place, path
        place[key] = value
    result: Record = loads(stem, json.dumps(answer))
    return result


def judged(stem: str, changes: dict[str, Any] | None = None) -> dict[str, Claim]:
    """Judge the claims on a committed result, with some of its values changed."""
    experiment = Experiment(stem, FIGURES / f"{stem}.py", EXPERIMENTS[stem])
    return {claim.name: claim for claim in judge(experiment, doctored(stem, changes or {}))}


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
    example = Example((8.0, 0.0, -8.0, 4.0), d_k)
    answer = softmax_weights.measure(softmax_weights.Parameters(example), stream("softmax_weights"))
    experiment = Experiment("softmax_weights", FIGURES / "softmax_weights.py", softmax_weights)
    claims = {c.name: c for c in judge(experiment, stored("softmax_weights", answer))}

    assert not claims["row_is_fair"].holds


def test_a_tied_row_is_called_neither_saturated_nor_steeper(
    stream: Callable[[str], Stream], stored: Callable[[str, object], Any]
) -> None:
    claims: dict[str, Claim] = {}
    for module in (softmax_weights, softmax_jacobian):
        example = Example((8.0, 8.0, 0.0, -8.0), 64)
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
