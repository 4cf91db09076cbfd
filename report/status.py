"""Says what the next build would make again and why, without making anything."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import Final

from report import worker
from report.build import shelf_for
from report.freshness import Depends
from report.project import Project, Settings
from report.record import FIGURES
from report.shelf import Shelf
from report.stages import Request, known_reads, output_parts

NAMES: Final = {
    "page": "page",
    "paper": "PDF ({})",
    "beside": "cards ({}), to write with `make cards`",
}


def experiments(project: Project, settings: Settings) -> Iterator[str]:
    """One line for each experiment: its stem, its state, and its question."""
    width = max(map(len, project.stems), default=0)
    stale = stale_targets(Request(project, settings, article=False))
    for stem in project.stems:
        measured, drawn = (not stale.get(f"{verb} {stem}") for verb in ("measure", "draw"))
        state = "up to date" if measured and drawn else "to draw" if measured else "to measure"
        yield f"{stem:<{width}}  {state:<10}  {question(project, stem)}"


def reasons(project: Project, settings: Settings) -> Iterator[str]:
    """One line for each thing that is stale, or one that says that nothing is."""
    found = stale_targets(Request(project, settings))
    for target, why in found.items():
        verb, _, what = target.partition(" ")
        name = NAMES.get(verb, "{}, to " + verb).format(what)
        yield f"{name}: {'; '.join(why)}"
    if not found:
        yield "Everything is up to date."


def stale_targets(request: Request) -> dict[str, list[str]]:
    """Give what is stale, each with the reasons."""
    project, settings = request.project, request.settings
    shelf, depends = shelf_for(request), Depends(project, settings)
    known, _ = known_reads(shelf, depends)
    reads = worker.examine(project, settings, project.stems) if known is None else known
    found: dict[str, list[str]] = {}
    for stem in project.stems:
        if why := shelf.why(f"measure {stem}", stem, depends.measure(stem, reads[stem])):
            found[f"measure {stem}"] = why
            continue
        result = shelf.hash(f"measure {stem}", f"{FIGURES}{stem}.json")
        if why := shelf.why(f"draw {stem}", stem, depends.draw(stem, result)):
            found[f"draw {stem}"] = why
    if not request.article:
        return found
    stems = list(dict.fromkeys(target.partition(" ")[2] for target in found))
    shows = [f"it shows {', '.join(stems)}"] if stems else []
    sizes = [t.partition(" ")[2] for t in shelf.record["entries"] if t.startswith("paper ")]
    for size in sizes or ["a4"]:
        for target, parts in output_parts(shelf, depends, reads, size).items():
            why = shelf.why(target, target, parts)
            if why := [*shows, *why] if shelf.entry(target) else why:
                found[target] = why
        if why := _beside(shelf, depends, size, found):
            found[f"beside {size}"] = [*shows, *why]
    return found


def _beside(shelf: Shelf, depends: Depends, size: str, stale: Container[str]) -> list[str]:
    """Say why what stands beside a PDF is stale, where it was made before."""
    target, paper = f"beside {size}", shelf.entry(f"paper {size}")
    if shelf.entry(target) is None or paper is None:
        return []
    [(pdf, seen)] = paper["made"].items()
    to_be_set = [f"{pdf} is to be set again"] if f"paper {size}" in stale else []
    return to_be_set + shelf.why(target, "cards", depends.companions(pdf, seen))


def question(project: Project, stem: str) -> str:
    """Read the first line of an experiment's docstring."""
    try:
        tree = ast.parse((project.figures / f"{stem}.py").read_bytes())
    except (SyntaxError, ValueError):
        return "(cannot be read)"
    return (ast.get_docstring(tree) or "(asks nothing)").split("\n")[0]
