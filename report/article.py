"""The article: its text with every number bound, as HTML that page and print fill in their way."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import date
from functools import cached_property
from html import escape
from typing import Any, NoReturn, Protocol

from report import authored, binding, markdown, marks
from report.claims import Claim, Ledger
from report.contracts import Description
from report.errors import Mistake
from report.formula import Formula
from report.markdown import Heading, Note, Placement, Question
from report.numbers import Quote
from report.project import Project, Settings
from report.results import Record, bind, nearest
from report.sources import Source, Sources

FRONT = "+++"
APPENDICES = {  # what page and print set after the text
    "claims": "What this report claims",
    "numbers": "Numbers and where they come from",
    "colophon": "How this was made",
}
ANSWERS = "answers"  # the anchor under which the PDF gathers them
WORDS_A_MINUTE = (
    230  # silent reading of non-fiction in English: Brysbaert 2019 finds 238; formulas slow it
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True)
class Meta:
    """The front matter: what the outputs are called and what their metadata says."""

    title: str
    short_title: str
    kicker: str
    dek: str
    slug: str
    author: str
    published: str
    version: str
    language: str
    license: str
    license_url: str
    keywords: list[str]
    description: str
    site: str = ""

    @property
    def date(self) -> str:
        """The date of publication as English readers write it, in other languages as it is given."""
        try:
            day = date.fromisoformat(self.published)
        except ValueError:
            return self.published
        month = _MONTHS[day.month - 1]
        if self.language == "en-US":
            return f"{month} {day.day}, {day.year}"
        english = self.language.startswith("en")
        return f"{day.day} {month} {day.year}" if english else self.published


@dataclass(frozen=True)
class Origin:
    """How the numbers were made: versions of what computed and drew, and the command to remake them.

    `engines` set the type of the PDF; `sources` are hashes of the files that all of it comes from.
    """

    versions: dict[str, str]
    command: str
    engines: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class World:
    """Everything an article may be bound to."""

    project: Project
    settings: Settings
    results: dict[str, Record]
    descriptions: dict[str, Description]
    origin: Origin
    ledger: Ledger = field(default_factory=Ledger)
    tallies: Mapping[str, str] = field(default_factory=dict)  # claim -> in how many seeds it held


@dataclass(frozen=True)
class Given:
    """What every text may use beside its results and the shared parameters, by name."""

    parameters: Record  # of the experiments, by stem
    seed: int
    article: Record
    facts: Record
    cite: Callable[..., str]
    sources: Callable[[], str]


class Medium(Protocol):
    """How one output sets the parts in which page and print differ; every method gives HTML."""

    def number(self, quote: Quote) -> str:
        """Set a printed number."""

    def formula(self, formula: Formula) -> str:
        """Set a formula."""

    def figure(self, figure: Placement) -> str:
        """Set the drawing of a figure."""

    def data(self, figure: Placement) -> str:
        """Set what follows a figure's caption: its description and data."""

    def note_call(self, note: Note) -> str:
        """Set the call of a note."""

    def note(self, note: Note) -> str:
        """Set a note beside the block that calls it."""

    def answer(self, question: Question) -> str:
        """Set what follows a question at once."""

    def answers(self, questions: list[Question]) -> str:
        """Set what follows all questions."""

    def sources(self, sources: list[Source]) -> str:
        """Set the list of sources."""


