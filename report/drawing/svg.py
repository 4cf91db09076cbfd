"""Makes one neutral drawing ready for the page, for the PDF, and for a file that stands alone."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Final

from lxml import etree

from report.drawing.lettering import Fonts
from report.drawing.neutral import (
    NAMESPACE,
    PAINT,
    XLINK,
    Element,
    attributes,
    local,
    number,
    parse,
    read,
    rename_ids,
    tag,
    write,
)
from report.style import FACES, Face, Theme, Tokens

MARGIN: Final = 14  # printed points of paper around a drawing that stands alone
ENLARGED: Final = 1.6  # CSS pixels to a printed point in a file that stands alone, as on the page

MEASURES: Final = frozenset(
    {"d", "x", "y", "dx", "transform", "viewBox", "opacity", "fill-opacity", "width", "height"}
)

_NUMBER = re.compile(r"-?\d*\.?\d+(?:e[-+]?\d+)?")
_ROLE = re.compile(r"var\(--fig-([a-z0-9-]+)\)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PAGE_TEXT = (  # letters are spaced by the drawing itself, so no engine may space them again
    "font-kerning:none;font-variant-ligatures:none;text-rendering:geometricPrecision;white-space:pre"
)


@lru_cache(maxsize=64)  # an edit of the text leaves the drawings as they are
def page(neutral: str, stem: str, layout: str, tokens: Tokens, alt: str = "") -> str:
    """Write an inline <svg> for HTML: colors by custom property, ids and classes its own.

    `alt` is what a screen reader says instead of the drawing.
    """
    root, name = read(neutral), f"{stem}-{layout}"
    rename_ids(root, f"{name}-m")
    rules = _classes(root, tokens)
    style = etree.Element(tag("style"))
    style.text = f"#{name} text{{{_PAGE_TEXT}}}" + "".join(
        f"#{name} .{key}{{{rule}}}" for rule, key in rules.items()
    )
    root.insert(0, style)
    for attribute, value in {"id": name, "class": f"drawing {layout}", "role": "img"}.items():
        root.set(attribute, value)
    if alt:
        root.set("aria-label", alt)
    return write(root).replace(f' xmlns="{NAMESPACE}"', "", 1)


def _classes(root: Element, tokens: Tokens) -> dict[str, str]:
    """Move paint and type into classes: declarations -> class name."""
    rules: dict[str, str] = {}
    for node in root.iter():
        declared = [(key, str(node.attrib.pop(key))) for key in PAINT if node.get(key) is not None]
        if not declared:
            continue
        rule = ";".join(f"{key}:{_css(key, value, tokens)}" for key, value in declared)
        parent = node.getparent()
        if parent is not None and local(parent) == "defs":
            node.set("style", rule)  # what <use> copies no longer stands below the drawing's id
            continue
        node.set("class", rules.setdefault(rule, _class_name(len(rules))))
    return rules


def _css(key: str, value: str, tokens: Tokens) -> str:
    if key == "font-size":
        return f"{value}px"
    if key == "font-family":
        return f"'{value}',{'sans-serif' if 'Sans' in value else 'serif'}"
    return _ROLE.sub(lambda role: f"var(--fig-{role[1]},{tokens.color(role[1], 'light')})", value)


def _class_name(index: int) -> str:
    before, last = divmod(index, len(_LETTERS))
    return (_class_name(before - 1) if before else "") + _LETTERS[last]


def printed(neutral: str, tokens: Tokens, theme: Theme = "print") -> str:
    """Write the drawing with constant colors and live text, for the PDF engine."""
    root = read(neutral)
    _paint(root, tokens, theme)
    _, _, width, height = _view(root)
    root.set("width", f"{number(width)}pt")
    root.set("height", f"{number(height)}pt")
    return write(root)


def _paint(root: Element, tokens: Tokens, theme: Theme) -> None:
    for node in root.iter():
        for key in ("fill", "stroke"):
            if value := node.get(key):
                node.set(key, _ROLE.sub(lambda role: tokens.color(role[1], theme), str(value)))


def _view(root: Element) -> tuple[float, float, float, float]:
    left, top, width, height = (float(part) for part in str(root.get("viewBox")).split())
    return left, top, width, height


def outlined(neutral: str, tokens: Tokens, fonts: Path, theme: Theme = "light") -> str:
    """Write a file that needs no font: words as outlines, on a margin of paper of its own.

    Each text becomes a group whose aria-label holds its words; glyphs are defined once and reused.
    """
    root, shapes = read(neutral), Fonts(fonts)
    _paint(root, tokens, theme)
    glyphs: dict[tuple[str, int], str] = {}
    defs = etree.Element(tag("defs"))
    for text in list(root.iter(tag("text"))):
        group = _outline(text, shapes, glyphs, defs)
        parent = text.getparent()
        assert parent is not None  # a text is never the root
        parent.replace(text, group)
    left, top, width, height = _view(root)
    box = left - MARGIN, top - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN
    paper = etree.Element(tag("path"), fill=tokens.color("paper", theme))
    paper.set("d", "M{0} {1}h{2}v{3}h-{2}z".format(*map(number, box)))
    root.set("viewBox", " ".join(map(number, box)))
    root.set("width", number(box[2] * ENLARGED))
    root.set("height", number(box[3] * ENLARGED))
    root.insert(0, defs)
    root.insert(1, paper)
    return write(_with_old_links(root)) + "\n"


def _with_old_links(root: Element) -> Element:
    """Refer by `xlink:href`: readers of files are older than browsers."""
    old = parse(f'<svg xmlns="{NAMESPACE}" xmlns:xlink="{XLINK[1:-5]}"/>')
    for name, value in attributes(root):
        old.set(name, value)
    old.extend(list(root))
    for node in old.iter(tag("use")):
        target = str(node.attrib.pop("href"))
        node.set(XLINK, target)
    return old


def _outline(
    text: Element, fonts: Fonts, glyphs: dict[tuple[str, int], str], defs: Element
) -> Element:
    group = etree.Element(tag("g"), fill=str(text.get("fill")))
    group.set("aria-label", "".join(map(str, text.itertext())))
    for span in text if len(text) else [text]:
        own = {key: str(span.get(key) or text.get(key) or "") for key in PAINT}
        face = _face(own["font-family"], own["font-weight"], own["font-style"])
        cut = fonts.cut(face)
        scale = float(own["font-size"]) / cut.em
        run = etree.SubElement(group, tag("g"))
        place = f"translate({span.get('x')} {span.get('y')})"
        run.set("transform", f"{place}scale({scale:.6f} -{scale:.6f})")
        for glyph in cut.shape(str(span.text))[0]:
            key = (face.file, glyph.number)
            if key not in glyphs and (data := cut.outline(glyph.number)):
                glyphs[key] = f"g{len(glyphs) + 1}"
                etree.SubElement(defs, tag("path"), id=glyphs[key], d=data)
            if key in glyphs:
                etree.SubElement(run, tag("use"), href=f"#{glyphs[key]}", x=number(glyph.x))
    return group


def _face(family: str, weight: str, style: str) -> Face:
    wanted = family, int(weight or 400), style or "normal"
    return next(face for face in FACES.values() if (face.family, face.weight, face.style) == wanted)


def text_of(svg: str) -> list[str]:
    """Give the words of a drawing in order, one entry a text, whatever form the drawing is in."""
    return [
        str(node.get("aria-label")) if local(node) == "g" else "".join(map(str, node.itertext()))
        for node in parse(svg).iter()
        if local(node) == "text" or (local(node) == "g" and node.get("aria-label"))
    ]


def runs_of(neutral: str) -> list[str]:
    """Give the words of a neutral drawing in order, one entry for each piece that is set by itself."""
    texts = parse(neutral).iter(tag("text"))
    runs = (str(run.text or "") for text in texts for run in (text if len(text) else [text]))
    return [run for run in runs if run.strip()]


def same(a: str, b: str, tolerance: float) -> bool:
    """Tell whether two drawings agree: words and structure exactly, numbers within `tolerance`."""
    pairs = zip_longest(parse(a).iter(), parse(b).iter())
    return all(
        one is not None and two is not None and _alike(one, two, tolerance) for one, two in pairs
    )


def _alike(one: Element, two: Element, tolerance: float) -> bool:
    if one.tag != two.tag or one.text != two.text:
        return False
    ours, theirs = attributes(one), attributes(two)
    return len(ours) == len(theirs) and all(
        name == other and _close(name, value, against, tolerance)
        for (name, value), (other, against) in zip(ours, theirs, strict=True)
    )


def _close(name: str, one: str, two: str, tolerance: float) -> bool:
    if name not in MEASURES:
        return one == two
    if _NUMBER.sub("0", one) != _NUMBER.sub("0", two):
        return False
    numbers = zip(_NUMBER.findall(one), _NUMBER.findall(two), strict=True)
    return all(abs(float(x) - float(y)) <= tolerance for x, y in numbers)
