"""Measures experiments under many seeds, and remembers for each claim in how many it held."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from pathlib import Path
from typing import Any

from report import authored, claims, experiment, glance
from report.crew import Suspected, Unfinished, outcome
from report.errors import Mistake
from report.freshness import Depends, Parts
from report.opened import only_inputs
from report.progress import plural
from report.project import Project, Settings
from report.record import digest
from report.results import loads, write_whole
from report.tally import EXACT, Judged, Outcomes, Tally, by_claim, by_seed, is_whole, said, summed

SEED = "parameter seed"  # the part of a result that a sweep is over
TRIED = 3  # seeds after which an experiment that finished under none of them is given up
Judge = Callable[[int], Judged]  # measures under one seed, and tells which claims hold


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
        return Tally.of(held) if held else None

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
            return is_whole(held)
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
    """Say for each claim in how many seeds it held, or that no seed can move it."""
    record = Sweep(depends.project.figures / glance.SWEPT)
    found = {stem: parts(depends, stem, reads[stem]) for stem in {c.stem for c in ledger.claims}}
    marks = {stem: fingerprint(each) for stem, each in found.items()}
    return {
        claim.path: said(record.tally(claim, marks[claim.stem]))
        if SEED in found[claim.stem]
        else EXACT
        for claim in ledger.claims
    }


def fingerprint(parts: Mapping[str, str]) -> str:
    """Name an experiment's parameters, code and data, whatever its seed and the versions it runs on."""
    told = {
        name: value
        for name, value in parts.items()
        if name.startswith(("parameter ", "code ", "file ", "variable ")) and name != SEED
    }
    return digest(json.dumps(told, sort_keys=True).encode())


def judge_seed(project: Project, stem: str, settings: Settings, seed: int) -> Judged:
    """Measure one experiment under one seed, and tell which of its claims hold.

    Raises Unfinished for what goes wrong on the way, which may be otherwise under another seed.
    """
    section = {**settings.sections.get(stem, {}), "seed": seed}
    reseeded = dataclasses.replace(settings, sections={**settings.sections, stem: section})
    with only_inputs(project):
        loaded = experiment.load(project, stem)
        try:
            result = loads(stem, experiment.measure(project, loaded, reseeded))
            return {claim.name: claim.holds for claim in claims.judge(loaded, result)}
        except Mistake as mistake:
            raise Unfinished(
                mistake.what, file=mistake.file, line=mistake.line, then=mistake.then
            ) from mistake


def run(
    judge: Judge,
    seeds: int,
    known: Outcomes,
    executor: Executor,
    ended: Callable[[Future[Judged]], Judged] = Future.result,
) -> Iterator[Outcomes]:
    """Judge the seeds that gave no result yet, side by side; give what is known after each.

    Any executor of `concurrent.futures` will do; `ended` gives what a task of it gave. What comes in
    is taken in the order of the seeds, so a sweep that is stopped has lost only what came in ahead of
    its turn. A seed under which the experiment did not finish stops no other: all are judged before
    Unfinished is raised for the first of them, but where nothing ever finishes. One that is merely
    suspected, since it ran beside others, is judged once more by itself.
    """
    judged, missed = by_seed(known), dict[int, Unfinished]()
    wanted = [seed for seed in range(seeds) if judged.get(seed) is None]
    running = {seed: executor.submit(judge, seed) for seed in wanted}
    try:
        for seed, future in running.items():
            try:
                judged[seed] = ended(future)
            except Unfinished as mistake:
                judged[seed], missed[seed] = None, mistake
            yield by_claim(judged)
            if len(missed) == len(judged) == TRIED:
                break
    finally:
        for future in running.values():
            future.cancel()
    for seed in [seed for seed, why in missed.items() if isinstance(why, Suspected)]:
        try:
            judged[seed] = ended(executor.submit(judge, seed))
        except Unfinished as mistake:
            missed[seed] = mistake
        else:
            del missed[seed]
            yield by_claim(judged)
    if missed:
        raise _first(missed, len(judged))


def _first(missed: Mapping[int, Unfinished], seeds: int) -> Unfinished:
    """Name the first seed under which an experiment did not finish, and say how many more there are."""
    seed, mistake = next(iter(missed.items()))
    kept = ", and what the others gave is kept" if len(missed) < seeds else ""
    others = f"{len(missed)} of {plural(seeds, 'seed')} did not finish{kept}"
    mistake.what = f"under seed {seed} {mistake.what}; {others}"
    return mistake


def swept(held: Outcomes) -> int:
    """How many seeds an experiment was measured under."""
    return len(next(iter(held.values()), ""))


def sweep(
    project: Project,
    settings: Settings,
    wanted: Sequence[tuple[str, str]],
    seeds: int,
    executor: Executor,
    note: Callable[[str], None],
) -> None:
    """Sweep experiments, each given as (stem, fingerprint); keep and tell what is known as it comes in.

    Raises Mistake at the end where one of them did not finish under every seed.
    """
    record, missed = Sweep(project.figures / glance.SWEPT), list[Unfinished]()
    for stem, mark in wanted:
        judge = partial(judge_seed, project, stem, settings)
        ended = partial(outcome, stem=stem, doing="measuring", limit=settings.limit)
        known = record.outcomes(stem, mark)
        try:
            for held in run(judge, seeds, known, executor, ended):
                if held != known:
                    known = held
                    record.keep(stem, mark, held)
                    note(_counted(stem, known))
        except Unfinished as mistake:
            missed.append(mistake)
        note(f"{_counted(stem, known)}: {summed(known)}")
    if missed:
        raise missed[0]


def _counted(stem: str, held: Outcomes) -> str:
    return f"{stem:<20} {plural(swept(held), 'seed')}"
