"""The PDF holds the whole article, leaves no page empty, reads only what it is handed, and says what it is."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pytest

from report import experiment, worker
from report.article import Article, Origin, World, compose
from report.claims import Ledger, judge
from report.errors import Mistake
from report.moved import READING
from report.pdf import document as pdf
from report.pdf.composition import GAP
from report.pdf.engine import Engine
from report.pdf.layout import PT, Survey, survey
from report.pdf.paper import Paper, finish, words
from report.project import open_project, read_settings
from report.results import dumps, loads
from tests.conftest import FILES, Tiny
from tests.finished import Finished
from tests.test_page import OWN
from tests.verapdf.validator import lacking, validate

ROOT = Path(__file__).parent.parent
LIMIT = 900_000  # bytes of the article's PDF with all its evidence
SENTENCE = "A die that is thrown often enough shows every side about as often as any other. "
LONG = SENTENCE * 9  # about ten lines
WORDY = "An extraordinary representation of well-known characteristics, and some understanding. "


@dataclass(frozen=True)
class Printed:
    """A finished PDF beside the world it was made of."""

    article: Article
    world: World
    made: pdf.Made

    @cached_property
    def reader(self) -> pypdf.PdfReader:
        """Read it with a library that had no part in it."""
        return pypdf.PdfReader(io.BytesIO(self.made.data))

    @cached_property
    def text(self) -> str:
        """All words, single spaces between them."""
        pages = " ".join(page.extract_text() for page in self.reader.pages)
        return re.sub(r"\s+", " ", pages.replace("\u200b", ""))

    @cached_property
    def file(self) -> pikepdf.Pdf:
        """Its objects."""
        return pikepdf.open(io.BytesIO(self.made.data))

    @cached_property
    def structure(self) -> list[tuple[Any, Any]]:
        """Each element of the tag tree with the one it lies in."""
        return list(_walk(self.file.Root.StructTreeRoot.K[0], None))

    def tagged(self, kind: str) -> list[Any]:
        """Give the elements of one kind, in reading order."""
        return [element for element, _ in self.structure if kind == element.S]


def _walk(element: Any, parent: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(element, pikepdf.Dictionary) or "/S" not in element:
        return
    yield element, parent
    for child in _children(element):
        yield from _walk(child, element)


def _children(element: Any) -> list[Any]:
    children = element.get("/K", [])
    return list(children) if isinstance(children, pikepdf.Array) else [children]


def _page_of(reader: pypdf.PdfReader, anchor: str) -> int:
    """Give the page that a named destination leads to, the first being 1."""
    return (reader.get_destination_page_number(reader.named_destinations[anchor]) or 0) + 1


def _stands_alone(reader: pypdf.PdfReader, summary: str) -> bool:
    """Tell whether a section begins at the head of a page, and the next main one on the very next."""
    page = _page_of(reader, summary)
    top = float(reader.named_destinations[summary].top or 0)
    head = float(reader.pages[page - 1].mediabox.height) - 72  # the margin, and not a line more
    outline: Any = reader.outline
    main = [entry for entry in outline if not isinstance(entry, list)]
    pages = [(reader.get_destination_page_number(entry) or 0) + 1 for entry in main]
    return top > head - 12 and page in pages and pages[pages.index(page) + 1] == page + 1


def _world(tiny: Tiny, drawings: Path, overrides: dict[str, Any] | None = None) -> World:
    project = open_project(tiny.root)
    settings = read_settings(project, overrides)
    results, described, claims = {}, {}, []
    drawings.mkdir(exist_ok=True)
    for stem in project.stems:
        loaded = experiment.load(project, stem)
        text = experiment.measure(project, loaded, settings)
        drawn = worker.draw(project, stem, text, None)
        for layout, neutral in drawn.drawings.items():
            (drawings / f"{stem}-{layout}.svg").write_text(neutral, "utf-8")
        results[stem], described[stem] = loads(stem, text), json.loads(drawn.description)
        claims.append(judge(loaded, results[stem]))
    origin = Origin({"numpy": "2.4"}, "make report")
    return World(project, settings, results, described, origin, Ledger.of(claims))


def _print(tiny: Tiny, paper: Paper = "a4", overrides: dict[str, Any] | None = None) -> Printed:
    drawings = tiny.root.parent / "drawings"
    world = _world(tiny, drawings, overrides)
    article = compose(world)
    return Printed(article, world, pdf.make(article, world, drawings, paper))


def _write(tiny: Tiny, files: dict[str, str]) -> Tiny:
    for name, text in files.items():
        tiny.write(name, text)
    return tiny


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """The PDF of a small article with one of everything."""
    tiny = Tiny(tmp_path_factory.mktemp("pdf") / "tiny")
    return _print(_write(tiny, FILES | OWN))


@pytest.fixture
def everything(tiny: Tiny) -> Tiny:
    """A small project whose article has one of everything."""
    return _write(tiny, OWN)


# What it holds


def test_the_whole_article_can_be_read_back(printed: Printed) -> None:
    wanted = [
        "Throws of a <b>die</b> & more", "A small \"article\".", "Nobody & Co.", "January 2, 2026",
        "Edition: seed 11 · article version 1.0", "The short answer",
        "shows each with a share of 0.167.", "Share of p", "One over the number of sides.",
        "Figure 1 Means stray.", "Nobody & Co., 2026 · CC0",
        "Table 1 Kinds of dice.", "two & no more", "a < b", "How many sides?", "What is <random>?",
        "def throw(sides: int, generator: Generator) -> int:", "Supports: the root.", "make report",
    ]  # fmt: skip

    assert [each for each in wanted if each not in printed.text] == []


def test_every_note_is_in_the_file(printed: Printed) -> None:
    notes = ["By about √n, see Knuth 1997, p. 1; 16.7%.", "But not always (Pascal 1654)."]
    text = printed.text.replace("\u00a0", " ")

    assert [note for note in notes if note not in text] == []


def test_the_labels_of_drawings_are_live_text(printed: Printed) -> None:
    means = [f"{mean:.2f}" for mean in printed.world.results["roll"]["means"].values()]

    assert [mean for mean in means if mean not in printed.text] == []


def test_questions_come_first_and_answers_after_them_numbered_alike(printed: Printed) -> None:
    assert re.search(r"How many sides\? ?1?.*Answers ?1? ?six\.", printed.text)


def test_question_and_answer_lead_to_each_other(printed: Printed) -> None:
    names = printed.reader.named_destinations

    assert {"/question-1", "/answer-1"} <= {f"/{name.lstrip('/')}" for name in names}


def test_the_outline_names_sections_with_their_steps(printed: Printed) -> None:
    outline: Any = printed.reader.outline
    top = [entry.title for entry in outline if not isinstance(entry, list)]
    below = [entry.title for entry in outline[1]]

    assert top == [
        "Step 1: Throws of dₖ dice",
        "Tables and questions",
        "Dice on one page",
        "Sources",
        "How this was made",
    ]
    assert below == ["In words"]


def test_the_contents_give_the_page_of_every_main_heading(printed: Printed) -> None:
    first = re.sub(r"\s+", " ", printed.reader.pages[0].extract_text())
    pages = {
        str(entry.title): (printed.reader.get_destination_page_number(entry) or 0) + 1
        for entry in printed.reader.outline
        if not isinstance(entry, list)
    }

    assert "In this article" in first
    for title, page in pages.items():
        if "dₖ" not in title:
            assert re.search(rf"{title} ?{page}\b", first)


def test_the_first_page_leads_to_the_page_to_revise_from(printed: Printed) -> None:
    first = re.sub(r"\s+", " ", printed.reader.pages[0].extract_text())
    page = _page_of(printed.reader, "one-page")

    assert f"One-page summary, page {page}" in first


def test_the_page_to_revise_from_has_a_page_of_its_own(printed: Printed) -> None:
    assert _stands_alone(printed.reader, printed.article.written.summary)


def test_every_place_of_the_text_is_a_named_destination(printed: Printed) -> None:
    names = {name.lstrip("/") for name in printed.reader.named_destinations}
    written = printed.article.written

    assert {heading.anchor for heading in written.headings} <= names
    assert {"roll", "faces", "kinds", "numbers", "colophon"} <= names


def test_another_seed_moves_no_named_destination(printed: Printed, everything: Tiny) -> None:
    everything.edit("seeds.toml", "seed = 11", "seed = 12")
    other = _print(everything)

    assert other.made.data != printed.made.data
    assert set(other.reader.named_destinations) == set(printed.reader.named_destinations)


def test_metadata_say_title_author_subject_keywords_and_language(printed: Printed) -> None:
    told: Any = printed.reader.metadata

    assert told.title == "Throws of a <b>die</b> & more"
    assert told.author == "Nobody & Co."
    assert told.subject == 'A small article about "dice".'
    assert told["/Keywords"] == "dice, <chance>"
    assert told["/CreationDate"].startswith("D:20260102")
    assert str(printed.file.Root.Lang) == "en-US"


def test_pages_are_labeled_as_their_feet_number_them(printed: Printed) -> None:
    count = len(printed.reader.pages)

    assert printed.made.pages == count
    assert printed.reader.page_labels == [str(number) for number in range(1, count + 1)]
    assert [f"{number} / {count}" in printed.text for number in range(1, count + 1)] == [
        True
    ] * count


def test_the_running_head_begins_on_the_second_page(printed: Printed) -> None:
    heads = [page.extract_text().split("\n").count("Throws") for page in printed.reader.pages]

    assert heads == [0, *[1] * (len(heads) - 1)]


def test_attached_results_and_parameters_are_the_ones_the_text_was_bound_to(
    printed: Printed,
) -> None:
    inside = {name: parts[0].decode() for name, parts in printed.reader.attachments.items()}
    results = {f"{stem}.json": dumps(stem, r) for stem, r in printed.world.results.items()}
    parameters = json.loads(inside.pop("parameters.json"))
    versions = json.loads(inside.pop("versions.json"))
    inside.pop(READING)

    assert inside == results
    assert parameters == {"seed": 11, **printed.world.settings.sections}
    assert versions["versions"] == {"numpy": "2.4"}
    assert set(versions["fingerprints"]) == {*results, "parameters.json", READING}


def test_names_of_attachments_stand_in_the_order_readers_search_them(printed: Printed) -> None:
    names = [str(name) for name in list(printed.file.Root.Names.EmbeddedFiles.Names)[::2]]

    assert names == sorted(names)


def test_an_attachment_says_what_it_is_and_bears_the_date_of_the_article(printed: Printed) -> None:
    with pikepdf.open(io.BytesIO(printed.made.data)) as file:
        for each in file.Root.AF:
            assert str(each.Desc)
            assert str(each.AFRelationship) in {"/Data", "/Source"}
            assert str(each.EF.F.Params.ModDate) == "D:20260102000000Z"


def test_only_the_fonts_of_the_house_are_embedded(printed: Printed) -> None:
    with pikepdf.open(io.BytesIO(printed.made.data)) as file:
        fonts = [
            o
            for o in file.objects
            if isinstance(o, pikepdf.Dictionary) and o.get("/Type") == "/FontDescriptor"
        ]
        names = {str(font.FontName).partition("+")[2] for font in fonts}

        assert all("/FontFile2" in font for font in fonts)
    assert names
    assert {name for name in names if not name.startswith("Quill-")} == set()


# What it tells machines


def test_every_figure_is_said_in_words(printed: Printed) -> None:
    said = [str(figure.Alt) for figure in printed.tagged("/Figure")]

    assert said == [printed.world.descriptions[stem]["alt"] for stem in printed.article.stems]


def test_every_drawn_formula_is_tagged_and_spoken(printed: Printed) -> None:
    said = [str(formula.Alt) for formula in printed.tagged("/Formula")]
    drawn = [f.spoken for f in printed.article.bound.formulas if f.display or not f.simple]

    assert said == drawn


def test_heads_of_tables_say_what_they_head(printed: Printed) -> None:
    row, column = pikepdf.Name.Row, pikepdf.Name.Column
    scopes = [cell.A.Scope for cell in printed.tagged("/TH")]

    assert scopes[:5] == [column, column, column, row, row]


def test_notes_are_tagged_each_with_a_name_of_its_own(printed: Printed) -> None:
    names = [str(note.ID) for note in printed.tagged("/Note")]

    assert names == ["note-1", "note-2"]


def test_every_link_is_one_element_with_its_area(printed: Printed) -> None:
    areas = [
        child
        for element, parent in printed.structure
        for child in _children(element)
        if isinstance(child, pikepdf.Dictionary) and child.get("/Type") == "/OBJR"
        if element.S == "/Link" and (parent is None or parent.S != "/Link")
    ]
    links = sum(len(page.get("/Annots", [])) for page in printed.reader.pages)

    assert len(areas) == links > 0


def test_a_pointer_can_hit_every_link(printed: Printed) -> None:
    areas = [
        [float(at) for at in link["/Rect"]]
        for page in printed.reader.pages
        for link in page.get("/Annots", [])
    ]

    assert [area for area in areas if area[2] - area[0] < 2 or area[3] - area[1] < 6] == []


def test_running_heads_are_kept_out_of_what_is_read(printed: Printed) -> None:
    with pikepdf.open(io.BytesIO(printed.made.data)) as file:
        streams = [page.Contents.read_bytes() for page in file.pages]

    assert [stream.count(b"/Pagination") for stream in streams] == [2, *[3] * (len(streams) - 1)]


def test_a_heading_is_plain_text_in_the_outline() -> None:
    assert words("Dividing by √<i>d</i><sub><i>k</i></sub> &amp; more") == "Dividing by √dₖ & more"


@pytest.mark.parametrize(
    ("written", "set_so"),
    [
        ("<p>Variances of terms add:</p>", "<p>Variances of terms\u00a0add:</p>"),
        ("<p>It is <i class='a b'>d</i>.</p>", "<p>It is\u00a0<i class='a b'>d</i>.</p>"),
        ("<p>It ends with uncommonly</p>", "<p>It ends with uncommonly</p>"),
        (
            "<p>See sec. 3.2 of it, not elsewhere</p>",
            "<p>See sec.\u00a03.2 of it, not elsewhere</p>",
        ),
        ('<pre class="code">sec. 3 of x</pre>', '<pre class="code">sec. 3 of x</pre>'),
        (
            '<p>So it says.<sup class="call">1</sup> And it goes on.</p>',
            '<p>So it <span class="keep">says.<sup class="call">1</sup></span> And it goes\u00a0on.</p>',
        ),
        ('<a href="#f">Figure 8</a> shows it', '<a href="#f">Figure\u00a08</a> shows it'),
        ("<span>d</span> = 64 of them", "<span>d</span>\u00a0=\u00a064 of them"),
    ],
)
def test_what_belongs_together_stays_on_one_line(written: str, set_so: str) -> None:
    assert finish(written, {}) == set_so


# How its pages are composed


def _article(*blocks: str) -> str:
    front = OWN["templates/article.md"].split("+++\n")[1]
    return "\n\n".join([f"+++\n{front}+++", "## Throws {#throws}", *blocks, "The end."]) + "\n"


FIGURES = (
    "::: figure roll\n**Means stray.** Each.\n:::",
    "::: figure faces\n**Alike.** Each.\n:::",
)


def _tall(tiny: Tiny, height: int) -> None:
    tiny.edit("figures/roll.py", "canvas.height = 60", f"canvas.height = {height}")


def test_no_page_stays_empty_before_a_tall_figure(tiny: Tiny) -> None:
    _tall(tiny, 420)
    tiny.write("templates/article.md", _article(LONG, FIGURES[0], LONG, LONG, LONG, FIGURES[1]))
    tiny.write("templates/sources.toml", "")

    printed = _print(tiny)

    first = printed.reader.pages[0].extract_text()
    assert printed.made.remarks == []
    assert first.count("A die that is thrown") > LONG.count("A die that is thrown")


def test_a_page_that_must_stay_empty_is_remarked(tiny: Tiny) -> None:
    _tall(tiny, 560)
    tiny.write(
        "templates/article.md", _article("Few words.", FIGURES[0], "### On {#on}", LONG, FIGURES[1])
    )
    tiny.write("templates/sources.toml", "")

    printed = _print(tiny)

    assert len(printed.made.remarks) == 1
    assert re.fullmatch(r"page 1 ends with \d+% of it blank", printed.made.remarks[0])


def test_a_list_within_a_list_is_set_with_signs_the_fonts_have(tiny: Tiny) -> None:
    lists = "- outer\n  - inner\n    - innermost\n\n1. first\n   - below it"
    tiny.write("templates/article.md", _article(lists, *FIGURES))
    tiny.write("templates/sources.toml", "")

    assert _print(tiny).text.count("\N{BULLET}") >= 4


def test_a_drawing_that_fits_on_no_page_with_its_caption_is_refused_by_its_words(
    tiny: Tiny,
) -> None:
    _tall(tiny, 690)

    with pytest.raises(Mistake, match=r"the mean of throws.* fits on no page with its caption"):
        _print(tiny)


def test_a_drawing_no_page_has_room_for_is_refused_by_its_words(tiny: Tiny) -> None:
    _tall(tiny, 900)

    with pytest.raises(Mistake, match=r"Marks for the mean of throws.* is taller than a page"):
        _print(tiny)


def _notes(count: int) -> str:
    calls = " ".join(f"Words that call a note[^n{i}] and go on after it." for i in range(count))
    notes = (f"[^n{i}]: Note {i} begins. " + SENTENCE * 2 + f"Note {i} ends." for i in range(count))
    return "\n\n".join([calls, *notes])


@pytest.mark.parametrize("count", [2, 7])
def test_notes_that_find_no_room_in_the_margin_stand_whole_at_the_foot(
    tiny: Tiny, count: int
) -> None:
    tiny.write("templates/article.md", _article(_notes(count), *FIGURES))
    tiny.write("templates/sources.toml", "")

    text = _print(tiny).text

    assert [i for i in range(count) if f"Note {i} begins." not in text] == []
    assert [i for i in range(count) if f"Note {i} ends." not in text] == []


def test_no_note_touches_another_or_what_reaches_into_the_margin(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Survey] = []
    write = Engine.write

    def watch(self: Engine, document: Any, *rest: Any) -> bytes:
        seen.append(survey(document))
        return write(self, document, *rest)

    monkeypatch.setattr(Engine, "write", watch)
    tiny.write("templates/article.md", _article(_notes(6), *FIGURES))
    tiny.write("templates/sources.toml", "")

    _print(tiny)

    for page, others in enumerate(seen[0].taken):
        mine = [note.box for note in seen[0].notes if note.page == page]
        stretches = [(n.position_y * PT, (n.position_y + n.margin_height()) * PT) for n in mine]
        stretches += [(other.top, other.bottom) for other in others]
        stretches.sort()
        assert all(a[1] + GAP <= b[0] + 0.01 for a, b in pairwise(stretches))


def test_every_hyphen_is_the_one_that_is_typed_to_search(tiny: Tiny) -> None:
    tiny.write("templates/article.md", _article(WORDY * 20, *FIGURES))
    tiny.write("templates/sources.toml", "")

    pages = [page.extract_text() for page in _print(tiny).reader.pages]

    assert any(line.endswith("-") for page in pages for line in page.split("\n"))
    assert any("well-known" in page for page in pages)
    assert [page for page in pages if "\N{HYPHEN}" in page or "\N{SOFT HYPHEN}" in page] == []


def test_lines_are_filled_whatever_follows_the_last_space(tiny: Tiny) -> None:
    words = [f"A{letter * count}" for letter in "it" for count in range(1, 31)]
    rest = "line that is as good as full at the place where a **strong word** stands on its own."
    tiny.write("templates/article.md", _article(*(f"{w} {rest}" for w in words), *FIGURES))
    tiny.write("templates/sources.toml", "")

    pages = [page.extract_text().replace("\u00a0", " ") for page in _print(tiny).reader.pages]

    first = [line for page in pages for line in page.split("\n") if re.match(r"A\w+ ?line", line)]
    assert len(first) == len(words)
    assert min(map(len, first)) > 50


def test_a_parameter_of_one_long_word_stays_on_the_page_wherever_it_stands(tiny: Tiny) -> None:
    """It stands in the masthead, where an edition departs from the project file, and among the others."""
    long = _print(tiny, overrides={"faces.label": "x" * 300, "seed": 2**64 - 1})

    pieces = [
        piece for page in long.reader.pages for piece in re.findall("xx+", page.extract_text())
    ]

    assert sum(map(len, pieces)) == 3 * 300
    assert max(map(len, pieces)) < 150


# What it refuses


def _engine(inside: str) -> Engine:
    """An engine that is handed one drawing with something in it."""
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{inside}</svg>'
    return Engine({"figure/roll-wide.svg": drawing.encode()})


DAY = date(2026, 1, 2)
PAGE = '<html lang="en"><title>t</title><img src="report:figure/roll-wide.svg" alt="A drawing">'


@pytest.mark.parametrize(
    "url", ["https://example.org/a.png", "file:///etc/hostname", "report:figure/none.svg"]
)
def test_an_address_smuggled_in_through_a_drawing_is_refused_by_name(url: str) -> None:
    engine = _engine(f'<image href="{url}" width="9" height="9"/>')

    with pytest.raises(Mistake) as raised:
        engine.write(engine.lay_out(engine.read(PAGE)), [], DAY)

    assert url in str(raised.value)
    assert str(raised.value).startswith("figures/roll.py: ")


def test_even_what_an_address_carries_itself_is_refused() -> None:
    engine = _engine('<image href="data:image/png;base64,AAAA" width="9" height="9"/>')

    with pytest.raises(Mistake, match="data:image/png"):
        engine.write(engine.lay_out(engine.read(PAGE)), [], DAY)


@pytest.mark.parametrize(
    "rule",
    [
        "body {{ background: url({url}) }}",
        "@import url({url});",
        "@font-face {{ font-family: Spy; src: url({url}) }} p {{ font-family: Spy }}",
    ],
)
def test_an_address_smuggled_in_through_a_style_is_refused_by_name(
    everything: Tiny, rule: str
) -> None:
    style = (ROOT / "templates/print.css").read_text("utf-8")
    everything.path("templates/print.css").write_text(
        rule.format(url="https://example.org/spy.css") + style, "utf-8"
    )

    with pytest.raises(Mistake, match=r"https://example\.org/spy\.css") as raised:
        _print(everything)

    assert "templates/print.css" in str(raised.value)


def test_whatever_the_engine_warns_of_fails_the_build_and_is_placed(everything: Tiny) -> None:
    style = (ROOT / "templates/print.css").read_text("utf-8")
    wrong = "p { colour: red }\n"  # codespell:ignore
    everything.path("templates/print.css").write_text(style + wrong, "utf-8")

    with pytest.raises(Mistake, match="colour") as raised:  # codespell:ignore
        _print(everything)

    line = style.count("\n") + 1
    assert str(raised.value).startswith(f"templates/print.css, line {line}: ")


def test_a_drawing_without_words_fails_the_build_and_is_named() -> None:
    engine = _engine("")

    with pytest.raises(Mistake, match=r"^figures/roll\.py: .* has no required alt description"):
        engine.write(engine.lay_out(engine.read(PAGE.replace("A drawing", ""))), [], DAY)


# The same bytes


def test_two_prints_have_the_same_bytes(everything: Tiny, printed: Printed) -> None:
    assert _print(everything).made.data == printed.made.data


SCRIPT = """
import hashlib, sys
from pathlib import Path
from tests.conftest import Tiny
from tests.test_pdf import _print
print(hashlib.sha256(_print(Tiny(Path(sys.argv[1]))).made.data).hexdigest())
"""


@pytest.mark.slow
def test_neither_place_nor_time_nor_hash_seed_moves_a_byte(
    everything: Tiny, tmp_path: Path
) -> None:
    moved = everything.copy(tmp_path / "a folder with spaces é" / "tiny")
    settings = [
        (everything.root, {"TZ": "UTC", "PYTHONHASHSEED": "1"}, ROOT),
        (
            moved.root,
            {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2", "SOURCE_DATE_EPOCH": "1"},
            tmp_path,
        ),
    ]
    hashes = set()
    for root, more, place in settings:
        path = os.pathsep.join([str(ROOT), str(ROOT / "figures")])
        found = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(root)],
            env=os.environ | more | {"PYTHONPATH": path},
            cwd=place, capture_output=True, text=True, check=True,
        )  # fmt: skip
        hashes.add(found.stdout.strip())

    assert len(hashes) == 1


# Standards, for the article itself


papers = pytest.mark.parametrize("paper", ["a4", "letter"])


@pytest.mark.slow
@papers
def test_the_article_is_archival_and_accessible_to_the_reference_validator(
    finished: Finished, paper: Paper
) -> None:
    if missing := lacking():
        pytest.skip(f"not proved: veraPDF needs {missing}")

    verdicts = validate(finished.pdf(paper), "3a", "ua1")

    assert {name: verdict.broken for name, verdict in verdicts.items()} == {"3a": {}, "ua1": {}}
    assert all(verdict.compliant and verdict.checks > 1000 for verdict in verdicts.values())


@pytest.mark.slow
@papers
def test_two_more_checkers_find_no_fault_in_how_the_article_is_read(
    finished: Finished, paper: Paper
) -> None:
    import outloud
    import pdfua

    file = str(finished.pdf(paper))

    assert outloud.check(file).findings == []
    assert list(pdfua.validate(file).findings) == []


@pytest.mark.slow
@papers
def test_the_file_of_the_article_is_sound_and_light(finished: Finished, paper: Paper) -> None:
    file = finished.pdf(paper)
    program = shutil.which("qpdf")
    if program is None:
        pytest.skip("not proved: no qpdf on this machine")

    said = subprocess.run([program, "--check", file], capture_output=True, text=True, check=True)

    assert "No syntax or stream encoding errors found" in said.stdout
    assert file.stat().st_size <= LIMIT


@pytest.mark.slow
@papers
def test_the_summary_of_the_article_has_a_page_of_its_own(finished: Finished, paper: Paper) -> None:
    reader = pypdf.PdfReader(finished.pdf(paper))
    annotations: Any = reader.pages[0].annotations
    summary = str(annotations[0].get_object()["/Dest"])  # the first link, above the text

    assert _stands_alone(reader, summary)


@pytest.mark.slow
@papers
def test_the_number_of_a_preprint_stays_with_its_archive(finished: Finished, paper: Paper) -> None:
    pages = pypdf.PdfReader(finished.pdf(paper)).pages

    assert [p for p in pages if re.search(r"arXiv:\s*\n", p.extract_text())] == []


@pytest.mark.slow
def test_the_validator_sees_what_is_wrong(tmp_path: Path) -> None:
    if missing := lacking():
        pytest.skip(f"not proved: veraPDF needs {missing}")
    bare = pypdf.PdfWriter()
    bare.add_blank_page(100, 100)
    bare.write(tmp_path / "bare.pdf")

    assert not validate(tmp_path / "bare.pdf", "ua1")["ua1"].compliant
