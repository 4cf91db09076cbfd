"""Nothing gets in or out: what is written is data, what is drawn is shapes, and nobody is asked for anything."""

from __future__ import annotations

import io
import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pytest
from lxml import etree

from report import binding, crew, inert, marks, sandbox
from report.binding import Bound
from report.build import chosen
from report.drawing import neutral
from report.errors import Mistake
from report.formula import FormulaError, parse
from report.pdf.engine import Engine
from report.project import default_templates, open_project, read_settings
from report.results import bind
from tests.conftest import FILES, Staff, Tiny

ROOT = Path(__file__).parent.parent

# Through the text: the template of an article, in its sandbox

NAMES: dict[str, Any] = {
    "spread": bind("spread", {"sd": 7.978, "row": [8, 0, -8], "word": "wide"}),
    "cite": lambda key: f"[{key}](#source-{key})",
}
BOMB = "{% for a in range(9999) %}" * 3 + "x" + "{% endfor %}" * 3
IN_TEXT = {  # attack -> what is said of it
    "{{ ''.__class__ }}": "the text '' has no '__class__'",
    "{{ ''['__class__'] }}": "the text '' has no '__class__'",
    "{{ spread.__class__.__mro__ }}": "spread has no '__class__'",
    "{{ spread.sd.__class__ }}": "spread.sd has no '__class__'",
    "{{ spread.row.append(1) }}": "spread.row has no 'append'",
    "{{ spread.word.format(spread) }}": "spread.word has no 'format'",
    "{{ '{0.__class__}'.format(spread) }}": "has no 'format'",
    "{{ '%s' % spread }}": "`%` expects numbers, not the text '%s'",
    "{{ '%999999999d' % 1 }}": "`%` expects numbers, not the text",
    "{{ 'a' * 10**9 }}": "`*` expects numbers, not the text 'a'",
    "{{ [0] * 10**9 }}": "`*` expects numbers, not a list",
    "{{ 10 ** (10 ** 10) }}": "`**` gives a number beyond 1e308",
    "{{ 'a'.ljust(10**9) }}": "has no 'ljust'",
    "{{ range(10**9) | length }}": "the ranges of a text hold 10,000 numbers at most",
    BOMB: "the ranges of a text hold 10,000 numbers at most",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}": "brings itself in without end",
    "{{ cite.__globals__ }}": "a function has no '__globals__'",
    "{{ holds.__self__ }}": "a function has no '__self__'",
    "{{ self.__init__ }}": "a template may not do that",
    "{{ self._TemplateReference__context }}": "a template may not do that",
    "{% for x in spread.row %}{{ loop.__class__ }}{% endfor %}": "a template may not do that",
    "{% for x in spread.row %}{{ loop.cycle.__func__ }}{% endfor %}": "has no '__func__'",
    "{{ lipsum }}{{ config }}": "'lipsum' is not defined",
    "{{ spread | attr('__class__') }}": "there is no filter 'attr'",
    "{{ spread.row | map(attribute='real') }}": "there is no filter 'map'",
    "{{ '\\u003cscript' }}": "`\\u` stands for a character",
    "{{ '\\ue000F0\\ue001' }}": "`\\u` stands for a character",
    "{{ '\\x07' }}": "`\\x` stands for a character",
    "{% include '../secret.md' %}": "'../secret.md' lies outside templates/",
    "{% include '/etc/passwd' %}": "'/etc/passwd' lies outside templates/",
    "{% import '../secret.md' as x %}": "'../secret.md' lies outside templates/",
    "{% extends '../secret.md' %}": "'../secret.md' lies outside templates/",
    "{% include 'link.md' %}": "'link.md' lies outside templates/",
    "{% include '.kept/part.md' %}": "'.kept/part.md' is hidden, and no build reads what is",
    "{% set spread = 1 %}{{ spread }}": "1 needs a filter",
    "{{ spread.word ~ '!' }}": "`~` joins texts, which stand beside each other by themselves",
    "{{ spread.word + '!' }}": "`+` expects numbers, not the text 'wide'",
}


