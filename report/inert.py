"""Sees to it that a page asks nobody for anything and runs only its figures' scripts, whatever it is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from html.parser import HTMLParser
from itertools import pairwise
from typing import Final, NoReturn

from report.errors import Mistake, shortened
from report.glance import digest

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
_PIECE: Final = re.compile(r"<(?:figure|svg|figcaption|h[23])\b")  # what one begins with
_still: set[str] = set()  # pieces of pages that load and run nothing

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t]?|([^\n]))")
_FOLLOWED = re.compile(r"(?:#|https?://|mailto:)", re.IGNORECASE)
_REACHING: Final = (
    "fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "RTCPeerConnection",
    "Worker", "SharedWorker", "navigator", "import", "eval", "Function", "localStorage",
    "sessionStorage", "indexedDB", "caches", "cookie", "cookieStore", "location", "postMessage",
    "innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe", "write", "writeln", "src", "href",
)  # fmt: skip
_REACHES = re.compile(rf"<[A-Za-z/!]|(?i:\bhttps?:)|\bopen\s*\(|\b(?:{'|'.join(_REACHING)})\b")


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


def check_script(script: str, file: str) -> None:
    """Refuse a script that names what reaches beyond its figure, or what could end its element.

    This is for its author to hear of: what holds in the reader's browser is the policy of the page.
    """
    if found := _REACHES.search(script):
        line = script.count("\n", 0, found.start()) + 1
        what = f"“{found[0]}” reaches beyond the figure, and what is tried by hand stays within it"
        raise Mistake(what, file=file, line=line, then="remove it")


def check_page(html: str, template: str, file: str, scripts: Collection[str] = ()) -> None:
    """Refuse a page with an element or attribute that would load or run something.

    `template` is the text of its template, in which what is refused has its line; `scripts` are
    the texts of the only scripts that may stand in the page.
    """

    def fail(found: str) -> NoReturn:
        at = template.find(found)
        _refuse(found.strip("<"), file, template.count("\n", 0, at) + 1 if at >= 0 else None)

    reader = _Reader(fail, scripts)
    begins = [0, *(found.start() for found in _PIECE.finditer(html)), len(html)]
    for begin, end in pairwise(begins):
        reader.read(html[begin:end])
    reader.close()
    reader.end()


class _Reader(HTMLParser):
    """Looks at every tag as it is written, wherever a browser would put it."""

    def __init__(self, fail: Callable[[str], NoReturn], scripts: Collection[str]) -> None:
        super().__init__(convert_charrefs=False)
        self._fail, self._scripts = fail, scripts
        self._script: str | None = None  # what was read so far of the script that is open

    def read(self, piece: str) -> None:
        """Read a piece of the page, unless it was read before and found still.

        Between two tags, what is read does not depend on what was: there a piece may be passed over.
        """
        known = digest(piece.encode())
        if self._between and known in _still:
            return
        whole = self._between
        self.feed(piece)
        if whole and self._between and "<script" not in piece.lower():
            _still.add(known)

    @property
    def _between(self) -> bool:
        return not self.rawdata and self.cdata_elem is None and self._script is None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Refuse a tag that runs or loads something."""
        if tag == "script" and self._scripts and not attrs:
            self._script = ""
        elif tag in RUNNING:
            self._fail(f"<{tag}")
        if found := _asked(tag, [(name, value or "") for name, value in attrs]):
            self._fail(found)

    def handle_data(self, data: str) -> None:
        """Keep what a script says until its end."""
        if self._script is not None:
            self._script += data

    def handle_endtag(self, tag: str) -> None:
        """Refuse a script that is none of those allowed."""
        if tag == "script":
            self.end()

    def end(self) -> None:
        """Refuse a script that is open and is none of those allowed; one that never ends is none."""
        if self._script is not None and self._script not in self._scripts:
            self._fail("<script")
        self._script = None

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
