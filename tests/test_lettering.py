"""Letters stand in the browser and in the PDF where the drawing put them, kerned alike."""

from __future__ import annotations

import base64
import html
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pypdf
import pytest

from report.drawing import canvas, svg
from report.drawing.canvas import Canvas
from report.drawing.lettering import Fonts
from report.numbers import Printer
from report.style import FACES, read_tokens

TEMPLATES = Path(__file__).parent.parent / "templates"
FONTS = TEMPLATES / "fonts"
TOKENS = read_tokens(TEMPLATES / "tokens.toml")
MARKUP = "AVATAR To. Ty √*d_k* = 8"
START = 20.0

FACE = "".join(
    f"@font-face{{font-family:'{face.family}';font-weight:{face.weight};"
    f"font-style:{face.style};src:url({(FONTS / face.file).as_uri()})}}"
    for face in FACES.values()
)


def draw(_: object, sheet: Canvas) -> None:
    sheet.height = 60
    sheet.text(START, 30, MARKUP)


@pytest.fixture(scope="module")
def neutral() -> str:
    return canvas.draw(draw, {}, Printer(), "wide", TOKENS, FONTS)


@pytest.fixture(scope="module")
def places() -> list[tuple[str, float]]:
    """Each character and where it starts, as the fonts' own metrics and kerning say."""
    fonts = Fonts(FONTS)
    runs = Canvas("wide", Printer(), TOKENS, fonts).words(MARKUP).runs
    cuts = [fonts.cut(run.face) for run in runs]
    return [
        (letter, START + run.x + glyph.x * run.size / cut.em)
        for run, cut in zip(runs, cuts, strict=True)
        for letter, glyph in zip(run.text, cut.shape(run.text)[0], strict=True)
    ]


@pytest.mark.slow
def test_letters_stand_in_the_pdf_where_the_drawing_put_them(
    neutral: str, places: list[tuple[str, float]]
) -> None:
    import weasyprint

    picture = base64.b64encode(svg.printed(neutral, TOKENS).encode()).decode()
    page = (
        f"<style>{FACE}@page{{size:459pt 60pt;margin:0}}body{{margin:0}}img{{display:block}}</style>"
        f"<img src='data:image/svg+xml;base64,{picture}'>"
    )
    pdf = weasyprint.HTML(string=page).write_pdf()
    contents = pypdf.PdfReader(io.BytesIO(pdf)).pages[0].get_contents()
    assert contents is not None
    letters = re.findall(rb"1 0 0 -1 ([\d.]+) [\d.]+ Tm", contents.get_data())

    expected = [place for char, place in places if char != " "]

    assert [float(letter) for letter in letters] == pytest.approx(expected, abs=0.05)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium here: not proved")
def test_letters_stand_in_the_browser_where_the_drawing_put_them(
    neutral: str, places: list[tuple[str, float]], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><style>{FACE}svg{{width:459px}}</style>"
        f"{svg.page(neutral, 'sample', 'wide', TOKENS)}<pre></pre>"
        "<script>document.fonts.ready.then(() => {"
        "const text = document.querySelector('text');"
        "const places = [...Array(text.getNumberOfChars()).keys()]"
        ".map(i => text.getStartPositionOfChar(i).x);"
        "document.querySelector('pre').textContent = JSON.stringify(places);})</script>",
        "utf-8",
    )
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000"]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    shown = subprocess.run(
        ["chromium", *flags, profile, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"<pre>(.*?)</pre>", shown)
    assert found is not None

    expected = [place for _, place in places]

    assert json.loads(html.unescape(found[1])) == pytest.approx(expected, abs=0.1)