@pytest.mark.parametrize("attack", IN_TEXT)
def test_a_text_reaches_nothing_but_what_was_stored_for_it(attack: str, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    template = binding.Template(folder, "article.md", attack, 1, lambda path: path.name)
    with pytest.raises(Mistake) as refused:
        binding.render(template, Bound(), NAMES)

    assert IN_TEXT[attack] in str(refused.value)
    assert "secret" not in str(refused.value).replace("secret.md", "")


@pytest.mark.parametrize(
    "tex",
    [r"\href{javascript:alert(1)}{x}", r"\url{x}", r"\input{/etc/passwd}", r"\def\x{\x\x}\x",
     r"\includegraphics{x}", r"\style{background:url(x)}{x}", r"\class{x}{y}", "{" * 999 + "}" * 999],
)  # fmt: skip
def test_a_formula_reaches_nothing(tex: str) -> None:
    with pytest.raises(FormulaError, match="cannot be set"):
        parse(tex, display=True)


DATA = bind("data", {"[a](b)": "*c*", "words": ["<b>", "_d_"]})
OF_DATA = ["{{ data | first }}", "{% for key in data %}{{ key }}{% endfor %}", "{{ data['[a](b)'] }}",
    "{{ data['[a](b)'][0] }}", "{{ data['[a](b)'] | first }}", "{{ data['[a](b)'][:2] }}",
    "{% for letter in data['[a](b)'] %}{{ letter }}{% endfor %}", "{{ data.words | last }}",
    "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(data.words[0]) }}",
    "{% set x = data.words[0] %}{{ x }}", "{% set x %}{{ data.words[0] }}{% endset %}{{ x }}"]  # fmt: skip


@pytest.mark.parametrize("text", OF_DATA)
def test_no_part_of_data_is_ever_read_as_markdown(text: str, tmp_path: Path) -> None:
    template = binding.Template(tmp_path, "article.md", text, 1, lambda path: path.name)
    bound = Bound()
    rendered = binding.render(template, bound, {"data": DATA})

    assert "".join(marks.split(rendered)) == ""
    assert bound.texts


# Through a template of the page

IN_PAGE = {
    "{{ meta.__class__ }}": "a template may not do that",
    "{{ '{0.__class__}'.format(meta) }}": "a template may not do that",
    "{{ meta.title.__len__.__globals__ }}": "a template may not do that",
    "{{ cycler.__init__.__globals__ }}": "a template may not do that",
    "{{ 'a' * 10**9 }}": "`*` expects numbers, not the text 'a'",
    "{{ range(10**9) | list }}": "the ranges of a text hold 10,000 numbers at most",
    "{% include '/etc/passwd' %}": "no loader for this environment",
}


class Meta:
    title = "A title"


@pytest.mark.parametrize("attack", IN_PAGE)
def test_a_page_template_reaches_nothing_but_the_report(attack: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<html>\n{attack}{{{{ body }}}}")
    with pytest.raises(Mistake, match=r"^templates/page\.html, line 2: ") as refused:
        sandbox.page(path, "templates/page.html", {}, body="x", meta=Meta())

    assert IN_PAGE[attack] in str(refused.value)


ADDRESSES = [
    "http://example.org/x", "https://example.org/x", "//example.org/x", "ftp://example.org/x",
    "file:///etc/hostname", "../secret", "/etc/hostname", "javascript:alert(1)", "blob:x",
]  # fmt: skip
LOADING = [
    '<img src="{}">', '<img srcset="{} 2x">', '<video poster="{}"></video>', '<input src="{}">',
    '<link rel="stylesheet" href="{}">', '<link rel="icon" href="{}">', '<svg><use href="{}"/></svg>',
    '<link rel="preload" href="{}">', '<svg><image xlink:href="{}"/></svg>', '<body background="{}">',
    '<button formaction="{}">x</button>', '<p style="background:url({})">x</p>', '<a ping="{}">x</a>',
]  # fmt: skip
RUNNING = [
    "<script>alert(1)</script>", "<iframe srcdoc='x'></iframe>", "<object></object>", "<embed>",
    "<base href='https://example.org/'>", "<p onclick='alert(1)'>x</p>", "<svg onload='alert(1)'/>",
    "<meta http-equiv='refresh' content='0; url=https://example.org'>", "<form></form>",
    "<a href='javascript:alert(1)'>x</a>", "<a href=' JavaScript:alert(1)'>x</a>",
    "<a href='data:text/html,x'>x</a>", "<a href='file:///etc/hostname'>x</a>", "<a href='../x'>x</a>",
    "<link rel='license' href='javascript:alert(1)'>", "<math href='https://example.org/'></math>",
]  # fmt: skip
STILL = (
    '<html><head><link rel="icon" href="data:,"><link rel="license" href="https://example.org/l">'
    '</head><body><a href="#x">x</a><a href="https://example.org/">y</a>'
    '<img src="data:image/png;base64,AA"><svg><use href="#x"/></svg>{}</body></html>'
)


@pytest.mark.parametrize(
    "attack", [each.format(at) for each in LOADING for at in ADDRESSES] + RUNNING
)
def test_a_page_that_would_load_or_run_something_is_refused(attack: str) -> None:
    template = f"one\ntwo\n{attack}"
    inert.check_page(STILL.format(""), template, "templates/page.html")
    with pytest.raises(
        Mistake, match=r"^templates/page\.html.* would load or run something"
    ) as refused:
        inert.check_page(STILL.format(attack), template, "templates/page.html")

    assert refused.value.line == 3


def test_what_was_still_by_itself_is_read_again_where_it_says_something_else() -> None:
    inert.check_page('<p>x</p><h2>" onclick="alert(1)">y</h2>', "", "page.html")

    with pytest.raises(Mistake, match="“onclick” would load or run something"):
        inert.check_page('<p title="<h2>" onclick="alert(1)">y</h2>', "", "page.html")


FIGURES = "const one = 1 < 2;\n"


@pytest.mark.parametrize(
    "attack",
    [*RUNNING, f"<script type='module'>{FIGURES}</script>", f"<script src='data:,x'>{FIGURES}</script>",
     f"<script>{FIGURES} </script>", f"<script/>{FIGURES}", f"<script>{FIGURES}", "<script></script>",
     f"<script>{FIGURES}</script><script>{FIGURES};alert(1)</script>"],
)  # fmt: skip
def test_a_page_with_the_script_of_a_figure_runs_that_and_no_other(attack: str) -> None:
    page, file = STILL.format(f"<script>{FIGURES}</script>{{}}"), "templates/page.html"
    inert.check_page(page.format(""), "", file, [FIGURES])

    with pytest.raises(Mistake, match=" would load or run something"):
        inert.check_page(page.format(attack), "", file, [FIGURES])
    with pytest.raises(Mistake, match="“script” would load or run something"):
        inert.check_page(page.format(""), "", file)


# Through a style of the page

STYLES = [
    "p {{ background: url({}) }}", "p {{ background: URL( '{}' ) }}", "@import '{}';",
    "@import url({});", "p {{ background: image-set('{}' 1x) }}", "@font-face {{ src: url({}) }}",
    "p {{ background: u\\72l({}) }}", "@\\69mport '{}';", "p {{ background: u/**/rl({}) url({}) }}",
    "p {{ list-style: url({}) }}", "p {{ content: url('{}') }}", "p {{ background: src('{}') }}",
]  # fmt: skip


@pytest.mark.parametrize("rule", STYLES)
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_style_that_asks_for_something_is_refused_at_its_line(rule: str, address: str) -> None:
    css = f"/* a comment\n of two lines */\n{rule.replace('{}', address).replace('{{', '{')}"
    with pytest.raises(Mistake, match=r"^templates/screen\.css, line 3: "):
        inert.check_style(css, "templates/screen.css")


@pytest.mark.parametrize(
    "rule",
    ["p {} </style><script>alert(1)</script>", "<!-- -->", "p { src: url(fonts/../x.woff2) }"],
)
def test_a_style_that_would_leave_its_element_is_refused(rule: str) -> None:
    with pytest.raises(Mistake, match="would load or run something"):
        inert.check_style(rule, "templates/screen.css")


def test_the_style_of_the_generator_asks_for_its_own_fonts_alone() -> None:
    inert.check_style((default_templates() / "screen.css").read_text("utf-8"), "screen.css")


# Through a drawing

IN_DRAWING = {
    "<script>alert(1)</script>": "no <script>",
    "<image href='file:///etc/hostname'/>": "no <image>",
    "<image href='https://example.org/x.png'/>": "no <image>",
    "<foreignObject/>": "no <foreignObject>",
    "<style>@import url(https://example.org)</style>": "no <style>",
    "<a href='https://example.org'><path d='M0 0'/></a>": "no <a>",
    "<animate attributeName='href' to='javascript:alert(1)'/>": "no <animate>",
    "<set attributeName='href' to='https://example.org'/>": "no <set>",
    "<path d='M0 0' onload='alert(1)'/>": "no attribute 'onload'",
    "<path d='M0 0' style='fill:url(https://example.org)'/>": "no attribute 'style'",
    "<use href='https://example.org/x.svg#a'/>": "may not refer to 'https",
    "<use href='../x.svg#a'/>": "may not refer to '../x",
    "<use href='data:image/svg+xml,x'/>": "may not refer to 'data:",
    "<path d='M0 0' fill='url(https://example.org)'/>": "may not set fill",
    "<path d='M0 0' fill='url(#a)'/>": "may not set fill",
    "<path d='M0 0' stroke='red}body{display:none'/>": "may not set stroke",
    "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='/etc/hostname'/>": "no <include>",
}


@pytest.mark.parametrize("attack", IN_DRAWING)
def test_a_drawing_holds_nothing_but_shapes_and_words(attack: str) -> None:
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{attack}</svg>'

    with pytest.raises(ValueError, match=re.escape(IN_DRAWING[attack])):
        neutral.read(drawing)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE svg [<!ENTITY secret SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE svg SYSTEM "https://example.org/x.dtd">',
        '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    ],
)
def test_a_declaration_is_refused_unread(declaration: str) -> None:
    drawing = f'{declaration}<svg xmlns="http://www.w3.org/2000/svg"><text>&secret;</text></svg>'

    with pytest.raises(ValueError, match="no declaration"):
        neutral.read(drawing)


def test_an_instruction_is_taken_out_of_a_drawing() -> None:
    drawing = '<?xml-stylesheet href="https://example.org/x.css"?><svg xmlns="http://www.w3.org/2000/svg"/>'

    assert neutral.write(neutral.read(drawing)) == '<svg xmlns="http://www.w3.org/2000/svg"/>'


# Through whatever the PDF engine is handed

DAY = date(2026, 1, 2)
ASKING = {  # what asks -> the files it is handed with
    '<img src="{}" alt="x">': {},
    '<object data="{}"></object>': {},
    '<embed src="{}">': {},
    '<link rel="stylesheet" href="{}">': {},
    '<link rel="attachment" href="{}">': {},
    '<p style="background: url({})">x</p>': {},
    '<style>@import url("{}");</style>': {},
    '<style>p::before {{ content: url("{}") }}</style><p>x</p>': {},
    '<style>@font-face {{ font-family: Spy; src: url("{}") }} p {{ font-family: Spy }}</style><p>x</p>': {},
    '<img src="report:figure/roll-wide.svg" alt="x"><!--{}-->': {"image": "figure/roll-wide.svg"},
}


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize(
    "address",
    ["http://example.org/x", "https://example.org/x", "ftp://example.org/x", "file:///etc/hostname",
     "data:text/html,x", "report:../../etc/hostname", "report:figure/none.svg"],
)  # fmt: skip
def test_the_engine_is_refused_whatever_it_was_not_handed(asking: str, address: str) -> None:
    image = f'<image href="{address}" width="9" height="9"/>'
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{image}</svg>'
    engine = Engine({name: drawing.encode() for name in ASKING[asking].values()})
    page = f'<html lang="en"><title>t</title>{asking.format(address)}'
    with pytest.raises(Mistake) as refused:
        engine.write(engine.lay_out(engine.read(page)), [], DAY)

    assert address.split(",", maxsplit=1)[0] in str(refused.value)
    assert str(refused.value).startswith("figures/roll.py" if ASKING[asking] else "templates/")


# Through names and links


@pytest.mark.parametrize("stem", ["../roll", "roll/../roll", "/etc/passwd", ".", "roll.py", ""])
def test_a_name_of_an_experiment_is_no_path(tiny: Tiny, stem: str) -> None:
    with pytest.raises(Mistake, match="there is no experiment"):
        chosen(open_project(tiny.root), (stem,))


@pytest.mark.parametrize("slug", ["../throws", "a/b", "..", "a b", "a\\nb", "Ä", "-"])
def test_a_short_name_for_files_is_no_path(tiny: Tiny, slug: str) -> None:
    from report.article import Origin, World, compose

    tiny.edit("templates/article.md", 'slug = "throws"', f'slug = "{slug}"')
    project = open_project(tiny.root)
    with pytest.raises(Mistake, match=r"line 6: 'slug' in the front matter expects small letters"):
        compose(World(project, read_settings(project), {}, {}, Origin({}, "")))


@pytest.mark.parametrize(
    ("name", "to"),
    [
        ("figures/deeper.py", "outside"),
        ("figures/deeper.py", "nowhere"),
        ("figures/data", "folder"),
        ("figures/loop", "figures"),
        ("templates/article.md", "outside"),
        ("templates/screen.css", "outside"),
        ("templates/sources.toml", "outside"),
        ("templates/fonts", "folder"),
    ],
)
def test_a_link_that_leads_out_of_the_project_is_refused(
    tiny: Tiny, tmp_path: Path, name: str, to: str
) -> None:
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "folder").mkdir()
    tiny.path(name).unlink(missing_ok=True)
    tiny.path(name).symlink_to(tiny.path(to) if to == "figures" else tmp_path / to)

    with pytest.raises(
        Mistake, match=rf"^{name}: this link leads to no file of the project; put the"
    ):
        open_project(tiny.root)


def test_a_link_within_the_project_is_followed(tiny: Tiny) -> None:
    tiny.path("figures/deeper.py").rename(tiny.path("figures/deepest.py"))
    tiny.path("figures/deeper.py").symlink_to("deepest.py")

    assert open_project(tiny.root).stems == ["faces", "roll"]


def test_a_link_in_the_place_of_a_result_is_replaced_and_not_followed(
    tiny: Tiny, tmp_path: Path
) -> None:
    from report.shelf import write

    (tmp_path / "kept").write_text("kept")
    tiny.path("figures/roll.json").symlink_to(tmp_path / "kept")
    write(tiny.path("figures/roll.json"), b"new")

    assert (tmp_path / "kept").read_text() == "kept"
    assert tiny.read("figures/roll.json") == "new"


# Through all data at once: a report of nothing but attacks

MARKUP = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title><svg onload=alert(1)>",
    '" onmouseover="alert(1)',
    "<style>@import 'https://example.org/x';</style>",
    "<link rel=stylesheet href=https://example.org/x>",
    "{{ 7 * 7 }} {% include '/etc/hostname' %}",
    "[x](javascript:alert(1)) ![x](https://example.org/x)",
    "<!-- --> ]]> &lt; &#60;",
]
HOSTILE = " ".join(MARKUP)
QUOTED = json.dumps(HOSTILE)

