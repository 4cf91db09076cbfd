"""Commands that ask about a report: what it claims, what moved, which numbers come from nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from report import alike, experiment, moved, sweep, worker
from report.build import alone, chosen, shelf_for
from report.claims import Ledger
from report.crew import Crew, Pool, Staff
from report.drawing import svg
from report.errors import Mistake
from report.freshness import Depends
from report.lint import Finding, Lint
from report.numbers import Printer, Quote
from report.progress import Tell
from report.project import Project, Settings
from report.record import FIGURES
from report.results import loads
from report.shelf import Shelf
from report.stages import Request, ledger
from report.status import stale_targets
from report.style import read_tokens

INSTALL = "python -m pip install 'answering-report[cluster]'"


def built(request: Request, *verbs: str) -> Shelf:
    """Open what a request made, such as the usual results; raise Mistake where it is not up to date.

    `verbs` say what has to be: what was measured, or drawn from it and judged.
    """
    request = replace(request, fresh=False, article=False)
    shelf, then = shelf_for(request), "run `make report` first"
    for stem in request.project.stems:
        if any(shelf.entry(f"{verb} {stem}") is None for verb in verbs):
            what = "there is no result of this experiment yet"
            raise Mistake(what, file=f"figures/{stem}.py", then=then)
    for target, why in stale_targets(request).items():
        verb, _, stem = target.partition(" ")
        if verb in verbs:
            what = f"what was made of this experiment is stale ({'; '.join(why)})"
            raise Mistake(what, file=f"figures/{stem}.py", then=then)
    return shelf


def claims(project: Project, settings: Settings) -> tuple[Ledger, list[str]]:
    """The ledger of the last build, and a line for each claim: what, whether, on which evidence."""
    shelf = built(Request(project, settings), "measure", "draw")
    found = ledger(shelf, project.stems)
    tallies = sweep.tallies(Depends(project, settings), shelf.record["reads"], found)
    return found, [
        f"{'holds   ' if claim.holds else 'DOES NOT'}  {claim.path}: {claim.sentence}"
        f" ({claim.evidence}; {tallies[claim.path]})"
        for claim in found.claims
    ]


def diff(old: Path, new: Path) -> Iterator[str]:
    """Say what moved between two reports, each a build folder or a PDF."""
    found = moved.compare(moved.read_from(old), moved.read_from(new))
    yield from found.lines()
    if not found:
        yield "Nothing moved: the same words and numbers, the same claims and figures."


def numbers_from_nowhere(request: Request) -> list[Finding]:
    """Check the article, the words about each figure and the words inside it, by what was measured."""
    project = request.project
    shelf, lint = built(request, "measure"), Lint(project)
    findings, printed = lint.article(), list[Quote]()
    tokens, fonts = read_tokens(project.own("tokens.toml")), project.template("fonts")
    for stem in project.stems:
        loaded = experiment.load(project, stem)
        result = loads(stem, shelf.text(f"{FIGURES}{stem}.json") or "")
        file, say = f"figures/{stem}.py", Printer()
        words = list(_texts(experiment.describe(project, loaded, result, say)))
        if not loaded.is_table:
            drawn = experiment.draw(project, loaded, result, "wide", tokens, fonts, say)
            words += svg.text_of(drawn)
        findings += lint.words(file, words, say.quotes)
        printed += say.quotes
    return findings + lint.allowances(printed)


def _texts(said: Any) -> Iterator[str]:
    """Every piece of text in a description."""
    if isinstance(said, str):
        yield said
    else:
        for each in said.values() if isinstance(said, dict) else said:
            yield from _texts(each)


def swept(  # noqa: PLR0913, PLR0917 - what, how often, and by whom
    project: Project,
    settings: Settings,
    stems: tuple[str, ...],
    seeds: int,
    jobs: int,
    tell: Tell,
    scheduler: str | None = None,
) -> None:
    """Measure experiments under many seeds, and keep what is known as it comes in.

    They are measured by so many processes here, or by the workers of a scheduler at some address.
    """
    depends = Depends(project, settings)
    claiming = [stem for stem in chosen(project, stems) if states_claims(depends, stem, tell)]
    reads = worker.examine(project, settings, project.stems)
    wanted = [(stem, sweep.mark(depends, stem, reads[stem])) for stem in claiming]
    pool: AbstractContextManager[Crew] = nullcontext(Pool(jobs, project.build / "cache"))
    if scheduler is not None:
        pool = cluster_at(scheduler, project, settings, {stem: reads[stem] for stem in claiming})
    with alone(project, tell), pool as crew, Staff(crew, settings.limit) as executor:
        sweep.sweep(project, settings, wanted, seeds, executor, tell.note)


def cluster_at(
    address: str, project: Project, settings: Settings, reads: alike.Reads
) -> AbstractContextManager[Crew]:
    """Give the workers of a scheduler to measure some experiments; raise Mistake without Dask."""
    try:
        from report import cluster  # noqa: PLC0415 - an optional library, and a slow one
    except ModuleNotFoundError as error:
        what = f"a sweep on a cluster needs Dask, and there is no Python module {error.name}"
        raise Mistake(what, then=f"type `{INSTALL}` and run the command again") from None
    return cluster.joined(address, alike.sources(project, settings, reads))


def states_claims(depends: Depends, stem: str, tell: Tell) -> bool:
    """Whether there is anything to count in an experiment; tell where there is not."""
    module = depends.code.module(stem)
    found = bool(module and module.binding("claims"))
    if not found:
        tell.note(f"{stem:<20} states no claims")
    return found
