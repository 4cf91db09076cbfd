"""Reduces what matplotlib saves to a neutral drawing: bare shapes, roles for colors, live text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from lxml import etree

from report.drawing.lettering import Words
from report.style import Face

NAMESPACE: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "{http://www.w3.org/1999/xlink}href"
ELEMENTS: Final = frozenset({"svg", "g", "defs", "path", "use", "text", "tspan"})
PAINT: Final = (  # what elements share; what changes from one to the next is not here
    "fill",
    "stroke",
    "stroke-width",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-dasharray",
    "font-family",
    "font-size",
    "font-weight",
    "font-style",
)
ATTRIBUTES: Final = frozenset(
    {*PAINT, "id", "href", "viewBox", "d", "x", "y", "dx", "opacity", "fill-opacity"}
)
DECIMALS: Final = 2

_NUMBER = re.compile(r"-?\d*\.?\d+(?:e[-+]?\d+)?")
_VALUE = re.compile(r"[\w\s#.,()-]*")

Element = etree._Element


def parse(source: str | bytes) -> Element:
    """Parse SVG without ever following an entity, a DTD or the network.

    Raises ValueError for text with a declaration in it; the bytes matplotlib saves open with one.
    """
    if isinstance(source, str):
        if "<!" in source:
            raise ValueError("a drawing may hold no declaration, entity or comment")
        source = source.encode()
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(source, parser)


def read(neutral: str) -> Element:
    """Parse a neutral drawing; raise ValueError for anything this module never writes."""
    root = parse(neutral)
    for node in root.iter():
        if local(node) not in ELEMENTS:
            raise ValueError(f"a drawing may hold no <{local(node)}>")
        for attribute, value in attributes(node):
            if attribute not in ATTRIBUTES:
                raise ValueError(f"a drawing may hold no attribute '{attribute}'")
            if attribute == "href" and not value.startswith("#"):
                raise ValueError(f"a drawing may not refer to '{value}'")
            if not _VALUE.fullmatch(value) or "url(" in value:
                raise ValueError(f"a drawing may not set {attribute} to '{value}'")
    return root


def local(node: Element) -> str:
    """Give an element's name without its namespace."""
    return etree.QName(node).localname


def attributes(node: Element) -> list[tuple[str, str]]:
    """Give the attributes of an element as text."""
    return [(str(name), str(value)) for name, value in node.items()]


def tag(name: str) -> str:
    """Give the full name of an SVG element."""
    return f"{{{NAMESPACE}}}{name}"


def write(root: Element) -> str:
    """Write a drawing as one line of text."""
    etree.cleanup_namespaces(root)
    return str(etree.tostring(root, encoding="unicode"))


def number(value: float) -> str:
    """Write a coordinate: two decimals at most, no trailing zeros, never -0."""
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def neutralize(raw: bytes, roles: Mapping[str, str], labels: Mapping[str, Element]) -> str:
    """Reduce what matplotlib saved to bare shapes, colors by role, and words as live text.

    `roles` names the role each stand-in color (`#rrggbb`) stands for; `labels` holds, by the id of
    its placeholder, the text that takes its place.
    """
    source = parse(raw)
    view = str(source.get("viewBox", ""))
    root = parse(f'<svg xmlns="{NAMESPACE}"/>')
    root.set("viewBox", " ".join(number(float(part)) for part in view.split()))
    root.set("stroke-linejoin", "round")
    for node in source:
        _keep(node, root, roles, labels)
    rename_ids(root, "m")
    return write(root)


def _keep(
    node: Element, into: Element, roles: Mapping[str, str], labels: Mapping[str, Element]
) -> None:
    """Copy what is drawn, without metadata, global styles and groups that only group."""
    name = local(node)
    if name in ("metadata", "style"):
        return
    if str(node.get("id")) in labels:
        into.append(labels[str(node.get("id"))])
        return
    if name in ("g", "defs"):
        target = into if name == "g" else etree.SubElement(into, tag("defs"))
        for child in node:
            _keep(child, target, roles, labels)
        if name == "defs" and not len(target):
            into.remove(target)
        return
    if name not in ("path", "use"):
        raise ValueError(f"a drawing may hold no <{name}>")
    copy = etree.SubElement(into, tag(name))
    for attribute, value in _attributes(node, roles):
        copy.set(attribute, value)