FACES = (
    FILES["figures/faces.py"]
    .replace(
        '"label": parameters.label', f'"label": parameters.label, "evil": {{{QUOTED}: {QUOTED}}}'
    )
    .replace('f"A bar for', '\'<b "x">\' + f"A bar for')
    .replace('"description": [alt]', f'"description": [alt, {QUOTED}]')
    .replace('"caption": "Shares."', f'"caption": {QUOTED}')
    .replace('[["each", share]]', f"[[{QUOTED}, share]]")
    .replace(
        "    canvas.height = 60\n",
        "".join(
            f"    canvas.text(5, {70 + 14 * n}, {each!r})\n" for n, each in enumerate(MARKUP[:5])
        )
        + "    canvas.height = 150\n",
    )
    + f"""

def claims(result, say):
    return [{{"name": "evil", "sentence": {QUOTED}, "holds": True, "evidence": {QUOTED}}}]
"""
)
ARTICLE = f"""\
+++
title = {QUOTED}
short_title = {QUOTED}
kicker = {QUOTED}
dek = {QUOTED}
slug = "throws"
author = {QUOTED}
published = "2026-01-02"
version = {QUOTED}
language = "en-US"
license = {QUOTED}
license_url = "https://creativecommons.org/publicdomain/zero/1.0/"
keywords = [{QUOTED}]
description = {QUOTED}
+++

## Throws {{#throws}}

{{{{ faces.label }}}} and {{{{ faces.evil | first }}}} and {{{{ cite("evil2000") }}}} and <script>alert(1)</script>

{{% claim faces.evil %}}Words.{{% endclaim %}}

::: figure roll
**Means stray.** Each mark is one mean.
:::

::: figure faces
**Shares.** {{{{ faces.label }}}}
:::

## Sources {{#sources}}

{{{{ sources() }}}}
"""
SOURCES = f"""\
[evil2000]
authors = {QUOTED}
year = 2000
title = {QUOTED}
venue = {QUOTED}
supports = {QUOTED}
url = "https://example.org/?a=%22%3E%3Cscript%3E"
"""
WORLD = FILES | {
    "seeds.toml": FILES["seeds.toml"].replace('label = "face"', f"label = {QUOTED}"),
    "figures/faces.py": FACES,
    "templates/article.md": ARTICLE,
    "templates/sources.toml": SOURCES,
}


