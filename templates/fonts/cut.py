"""Cuts the fonts of the report from their open sources: static, small, under names of our own.

Run once by whoever changes the fonts: `python templates/fonts/cut.py`; `README.md` beside this
file names the packages it reads. A build reads only the files committed here.

Every source is under the SIL Open Font License 1.1, whose reserved names ("Source") may not be
carried by a changed copy: hence the family names "Quill ...". Two runs write the same bytes.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.ttLib.removeOverlaps import removeOverlaps
from fontTools.varLib import instancer

HERE = Path(__file__).parent

SERIF, SERIF_ITALIC = "SourceSerif4[opsz,wght].ttf", "SourceSerif4-Italic[opsz,wght].ttf"
SANS, SANS_ITALIC = "SourceSans3[wght].ttf", "SourceSans3-Italic[wght].ttf"
CODE, MATH = "SourceCodePro[wght].ttf", "STIXTwoMath-Regular.ttf"
FOLDERS = {  # a source file -> (package that carries it, folder inside)
    SERIF: ("fontpkg_source_serif_4", "files"),
    SERIF_ITALIC: ("fontpkg_source_serif_4", "files"),
    SANS: ("fontpkg_source_sans_3", "files"),
    SANS_ITALIC: ("fontpkg_source_sans_3", "files"),
    CODE: ("fontpkg_source_code_pro", "files"),
    MATH: ("ziamath", "fonts"),
}

TEXT_SIZE = 14.0  # points of optical size: sets 68 letters on the 112 mm of a line in print
SUBHEAD_SIZE = 18.0
DISPLAY_SIZE = 48.0


@dataclass(frozen=True)
class Face:
    """One face to cut: its name, where it comes from, and its place on the source's axes."""

    family: str
    style: str
    source: str
    axes: dict[str, float]

    @property
    def stem(self) -> str:
        """The PostScript name, which is the file's name too: `QuillText-SemiboldItalic`."""
        return f"{self.family}-{self.style}".replace(" ", "")

    @property
    def italic(self) -> bool:
        """Whether the face is slanted."""
        return self.style.endswith("Italic")

    @property
    def weight(self) -> int:
        """The weight on the CSS scale: 400 or 600."""
        return _weight(self.style)


def faces() -> Iterator[Face]:
    """Yield every face of the report, in the order of the page that names them."""
    serif = [
        ("Quill Text", TEXT_SIZE, ["Regular", "Italic", "Semibold", "Semibold Italic"]),
        ("Quill Subhead", SUBHEAD_SIZE, ["Regular", "Italic", "Semibold"]),
        ("Quill Display", DISPLAY_SIZE, ["Semibold"]),
    ]
    for family, size, styles in serif:
        for style in styles:
            source = SERIF_ITALIC if style.endswith("Italic") else SERIF
            yield Face(family, style, source, {"wght": _weight(style), "opsz": size})
    for style in ["Regular", "Italic", "Semibold"]:
        source = SANS_ITALIC if style == "Italic" else SANS
        yield Face("Quill Sans", style, source, {"wght": _weight(style)})
    yield Face("Quill Code", "Regular", CODE, {"wght": 400})
    yield Face("Quill Math", "Regular", MATH, {})


def _weight(style: str) -> int:
    return 600 if style.startswith("Semibold") else 400


