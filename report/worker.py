"""What a worker process does: look at experiments, measure, draw, and set the article.

Workers only compute and give back text and bytes; the process that started them writes the files.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import logging
import os
import platform
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from report import experiment, parameters
from report.claims import Claim, Ledger, judge
from report.glance import files_digest
from report.opened import only_inputs
from report.project import Project, Settings
from report.results import Record, loads

if TYPE_CHECKING:
    from report.article import Article
    from report.contracts import Description
    from report.pdf.document import Paper
    from report.style import Layout

LAYOUTS: tuple[Layout, ...] = ("wide", "compact", "narrow")
TOLERANCE = 1e-6  # relative; numbers and coordinates closer than this are the same on two machines

# Kernels that every x86-64 processor of the last ten years has, and one thread: then the last digit
# of a sum does not depend on the processor. Libraries read these when they are first imported.
PINS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}


def environment(cache: Path) -> dict[str, str]:
    """Environment variables a worker must be born with."""
    pins = PINS if platform.machine() in ("x86_64", "AMD64") else {"OPENBLAS_NUM_THREADS": "1"}
    # Python's own helper process would complain of what a build that was killed left in memory.
    quiet = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker"]))
    return {
        **pins,
        "LC_ALL": "C",  # where the user's language has letters of its own, fonts would choose them
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONWARNINGS": quiet,
        "MPLCONFIGDIR": str(cache),
        "MPL_IGNORE_SYSTEM_FONTS": "1",
    }


DECK, NOTE = ".apkg", ".md"  # how the names of files beside the PDF end

LEFT = 120  # the status of a worker that was left with 0, which the pool takes for a proper end
_exit = os._exit


SELDOM = 50_000  # objects made before cycles among them are looked for; Python's own is 700


def begin() -> None:
    """Start a worker: it must not outlive the build, and its death must not go unseen."""
    os._exit = _leave  # an experiment may call it
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it frets where it can keep no cache
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # ends even what never comes back to Python
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    gc.set_threshold(SELDOM)  # the PDF engine makes millions, nearly all of them to keep
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _leave(status: int) -> NoReturn:
    _exit(status or LEFT)


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    _exit(1)


@dataclass(frozen=True)
class Measured:
    """A result as canonical JSON, the seconds it took, and the sources that were run."""

    text: str
    seconds: float
    sources: dict[str, str]


@dataclass(frozen=True)
class Drawn:
    """One neutral drawing for each layout, the picture to commit, and the words for both."""

    drawings: dict[str, str]
    picture: str
    as_before: bool  # the picture shows what the old one shows
    description: str
    claims: str  # whether each holds, with its evidence
    seconds: float
    sources: dict[str, str]


@dataclass(frozen=True)
class Text:
    """What the article is bound to, in a form that travels between processes."""

    project: Project
    settings: Settings
    results: dict[str, str]
    descriptions: dict[str, str]
    claims: dict[str, str]
    tallies: dict[str, str]
    versions: dict[str, str]
    command: str
    engines: dict[str, str]
    sources: dict[str, str]
    drawings: Path


@dataclass(frozen=True)
class Output:
    """One finished output: the article's short name for files, its bytes, and its pages if any."""

    slug: str
    data: bytes
    pages: int
    seconds: float
    remarks: tuple[str, ...] = ()  # what could not be had, each in a sentence without its stop


@dataclass(frozen=True)
class Companions:
    """The files that stand beside a PDF, by how their names end."""

    files: dict[str, bytes]
    seconds: float


def examine(
    project: Project, settings: Settings, stems: list[str]
) -> dict[str, dict[str, list[str]]]:
    """Load every experiment and hold `seeds.toml` against all; tell what each reads of it.

    The answer maps a stem to sections and their keys; '' is the experiment's own section.
    """
    from report import reserved  # noqa: PLC0415 - loads the template engine

    with only_inputs(project):
        found = [experiment.load(project, stem) for stem in stems]
        reserved.check(project, settings)
        parameters.check_sections(settings, found)
        for each in found:
            parameters.check_parameters(each, settings)
            for name in each.needed:
                each.function(name)
    return {each.stem: parameters.reads(each) for each in found}


def load(project: Project, stem: str) -> None:
    """Load one experiment, to see whether it can be."""
    with only_inputs(project):
        experiment.load(project, stem)


def measure(project: Project, stem: str, settings: Settings) -> Measured:
    """Run one experiment."""
    began = time.perf_counter()
    with only_inputs(project):
        loaded = experiment.load(project, stem)
        text = experiment.measure(project, loaded, settings)
    return Measured(text, time.perf_counter() - began, experiment.sources(project))


