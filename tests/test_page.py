"""The page carries everything it needs, says every picture in words, and lets no markup in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from tinyhtml5.parser import HTMLParser

from report import experiment, page, screen, trying, worker
from report.article import Article, Origin, World, compose
from report.claims import Claim, Ledger
from report.errors import Mistake
from report.project import open_project, read_settings
from report.results import loads
from report.style import read_tokens
from report.symbols import symbols
from tests.conftest import FILES, Tiny

ARTICLE = """\
+++
title = "Throws of a <b>die</b> & more"
short_title = "Throws"
kicker = "Chance"
dek = "A small \\"article\\"."
slug = "throws"
author = "Nobody & Co."
published = "2026-01-02"
version = "1.0"
language = "en-US"
license = "CC0"
license_url = "https://creativecommons.org/publicdomain/zero/1.0/"
keywords = ["dice", "<chance>"]
description = "A small article about \\"dice\\"."
+++

::: short-answer
A die with {{ dice.sides | count }} sides shows each with a share of {{ faces.share | fixed(3) }}.
:::

## Throws of $d_k$ dice {#throws step="Step 1"}

Means stray,[^far] as [](#roll) shows for {{ roll.sides | count }} sides of a {{ faces.label }}.
[^near]

[^far]: By about $\\sqrt{n}$, see {{ cite("knuth1997", "p. 1") }}; {{ faces.share | percent(1) }}.

[^near]: But not always ({{ cite("pascal1654") }}).

$$\\operatorname{Var}(q)=\\sum_{i=1}^{n} q_i$$

::: figure roll
**Means stray.** Each mark is one of {{ roll.sides | words }} sides.
:::

### In words {#in-words}

::: definition Share of $p$
One over the number of sides.
:::

::: figure faces
**All faces are alike.** The bar is the share of each.
:::

## Tables and questions {#tables}

::: table kinds
Kinds of dice.

| Kind | Sides of a {{ faces.label }} | Known |
|---|---|---|
| Cube | {{ dice.sides | plain }} | long |
| Coin | two & no more | `a < b` |
:::

```python
def throw(sides: int, generator: Generator) -> int:
    return generator.integers(1, sides + 1)  # <b>
```

:::: self-test
::: question
How many sides?

???

{{ dice.sides | words }}.
:::
::::

## Dice on one page {#one-page}

:::: summary
### The chain {#page-chain}

::: chain
1. **Throw.** It shows a side.
2. **Mean.** It strays.
:::

### Numbers to remember {#page-numbers}

::: key-numbers
- **{{ dice.sides | count }}** The sides.
- **{{ faces.share | fixed(2) }}** The share of each.
:::

### Traps {#page-traps}

1. **"It is due."** Dice forget.

### The answer {#page-answer}

Means stray.
::::

## Sources {#sources}

{{ sources() }}
"""

SOURCES = """\
[knuth1997]
authors = "Knuth"
year = 1997
title = "What is <random>?"
url = "https://example.org/a_b/c"
where = "ch. 2"
code = "commit 0a1b2c"
venue = "Third edition"
supports = "the root"

[pascal1654]
authors = "Pascal"
year = 1654
title = "Letters"
arxiv = "1654.00001"
supports = "the question"
"""

OWN = {"templates/article.md": ARTICLE, "templates/sources.toml": SOURCES}

Build = Callable[..., str]


def _world(tiny: Tiny, drawings: Path, **seeds: Any) -> tuple[Article, World]:
    project = open_project(tiny.root)
    settings = read_settings(project, seeds)
    results, words = {}, {}
    drawings.mkdir(exist_ok=True)
    for stem in project.stems:
        text = experiment.measure(project, experiment.load(project, stem), settings)
        drawn = worker.draw(project, stem, text, None)
        for layout, neutral in drawn.drawings.items():
            (drawings / f"{stem}-{layout}.svg").write_text(neutral, "utf-8")
        results[stem], words[stem] = loads(stem, text), json.loads(drawn.description)
    world = World(project, settings, results, words, Origin({"numpy": "2.4"}, "make report"))
    return compose(world), world


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a small project whose article has one of everything."""
    folder = tmp_path_factory.mktemp("page")
    tiny = Tiny(folder / "tiny")
    for name, text in (FILES | OWN).items():
        tiny.write(name, text)
    article, world = _world(tiny, folder / "drawings")
    return page.render(article, world, folder / "drawings")


@pytest.fixture
def build(tiny: Tiny, tmp_path: Path) -> Build:
    """Write the page again, for a test that edits the project or overrides a seed."""
    for name, text in OWN.items():
        tiny.write(name, text)

    def built(**seeds: Any) -> str:
        article, world = _world(tiny, tmp_path / "drawings", **seeds)
        return page.render(article, world, tmp_path / "drawings")

    return built


@cache
def _tree(html: str) -> Element:
    parser = HTMLParser(namespace_html_elements=False)
    tree: Element = parser.parse(html)
    assert parser.errors == []
    return tree


def _named(tree: Element, name: str) -> list[Element]:
    return [each for each in tree.iter() if str(each.tag).rpartition("}")[2] == name]


def _words(element: Element) -> str:
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def _meta(tree: Element) -> dict[str, str]:
    found = [
        (each.get("name") or each.get("property") or "", each.get("content") or "")
        for each in _named(tree, "meta")
    ]
    return dict(found)


# One file


def test_a_page_is_valid_html(html: str) -> None:
    _tree(html)


def test_nothing_in_a_page_is_fetched(html: str) -> None:
    loaded = [
        value
        for element in _tree(html).iter()
        for name, value in element.items()
        if name in ("src", "srcset", "data", "poster", "action")
        or (name == "href" and element.tag not in ("a", "link"))
    ]
    assert [each for each in loaded if not each.startswith(("data:", "#"))] == []
    assert {each[:5] for each in re.findall(r"url\(([^)]*)\)", html)} == {"data:"}
    assert "@import" not in html


def test_a_page_runs_no_script_and_forbids_all_but_its_own_styles(html: str) -> None:
    tree = _tree(html)
    policy = _named(tree, "meta")[1].get("content", "")
    assert _named(tree, "script") == []
    assert [n for e in tree.iter() for n, _ in e.items() if n.startswith("on")] == []
    assert policy.startswith(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
    )


def test_a_page_runs_the_scripts_of_its_figures_alone_each_after_its_caption(
    html: str, tiny: Tiny, build: Build
) -> None:
    script = "document.currentScript.previousElementSibling.append(1 < 2);\n"
    tiny.write("figures/roll.js", script)
    tree = _tree(build())
    [only] = _named(tree, "script")
    [mount] = [each for each in tree.iter() if each.get("class") == "trying"]
    [around] = [each for each in tree.iter() if only in list(each)]
    at = list(around).index(only)

    assert only.text == script
    assert [each.tag for each in list(around)[at - 2 : at + 2]] == [
        "figure", "div", "script", "details",
    ]  # fmt: skip
    assert list(around)[at - 2].get("id") == "roll"
    assert json.loads(mount.get("data-result", ""))["sides"] == 6
    assert (
        _named(tree, "meta")[1]
        .get("content", "")
        .startswith(
            f"default-src 'none'; script-src '{trying.fingerprint(script)}'; style-src 'unsafe-inline';"
        )
    )
    assert "trying" not in html.replace(".trying", "")


def test_a_page_is_light_enough_to_send(html: str) -> None:
    assert len(html.encode()) < page.LIMIT


def test_a_page_too_heavy_to_send_names_its_heaviest_drawing(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "LIMIT", 100_000)

    with pytest.raises(
        Mistake, match=r"0\.\d MB, and 0\.1 MB is the most, and its heaviest drawing is roll-"
    ):
        build()


def test_two_builds_give_the_same_bytes(html: str, build: Build) -> None:
    assert build() == html


def test_another_seed_moves_no_anchor(build: Build) -> None:
    one, other = (re.findall(r' id="([^"]+)"', build(seed=seed)) for seed in (11, 12))

    assert one == other


def test_only_the_faces_that_something_is_set_in_travel_along(tiny: Tiny, build: Build) -> None:
    assert {"Quill Math", "Quill Code"} <= set(
        re.findall(r'@font-face \{ font-family: "([^"]+)"', build())
    )

    text = re.sub(r"\$\$.*?\$\$|\$\\\\sqrt\{n\}\$|```.*?```|`a < b`", "x", ARTICLE, flags=re.DOTALL)
    tiny.write("templates/article.md", text)
    faces = set(re.findall(r'@font-face \{ font-family: "([^"]+)"', build()))

    assert "Quill Math" not in faces
    assert "Quill Text" in faces


def test_every_color_a_page_asks_for_is_defined(html: str) -> None:
    asked = set(re.findall(r"var\((--[\w-]+)", html))
    defined = set(re.findall(r"(--[\w-]+):", html))
    assert asked - defined == set()


def test_dark_and_light_define_the_same_colors() -> None:
    css = screen._themes(read_tokens(None))

    blocks = [
        set(re.findall(r"--[\w-]+(?=:)", block))
        for block in re.findall(r"\{color-scheme:\w+;(.*?)\}", css)
    ]
    assert len(blocks) == 4
    assert all(block == blocks[0] for block in blocks)


# What is in it


def test_no_mark_and_no_template_is_left_over(html: str) -> None:
    assert not re.search("[\ue000-\uf8ff]", html)
    assert "{{" not in html
    assert "{%" not in html


def test_ids_are_unique_and_every_inner_link_leads_to_one(html: str) -> None:
    tree = _tree(html)

    ids = [name for each in tree.iter() if (name := each.get("id"))]
    links = [h[1:] for each in _named(tree, "a") if (h := each.get("href") or "").startswith("#")]
    assert sorted(ids) == sorted(set(ids))
    assert set(links) - set(ids) == set()
    assert "note-far" in links
    assert "source-knuth1997" in links


def test_ids_inside_drawings_lead_to_their_own_drawing(html: str) -> None:
    for stem, layout in (("roll", "wide"), ("roll", "narrow"), ("faces", "wide")):
        drawing = re.search(rf'<svg[^>]*id="{stem}-{layout}".*?</svg>', html, re.DOTALL)
        assert drawing
        used = re.findall(r'href="#([^"]+)"', drawing[0])
        assert all(f'id="{name}"' in drawing[0] for name in used)


def test_each_figure_stands_once_in_two_layouts_with_its_own_words(html: str) -> None:
    said = (
        "A bar for the share of each of the 6 sides of a die: all reach 0.167, since no side "
        "comes up more often than another when the die is a fair one."
    )
    drawings = [
        (each.get("id"), each.get("role"), each.get("aria-label"))
        for each in _named(_tree(html), "svg")
    ]

    assert [name for name, _, _ in drawings] == [
        "roll-wide", "roll-narrow", "faces-wide", "faces-narrow",
    ]  # fmt: skip
    assert drawings[2:] == [("faces-wide", "img", said), ("faces-narrow", "img", said)]
    assert _named(_named(_tree(html), "body")[0], "title") == []  # it would pop up as a tooltip


def test_the_description_and_the_data_of_a_figure_are_folded_beneath_it(html: str) -> None:
    tree = _tree(html)

    data = next(e for e in _named(tree, "details") if e.get("class") == "description")
    assert _words(_named(data, "summary")[0]) == "Text description and data of Figure 1"
    assert _words(_named(data, "caption")[0]) == "Means."
    assert [each.get("scope") for each in _named(data, "th")] == ["col", "col", "row", "row"]


def test_a_number_carries_its_stored_value_and_where_it_is_stored(html: str) -> None:
    numbers = [
        (each.get("value"), each.get("data-path"), each.text)
        for each in _named(_tree(html), "data")
    ]

    assert numbers[:2] == [("6", "dice.sides", "6"), ("0.166666667", "faces.share", "0.167")]
    assert ("6", "roll.sides", "six") in numbers


def test_a_number_is_no_stop_for_the_keyboard(html: str) -> None:
    assert all(each.get("tabindex") is None for each in _named(_tree(html), "data"))


def test_the_numbers_of_a_section_are_listed_under_it_once(html: str) -> None:
    tree = _tree(html)

    table = next(e for e in _named(tree, "details") if e.get("id") == "numbers")
    rows = [[_words(cell) for cell in row] for row in _named(table, "tr")]
    assert rows[:6] == [
        ["Printed", "Stored value", "Place"],
        ["Throws of a <b>die</b> & more"],
        ["6", "6", "dice.sides"],
        ["0.167", "0.166666667", "faces.share"],
        ["Throws of d sub k dice"],
        ["6", "6", "roll.sides"],
    ]
    assert ["16.7%", "0.166666667", "faces.share"] in rows
    links = [each.get("href") for p in tree.iter("p") if p.get("class") == "where" for each in p]
    assert links == [f"#numbers-{name}" for name in ("first", "throws", "tables", "one-page")]


def test_a_formula_carries_its_tex_and_its_spoken_words(html: str) -> None:
    math = next(each for each in _named(_tree(html), "math") if each.get("display") == "block")

    note = _named(math, "annotation")[0]
    assert note.get("encoding") == "application/x-tex"
    assert note.text == r"\operatorname{Var}(q)=\sum_{i=1}^{n} q_i"
    assert "the variance of" in (math.get("alttext") or "")


def test_notes_and_their_calls_lead_to_each_other(html: str) -> None:
    tree = _tree(html)

    notes = _named(tree, "aside")
    assert [each.get("id") for each in notes] == ["note-far", "note-near"]
    assert [_named(each, "a")[0].get("href") for each in notes] == ["#call-far", "#call-near"]
    calls = [each for each in _named(tree, "a") if each.get("role") == "doc-noteref"]
    assert [(c.get("id"), c.get("href"), c.text) for c in calls] == [
        ("call-far", "#note-far", "1"),
        ("call-near", "#note-near", "2"),
    ]


def test_a_title_holds_its_words_and_no_notes(html: str) -> None:
    term = _named(_tree(html), "dt")[0]

    assert _words(term) == "Share of p"


def test_an_answer_is_folded_under_its_question(html: str) -> None:
    question = next(e for e in _named(_tree(html), "li") if e.get("id") == "question-1")

    details = _named(question, "details")[0]
    assert details.get("open") is None
    assert _words(details) == "Answer to question 1 six."


def test_contents_list_the_main_headings_with_their_steps(html: str) -> None:
    nav = _named(_tree(html), "nav")[0]

    assert nav.get("aria-label") == "In this article"
    assert [(a.get("href"), _words(a)) for a in _named(nav, "a")] == [
        ("#throws", "Step 1 Throws of dk dice"),
        ("#tables", "Tables and questions"),
        ("#one-page", "Dice on one page"),
        ("#sources", "Sources"),
        ("#colophon", "How this was made"),
    ]


def test_every_heading_has_a_link_to_itself_that_says_where_it_leads(html: str) -> None:
    tree = _tree(html)

    headings = {each.get("id") for rank in ("h2", "h3") for each in _named(tree, rank)}
    links = {
        (a.get("href") or "")[1:]: a.get("aria-label")
        for a in _named(tree, "a")
        if a.get("class") == "anchor"
    }
    assert set(links) == headings
    assert links["throws"] == "Link to this section: Throws of d sub k dice"


def test_the_number_of_a_figure_or_table_is_the_link_to_it(html: str) -> None:
    tree = _tree(html)

    placed = {e.get("id") for e in [*_named(tree, "figure"), *_named(tree, "table")]} - {None}
    links = {
        (a.get("href") or "")[1:]: (a.get("aria-label"), _words(a))
        for a in _named(tree, "a")
        if a.get("class") == "label"
    }
    assert set(links) == placed
    assert links["faces"] == ("Link to this figure: Figure 2", "Figure 2")
    assert links["kinds"] == ("Link to this table: Table 1", "Table 1")


def test_the_top_of_a_page_leads_to_the_page_to_revise_from(html: str) -> None:
    top = next(e for e in _tree(html).iter("div") if e.get("class") == "byline")

    assert [(a.get("href"), _words(a)) for a in _named(top, "a")] == [
        ("#one-page", "One-page summary")
    ]


def test_an_article_without_a_page_to_revise_from_promises_none(build: Build, tiny: Tiny) -> None:
    text = tiny.read("templates/article.md")
    start, end = text.index("## Dice on one page"), text.index("## Sources")
    tiny.write("templates/article.md", text[:start] + text[end:])

    assert "One-page summary" not in build()


def test_on_a_phone_a_cell_says_its_column_and_ids_are_not_copied(html: str) -> None:
    table = next(each for each in _named(_tree(html), "table") if each.get("id") == "kinds")

    cell = _named(table, "td")[0]
    assert _words(cell) == "Sides of a face 6"
    assert cell[0].get("aria-hidden") == "true"


def test_code_that_may_not_fit_can_be_scrolled_by_keyboard(html: str) -> None:
    blocks = [each for each in _named(_tree(html), "pre") if each.get("class") == "code"]

    assert [(b.get("tabindex"), b.get("role"), b.get("aria-label")) for b in blocks] == [
        ("0", "region", "Code 1"),
        (None, None, None),  # `make report` is short
    ]


def test_a_source_says_who_what_where_and_what_for(html: str) -> None:
    tree = _tree(html)

    item = next(each for each in _named(tree, "li") if each.get("id") == "source-knuth1997")
    assert _words(item) == (
        "Knuth 1997. What is <random>? Third edition. example.org/a_b/c; commit 0a1b2c, ch. 2."
        " Supports: the root."
    )
    assert _named(item, "a")[0].get("href") == "https://example.org/a_b/c"


def test_the_number_of_a_preprint_stays_on_the_line_of_its_archive(html: str) -> None:
    item = next(e for e in _named(_tree(html), "li") if e.get("id") == "source-pascal1654")
    link = _named(item, "a")[0]

    assert (_words(link), link.get("href"), link.get("class")) == (
        "arXiv:1654.00001",
        "https://arxiv.org/abs/1654.00001",
        "whole",
    )
    assert ".whole { white-space: nowrap; }" in _words(_named(_tree(html), "style")[0])


# What it says of itself


def test_tools_find_title_author_date_license_and_citation(html: str) -> None:
    tree = _tree(html)

    said = _meta(tree)
    assert _words(_named(tree, "title")[0]) == "Throws of a <b>die</b> & more"
    assert said["author"] == said["citation_author"] == "Nobody & Co."
    assert said["description"] == said["og:description"] == 'A small article about "dice".'
    assert said["keywords"] == "dice, <chance>"
    assert said["citation_publication_date"] == "2026/01/02"
    links = {each.get("rel"): each.get("href") for each in _named(tree, "link")}
    assert links["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert "canonical" not in links


def test_a_site_makes_the_page_canonical(tiny: Tiny, build: Build) -> None:
    tiny.edit(
        "templates/article.md",
        'language = "en-US"',
        'language = "en-US"\nsite = "https://example.org/dice"',
    )

    links = {each.get("rel"): each.get("href") for each in _named(_tree(build()), "link")}

    assert links["canonical"] == "https://example.org/dice"


def test_the_byline_names_date_reading_time_seed_and_version(html: str) -> None:
    byline = next(each for each in _tree(html).iter("div") if each.get("class") == "byline")

    assert (
        _words(byline) == "Nobody & Co. January 2, 2026 1 min read One-page summary"
        " Edition: seed 11 · article version 1.0"
    )


def test_the_colophon_lists_seeds_parameters_versions_and_the_command(
    tiny: Tiny, build: Build
) -> None:
    tiny.edit("seeds.toml", "[faces]", "[faces]\nseed = 5")

    section = next(each for each in _tree(build(seed=12)).iter("section"))
    text = _words(section)

    rows = [[_words(cell) for cell in row] for row in _named(section, "tr")]
    assert rows[1:5] == [
        ["dice", "sides", "6"],
        ["faces", "label", '"face"'],
        ["roll", "scale", "1.5"],
        ["throws", "[10, 20]"],
    ]
    assert "departs from the project file: seed = 12." in text
    assert "The base seed is 12; pinned apart from it: faces 5." in text
    assert "numpy\u00a02.4" in text or "numpy 2.4" in text
    assert "make report" in text


def test_claims_are_listed_with_what_they_rest_on(tiny: Tiny, build: Build, tmp_path: Path) -> None:
    build()
    article, world = _world(tiny, tmp_path / "drawings")
    claim = Claim("roll", "strays", "A mean <strays>.", False, "3.1 against 3.5")
    html = page.render(
        article,
        replace(world, ledger=Ledger((claim,)), tallies={claim.path: "holds for 9 of 9 seeds"}),
        tmp_path / "drawings",
    )

    table = next(each for each in _named(_tree(html), "table") if each.get("class") == "claims")

    assert [_words(cell) for cell in _named(table, "tr")[1]] == [
        "A mean <strays>.",
        "no",
        "3.1 against 3.5",
        "holds for 9 of 9 seeds",
    ]


# No way in


def test_markup_in_data_stays_text(tiny: Tiny, build: Build) -> None:
    tiny.edit("seeds.toml", 'label = "face"', 'label = "<script>alert(1)</script>"')
    tiny.edit("figures/faces.py", '"caption": "Shares."', '"caption": "<i>Shares</i>"')
    tiny.edit("figures/faces.py", 'f"A bar for', 'f"<b>\\"A bar</b> for')

    tree = _tree(build())

    assert _named(tree, "script") == []
    drawing = next(each for each in _named(tree, "svg") if each.get("id") == "faces-wide")
    assert (drawing.get("aria-label") or "").startswith('<b>"A bar</b> for')
    assert "<i>Shares</i>" in [_words(each) for each in _named(tree, "caption")]
    assert "<script>alert(1)</script>" in _words(tree)


def test_a_symbol_in_plain_words_is_set_as_the_article_sets_it() -> None:
    assert symbols("at d_k = 64, not a_long_name") == (
        'at <span class="sym"><i>d<sub>k</sub></i></span> = 64, not a_long_name'
    )
