"""Whatever a user gets wrong is one sentence that says where and what to do next, and no output is lost."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from report import crew, worker
from report.errors import AGAIN
from report.project import default_templates
from report.worker import Output, Text
from tests.conftest import FILES, Run, Staff, Tiny

ROOT = Path(__file__).parent.parent

CLAIMS = '''

def claims(result, say):
    """Say what holds."""
    sides = say.count(result["sides"])
    return [{"name": "fair", "sentence": "A fair die.", "holds": True, "evidence": sides}]
'''

TEXT = """
## Throws {#throws}

Means stray,[^far] as [](#roll) shows for {{ roll.sides | count }} sides, where $p$ is a share.
{% claim faces.fair %}The die is fair.{% else %}The die is loaded.{% endclaim %}

[^far]: See {{ cite("knuth1997", "p. 1") }}.

::: figure roll
**Means stray.** Each mark is one mean.
:::

::: figure faces
**All faces are alike.** The bar is the share of each.
:::

::: table kinds
Kinds of dice.

| Kind | Sides |
|---|---|
| Cube | many |
:::

:::: self-test
::: question
How likely is a side?

???

As likely as any.
:::
::::

## Sources {#sources}

{{ sources() }}
"""

SOURCES = """\
[knuth1997]
authors = "Knuth"
year = 1997
title = "What is random?"
url = "https://example.org/random"
supports = "the mean"
"""

FRONT = FILES["templates/article.md"].partition("\n::: short-answer")[0]
WORLD = FILES | {
    "figures/faces.py": FILES["figures/faces.py"] + CLAIMS,
    "templates/article.md": FRONT + TEXT,
    "templates/sources.toml": SOURCES,
}

Change = Callable[[Tiny], object]


def edited(file: str, old: str, new: str) -> Change:
    """The mistake is made by replacing something in a file."""
    return lambda tiny: tiny.edit(file, old, new)


def in_seeds(old: str, new: str) -> Change:
    return edited("seeds.toml", old, new)


def in_text(old: str, new: str) -> Change:
    return edited("templates/article.md", old, new)


def in_sources(old: str, new: str) -> Change:
    return edited("templates/sources.toml", old, new)


def in_faces(old: str, new: str) -> Change:
    return edited("figures/faces.py", old, new)


def measuring(code: str) -> Change:
    """An experiment measures something else."""
    old = 'return {"label": parameters.label, "low": LOW, "sides": sides, "share": 1 / sides}'
    return in_faces(old, code)


def saying(code: str) -> Change:
    """An experiment says something else of its picture."""
    return in_faces('return {"alt": alt, "description": [alt], "table": table}', code)


def drawing(code: str) -> Change:
    """An experiment draws something else than its words."""
    return in_faces('canvas.text(40, 50, canvas.say.fixed(result["share"], 3))', code)


def claiming(code: str) -> Change:
    """An experiment claims something else."""
    old = '[{"name": "fair", "sentence": "A fair die.", "holds": True, "evidence": sides}]'
    return in_faces(old, code)


def written(file: str, text: str) -> Change:
    """The mistake is a file that says something else, or that is there at all."""
    return lambda tiny: tiny.write(file, text)


def own(template: str, old: str, new: str) -> Change:
    """A project's own template, made from the generator's."""
    source = (default_templates() / template).read_text("utf-8")
    assert source.count(old) == 1
    return lambda tiny: tiny.path(f"templates/{template}").write_text(source.replace(old, new))


def including(part: str) -> Change:
    """The mistake is in a file that the text brings in."""

    def include(tiny: Tiny) -> None:
        tiny.write("templates/part.md", part)
        tiny.edit("templates/article.md", "[](#roll)", "{% include 'part.md' %}")

    return include


def renamed(old: str, new: str) -> Change:
    return lambda tiny: tiny.path(old).rename(tiny.path(new))


def called(name: str) -> Change:
    """An experiment goes by another name, in its file, in the project file and in the text."""

    def rename(tiny: Tiny) -> None:
        tiny.path("figures/faces.py").rename(tiny.path(f"figures/{name}.py"))
        for file in ("seeds.toml", "templates/article.md"):
            tiny.write(file, re.sub(r"\bfaces\b", name, tiny.read(file)))

    return rename


def in_bytes(file: str, data: bytes) -> Change:
    return lambda tiny: tiny.path(file).write_bytes(data)


def folder(name: str) -> Change:
    """Where a file should be, there is a folder."""

    def put(tiny: Tiny) -> None:
        tiny.path(name).unlink()
        tiny.path(name).mkdir()

    return put


def linked(name: str, to: str) -> Change:
    def link(tiny: Tiny) -> None:
        tiny.path(name).unlink(missing_ok=True)
        tiny.path(name).symlink_to(to)

    return link


def font(name: str, change: Callable[[bytes], bytes]) -> Change:
    """A project's own font, damaged."""
    data = change((default_templates() / "fonts" / name).read_bytes())

    def put(tiny: Tiny) -> None:
        tiny.path("templates/fonts").mkdir()
        for path in (default_templates() / "fonts").glob("*.ttf"):
            shutil.copy(path, tiny.path("templates/fonts"))
        tiny.path(f"templates/fonts/{name}").write_bytes(data)

    return put


def nothing(_tiny: Tiny) -> None:
    """The mistake is on the command line."""


def typed(*words: str) -> tuple[Change, tuple[str, ...]]:
    return nothing, words


# In a sentence, … stands for anything, and a sentence without a remedy ends in the usual one.
# A mistake is made by a change, or typed.
Rows = dict[str, tuple[Change | tuple[Change, tuple[str, ...]], str]]

IN_LINES = """\
seed = 11
dice.sides = 6
roll = {throws = [10, 20], scale = 1.5}
faces = {label = "face"}
"""

SEEDS: Rows = {
    "a misspelt section": (
        in_seeds("[roll]", "[rol]"),
        "seeds.toml, line 7: no experiment reads the section [rol] (did you mean 'roll'?)",
    ),
    "a misspelt key": (
        in_seeds("throws =", "trows ="),
        "seeds.toml, line 8: [roll] has no 'trows' (did you mean 'throws'?)",
    ),
    "a misspelt shared key": (
        in_seeds("sides = 6", "sites = 6"),
        "seeds.toml, line 5: [dice] has no 'sites' (did you mean 'sides'?)",
    ),
    "a missing key": (in_seeds("scale = 1.5\n", ""), "seeds.toml, line 7: [roll] lacks 'scale'"),
    "a missing section": (
        in_seeds("[dice]  # shared by both\nsides = 6", ""),
        "seeds.toml: there is no section [dice], which figures/faces.py reads",
    ),
    "a section nobody reads": (
        in_seeds("[faces]", "[other]\nx = 1\n\n[faces]"),
        "seeds.toml, line 11: no experiment reads the section [other] (known: faces, roll, dice, build)",
    ),
    "a shared section by a name the text has for something else": (
        in_seeds("[faces]", "[facts]\nx = 1\n\n[faces]"),
        "seeds.toml, line 11: 'facts' is also the name of something else in every text; give the section"
        " another name",
    ),
    "a section in a section": (
        in_seeds("[faces]", "[roll.more]\nx = 1\n\n[faces]"),
        "seeds.toml, line 7: [roll] has no 'more' (known: scale, seed, throws)",
    ),
    "a section written as a list": (
        in_seeds("[faces]", "[[faces]]"),
        "seeds.toml, line 11: 'faces' is a section: write [faces], in single brackets",
    ),
    "text for a number": (
        in_seeds("scale = 1.5", 'scale = "wide"'),
        "seeds.toml, line 9: [roll] scale expects a number, not \"wide\"",
    ),
    "text in a list of numbers": (
        in_seeds("[10, 20]", '[10, "many"]'),
        "seeds.toml, line 8: [roll] throws (entry 2) expects a whole number, not \"many\"",
    ),
    "a fraction for a whole number": (
        in_seeds("sides = 6", "sides = 6.5"),
        "seeds.toml, line 5: [dice] sides expects a whole number, not 6.5",
    ),
    "a truth value for a number": (
        in_seeds("sides = 6", "sides = true"),
        "seeds.toml, line 5: [dice] sides expects a whole number, not true",
    ),
    "a number for text": (
        in_seeds('"face"', "3"), "seeds.toml, line 12: [faces] label expects a text in quotes, not 3",
    ),
    "a date for a number": (
        in_seeds("scale = 1.5", "scale = 2017-06-12"),
        "seeds.toml, line 9: [roll] scale holds 2017-06-12, and a date or a time has to stand in quotes",
    ),
    "a number below its bound": (
        in_seeds("[10, 20]", "[10, 0]"),
        "seeds.toml, line 8: [roll] throws (entry 2) expects a number greater than or equal to 1, not 0",
    ),
    "an empty list": (
        in_seeds("[10, 20]", "[]"), "seeds.toml, line 8: [roll] throws expects at least 1 item, not []",
    ),
    "an empty text": (
        in_seeds('"face"', '""'), 'seeds.toml, line 12: [faces] label holds "", and no text may be empty',
    ),
    "a NaN": (
        in_seeds("scale = 1.5", "scale = nan"),
        "seeds.toml, line 9: [roll] scale holds nan, and no number may be NaN, infinite or beyond 1e308",
    ),
    "a number of 400 digits": (
        in_seeds("sides = 6", f"sides = {'9' * 400}"),
        "seeds.toml, line 5: [dice] sides holds 999…, and no number may be NaN, infinite or beyond 1e308",
    ),
    "a number of 5,000 digits": (
        in_seeds("sides = 6", f"sides = {'9' * 5000}"),
        "seeds.toml, line 5: this is not TOML: a number has too many digits",
    ),
    "more throws than memory holds": (
        in_seeds("[10, 20]", "[10, 1_000_000_000_000_000]"),
        "figures/roll.py, line 32: measuring stopped with …Error: …",
    ),
    "a key without =": (
        in_seeds("scale = 1.5", "scale: 1.5"),
        "seeds.toml, line 9: this is not TOML: a key has no `=` after it",
    ),
    "a text without quotes": (
        in_seeds('"face"', "face"),
        "seeds.toml, line 12: this is not TOML: there is no value that TOML knows (text stands in quotes)",
    ),
    "a comma in a number": (
        in_seeds("scale = 1.5", "scale = 1,5"),
        "seeds.toml, line 9: this is not TOML: a line says more than one value",
    ),
    "a list that is never closed": (
        in_seeds("[10, 20]", "[10, 20"), "seeds.toml, line 9: this is not TOML: a list is never closed",
    ),
    "a text that is never closed": (
        in_seeds('"face"', '"face'), "seeds.toml, line 12: this is not TOML: a text is never closed",
    ),
    "a key given twice": (
        in_seeds("scale = 1.5", "scale = 1.5\nscale = 2"),
        "seeds.toml, line 10: this is not TOML: a key stands twice in its section",
    ),
    "a section given twice": (
        in_seeds("[faces]", "[roll]\n\n[faces]"),
        "seeds.toml, line 11: this is not TOML: the section [roll] stands twice",
    ),
    "lists in lists without end": (
        in_seeds("[10, 20]", "[" * 3000 + "]" * 3000),
        "seeds.toml, line 8: this is not TOML: lists lie too deep in each other",
    ),
    "no base seed": (
        in_seeds("seed = 11  # base of every stream\n", ""),
        "seeds.toml: there is no base seed; write one above the first section, as in `seed = 2017`",
    ),
    "a negative seed": (
        in_seeds("seed = 11", "seed = -1"),
        "seeds.toml, line 2: seed expects a whole number from 0 up and below 2**64, not -1",
    ),
    "a seed in words": (
        in_seeds("seed = 11", 'seed = "eleven"'),
        "seeds.toml, line 2: seed expects a whole number from 0 up and below 2**64, not \"eleven\"",
    ),
    "a seed with a fraction": (
        in_seeds("[faces]", "[faces]\nseed = 1.5"),
        "seeds.toml, line 12: [faces] seed expects a whole number from 0 up and below 2**64, not 1.5",
    ),
    "a seed of 301 digits": (
        in_seeds("seed = 11", f"seed = {10**300}"),
        "seeds.toml, line 2: seed expects a whole number from 0 up and below 2**64, not 1000…",
    ),
    "a misspelt key in a section of one line": (
        written("seeds.toml", IN_LINES.replace("label", "labl")),
        "seeds.toml, line 4: [faces] has no 'labl' (did you mean 'label'?)",
    ),
    "a misspelt key written with its section": (
        written("seeds.toml", IN_LINES.replace("dice.sides", "dice.sites")),
        "seeds.toml, line 2: [dice] has no 'sites' (did you mean 'sides'?)",
    ),
    "a key out of bounds written with its section": (
        written("seeds.toml", IN_LINES.replace("sides = 6", "sides = 1")),
        "seeds.toml, line 2: [dice] sides expects a number greater than or equal to 2, not 1",
    ),
    "a value outside every section": (
        in_seeds("seed = 11", "seed = 11\nsides = 6"),
        "seeds.toml, line 3: 'sides' stands outside every section (known: seed)",
    ),
    "an unknown setting": (
        in_seeds("[faces]", "[build]\nlimits = 3\n\n[faces]"),
        "seeds.toml, line 12: [build] has no 'limits' (did you mean 'limit'?)",
    ),
    "a limit of nothing": (
        in_seeds("[faces]", "[build]\nlimit = 0\n\n[faces]"),
        "seeds.toml, line 12: [build] limit expects seconds above 0, not 0",
    ),
    "a file in another encoding": (
        in_bytes("seeds.toml", b"seed = 11\n# caf\xe9\n"),
        "seeds.toml, line 2: this is not UTF-8 text (invalid continuation byte); save it as UTF-8",
    ),
    "a character that cannot be seen": (
        in_seeds('"face"', '"\\u0007"'),
        "seeds.toml, line 12: 'faces.label' holds a character that no font shows (U+0007); remove it",
    ),
    "a folder in its place": (
        folder("seeds.toml"), "seeds.toml: this file cannot be read (Is a directory)",
    ),
}  # fmt: skip

ARTICLE: Rows = {
    "an unknown experiment": (
        in_text("roll.sides", "rol.sides"),
        "templates/article.md, line 19: 'rol' is not defined (did you mean 'roll'?)",
    ),
    "an unknown key": (
        in_text("roll.sides", "roll.side"),
        "templates/article.md, line 19: roll has no 'side' (did you mean 'sides'?)",
    ),
    "an unknown filter": (
        in_text("| count", "| coutn"),
        "templates/article.md, line 19: there is no filter 'coutn' (did you mean 'count'?)",
    ),
    "a filter on nothing": (
        in_text("roll.sides", "nowhere"),
        "templates/article.md, line 19: 'nowhere' is not defined (known: article, cite, dice, …)",
    ),
    "no filter": (
        in_text("roll.sides | count", "roll.sides"),
        "templates/article.md, line 19: roll.sides needs a filter that says how to print it, such as"
        " `| fixed(2)`",
    ),
    "a filter without its digits": (
        in_text("| count", "| fixed"), "templates/article.md, line 19: 'fixed' is written `| fixed(digits)`",
    ),
    "digits in words": (
        in_text("| count", "| fixed('two')"),
        "templates/article.md, line 19: 'fixed' prints 0 to 12 decimals, not the text 'two' (roll.sides)",
    ),
    "a text for a filter of numbers": (
        in_text("roll.sides", "faces.label"),
        "templates/article.md, line 19: 'count' expects a number, not the text 'face' (faces.label)",
    ),
    "a fraction counted": (
        in_text("roll.sides", "faces.share"),
        "templates/article.md, line 19: 'count' expects a whole number, not 0.166666667 (faces.share)",
    ),
    "a sum in the text": (
        in_text("roll.sides |", "(roll.sides + 1) |"),
        "templates/article.md, line 19: 'count' was given a number that no result or parameter holds",
    ),
    "a record printed": (
        in_text("roll.sides | count", "roll.means"),
        "templates/article.md, line 19: roll.means is a record, and only numbers and texts can be printed",
    ),
    "a way into a number": (
        in_text("roll.sides", "roll.sides.first"), "templates/article.md, line 19: roll.sides has no 'first'",
    ),
    "a loop over a number": (
        in_text("{{ roll.sides | count }}", "{% for n in roll.sides %}{{ n | plain }}{% endfor %}"),
        "templates/article.md, line 19: a number is no list to go through",
    ),
    "a text compared with a number": (
        in_text("{{ roll.sides | count }}", "{% if faces.label > 3 %}many{% endif %}"),
        "templates/article.md, line 19: '>' cannot be asked of a text and a number",
    ),
    "braces that do not close": (
        in_text("| count }}", "| count }"), "templates/article.md, line 19: unexpected '}'",
    ),
    "one brace where two open": (
        in_text("{{ roll.sides", "{ roll.sides"),
        "templates/article.md, line 19: `{ roll.sides | count }}` would be printed as it stands; write"
        r" `{{ … }}`, or `\{` and `\}` for the signs themselves",
    ),
    "three braces where two open": (
        in_text("{{ roll.sides | count }}", "{{{ roll.sides | count }}}"),
        "templates/article.md, line 19: `{{{` would be printed as it stands; write `{{ … }}`, or `\\{` and `\\}`"
        " for the signs themselves",
    ),
    "two percent signs where one opens": (
        in_text("{% claim faces.fair %}", "{%% claim faces.fair %}"),
        "templates/article.md, line 20: `{%` is not followed by the name of a block",
    ),
    "a condition with a blank in its braces": (
        in_text("{% claim faces.fair %}The die is fair.{% else %}", "{ % if seed %}The die is fair.{% if seed %}"),
        "templates/article.md, line 20: `{ % if seed %}` would be printed as it stands; write `{% … %}`, or"
        r" `\{` and `\}` for the signs themselves",
    ),
    "a comment of another language": (
        in_text("where $p$", "<!-- Why? --> where $p$"),
        "templates/article.md, line 19: `<!-- Why? -->` would be printed as it stands; write a comment as"
        " `<# … #>`, or as code what is to be printed",
    ),
    "a comment of another template engine": (
        in_text("where $p$", "{# Why? #} where $p$"),
        "templates/article.md, line 19: `{# Why? #}` would be printed as it stands; write the name of a"
        " heading as `{#name}` at its end, and a comment as `<# … #>`",
    ),
    "a brace too few in a part": (
        including("So\n\nit is { seed }."),
        "templates/part.md, line 3: `{ seed }` would be printed as it stands; write `{{ … }}`, or"
        r" `\{` and `\}` for the signs themselves",
    ),
    "a condition that is never closed": (
        in_text("{{ roll.sides | count }}", "{% if roll.sides %}many"),
        "templates/article.md, line 19: the block `{% if %}` is never closed by `{% endif %}`",
    ),
    "a claim that is never closed": (
        in_text("{% endclaim %}", ""),
        "templates/article.md, line 20: the block `{% claim %}` is never closed by `{% endclaim %}`",
    ),
    "a misspelt block": (
        in_text("{% claim faces.fair %}", "{% calim faces.fair %}"),
        "templates/article.md, line 20: there is no block `{% calim %}` (did you mean 'claim'?)",
    ),
    "an else of nothing": (
        in_text("{% claim faces.fair %}", ""),
        "templates/article.md, line 20: `{% else %}` stands in no block that a condition or a claim opens",
    ),
    "a claim without a name": (
        in_text("{% claim faces.fair %}", "{% claim %}"),
        "templates/article.md, line 20: a claim is named by its experiment and itself:"
        " `{% claim stem.name %}`",
    ),
    "an unknown claim": (
        in_text("faces.fair %}", "faces.fare %}"),
        "templates/article.md, line 20: no experiment claims 'faces.fare' (did you mean 'faces.fair'?)",
    ),
    "a claim of a misspelt experiment": (
        in_text("faces.fair %}", "face.fair %}"),
        "templates/article.md, line 20: there is no experiment 'face' (did you mean 'faces'?)",
    ),
    "a claim of an experiment that was removed": (
        in_text("faces.fair %}", "wheel.fair %}"),
        "templates/article.md, line 20: there is no experiment 'wheel' (no file figures/wheel.py)",
    ),
    "a claim over two paragraphs": (
        in_text("The die is fair.", "The die\n\nis fair."),
        "templates/article.md, line 20: the words that lean on a claim begin and end within one paragraph",
    ),
    "a part that is not there": (
        in_text("[](#roll)", "{% include 'part.md' %}"),
        "templates/article.md, line 19: there is no templates/part.md",
    ),
    "an article that includes itself": (
        in_text("[](#roll)", "{% include 'article.md' %}"),
        "templates/article.md, line …: a macro or a file brings itself in without end",
    ),
    "an unknown kind of block": (
        in_text("::: table kinds", "::: tabel kinds"),
        "templates/article.md, line 32: there is no block `::: tabel` (did you mean 'table'?)",
    ),
    "a block of two colons": (
        in_text("::: table kinds", ":: table kinds"),
        "templates/article.md, line 32: `:: table kinds` begins no block, as `::: table` would",
    ),
    "an unknown kind of block whose place a link before it leads to": (
        in_text("::: figure roll", "::: figur roll"),
        "templates/article.md, line 24: there is no block `::: figur` (did you mean 'figure'?)",
    ),
    "a block that is closed by its name": (
        in_text("alike.** The bar is the share of each.\n", "alike.** The bar.\n::: /figure\n"),
        "templates/article.md, line 30: `::: /figure` ends no block, as a line `:::` would",
    ),
    "a name of a paragraph": (
        in_text("is loaded.{% endclaim %}", "is loaded.{% endclaim %} {#loaded}"),
        "templates/article.md, line 20: `{#loaded}` names no place, for only headings and items that are cards"
        " have such a name",
    ),
    "a block that is never closed": (
        in_text("one mean.\n:::", "one mean."),
        "templates/article.md, line 24: the block `::: figure roll` is never closed by a line `:::`",
    ),
    "a close of nothing": (
        in_text("::: table kinds", ":::\n\n::: table kinds"),
        "templates/article.md, line 32: `:::` closes a block that nothing opened",
    ),
    "a figure nobody draws": (
        in_text("::: figure faces", "::: figure face"),
        "templates/article.md, line 28: no experiment draws the figure 'face' (did you mean 'faces'?)",
    ),
    "a figure of an experiment that was removed": (
        in_text("::: figure faces", "::: figure wheel"),
        "templates/article.md, line 28: no experiment draws the figure 'wheel' (no file figures/wheel.py)",
    ),
    "a link to a figure that is not placed": (
        in_text("::: figure roll\n**Means stray.** Each mark is one mean.\n:::\n", ""),
        "templates/article.md, line 19: '#roll' leads to a figure that no `::: figure roll` places",
    ),
    "a figure placed twice": (
        in_text("::: table kinds", "::: figure roll\n**Again.** The same.\n:::\n\n::: table kinds"),
        "templates/article.md, line 32: '#roll' stands twice, and a link can lead to one place only",
    ),
    "a figure never placed": (
        in_text("::: figure faces\n**All faces are alike.** The bar is the share of each.\n:::\n", ""),
        "templates/article.md: the figure 'faces', which figures/faces.py makes, is placed nowhere;"
        " add `::: figure faces`, or remove the experiment",
    ),
    "a figure without a caption": (
        in_text("**Means stray.** Each mark is one mean.\n", ""),
        "templates/article.md, line 24: the figure 'roll' needs a caption of one paragraph",
    ),
    "a figure without a name": (
        in_text("::: figure faces", "::: figure"),
        "templates/article.md, line 28: `::: figure` needs one name after its kind",
    ),
    "a caption that calls a note": (
        in_text("one mean.", "one mean.^[A note.]"),
        "templates/article.md, line 24: the caption of 'roll' calls a note, and captions carry none",
    ),
    "a table row with a cell too many": (
        in_text("| Cube | many |", "| Cube | many | more |"),
        "templates/article.md, line 37: a row of the table has 3 cells, and the table 2 columns",
    ),
    "a question without its answer": (
        in_text("???\n", ""),
        "templates/article.md, line 42: a self-test holds `::: question` blocks, each split once by a line"
        " `???` between blank ones",
    ),
    "a question run together with its answer": (
        in_text("\n\n???\n\nAs likely", "\n???\nAs likely"),
        "templates/article.md, line 42: a self-test holds `::: question` blocks, each split once by a line"
        " `???` between blank ones",
    ),
    "a question of code alone": (
        in_text("How likely is a side?\n\n???", "    1 / 6\n"),
        "templates/article.md, line 42: a self-test holds `::: question` blocks, each split once by a line"
        " `???` between blank ones",
    ),
    "a heading of two lines without a name": (
        in_text("## Sources {#sources}\n", "Sources\nand more\n---\n"),
        "templates/article.md, line 50: the heading 'Sources and more' needs a short link, such as"
        " {#sources-and-more}",
    ),
    "two headings of one name": (
        in_text("{#sources}", "{#throws}"),
        "templates/article.md, line 50: '#throws' stands twice, and a link can lead to one place only",
    ),
    "a heading without a name": (
        in_text("## Sources {#sources}", "## Sources"),
        "templates/article.md, line 50: the heading 'Sources' needs a short link, such as {#sources}",
    ),
    "a heading of the wrong rank": (
        in_text("## Sources", "# Sources"),
        "templates/article.md, line 50: the heading 'Sources' begins neither with `##` nor with `###`",
    ),
    "a link to no place": (
        in_text("[](#roll)", "[](#rol)"),
        "templates/article.md, line 19: no place is called '#rol' (did you mean 'roll'?)",
    ),
    "a link to a file": (
        in_text("[](#roll)", "[this](notes.txt)"),
        "templates/article.md, line 19: the link to 'notes.txt' leads neither to an address of the web"
        " (https://…) nor to a place of the article (#…)",
    ),
    "a link without words": (
        in_text("[](#roll)", "[](https://example.org)"),
        "templates/article.md, line 19: the link to 'https://example.org' has no words",
    ),
    "a picture of one's own": (
        in_text("[](#roll)", "![A die](die.png)"),
        "templates/article.md, line 19: pictures are placed with `::: figure NAME`, never as images",
    ),
    "a note that is not there": (
        in_text("[^far]:", "[^fare]:"),
        "templates/article.md, line 19: there is no note [^far] (did you mean 'fare'?)",
    ),
    "a misspelt call of a note": (
        in_text("stray,[^far]", "stray,[^afr]"),
        "templates/article.md, line 19: there is no note [^afr] (did you mean 'far'?)",
    ),
    "a note nobody calls": (
        in_text("stray,[^far]", "stray,"),
        "templates/article.md, line 22: the note [^far] is called nowhere",
    ),
    "a call of no note": (
        in_text("many |", "many[^few] |"),
        "templates/article.md, line 37: there is no note [^few] (known: far)",
    ),
    "a note called twice": (
        in_text("many |", "many[^far] |"),
        "templates/article.md, line 19: the note [^far] is called twice",
    ),
    "a note with a list in it": (
        in_text('"p. 1") }}.', '"p. 1") }}.\n\n    - one\n    - two\n'),
        "templates/article.md, line 22: the note [^far] holds something else than paragraphs",
    ),
    "code that is never closed": (
        in_text("## Sources", "```python\nx = 1\n\n## Sources"),
        "templates/article.md, line 50: the code that begins here is never closed",
    ),
    "an unknown citation": (
        in_text("knuth1997", "knut1997"),
        "templates/article.md, line 22: there is no source 'knut1997' in templates/sources.toml"
        " (did you mean 'knuth1997'?)",
    ),
    "a source nobody cites": (
        in_text('See {{ cite("knuth1997", "p. 1") }}.', "See there."),
        "templates/sources.toml, line 1: nothing cites 'knuth1997'; cite it in the text or remove it",
    ),
    "sources that are listed nowhere": (
        in_text("{{ sources() }}", "None."),
        "templates/article.md: works are cited and nowhere listed; write `{{ sources() }}` in a paragraph"
        " of its own",
    ),
    "no front matter": (
        written("templates/article.md", "## Throws {#throws}\n"),
        "templates/article.md, line 1: the front matter is missing, which stands between two lines `+++`"
        " at the top",
    ),
    "a key of the front matter missing": (
        in_text('slug = "throws"\n', ""), "templates/article.md, line 1: the front matter lacks 'slug'",
    ),
    "a misspelt key of the front matter": (
        in_text("slug =", "slgu ="),
        "templates/article.md, line 6: the front matter has no 'slgu' (did you mean 'slug'?)",
    ),
    "front matter that is no TOML": (
        in_text('slug = "throws"', "slug: throws"),
        "templates/article.md, line 6: this is not TOML: a key has no `=` after it",
    ),
    "a version without quotes": (
        in_text('"1.0"', "1.0"),
        "templates/article.md, line 9: 'version' in the front matter expects a text in quotes",
    ),
    "a short name with a blank": (
        in_text('slug = "throws"', 'slug = "Throws of dice"'),
        "templates/article.md, line 6: 'slug' in the front matter expects small letters, digits and hyphens"
        " only, since it names files",
    ),
    "a date that is none": (
        in_text('"2026-01-02"', '"in spring"'),
        "templates/article.md, line 8: 'published' in the front matter expects a date such as 2026-01-02",
    ),
    "an article in another encoding": (
        in_bytes("templates/article.md", FRONT.encode() + b"caf\xe9\n"),
        "templates/article.md, line 16: this is not UTF-8 text (invalid continuation byte); save it as UTF-8",
    ),
}  # fmt: skip

FORMULAS: Rows = {
    "an unknown command": (
        in_text("$p$", r"$\fraq{1}{2}$"),
        r"templates/article.md, line 19: the formula “\fraq{1}{2}” cannot be set: the command \fraq is"
        r" unknown (did you mean \frac?)",
    ),
    "a brace that is never closed": (
        in_text("$p$", r"$\frac{1}{2$"),
        r"templates/article.md, line 19: the formula “\frac{1}{2” cannot be set: an opening brace { is never"
        " closed",
    ),
    "an argument that is missing": (
        in_text("$p$", r"$\frac{1}$"),
        r"templates/article.md, line 19: the formula “\frac{1}” cannot be set: \frac lacks an argument",
    ),
    "an unknown environment": (
        in_text("$p$", r"$\begin{caes}a\end{caes}$"),
        r"templates/article.md, line 19: the formula “\begin{caes}a\end{caes}” cannot be set: there is no"
        r" \begin{caes} (did you mean 'cases'?)",
    ),
    "a dollar sign alone": (
        in_text("$p$", "$p"),
        r"templates/article.md, line 19: a `$` opens a formula that nothing on its line closes; close it, or"
        r" write `\$` for the sign itself",
    ),
    "a number bound in a formula": (
        in_text("$p$", "$p = {{ faces.share | fixed(2) }}$"),
        "templates/article.md, line 19: the formula $p = {{ faces.share | fixed(2) }}$ holds a bound number,"
        " which no formula can; write the number beside it",
    ),
}  # fmt: skip

TEMPLATES: Rows = {
    "a color by name": (
        written("templates/tokens.toml", '[raw]\nprint = "red"\nlight = "#FF0000"\ndark = "#FF0000"\n'),
        "templates/tokens.toml, line 2: [raw] print expects a color like #18479A, not 'red'",
    ),
    "a color for one theme only": (
        written("templates/tokens.toml", '[raw]\nprint = "#FF0000"\n'),
        "templates/tokens.toml, line 1: the role [raw] needs a color each for print, light, dark, and no more",
    ),
    "a color role nobody defined": (
        in_faces('20, "ink")', '20, "inc")'),
        "figures/faces.py, line 48: a drawing uses the color role 'inc', which no token defines (did you mean"
        " 'ink'?); define it in templates/tokens.toml",
    ),
    "sources that are no TOML": (
        in_sources("[knuth1997]", "[knuth1997"),
        "templates/sources.toml, line 1: this is not TOML: the name of a section is never closed",
    ),
    "a source without authors": (
        in_sources('authors = "Knuth"\n', ""), "templates/sources.toml, line 1: [knuth1997] lacks 'authors'",
    ),
    "a misspelt key of a source": (
        in_sources("authors", "auhtors"),
        "templates/sources.toml, line 2: [knuth1997] has no 'auhtors' (did you mean 'authors'?)",
    ),
    "an address that leads nowhere": (
        in_sources("https://example.org/random", "example.org"),
        "templates/sources.toml, line 5: [knuth1997] url expects an address that begins with https://,"
        " not 'example.org'",
    ),
    "an unknown name in the page": (
        own("page.html", "{{ body }}", "{{ body }}{{ meta.titel }}"),
        "templates/page.html, line …: Meta has no 'titel'",
    ),
    "a condition of the page that is never closed": (
        own("page.html", "{{ body }}", "{{ body }}{% if meta %}"),
        "templates/page.html, line …: the block `{% if %}` is never closed by `{% endif %}`",
    ),
    "a page without the article": (
        own("page.html", "{{ body }}", ""),
        "templates/page.html: the template leaves out the article; write `{{ body }}` where it belongs",
    ),
    "a style for paper the engine does not know": (
        own("print.css", "hyphens: auto;", "hyphns: auto;"),
        "templates/print.css, line …: the PDF engine complains: Ignored `hyphns: auto` at …, unknown property",
    ),
}  # fmt: skip

EXPERIMENTS: Rows = {
    "a syntax error": (
        in_faces("def measure(parameters, stream):", "def measure(parameters, stream)"),
        "figures/faces.py, line 28: Python cannot read this: expected ':'",
    ),
    "a syntax error in a helper": (
        edited("figures/deeper.py", "def total(values):", "def total(values)"),
        "figures/deeper.py, line 4: Python cannot read this: expected ':'",
    ),
    "an import of nothing": (
        edited("figures/chance.py", "from deeper import", "from depper import"),
        "figures/chance.py, line 3: loading stopped with ModuleNotFoundError: No module named 'depper'",
    ),
    "no measure": (
        in_faces("def measure(", "def measured("),
        "figures/faces.py: there is no function `measure`, which the section [faces] of seeds.toml is for",
    ),
    "no draw": (
        in_faces("def draw(", "def drawn("),
        "figures/faces.py: there is no function `draw`, and every experiment needs one",
    ),
    "no description": (
        in_faces("def describe(", "def described("),
        "figures/faces.py: there is no function `describe`, and every experiment needs one",
    ),
    "no parameters": (
        in_faces("@dataclass(frozen=True)\nclass Parameters:", "class Parameters:"),
        "figures/faces.py: there is no dataclass `Parameters` that says what the experiment reads",
    ),
    "a type that is not defined": (
        in_faces("label: Annotated[str, MinLen(1)]", "label: Sting"),
        "figures/faces.py: the types of `Parameters` cannot be read: name 'Sting' is not defined",
    ),
    "a type that cannot be checked": (
        in_faces("label: Annotated[str, MinLen(1)]", "label: complex | Ge"),
        "figures/faces.py: the types of `Parameters` cannot be checked: …",
    ),
    "a check of its own that breaks": (
        in_faces("MinLen(1)]", "MinLen(1)]\n\n    def __post_init__(self):\n        1 / 0"),
        "figures/faces.py, line 28: checking its parameters stopped with ZeroDivisionError: division by zero",
    ),
    "a name of a library": (
        renamed("figures/faces.py", "figures/json.py"),
        "figures/json.py: 'json' is also the name of a Python library; give the file another name",
    ),
    "a name of a section of its own": (
        called("build"),
        "figures/build.py: 'build' is also the name of the section [build] of seeds.toml; give the file"
        " another name",
    ),
    "the name of the base seed": (
        called("seed"),
        "figures/seed.py: 'seed' is also the name of the base seed of seeds.toml; give the file another name",
    ),
    "a name that the text has for something else": (
        called("article"),
        "figures/article.py: 'article' is also the name of something else in every text; give the file"
        " another name",
    ),
    "a name that the text reads otherwise": (
        called("loop"),
        "figures/loop.py: 'loop' is also the name of something else in every text; give the file another"
        " name",
    ),
    "a name of an attachment": (
        called("versions"),
        "figures/versions.py: 'versions' is also the name of the PDF's own versions.json; give the file"
        " another name",
    ),
    "a name of a part of the page": (
        called("claims"),
        "figures/claims.py: 'claims' is also the name of the part #claims of every report; give the file"
        " another name",
    ),
    "the name of the record of sweeps, swept": (
        (called("sweep"), ("sweep", "sweep")),
        "figures/sweep.py: 'sweep' is also the name of the record figures/sweep.json; give the file another"
        " name",
    ),
    "a name the text cannot quote": (
        renamed("figures/faces.py", "figures/Faces-2.py"),
        "figures/Faces-2.py: an article cannot quote a result called 'Faces-2'; name the file with small"
        " letters, digits and underscores",
    ),
    "an experiment that raises": (
        measuring('raise ValueError("too few")'),
        "figures/faces.py, line 31: measuring stopped with ValueError: too few",
    ),
    "an experiment that leaves": (
        measuring("raise SystemExit(3)"), "figures/faces.py, line 31: measuring stopped with SystemExit: 3",
    ),
    "a fault in a helper": (
        edited("figures/deeper.py", "sum(values)", "values[10**6]"),
        "figures/deeper.py, line 6: measuring stopped with IndexError: index 1000000 is out of bounds…",
    ),
    "a result of nothing": (
        measuring("return None"),
        "figures/faces.py: `measure` gives nothing, and a result is a record of named values",
    ),
    "a result that is NaN": (
        measuring('return {"share": float("nan")}'),
        "figures/faces.py: the result cannot be stored: faces.share is nan, and a report prints finite"
        " numbers only",
    ),
    "a result that is infinite": (
        measuring('import numpy as np; return {"share": np.array([1.0, np.inf])}'),
        "figures/faces.py: the result cannot be stored: faces.share.1 is inf, and a report prints finite"
        " numbers only",
    ),
    "a result that is no data": (
        measuring('return {"share": {1, 2}}'),
        "figures/faces.py: the result cannot be stored: faces.share is of the type set, and a result holds"
        " numbers, texts, truth values, lists and records",
    ),
    "a result that holds itself": (
        measuring('answer = {}; answer["again"] = answer; return answer'),
        "figures/faces.py: the result cannot be stored: faces holds itself, or lists too deep in each other",
    ),
    "words of another shape": (
        saying("return alt"),
        "figures/faces.py: `describe` gives something else than `alt`, `description` and `table`",
    ),
    "an alternative that is too short": (
        saying('return {"alt": "A bar.", "description": [alt], "table": table}'),
        "figures/faces.py: `alt` of `describe` has 6 characters, and between 125 and 250 are wanted",
    ),
    "a number that was never printed": (
        saying('return {"alt": alt, "description": [result["share"]], "table": table}'),
        "figures/faces.py: a paragraph of `description` is a number, not a text that is already printed",
    ),
    "a row without its last cell": (
        in_faces('"rows": [["each", share]]', '"rows": [["each"]]'),
        "figures/faces.py: a row of the table is not a list of 2 cells, one for each column",
    ),
    "a key that is not stored": (
        in_faces('share = say.fixed(result["share"], 3)', 'share = say.fixed(result["shar"], 3)'),
        "figures/faces.py, line 36: describing stopped: faces has no 'shar' (did you mean 'share'?)",
    ),
    "claims of another shape": (
        claiming('{"name": "fair"}'),
        "figures/faces.py: `claims` gives a record, and a list of claims is wanted",
    ),
    "a claim without evidence": (
        claiming('[{"name": "fair", "sentence": "A fair die.", "holds": True}]'),
        "figures/faces.py: a claim states its name, sentence, holds and evidence, not name and sentence and"
        " holds",
    ),
    "a claim that is neither true nor false": (
        claiming('[{"name": "fair", "sentence": "A fair die.", "holds": 1, "evidence": sides}]'),
        "figures/faces.py: the claim 'fair' holds 1, which is neither True nor False",
    ),
    "claims that raise": (
        claiming("[1 / 0]"),
        "figures/faces.py, line 55: judging its claims stopped with ZeroDivisionError: division by zero",
    ),
    "no experiment at all": (
        lambda tiny: list(map(Path.unlink, tiny.path("figures").glob("*.py"))),
        "figures/: there is no experiment: no file here defines a function `measure`; write one and run the"
        " command again",
    ),
    "a record of sweeps that is damaged": (
        written("figures/sweep.json", "{<<<<<<< ours"),
        "figures/sweep.json, line 1: this is no record of a sweep; take it back from the project's history"
        " or remove it",
    ),
}  # fmt: skip

FIGURES: Rows = {
    "a drawing that raises": (
        drawing('raise RuntimeError("no room")'),
        "figures/faces.py, line 49: drawing stopped with RuntimeError: no room",
    ),
    "a kind of words nobody knows": (
        drawing('canvas.text(40, 50, "each", kind="huge")'),
        "figures/faces.py, line 49: drawing stopped with KeyError: 'huge'",
    ),
    "words that collide": (
        drawing('canvas.text(40, 50, "each face"); canvas.text(45, 50, "is alike")'),
        "figures/faces.py: 'each face' and 'is alike' are too close in the wide drawing; move or shorten it",
    ),
    "words that leave the sheet": (
        drawing('canvas.text(450, 50, "each face")'),
        "figures/faces.py: 'each face' leaves the sheet in the wide drawing; move or shorten it",
    ),
    "a place that is NaN": (
        drawing('canvas.marks([(float("nan"), 50)], "ink")'),
        "figures/faces.py: a line, mark or shape leaves the sheet in the wide drawing; move or shorten it",
    ),
    "no height": (
        in_faces("    canvas.height = 60\n", ""),
        "figures/faces.py: figure 'faces' never says how high it is; set canvas.height",
    ),
    "a symbol that is never closed": (
        drawing('canvas.text(40, 50, "each *p")'),
        "figures/faces.py, line 49: the words 'each *p' of a drawing open a symbol and never close it",
    ),
    "more marks than a page bears": (
        drawing('canvas.marks([(i % 400 + 5, 45) for i in range(5000)], "ink")'),
        "figures/faces.py: figure 'faces' has 5,… elements and … kB (wide), and at most 4,000 and 400 fit;"
        " draw fewer points or sum them up",
    ),
    "a picture no page has room for": (
        in_faces("canvas.height = 60", "canvas.height = 900"),
        "figures/faces.py: the picture “A bar for …” is taller than a page; make it smaller",
    ),
}  # fmt: skip

FONTS: Rows = {
    "a character no font has, in a drawing": (
        drawing('canvas.text(40, 50, "漢")'),
        "figures/faces.py, line 49: no font of the report has a glyph for '漢' (U+6F22 CJK UNIFIED"
        " IDEOGRAPH-6F22), which a drawing writes in '漢'",
    ),
    "a character no font has, in the text": (
        in_text("Means stray,", "Means 漢 stray,"),
        "templates/article.md, line 19: no font of the report has “漢” (U+6F22 CJK UNIFIED IDEOGRAPH-6F22);"
        " write it another way wherever it stands",
    ),
    "half a font": (
        font("QuillSans-Regular.ttf", lambda data: data[: len(data) // 2]),
        "templates/fonts/QuillSans-Regular.ttf: this is no font, or only a part of one; put the whole font"
        " file in its place",
    ),
    "a font that is none": (
        font("QuillSans-Regular.woff2", lambda _: b"<html>Not found</html>"),
        "templates/fonts/QuillSans-Regular.woff2: this is no font, or only a part of one; put the whole font"
        " file in its place",
    ),
    "a font that is not there": (
        own("screen.css", "QuillSans-Italic", "QuillSans-Lost"),
        "templates/fonts/QuillSans-Lost.woff2: there is no such font; put the whole font file in its place",
    ),
}  # fmt: skip

COMMAND_LINE: Rows = {
    "an unknown command": (
        typed("biuld"),
        "no such command 'biuld' (did you mean 'build'?); `report --help` tells what there is",
    ),
    "an unknown option": (
        typed("build", "--papr", "a4"), "no such option '--papr'…; `report build --help` tells what there is",
    ),
    "a word too many": (
        typed("build", "roll"),
        "got unexpected extra argument (roll); `report build --help` tells what there is",
    ),
    "an unknown experiment": (
        typed("figures", "rol"), "figures/: there is no experiment 'rol' (did you mean 'roll'?)",
    ),
    "an unknown experiment to sweep": (
        typed("sweep", "rol"), "figures/: there is no experiment 'rol' (did you mean 'roll'?)",
    ),
    "a set of no section": (
        typed("build", "--set", "rol.scale=1"),
        "rol.scale=1: there is no section [rol] (did you mean 'roll'?)",
    ),
    "a set of no key": (
        typed("build", "--set", "roll.scal=1"),
        "roll.scal=1: [roll] has no 'scal' (did you mean 'scale'?)",
    ),
    "a set of nothing": (
        typed("build", "--set", "roll"),
        "roll: a value of seeds.toml is set by its section, key and value, as in `example.size=50`",
    ),
    "a set of a text without quotes": (
        typed("build", "--set", "roll.scale=wide"),
        "roll.scale=wide: 'wide' is not a value; write numbers plainly, lists as [1, 2], and text in quotes",
    ),
    "a set of several, one of them wrong": (
        typed("build", "--set", "dice.sides=4 roll.throws=[1, 2 roll.scale=2"),
        "roll.throws=[1, 2: '[1, 2' is not a value; write numbers plainly, lists as [1, 2], and text in"
        " quotes",
    ),
    "a set of the wrong kind": (
        typed("build", "--set", 'roll.scale="wide"'),
        'roll.scale="wide": [roll] scale expects a number, not "wide"',
    ),
    "a set out of bounds": (
        typed("build", "--set", "dice.sides=1"),
        "dice.sides=1: [dice] sides expects a number greater than or equal to 2, not 1",
    ),
    "a seed in words": (
        typed("build", "--seed", "many"),
        "seed=many: 'many' is not a value; write numbers plainly, lists as [1, 2], and text in quotes",
    ),
    "a negative seed": (
        typed("build", "--seed", "-3"), "seed=-3: seed expects a whole number from 0 up and below 2**64, not -3",
    ),
    "no worker": (
        typed("build", "--jobs", "0"),
        "invalid value for '--jobs': 0 is not in the range x>=1; `report build --help` tells what there is",
    ),
    "a paper nobody sells": (
        typed("build", "--paper", "a5"),
        "invalid value for '--paper': 'a5' is not one of 'a4', 'letter'; `report build --help` tells what"
        " there is",
    ),
    "a folder that is no project": (
        typed("build", "--project", "/etc"),
        "/etc: seeds.toml is not there, and a project has seeds.toml, figures/ and templates/article.md;"
        " name the project's folder with --project DIR",
    ),
    "a file where the outputs should go": (
        typed("build", "--out", str(ROOT / "README.md")),
        "…README.md/…: this file cannot be written (Not a directory); see to it and run the command again,"
        " for what was there before is untouched",
    ),
    "a name no disk takes": (
        typed("build", "--out", "x" * 300),
        "…xxx…: …File name too long…; see to it and run the command again…",
    ),
    "no report to compare": (
        typed("diff", "/nowhere", "/nowhere"),
        "/nowhere: there is no such report; name a build folder or a PDF",
    ),
    "questions before the first build": (
        (lambda tiny: shutil.rmtree(tiny.path("build")), ("claims",)),
        "figures/faces.py: there is no result of this experiment yet; run `make report` first",
    ),
    "results that were changed by hand": (
        (written("build/drawings/faces.claims.json", "[{}]"), ("claims",)),
        "figures/faces.py: what was made of this experiment is stale (…faces.claims.json was changed);"
        " run `make report` first",
    ),
    "a result that was changed by hand": (
        (written("figures/roll.json", "{}"), ("lint",)),
        "figures/roll.py: what was made of this experiment is stale (…figures/roll.json was changed);"
        " run `make report` first",
    ),
    "results of other parameters": (
        (lambda tiny: tiny.edit("seeds.toml", "sides = 6", "sides = 8"), ("claims", "--strict")),
        "figures/faces.py: what was made of this experiment is stale (dice.sides changed from 6 to 8);"
        " run `make report` first",
    ),
    "an allowance without a reason": (
        (written("templates/literals.toml", '[[literal]]\ntext = "two"\n'), ("lint",)),
        "templates/literals.toml, line 1: a [[literal]] has a text and a reason, and nothing else",
    ),
    "an allowance outside the list": (
        (written("templates/literals.toml", 'text = "two"\n'), ("lint",)),
        "templates/literals.toml, line 1: 'text' stands outside every [[literal]]",
    ),
}  # fmt: skip

TABLE: dict[str, tuple[Change, tuple[str, ...], str]] = {
    f"{part}: {mistake}": (*(made if isinstance(made, tuple) else (made, ("build",))), says)
    for part, rows in {
        "seeds": SEEDS,
        "article": ARTICLE,
        "formulas": FORMULAS,
        "templates": TEMPLATES,
        "experiments": EXPERIMENTS,
        "figures": FIGURES,
        "fonts": FONTS,
        "command line": COMMAND_LINE,
    }.items()
    for mistake, (made, says) in rows.items()
}
OUTPUTS = {"build/throws.html", "build/throws.pdf"}
ON_PAPER = {  # seen by the PDF engine alone, when results and drawings are new already
    "templates: a style for paper the engine does not know",
    "figures: a picture no page has room for",
    "fonts: a character no font has, in the text",
}


def composed(text: Text, size: str, since: str = "") -> Output:
    """Stand in for the PDF: the text is composed and not laid out."""
    del since
    return Output(worker._composed(text)[0].meta.slug, size.encode(), 1, 0.0)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, still: Path) -> Tiny:
    """A project without a mistake, built."""
    tiny = Tiny(tmp_path_factory.mktemp("sound") / "tiny")
    for name, text in WORLD.items():
        tiny.write(name, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "paper", composed)
        patch.setattr(crew, "Pool", Staff)
        patch.setattr("signal.signal", lambda *_: None)
        patch.setattr("report.glance.GENERATOR", str(still / "report"))
        patch.setattr("report.freshness.default_templates", lambda: still / "templates")
        patch.setattr(sys, "argv", ["report", "build", "--quiet", "--project", str(tiny.root)])
        from report.__main__ import main

        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
    return tiny


MEMORIES = ("record.json", "glance.json")


def made(tiny: Tiny) -> dict[str, bytes]:
    """Everything that was made of a project, but for what the next build remembers."""
    found = [*tiny.path("build").rglob("*"), *tiny.path("figures").glob("*")]
    return {
        path.relative_to(tiny.root).as_posix(): path.read_bytes()
        for path in found
        if path.is_file() and path.suffix != ".py" and path.name not in MEMORIES
    }


def pattern(says: str) -> str:
    """Read a sentence of the table: `…` stands for anything, and the usual remedy may be left out."""
    whole = says if "; " in says else f"{says}; {AGAIN}"
    return ".*".join(map(re.escape, f"Error: {whole}.\n".split("…")))


@pytest.mark.usefixtures("undisturbed")
@pytest.mark.parametrize("mistake", TABLE)
def test_a_mistake_is_one_sentence_that_says_where_and_touches_nothing(
    mistake: str, sound: Tiny, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    change, words, says = TABLE[mistake]
    tiny = sound.copy(tmp_path / "tiny")
    change(tiny)
    before = made(tiny)
    if mistake not in ON_PAPER:
        monkeypatch.setattr(worker, "paper", composed)
    here = [] if "--project" in words or words[0] in ("diff", "biuld") else ["--project", tiny.root]
    code, out, err = run(*words, *(["--quiet"] if words[0] == "build" else []), *here)

    assert re.fullmatch(pattern(says), err), err
    assert (code, out) == (2, "")
    after = made(tiny)
    untouched = OUTPUTS if mistake in ON_PAPER else before.keys() | after.keys()
    assert {n: after.get(n) for n in untouched} == {n: before.get(n) for n in untouched}
