"""The deck in Anki's own hands: what it holds, and what importing it again keeps and moves."""

from __future__ import annotations

import io
import os
import re
import sqlite3
import time
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from anki.collection import Collection, ImportAnkiPackageRequest
from anki.decks import DeckId

from report.companions import apkg
from report.companions.apkg import COLLECTION, Deck, Note, package
from report.companions.deck import deck
from tests.browser.chromium import Chromium, program
from tests.conftest import Run, Tiny
from tests.lesson import bound, lay, said

if TYPE_CHECKING:
    from anki.cards import CardId  # which cannot be imported first

pytestmark = pytest.mark.slow  # Anki's library opens a collection for each deck

LOOK = ("{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}", ".card {}")
PLAIN = Deck("dice", "Dice", "About dice.", 1_767_312_000, ("Front", "Back"), *LOOK)
NOTES = [Note("a", ("Why?", "Because 1."), ("dice::q",)), Note("b", ("How?", "So."))]


class Anki:
    """A collection of Anki's, new and empty."""

    def __init__(self, folder: Path) -> None:
        self._package = folder / "deck.apkg"
        self.collection = Collection(str(folder / "collection.anki2"))

    def take(self, data: bytes | None) -> dict[str, int]:
        """Import a package as Anki does if nobody chooses anything; tell how many notes fared how."""
        assert data
        self._package.write_bytes(data)
        request = ImportAnkiPackageRequest(package_path=str(self._package))
        log = self.collection.import_anki_package(request).log
        return {
            name: len(getattr(log, name))
            for name in ("new", "updated", "duplicate", "conflicting")
            if getattr(log, name)
        }

    def learn(self) -> CardId:
        """Answer the first new card of the deck, and give its number."""
        [number] = [d.id for d in self.collection.decks.all_names_and_ids() if d.name != "Default"]
        self.collection.decks.select(DeckId(number))
        card = self.collection.sched.getCard()
        assert card
        card.start_timer()
        self.collection.sched.answerCard(card, 3)
        return card.id

    def fields(self) -> dict[str, list[str]]:
        """Give every note's fields by the first of them."""
        notes = map(self.collection.get_note, self.collection.find_notes(""))
        return {re.sub("<[^>]+>", "", note.fields[0]): note.fields for note in notes}


@pytest.fixture
def anki(tmp_path: Path) -> Any:
    """Anki with nothing in it."""
    (tmp_path / "anki").mkdir()
    learner = Anki(tmp_path / "anki")
    yield learner
    learner.collection.close()


