"""One drawing for page, print and file: the same words, safe, and nothing in each other's way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from report.drawing import canvas, svg
from report.drawing.canvas import Canvas
from report.drawing.lettering import Fonts
from report.drawing.neutral import parse, read
from report.numbers import Printer
from report.style import read_tokens

TEMPLATES = Path(__file__).parent.parent / "templates"
FONTS = TEMPLATES / "fonts"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
WORDS = ["Spread & gap < 1", "grows as √dk", "0.0184999", "−8.125", "0.0184999 and 12.3456789"]


def draw(_: object, sheet: Canvas) -> None:
    """Every kind of thing a drawing can hold."""
    sheet.height = 120
    sheet.rectangle(0, 90, 300, 20, "panel", radius=3, under=True)
    sheet.grid(50, 0, 300)
    sheet.line([(1.23456789, 10), (120.987654, 33.333333)], "raw", "data")
    sheet.line([(0, 60), (100, 60)], "ink3", "dotted", dotted=True)
    sheet.marks([(10, 20), (50, 30.123456)], "sqrt", "square")
    sheet.marks([(70, 20), (90, 30)], "dk", "diamond")
    sheet.area([(200, 10), (210, 30), (220, 10)], "raw", 0.2)
    sheet.cell(240, 10, 20, 20, 0.123456)
    sheet.lattice(240, 10, (1, 2), (20, 20))
    sheet.arrow([(140, 20), (170, 20)])
    for line, words in enumerate(WORDS):
        sheet.text(150, 60 + 10 * line, words.replace("dk", "*d_k*"), "ink2")


@pytest.fixture(scope="module")
def neutral() -> str:
    return canvas.draw(draw, {}, Printer(), "wide", TOKENS, FONTS)


@pytest.fixture(scope="module")
def forms(neutral: str) -> dict[str, str]:
    return {
        "page": svg.page(neutral, "spread", "wide", TOKENS, "A chart."),
        "printed": svg.printed(neutral, TOKENS),
        "outlined": svg.outlined(neutral, TOKENS, FONTS),
    }


every_form = pytest.mark.parametrize("form", ["page", "printed", "outlined"])


@every_form
def test_no_form_changes_the_words(form: str, forms: dict[str, str], neutral: str) -> None:
    assert svg.text_of(neutral) == WORDS
    assert svg.text_of(forms[form]) == WORDS


def test_coordinates_are_rounded_and_numbers_in_words_are_not(neutral: str) -> None:
    geometry = " ".join(
        str(value)
        for node in parse(neutral).iter()
        for name, value in node.items()
        if name in ("d", "x", "y", "dx")
    )

    assert "0.0184999 and 12.3456789" in neutral
    assert re.findall(r"\d\.\d{3,}", geometry) == []
    assert "M1.23 10L120.99 33.33" in neutral


@pytest.mark.parametrize("form", ["printed", "outlined"])
def test_a_form_for_paper_has_constant_colors_only(form: str, forms: dict[str, str]) -> None:
    paints = {
        str(value)
        for node in parse(forms[form]).iter()
        for name, value in node.items()
        if name in ("fill", "stroke")
    }

    assert "var(" not in forms[form]
    assert {paint for paint in paints if not re.fullmatch(r"none|#[0-9A-F]{6}", paint)} == set()


def test_the_page_takes_colors_from_custom_properties_and_has_a_fallback_for_each(
    forms: dict[str, str],
) -> None:
    used = set(re.findall(r"var\(--fig-([a-z0-9-]+),(#[0-9A-F]{6})\)", forms["page"]))

    assert {("raw", "#BF4316"), ("sqrt", "#18479A"), ("ink2", "#4F4C46")} <= used
    assert forms["page"].count("var(") == len(
        re.findall(r"var\([a-z0-9-]+,#\w{6}\)", forms["page"])
    )
    assert all(TOKENS.color(role, "light") == color for role, color in used)


def test_ids_never_meet_on_a_page_with_many_drawings(neutral: str) -> None:
    page = "".join(
        svg.page(neutral, stem, layout, TOKENS)
        for stem in ("spread", "weights")
        for layout in ("wide", "narrow")
    )
    ids = re.findall(r'\bid="([^"]+)"', page)
    referred = re.findall(r'href="#([^"]+)"', page)

    assert len(ids) == len(set(ids))
    assert set(referred) <= set(ids)


def test_styles_of_a_drawing_reach_no_other(forms: dict[str, str]) -> None:
    style = re.search(r"<style>(.*?)</style>", forms["page"])

    assert style is not None
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", style[1])
    assert {rule for rule in rules if not rule.startswith("#spread-wide ")} == set()


def test_what_a_use_copies_carries_its_own_paint(forms: dict[str, str]) -> None:
    """Rules that start at the drawing's id do not reach into the copy a <use> makes."""
    marks = [node for defs in parse(forms["page"]).iter("{*}defs") for node in defs]

    assert len(marks) == 2
    assert all("stroke:var(--fig-paper" in str(mark.get("style")) for mark in marks)