class Watch:
    """Hears, while it is on, of whatever is asked of a network."""

    def __init__(self) -> None:
        self.on, self.asked = False, list[str]()
        sys.addaudithook(self._hear)  # for good, so it is one watch for all

    def _hear(self, event: str, details: tuple[object, ...]) -> None:
        if self.on and event.startswith(("socket.", "urllib.", "http.", "ftplib.")):
            self.asked.append(f"{event} {details}")

    @contextmanager
    def hearing(self) -> Iterator[list[str]]:
        self.on, self.asked = True, []
        try:
            yield self.asked
        finally:
            self.on = False


@pytest.fixture(scope="session")
def watch() -> Watch:
    return Watch()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, watch: Watch) -> tuple[Tiny, list[str]]:
    """A report in which every piece of data is an attack, and what its build asked of a network."""
    tiny = Tiny(tmp_path_factory.mktemp("hostile") / "tiny")
    for name, text in WORLD.items():
        tiny.path(name).parent.mkdir(parents=True, exist_ok=True)
        tiny.path(name).write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crew, "Pool", Staff)
        patch.setattr("signal.signal", lambda *_: None)
        patch.setattr(sys, "argv", ["report", "build", "--quiet", "--project", str(tiny.root)])
        from report.__main__ import main

        with watch.hearing() as asked, pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
    return tiny, asked


