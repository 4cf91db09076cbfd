"""The fonts of the report: ours by name, found by weight and slant, complete, and licensed."""
# ruff: noqa: RUF001 - the characters that look alike are what is tested

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from copy import copy
from functools import cache
from pathlib import Path

import pytest
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont
from matplotlib.font_manager import FontProperties, fontManager

FONTS = Path(__file__).parents[1] / "templates" / "fonts"
REGULAR, ITALIC, SEMIBOLD, SEMIBOLD_ITALIC = (400, False), (400, True), (600, False), (600, True)
FACES = {  # a file's stem -> family, (weight, italic)
    "QuillText-Regular": ("Quill Text", REGULAR),
    "QuillText-Italic": ("Quill Text", ITALIC),
    "QuillText-Semibold": ("Quill Text", SEMIBOLD),
    "QuillText-SemiboldItalic": ("Quill Text", SEMIBOLD_ITALIC),
    "QuillSubhead-Regular": ("Quill Subhead", REGULAR),
    "QuillSubhead-Italic": ("Quill Subhead", ITALIC),
    "QuillSubhead-Semibold": ("Quill Subhead", SEMIBOLD),
    "QuillDisplay-Semibold": ("Quill Display", SEMIBOLD),
    "QuillSans-Regular": ("Quill Sans", REGULAR),
    "QuillSans-Italic": ("Quill Sans", ITALIC),
    "QuillSans-Semibold": ("Quill Sans", SEMIBOLD),
    "QuillCode-Regular": ("Quill Code", REGULAR),
    "QuillMath-Regular": ("Quill Math", REGULAR),
}
TEXT = [stem for stem in FACES if stem != "QuillMath-Regular"]
UNNEEDED_ON_A_PAGE = ["QuillText-SemiboldItalic", "QuillSubhead-Italic"]
SHOWN_NAMES = [1, 3, 4, 6, 16, 18, 20, 21, 25]  # every record that names the font to a user
RADICAL = 0x221A

LATIN = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x17F)]))
GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψω"
WRITTEN_EVERYWHERE = (
    "–—‐‑‘’“”„†‡•…‰‹›⁄€™" + "−×÷·⋅√≈≤≥≠±∞∑∏∂∫′″‖½¼¾⅓⅛→←↑↓↔" + "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ₀₁₂₃₄₅₆₇₈₉₊₋"
)
LETTERS_THE_SERIF_LACKS = set("ĬĭĲĳŦŧ")
WRITTEN_IN_FORMULAS = "−×÷·⋅√≈≤≥≠±∞∑∏∂∫∈∉∀∃∇∝∼≡⊤⟂∥‖⟨⟩⌈⌉ℝ𝔼ℒ𝑎𝑘𝑞𝑥𝛼𝜎𝚺𝐖𝐱′→⇒↦⁡⁢⏟"


@cache
def opened(stem: str, suffix: str = ".ttf") -> TTFont:
    """Return one of the committed fonts."""
    return TTFont(FONTS / f"{stem}{suffix}", lazy=False)


def written_in(ranges: str) -> Iterator[int]:
    """Yield the code points of `0020-007E 00A0 ...`."""
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def lacking(stem: str, characters: str) -> str:
    """Return those of the characters that the face has no glyph for."""
    held = opened(stem).getBestCmap()
    return "".join(character for character in characters if ord(character) not in held)


def advances(stem: str, characters: str) -> set[int]:
    """Return the different widths of some characters."""
    font = opened(stem)
    return {font["hmtx"][font.getBestCmap()[ord(character)]][0] for character in characters}


def features(stem: str, table: str) -> set[str]:
    """Return the layout features of one table."""
    return {record.FeatureTag for record in opened(stem)[table].table.FeatureList.FeatureRecord}


def test_the_folder_holds_every_face_twice_and_no_other_font() -> None:
    """One TTF for drawing and printing, one WOFF2 for the page."""
    found = sorted(path.name for path in FONTS.iterdir() if path.suffix in {".ttf", ".woff2"})

    assert found == sorted(stem + suffix for stem in FACES for suffix in (".ttf", ".woff2"))


