"""The two stages of a build: results with their pictures, then page and PDF bound to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from report import worker
from report.claims import Claim, Ledger
from report.crew import Crew, first, outcome
from report.errors import Mistake
from report.freshness import Depends, Parts, said
from report.glance import SWEPT, digest, file_digest, shown
from report.moved import READING, compare, read
from report.overrides import command
from report.progress import Tell
from report.project import Project, Settings
from report.record import FIGURES, Entry, Place, Reads
from report.results import loads, same_numbers
from report.shelf import Shelf
from report.summary import Summary, called
from report.sweep import tallies
from report.versions import setters
from report.worker import TOLERANCE, Drawn, Measured, Output, Text

if TYPE_CHECKING:
    from report.pdf.document import Paper

PAPERS = {"a4": "", "letter": "-letter"}  # paper -> what its file's name says of it
OUTPUT_LIMITS = 5  # limits of an experiment that an output may take: its text can loop too
DOING = {"measure": "measuring", "draw": "drawing"}


@dataclass(frozen=True)
class Request:
    """What is asked for."""

    project: Project
    settings: Settings
    article: bool = True  # page and PDF too, or results and pictures only
    stems: tuple[str, ...] = ()  # some experiments; none named means all
    paper: Paper | None = "a4"  # None leaves the PDF out
    out: Path | None = None
    fresh: bool = False
    explain: bool = False
    words: str = ""  # how it was typed, to be known again at a glance
    place: Place | None = None  # where all of it goes, if not where the settings say
    beside: bool = False  # what stands beside page and PDF too: deck, note, citations
    since: str = ""  # what is kept of an earlier copy that the PDF is told against


@dataclass(frozen=True)
class Stage:
    """What both stages work with."""

    request: Request
    shelf: Shelf
    depends: Depends
    crew: Crew
    tell: Tell
    summary: Summary

    @property
    def limit(self) -> float:
        """Seconds an experiment may measure, or draw."""
        return self.request.settings.limit

    @property
    def patience(self) -> float:
        """Seconds that setting the page, or the PDF, may take."""
        return OUTPUT_LIMITS * self.limit

    def text(self, stems: list[str]) -> Text:
        """Gather what the article is bound to."""
        project, settings = self.request.project, self.request.settings
        return Text(
            project,
            settings,
            {stem: self.shelf.text(f"{FIGURES}{stem}.json") or "" for stem in stems},
            {stem: self.shelf.text(words_name(stem)) or "" for stem in stems},
            {stem: self.shelf.text(claims_name(stem)) or "[]" for stem in stems},
            tallies(self.depends, self.shelf.record["reads"], ledger(self.shelf, stems)),
            self.depends.versions(),
            command(settings.overrides),
            setters(),
            sources(self.depends),
            self.shelf.place.out / "drawings",
        )

    def is_stale(self, target: str, name: str, parts: Parts) -> bool:
        """Tell whether a thing must be made, and say why to those who asked."""
        why = self.shelf.why(target, name, parts)
        if not why:
            self.summary.reused += 1
        elif self.request.explain:
            verb = target.partition(" ")[0]
            what = f"{DOING[verb]} again, as " if verb in DOING else "set again, as "
            self.tell.note(f"{name:<20} {what}{'; '.join(why)}")
        return bool(why)


def drawing_name(stem: str, layout: str) -> str:
    """Name the neutral drawing of a figure in one layout."""
    return f"drawings/{stem}-{layout}.svg"


def words_name(stem: str) -> str:
    """Name the figure in words."""
    return f"drawings/{stem}.json"


def claims_name(stem: str) -> str:
    """Name what an experiment claims, judged."""
    return f"drawings/{stem}.claims.json"


def ledger(shelf: Shelf, stems: list[str]) -> Ledger:
    """Join what experiments claim, as it was judged when they were drawn."""
    stated = (json.loads(shelf.text(claims_name(stem)) or "[]") for stem in stems)
    return Ledger(tuple(Claim(**each) for claims in stated for each in claims))


def known_reads(shelf: Shelf, depends: Depends) -> tuple[Reads | None, str]:
    """What every experiment reads of `seeds.toml`, if it was looked at; and the hash of the look."""
    settings, stems = depends.settings, depends.project.stems
    code = [depends.measuring(stem).parts for stem in stems]
    checked = digest(said([settings.sections, settings.seed, stems, code]).encode())
    return shelf.record["reads"] if shelf.record["checked"] == checked else None, checked


@dataclass(frozen=True)
class Results(Stage):
    """Measures and draws what is stale, side by side."""

    running: dict[Future[Any], tuple[str, str, Parts]] = field(default_factory=dict)

    def make(self, stems: list[str]) -> None:
        """Bring the results and pictures of some experiments up to date.

        What goes wrong in one does not keep the others from being stored; then it is raised.
        """
        project, settings = self.request.project, self.request.settings
        reads = self._reads()
        stale: list[tuple[str, Parts]] = []
        for stem in stems:
            parts = self.depends.measure(stem, reads[stem])
            if self.is_stale(f"measure {stem}", stem, parts):
                stale.append((stem, parts))
            else:
                self._plan_drawing(stem)
        for stem, parts in sorted(stale, key=lambda each: self._cost(*each), reverse=True):
            self._start("measure", stem, parts, worker.measure, project, stem, settings)
        if stale and self.request.article:  # while the results are waited for
            self.crew.start(self.patience, worker.ready, bool(self.request.paper))
            self.depends.follow()
        self._collect()

    def _reads(self) -> Reads:
        """What every experiment reads of `seeds.toml`, checked; remembered while nothing moved."""
        known, checked = known_reads(self.shelf, self.depends)
        if known is None:
            known = self._examined()
            self.shelf.record["reads"], self.shelf.record["checked"] = known, checked
        return known

    def _examined(self) -> Reads:
        project, settings, limit = self.request.project, self.request.settings, self.limit
        task = self.crew.start(limit, worker.examine, project, settings, project.stems)
        try:
            found: dict[str, dict[str, list[str]]] = outcome(task, "", "loading", limit)
        except Mistake as mistake:
            if mistake.file is None:  # the process was stopped or died: in which of them?
                for stem in project.stems:
                    outcome(
                        self.crew.start(limit, worker.load, project, stem), stem, "loading", limit
                    )
            raise
        return found

    def _cost(self, stem: str, parts: Parts) -> tuple[bool, float]:
        """Guess how long an experiment runs: unknown ones first, those with large numbers ahead."""
        if entry := self.shelf.entry(f"measure {stem}"):
            return False, entry["seconds"]
        values = [json.loads(v) for name, v in parts.items() if name.startswith("parameter ")]
        return True, _magnitude(values)

    def _start(self, verb: str, stem: str, parts: Parts, *task: Any) -> None:
        self.running[self.crew.start(self.limit, *task)] = verb, stem, parts
        self.tell.begins(stem, DOING[verb])

    def _collect(self) -> None:
        """Take what comes back until nothing runs; what one end makes possible starts here."""
        faults: dict[str, Mistake] = {}
        while self.running:
            for future in first(self.running):
                verb, stem, parts = self.running.pop(future)
                try:
                    answer = outcome(future, stem, DOING[verb], self.limit)
                    self._store(verb, stem, parts, answer)
                except Mistake as mistake:
                    faults[stem] = mistake
                    self.tell.fails(stem, DOING[verb])
        if faults:
            raise faults[min(faults)]

    def _store(self, verb: str, stem: str, parts: Parts, answer: Measured | Drawn) -> None:
        if isinstance(answer, Measured):
            _check_unmoved(answer.sources, self.depends.measuring(stem).sources)
            self._store_result(stem, parts, answer)
        else:
            _check_unmoved(answer.sources, self.depends.drawing(stem).sources)
            self._store_drawing(stem, parts, answer)
        done = {"measure": "measured", "draw": "drawn"}[verb]
        self.tell.ends(stem, done, answer.seconds)
        self.summary.did(done, stem)
        if verb == "measure":
            self._plan_drawing(stem)

    def _store_result(self, stem: str, parts: Parts, answer: Measured) -> None:
        """Store a result; an equal one stays, within what processors differ by."""
        name, target, text = f"{FIGURES}{stem}.json", f"measure {stem}", answer.text
        if (old := self.shelf.text(name)) is not None:
            way = "same" if old == text else "close" if _close(stem, old, text) else "moved"
            new_here = self.shelf.entry(target) is None or self.request.fresh
            if new_here and self.shelf.place.figures == self.request.project.figures:
                self.summary.compared[stem] = way
            if way == "close" and self.shelf.only_versions_moved(target, parts):
                text = old
        self.shelf.put(target, parts, {name: text.encode()}, answer.seconds)

    def _plan_drawing(self, stem: str) -> None:
        name, target = f"{FIGURES}{stem}.json", f"draw {stem}"
        parts = self.depends.draw(stem, self.shelf.hash(f"measure {stem}", name))
        if not self.is_stale(target, stem, parts):
            return
        old = None
        if self.shelf.only_versions_moved(target, parts):
            old = self.shelf.text(f"{FIGURES}{stem}.svg")
        text = self.shelf.text(name)
        self._start("draw", stem, parts, worker.draw, self.request.project, stem, text, old)

    def _store_drawing(self, stem: str, parts: Parts, answer: Drawn) -> None:
        picture = f"{FIGURES}{stem}.svg"
        old = self.shelf.text(picture) if answer.as_before else None
        files = {drawing_name(stem, layout): svg for layout, svg in answer.drawings.items()}
        files |= {words_name(stem): answer.description, claims_name(stem): answer.claims}
        if answer.drawings:
            files[picture] = old or answer.picture
        encoded = {name: text.encode() for name, text in files.items()}
        self.shelf.put(f"draw {stem}", parts, encoded, answer.seconds)


def _magnitude(value: Any) -> float:
    if isinstance(value, int | float):
        return abs(float(value))
    return sum(map(_magnitude, value)) if isinstance(value, list) else 0.0


def _close(stem: str, old: str, new: str) -> bool:
    try:
        return same_numbers(loads(stem, old), loads(stem, new), TOLERANCE)
    except ValueError:  # what is stored is no result
        return False


def _check_unmoved(ran: Mapping[str, str], planned: Mapping[str, str]) -> None:
    """Refuse an answer of other code than the plan had read: it was edited in between."""
    for file, seen in planned.items():
        if ran.get(file, seen) != seen:
            what = "this file was edited while it ran"
            raise Mistake(what, file=file, then="run the command again")


def output_parts(
    shelf: Shelf, depends: Depends, reads: Reads, size: str | None, since: str = ""
) -> dict[str, Parts]:
    """Parts of the page, and of the PDF if one is asked for, by the results and drawings that are there."""
    made = Parts()
    for stem in depends.project.stems:
        if entry := shelf.entry(f"measure {stem}"):
            made[f"result {stem}"] = entry["made"][f"{FIGURES}{stem}.json"]
        drawn = shelf.entry(f"draw {stem}")
        for name, found in drawn["made"].items() if drawn else ():
            if name.startswith(FIGURES):
                continue  # the picture that is committed stands in neither
            kind = "words" if name.endswith(".json") else "drawing"
            made[f"{kind} {Path(name).stem}"] = found
    counted = tallies(depends, reads, ledger(shelf, depends.project.stems))
    told = {
        "command": command(depends.settings.overrides),
        "libraries": said(depends.versions()),
        "sweep": digest(said(counted).encode()),
    }
    parts = {"page": depends.page(made, told)}
    if size:
        origin = told | {"sources": digest(said(sources(depends)).encode())}
        parts[f"paper {size}"] = depends.paper(made, origin, size)
        if since:
            parts[f"paper {size}"]["copy since"] = digest(since.encode())
    return parts


def page_of(entry: Entry) -> str:
    """Name the file of the page, or of the PDF, among those that were made with it."""
    return next(name for name in entry["made"] if name != READING)


def sources(depends: Depends) -> dict[str, str]:
    """Hash every file that a PDF comes from, the count of seeds among them."""
    swept = depends.project.figures / SWEPT
    counted = {depends.project.shown(swept): file_digest(swept)} if swept.is_file() else {}
    return depends.sources() | counted


@dataclass(frozen=True)
class Outputs(Stage):
    """Sets the page and the PDF, side by side; none is stored unless both are right."""

    def make(self, stems: list[str]) -> None:
        """Bring both up to date, or the page alone."""
        text, size = self.text(stems), self.request.paper
        parts = output_parts(
            self.shelf, self.depends, self.shelf.record["reads"], size, self.request.since
        )
        tasks: dict[str, tuple[Any, ...]] = {"page": (worker.page, text)}
        if size:
            tasks[f"paper {size}"] = worker.paper, text, size, self.request.since
        running: dict[str, Future[Any]] = {}
        for target in reversed(tasks):  # the PDF takes longer
            if self.is_stale(target, _spoken(target), parts[target]):
                running[target] = self.crew.start(self.patience, *tasks[target])
                self.tell.begins(_spoken(target), "setting")
        telling = self.crew.start(self.patience, worker.told, text) if "page" in running else None
        done = self._wait(running)
        told = outcome(telling, "", "setting the page", self.patience) if telling else ""
        for target in tasks:
            if target in done:
                self._store(target, parts[target], done[target], told)
            entry = self.shelf.record["entries"][target]
            self.summary.outputs.append((self.shelf.place.path(page_of(entry)), entry["pages"]))

    def _wait(self, running: dict[str, Future[Any]]) -> dict[str, Output]:
        done: dict[str, Output] = {}
        faults: dict[str, Mistake] = {}
        targets = {future: target for target, future in running.items()}
        while targets:
            for future in first(targets):
                target = targets.pop(future)
                name = _spoken(target)
                try:
                    done[target] = outcome(future, "", f"setting the {name}", self.patience)
                    self.tell.ends(name, "set", done[target].seconds)
                    self.tell.shows(self._name(done[target]), done[target].data)
                except Mistake as mistake:
                    faults[target] = mistake
                    self.tell.fails(name, "setting")
        if faults:
            raise faults[min(faults)]
        return done

    def _store(self, target: str, parts: Parts, output: Output, told: str) -> None:
        paper = target.partition(" ")[2]
        ending = f"{PAPERS[paper]}.pdf" if paper else ".html"
        name = f"{self._name(output)}{ending}"
        files = {name: output.data}
        if not paper:
            self._compare(told)
            files[READING] = told.encode()
        self.shelf.put(target, parts, files, output.seconds, output.pages)
        self.summary.did("set", _spoken(target))
        self.summary.notes += [f"{name}: {remark}." for remark in output.remarks]

    def _name(self, output: Output) -> str:
        return f"{output.slug}{self.shelf.place.suffix}"

    def _compare(self, told: str) -> None:
        """Say what the new page tells otherwise than the last one here, or else the usual one."""
        here = self.shelf.text(READING)
        old = here or self.shelf.lent(READING)
        with suppress(ValueError):  # a damaged one, or an older one, is no one to compare with
            if old:
                self.summary.moved = compare(read(old), read(told))
        usual, this = shown(self.shelf.lender.out), shown(self.shelf.place.out)
        self.summary.against = "the last report here" if here else f"the usual report in {usual}/"
        self.summary.told_by = "" if here else f"{called()} diff {usual} {this}"


def _spoken(target: str) -> str:
    return "page" if target == "page" else "PDF"
