"""The PDF: the article set for paper, its data attached, archival and accessible."""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote as url_quote

import jinja2
from markupsafe import Markup

from report import formula as formulas
from report import parts, svg
from report.article import Article, World
from report.colophon import colophon
from report.formula import Formula
from report.markdown import Note, Placement, Question
from report.numbers import Quote
from report.project import Project
from report.sources import Source
from report.style import Tokens, read_tokens

Paper = Literal["a4", "letter"]

# size; margins top, right, bottom, left. Both leave 162 mm.
SHEETS: Final = {
    "a4": "size: 210mm 297mm; margin: 24mm 24mm 27mm 24mm",
    "letter": "size: 215.9mm 279.4mm; margin: 22mm 26.95mm 25mm 26.95mm",
}
FORMULA_EM: Final = 10.9 / 10.25  # at which size STIX looks as large as the text around it
DISPLAY_PT: Final = 10.9


def render(article: Article, world: World, drawings: Path, paper: Paper) -> bytes:
    """Write the whole PDF."""
    from report import engine, pages, pdf_standard  # noqa: PLC0415 - load the PDF engine

    tokens = read_tokens(world.project.template("tokens.toml"))
    medium = _Print(article, world, drawings, tokens)
    html = _document(article, world, medium)
    files = {**medium.files, **_fonts(world.project), "style.css": _style(world.project, tokens, paper)}
    press = engine.Engine(files)
    composed = pages.compose(press, html, medium.savings)
    attachments = pdf_standard.attachments(article, world)
    return pdf_standard.finish(press.write(composed.document, attachments))


class _Print:
    """Sets the parts of an article for paper."""

    def __init__(self, article: Article, world: World, drawings: Path, tokens: Tokens) -> None:
        self._article, self._world = article, world
        self._drawings, self._tokens = drawings, tokens
        self.files: dict[str, bytes] = {}
        self.savings: dict[str, float] = {}  # points a figure's compact drawing is lower by

    def number(self, quote: Quote) -> str:
        """Set a number as text."""
        return escape(quote.printed)

    def formula(self, formula: Formula) -> str:
        """Set a short formula as text, a longer one as outlines that say what they show."""
        if formula.simple and not formula.display:
            return formulas.text_html(formula)
        ink = self._tokens.color("ink", "print")
        drawn = formulas.svg(formula, DISPLAY_PT, color=ink)
        name = f"formula/{len(self.files)}.svg"
        self.files[name] = drawn.svg
        size, unit = (DISPLAY_PT, "pt") if formula.display else (FORMULA_EM, "em")
        style = f"width:{drawn.width_em * size:.4f}{unit};height:{drawn.height_em * size:.4f}{unit}"
        if not formula.display:
            style += f";vertical-align:{-drawn.depth_em * size:.4f}{unit}"
        return f'<img src="report:{name}" alt="{escape(formula.spoken)}" style="{style}">'

    def figure(self, figure: Placement) -> str:
        """Set a drawing, its colors constant and its words live; a lower one is kept at hand."""
        heights = {layout: self._draw(figure.stem, layout) for layout in ("wide", "compact")}
        self.savings[figure.stem] = max(0.0, heights["wide"] - heights["compact"])
        alt = self._world.descriptions[figure.stem]["alt"]
        return f'<img src="report:figure/{figure.stem}-wide.svg" alt="{escape(alt)}">'

    def _draw(self, stem: str, layout: str) -> float:
        """Keep one drawing for the engine; give its height in points."""
        neutral = (self._drawings / f"{stem}-{layout}.svg").read_text("utf-8")
        drawn = svg.printed(neutral, self._tokens)
        self.files[f"figure/{stem}-{layout}.svg"] = drawn.encode()
        height = re.search(r'<svg[^>]* height="([\d.]+)pt"', drawn)
        assert height is not None  # `printed` writes it
        return float(height[1])

    def data(self, figure: Placement) -> str:
        """Nothing: data tables stand in the page and in the attached results."""
        del figure
        return ""

    def note_call(self, note: Note) -> str:
        """Set the raised number that leads to a note."""
        name = escape(note.name)
        return f'<sup class="call"><a id="call-{name}" href="#note-{url_quote(note.name)}">{note.number}</a></sup>'

    def note(self, note: Note) -> str:
        """Set a note for the margin, its number leading back."""
        name = escape(note.name)
        return (
            f'<aside class="note" id="note-{name}">'
            f'<a class="back" href="#call-{url_quote(note.name)}">{note.number}</a> {note.text}</aside>'
        )

    def answer(self, question: Question) -> str:
        """Set the link from a question to its answer."""
        n = question.number
        return f'<a class="number" href="#answer-{n}">{n}</a>'

    def answers(self, questions: list[Question]) -> str:
        """Set all answers after all questions, numbered alike."""
        items = "".join(
            f'<li id="answer-{each.number}"><a class="number" href="#question-{each.number}">'
            f"{each.number}</a>{each.answer}</li>\n"
            for each in questions
        )
        return f'<h3 id="answers">Answers</h3>\n<ol class="answers">\n{items}</ol>\n'

    def sources(self, sources: list[Source]) -> str:
        """Set the list of all works."""
        return f'<ol class="sources">\n{"".join(map(parts.source, sources))}</ol>\n'