def _attributes(node: Element, roles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for attribute in ("id", "d", "x", "y", XLINK):
        value = node.get(attribute)
        if value is None:
            continue
        if attribute == "d":
            yield "d", _path(str(value))
        elif attribute in "xy":
            yield attribute, number(float(str(value)))
        else:
            yield attribute.split("}")[-1], str(value)
    for declaration in str(node.get("style") or "").split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if local(node) == "use" and name.startswith("stroke"):
            continue  # the shape that is used has it
        if name in ("fill", "stroke"):
            yield name, _color(value, roles)
        elif name in ATTRIBUTES and (name, value) != ("stroke-linejoin", "round"):
            yield name, _NUMBER.sub(lambda found: number(float(found[0])), value)


def _color(value: str, roles: Mapping[str, str]) -> str:
    if value == "none":
        return value
    if value not in roles:
        raise ValueError(f"a drawing uses the color {value}, which stands for no role")
    return f"var(--fig-{roles[value]})"


def _path(data: str) -> str:
    """Round path data and drop the spaces and repeated letters it can do without."""
    written, last = "", ""
    for token in re.findall(rf"[A-Za-z]|{_NUMBER.pattern}", data):
        if token.isalpha():
            if token != last or token in "Mm":
                written, last = written + token, token
            continue
        text = number(float(token))
        written += text if not written or written[-1].isalpha() else f" {text}"
    return written


def text_element(words: Words, x: float, y: float, role: str) -> Element:
    """Write set words as one <text>; every run starts at its own x, kerning is in `dx`."""
    first = words.runs[0]
    text = etree.Element(tag("text"), fill=f"var(--fig-{role})")
    _describe(text, first.face, first.size)
    spans = (
        [text]
        if len(words.runs) == 1
        else [etree.SubElement(text, tag("tspan")) for _ in words.runs]
    )
    for span, run in zip(spans, words.runs, strict=True):
        span.text = run.text
        span.set("x", number(x + run.x))
        span.set("y", number(y + run.drop))
        if any(run.shifts):
            span.set("dx", _shifts(run.shifts))
        if run.face != first.face:
            _describe(span, run.face, run.size, first.face)
        elif run.size != first.size:
            span.set("font-size", number(run.size))
    return text


def _shifts(shifts: Sequence[float]) -> str:
    """Write kerning so that what rounding takes from one pair the next gets: no drift."""
    written, steps = 0.0, []
    for total in accumulate(shifts):
        steps.append(number(total - written))
        written += float(steps[-1])
    while len(steps) > 1 and steps[-1] == "0":
        steps.pop()
    return " ".join(steps)


def _describe(node: Element, face: Face, size: float, inherited: Face | None = None) -> None:
    node.set("font-family", face.family)
    node.set("font-size", number(size))
    if inherited is None or face.weight != inherited.weight:
        node.set("font-weight", str(face.weight))
    if face.style != (inherited.style if inherited else "normal"):
        node.set("font-style", face.style)


def rename_ids(root: Element, prefix: str) -> None:
    """Name ids in order of appearance and drop those nothing refers to."""
    used = {str(node.get("href"))[1:] for node in root.iter() if node.get("href")}
    names: dict[str, str] = {}
    for node in root.iter():
        if (found := node.get("id")) is None:
            continue
        if str(found) in used:
            names[str(found)] = f"{prefix}{len(names) + 1}"
            node.set("id", names[str(found)])
        else:
            del node.attrib["id"]
    for node in root.iter():
        if node.get("href"):
            node.set("href", f"#{names[str(node.get('href'))[1:]]}")
