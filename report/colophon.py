"""The colophon: which numbers the text prints and how they were made, the same in every build."""

from __future__ import annotations

import re
from dataclasses import dataclass

from report.article import Article, World
from report.claims import Claim
from report.markdown import Note, Question
from report.numbers import Quote
from report.overrides import toml
from report.project import BUILD_SECTION


@dataclass(frozen=True)
class Section:
    """The parameters of one section of the project file, each printed as that file writes it."""

    name: str
    parameters: list[tuple[str, str]]


@dataclass(frozen=True)
class Colophon:
    """Seeds, parameters, versions and the command that makes the numbers again."""

    seed: int
    pinned: list[tuple[str, int]]  # experiments whose seed does not follow the base seed
    overrides: list[tuple[str, str]]  # what the command line put over the project file
    sections: list[Section]
    versions: list[tuple[str, str]]
    command: str


def colophon(world: World) -> Colophon:
    """Collect how a world was made; settings of the generator that move no number stay out."""
    settings = world.settings
    known = sorted(settings.sections.items())  # the order of the project file changes nothing
    sections = {name: values for name, values in known if name != BUILD_SECTION}
    printed = [
        Section(
            name, [(key, toml(value)) for key, value in sorted(values.items()) if key != "seed"]
        )
        for name, values in sections.items()
    ]
    return Colophon(
        seed=settings.seed,
        pinned=[(name, values["seed"]) for name, values in sections.items() if "seed" in values],
        overrides=[(key, toml(value)) for key, value in sorted(settings.overrides.items())],
        sections=[section for section in printed if section.parameters],
        versions=sorted(world.origin.versions.items(), key=lambda pair: pair[0].lower()),
        command=world.origin.command,
    )


@dataclass(frozen=True)
class Entry:
    """A claim in the ledger, with the places of the text that lean on it."""

    claim: Claim
    tally: str  # in how many seeds it held
    uses: list[str]  # anchors of the words

    @property
    def anchor(self) -> str:
        """The anchor of the entry itself."""
        return f"claim-{self.claim.stem}-{self.claim.name}"


def ledger(article: Article, world: World) -> list[Entry]:
    """List every claim, those that fail first."""
    entries = [
        Entry(claim, world.tallies.get(claim.path, ""), article.uses(claim))
        for claim in world.ledger.claims
    ]
    return sorted(entries, key=lambda entry: entry.claim.holds)


@dataclass(frozen=True)
class Group:
    """The numbers printed in one main section, each once, in reading order."""

    anchor: str  # of the section, empty for what stands before the first
    title: str  # as plain text
    quotes: list[Quote]

    @property
    def place(self) -> str:
        """The anchor of the group itself."""
        return f"numbers-{self.anchor or 'first'}"


def quoted(article: Article) -> list[Group]:
    """Group the numbers of the text, its notes, captions and answers by main section."""
    quotes: list[Quote] = []
    text = article.body(_Places(quotes))
    titles = {heading.anchor: article.plain(heading.title) for heading in article.headings}
    groups = [Group("", article.meta.title, [])]
    for anchor, index in _PLACE.findall(text):
        if anchor:
            groups.append(Group(anchor, titles[anchor], []))
        else:
            quote = quotes[int(index)]
            if all((quote.path, quote.printed) != (q.path, q.printed) for q in groups[-1].quotes):
                groups[-1].quotes.append(quote)
    return [group for group in groups if group.quotes]


_PLACE = re.compile(r'<h2 id="([^"]+)">|<quote (\d+)>')


class _Places:
    """Leaves a trace of each number where it stands, and nothing else."""

    def __init__(self, quotes: list[Quote]) -> None:
        self._quotes = quotes

    def number(self, quote: Quote) -> str:
        self._quotes.append(quote)
        return f"<quote {len(self._quotes) - 1}>"

    def note(self, note: Note) -> str:
        return note.text

    def answer(self, question: Question) -> str:
        return question.answer

    def _nothing(self, _part: object) -> str:
        return ""

    formula = figure = data = note_call = answers = sources = _nothing
