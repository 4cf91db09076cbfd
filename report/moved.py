"""What moved between two reports: passages, claims and figures, each told once and where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from report.errors import LONG, Mistake, shortened
from report.labels import relabeled
from report.wording import aligned, differences, mask, row

READING = "reading.json"  # its name in a build folder and among the attachments of a PDF
FORMAT = 3  # raised when older readings can no longer be held against new ones
ALT, ANSWER, CAPTION, DESCRIPTION = (
    "alt text",
    "answer",
    "caption",
    "description",
)  # parts of a report that are read whole
TABLE, DATA, DRAWING = "table", "data", "drawing"  # parts that are read in pieces
PIECES = " | "  # stands between those

CHANGES = 4  # changes of one passage that are told where a list is cut
CHANGE = 80  # characters of a change that are told there
WIDTH = 100  # characters of a passage that are quoted with what moved in it

Reading = dict[str, Any]  # what a reader is told in a report: `reading` tells how it is made
Told = Mapping[str, Any]  # one passage of it, or one claim


# -- kept with a report -------------------------------------------------------------------------------


def written(value: Reading) -> str:
    """Write a reading as the file that is kept and attached."""
    return json.dumps(value, ensure_ascii=False, indent=0, separators=(",", ":")) + "\n"


def read(text: str | bytes) -> Reading:
    """Read what was kept; raise ValueError for anything else, and for one of another version."""
    value = json.loads(text)
    if not isinstance(value, dict) or not {"sentences", "claims", "figures"} <= value.keys():
        raise ValueError(f"its {READING} is damaged")
    if value.get("format") != FORMAT:
        raise ValueError(
            "this report was made by another version of the generator, which kept other things"
        )
    return value


def read_from(place: Path) -> Reading:
    """Take the reading of a finished report from a build folder or out of a PDF.

    Raises Mistake where there is none that can be compared.
    """
    try:
        return read(_kept(place))
    except ValueError as error:
        damaged = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
        what = f"its {READING} is damaged" if damaged else str(error)
        raise Mistake(what, file=place, then="build it again with `make report`") from None


def _kept(place: Path) -> bytes:
    choose = "name a build folder or a PDF"
    if place.is_dir():
        kept = place / READING
        if not kept.is_file():
            what = f"there is no {READING}, so no report was built here"
            raise Mistake(what, file=place, then=choose)
        return kept.read_bytes()
    import pikepdf  # noqa: PLC0415 - only a PDF needs it

    try:
        with pikepdf.open(place) as document:
            return bytes(document.attachments[READING].get_file().read_bytes())
    except FileNotFoundError:
        raise Mistake("there is no such report", file=place, then=choose) from None
    except pikepdf.PasswordError:
        raise Mistake("it cannot be read without a password", file=place, then=choose) from None
    except (KeyError, pikepdf.PdfError):
        what = f"this is no report of this generator, for it carries no {READING}"
        raise Mistake(what, file=place, then=choose) from None


# -- compared ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Passage:
    """A passage that moved: where it stands, each change in it, and the passage itself."""

    place: str
    changes: tuple[str, ...]
    text: str = ""

    def line(self, most: int | None = None) -> str:
        """Say it in one line; `most` cuts a long row of changes and says so."""
        return f"{self.place}: {self.change(most)}"

    def change(self, most: int | None = None) -> str:
        """Say it without its place."""
        said = self.changes if most is None else [_short(each) for each in self.changes[:most]]
        line = ", ".join(said)
        if len(said) < len(self.changes):
            line += f" and {len(self.changes) - len(said)} more"
        return f"{line} in “{self.text}”" if self.text else line


@dataclass(frozen=True)
class Moved:
    """What differs between two reports, in the words a reader knows and the order of the article."""

    passages: list[Passage] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)

    def lines(self, most: int | None = None) -> Iterator[str]:
        """Say it, each kind under its count; `most` cuts a long list and says so."""
        cut = None if most is None else CHANGES
        for title, found in self.kinds():
            yield f"{title}:"
            for each in found[:most]:
                yield f"  {each if isinstance(each, str) else each.line(cut)}"
            if most is not None and len(found) > most:
                yield f"  and {len(found) - most} more"

    def kinds(self) -> Iterator[tuple[str, Sequence[Passage | str]]]:
        """Give each kind that moved under its count."""
        kinds: tuple[tuple[str, str, Sequence[Passage | str]], ...] = (
            ("claim flipped", "claims flipped", self.claims),
            ("passage moved", "passages moved", self.passages),
            (
                "claim as before, on other numbers",
                "claims as before, on other numbers",
                self.evidence,
            ),
            ("figure changed", "figures changed", self.figures),
        )
        for one, many, found in kinds:
            if found:
                yield f"{len(found)} {one if len(found) == 1 else many}", found

    def __bool__(self) -> bool:
        return bool(self.passages or self.claims or self.evidence or self.figures)


def compare(old: Reading, new: Reading) -> Moved:
    """Hold two readings against each other, each passage against the one that stood in its place."""
    return Moved(
        list(_moved(old["sentences"], new["sentences"])),
        list(_flipped(old["claims"], new["claims"])),
        list(_resting(old["claims"], new["claims"])),
        list(_redrawn(old["figures"], new["figures"])),
    )


# -- claims and figures -------------------------------------------------------------------------------


def _flipped(old: Mapping[str, Told], new: Mapping[str, Told]) -> Iterator[str]:
    for path, claim in new.items():
        if path not in old:
            yield f"{path} is new and {'holds' if claim['holds'] else 'does not hold'}"
        elif old[path]["holds"] != claim["holds"]:
            now = "now holds" if claim["holds"] else "no longer holds"
            yield f"{path} {now} ({claim['evidence']})"
    yield from (f"{path} is gone" for path in old if path not in new)


def _resting(old: Mapping[str, Told], new: Mapping[str, Told]) -> Iterator[str]:
    """Tell what moved in the ledger beside the claims that flipped."""
    for path, claim in new.items():
        was = old.get(path)
        if was and was["holds"] == claim["holds"]:
            keys = ("sentence", "evidence", "tally")
            if changes := [each for key in keys for each in _changes(was[key], claim[key])]:
                yield f"{path}: {', '.join(changes)}"


def _redrawn(old: Mapping[str, Told], new: Mapping[str, Told]) -> Iterator[str]:
    for stem, drawn in new.items():
        if stem not in old:
            yield f"{stem} (new)"
        elif old[stem] != drawn:
            yield stem
    yield from (f"{stem} (gone)" for stem in old if stem not in new)


# -- passages -----------------------------------------------------------------------------------------


def _moved(old: Sequence[Told], new: Sequence[Told]) -> Iterator[Passage]:
    """Go through the places of the new report, then through those that are gone."""
    before, after = _by_place(old), _by_place(new)
    for place in [*after, *(place for place in before if place not in after)]:
        section, part = place
        where = ", ".join(filter(None, (f"#{section}" if section else "at the top", part)))
        texts = before.get(place, []), after.get(place, [])
        if texts[0] == texts[1]:
            continue
        if part in _IN_PIECES:
            if changes := tuple(_IN_PIECES[part](*texts)):
                yield Passage(where, changes)
        else:
            yield from _sentences(where, *texts)


def _by_place(told: Sequence[Told]) -> dict[tuple[str, str], list[str]]:
    places: dict[tuple[str, str], list[str]] = {}
    for each in told:
        places.setdefault((each["section"], each["part"]), []).append(each["text"])
    return places


def _sentences(where: str, old: list[str], new: list[str]) -> Iterator[Passage]:
    """Tell each sentence of a place that moved."""
    for was, now in aligned(old, new, mask):
        if changes := tuple(_changes(was, now)):
            yield Passage(where, changes, _excerpt(was, now))


def _cells(old: list[str], new: list[str]) -> Iterator[str]:
    """Tell how the rows of a table moved, each change after the name of its row."""
    for was, now in aligned(old, new, row):
        (name, *cells), (_, *before) = _split(now), _split(was)
        if len(cells) == len(before):
            moved = chain.from_iterable(map(_changes, before, cells))
            yield from (f"{name}: {change}" for change in moved)
        else:
            yield from _changes(was, now)


def _labels(old: list[str], new: list[str]) -> Iterator[str]:
    """Tell which words in a drawing became which, and else what is gone and what is new."""
    before, after = (list(chain.from_iterable(map(_split, told))) for told in (old, new))
    for was, now in relabeled(before, after):
        if was and now:
            yield f"{was} → {now}"
        else:
            yield from _changes(was, now)


def _split(told: str) -> list[str]:
    return told.split(PIECES)


_IN_PIECES = {TABLE: _cells, DATA: _cells, DRAWING: _labels}


def _changes(old: str, new: str) -> Iterator[str]:
    """Tell how a passage moved, if it did."""
    if old == new:
        return  # as nearly everywhere: comparing word by word takes long
    if old and new:
        for was, now in differences(old, new):
            yield f"{old[was]} → {new[now]}"
    elif old or new:
        yield f"new: “{new}”" if new else f"gone: “{old}”"


def _excerpt(old: str, new: str) -> str:
    """Quote so much of a passage as shows where it moved; nothing of what is told whole."""
    spans = differences(old, new) if old and new else []
    if not spans or spans[0][1] == slice(0, len(new)):
        return ""
    begin = max(0, min(spans[0][1].start - WIDTH // 3, len(new) - WIDTH))
    words = new[begin : begin + WIDTH]
    if begin:
        words = f"…{words.partition(' ')[2]}"
    return words if begin + WIDTH >= len(new) else f"{words.rpartition(' ')[0]}…"


def _short(change: str) -> str:
    """Cut both sides of a change to a length that fits a line, and to where they differ."""
    sides = change.split(" → ", 1)  # a text may have arrows itself
    most = CHANGE // len(sides)
    pairs = enumerate(zip(*sides, strict=False))  # of the letters of both sides
    alike = next((at for at, letters in pairs if len(set(letters)) > 1), 0)
    if alike > most // 2 and max(map(len, sides)) > most:
        begin = change.rfind(" ", 0, alike - most // 4) + 1
        sides = [f"…{each[begin:]}" for each in sides]
    return " → ".join(cut(each, most) for each in sides)


def cut(text: str, most: int = LONG) -> str:
    """Shorten a text to so many characters, and close a quotation that is cut."""
    said = shortened(text, most)
    if said.endswith("…") and said.count("“") > said.count("”"):
        return f"{shortened(text, most - 1)}”"
    return said