class _Label(_Print):
    """Sets a heading for the contents, where nothing is called."""

    def note_call(self, note: Note) -> str:
        """Nothing: a note is called once."""
        del note
        return ""


def _document(article: Article, world: World, medium: _Print) -> str:
    from report import pdf_standard

    label = _Label(article, world, medium._drawings, medium._tokens)
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(world.project.template("print.html").read_text("utf-8"))
    return template.render(
        meta=article.meta,
        published=parts.long_date(article.meta.published, article.meta.language),
        minutes=article.minutes,
        contents=parts.contents(article, label),
        body=Markup(_finish(article.body(medium), article, label)),  # noqa: S704
        made=colophon(world),
        attached=pdf_standard.names(world),
    )


def _finish(body: str, article: Article, label: _Label) -> str:
    """Name headings for the outline, and set formulas that stand alone apart."""
    steps = {each.anchor: each.step for each in article.headings}

    def named(found: re.Match[str]) -> str:
        step, words = steps.get(found["anchor"], ""), _plain(re.sub(r'<span class="step">.*?</span>', "", found["title"]))
        said = f"{step}: {words}" if step else words
        return f'<h{found["rank"]} id="{found["anchor"]}" data-label="{escape(said)}">{found["title"]}</h'

    body = re.sub(r'<h(?P<rank>[23]) id="(?P<anchor>[^"]+)">(?P<title>.*?)</h', named, body, flags=re.DOTALL)
    body = re.sub(r'<p>(<img src="report:formula/[^>]*style="width:[\d.]+pt[^>]*>)</p>', r'<p class="display">\1</p>', body)
    return body


_LOW = str.maketrans("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


def _plain(html: str) -> str:
    low = re.sub(r"<sub>(.*?)</sub>", lambda m: re.sub(r"<[^>]+>", "", m[1]).translate(_LOW), html)
    return unescape(re.sub(r"<[^>]+>", "", low)).strip()


def _fonts(project: Project) -> dict[str, bytes]:
    css = project.template("print.css").read_text("utf-8")
    found = re.findall(r"url\(report:font/([\w-]+\.ttf)\)", css)
    return {f"font/{name}": project.template(f"fonts/{name}").read_bytes() for name in found}


def _style(project: Project, tokens: Tokens, paper: Paper) -> bytes:
    css = project.template("print.css").read_text("utf-8")
    colors = tokens.css("print")
    return f":root {{ {colors} }}\n@page {{ {colors} {SHEETS[paper]} }}\n{css}".encode()