@dataclass(frozen=True)
class Article:
    """A bound article: metadata, HTML with marks, and the parts the marks stand for."""

    meta: Meta
    written: markdown.Written
    bound: binding.Bound
    cited: list[Source]

    @property
    def headings(self) -> list[Heading]:
        """The headings in reading order."""
        return self.written.headings

    @property
    def stems(self) -> list[str]:
        """The figures in reading order."""
        return [figure.stem for figure in self.written.figures]

    @property
    def quotes(self) -> list[Quote]:
        """The numbers printed in the text, in reading order."""
        return [self.bound.quotes[i] for i in marks.found(self.written.body, marks.NUMBER)]

    def uses(self, claim: Claim) -> list[str]:
        """The anchors of the words that lean on a claim, in reading order."""
        return [_use(number) for number, use in enumerate(self.bound.uses, 1) if use.claim == claim]

    @cached_property
    def words(self) -> int:
        """The number of words a reader meets, code and formulas left out."""
        parts = [self.written.body, *(note.text for note in self.written.notes)]
        parts += [question.answer for question in self.written.questions]
        text = re.sub(r"<pre.*?</pre>|<[^>]+>", " ", " ".join(parts), flags=re.DOTALL)
        return len(re.findall(r"\w[\w'’.,-]*", marks.replace(text, self._word)))

    def _word(self, kind: str, index: int) -> str:
        return self.bound.quotes[index].printed if kind == marks.NUMBER else " "

    @property
    def minutes(self) -> int:
        """The reading time in minutes."""
        return max(1, math.ceil(self.words / WORDS_A_MINUTE))

    def body(self, medium: Medium) -> str:
        """Write the whole text for one output."""
        return self.fill(self.written.body, medium)

    def fill(self, html: str, medium: Medium) -> str:
        """Put the output's own setting in the place of every mark."""
        written, bound = self.written, self.bound
        setters: dict[str, tuple[Callable[[Any], str], Sequence[Any]]] = {
            marks.NUMBER: (medium.number, bound.quotes),
            marks.TEXT: (escape, bound.texts),
            marks.FORMULA: (medium.formula, bound.formulas),
            marks.CLAIM: (_claim_opening, list(enumerate(bound.uses, 1))),
            marks.CLAIM_END: (str, ["</span>"]),
            marks.NOTE_CALL: (medium.note_call, written.notes),
            marks.NOTE: (medium.note, written.notes),
            marks.FIGURE: (medium.figure, written.figures),
            marks.DATA: (medium.data, written.figures),
            marks.ANSWER: (medium.answer, written.questions),
            marks.ANSWERS: (medium.answers, [written.questions]),
            marks.SOURCES: (medium.sources, [self.cited]),
        }

        def put(kind: str, index: int) -> str:
            setter, parts = setters[kind]
            return setter(parts[index])

        return marks.replace(html, put)

    def plain(self, html: str) -> str:
        """Write HTML as plain text, for titles and attributes; formulas are spoken."""

        def put(kind: str, index: int) -> str:
            if kind == marks.FORMULA:
                return self.bound.formulas[index].spoken
            if kind == marks.NUMBER:
                return self.bound.quotes[index].printed
            return self.bound.texts[index] if kind == marks.TEXT else ""

        return marks.replace(re.sub(r"<[^>]+>", "", html), put)


def _is_table(words: Description) -> bool:
    """Tell whether an experiment answers with a table: then the table is all the words there are."""
    return not words["alt"] and not words["description"]


def _use(number: int) -> str:
    return f"claim-use-{number}"


def _claim_opening(numbered: tuple[int, binding.Use]) -> str:
    """Open the words that lean on a claim; words that the run does not bear say so before they are read."""
    number, use = numbered
    opening = f'<span class="claim {use.shown}" id="{_use(number)}" data-claim="{use.claim.path}">'
    flag = (
        '<strong class="flag">Not borne out by this run:</strong> '
        if use.shown == "unborne"
        else ""
    )
    return opening + flag


def compose(world: World) -> Article:
    """Bind the text to this run's results; raise Mistake with file and line for a fault in the text."""
    path = world.project.article
    file = world.project.shown(path)
    source = authored.text(path, file)
    front, body, first_line = _split(source, file)
    meta = _meta(front, file)
    sources = Sources.read(world.project)
    bound = binding.Bound(world.ledger, sorted(world.results))
    template = binding.Template(path.parent, path.name, body, first_line, world.project.shown)
    text = binding.render(template, bound, _names(world, meta, sources))

    def fail(what: str, near: str, about: int) -> NoReturn:
        line = _line_with(near, body.splitlines(), about)
        line = line + first_line - 1 if line else None
        raise Mistake("".join(marks.split(what)), file=file, line=line)

    anchors = {record.anchor: record.label for record in sources.records.values()}
    tables = {stem: each["table"] for stem, each in world.descriptions.items() if _is_table(each)}
    drawn = sorted(world.results.keys() - tables.keys())
    written = markdown.write(text, _credit(meta), anchors | APPENDICES, fail, tables, drawn)
    article = Article(meta, written, bound, sources.cited())
    _check_placed(world, article)
    if article.cited and not marks.found(written.body, marks.SOURCES):
        then = "write `{{ sources() }}` in a paragraph of its own"
        raise Mistake("works are cited and nowhere listed", file=file, then=then)
    return article


def meta_of(project: Project) -> Meta:
    """Read the front matter alone; raise Mistake as `compose` does where it is not right."""
    file = project.shown(project.article)
    front, _, _ = _split(authored.text(project.article, file), file)
    return _meta(front, file)


