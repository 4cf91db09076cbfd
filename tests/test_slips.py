"""What an author left open is told, and nothing of it is printed."""

from __future__ import annotations

from typing import NoReturn

import pytest

from report import markdown, marks
from report.errors import Mistake


def _write(text: str) -> str:
    def fail(what: str, _near: str, about: int) -> NoReturn:
        raise Mistake(what, file="article.md", line=about)

    return markdown.write(text, "CC0", {}, fail).body


NO_BOLD = "neither begin nor end words in bold"
NO_NOTE = "is no note, such as `[^name]` or `^[its words]`"
NO_PLACE = "names no place, for only headings and items that are cards have such a name"
LEFT = {
    ":: takeaway\nWords.\n:::": "1: `:: takeaway` begins no block, as `::: takeaway` would",
    ": takeaway\nWords.\n:::": "1: `: takeaway` begins no block, as `::: takeaway` would",
    ": : : takeaway\nWords.": "1: `: : : takeaway` begins no block, as `::: takeaway` would",
    ";;; takeaway\nWords.": "1: `;;; takeaway` begins no block, as `::: takeaway` would",
    "- :: takeaway\n  Words.": "1: `:: takeaway` begins no block, as `::: takeaway` would",
    "::: takeway\nWords.\n:::": "1: there is no block `::: takeway` (did you mean 'takeaway'?)",
    "[](#a)\n\n::: figur a\nWords.\n:::": "3: there is no block `::: figur` (did you mean 'figure'?)",
    "Words.\n::: takeway\n:::": "1: there is no block `::: takeway` (did you mean 'takeaway'?)",
    "Words.\n:::": "1: `:::` closes a block that nothing opened",
    "Words.\n\n::": "3: `::` closes a block that nothing opened",
    "::: chain\nWords.\n::: /chain\n:::": "2: `::: /chain` ends no block, as a line `:::` would",
    "::: chain\nWords.\n\n::: endchain\n:::": "4: `::: endchain` ends no block, as a line `:::` would",
    "::: chain\nWords.\n::\n": "1: the block `::: chain` is never closed by a line `:::`",
    ":::: chain\nWords.\n:::\n": "1: the block `::: chain` is never closed by a line `:::`",
    "::: key Title :::\nWords.\n:::": "1: a block is closed by `:::` on a line of its own",
    "::: chain Words.\n:::": ("1: `::: chain` has no title, so that 'Words.' would not be printed"),
    "Words.\n\n???\n\nMore.": "3: `???` parts a question from its answer, and stands outside one",
    "Words. {#name}": f"1: `{{#name}}` {NO_PLACE}",
    "::: key Title {#name}\nWords.\n:::": f"1: `{{#name}}` {NO_PLACE}",
    "Words `code.": "1: ``code.` begins code that the same number of backticks never ends",
    "**Words.": f"1: the `**` of `**Words.` {NO_BOLD}",
    '**"Words"**s': f'1: the `**` of `**"Words"**s` {NO_BOLD}',
    "::: key **Title\nWords.\n:::": f"1: the `**` of `**Title` {NO_BOLD}",
    "Words[^name": f"1: `[^name` {NO_NOTE}",
    "Words[^ name].": f"1: `[^ name].` {NO_NOTE}",
    "Words^[A note.": f"1: `^[A note.` {NO_NOTE}",
    f"**{marks.mark(marks.NUMBER, 0)} words.": f"1: the `**` of `**…` {NO_BOLD}",
    f"::: chain {marks.mark(marks.FORMULA, 0)} words.\n:::": (
        "1: `::: chain` has no title, so that '… words.' would not be printed"
    ),
    "Words[^name].\n\n[^name] : A note.": "3: `[^name] :` begins no note, as `[^name]:` would",
    "See [here] (#name).": "1: '[here] (#name).' is no link that an article may hold",
    "See (#name).": "1: '(#name)' is no link that an article may hold",
    "See [#name].": "1: '[#name]' is no link that an article may hold",
    "##Title": "1: `##Title` is no heading, which has a blank after two or three `#`",
    "| a | b |\n|---|\n| c | d |": (
        "1: `|---|` makes no table of what is around it: it has a part for each column of the head above"
    ),
}
MEANT = [
    r"\:: takeaway, \**words, \`code, a\[^name, ^\[words, \{#name}",
    "`**` and ``a ` b`` and `[^` and `^[`",
    "```\n:: takeaway\n???\n**a `b [^c ^[d {#e}\n|---|\n```",
    "p\n\n    ::: takeaway\n    **a `b",
    ": by itself\nand std::vector, a : b ::",
    "[aside] (see below) of (#1), item [#2] and [a] (b)",
    "#1 is no heading, nor is ???, and - - - neither",
]


@pytest.mark.parametrize("text", LEFT)
def test_what_became_words_and_was_meant_for_markdown_is_told(text: str) -> None:
    with pytest.raises(Mistake) as caught:
        _write(text)

    assert f"{caught.value.line}: {caught.value.what}" == LEFT[text]


@pytest.mark.parametrize("text", MEANT)
def test_what_is_escaped_code_or_plain_words_is_written(text: str) -> None:
    assert _write(text)