Hostile = tuple[Tiny, list[str]]


def test_an_attack_in_data_is_words_on_the_page(hostile: Hostile) -> None:
    root = etree.fromstring(hostile[0].read("build/throws.html"), etree.HTMLParser())
    nodes = list(root.iter(etree.Element))
    words = " ".join("".join(map(str, root.itertext())).split())

    assert {"script", "iframe", "object", "b"} & {str(node.tag) for node in nodes} == set()
    assert [name for node in nodes for name in node.attrib if str(name).startswith("on")] == []
    assert [str(node.text) for node in root.iter("title")] == [HOSTILE]
    assert words.count(HOSTILE) > 10
    assert "49" not in re.findall(r"\b49\b", words)


def test_an_attack_in_data_is_words_in_the_pdf(hostile: Hostile) -> None:
    data = hostile[0].path("build/throws.pdf").read_bytes()
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    text = re.sub(r"\s", "", "".join(page.extract_text() for page in pages))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        links = [link for page in pdf.pages for link in page.get("/Annots", [])]
        led = [link.A for link in links if "/A" in link]
        actions = {str(each.S) for each in led}
        addresses = {str(each.URI) for each in led if "/URI" in each}
        written = b"".join(each.unparse() for each in pdf.objects)
        names = set(re.findall(rb"/[A-Za-z]+", written))

    assert actions <= {"/URI", "/GoTo"}
    assert addresses == {
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "https://example.org/?a=%22%3E%3Cscript%3E",
    }
    assert names & {b"/JS", b"/JavaScript", b"/AA", b"/Launch", b"/RichMedia", b"/XFA"} == set()
    assert "<script>alert(1)</script>" in text


