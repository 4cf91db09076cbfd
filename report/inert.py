"""Sees to it that a page asks nobody for anything and runs nothing, whatever its template and style say."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from lxml import etree

from report.errors import Mistake, shortened

RUNNING: Final = frozenset(
    ("script", "iframe", "frame", "frameset", "object", "embed", "applet", "base", "portal", "form")
)
LOADING: Final = frozenset(
    ("src", "srcset", "imagesrcset", "poster", "data", "background", "action", "formaction", "ping",
     "manifest", "codebase", "archive", "classid", "lowsrc", "dynsrc", "usemap")
)  # fmt: skip
TOLD: Final = frozenset(
    ("canonical", "license", "author")
)  # links a browser does not follow itself

_FONT: Final = r"fonts/[\w-]+\.woff2"
_ASKS = re.compile(
    rf"(?P<address>url\(\s*[\"']?\s*(?!data:|#|{_FONT}[\"']?\s*\))(?P<what>[^\"')]*))"
    r"|(?P<rule>@import\b|\b(?:-webkit-)?image-set\(|\bimage\(|(?<![\w-])src\(|</|<!)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t]?|([^\n]))")
_FOLLOWED = re.compile(r"(?:#|https?://|mailto:)", re.IGNORECASE)


def check_style(css: str, file: str) -> None:
    """Refuse a style sheet that asks for anything but its fonts and what it carries itself."""
    plain = _ESCAPE.sub(_meant, _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), css))
    if found := _ASKS.search(plain):
        line = plain.count("\n", 0, found.start()) + 1
        _refuse(found["what"] or found["rule"], file, line)


def _meant(escape: re.Match[str]) -> str:
    """The character that an escape in a style stands for."""
    code = int(escape[1], 16) if escape[1] else 0
    return escape[2] or (chr(code) if 0 < code <= 0x10FFFF else "")  # noqa: PLR2004 - Unicode's last


def check_page(html: str, template: str, file: str) -> None:
    """Refuse a page with an element or attribute that would load or run something.

    `template` is the text of its template, in which what is refused has its line.
    """
    for node in etree.fromstring(html, etree.HTMLParser(no_network=True)).iter(etree.Element):
        name = etree.QName(node).localname
        attributes = {str(key): str(value) for key, value in node.items()}
        found = f"<{name}" if name in RUNNING else _asked(name, attributes)
        if found:
            at = template.find(found)
            _refuse(found.strip("<"), file, template.count("\n", 0, at) + 1 if at >= 0 else None)


def _asked(name: str, attributes: dict[str, str]) -> str:
    """Give what an element would load, run or lead to; nothing if it is as still as it should be."""
    if name == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
        return attributes["http-equiv"]
    told = name == "link" and attributes.get("rel", "").lower() in TOLD
    for attribute, value in attributes.items():
        key, address = attribute.lower().rpartition(":")[2], value.strip()
        if key.startswith("on"):
            return attribute
        if key == "style" and _ASKS.search(_ESCAPE.sub(_meant, value)):
            return value
        leads = key == "href" and (name in ("a", "area") or told)
        if leads and not _FOLLOWED.match(address):
            return value
        if (key in LOADING or (key == "href" and not leads)) and not address.startswith(
            ("data:", "#")
        ):
            return value
    return ""


def _refuse(what: str, file: str, line: int | None) -> NoReturn:
    said = f"“{shortened(what)}” would load or run something, and a page does neither"
    raise Mistake(said, file=file, line=line, then="remove it")