# What an article may write. A face holds what its source has of it; `coverage.json` says the rest.
WANTED = [
    (0x0020, 0x007E),  # Basic Latin
    (0x00A0, 0x00FF),  # Latin-1
    (0x02C6, 0x02C7), (0x02D8, 0x02DD),  # spacing accents
    (0x0391, 0x03A1), (0x03A3, 0x03A9), (0x03B1, 0x03C9),  # Greek letters
    (0x03D1, 0x03D1), (0x03D5, 0x03D6), (0x03F1, 0x03F1), (0x03F5, 0x03F5),  # their variants
    (0x2002, 0x2003), (0x2007, 0x2007), (0x2009, 0x200B), (0x202F, 0x202F),  # spaces
    (0x2010, 0x2016), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026),  # punctuation
    (0x2030, 0x2030), (0x2032, 0x2034), (0x2039, 0x203A), (0x2044, 0x2044),
    (0x2070, 0x2070), (0x2074, 0x207F), (0x2080, 0x208E),  # superscripts and subscripts
    (0x20AC, 0x20AC), (0x2113, 0x2113), (0x2116, 0x2116), (0x211D, 0x211D), (0x2122, 0x2122),
    (0x2126, 0x2126), (0x212E, 0x212E), (0x2153, 0x2154), (0x215B, 0x215E),  # fractions
    (0x2190, 0x2195), (0x21D2, 0x21D2), (0x21D4, 0x21D4),  # arrows
    (0x2200, 0x2200), (0x2202, 0x2203), (0x2205, 0x2209), (0x220F, 0x220F),  # mathematical signs
    (0x2211, 0x2213), (0x2215, 0x2215), (0x2217, 0x221A), (0x221D, 0x221E), (0x2225, 0x222B),
    (0x223C, 0x223C), (0x2248, 0x2248), (0x2260, 0x2261), (0x2264, 0x2265), (0x226A, 0x226B),
    (0x2282, 0x2287), (0x2295, 0x2297), (0x22A4, 0x22A5), (0x22C5, 0x22C5), (0x27E8, 0x27E9),
    (0x25A0, 0x25A1), (0x25B2, 0x25B3), (0x25BC, 0x25BD), (0x25C6, 0x25C7), (0x25CA, 0x25CB),
    (0x25CF, 0x25CF), (0x2713, 0x2713),  # marks
    (0xFB00, 0xFB04),  # ligatures in pasted text
]  # fmt: skip
ACCENTED = [(0x0100, 0x017F), (0x0218, 0x021B), (0x1E9E, 0x1E9E)]  # Latin Extended-A and more
COMBINING = [(0x0300, 0x0304), (0x0306, 0x030C), (0x0327, 0x0328)]  # accents over any letter
FORMULAS = [
    (0x0305, 0x0305), (0x0330, 0x0332), (0x20D0, 0x20D1), (0x20D6, 0x20D7),
    (0x20DB, 0x20DC), (0x03DC, 0x03DD), (0x03F0, 0x03F0),  # accents and letters
    (0x2004, 0x2006), (0x205F, 0x205F), (0x2061, 0x2064),  # spaces and unseen operators
    (0x2035, 0x2037), (0x2057, 0x2057),  # primes
    (0x2102, 0x2102), (0x210B, 0x2112), (0x2115, 0x2115), (0x2118, 0x211D), (0x2124, 0x2124),
    (0x2127, 0x2128), (0x212C, 0x212D), (0x2130, 0x2131), (0x2133, 0x2138),  # letterlike
    (0x2196, 0x2199), (0x219A, 0x219B), (0x21A6, 0x21A6), (0x21A9, 0x21AA), (0x21BC, 0x21BC),
    (0x21C0, 0x21C0), (0x21CC, 0x21CC), (0x21D0, 0x21D5), (0x27F5, 0x27FA), (0x27FC, 0x27FC),
    (0x2200, 0x22A5), (0x22A8, 0x22A9), (0x22B2, 0x22B5), (0x22C0, 0x22C6), (0x22C8, 0x22C8),
    (0x22D8, 0x22DB), (0x22EE, 0x22F1),  # operators
    (0x2308, 0x230B), (0x239B, 0x23AE), (0x23B0, 0x23B1), (0x23B4, 0x23B5), (0x23DC, 0x23E1),
    (0x27C2, 0x27C2), (0x27E6, 0x27EB), (0x2983, 0x2986),  # fences, their pieces, and braces over and under
    (0x2A00, 0x2A06), (0x2A0C, 0x2A0C), (0x2A7D, 0x2A7E), (0x2AAF, 0x2AB0), (0x22EF, 0x22EF),
    (0x1D400, 0x1D49B), (0x1D49C, 0x1D4CF), (0x1D538, 0x1D56B),  # bold, italic, script, double
    (0x1D6A4, 0x1D755), (0x1D7CE, 0x1D7E1),  # Greek, bold and double-struck figures
]  # fmt: skip
# Old-style figures are left out, so figures are lining ones without a feature.
FEATURES = "kern ccmp locl liga calt case pnum tnum sups subs"
FEATURES_IN_TEXT = f"{FEATURES} mark mkmk frac numr dnom"
FEATURES_IN_FORMULAS = "kern ccmp ssty dtls"
# These features keep only what they do to figures and signs: no raised alphabets.
SIGNS_ONLY = {"sups", "subs", "case"}