def test_an_attack_in_data_is_words_in_the_committed_picture(hostile: Hostile) -> None:
    root = etree.fromstring(hostile[0].path("figures/faces.svg").read_bytes())
    said = {str(node.get("aria-label")) for node in root.iter()}

    assert set(MARKUP[:5]) <= said
    assert "script" not in {etree.QName(node).localname for node in root.iter()}


def test_a_build_asks_nothing_of_a_network(hostile: Hostile) -> None:
    tiny, asked = hostile

    assert tiny.path("build/throws.pdf").exists()
    assert asked == []


def test_the_watch_hears_who_asks(watch: Watch) -> None:
    with watch.hearing() as asked, socket.socket() as one:
        one.connect_ex(("127.0.0.1", 1))

    assert any("socket.connect" in each for each in asked)


@pytest.mark.slow  # a whole build in processes of its own
def test_a_build_needs_no_network(tmp_path: Path) -> None:
    alone = ["unshare", "--net"] if shutil.which("unshare") else []
    for way in (alone, [*alone, "--map-root-user"]):
        ran = (
            subprocess.run([*way, "true"], capture_output=True, text=True, check=False)
            if way
            else None
        )
        if ran is not None and not ran.returncode:
            break
    else:
        pytest.skip("not proved: this machine lets nobody cut off the network")
    tiny = Tiny(tmp_path / "tiny")
    for name, text in FILES.items():
        tiny.write(name, text)
    down = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    cut = subprocess.run(
        [*way, sys.executable, "-c", down], capture_output=True, text=True, check=False
    )
    build = [sys.executable, "-m", "report", "build", "--quiet", "--project", str(tiny.root)]
    built = subprocess.run([*way, *build], cwd=ROOT, capture_output=True, text=True, check=False)

    assert "Network is unreachable" in cut.stderr
    assert (built.returncode, built.stderr) == (0, "")
    assert tiny.path("build/throws.html").exists()
    assert tiny.path("build/throws.pdf").exists()