@pytest.mark.parametrize("stem", FACES)
def test_a_face_carries_no_reserved_name_where_a_user_reads_it(stem: str) -> None:
    """The license of a cut font forbids the name of the one it was cut from."""
    shown = [str(r) for r in opened(stem)["name"].names if r.nameID in SHOWN_NAMES]
    reserved = [name for name in shown if "source" in name.lower() or "stix" in name.lower()]

    assert len(shown) >= 4
    assert reserved == []


@pytest.mark.parametrize("stem", FACES)
def test_a_face_keeps_the_copyright_and_the_license_of_its_source(stem: str) -> None:
    """Both records travel inside the file, wherever it is copied."""
    names = opened(stem)["name"]

    assert names.getDebugName(0).startswith(("©", "Copyright"))
    assert "SIL Open Font License" in names.getDebugName(13)


@pytest.mark.parametrize("stem", FACES)
def test_a_face_names_its_family_and_is_filed_under_its_postscript_name(stem: str) -> None:
    """The family is the one style sheets and figures ask for."""
    names = opened(stem)["name"]
    family = names.getDebugName(16) or names.getDebugName(1)

    assert (family, names.getDebugName(6)) == (FACES[stem][0], stem)


@pytest.mark.parametrize("stem", FACES)
def test_a_face_states_its_weight_and_slant_in_every_table_that_is_asked(stem: str) -> None:
    """Pango reads OS/2, older programs the bits of head, and PDF the angle of post."""
    font = opened(stem)
    weight, italic = FACES[stem][1]
    os2, bits = font["OS/2"], font["OS/2"].fsSelection
    stated = (os2.usWeightClass, bits & 1, font["head"].macStyle, font["post"].italicAngle < 0)

    assert stated == (weight, int(italic), 2 if italic else 0, italic)
    assert bool(bits & (1 << 6)) is not italic


@pytest.mark.parametrize("stem", FACES)
def test_matplotlib_finds_a_face_by_family_weight_and_slant(stem: str) -> None:
    """Among all the faces of the report, as when a figure is drawn."""
    manager = copy(fontManager)
    manager.ttflist = []
    for other in FACES:
        manager.addfont(FONTS / f"{other}.ttf")
    family, (weight, italic) = FACES[stem]
    wanted = FontProperties(family=family, weight=weight, style="italic" if italic else "normal")

    found = manager.findfont(wanted, fallback_to_default=False)

    assert Path(found).stem == stem


@pytest.mark.parametrize("stem", FACES)
def test_a_face_has_no_axis_left(stem: str) -> None:
    """Matplotlib would draw a variable font at its default place, silently."""
    variable = {"fvar", "avar", "gvar", "HVAR", "MVAR", "STAT", "CFF ", "CFF2"}
    left = variable & set(opened(stem).keys())

    assert left == set()


@pytest.mark.parametrize("stem", FACES)
def test_both_files_of_a_face_hold_the_same_characters_and_outlines(stem: str) -> None:
    """So that the page and the paper show one text."""
    ours = [opened(stem, suffix) for suffix in (".ttf", ".woff2")]
    orders = [font.getGlyphOrder() for font in ours]
    maps = [font.getBestCmap() for font in ours]
    widths = [font["hmtx"].metrics for font in ours]

    assert orders[0] == orders[1]
    assert maps[0] == maps[1]
    assert widths[0] == widths[1]


@pytest.mark.parametrize("stem", FACES)
def test_the_list_of_what_a_face_lacks_is_true(stem: str) -> None:
    """`coverage.json` promises characters; each is there, or owned up to."""
    listed = json.loads((FONTS / "coverage.json").read_text(encoding="utf-8"))
    wanted = set(written_in(listed["wanted"][FACES[stem][0]]))
    missing = wanted - set(opened(stem).getBestCmap())

    assert missing == set(written_in(listed["lacking"][stem]))


@pytest.mark.parametrize("stem", TEXT)
def test_a_face_for_words_holds_what_an_article_writes(stem: str) -> None:
    """Latin with accents, Greek, punctuation, arrows, and the signs of running text."""
    missing = set(lacking(stem, LATIN + GREEK + WRITTEN_EVERYWHERE))
    serif = not stem.startswith(("QuillSans", "QuillCode"))

    assert missing == (LETTERS_THE_SERIF_LACKS if serif else set())