def draw(project: Project, stem: str, text: str, old_picture: str | None) -> Drawn:
    """Describe a stored result, judge its claims, and draw it in every layout if it has a picture."""
    from report.drawing import svg  # noqa: PLC0415 - loads lxml, which measuring can do without
    from report.style import read_tokens  # noqa: PLC0415 - see above

    began = time.perf_counter()
    tokens, fonts = read_tokens(project.own("tokens.toml")), project.template("fonts")
    with only_inputs(project):
        loaded, result = experiment.load(project, stem), loads(stem, text)
        claims = [dataclasses.asdict(claim) for claim in judge(loaded, result)]
        description = experiment.describe(project, loaded, result)
        drawings: dict[str, str] = {
            layout: experiment.draw(project, loaded, result, layout, tokens, fonts)
            for layout in (() if loaded.is_table else LAYOUTS)
        }
    picture = svg.outlined(drawings["wide"], tokens, fonts, theme="light") if drawings else ""
    return Drawn(
        drawings,
        picture,
        old_picture is not None and _same(old_picture, picture),
        json.dumps(description, ensure_ascii=False, indent=1) + "\n",
        json.dumps(claims, ensure_ascii=False, indent=1) + "\n",
        time.perf_counter() - began,
        experiment.sources(project),
    )


def _same(old: str, new: str) -> bool:
    from report.drawing import svg  # noqa: PLC0415 - see `draw`

    try:
        return svg.same(old, new, TOLERANCE)
    except Exception:  # a damaged old picture is another picture, whatever ails it
        return False


def ready(for_paper: bool) -> None:
    """Load what sets the page, and the PDF, while there is nothing else to do."""
    from report import page  # noqa: F401, PLC0415 - loads the template engine

    if for_paper:
        from report.formula import outlines  # noqa: PLC0415 - loads what draws formulas
        from report.pdf import document, pages, standard  # noqa: F401, PLC0415 - and the PDF engine

        outlines.load()


def page(text: Text) -> Output:
    """Write the article as one HTML file."""
    from report import page  # noqa: PLC0415 - loads the template engine

    began = time.perf_counter()
    article, world = _composed(text)
    html = page.render(article, world, text.drawings)
    return Output(article.meta.slug, html.encode(), 0, time.perf_counter() - began)


def told(text: Text) -> str:
    """Write down what the page tells, for the next build to compare with."""
    from report import moved, reading  # noqa: PLC0415 - loads the template engine

    article, world = _composed(text)
    return moved.written(reading.reading(article, world, text.drawings))


def paper(text: Text, size: Paper, since: str = "") -> Output:
    """Write the article as PDF, told against an earlier copy if something is kept of one."""
    from report.pdf import document as pdf  # noqa: PLC0415 - loads the PDF engine

    began = time.perf_counter()
    article, world = _composed(text)
    made = pdf.make(article, world, text.drawings, size, since)
    seconds = time.perf_counter() - began
    return Output(article.meta.slug, made.data, made.pages, seconds, remarks=tuple(made.remarks))


def companions(text: Text, pdf: Path, before: list[bytes]) -> Companions:
    """Write what stands beside a finished PDF; `before` are the decks made before."""
    from report.companions import citations, deck, note  # noqa: PLC0415 - loads the template engine

    began = time.perf_counter()
    article, world = _composed(text)
    cards = deck.deck(article, world, *before)
    files = {
        **({DECK: cards} if cards else {}),
        NOTE: note.note(article, world, pdf).encode(),
        ".bib": citations.bibtex(article).encode(),
        ".csl.json": citations.csl(article).encode(),
    }
    return Companions(files, time.perf_counter() - began)


def _world(text: Text) -> Any:
    from report.article import Origin, World  # noqa: PLC0415 - loads the template engine

    results: dict[str, Record] = {stem: loads(stem, each) for stem, each in text.results.items()}
    words: dict[str, Description] = {s: json.loads(each) for s, each in text.descriptions.items()}
    claims = (Claim(**each) for stated in text.claims.values() for each in json.loads(stated))
    origin = Origin(text.versions, text.command, text.engines, text.sources)
    return World(
        text.project, text.settings, results, words, origin, Ledger(tuple(claims)), text.tallies
    )


@dataclass(frozen=True)
class _Composed:
    """An article, and what it was composed of: the text it was bound to, and the files beside it."""

    text: Text
    beside: str
    article: Article
    world: Any


_last: list[_Composed] = []  # where one worker sets both outputs, it composes once


def _composed(text: Text) -> tuple[Article, Any]:
    """Compose the article of a world, unless both were the last and nothing beside it was edited since."""
    from report.article import compose  # noqa: PLC0415 - loads the template engine

    def beside() -> str:
        return files_digest(sorted(text.project.article.parent.rglob("*")))

    same = [last for last in _last if last.text == text]
    if not any(last.beside == beside() for last in same):
        world = same[0].world if same else _world(text)
        article = compose(world)
        _last[:] = [_Composed(text, beside(), article, world)]
    return _last[0].article, _last[0].world
