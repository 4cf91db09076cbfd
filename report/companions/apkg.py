"""Anki's package of a deck, in the form that all its versions read; equal notes give equal bytes.

A note is known by its `guid`: Anki finds it again by that, updates its fields and keeps what was learned.
It does so where the package's note is newer than its own. So a note is dated by its edition, not by a
clock: the deck's day, and a step more each time the note differs from the package made before.
"""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

COLLECTION: Final = "collection.anki2"
LOOK: Final = ""  # names how notes look, beside the notes
_SCHEMA: Final = """
CREATE TABLE col (id INTEGER PRIMARY KEY, crt, mod, scm, ver, dty, usn, ls, conf, models, decks, dconf, tags);
CREATE TABLE notes (id INTEGER PRIMARY KEY, guid, mid, mod, usn, tags, flds, sfld, csum, flags, data);
CREATE TABLE cards (id INTEGER PRIMARY KEY, nid, did, ord, mod, usn, type, queue, due, ivl, factor, reps,
    lapses, left, odue, odid, flags, data);
CREATE TABLE revlog (id INTEGER PRIMARY KEY, cid, usn, ease, ivl, lastIvl, factor, time, type);
CREATE TABLE graves (usn, oid, type);
"""
_VERSION: Final = 11  # of the schema
_EARLIEST, _SPAN = 1_400_000_000_000, 300_000_000_000  # Anki's numbers are milliseconds since 1970
_UNLEARNED: Final = (0,) * 8  # what a card knows of its learner
_SEPARATOR: Final = "\x1f"  # between the fields of a note
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the earliest time a ZIP file can tell


@dataclass(frozen=True)
class Note:
    """One note with its one card: a name that never changes, its fields, and tags without spaces."""

    name: str
    fields: tuple[str, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deck:
    """A deck: a key that never changes, its title, its day in seconds since 1970, and how notes look.

    `front` and `back` are Anki's templates, with `{{Name}}` for the field of that name. A note that says
    something else is dated `step` seconds later.
    """

    key: str
    title: str
    about: str
    day: int
    fields: tuple[str, ...]
    front: str
    back: str
    css: str
    step: int = 60

    def number(self, *words: str) -> int:
        """Number something of this deck, always alike."""
        seen = hashlib.sha256("\n".join((self.key, *words)).encode()).digest()
        return _EARLIEST + int.from_bytes(seen[:8], "big") % _SPAN

    def guid(self, note: Note) -> str:
        """Name a note in the whole world."""
        return hashlib.sha256(f"{self.key}\n{note.name}".encode()).hexdigest()[:20]


def package(deck: Deck, notes: Sequence[Note], *before: bytes) -> bytes:
    """Pack a deck; `before` are the packages that Anki may have been given already."""
    dates = _Dates(deck, before)
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_SCHEMA)
        _describe(db, deck, dates)
        for place, note in enumerate(notes, 1):
            _add(db, deck, note, place, dates)
        db.commit()
        data = db.serialize()
    return _zipped({COLLECTION: data, "media": b"{}"})


class _Dates:
    """Dates notes, and how they look, by the packages that held them before."""

    def __init__(self, deck: Deck, before: Sequence[bytes]) -> None:
        self._deck, self._held = deck, [_held(package) for package in before]

    def of(self, name: str, said: str) -> int:
        """Date one thing: no earlier than any package did, and later if it says something else now."""
        known = [held[name] for held in self._held if name in held]
        dates = (date if was == said else date + self._deck.step for was, date in known)
        return max([self._deck.day, *dates])


def _held(package: bytes) -> dict[str, tuple[str, int]]:
    """Give what a package's notes say, and how they look, each with its date; a damaged one holds nothing."""
    try:
        with zipfile.ZipFile(io.BytesIO(package)) as archive:
            data = archive.read(COLLECTION)
        with closing(sqlite3.connect(":memory:")) as db:
            db.deserialize(data)
            rows = db.execute("SELECT guid, tags || flds, mod FROM notes").fetchall()
            [models] = db.execute("SELECT models FROM col").fetchone()
        [model] = json.loads(models).values()
        return {guid: (said, date) for guid, said, date in rows} | {
            LOOK: (_look(model), model["mod"])
        }
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, sqlite3.Error):
        return {}


def _look(model: Mapping[str, Any]) -> str:
    return _json({**model, "mod": 0})


def _describe(db: sqlite3.Connection, deck: Deck, dates: _Dates) -> None:
    """Write what kind of notes there are and what the deck is called."""
    model, number = _model(deck), deck.number("deck")
    model["mod"] = dates.of(LOOK, _look(model))
    decks = {
        "1": _deck(1, "Default", "", deck.day),
        str(number): _deck(number, deck.title, deck.about, deck.day),
    }
    told: tuple[dict[str, Any], ...] = ({}, {str(model["id"]): model}, decks, {}, {})
    row = (1, deck.day, deck.day * 1000, deck.day * 1000, _VERSION, 0, 0, 0, *map(_json, told))
    db.execute(f"INSERT INTO col VALUES ({_places(row)})", row)


def _model(deck: Deck) -> dict[str, Any]:
    template = {"name": "Card", "ord": 0, "qfmt": deck.front, "afmt": deck.back, "did": None}
    plain = {"sticky": False, "rtl": False, "font": "Arial", "size": 20}  # in Anki's editor
    fields = [{"name": name, "ord": at, **plain} for at, name in enumerate(deck.fields)]
    return {
        "id": deck.number("model"), "name": deck.title, "type": 0, "mod": 0, "usn": -1, "sortf": 0,
        "did": None, "tmpls": [template], "flds": fields, "css": deck.css,
        "latexPre": "", "latexPost": "", "req": [[0, "any", [0]]],
    }  # fmt: skip


def _deck(number: int, name: str, about: str, day: int) -> dict[str, Any]:
    return {
        "id": number, "name": name, "desc": about, "mod": day, "usn": -1, "dyn": 0, "conf": 1,
        "collapsed": False, "extendNew": 0, "extendRev": 0,
        **{f"{what}Today": [0, 0] for what in ("new", "rev", "lrn", "time")},
    }  # fmt: skip


def _add(db: sqlite3.Connection, deck: Deck, note: Note, place: int, dates: _Dates) -> None:
    """Write a note and its card, new and in its place."""
    guid, number = deck.guid(note), deck.number("note", note.name)
    tags, fields = f" {' '.join(note.tags)} ", _SEPARATOR.join(note.fields)
    date = dates.of(guid, tags + fields)
    row = (number, guid, deck.number("model"), date, -1, tags, fields, note.fields[0], 0, 0, "")
    db.execute(f"INSERT INTO notes VALUES ({_places(row)})", row)
    card: tuple[object, ...] = (
        deck.number("card", note.name),
        number,
        deck.number("deck"),
        0,
        date,
        -1,
        0,
        0,
        place,
    )
    card = (*card, *_UNLEARNED, "")
    db.execute(f"INSERT INTO cards VALUES ({_places(card)})", card)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _places(row: Sequence[object]) -> str:
    return ", ".join("?" * len(row))


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files without a trace of when and where."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            told = zipfile.ZipInfo(name, _EPOCH)
            told.create_system, told.compress_type = 3, zipfile.ZIP_DEFLATED
            archive.writestr(told, data)
    return packed.getvalue()
