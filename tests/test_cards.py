"""A card is what the article gives a name, and what makes none is said in a sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn

import pytest

from report import cards, markdown
from report.errors import Mistake

ARTICLE = Path(__file__).parent.parent / "templates" / "article.md"
QUESTION = ":::: self-test\n::: question {}\nWhy?\n\n???\n\nBecause.\n:::\n::::\n"
TRAPS = "::: traps\n1. **Never.** Once.{}\n2. **Always.** Now.{}\n:::\n"


def _fail(what: str, near: str, line: int) -> NoReturn:
    del near, line
    raise Mistake(what)


def _write(text: str) -> markdown.Written:
    return markdown.write(text, "Credit", {}, _fail)


def test_a_named_question_trap_or_number_is_a_card_and_a_nameless_one_is_none() -> None:
    numbers = "::: key-numbers\n- **8** The spread. {#spread}\n- **9** Another.\n:::\n"

    written = _write(
        f"## Ask {{#ask}}\n\n{QUESTION.format('why')}\n{TRAPS.format(' {#never}', '')}\n{numbers}"
    )

    assert written.cards == [
        cards.Card("why", "question", "<p>Why?</p>\n", "<p>Because.</p>\n", "ask"),
        cards.Card("never", "trap", "Never.", "Once.", "ask"),
        cards.Card("spread", "number", "The spread.", "8", "ask"),
    ]


def test_names_of_cards_change_nothing_a_reader_sees() -> None:
    named = QUESTION.format("why") + TRAPS.format(" {#never}", " {#always}")
    plain = QUESTION.format("") + TRAPS.format("", "").replace("::: traps\n", "").replace(
        "Now.\n:::\n", "Now.\n"
    )

    assert _write(named).body == _write(plain).body


def test_an_item_with_paragraphs_between_is_a_card_all_the_same() -> None:
    written = _write("::: traps\n1. **Never.** Once. {#never}\n\n2. **Always.** Now.\n:::\n")

    assert [(card.front, card.back) for card in written.cards] == [("Never.", "Once.")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "- **A.** B. {#a}\n",
            "'a' names a card, and items of `::: key-numbers` and `::: traps` are",
        ),
        (
            TRAPS.format(" {#a}", " {#a}"),
            "'a' names two cards, and what is learned is kept by that",
        ),
        (TRAPS.format(" {#a}", "") + QUESTION.format("a"), "'a' names two cards"),
        (QUESTION.format("a_b"), "'a_b' cannot name a card, for only letters, digits and hyphens"),
        (QUESTION.format("a b"), "'a b' cannot name a card"),
        (
            "::: traps\n- Never. {#never}\n:::\n",
            "the card 'never' needs words in bold, then others",
        ),
        ("::: traps\n- **Never.** {#never}\n:::\n", "the card 'never' needs words in bold"),
        ("::: traps\n- **A.** B. {#a}\n\n  C.\n:::\n", "the card 'a' needs words in bold"),
    ],
)
def test_what_can_be_no_card_is_said(text: str, says: str) -> None:
    with pytest.raises(Mistake, match=re.escape(says)):
        _write(text)


def test_this_article_names_every_question_trap_and_number() -> None:
    source = ARTICLE.read_text("utf-8")
    blocks = re.findall(r"^::: (?:traps|key-numbers)\n(.*?)^:::$", source, re.DOTALL | re.MULTILINE)
    items = [line for block in blocks for line in block.splitlines()]

    assert len(items) > 5
    assert [line for line in items if not re.search(r" \{#[a-z-]+\}$", line)] == []
    assert re.findall(r"^::: question\b(?! [a-z-]+$).*", source, re.MULTILINE) == []
