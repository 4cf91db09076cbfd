"""Measures experiments under many seeds, and remembers for each claim in how many it held."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import cache, partial
from math import exp, lgamma, log, log1p
from pathlib import Path
from typing import Any

from report import authored, claims, experiment, glance
from report.crew import first, outcome
from report.errors import Mistake
from report.freshness import Depends, Parts
from report.numbers import count, percent
from report.progress import plural
from report.project import Project, Settings
from report.record import digest
from report.results import loads, write_whole

RECORD = glance.SWEPT
CONFIDENCE = 0.95
SEED = "parameter seed"  # the part of a result that a sweep is over
HELD, FAILED, UNSTATED = "1", "0", "-"  # what became of a claim under one seed
Outcomes = dict[str, str]  # claim -> one of these for each seed, from seed 0 up
Judge = Callable[[int], dict[str, bool]]  # measures under one seed, and tells which claims hold
Ended = Callable[[Future[dict[str, bool]]], dict[str, bool]]


@dataclass(frozen=True)
class Tally:
    """In how many of so many seeds a claim held."""

    held: int
    seeds: int  # those under which it was stated
    unstated: int = 0  # those under which it was not

    @property
    def failed(self) -> bool:
        """Whether there is a seed under which it did not hold."""
        return self.held < self.seeds

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95 % interval of the share of seeds in which it holds."""
        return exact_interval(self.held, self.seeds, CONFIDENCE)


def _tally(seeds: str) -> Tally:
    return Tally(seeds.count(HELD), len(seeds) - seeds.count(UNSTATED), seeds.count(UNSTATED))


@cache
def exact_interval(held: int, of: int, confidence: float) -> tuple[float, float]:
    """Give the exact binomial interval (Clopper and Pearson 1934) of a share, by bisection."""
    tail = (1 - confidence) / 2
    low = 0.0 if held == 0 else _root(lambda share: 1 - _at_most(held - 1, of, share) - tail)
    high = 1.0 if held == of else _root(lambda share: tail - _at_most(held, of, share))
    return low, high


def _at_most(held: int, of: int, share: float) -> float:
    """The chance of at most `held` successes in `of` trials; sums the shorter tail."""
    if 2 * held > of:
        return 1 - sum(_chance(k, of, share) for k in range(held + 1, of + 1))
    return sum(_chance(k, of, share) for k in range(held + 1))


def _chance(held: int, of: int, share: float) -> float:
    ways = lgamma(of + 1) - lgamma(held + 1) - lgamma(of - held + 1)
    return exp(ways + held * log(share) + (of - held) * log1p(-share))


