"""What paper needs: names for the outline, code and tables that find their width, lines that end well."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape
from typing import Final, Literal

from report import authored, parts
from report.project import Project
from report.style import Layout, Tokens

Paper = Literal["a4", "letter"]

# Size and margins (top, right, bottom, left); both leave 162 mm, so only page breaks differ.
SIZES: Final[dict[Paper, tuple[float, float]]] = {"a4": (210, 297), "letter": (215.9, 279.4)}  # mm
MARGINS: Final[dict[Paper, str]] = {
    "a4": "24mm 24mm 27mm 24mm",
    "letter": "22mm 26.95mm 25mm 26.95mm",
}
MM: Final = 72 / 25.4  # points
DRAWINGS: Final[tuple[Layout, ...]] = ("wide", "compact")  # forms of a figure a page may bear
NO_BREAK: Final = "\u00a0"
BREAK: Final = "\u200b"  # where a line may end; the engine takes a <wbr> for one link more
CODE_LINE: Final = 61  # characters of code that fit the text column
SHORT_WORD: Final = 7  # letters that look lost in a line of their own
FULL: Final = (
    90  # characters of the longest cells, side by side, from which a table takes the margin
)

NOTE, CALL = "note-", "call-"  # ids of a note and of its call begin so

_HEADING = re.compile(r'<(?P<rank>h[23]) id="(?P<anchor>[^"]+)">(?P<title>.*?)</h', re.DOTALL)
_DISPLAYED = re.compile(r'<p>(<img class="display"[^>]*>)</p>')
_CODE = re.compile(r'<pre class="code">(?P<code>.*?)</pre>', re.DOTALL)
_TABLE = re.compile(r"<table(?P<name>[^>]*)>(?P<inside>.*?)</table>", re.DOTALL)
_ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
_RELATION = re.compile(r"(?<=</span>) = (?=[\d\N{MINUS SIGN}<])")  # a symbol and its value
_PLACE = re.compile(r"\b(sec|eq|app|ch|fig|p|pp)\. (?=[\dA-Z])")  # a place in a work
_INSIDE = r"<(?!/p>)[^>]*>"  # a tag within a paragraph
_LAST_WORD = re.compile(
    rf"(?P<before><p>(?:[^<]|{_INSIDE})*) (?P<last>(?:[^ <]|{_INSIDE})+)</p>", re.DOTALL
)
_CALL = re.compile(r'([^\s<>]+<sup class="call">.*?</sup>)')
_NOT_TEXT = re.compile(r"(<pre.*?</pre>|<[^>]+>)", re.DOTALL)
_PRE = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
_SPACE = re.compile(rf"([ {NO_BREAK}])(?=<(?:a|b|code|em|i|img|span|strong|sup)\b)")
_FONT = re.compile(r"url\(report:font/([\w-]+\.ttf)\)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FACE = re.compile(r"@font-face\s*\{(.*?)\}", re.DOTALL)
_FAMILY = re.compile(r"font-family:\s*[\"']([^\"']+)[\"']")
_LOWERED = str.maketrans("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


def finish(body: str, labels: dict[str, str]) -> str:
    """Prepare the article's HTML for paper; `labels` name headings in the outline, by anchor."""

    def named(found: re.Match[str]) -> str:
        rank, anchor, title = found.group("rank", "anchor", "title")
        said = escape(labels.get(anchor, words(title)))
        return f'<{rank} id="{anchor}" data-label="{said}">{title}</h'

    body = _HEADING.sub(named, body)
    body = _DISPLAYED.sub(r'<p class="display">\1</p>', body)
    body = _RELATION.sub(f"{NO_BREAK}={NO_BREAK}", body)
    body = parts.tied(body)
    body = _in_text(body, lambda text: _PLACE.sub(rf"\1.{NO_BREAK}", text))
    body = _LAST_WORD.sub(_bound, body)
    body = _CALL.sub(r'<span class="keep">\1</span>', body)
    return _TABLE.sub(_kept, _CODE.sub(_fitted, body))


def spaced(html: str) -> str:
    """Give each space before an inline element a box of its own.

    The engine breaks a piece of text at its first space, not its last, where all of it would fit in a
    line but for the space it ends with.
    """
    parts = _PRE.split(html)
    parts[::2] = (_SPACE.sub(r"<span>\1</span>", part) for part in parts[::2])
    return "".join(parts)


def words(html: str) -> str:
    """Write HTML as plain text, indices as lowered characters where there are such."""
    lowered = re.sub(r"<sub>(.*?)</sub>", lambda sub: _bare(sub[1]).translate(_LOWERED), html)
    return _bare(lowered).strip()


def breakable(text: str) -> str:
    """Write a path such as `stem.at.64` as HTML whose lines may end after its dots and underscores."""
    return re.sub(r"(?<=[._])", BREAK, escape(text))


def _bare(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def _in_text(html: str, change: Callable[[str], str]) -> str:
    """Change words, but no tag and no code."""
    parts = _NOT_TEXT.split(html)
    parts[::2] = map(change, parts[::2])
    return "".join(parts)


def _bound(found: re.Match[str]) -> str:
    """Let no short word stand alone in a paragraph's last line."""
    before, last = found.group("before", "last")
    return f"{before}{NO_BREAK}{last}</p>" if len(_bare(last)) <= SHORT_WORD else found[0]


def _fitted(found: re.Match[str]) -> str:
    """Let code with long lines take the margin."""
    longest = max(map(len, _bare(found["code"]).splitlines()), default=0)
    return found[0].replace('"code"', '"code broad"', 1) if longest > CODE_LINE else found[0]


def _kept(found: re.Match[str]) -> str:
    """Keep a table on one page with its caption; let a full one take the margin as well."""
    rows = [_CELL.findall(row) for row in _ROW.findall(found["inside"])]
    widths = [max(len(_bare(cell)) for cell in column) for column in zip(*rows, strict=True)]
    name = re.search(r'id="([^"]+)"', found["name"])
    place = f' id="keep-{name[1]}"' if name else ""
    broad = " broad" if sum(widths) > FULL else ""
    return f'<div class="table{broad}"{place}>{found[0]}</div>'


def points(paper: Paper) -> tuple[float, float]:
    """Give the width and height of a sheet in points."""
    width, height = SIZES[paper]
    return width * MM, height * MM


# -- styles -------------------------------------------------------------------------------------------


def styles(project: Project, tokens: Tokens, paper: Paper) -> dict[str, bytes]:
    """Give the style sheet and the fonts it asks for, by the names the engine knows them by.

    Raises Mistake for a font that is not there whole.
    """
    path = project.template("print.css")
    css = authored.text(path, project.shown(path))
    files: dict[str, bytes] = {}
    for name in _FONT.findall(_COMMENT.sub("", css)):
        font = project.template(f"fonts/{name}")
        files[f"font/{name}"] = authored.font(font, f"templates/fonts/{name}")
    colors = tokens.css("print")
    # behind the sheet, whose lines keep the numbers that a complaint gives
    width, height = SIZES[paper]
    page = f"size: {width}mm {height}mm; margin: {MARGINS[paper]}"
    sheet = f"{css}\n:root {{ {colors} }}\n@page {{ {colors} {page} }}\n"
    return files | {"style.css": sheet.encode()}


def families(style: dict[str, bytes]) -> set[str]:
    """Name the font families a style sheet brings."""
    css = style["style.css"].decode()
    return {name for face in _FACE.findall(_COMMENT.sub("", css)) for name in _FAMILY.findall(face)}
