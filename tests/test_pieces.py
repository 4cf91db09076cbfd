"""A template that is run piece by piece says what the whole would."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest

from report import pieces

PARTS = {
    "what one sets, the next ones know": "{% set x = 1 %}\n## A\n{{ x }}\n{% set x = 2 %}\n## B\n{{ x }}",
    "macros": "{% set y = 3 %}{% macro m(x) %}{{ x }}{{ y }}{% endmacro %}\n## A\n{{ m(1) }}",
    "private names": "{% set _p = 1 %}\n## A\n{{ _p }}",
    "headings in ifs": "{% if 1 %}\n## B\n{% endif %}\n## C\n{% for i in [1, 2] %}\n## {{ i }}\n{% endfor %}",
    "a block set": "{% set t %}\n## A\n{% endset %}\n## B\n{{ t }}",
    "white space": "a {% set x = 1 -%}\n\n## A\n\n{%- set y = 2 %} b\n## C {# no #}\n",
    "raw text": "{% raw %}\n## A {{ x }}\n{% endif %}\n{% endraw %}\n## B",
    "a comment with half a block": "<# {% if %} #>\n## A\n<#\n## B {% endif %}\n#>\n## C",
    "blocks": "{% block one %}1{% endblock %}\n## A\n{{ self.one() }}",
    "what is included": "{% set x = 7 %}\n## A\n{% include 'other' %}{% from 'third' import n %}\n## C\n{{ n }}",
    "no heading": "just {{ 1 }}\n",
    "nothing": "",
}  # fmt: skip


def environment(text: str) -> jinja2.Environment:
    loader = jinja2.DictLoader({"it": text, "other": "{{ x }}", "third": "{% set n = 5 %}"})
    return jinja2.Environment(
        loader=loader,
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        comment_start_string="<#",
        comment_end_string="#>",
    )


@pytest.mark.parametrize("name", PARTS)
def test_pieces_say_what_the_whole_does(name: str) -> None:
    text = PARTS[name]
    whole = environment(text).get_template("it").render()

    assert "".join(pieces.cut(text)) == text
    assert pieces.run(environment(text), "it") == whole
    assert pieces.run(environment(text), "it") == whole  # from what is kept


def test_an_edit_compiles_only_the_piece_it_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = list[str]()
    compile = jinja2.Environment.compile

    def noted(env: jinja2.Environment, source: str, *names: Any, **more: Any) -> Any:
        compiled.append(source)
        return compile(env, source, *names, **more)

    monkeypatch.setattr(jinja2.Environment, "compile", noted)
    text = "top {{ 1 }}\n## A\n{{ 2 }}\n## B\n{{ 3 }}\n"
    pieces.run(environment(text), "it")
    compiled.clear()
    edited = pieces.run(environment(text.replace("{{ 2 }}", "{{ 2 }}, or 4")), "it")

    assert edited == "top 1\n## A\n2, or 4\n## B\n3\n"
    assert compiled == ["## A\n{{ 2 }}, or 4\n"]
