"""A sweep counts the seeds a claim held in, side by side, and loses nothing that was done."""

import json
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from report.claims import Claim
from report.crew import Suspected, Unfinished
from report.errors import Mistake
from report.glance import SWEPT
from report.sweep import Judge, Sweep, fingerprint, run
from report.tally import Judged, Outcomes


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
        record = Sweep(Path(folder) / SWEPT)
        record.keep("spread", "mark", held)
        tally = record.tally(Claim("spread", name, "It holds.", True, ""), "mark")
    assert tally is not None
    return tally.held, tally.seeds, tally.unstated


@pytest.mark.parametrize("seeds", ["102", "10 1", "1x1", "10", "1011", 101])
def test_a_record_with_anything_else_in_it_is_refused(tmp_path: Path, seeds: object) -> None:
    kept = {"spread": {"of": "mark", "held": {"holds": seeds, "falls": "000"}}}
    (tmp_path / SWEPT).write_text(json.dumps(kept), "utf-8")

    with pytest.raises(Mistake, match="this is no record of a sweep"):
        Sweep(tmp_path / SWEPT)


# Seeds that give nothing


def missing(*seeds: int) -> Callable[[int], Judged]:
    """Judge, but for some seeds."""

    def judge(seed: int) -> Judged:
        if seed in seeds:
            raise Unfinished("measuring stopped", file="figures/roll.py", line=31)
        return {"low": seed < 4} | ({"even": True} if seed % 2 == 0 else {})

    return judge


def swept(judge: Judge, executor: Executor, seeds: int = 6) -> tuple[list[Outcomes], str]:
    """Run a sweep that does not finish under every seed: what it gave, and what it said."""
    given = list[Outcomes]()
    with executor, pytest.raises(Unfinished) as caught:
        given.extend(run(judge, seeds, {}, executor))
    return given, str(caught.value)


class AtOnce(Executor):
    """Runs each task when it is handed over."""

    def submit(self, task: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(task(*args, **named))
        except Unfinished as error:
            future.set_exception(error)
        return future


def test_whatever_runs_a_sweep_gives_the_same() -> None:
    def later(seed: int) -> Judged:
        time.sleep(0.01 * (6 - seed))  # the last comes in first
        return missing(0, 3)(seed)

    at_once = swept(missing(0, 3), AtOnce())

    assert at_once[0][-1] == {"even": "x-1x1-", "low": "x11x00"}
    assert swept(later, ThreadPoolExecutor(1)) == at_once
    assert swept(later, ThreadPoolExecutor(6)) == at_once


@pytest.mark.parametrize("guilty", [(1,), (1, 2), ()])
def test_a_seed_that_is_suspected_is_judged_by_itself_before_it_is_counted(
    guilty: tuple[int, ...],
) -> None:
    order = list[int]()

    def judge(seed: int) -> Judged:
        order.append(seed)
        if seed in guilty or (seed == 2 and order.count(2) == 1):  # it ran beside seed 1
            raise Suspected("measuring ended 4 workers of the cluster", file="figures/roll.py")
        return {"low": seed < 4}

    if not guilty:
        *_, last = run(judge, 6, {}, AtOnce())
    else:
        given, said = swept(judge, AtOnce())
        last = given[-1]
        assert f"under seed 1 measuring ended 4 workers of the cluster; {len(guilty)} of 6" in said

    assert order == [0, 1, 2, 3, 4, 5, *sorted({*guilty, 2})]
    assert last == {"low": "".join("x" if s in guilty else "01"[s < 4] for s in range(6))}


def test_a_seed_that_gives_nothing_stops_no_other_and_is_named() -> None:
    _, said = swept(missing(3, 5), AtOnce())

    assert said == (
        "figures/roll.py, line 31: under seed 3 measuring stopped; 2 of 6 seeds did not finish, and"
        " what the others gave is kept; correct it and run the command again."
    )


def test_a_second_call_tries_the_seeds_again_that_gave_nothing_before_others() -> None:
    judged = list[int]()

    def judge(seed: int) -> Judged:
        judged.append(seed)
        return {"low": True}

    *_, last = run(judge, 5, {"low": "1x0x"}, AtOnce())

    assert last == {"low": "11011"}
    assert judged == [1, 3, 4]


def test_what_finishes_under_no_seed_is_given_up_soon() -> None:
    given, said = swept(missing(*range(200)), AtOnce(), 200)

    assert given[-1] == {}
    assert "under seed 0 measuring stopped; 3 of 3 seeds did not finish; correct it" in said


def test_a_sweep_that_is_stopped_keeps_what_is_done(tmp_path: Path) -> None:
    def judge(seed: int) -> dict[str, bool]:
        if seed == 3:
            raise KeyboardInterrupt
        return {"holds": True}

    def stopped() -> None:
        record = Sweep(tmp_path / SWEPT)
        with ThreadPoolExecutor(1) as executor:
            for held in run(judge, 10, {}, executor):
                record.keep("spread", "mark", held)

    with pytest.raises(KeyboardInterrupt):
        stopped()

    assert Sweep(tmp_path / SWEPT).outcomes("spread", "mark") == {"holds": "111"}


def test_a_record_speaks_only_for_the_parameters_it_was_made_with(tmp_path: Path) -> None:
    record = Sweep(tmp_path / SWEPT)
    record.keep("spread", "mark", {"holds": "1101"})
    claim = Claim("spread", "holds", "It holds.", True, "")
    tally = record.tally(claim, "mark")

    assert tally is not None
    assert (tally.held, tally.seeds) == (3, 4)
    assert record.tally(claim, "other parameters") is None
    assert json.loads((tmp_path / SWEPT).read_text())["spread"]["held"] == {"holds": "1101"}


def test_the_fingerprint_takes_data_in_and_leaves_out_the_seed_and_the_versions() -> None:
    parts = {
        "parameter seed": "1",
        "version numpy": "2",
        "parameter spread.trials": "9",
        "code a.py f": "x",
    }

    assert fingerprint(parts) == fingerprint(parts | {"parameter seed": "2", "version numpy": "3"})
    assert fingerprint(parts) != fingerprint(parts | {"parameter spread.trials": "8"})
    assert fingerprint(parts) != fingerprint(parts | {"code a.py f": "y"})
    assert fingerprint(parts) != fingerprint(parts | {"file data/x.csv": "y"})