def main() -> None:
    """Write every face as TTF and WOFF2, the licenses beside them, and what they cover."""
    wants: dict[str, str] = {}
    lacks: dict[str, str] = {}
    for face in faces():
        font = cut(face)
        _write(font, HERE / f"{face.stem}.ttf", None)
        _write(font, HERE / f"{face.stem}.woff2", "woff2")
        wants[face.family] = _ranges(wanted(face))
        lacks[face.stem] = _ranges(wanted(face) - set(font.getBestCmap()))
    text = json.dumps({"wanted": wants, "lacking": lacks}, indent=1)
    (HERE / "coverage.json").write_text(text + "\n", encoding="utf-8")
    _write_licenses()


def cut(face: Face) -> TTFont:
    """Return one static face, subset and renamed, ready to be written.

    Raises `ModuleNotFoundError` if the package that carries the source is not installed.
    """
    package, folder = FOLDERS[face.source]
    source = files(package).joinpath(folder, face.source).read_bytes()
    font = TTFont(BytesIO(source), recalcTimestamp=False)
    _thin_features(font)
    _subset(font, face)
    if face.axes:
        font = instancer.instantiateVariableFont(font, face.axes, inplace=True)
        del font["STAT"]  # it tells where a face lies on axes that are gone
        _even_figures(font)
        _compose_missing(font)
        removeOverlaps(font)
    else:
        _even_radicals(font)
    _rename(font, face)
    _set_style(font, face)
    return font


def wanted(face: Face) -> set[int]:
    """Return the code points a face should hold if its source has them."""
    more = {
        "Quill Math": COMBINING + FORMULAS,
        "Quill Text": ACCENTED + COMBINING,
        "Quill Sans": ACCENTED + COMBINING,
    }
    ranges = WANTED + more.get(face.family, ACCENTED)
    return {point for first, last in ranges for point in range(first, last + 1)}


def _subset(font: TTFont, face: Face) -> None:
    features = {
        "Quill Math": FEATURES_IN_FORMULAS,
        "Quill Text": FEATURES_IN_TEXT,
        "Quill Sans": FEATURES_IN_TEXT,
    }
    options = Options()
    options.layout_features = features.get(face.family, FEATURES).split()
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.glyph_names = False
    options.hinting = bool(face.axes)  # STIX carries 300 kB of hints, of no use on our screens
    options.recalc_timestamp = False
    options.drop_tables += ["BASE", "DSIG"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted(face))
    subsetter.subset(font)


def _thin_features(font: TTFont) -> None:
    """Take from the substitutions what no article writes, and with it the glyphs they lead to."""
    points = {glyph: point for point, glyph in font.getBestCmap().items()}
    for mapping in _substitutions(font, SIGNS_ONLY):
        for glyph in list(mapping):
            if glyph not in points or unicodedata.category(chr(points[glyph]))[0] in "LM":
                del mapping[glyph]
    for mapping in _substitutions(font, {"ssty"}):
        for glyph in list(mapping):
            if not _scales(points.get(glyph, 0)):
                del mapping[glyph]


def _scales(point: int) -> bool:
    """Tell whether a small cut of a sign is kept: of figures, plain and italic letters, signs."""
    small = [(0x20, 0x7E), (0x391, 0x3F5), (0x2000, 0x22FF), (0x1D400, 0x1D467), (0x1D6E2, 0x1D71B)]
    return any(first <= point <= last for first, last in small)


