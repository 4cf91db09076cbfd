"""A sweep counts the seeds a claim held in, side by side, and loses nothing that was done."""

import json
import math
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from report.claims import Claim
from report.errors import Mistake
from report.sweep import RECORD, Outcomes, Sweep, exact_interval, fingerprint, run, summed


@pytest.mark.parametrize(
    ("held", "of", "low", "high"),
    [  # Clopper and Pearson's limits; the ends where all or none held are (a/2)^(1/n) and 1 minus it
        (0, 10, 0.0, 1 - 0.025**0.1),
        (10, 10, 0.025**0.1, 1.0),
        (200, 200, 0.025 ** (1 / 200), 1.0),
        (5, 10, 0.187086, 0.812914),
        (1, 20, 0.001265, 0.248733),
        (8, 10, 0.443905, 0.974789),
    ],
)
def test_the_interval_is_the_exact_binomial_one(
    held: int, of: int, low: float, high: float
) -> None:
    assert exact_interval(held, of, 0.95) == pytest.approx((low, high), abs=1e-6)


def test_outcomes_stand_in_the_order_of_the_seeds_whatever_comes_in_first() -> None:
    first = threading.Event()

    def judge(seed: int) -> dict[str, bool]:
        if seed == 0:
            first.wait(5)
        else:
            first.set()
        return {"even": seed % 2 == 0, "small": seed < 3}

    with ThreadPoolExecutor(2) as executor:
        *_, last = run(judge, 6, {}, executor)

    assert last == {"even": "101010", "small": "111000"}


def test_a_second_call_judges_only_the_seeds_that_are_missing() -> None:
    judged: list[int] = []

    def judge(seed: int) -> dict[str, bool]:
        judged.append(seed)
        return {"holds": True}

    with ThreadPoolExecutor(1) as executor:
        *_, last = run(judge, 5, {"holds": "10"}, executor)

    assert last == {"holds": "10111"}
    assert judged == [2, 3, 4]


def test_a_claim_that_is_stated_under_some_seeds_only_is_counted_over_those() -> None:
    def judge(seed: int) -> dict[str, bool]:
        return {"always": True} | ({"even": seed == 2} if seed % 2 == 0 else {})

    with ThreadPoolExecutor(1) as executor:
        *_, some = run(judge, 3, {}, executor)
        *_, last = run(judge, 5, some, executor)

    assert last == {"always": "11111", "even": "0-1-0"}
    assert run_tally(last, "even") == (1, 3, 2)


def run_tally(held: Outcomes, name: str) -> tuple[int, int, int]:
    """Count what a record made of these outcomes says of one claim."""
    with tempfile.TemporaryDirectory() as folder:
        record = Sweep(Path(folder) / RECORD)
        record.keep("spread", "mark", held)
        tally = record.tally(Claim("spread", name, "It holds.", True, ""), "mark")
    assert tally is not None
    return tally.held, tally.seeds, tally.unstated


@pytest.mark.parametrize(("held", "of"), [(750, 1500), (99_000, 100_000)])
def test_the_interval_of_many_seeds_is_near_the_normal_one(held: int, of: int) -> None:
    share = held / of
    reach = 1.96 * math.sqrt(share * (1 - share) / of)

    assert exact_interval(held, of, 0.95) == pytest.approx(
        (share - reach, share + reach), abs=0.1 * reach
    )


@pytest.mark.parametrize("seeds", ["1x2", "10 1", 101])
def test_a_record_with_anything_else_in_it_is_refused(tmp_path: Path, seeds: object) -> None:
    kept = {"spread": {"of": "mark", "held": {"holds": seeds}}}
    (tmp_path / RECORD).write_text(json.dumps(kept), "utf-8")

    with pytest.raises(Mistake, match="this is no record of a sweep"):
        Sweep(tmp_path / RECORD)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"one": "111", "two": "1-1"}, "every claim held in all"),
        ({"one": "101", "two": "111"}, "one held in 2 of 3; every other claim in all"),
        ({"one": "0-1", "two": "001"}, "one held in 1 of 2, two held in 1 of 3"),
    ],
)
def test_the_end_of_a_sweep_says_how_many_seeds_bear_each_claim_out(
    held: Outcomes, said: str
) -> None:
    assert summed(held) == said


def test_a_sweep_that_is_stopped_keeps_what_is_done(tmp_path: Path) -> None:
    def judge(seed: int) -> dict[str, bool]:
        if seed == 3:
            raise KeyboardInterrupt
        return {"holds": True}

    def stopped() -> None:
        record = Sweep(tmp_path / RECORD)
        with ThreadPoolExecutor(1) as executor:
            for held in run(judge, 10, {}, executor):
                record.keep("spread", "mark", held)

    with pytest.raises(KeyboardInterrupt):
        stopped()

    assert Sweep(tmp_path / RECORD).outcomes("spread", "mark") == {"holds": "111"}


def test_a_record_speaks_only_for_the_parameters_it_was_made_with(tmp_path: Path) -> None:
    record = Sweep(tmp_path / RECORD)
    record.keep("spread", "mark", {"holds": "1101"})
    claim = Claim("spread", "holds", "It holds.", True, "")
    tally = record.tally(claim, "mark")

    assert tally is not None
    assert (tally.held, tally.seeds) == (3, 4)
    assert record.tally(claim, "other parameters") is None
    assert json.loads((tmp_path / RECORD).read_text())["spread"]["held"] == {"holds": "1101"}


def test_the_fingerprint_leaves_out_the_seed_and_the_versions() -> None:
    parts = {
        "parameter seed": "1",
        "version numpy": "2",
        "parameter spread.trials": "9",
        "code a.py f": "x",
    }

    assert fingerprint(parts) == fingerprint(parts | {"parameter seed": "2", "version numpy": "3"})
    assert fingerprint(parts) != fingerprint(parts | {"parameter spread.trials": "8"})
    assert fingerprint(parts) != fingerprint(parts | {"code a.py f": "y"})
