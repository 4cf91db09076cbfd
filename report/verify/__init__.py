"""Says of a PDF whether the sources here make the same again, and names whatever differs.

The experiments are run again with the PDF's own seed and parameters, in a place of their own, and the
answer has three levels: the same bytes; the same numbers, within a tolerance; the same report, which
is what a reader sees. Before that the PDF is held against itself, so a number, a sentence or a file
that was changed in it is named even where other versions of libraries make other bytes.

What is `carried` in a PDF tells its `origin`; the `ink` on its pages, down to `letters` and other
`objects`, is the `sight` a reader has of it, with the `things` a viewer minds beside, the `roles` in
which it is read aloud and the `ways` that lead through it. It should be `consistent` with itself and in
`order`, and its ways should `reach` what they say; the sources `remake` it to `compare` the two with all
that is `minded`, and every `difference` has its name in the `verdict`. Of an earlier PDF
that a new one is told against, what it told is `copied`.

What this proves: that the sources, as they are here, turn the PDF's parameters into its numbers, and
these into the words, drawings, links and letters on its pages. What it cannot prove: who made the PDF,
or when; that the sources are right; whatever no reader sees; and, where another type-setter puts the
words in other places, that nothing without words was laid over them. A forger who runs changed sources
makes a PDF that agrees with itself: it is the difference from the sources here that shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from report.crew import Crew
from report.errors import Mistake
from report.glance import shown
from report.moved import READING
from report.pdf.attachments import VERSIONS
from report.progress import Tell, plural
from report.project import Project
from report.verify.carried import Carried, Judged
from report.verify.compare import figures, formulas, layouts, letters, sentences, surroundings
from report.verify.consistent import contradictions
from report.verify.difference import Difference, values
from report.verify.minded import STRUCTURE, minded
from report.verify.order import disorders, misnumbered
from report.verify.origin import Origin, origin
from report.verify.reach import unreached
from report.verify.remake import Finished, read, remade, stored
from report.verify.verdict import Numbers, Verdict
from report.worker import TOLERANCE

FILE: Final = "attachment"
SET: Final = ("layout", STRUCTURE)  # what versions of the type-setter may differ in
OTHER_SOURCES: Final = (
    "The sources here are not those that made it: check those out to tell a changed PDF from them."
)
OVERLAID: Final = "What lies there without words was not compared."
CHANGED: Final = "A PDF that contradicts itself was changed after it was made."


def verify(
    file: Path, project: Project, crew: Callable[[Path], Crew], tell: Tell, *, quick: bool = False
) -> Verdict:
    """Check a PDF against itself and against what the project makes or, `quick`, what it has made.

    `crew` gives who runs the experiments, for a folder to keep caches in. Nothing of the project is
    touched. Raises Mistake for what is no report.
    """
    theirs = read(file)
    source = origin(theirs.carried, project)
    found = list(dict.fromkeys(disagreements(theirs)))
    verdict = Verdict([shown(file), *source.lines(theirs.paper)], found, quick)
    if found:
        verdict.notes.append(CHANGED)
    try:
        if quick:
            _compare_with_stored(verdict, theirs, project, source)
        else:
            ours = remade(theirs, project, crew, tell)
            verdict.numbers = numbers(theirs.carried.results, ours.carried.results)
            _compare(verdict, theirs, ours, source)
    except Mistake as mistake:
        verdict.unmet.append(f"the sources here do not make it again: {mistake}")
    if verdict.differs and source.other_sources:
        verdict.notes.append(OTHER_SOURCES)
    return verdict


def disagreements(theirs: Finished) -> Iterator[Difference]:
    """Name all in which a PDF does not go with itself, nor with what any report is like."""
    yield from misnumbered(theirs.sight.pages)  # first, since it explains much of the rest
    yield from contradictions(theirs.carried, theirs.sight)
    yield from disorders(theirs.carried, theirs.sight)
    yield from unreached(theirs.sight)


def _compare_with_stored(
    verdict: Verdict, theirs: Finished, project: Project, source: Origin
) -> None:
    """Compare with what lies here, as far as it does."""
    here = stored(theirs, project, source)
    verdict.unmet += here.lacking
    if here.results:
        gone = set(project.stems) - here.results.keys()
        carried = {stem: each for stem, each in theirs.carried.results.items() if stem not in gone}
        verdict.numbers = numbers(carried, here.results)
    if here.finished:
        _compare(verdict, theirs, here.finished, source)


def _compare(verdict: Verdict, theirs: Finished, ours: Finished, source: Origin) -> None:
    """Compare bytes, and where they differ what a reader sees."""
    verdict.same_bytes = theirs.data == ours.data
    found = [] if verdict.same_bytes else list(differences(theirs, ours, source.renamed))
    laid = [each for each in found if each.kind in SET]
    if laid and not source.same_libraries:
        found = [each for each in found if each.kind not in SET]
        pages = plural(len({each.page for each in laid}), "page")
        verdict.notes.append(f"Other versions of libraries lay {pages} out otherwise. {OVERLAID}")
    known = {each.what.partition(" ")[0] for each in verdict.contradictions if each.kind == FILE}
    verdict.report = [
        each for each in found if each.kind != FILE or each.what.partition(" ")[0] not in known
    ]
    if theirs.carried.told != ours.carried.told and not verdict.differs:
        told = values("", asdict(theirs.carried.told), asdict(ours.carried.told), 0.0)
        verdict.report += [Difference("record", f"{READING}: {each}") for each in told]


def numbers(theirs: dict[str, Any], ours: dict[str, Any]) -> Numbers:
    """Compare two sets of results by value."""
    stems = sorted(theirs.keys() | ours)
    far, near = (
        {stem: moved for stem in stems if (moved := list(_values(stem, theirs, ours, tolerance)))}
        for tolerance in (TOLERANCE, 0.0)
    )
    return Numbers(stems, far, {stem: moved for stem, moved in near.items() if stem not in far})


def _values(
    stem: str, theirs: dict[str, Any], ours: dict[str, Any], tolerance: float
) -> Iterator[str]:
    if stem not in theirs:
        yield f"{stem}: the PDF carries no numbers of it"
    elif stem not in ours:
        yield f"{stem}: there is no such experiment here"
    else:
        yield from values(stem, theirs[stem], ours[stem], tolerance)


def differences(
    theirs: Finished, ours: Finished, renamed: Mapping[str, str]
) -> Iterator[Difference]:
    """Name all that readers see otherwise; of a page's layout only what nothing else explains."""
    told = theirs.carried.told, ours.carried.told
    seen, here = theirs.sight, ours.sight
    found = [
        *_attachments(theirs.carried, ours.carried),
        *claims(theirs.carried.told.claims, ours.carried.told.claims),
        *sentences(seen, here, renamed),
        *letters(seen.blocks, here.blocks),
        *figures(seen.drawings, here.drawings, told),
        *formulas(seen.drawings, here.drawings),
        *surroundings(seen, here),
        *minded(seen.things, here.things),
    ]
    if not any(each.kind == "sentence" for each in found):  # as it is read aloud, if it reads alike
        found += minded(seen.things, here.things, STRUCTURE)
    yield from found
    named = {(each.kind, each.page) for each in found}
    named |= {("layout", each.page) for each in found if each.page}
    for each in layouts(seen, here):
        if (each.kind, each.page) not in named:
            yield each


def _attachments(theirs: Carried, ours: Carried) -> Iterator[Difference]:
    for name in sorted(theirs.files.keys() ^ ours.files.keys()):
        what = "was added" if name in theirs.files else "was removed"
        yield Difference(FILE, f"{name} {what}")
    for moved in values("article", asdict(theirs.made.article), asdict(ours.made.article), 0.0):
        yield Difference("record", f"{VERSIONS}: {moved}")


def claims(theirs: Mapping[str, Judged], ours: Mapping[str, Judged]) -> Iterator[Difference]:
    """Name the claims that are judged otherwise; of those judged alike, what else is told of them."""
    for path in sorted(theirs.keys() | ours.keys()):
        one, other = theirs.get(path), ours.get(path)
        if one and other and one.holds == other.holds:
            told = values(path, asdict(one), asdict(other), 0.0)
            yield from (Difference("claim", each) for each in told)
        else:
            yield Difference("claim", f"{path} {_judged(one)} in the PDF, {_judged(other)} here")


def _judged(claim: Judged | None) -> str:
    if claim is None:
        return "is not made"
    return f"{'holds' if claim.holds else 'does not hold'} ({claim.evidence})"