def _substitutions(font: TTFont, features: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the tables glyph -> glyph, or glyph -> its alternates, of some features."""
    gsub = font["GSUB"].table
    records = [r for r in gsub.FeatureList.FeatureRecord if r.FeatureTag in features]
    for index in sorted({i for record in records for i in record.Feature.LookupListIndex}):
        for subtable in gsub.LookupList.Lookup[index].SubTable:
            inner = getattr(subtable, "ExtSubTable", subtable)
            for kind in ("mapping", "alternates"):
                if hasattr(inner, kind):
                    yield getattr(inner, kind)


def _ranges(points: set[int]) -> str:
    """Write code points as hexadecimal ranges: `0020-007E 00A0 ...`."""
    firsts = sorted(point for point in points if point - 1 not in points)
    lasts = sorted(point for point in points if point + 1 not in points)
    pairs = zip(firsts, lasts, strict=True)
    return " ".join(f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in pairs)


def _write(font: TTFont, path: Path, flavor: str | None) -> None:
    font.flavor = flavor
    font.save(path)


# --- names and style bits -----------------------------------------------------------------------

COPYRIGHT, FAMILY, SUBFAMILY, UNIQUE, FULL, VERSION, POSTSCRIPT = range(7)
TRADEMARK, MAKER, DESIGNER, MAKER_URL, LICENSE, LICENSE_URL = 7, 8, 9, 11, 13, 14
TYPOGRAPHIC_FAMILY, TYPOGRAPHIC_SUBFAMILY = 16, 17
KEPT = [COPYRIGHT, VERSION, TRADEMARK, MAKER, DESIGNER, MAKER_URL, LICENSE, LICENSE_URL]


def _rename(font: TTFont, face: Face) -> None:
    """Replace the name table; copyright, trademark and license records stay as they were."""
    table = font["name"]
    names = {key: text for key in KEPT if (text := table.getDebugName(key))}
    names |= _names(face, version=names[VERSION].split(";")[0])
    table.names = []
    for key, text in sorted(names.items()):
        table.setName(text, key, 3, 1, 0x409)


def _names(face: Face, version: str) -> dict[int, str]:
    full = face.family if face.style == "Regular" else f"{face.family} {face.style}"
    names = {UNIQUE: f"{version};{face.stem}", FULL: full, POSTSCRIPT: face.stem}
    if not face.style.startswith("Semibold"):
        return names | {FAMILY: face.family, SUBFAMILY: face.style}
    # Old programs know four styles a family, none semibold: there it is a family of its own.
    return names | {
        FAMILY: f"{face.family} Semibold",
        SUBFAMILY: "Italic" if face.italic else "Regular",
        TYPOGRAPHIC_FAMILY: face.family,
        TYPOGRAPHIC_SUBFAMILY: face.style,
    }


def _set_style(font: TTFont, face: Face) -> None:
    """Set weight and slant where matplotlib, fontconfig and browsers each look for them."""
    italic, regular = 1 << 0, 1 << 6
    os2 = font["OS/2"]
    os2.usWeightClass = face.weight
    os2.fsSelection = os2.fsSelection & ~0b1111111 | (italic if face.italic else regular)
    os2.achVendID = "NONE"  # whoever drew the source did not make this cut
    font["head"].macStyle = 0b10 if face.italic else 0


def _even_figures(font: TTFont) -> None:
    """Give all figures the width of zero: rounding sets some apart by a thousandth of an em."""
    cmap, metrics = font.getBestCmap(), font["hmtx"]
    width, _ = metrics[cmap[ord("0")]]
    for figure in "123456789":
        metrics[cmap[ord(figure)]] = (width, metrics[cmap[ord(figure)]][1])


# --- glyphs put together from those the source has ----------------------------------------------

Part = tuple[str, tuple[float, float, float, float, float, float]]
HYPHEN, NO_BREAK_HYPHEN, MIDDLE_DOT, DOT_OPERATOR = 0x2010, 0x2011, 0x00B7, 0x22C5
EN_SPACE, EM_SPACE, THIN_SPACE, HAIR_SPACE, ZERO_SPACE = 0x2002, 0x2003, 0x2009, 0x200A, 0x200B


def _compose_missing(font: TTFont) -> None:
    """Add signs a source lacks that its own glyphs make: spaces, twins, double bar, arrows."""
    cmap = font.getBestCmap()
    for point, twin in {NO_BREAK_HYPHEN: 0x002D, DOT_OPERATOR: MIDDLE_DOT}.items():
        if point not in cmap:
            _encode(font, point, cmap[twin])
    mono = font["post"].isFixedPitch
    spaces = {EN_SPACE: 500, EM_SPACE: 1000, THIN_SPACE: 200, HAIR_SPACE: 100, ZERO_SPACE: 0}
    for point, width in spaces.items():
        if point not in cmap:
            _add(font, point, 600 if mono else width, [])
    if 0x2016 not in cmap:
        _add_double_bar(font, cmap[0x007C])
    if 0x2194 not in cmap:
        _add_double_arrow(font, cmap[0x2190], cmap[0x2192])
    if 0x207B not in cmap:
        _add_small_signs(font)


def _add_double_bar(font: TTFont, bar: str) -> None:
    width, _ = font["hmtx"][bar]
    glyph = font["glyf"][bar]
    apart = 2.6 * (glyph.xMax - glyph.xMin)
    _add(font, 0x2016, round(width + apart), [(bar, _moved(0, 0)), (bar, _moved(apart, 0))])


def _add_double_arrow(font: TTFont, left: str, right: str) -> None:
    width, _ = font["hmtx"][left]
    apart = round(width * 0.45)  # enough to keep the two heads from crossing
    _add(font, 0x2194, width + apart, [(left, _moved(0, 0)), (right, _moved(apart, 0))])


def _add_small_signs(font: TTFont) -> None:
    """Add raised and lowered minus and plus, made of the raised dash that the source has."""
    cmap = font.getBestCmap()
    dash = _substitute(font, "sups", cmap[0x2013])
    glyphs = font["glyf"]
    box = glyphs[dash]
    middle_x, middle_y = (box.xMin + box.xMax) / 2, (box.yMin + box.yMax) / 2
    turned = (0.0, 1.0, -1.0, 0.0, middle_x + middle_y, middle_y - middle_x)
    digits = glyphs[cmap[0x2070]], glyphs[cmap[0x2080]]
    drop = digits[1].yMin - digits[0].yMin
    width, _ = font["hmtx"][dash]
    for minus, plus, down in [(0x207B, 0x207A, 0.0), (0x208B, 0x208A, float(drop))]:
        upright = (*turned[:5], turned[5] + down)
        _add(font, minus, width, [(dash, _moved(0, down))])
        _add(font, plus, width, [(dash, _moved(0, down)), (dash, upright)])


def _moved(x: float, y: float) -> tuple[float, float, float, float, float, float]:
    return (1.0, 0.0, 0.0, 1.0, x, y)


def _substitute(font: TTFont, feature: str, glyph: str) -> str:
    """Return what a feature's single substitution makes of a glyph; `KeyError` if nothing."""
    for mapping in _substitutions(font, {feature}):
        if glyph in mapping:
            return str(mapping[glyph])
    raise KeyError(f"{feature} does not change {glyph}")


def _add(font: TTFont, point: int, width: int, parts: list[Part]) -> None:
    """Draw the parts into a new glyph and give it a code point."""
    pen = TTGlyphPen(None)
    glyph_set = font.getGlyphSet()
    for name, transform in parts:
        outline = DecomposingRecordingPen(glyph_set)
        glyph_set[name].draw(outline)
        outline.replay(TransformPen(pen, transform))
    name = f"uni{point:04X}.quill"
    font.setGlyphOrder([*font.getGlyphOrder(), name])
    glyph = pen.glyph()
    font["glyf"].glyphs[name] = glyph
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (width, getattr(glyph, "xMin", 0))
    _encode(font, point, name)


def _encode(font: TTFont, point: int, glyph: str) -> None:
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[point] = glyph


# --- the radical --------------------------------------------------------------------------------

RADICAL = "uni221A"
RADICAL_PIECES = [RADICAL, *(f"{RADICAL}.{end}" for end in ("s1", "s2", "s3", "s4", "t", "x"))]


def _even_radicals(font: TTFont) -> None:
    """Scale all sizes of the radical to one advance.

    Chromium reserves the widest of them before every root, whatever size it then draws: 0.42 em
    of nothing after each sign.
    """
    metrics, glyphs = font["hmtx"], font["glyf"]
    advance = 850
    for name in RADICAL_PIECES:
        old, _ = metrics[name]
        glyph = glyphs[name]
        glyph.coordinates.scale((advance / old, 1))
        glyph.coordinates.toInt()
        glyph.recalcBounds(glyphs)
        metrics[name] = (advance, glyph.xMin)


# --- licenses -----------------------------------------------------------------------------------


def _write_licenses() -> None:
    """Copy each license as its package ships it; STIX names its own in the font alone."""
    for package, name in [
        ("fontpkg_source_serif_4", "LICENSE-Quill-Text-Subhead-Display.txt"),
        ("fontpkg_source_sans_3", "LICENSE-Quill-Sans.txt"),
        ("fontpkg_source_code_pro", "LICENSE-Quill-Code.txt"),
    ]:
        text = files(package).joinpath("LICENSE").read_text(encoding="utf-8")
        (HERE / name).write_text(text, encoding="utf-8")
    terms = files("fontpkg_source_serif_4").joinpath("LICENSE").read_text(encoding="utf-8")
    stix = TTFont(BytesIO(files("ziamath").joinpath("fonts", MATH).read_bytes()))
    holder = stix["name"].getDebugName(COPYRIGHT)
    body = terms[terms.index("This Font Software is licensed") :]
    (HERE / "LICENSE-Quill-Math.txt").write_text(f"{holder}\n\n{body}", encoding="utf-8")


if __name__ == "__main__":
    main()