def _rows(data: bytes, query: str) -> list[tuple[Any, ...]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive, closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(archive.read(COLLECTION))
        return db.execute(query).fetchall()


def _identities(data: bytes) -> dict[str, tuple[Any, ...]]:
    query = "SELECT n.guid, n.id, n.mid, c.id, c.did FROM notes n JOIN cards c ON c.nid = n.id"
    return {guid: numbers for guid, *numbers in _rows(data, query)}  # type: ignore[misc]  # a row


# The format


def test_what_was_learned_stays_when_numbers_words_and_order_change(anki: Anki) -> None:
    first = package(PLAIN, NOTES)
    assert anki.take(first) == {"new": 2}
    learned = anki.learn()

    reworded = [
        replace(NOTES[1], fields=("How so?", "So.")),
        replace(NOTES[0], fields=("Why?", "2.")),
    ]
    more = [Note("c", ("When?", "Now.")), *reworded]
    assert anki.take(package(PLAIN, more, first)) == {"new": 1, "updated": 2}

    assert anki.fields() == {
        "Why?": ["Why?", "2."],
        "How so?": ["How so?", "So."],
        "When?": ["When?", "Now."],
    }
    assert anki.collection.get_card(learned).reps == 1
    assert anki.collection.db
    assert anki.collection.db.list("SELECT cid FROM revlog") == [learned]


def test_only_a_note_that_changed_is_taken_again(anki: Anki) -> None:
    first = package(PLAIN, NOTES)
    anki.take(first)
    second = package(PLAIN, [NOTES[0], replace(NOTES[1], fields=("How?", "Thus."))], first)

    assert anki.take(second) == {"updated": 1, "duplicate": 1}
    assert anki.take(package(PLAIN, NOTES, second)) == {"updated": 1, "duplicate": 1}
    assert anki.fields()["How?"] == ["How?", "So."]


def test_a_trial_is_newer_than_the_usual_deck_and_older_than_its_next_change(anki: Anki) -> None:
    usual = package(PLAIN, NOTES)
    anki.take(usual)
    trial = replace(PLAIN, step=1)
    tried = package(trial, [replace(NOTES[0], fields=("Why?", "Tried."))], usual)
    again = package(trial, [replace(NOTES[0], fields=("Why?", "Again."))], usual, tried)
    assert [anki.take(each) for each in (tried, again)] == [{"updated": 1}, {"updated": 1}]
    assert package(trial, [replace(NOTES[0], fields=("Why?", "Again."))], usual, again) == again

    changed = package(PLAIN, [replace(NOTES[0], fields=("Why?", "Changed."))], usual)

    assert anki.take(changed) == {"updated": 1}
    assert anki.fields()["Why?"] == ["Why?", "Changed."]


def test_what_a_learner_wrote_on_a_card_is_not_written_over(anki: Anki) -> None:
    first = package(PLAIN, NOTES)
    anki.take(first)
    note = anki.collection.get_note(anki.collection.find_notes("Why?")[0])
    note.fields[1] = "My own words."
    anki.collection.update_note(note)

    anki.take(package(PLAIN, [replace(NOTES[0], fields=("Why?", "2."))], first))

    assert anki.fields()["Why?"] == ["Why?", "My own words."]


def test_cards_look_new_after_a_new_style(anki: Anki) -> None:
    first = package(PLAIN, NOTES)
    anki.take(first)

    anki.take(package(replace(PLAIN, css=".card { color: red }"), NOTES, first))

    [look] = [model["css"] for model in anki.collection.models.all() if model["name"] == "Dice"]
    assert look == ".card { color: red }"


def test_a_package_tells_neither_when_nor_where_it_was_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = package(PLAIN, NOTES)

    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: 2e9)
    again = package(PLAIN, NOTES), package(PLAIN, NOTES, first)
    monkeypatch.undo()
    time.tzset()

    assert {first, *again} == {first}


@pytest.mark.parametrize("damaged", [b"", b"no archive", package(PLAIN, NOTES)[:-400]])
def test_a_damaged_package_is_as_good_as_none(damaged: bytes) -> None:
    assert package(PLAIN, NOTES, damaged) == package(PLAIN, NOTES)


def test_a_package_of_something_else_is_as_good_as_none() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(COLLECTION, b"no database")

    assert package(PLAIN, NOTES, packed.getvalue()) == package(PLAIN, NOTES)


def test_no_two_notes_share_a_number() -> None:
    many = [Note(str(n), ("Q", "A")) for n in range(300)]
    rows = _rows(package(PLAIN, many), "SELECT id FROM notes UNION ALL SELECT id FROM cards")

    assert len({number for (number,) in rows}) == 600
    assert all(0 < number < apkg._EARLIEST + apkg._SPAN for (number,) in rows)


# The article's deck


def test_a_card_is_known_by_its_name_whatever_seed_order_and_words(tiny: Tiny) -> None:
    article, world = bound(lay(tiny))
    old = deck(article, world)
    tiny.edit("templates/article.md", '**"It is _due_."** Dice', '**"It is owed."** Dice')
    source = tiny.read("templates/article.md")
    numbers = source[source.index("### Numbers") : source.index("### Law")]
    tiny.write(
        "templates/article.md",
        source.replace(numbers, "").replace("::::\n\n## Sources", f"{numbers}::::\n\n## Sources"),
    )
    article, world = bound(tiny, seed=12)
    new = deck(article, world)

    assert old
    assert new
    assert old != new
    assert _identities(old) == _identities(new)
    assert len(_identities(old)) == 3


def test_importing_again_after_a_change_of_seed_moves_the_number_and_keeps_the_history(
    tiny: Tiny, anki: Anki
) -> None:
    article, world = bound(lay(tiny))
    first, was = deck(article, world), said(article)
    assert first
    assert anki.take(first) == {"new": 3}
    learned = anki.learn()
    assert was in anki.fields()["The mean of n throws."][1]

    article, world = bound(tiny, seed=14)
    now = said(article)
    assert anki.take(deck(article, world, first)) == {"updated": 3}

    assert now != was
    assert anki.fields()["The mean of n throws."][1] == (
        f'<data class="n" value="{article.bound.quotes[-1].value!r}" data-path="roll.means.20">{now}</data>'
    )
    assert anki.collection.get_card(learned).reps == 1


