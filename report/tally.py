"""In how many seeds a claim held, and within which limits the share of such seeds is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, lgamma, log, log1p
from typing import Any

from report.numbers import count, percent

CONFIDENCE = 0.95
EXACT = "exact: no seed enters"  # said of a claim that no seed can move
HELD, FAILED, UNSTATED = "1", "0", "-"  # what became of a claim under one seed
UNFINISHED = "x"  # of every claim under a seed that gave no result
Outcomes = dict[str, str]  # claim -> one of these for each seed, from seed 0 up
Judged = dict[str, bool]  # what one seed gave: which of the claims that it states hold


@dataclass(frozen=True)
class Tally:
    """In how many of so many seeds a claim held."""

    held: int
    seeds: int  # those under which it was stated
    unstated: int = 0  # those under which it was not
    unfinished: int = 0  # those that gave no result

    @classmethod
    def of(cls, seeds: str) -> Tally:
        """Count what became of a claim."""
        held, failed, *others = map(seeds.count, (HELD, FAILED, UNSTATED, UNFINISHED))
        return cls(held, held + failed, *others)

    @property
    def failed(self) -> bool:
        """Whether there is a seed under which it did not hold."""
        return self.held < self.seeds

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95 % interval of the share of seeds in which it holds."""
        return exact_interval(self.held, self.seeds, CONFIDENCE)


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


def is_whole(held: Mapping[str, Any]) -> bool:
    """Tell whether these are outcomes: as many for every claim, and a seed gave a result or none."""
    if not all(isinstance(seeds, str) for seeds in held.values()):
        return False
    stated = {HELD, FAILED, UNSTATED}
    columns = map(set, zip(*held.values(), strict=False))
    whole = all(column <= stated or column == {UNFINISHED} for column in columns)
    return whole and len({*map(len, held.values())}) <= 1


def by_seed(held: Outcomes) -> dict[int, Judged | None]:
    """Give what became of the claims under each seed; None where it gave no result."""
    return {
        seed: None
        if UNFINISHED in column
        else {name: of == HELD for name, of in zip(held, column, strict=True) if of != UNSTATED}
        for seed, column in enumerate(zip(*held.values(), strict=True))
    }


def by_claim(judged: Mapping[int, Judged | None]) -> Outcomes:
    """Give what became of each claim under the seeds, all from 0 up; the inverse of `by_seed`."""
    columns = [judged[seed] for seed in range(len(judged))]
    names = sorted(set[str]().union(*filter(None, columns)))
    return {name: "".join(_outcome(name, each) for each in columns) for name in names}


def _outcome(name: str, judged: Judged | None) -> str:
    if judged is None:
        return UNFINISHED
    return UNSTATED if name not in judged else HELD if judged[name] else FAILED


def said(tally: Tally | None) -> str:
    """Put a tally into words, with its interval."""
    if tally is None:
        return "not swept for these parameters"
    low, high = (percent(share, 1) for share in tally.interval)
    told = [
        f"holds for {count(tally.held)} of {count(tally.seeds)} seeds, {low} to {high}",
        f"not stated for {count(tally.unstated)} others" if tally.unstated else "",
        _unfinished(tally),
    ]
    return "; ".join(filter(None, told))


def summed(held: Outcomes) -> str:
    """Say in how many seeds the claims of one experiment held."""
    if not held:
        return "no claim was stated"
    tallies = {name: Tally.of(seeds) for name, seeds in held.items()}
    missed = [
        f"{name} held in {one.held} of {one.seeds}" for name, one in tallies.items() if one.failed
    ]
    others = "every other claim in all" if missed else "every claim held in all"
    told = [
        ", ".join(missed),
        others if len(missed) < len(held) else "",
        _unfinished(next(iter(tallies.values()))),
    ]
    return "; ".join(filter(None, told))


def _unfinished(tally: Tally) -> str:
    return f"{count(tally.unfinished)} did not finish" if tally.unfinished else ""
