"""Reads a finished PDF, and makes the same from the sources here, or finds what they made."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pikepdf

from report.build import build, shelf_for
from report.crew import Crew
from report.errors import Mistake
from report.glance import shown
from report.pdf.attachments import effective
from report.pdf.paper import SIZES, Paper, points
from report.progress import Tell
from report.project import BUILD_SECTION, Project, Settings, check_values, read_settings
from report.record import FIGURES, Place
from report.shelf import Shelf
from report.stages import Request
from report.verify.carried import RECORDS, Carried, carried_by
from report.verify.difference import values
from report.verify.origin import Origin
from report.verify.sight import Sight, see

THEN: Final = "name a PDF that `report build` made"
HEAD: Final = 1024  # bytes within which a PDF says that it is one
UNREADABLE: Final = (
    *(pikepdf.PdfError, pikepdf.PasswordError, ArithmeticError, AttributeError, LookupError),
    *(RecursionError, TypeError, ValueError),
)


@dataclass(frozen=True)
class Finished:
    """A finished PDF, read."""

    data: bytes
    carried: Carried
    sight: Sight

    @property
    def paper(self) -> Paper:
        """The size of its pages: the nearest of those there are."""
        left, _, right, _ = self.sight.pages[0].box
        return min(SIZES, key=lambda size: abs(points(size)[0] - (right - left)))


def read(file: Path) -> Finished:
    """Read a PDF; raise Mistake for what is none, or none of this generator's."""
    data = whole(file, THEN)
    try:
        with pikepdf.open(io.BytesIO(data)) as pdf:
            carried = carried_by(pdf)
            if carried.files.keys() & set(RECORDS) and pdf.pages:
                return Finished(data, carried, see(pdf))
    except UNREADABLE as error:  # whatever is wrong inside a file that anyone may have made
        raise Mistake(unreadable(file, error), file=shown(file), then=THEN) from None
    what = f"is no report of this generator: it carries none of {', '.join(RECORDS)}"
    raise Mistake(what, file=shown(file), then=THEN)


def whole(file: Path, then: str) -> bytes:
    """Read a file; raise Mistake for what cannot be read, or is none: the end of a device never comes."""
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise Mistake("cannot be read: it is no file", file=shown(file), then=then)
        return file.read_bytes()
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise Mistake(what, file=shown(file), then=then) from None


def unreadable(file: Path, error: Exception) -> str:
    """Say why a file cannot be read, in a reader's words: those of libraries are about themselves."""
    with suppress(OSError), file.open("rb") as start:
        if b"%PDF-" not in start.read(HEAD):
            return "this is no PDF"
    if isinstance(error, pikepdf.PasswordError):
        return "it cannot be read without a password"
    if isinstance(error, pikepdf.PdfError):
        return "this PDF is damaged, so that it cannot be read"
    return "it cannot be read as a PDF of this generator: something within it is damaged"


def remade(
    theirs: Finished, project: Project, crew: Callable[[Path], Crew], tell: Tell
) -> Finished:
    """Run every experiment with the PDF's parameters, and make the PDF, in a place of its own."""
    settings = settings_of(theirs.carried, project)
    with tempfile.TemporaryDirectory(prefix="report-verify-") as folder:
        out = Path(folder)
        place = Place(out / "figures", out)
        since, paper = theirs.carried.since, theirs.paper
        request = Request(project, settings, paper=paper, fresh=True, place=place, since=since)
        made = build(request, crew(out / "cache"), tell)
        return read(next(path for path, pages in made.outputs if pages))


def settings_of(carried: Carried, project: Project) -> Settings:
    """Take seed and parameters from a PDF, or from here where it has none that can be read."""
    here = read_settings(project)
    if carried.parameters is None:
        return read_settings(project, carried.made.overrides)
    sections = {name: each for name, each in carried.parameters.items() if isinstance(each, dict)}
    own = {name: here.sections[name] for name in (BUILD_SECTION,) if name in here.sections}
    settings = Settings(carried.parameters["seed"], sections | own, carried.made.overrides)
    check_values(settings)
    return settings


@dataclass(frozen=True)
class Stored:
    """What lies here for the parameters of a PDF, and in words what does not."""

    results: dict[str, Any]
    finished: Finished | None
    lacking: list[str]


def stored(theirs: Finished, project: Project, source: Origin) -> Stored:
    """Find the results and the PDF that were made here before; raise Mistake for damaged ones."""
    settings = read_settings(project, theirs.carried.made.overrides)
    if moved := list(values("", theirs.carried.parameters, json.loads(effective(settings)), 0.0)):
        return Stored({}, None, [f"nothing here was made with its parameters ({'; '.join(moved)})"])
    shelf = shelf_for(Request(project, settings))
    results = {stem: _result(shelf, stem) for stem in project.stems}
    lacking = [f"no result lies here for {stem}" for stem in results if results[stem] is None]
    entry = shelf.entry(f"paper {theirs.paper}")
    file = next((shelf.place.path(name) for name in entry["made"]), None) if entry else None
    finished = read(file) if file and file.is_file() else None
    if finished is None:
        lacking.append("no PDF with its parameters lies here, so no page was compared")
    elif not _is_made_by(finished.carried, source):
        lacking.append("the PDF that lies here was made by other sources; run `report build`")
    return Stored({s: each for s, each in results.items() if each is not None}, finished, lacking)


def _is_made_by(carried: Carried, source: Origin) -> bool:
    made = carried.made
    return (made.sources, made.versions) == (source.sources[1], source.versions[1])


def _result(shelf: Shelf, stem: str) -> Any:
    try:
        return json.loads(shelf.text(f"{FIGURES}{stem}.json") or "")
    except ValueError:
        return None