def _root(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2


class Sweep:
    """The committed record of all sweeps, `figures/sweep.json`: by experiment, bound to its parameters."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, dict[str, Any]] = _read(path) if path.exists() else {}

    def outcomes(self, stem: str, fingerprint: str) -> Outcomes:
        """What is known of an experiment under exactly these parameters and this code."""
        kept = self._kept.get(stem, {})
        return dict(kept["held"]) if kept.get("of") == fingerprint else {}

    def tally(self, claim: claims.Claim, fingerprint: str) -> Tally | None:
        """In how many seeds a claim held; None where it was not swept for these parameters."""
        held = self.outcomes(claim.stem, fingerprint).get(claim.name)
        return _tally(held) if held else None

    def keep(self, stem: str, fingerprint: str, held: Outcomes) -> None:
        """Put the record in place whole, with what is known now."""
        self._kept[stem] = {"of": fingerprint, "held": held}
        text = json.dumps(self._kept, indent=1, sort_keys=True) + "\n"
        write_whole(self._path, text.encode())


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Read the record; raise Mistake for a damaged one: it took long to make, and is not thrown away."""
    file, line = f"figures/{path.name}", None
    try:
        kept = json.loads(authored.text(path, file))
    except ValueError as error:
        kept, line = None, getattr(error, "lineno", None)
    if isinstance(kept, dict) and all(map(_is_whole, kept.values())):
        return kept
    what, then = (
        "this is no record of a sweep",
        "take it back from the project's history or remove it",
    )
    raise Mistake(what, file=file, line=line, then=then)


def _is_whole(kept: Any) -> bool:
    match kept:
        case {"of": str(), "held": dict(held)}:
            whole = all(isinstance(seeds, str) for seeds in held.values())
            return whole and set().union(*held.values()) <= {HELD, FAILED, UNSTATED}
    return False


def parts(depends: Depends, stem: str, reads: Mapping[str, list[str]]) -> Parts:
    """Give what the outcomes of an experiment's sweep depend on."""
    return depends.measure(stem, reads) | depends.reach((stem, "claims")).parts


def mark(depends: Depends, stem: str, reads: Mapping[str, list[str]]) -> str:
    """Name what the outcomes of an experiment's sweep depend on."""
    return fingerprint(parts(depends, stem, reads))


def tallies(
    depends: Depends, reads: Mapping[str, Mapping[str, list[str]]], ledger: claims.Ledger
) -> dict[str, str]:
    """Say for each claim in how many seeds it held."""
    record = Sweep(depends.project.figures / RECORD)
    marks = {stem: mark(depends, stem, reads[stem]) for stem in {c.stem for c in ledger.claims}}
    return {claim.path: said(record.tally(claim, marks[claim.stem])) for claim in ledger.claims}


def said(tally: Tally | None) -> str:
    """Put a tally into words, with its interval."""
    if tally is None:
        return "not swept for these parameters"
    low, high = (percent(share, 1) for share in tally.interval)
    others = f"; not stated for {count(tally.unstated)} others" if tally.unstated else ""
    return f"holds for {count(tally.held)} of {count(tally.seeds)} seeds, {low} to {high}{others}"


def fingerprint(parts: Mapping[str, str]) -> str:
    """Name an experiment's parameters and code, whatever its seed and the versions it runs on."""
    told = {
        name: value
        for name, value in parts.items()
        if name.startswith(("parameter ", "code ")) and name != SEED
    }
    return digest(json.dumps(told, sort_keys=True).encode())


def judge_seed(project: Project, stem: str, settings: Settings, seed: int) -> dict[str, bool]:
    """Measure one experiment under one seed, and tell which of its claims hold."""
    section = {**settings.sections.get(stem, {}), "seed": seed}
    reseeded = dataclasses.replace(settings, sections={**settings.sections, stem: section})
    loaded = experiment.load(project, stem)
    result = loads(stem, experiment.measure(project, loaded, reseeded))
    return {claim.name: claim.holds for claim in claims.judge(loaded, result)}


def run(
    judge: Judge, seeds: int, known: Outcomes, executor: Executor, ended: Ended = Future.result
) -> Iterator[Outcomes]:
    """Judge the seeds that are missing, side by side; give what is known after each that comes in.

    Any executor of `concurrent.futures` will do; `ended` gives what a task of it gave. Outcomes are
    kept in the order of the seeds, so a sweep that is stopped has lost only what came in ahead of
    its turn.
    """
    held, done = dict(known), swept(known)
    waiting: dict[int, dict[str, bool]] = {}
    running: dict[Future[dict[str, bool]], int] = {
        executor.submit(judge, seed): seed for seed in range(done, seeds)
    }
    try:
        while running:
            for future in first(running):
                waiting[running.pop(future)] = ended(future)
                while done in waiting:
                    held = _joined(held, done, waiting.pop(done))
                    done += 1
                yield dict(held)
    finally:
        for future in running:
            future.cancel()


def swept(held: Outcomes) -> int:
    """How many seeds an experiment's claims were judged under."""
    return max(map(len, held.values()), default=0)


def summed(held: Outcomes) -> str:
    """Say in how many seeds the claims of one experiment held."""
    tallies = {name: _tally(seeds) for name, seeds in held.items()}
    missed = [
        f"{name} held in {one.held} of {one.seeds}" for name, one in tallies.items() if one.failed
    ]
    if not missed:
        return "every claim held in all"
    others = "; every other claim in all" if len(missed) < len(held) else ""
    return f"{', '.join(missed)}{others}"


def _joined(held: Outcomes, done: int, judged: Mapping[str, bool]) -> Outcomes:
    """Add what became of each claim under one more seed, whether it was stated before or not."""
    before = {name: held.get(name, UNSTATED * done) for name in held.keys() | judged.keys()}
    return {
        name: seeds + (str(int(judged[name])) if name in judged else UNSTATED)
        for name, seeds in sorted(before.items())
    }


def sweep(
    project: Project,
    settings: Settings,
    wanted: Sequence[tuple[str, str]],
    seeds: int,
    executor: Executor,
    note: Callable[[str], None],
) -> None:
    """Sweep experiments, each given as (stem, fingerprint); keep and tell what is known as it comes in."""
    record = Sweep(project.figures / RECORD)
    for stem, mark in wanted:
        judge = partial(judge_seed, project, stem, settings)
        ended = partial(outcome, stem=stem, doing="measuring", limit=settings.limit)
        known = record.outcomes(stem, mark)
        for held in run(judge, seeds, known, executor, ended):
            if swept(held) > swept(known):
                known = held
                record.keep(stem, mark, held)
                note(_counted(stem, known))
        note(f"{_counted(stem, known)}: {summed(known)}")


def _counted(stem: str, held: Outcomes) -> str:
    return f"{stem:<20} {plural(swept(held), 'seed')}"
