"""The note for Obsidian says what the article says, and each of its links leads into the PDF."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pypdf import PdfReader

from report.companions.note import note
from tests import sheets
from tests.conftest import Tiny
from tests.finished import Finished
from tests.lesson import bound, lay, said

LINK = re.compile(
    r"\[\[(?P<file>[^#\]|]+)(?:#(?P<how>page|nameddest)=(?P<to>[^|\]]+))?(?:\|(?P<words>.*?))?\]\]"
)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """A PDF of two pages with every place of the article on the second."""
    anchors = ("law", "roll", "faces", "brief", "sources")
    places = "".join(f'<p id="{each}"><a href="#{each}">x</a></p>' for each in anchors)
    made = tmp_path / "throws.pdf"
    made.write_bytes(sheets.printed(f'<p>one</p><div style="break-before: page">{places}</div>'))
    return made


def _links(text: str) -> Iterator[tuple[str, str | None, str | None]]:
    for found in LINK.finditer(text):
        yield found["file"], found["how"], found["to"]


def test_the_note_is_the_article_in_brief_with_its_numbers(tiny: Tiny, pdf: Path) -> None:
    article, world = bound(lay(tiny))
    text = note(article, world, pdf)
    body = text.split("---\n", 2)[2]

    verdict = "high" if float(said(article)) > 3.5 else "low"
    law = r"A die has 6 sides (*see* [[throws.pdf#nameddest=roll|Figure 1]] and"
    assert body.startswith("\n# Throws of a die\n\nA small article.\n\n" + law)
    assert r"[[throws.pdf#nameddest=law|the *law*]]), & shows each with $\frac{1}{n}$." in body
    assert (
        "\n## In brief ([[throws.pdf#nameddest=brief|brief]], [[throws.pdf#page=2|p. 2]])\n" in body
    )
    assert f"\n### Numbers\n\n- **{said(article)}** The mean of $n$ throws. ^mean\n" in body
    assert "\n### Law\n\n$$\n\\frac{1}{n}\n$$\n" in body
    assert f'\n1. **"It is _due_."** Dice forget; the mean is {verdict}. ^due\n' in body
    assert "\n- The law of $n$ throws ([[throws.pdf#nameddest=law|law]]," in body
    assert "\n- Figure 1. Means of $n$ throws stray. ([[throws.pdf#nameddest=roll|roll]]," in body
    assert ":::" not in body
    assert "{" not in body.replace(r"\frac{1}{n}", "")


def test_its_properties_are_those_of_the_article(tiny: Tiny, pdf: Path) -> None:
    lay(tiny).edit("templates/article.md", '["dice"]', '["dice", "law of \'large\' numbers: 1"]')
    tiny.edit("templates/article.md", '"Throws of a die"', "'Throws: a \"die\" #1 [[x]] $y'")
    article, world = bound(tiny)
    text = note(article, world, pdf)

    assert yaml.safe_load(text.split("---\n")[1]) == {
        "title": 'Throws: a "die" #1 [[x]] $y',
        "aliases": ["Throws"],
        "author": "Nobody",
        "date": datetime.date(2026, 1, 2),
        "version": "1.0",
        "seed": 11,
        "license": "CC0",
        "tags": ["dice", "law-of-large-numbers-1"],
        "description": "A small article about dice.",
        "source": "[[throws.pdf]]",
    }
    assert r'# Throws: a "die" \#1 \[\[x\]\] \$y' in text


def test_stored_text_is_no_markup_in_the_note(tiny: Tiny, pdf: Path) -> None:
    lay(tiny).edit("seeds.toml", 'label = "face"', 'label = "[[a]] *b* #c $d$ `e`"')
    tiny.edit("templates/article.md", "Dice forget;", "Dice {{ faces.label }} forget;")

    assert r"Dice \[\[a\]\] \*b\* \#c \$d\$ \`e\` forget;" in note(*bound(tiny), pdf)


def test_words_that_the_run_does_not_bear_say_so(tiny: Tiny, pdf: Path) -> None:
    lay(tiny).edit(
        "templates/article.md",
        "high{% else %}low{% endclaim %}. {#due}",
        "high{% endclaim %}. {#due}",
    )
    texts = {
        float(said(article)) > 3.5: note(article, world, pdf)
        for article, world in (bound(tiny, seed=seed) for seed in (11, 12, 13, 14, 15))
    }

    assert "the mean is **Not borne out by this run:** high." in texts[False]
    assert "Not borne out" not in texts[True]


def test_an_article_without_a_summary_has_a_note_all_the_same(tiny: Tiny, tmp_path: Path) -> None:
    made = tmp_path / "throws.pdf"
    places = "".join(
        f'<p id="{each}"><a href="#{each}">x</a></p>' for each in ("throws", "roll", "faces")
    )
    made.write_bytes(sheets.printed(places))
    text = note(*bound(tiny), made)

    assert "shows each with a share of 0.167." in text
    assert (
        "## Contents\n\n- Throws ([[throws.pdf#nameddest=throws|throws]], [[throws.pdf#page=1|p. 1]])"
        in text
    )


@pytest.mark.slow
def test_every_link_of_this_articles_note_leads_to_its_place_in_the_pdf(finished: Finished) -> None:
    reader = PdfReader(finished.pdf("a4"))
    named = {
        str(name): 1 + (reader.get_destination_page_number(place) or 0)
        for name, place in reader.named_destinations.items()
    }
    text = finished.beside[".md"].read_text("utf-8")
    links = list(_links(text))
    pairs = re.findall(r"nameddest=([\w-]+)\|[^\]]+\]\], \[\[[^#]+#page=(\d+)\|p\. (\d+)\]\]", text)

    assert {file for file, _, _ in links} == {finished.pdf("a4").name}
    assert [to for _, how, to in links if how == "nameddest" and to not in named] == []
    assert len(pairs) > 25
    assert [name for name, page, shown in pairs if not named[name] == int(page) == int(shown)] == []


@pytest.mark.slow
def test_every_number_of_this_articles_note_stands_in_its_page(finished: Finished) -> None:
    text = finished.beside[".md"].read_text("utf-8")
    numbers = text[text.index("### Numbers to remember") : text.index("### The formula")]
    page = finished.page.read_text("utf-8")
    [block] = re.findall(r'<div class="key-numbers">.*?</div>', page, re.DOTALL)
    printed = re.findall(r'<data class="n"[^>]*>([^<]*)</data>', block)

    assert len(printed) > 5
    assert re.findall(r"(?<![\w_])[\d.,]*\d", re.sub(r"\^[\w-]+", "", numbers)) == printed
