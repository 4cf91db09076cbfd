"""What a reader is told in a report, kept as data, and what moved between two reports."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from report import marks
from report.errors import Mistake
from report.glance import file_digest

if TYPE_CHECKING:
    from report.article import Article
    from report.claims import Ledger

READING = "reading.json"  # its name in a build folder and among the attachments of a PDF
Reading = dict[str, Any]

_BLOCK = re.compile(r"</(?:p|li|dd|dt|td|th|h2|h3|figcaption|caption)>")
_HEADING = re.compile(r'<h[23] id="([^"]+)"')
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[^a-z])")


def reading(article: Article, ledger: Ledger, drawings: Path) -> Reading:
    """Write down each sentence that prints numbers, each claim, and the hash of each drawing."""
    return {
        "sentences": list(_sentences(article)),
        "claims": {
            claim.path: {"holds": claim.holds, "evidence": claim.evidence}
            for claim in ledger.claims
        },
        "figures": {stem: file_digest(drawings / f"{stem}-wide.svg") for stem in article.stems},
    }


def _sentences(article: Article) -> Iterator[dict[str, Any]]:
    section = ""
    for block in _BLOCK.split(_whole(article)):
        for anchor in _HEADING.findall(block):
            section = anchor
        for sentence in _SENTENCE.split(re.sub(r"<[^>]+>", "", block)):
            numbers = marks.found(sentence, marks.NUMBER)
            if numbers:
                quotes = [article.bound.quotes[index] for index in numbers]
                yield {
                    "section": section,
                    "text": " ".join(html.unescape(_as_typed(article, sentence)).split()),
                    "numbers": [[quote.path, quote.how, quote.printed] for quote in quotes],
                }


def _as_typed(article: Article, sentence: str) -> str:
    """Write a sentence the way it reads in a terminal: numbers as printed, formulas as typed."""

    def put(kind: str, index: int) -> str:
        if kind == marks.FORMULA:
            return article.bound.formulas[index].tex
        return (
            article.bound.quotes[index].printed
            if kind == marks.NUMBER
            else article.bound.texts[index]
        )

    return marks.replace_once(sentence, put)


def _whole(article: Article) -> str:
    """The text with its notes and answers where they are called."""
    written = article.written
    parts = {
        marks.NOTE: [f"<p>{note.text}</p>" for note in written.notes],
        marks.ANSWER: [question.answer for question in written.questions],
    }
    kept = (marks.NUMBER, marks.TEXT, marks.FORMULA)

    def put(kind: str, index: int) -> str:
        return parts[kind][index] if kind in parts else marks.mark(kind, index)

    # one round for what stands in the text, one for what an answer calls
    body = marks.replace_once(marks.replace_once(written.body, put), put)
    return marks.replace_once(
        body, lambda kind, index: marks.mark(kind, index) if kind in kept else ""
    )


def written(value: Reading) -> str:
    """Write a reading as the file that is kept and attached."""
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def read_from(place: Path) -> Reading:
    """Take the reading of a finished report from a build folder or out of a PDF.

    Raises Mistake where there is none.
    """
    if place.is_dir():
        kept = place / READING
        if not kept.is_file():
            what = f"holds no {READING}, so no report was built there"
            raise Mistake(what, file=place, then="name a build folder or a PDF")
        return dict(json.loads(kept.read_text("utf-8")))
    import pikepdf  # noqa: PLC0415 - only a PDF needs it

    try:
        with pikepdf.open(place) as document:
            return dict(json.loads(document.attachments[READING].get_file().read_bytes()))
    except FileNotFoundError:
        raise Mistake("is not there", file=place, then="name a build folder or a PDF") from None
    except (KeyError, pikepdf.PdfError):
        what = f"is no report of this generator: it carries no {READING}"
        raise Mistake(what, file=place, then="name a build folder or a PDF") from None


@dataclass(frozen=True)
class Moved:
    """What differs between two reports, in the words a reader knows."""

    numbers: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)

    def lines(self, most: int | None = None) -> Iterator[str]:
        """Say it, each kind under its count; `most` cuts a long list and says so."""
        for what, found in (
            ("sentence", self.numbers),
            ("claim", self.claims),
            ("figure", self.figures),
        ):
            if found:
                verb = {"sentence": "moved", "claim": "flipped", "figure": "changed"}[what]
                yield f"{len(found)} {what}{'' if len(found) == 1 else 's'} {verb}:"
                yield from (f"  {each}" for each in found[:most])
                if most is not None and len(found) > most:
                    yield f"  and {len(found) - most} more"

    def __bool__(self) -> bool:
        return bool(self.numbers or self.claims or self.figures)


def compare(old: Reading, new: Reading) -> Moved:
    """Hold two readings against each other: numbers by where they stand and what they are of."""
    return Moved(
        list(_moved_sentences(old["sentences"], new["sentences"])),
        list(_flipped(old["claims"], new["claims"])),
        sorted(stem for stem, drawn in new["figures"].items() if old["figures"].get(stem) != drawn)
        + sorted(f"{stem} (gone)" for stem in old["figures"].keys() - new["figures"].keys()),
    )


def _moved_sentences(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[str]:
    before: dict[tuple[str, ...], list[str]] = {}
    for sentence in old:
        for path, how, printed in sentence["numbers"]:
            before.setdefault((sentence["section"], path, how), []).append(printed)
    for sentence in new:
        changes = []
        for path, how, printed in sentence["numbers"]:
            queue = before.get((sentence["section"], path, how))
            was = queue.pop(0) if queue else None
            if was is not None and was != printed:
                changes.append(f"{was} → {printed}")
        if changes:
            yield f"#{sentence['section']}: {', '.join(changes)} in “{_short(sentence['text'])}”"


def _flipped(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for path, claim in new.items():
        if path in old and old[path]["holds"] != claim["holds"]:
            now = "now holds" if claim["holds"] else "no longer holds"
            yield f"{path} {now} ({claim['evidence']})"


def _short(text: str, most: int = 100) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rsplit(' ', 1)[0]}…"
