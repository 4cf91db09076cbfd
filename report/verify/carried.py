"""What a finished PDF carries: who made it from what, its parameters, its results, and what it tells."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from operator import itemgetter
from typing import Annotated, Any, Final

import pikepdf
import pydantic
from annotated_types import Ge, Lt

from report.moved import ALT, FORMAT, READING
from report.pdf.attachments import PARAMETERS, VERSIONS
from report.pdf.places import branch
from report.project import SEEDS_END
from report.since import SINCE, written

RECORDS: Final = (VERSIONS, PARAMETERS, READING)  # what every report carries
PAGES: Final = 10**5  # more than there are


@dataclass(frozen=True)
class Edition:
    """Which article it is."""

    title: str = ""
    version: str = ""
    published: str = ""


@dataclass(frozen=True)
class Made:
    """What made the report, as `pdf.attachments` writes it."""

    article: Edition = Edition()
    engines: dict[str, str] = field(default_factory=dict)
    fingerprints: dict[str, str] = field(default_factory=dict)
    overrides: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Passage:
    """A passage of the text: where it stands, what it says, and its numbers: path, printer, print."""

    section: str
    part: str
    text: str
    numbers: list[tuple[str, str, str]]


@dataclass(frozen=True)
class Shown:
    """What a figure draws: a hash of it, and the words of each form it may be drawn in."""

    drawing: str
    words: list[list[str]]


@dataclass(frozen=True)
class Judged:
    """A claim: what it says, whether it holds, on which numbers, and in how many seeds."""

    holds: bool
    sentence: str
    evidence: str
    tally: str


@dataclass(frozen=True)
class Told:
    """What a reader is told, as `reading` writes it down."""

    format: int = FORMAT
    sentences: list[Passage] = field(default_factory=list)
    claims: dict[str, Judged] = field(default_factory=dict)
    figures: dict[str, Shown] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Tell whether this version of the generator keeps the same things."""
        return self.format == FORMAT

    @property
    def alternatives(self) -> dict[str, str]:
        """What is said for each figure, by stem."""
        return {
            stem: " ".join(p.text for p in self.sentences if (p.section, p.part) == (stem, ALT))
            for stem in self.figures
        }


@dataclass(frozen=True)
class Copy:
    """What is kept of an earlier copy: its edition, its pages by anchor, what it told and was set to."""

    seed: Annotated[int, Ge(0), Lt(SEEDS_END)]
    version: str
    published: str
    pages: dict[str, Annotated[int, Ge(1), Lt(PAGES)]]
    reading: Told
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)  # by section


@dataclass(frozen=True)
class _Format:
    """How a reading was written."""

    format: int


@dataclass(frozen=True)
class Carried:
    """The files inside a PDF, and what they say; one that is gone or damaged says nothing."""

    files: dict[str, bytes]
    made: Made = Made()
    told: Told = Told()
    parameters: dict[str, Any] | None = None  # the seed, and parameters by section
    results: dict[str, Any] = field(default_factory=dict)  # by stem
    damaged: tuple[str, ...] = ()
    since: str = ""  # the earlier copy it was told against, as it is attached


def carried_by(pdf: pikepdf.Pdf) -> Carried:
    """Take the attachments out of a PDF."""
    files = {
        name: _content(spec)
        for name, spec in sorted(branch(pdf, "/EmbeddedFiles"), key=itemgetter(0))
        if isinstance(spec, pikepdf.Dictionary) and {"/F", "/UF"} & set(spec.get("/EF", {}).keys())
    }
    kinds = {VERSIONS: Made, READING: Told, PARAMETERS: dict[str, int | dict[str, Any]]}
    kinds[SINCE] = Copy
    files_of_data = [name for name in files if name.endswith(".json")]
    read = {name: _read(files[name], kinds.get(name, dict[str, Any])) for name in files_of_data}
    parameters = read.get(PARAMETERS)
    if parameters and not isinstance(parameters.get("seed"), int):
        read[PARAMETERS] = parameters = None
    if (form := _read(files.get(READING, b""), _Format)) and form.format != FORMAT:
        read[READING] = Told(
            form.format
        )  # of another version of the generator, which kept other things
    copy = read.get(SINCE)
    if copy and not copy.reading.is_current:
        read[SINCE] = copy = None
    own = (*RECORDS, SINCE)
    results = {name.removesuffix(".json"): read[name] for name in files_of_data if name not in own}
    return Carried(
        files,
        read.get(VERSIONS) or Made(),
        read.get(READING) or Told(),
        parameters,
        {stem: result for stem, result in results.items() if result is not None},
        tuple(name for name, found in read.items() if found is None),
        written(asdict(copy)) if copy else "",
    )


def _content(spec: Any) -> bytes:
    """Take out what a file specification (ISO 32000-1, 7.11.4) holds, as a viewer saves it."""
    held = spec.EF
    stream = held.UF if "/UF" in held else held.F
    try:
        return bytes(stream.read_bytes())
    except pikepdf.PdfError:  # it is packed in a way that cannot be undone
        return b""


def _read(data: bytes, kind: Any) -> Any:
    """Read a file as what it should be; None for what is something else."""
    try:
        return pydantic.TypeAdapter(kind).validate_json(data)
    except pydantic.ValidationError:
        return None