def test_the_face_for_formulas_holds_what_a_formula_writes() -> None:
    """Operators, fences, alphabets, and the unseen operators of MathML."""
    missing = lacking("QuillMath-Regular", WRITTEN_IN_FORMULAS + GREEK)

    assert missing == ""


@pytest.mark.parametrize("stem", FACES)
def test_a_character_that_is_seen_has_an_outline(stem: str) -> None:
    """An empty glyph would be worse than a missing one: nobody would notice."""
    font = opened(stem)
    glyphs = font.getGlyphSet()
    blank = []
    for point, name in font.getBestCmap().items():
        pen = DecomposingRecordingPen(glyphs)
        glyphs[name].draw(pen)
        if not pen.value and unicodedata.category(chr(point)) not in {"Zs", "Cf"}:
            blank.append(f"U+{point:04X}")

    assert blank == []


@pytest.mark.parametrize("stem", FACES)
def test_figures_are_lining_and_of_one_width(stem: str) -> None:
    """Columns of numbers stand straight without a feature."""
    font = opened(stem)
    tops = {font["glyf"][font.getBestCmap()[ord(digit)]].yMax for digit in "0123456789"}

    assert len(advances(stem, "0123456789")) == 1
    assert max(tops) - min(tops) < 40


@pytest.mark.parametrize("family", ["QuillText", "QuillSans"])
def test_the_faces_for_text_keep_their_typographic_features(family: str) -> None:
    """Kerning, ligatures, raised and lowered figures, fractions, and signs for capitals."""
    kept = features(f"{family}-Regular", "GSUB") | features(f"{family}-Regular", "GPOS")

    assert kept >= {"kern", "mark", "liga", "pnum", "sups", "subs", "frac", "case", "ccmp"}


def test_the_face_for_formulas_keeps_its_table_and_its_small_cuts() -> None:
    """Without `MATH` a browser sets no root, no tall fence, no limits."""
    math = opened("QuillMath-Regular")["MATH"].table

    assert math.MathConstants.AxisHeight.Value == 258
    assert "ssty" in features("QuillMath-Regular", "GSUB")
    assert len(math.MathVariants.VertGlyphCoverage.glyphs) > 50


def test_every_size_of_the_radical_has_one_advance() -> None:
    """A browser reserves the widest before each root; different ones leave a hole behind it."""
    font = opened("QuillMath-Regular")
    variants = font["MATH"].table.MathVariants
    radical = font.getBestCmap()[RADICAL]
    built = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(radical)]
    sizes = [record.VariantGlyph for record in built.MathGlyphVariantRecord]
    pieces = [part.glyph for part in built.GlyphAssembly.PartRecords]

    assert len(sizes) == 4
    assert len(pieces) == 3
    assert len({font["hmtx"][glyph][0] for glyph in sizes + pieces}) == 1


@pytest.mark.parametrize("family", ["Text", "Subhead", "Display", "Sans", "Code", "Math"])
def test_the_license_of_a_family_lies_beside_it(family: str) -> None:
    """Each text opens with a copyright and holds the terms whole."""
    [path] = [path for path in FONTS.glob("LICENSE-Quill-*.txt") if family in path.stem]
    text = path.read_text(encoding="utf-8")
    parts = ["SIL OPEN FONT LICENSE Version 1.1", "PERMISSION & CONDITIONS", "DISCLAIMER"]

    assert text.startswith("Copyright ")
    assert [part for part in parts if part not in text] == []


def test_the_readme_names_the_package_and_version_of_every_source() -> None:
    """Whoever cuts the fonts again starts from the same files."""
    readme = (FONTS / "README.md").read_text(encoding="utf-8")
    script = (FONTS / "cut.py").read_text(encoding="utf-8")
    packages = ["fontpkg-source-serif-4", "fontpkg-source-sans-3", "fontpkg-source-code-pro"]
    named = [name for name in [*packages, "ziamath"] if f"{name}==" in readme]
    read = [name for name in [*packages, "ziamath"] if name.replace("-", "_") in script]

    assert named == read


def test_the_fonts_of_a_page_weigh_less_than_450_kilobytes() -> None:
    """A page of 1.5 MB carries them as text, a third larger."""
    carried = [FONTS / f"{stem}.woff2" for stem in FACES if stem not in UNNEEDED_ON_A_PAGE]
    weight = sum(path.stat().st_size for path in carried)

    assert weight < 450_000
