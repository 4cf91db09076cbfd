"""What an author meant for the template engine is never printed as words, and words are never refused."""

from __future__ import annotations

import jinja2
import pytest

from report import marks
from report.leftover import leftover

LEXER = jinja2.Environment(
    comment_start_string="<#", comment_end_string="#>", trim_blocks=True
).lexer

MISSPELT = {
    "{ a.b | brief }}": "{ a.b | brief }}",
    "{ a.b | brief }": "{ a.b | brief }",
    "{ { a.b | brief } }": "{ { a.b | brief } }",
    "{a.b}": "{a.b}",
    "{ a }": "{ a }",
    "{- a -}": "{- a -}",
    "{ a\n| count }": "{ a | count }",
    "{ short(a.b, 4) }": "{ short(a.b, 4) }",
    "{ a['x}y'] | count }": "{ a['x}y'] | count }",
    "{ (a or b) | count }": "b) | count }",
    "a.b | brief }}": "a.b | brief }}",
    "a.b | fixed(2) }": "a.b | fixed(2) }",
    "a.b }": "a.b }",
    "{ a.b and": "{ a.b",
    "{{ a }}}": "…}",
    "{{ a }} }": "… }",
    "{ {{ a }}": "{ …",
    "{ % if a % }": "{ % if a % }",
    "{ % if a %}": "{ % if a %}",
    "%{ if a }%": "%{ if a }%",
    "if a %}": "a %}",
    "{else}": "{else}",
    "{claim a.b}": "{claim a.b}",
    "so <% else %> so": "<% else %>",
    "so % endif % so": "% endif %",
    "[[ a.b | brief ]]": "[[ a.b | brief ]]",
    "(( a.b | brief ))": "(( a.b | brief ))",
    r"\{{ a }}": "\\…",
    "{# note #}": "{# note #}",
    "note #}": "note #}",
    "{#id} and more": "{#id}",
    "## Title {#two words}": "{#two words}",
    "<!-- note -->": "<!-- note -->",
    "<!-- note": "<!-- note",
    "note -->": "note -->",
    "note #>": "note #>",
    "< # note #>": "< # note #>",
    "- item\n\n    { a.b | brief }": "{ a.b | brief }",
    f"{{# {marks.mark(marks.FORMULA, 0)} #}}": "{# … #}",
    "`code` { a } `code`": "{ a }",
}
MEANT = [
    "```\n{ a | b }} %}\n```",
    "- item\n\n  ~~~\n  { a | b }}\n  ~~~",
    "paragraph\n\n    { a | b }\n    {% raw %}}}{% endraw %} }}\n",
    "`{ a | b }}` and ``{ `a` }``",
    "```\n@{{ kind }}{name,\n  title = {{ a }},\n}\n```",
    r"\{ a \} and \{\{ a \}\}",
    "{% raw %}{{ a }} {% if %}{% endraw %}",
    '## Title {#id step="Step 1"}',
    "## Title {#id}\n\n- **Card** text {#card}",
    "<# { a | b } is {% if %} #>",
    "{a, b}, {1}, {} and {50% of all}",
    "{ {{ a }}, {{ b }} }",
    "| a | b |\n|---|---|\n| {a, b} | {{ a | count }} |",
    "a -> b --- c, #2 > #1, 1 < #2",
    "f((a, b)), [[1]](#a), 5% if 10%, {a set of names}",
    "{% if a %}b{% else %}c{% endif %}{{ a }}",
]


def _left(text: str) -> tuple[str, int, str] | None:
    return leftover(LEXER.tokeniter(text, None))


@pytest.mark.parametrize("text", MISSPELT)
def test_syntax_that_nothing_read_is_found_with_what_would_be_printed(text: str) -> None:
    left = _left(text)

    assert left
    assert left[0] == MISSPELT[text]


@pytest.mark.parametrize("text", MEANT)
def test_code_escaped_signs_and_braces_of_prose_are_words(text: str) -> None:
    assert _left(text) is None


def test_the_first_is_told_with_its_line() -> None:
    text = "{% if a -%}\n\nb\n{% endif %}\n\n{{ a }}\n`x\n}}` { a }\n\n{ b }"

    left = _left(text)

    assert left
    assert left[:2] == ("{ a }", 8)