def test_the_alternative_is_escaped_and_marks_the_drawing_as_one_image(neutral: str) -> None:
    page = svg.page(neutral, "spread", "wide", TOKENS, 'Less < "more" & d_k')
    root = parse(page)

    assert root.get("aria-label") == 'Less < "more" & d_k'
    assert root.get("role") == "img"
    assert root.get("width") is None


def test_the_page_form_is_fit_for_html(forms: dict[str, str]) -> None:
    assert "xmlns" not in forms["page"]
    assert "matplotlib" not in forms["page"].lower()
    assert "<metadata" not in forms["page"]


def test_the_outlined_file_needs_no_font_and_brings_its_paper(forms: dict[str, str]) -> None:
    root = parse(forms["outlined"])
    first = next(node for node in root if etree.QName(node).localname == "path")

    assert "<text" not in forms["outlined"]
    assert "font" not in forms["outlined"]
    assert first.get("fill") == TOKENS.color("paper", "light")
    assert root.get("viewBox") == "-14 -14 487 148"


def test_outlines_stand_where_the_words_stood(forms: dict[str, str], neutral: str) -> None:
    live = next(node for node in parse(neutral).iter("{*}text") if node.text == "−8.125")
    label = next(
        node for node in parse(forms["outlined"]).iter("{*}g") if node.get("aria-label") == "−8.125"
    )
    run = label[0]
    em = Fonts(FONTS).cut(svg._face("Quill Sans", "400", "normal")).em

    assert str(run.get("transform")).startswith(f"translate({live.get('x')} {live.get('y')})")
    assert f"scale({float(str(live.get('font-size'))) / em:.6f} " in str(run.get("transform"))
    assert len(run) == len("−8.125")


@every_form
def test_every_form_has_the_same_bytes_twice(
    form: str, forms: dict[str, str], neutral: str
) -> None:
    again = {
        "page": lambda: svg.page(neutral, "spread", "wide", TOKENS, "A chart."),
        "printed": lambda: svg.printed(neutral, TOKENS),
        "outlined": lambda: svg.outlined(neutral, TOKENS, FONTS),
    }

    assert again[form]() == forms[form]


# Nothing gets in


@pytest.mark.parametrize(
    ("smuggled", "message"),
    [
        ("<script>alert(1)</script>", "no <script>"),
        ("<image href='file:///etc/passwd'/>", "no <image>"),
        ("<foreignObject/>", "no <foreignObject>"),
        ("<path d='M0 0' onload='alert(1)'/>", "no attribute 'onload'"),
        ("<use href='https://example.org/x.svg#a'/>", "may not refer to 'https"),
        ("<path d='M0 0' fill='url(https://example.org)'/>", "may not set fill"),
        ("<path d='M0 0' stroke='red}body{display:none'/>", "may not set stroke"),
    ],
)
def test_a_drawing_holds_nothing_but_shapes_and_words(smuggled: str, message: str) -> None:
    neutral = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{smuggled}</svg>'

    with pytest.raises(ValueError, match=message):
        svg.page(neutral, "spread", "wide", TOKENS)


def test_an_entity_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    entity = f'<!DOCTYPE svg [<!ENTITY e SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
    drawing = f'{entity}<svg xmlns="http://www.w3.org/2000/svg"><text>&e;</text></svg>'

    with pytest.raises(ValueError, match="no declaration"):
        read(drawing)
    with pytest.raises(ValueError, match="no declaration"):
        svg.text_of(drawing)


# Comparing


def test_drawings_that_differ_by_less_than_the_tolerance_are_the_same(neutral: str) -> None:
    nudged = neutral.replace("M1.23 10L", "M1.24 10L")

    assert nudged != neutral
    assert svg.same(neutral, nudged, 0.02)
    assert not svg.same(neutral, nudged, 0.005)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.0184999 and", "0.0185 and"),
        ("--fig-raw)", "--fig-sqrt)"),
        ("<defs>", '<path d="M0 0"/><defs>'),
        ("M1.23 10L", "M1.23 10L5 5 "),
    ],
)
def test_other_words_colors_or_shapes_make_another_drawing(
    neutral: str, old: str, new: str
) -> None:
    other = neutral.replace(old, new, 1)

    assert other != neutral
    assert not svg.same(neutral, other, 1000)
