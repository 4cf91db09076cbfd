"""What a screen needs: links to what may be cited, code and tables that fit a phone, styles with their fonts."""

from __future__ import annotations

import base64
import re
from html import escape
from typing import Final

from report import authored, inert, parts
from report.article import Article
from report.colophon import Group
from report.project import Project
from report.style import Tokens

LONG_LINE: Final = 34  # characters of code that fit a phone of 320 pixels

# Faces the page leaves out when nothing is set in them: family -> what calls for it.
_CALLED_FOR: Final = {"Quill Math": "<math", "Quill Code": "<code"}

_HEADING = re.compile(
    r'<h(?P<rank>[23]) id="(?P<anchor>[^"]+)">(?P<title>.*?)</h(?P=rank)>', re.DOTALL
)
_PLACED = re.compile(
    r'(?P<before><(?P<kind>figure|table) id="(?P<anchor>[^"]+)".*?)<span class="label">(?P<name>.*?)</span>',
    re.DOTALL,
)
_RELATION = re.compile(r"(?<=</span>) = (?=<data)")  # a symbol and its value stay on one line
_MAIN_SECTION = re.compile(r'(?=<h2 id=")')
_CODE = re.compile(r'<pre class="code">(?P<code>.*?)</pre>', re.DOTALL)
_TABLE = re.compile(r"<table(?P<name>[^>]*)>(?P<inside>.*?)</table>", re.DOTALL)
_CELL = re.compile(r"<t[hd](?P<attributes>[^>]*)>(?P<inside>.*?)</t[hd]>", re.DOTALL)
_ROW = re.compile(r"<tr>(?P<cells>.*?)</tr>", re.DOTALL)
_ONCE = re.compile(
    r"</?(?:a|data)\b[^>]*>| id=\"[^\"]*\""
)  # what a copy of a column's name leaves out
_FACE = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)
_FONT_FILE = re.compile(r"""url\(["']?fonts/(?P<file>[\w-]+\.woff2)["']?\)""")


def finish(body: str, article: Article, groups: list[Group]) -> str:
    """Link headings, figures and tables to themselves, sections to their numbers; fit a narrow screen."""
    body = _where(body, groups)
    titles = {heading.anchor: article.plain(heading.title) for heading in article.headings}

    def linked(found: re.Match[str]) -> str:
        name = escape(f"Link to this section: {titles[found['anchor']]}")
        link = f'<a class="anchor" href="#{found["anchor"]}" aria-label="{name}"></a>'
        return f'<div class="heading rank-{found["rank"]}">{found[0]}{link}</div>'

    body = parts.tied(_RELATION.sub("\u00a0=\u00a0", body))
    body = _PLACED.sub(_self_linked, _HEADING.sub(linked, body))
    return _TABLE.sub(_stackable, _CODE.sub(_Scrolling(), body))


def _self_linked(found: re.Match[str]) -> str:
    """Make the number of a figure or table the link to it."""
    before, kind, anchor, name = found.groups()
    said = f"Link to this {kind}: {name}"
    return f'{before}<a class="label" href="#{anchor}" aria-label="{said}">{name}</a>'


def _where(body: str, groups: list[Group]) -> str:
    """Close each main section with a link to the numbers it prints."""
    links = {group.anchor: _link_to(group) for group in groups}
    sections = _MAIN_SECTION.split(body)
    names = ["", *(_HEADING.match(each)["anchor"] for each in sections[1:])]  # type: ignore[index]  # split there
    return "".join(each + links.get(name, "") for name, each in zip(names, sections, strict=True))


def _link_to(group: Group) -> str:
    count = len(group.quotes)
    words = f"Stored values of the {count} numbers" if count > 1 else "Stored value of the number"
    return f'<p class="where"><a href="#{group.place}">{words} in this section</a></p>\n'


class _Scrolling:
    """Lets code that is too wide for a phone be scrolled by keyboard, each piece under its own name."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, found: re.Match[str]) -> str:
        longest = max(map(len, re.sub(r"<[^>]+>", "", found["code"]).splitlines()))
        if longest <= LONG_LINE:
            return found[0]
        self._count += 1
        label = f"Code {self._count}"
        return found[0].replace("<pre", f'<pre role="region" tabindex="0" aria-label="{label}"', 1)


def _stackable(found: re.Match[str]) -> str:
    """Put the column's name before each cell of a text table, shown only where rows are stacked."""
    if 'class="data"' in found["name"]:
        return found[0]
    head, *rows = _ROW.split(found["inside"])[1::2]
    names = [_ONCE.sub("", cell["inside"]) for cell in _CELL.finditer(head)]
    inside = found["inside"]
    for row in rows:
        cells = [cell[0] for cell in _CELL.finditer(row)]
        named = [
            cell.replace(">", f'><span class="column" aria-hidden="true">{name}</span> ', 1)
            for name, cell in zip(names[1:], cells[1:], strict=True)
        ]
        inside = inside.replace(f"<tr>{row}</tr>", f"<tr>{cells[0]}{''.join(named)}</tr>", 1)
    return f'<table{found["name"]} class="text">{inside}</table>'


def styles(project: Project, tokens: Tokens, body: str) -> str:
    """Write the style sheet with its colors and fonts inside; a face nothing is set in stays out."""
    sheet = project.template("screen.css")
    written = authored.text(sheet, project.shown(sheet))
    inert.check_style(written, project.shown(sheet))
    css = re.sub(r"/\*.*?\*/\s*", "", written, flags=re.DOTALL)

    def called_for(found: re.Match[str]) -> str:
        unused = (name for name, tag in _CALLED_FOR.items() if tag not in body)
        return "" if any(f'"{name}"' in found[0] for name in unused) else found[0]

    def inside(found: re.Match[str]) -> str:
        path = project.template(f"fonts/{found['file']}")
        data = authored.font(path, f"templates/fonts/{found['file']}")
        return f"url(data:font/woff2;base64,{base64.b64encode(data).decode()})"

    return _themes(tokens) + _FONT_FILE.sub(inside, _FACE.sub(called_for, css))


def _themes(tokens: Tokens) -> str:
    """Write the colors: light, dark where the reader's system or the page asks for it, and print."""
    light, dark, printed = (tokens.css(theme) for theme in ("light", "dark", "print"))
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f'@media screen and (prefers-color-scheme:dark){{:root:not([data-theme="light"])'
        f"{{color-scheme:dark;{dark}}}}}\n"
        f'@media screen{{:root[data-theme="dark"]{{color-scheme:dark;{dark}}}}}\n'
        f"@media print{{:root{{color-scheme:light;{printed}}}}}\n"
    )