def test_a_card_says_what_the_article_says_under_this_run(tiny: Tiny) -> None:
    lay(tiny)
    told = {}
    for seed in (11, 12, 13, 14, 15):
        article, world = bound(tiny, seed=seed)
        rows = _rows(deck(article, world) or b"", "SELECT flds FROM notes")
        told[float(said(article)) > 3.5] = " ".join(fields for (fields,) in rows)

    assert "the mean is high" in told[True]
    assert "the mean is low" not in told[True]
    assert "the mean is low" in told[False]
    assert "claim" not in told[True] + told[False]


def test_formulas_links_and_signs_are_set_for_anki(tiny: Tiny) -> None:
    article, world = bound(lay(tiny))
    rows = _rows(deck(article, world) or b"", "SELECT flds, tags FROM notes")
    [(answer, tags)] = [row for row in rows if "Where does" in row[0]]

    assert r"as" "\n" r"\(\frac{1}{n} &lt; x\) &amp; <a " in answer
    assert "(Figure 1)" in answer
    assert 'href="https://example.org/a"' in answer
    assert 'href="#' not in answer
    assert "Throws · The law of n throws · version 1.0, seed 11" in answer
    assert tags == " throws::question "


def test_a_site_gives_the_links_within_the_article_somewhere_to_lead(tiny: Tiny) -> None:
    lay(tiny).edit(
        "templates/article.md", 'slug = "throws"', 'slug = "throws"\nsite = "https://example.org/t"'
    )
    article, world = bound(tiny)

    assert 'href="https://example.org/t#roll"' in str(
        _rows(deck(article, world) or b"", "SELECT flds FROM notes")
    )


def test_an_article_that_names_nothing_has_no_deck(tiny: Tiny) -> None:
    assert deck(*bound(tiny)) is None


@pytest.mark.skipif(program() is None, reason="not proved: no Chromium on this machine")
def test_a_card_can_be_read_by_day_and_by_night_on_a_phone(tiny: Tiny, anki: Anki) -> None:
    article, world = bound(lay(tiny))
    anki.take(deck(article, world))
    card = anki.collection.get_card(anki.collection.find_cards("")[0])
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    style = f"<style>{card.render_output().css}</style>"
    page = tiny.path("card.html")

    with Chromium() as browser:
        for mode, lighter in (("", "paper"), ("nightMode", "ink")):
            page.write_text(f'{head}{style}<body class="card {mode}">{card.answer()}', "utf-8")
            browser.open(page, width=375)
            colors = browser.run(
                "['backgroundColor', 'color'].map(k => getComputedStyle(document.body)[k])"
            )
            paper, ink = (sum(map(int, re.findall(r"\d+", color)[:3])) for color in colors)

            assert abs(paper - ink) > 450
            assert ("paper" if paper > ink else "ink") == lighter
            assert browser.run("document.documentElement.scrollWidth") == 375


# The command


def test_the_command_makes_a_deck_that_anki_takes_again_after_a_change_of_seed(
    tiny: Tiny, run: Run, anki: Anki
) -> None:
    lay(tiny)
    made = tiny.path("build/throws.apkg")
    code, out, err = run("cards", "--quiet", "--project", tiny.root)
    assert (code, err) == (0, "")
    assert [os.path.basename(line) for line in out.splitlines()] == [  # noqa: PTH119 - as printed
        "throws.html", "throws.pdf", "throws.apkg", "throws.md", "throws.bib", "throws.csl.json",
    ]  # fmt: skip
    assert anki.take(made.read_bytes()) == {"new": 3}
    learned, before = anki.learn(), made.stat().st_mtime_ns

    code, out, _ = run("cards", "--project", tiny.root)
    assert "Nothing to do: " in out
    assert made.stat().st_mtime_ns == before

    assert run("cards", "--quiet", "--seed", "14", "--project", tiny.root)[0] == 0
    assert anki.take(tiny.path("build/seed=14/throws-seed-14.apkg").read_bytes()) == {"updated": 3}
    assert made.stat().st_mtime_ns == before

    tiny.edit("seeds.toml", "seed = 11", "seed = 13")
    assert run("cards", "--quiet", "--project", tiny.root)[0] == 0
    assert anki.take(made.read_bytes()) == {"updated": 3}
    assert anki.collection.get_card(learned).reps == 1