def _line_with(near: str, lines: Sequence[str], about: int) -> int | None:
    """Find the line a piece of text begins on; of several, the one next to where it is said to be.

    That is told by lines of the bound text, from which the template took its own out.
    """
    first = near.strip().partition("\n")[0]
    piece = max(marks.split(first), key=len).strip()
    whole = re.compile(re.escape(piece) + (r"(?!\w)" if piece[-1:].isalnum() else ""))
    found = [number for number, line in enumerate(lines, 1) if whole.search(line)]
    return min(found, key=lambda number: (abs(number - about), -number), default=None)


def _split(source: str, file: str) -> tuple[str, str, int]:
    """Part the front matter from the text, and tell the line the text begins on."""
    parts = re.match(r"\+\+\+[ \t]*\n(.*?\n)\+\+\+[ \t]*\n", source, re.DOTALL)
    if not parts:
        what = f"the front matter is missing, which stands between two lines `{FRONT}` at the top"
        raise Mistake(what, file=file, line=1)
    return parts[1], source[parts.end() :], source.count("\n", 0, parts.end()) + 1


def _meta(front: str, file: str) -> Meta:
    """Read the front matter; raise Mistake for a key that is unknown, missing or of the wrong kind."""
    values = authored.toml(front, file, first_line=2)

    def fail(what: str, key: str) -> NoReturn:
        line = authored.line_of(front, "", key) or authored.line_of(front, key)
        raise Mistake(what, file=file, line=line + 1 if line else 1)

    known = [each.name for each in fields(Meta)]
    for key, value in values.items():
        if key not in known:
            fail(f"the front matter has no '{key}'{nearest(key, known)}", key)
        if wanted := _unmet(key, value):
            fail(f"'{key}' in the front matter expects {wanted}", key)
    for each in fields(Meta):
        if each.name not in values and each.default is MISSING:
            fail(f"the front matter lacks '{each.name}'", each.name)
    return Meta(**values)


def _unmet(key: str, value: Any) -> str:
    """Say what a key of the front matter expects, if a value is something else."""
    if key == "keywords":
        fits = isinstance(value, list) and all(isinstance(each, str) and each for each in value)
        return "" if fits else "a list of texts in quotes"
    if not isinstance(value, str) or not value:
        return "a text in quotes"
    fits_rule, rule = _RULES.get(key, (bool, ""))
    return "" if fits_rule(value) else rule


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


_WEB = authored.is_web, "an address that begins with https://"
_RULES: dict[str, tuple[Callable[[str], object], str]] = {  # what some texts have to be
    "slug": (
        re.compile("[a-z0-9]+(-[a-z0-9]+)*").fullmatch,
        "small letters, digits and hyphens only, since it names files",
    ),
    "language": (
        re.compile("[a-z]{2,3}(-[A-Za-z0-9]{2,8})*").fullmatch,
        "a language such as en-US",
    ),
    "published": (_is_date, "a date such as 2026-01-02"),
    "license_url": _WEB,
    "site": _WEB,
}


def _names(world: World, meta: Meta, sources: Sources) -> dict[str, Any]:
    """Name what the text may use: parameters by section, results by stem, the article's own data."""
    sections = {name: values for name, values in world.settings.sections.items() if values}
    shared = {
        name: bind(name, values) for name, values in sections.items() if name not in world.results
    }
    own = {name: values for name, values in sections.items() if name in world.results}
    texts = {f.name: getattr(meta, f.name) for f in fields(Meta) if f.name != "keywords"}
    given = Given(
        parameters=bind("parameters", own),
        seed=bind("seed", world.settings.seed),
        article=bind("article", texts | {"date": meta.date}),
        facts=bind("facts", sources.facts),
        cite=sources.cite,
        sources=_sources,
    )
    return {**shared, **world.results, **vars(given)}


def _sources() -> str:
    return marks.mark(marks.SOURCES, 0)


def _credit(meta: Meta) -> str:
    """Say whose a figure is, for whoever meets it elsewhere; its year and license stay on one line."""
    unbroken = f"{meta.published[:4]} · {meta.license}".replace(" ", "\N{NO-BREAK SPACE}")
    return f"{meta.author}, {unbroken}"


def _check_placed(world: World, article: Article) -> None:
    """Raise Mistake for an experiment whose figure or table the article places nowhere."""
    tables = article.written.tables
    known = sorted(world.results)
    if unplaced := [stem for stem in known if stem not in (*article.stems, *tables)]:
        kind = "table" if _is_table(world.descriptions[unplaced[0]]) else "figure"
        what = (
            f"the {kind} '{unplaced[0]}', which figures/{unplaced[0]}.py makes, is placed nowhere"
        )
        raise Mistake(
            what,
            file=world.project.shown(world.project.article),
            then=f"add `::: {kind} {unplaced[0]}`, or remove the experiment",
        )
