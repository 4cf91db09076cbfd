"""Sees to it that a page asks nobody for anything and runs nothing, whatever its template and style say."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Final, NoReturn

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

    def fail(found: str) -> NoReturn:
        at = template.find(found)
        _refuse(found.strip("<"), file, template.count("\n", 0, at) + 1 if at >= 0 else None)

    reader = _Reader(fail)
    reader.feed(html)
    reader.close()


class _Reader(HTMLParser):
    """Looks at every tag as it is written, wherever a browser would put it."""

    def __init__(self, fail: Callable[[str], NoReturn]) -> None:
        super().__init__(convert_charrefs=False)
        self._fail = fail

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Refuse a tag that runs or loads something."""
        if tag in RUNNING:
            self._fail(f"<{tag}")
        if found := _asked(tag, [(name, value or "") for name, value in attrs]):
            self._fail(found)

    def handle_comment(self, data: str) -> None:
        """Refuse what readers of HTML end in different places."""
        self._fail(f"<!--{data[:20]}")

    def unknown_decl(self, data: str) -> None:
        """Refuse what only some readers of HTML know."""
        self._fail(f"<![{data[:20]}")

    def handle_pi(self, data: str) -> None:
        """Refuse what only readers of XML know."""
        self._fail(f"<?{data[:20]}")


def _asked(tag: str, attributes: list[tuple[str, str]]) -> str:
    """Give what a tag would load, run or lead to; nothing if it is as still as it should be."""
    told = tag == "link" and _told(attributes)
    for attribute, value in attributes:
        key, address = attribute.rpartition(":")[2], value.strip()
        if key.startswith("on"):
            return attribute
        if key == "http-equiv" and address.lower() == "refresh":
            return value
        if key == "style" and _ASKS.search(_ESCAPE.sub(_meant, value)):
            return value
        leads = key == "href" and (tag in ("a", "area") or told)
        if leads and not _FOLLOWED.match(address):
            return value or attribute
        loads = key in LOADING or (key == "href" and not leads)
        if loads and not address.startswith(("data:", "#")):
            return value or attribute
    return ""


def _told(attributes: list[tuple[str, str]]) -> bool:
    rels = [value.lower() for name, value in attributes if name == "rel"]
    return bool(rels) and set(rels) <= TOLD


def _refuse(what: str, file: str, line: int | None) -> NoReturn:
    said = f"“{shortened(what)}” would load or run something, and a page does neither"
    raise Mistake(said, file=file, line=line, then="remove it")
