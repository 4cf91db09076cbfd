"""What readers read is spelled, worded and cut as the house wants it: article, figures' words, documents."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

from report.article import Article, World
from tests.test_article_text import article, committed, contrary, plain

__all__ = ["article", "committed", "contrary"]  # fixtures

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "CHANGELOG.md", "templates/fonts/README.md"]
LONGEST_SENTENCE = 45  # words; whoever reads aloud needs a breath

BLOCK_END = re.compile(r"</(?:p|h2|h3|li|td|th|caption|figcaption|dt|dd|pre)>")
SENTENCE_END = re.compile(r"(?<=[.?!])[”)]?\s+(?=[A-Z“])")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
CHECKS = {
    "dates_times.am_pm": False,  # takes the first letters of "64 among" for a time of day
    **DEFAULT["checks"],
}
BETWEEN = "\n\n¶\n\n"  # no phrase reaches over it


@dataclass(frozen=True)
class Passage:
    """A piece of text that stands by itself, as a reader gets it, and where it stands."""

    where: str
    text: str


@dataclass(frozen=True)
class Word:
    """Words the house does not use, what to write instead, and why."""

    never: re.Pattern[str]
    write: str
    because: str
    as_in: str

    @classmethod
    def read(cls, entry: dict[str, Any]) -> Word:
        """Read one entry of the list."""
        flags = re.NOFLAG if entry.pop("case", False) else re.IGNORECASE
        return cls(re.compile(rf"(?<!\w)(?:{entry.pop('never')})", flags), **entry)


HOUSE = [
    Word.read(entry)
    for entry in tomllib.loads((ROOT / "tests/house_words.toml").read_text("utf-8"))["word"]
]


def text_of(article: Article, where: str) -> Iterator[Passage]:
    """Give the blocks of the article, its code left out; notes and answers stand in their places."""
    body = re.sub(r"<pre.*?</pre>", "", article.written.body, flags=re.DOTALL)
    for block in BLOCK_END.split(body):
        if text := plain(article, block):
            yield Passage(where, text)


def words_of_figures(world: World) -> Iterator[Passage]:
    """Give alternatives, descriptions and claims as readers of the page and the PDF get them."""
    for stem, told in world.descriptions.items():
        yield from (Passage(stem, text) for text in (told["alt"], *told["description"]))
        yield Passage(stem, told["table"]["caption"])
    yield from (Passage(claim.path, claim.sentence) for claim in world.ledger.claims)


def documents() -> Iterator[Passage]:
    """Give the paragraphs of the documents, their code left out."""
    for name in DOCUMENTS:
        text = CODE.sub("", (ROOT / name).read_text("utf-8"))
        yield from (Passage(name, " ".join(part.split())) for part in text.split("\n\n") if part)


@pytest.fixture
def passages(article: Article, contrary: Article, committed: World) -> list[Passage]:
    """All that readers read, whether the claims hold or not."""
    return [
        *text_of(article, "the article"),
        *text_of(contrary, "the article, were every claim false"),
        *words_of_figures(committed),
        *documents(),
    ]


def findings(text: str) -> list[str]:
    """Lint a text; a finding quotes what it is about."""
    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(__register__)
    file = LintFile("prose", text)
    found = file.lint({"max_errors": 1000, "checks": CHECKS})
    quoted = [
        (file.content[slice(*each.check_result.span)], each.check_result.message) for each in found
    ]
    # "Gemma 2 27B" is no word said twice
    return [f"“{said}”: {what}" for said, what in quoted if re.search(r"[^\W\d]", said)]


def test_the_prose_linter_finds_nothing(passages: list[Passage]) -> None:
    assert findings(BETWEEN.join(dict.fromkeys(each.text for each in passages))) == []


def test_the_prose_linter_sees_what_is_wrong() -> None:
    wrong = "The the weight is very unique, at the present time."

    assert len(findings(wrong)) >= 3


def test_the_spelling_checker_sees_slips_and_british_spelling(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("An occured slip, a grey colour, and to initialise.\n")  # codespell:ignore

    command = [sys.executable, "-m", "codespell_lib", str(file)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    assert re.findall(r"==> (\w+)", said) == ["occurred", "gray", "color", "initialize"]


def test_no_word_is_used_that_the_house_has_a_better_one_for(passages: list[Passage]) -> None:
    found = [
        f"{each.where}: “{hit[0]}”; write {word.write}: {word.because}"
        for each in passages
        for word in HOUSE
        for hit in word.never.finditer(each.text)
    ]

    assert found == []


@pytest.mark.parametrize("word", HOUSE, ids=lambda word: word.as_in)
def test_each_entry_of_the_house_list_finds_its_example_and_not_its_remedy(word: Word) -> None:
    assert word.never.search(word.as_in)
    assert not word.never.search(word.write)
    assert len(word.because.split()) > 2


def test_no_sentence_needs_a_second_breath(article: Article, contrary: Article) -> None:
    sentences = [
        sentence
        for each in (article, contrary)
        for passage in text_of(each, "the article")
        for sentence in SENTENCE_END.split(passage.text)
    ]
    spoken = re.compile(r"the square root of d sub k|d sub k")  # one symbol

    assert len(sentences) > 1000
    assert [s for s in sentences if len(spoken.sub("d", s).split()) > LONGEST_SENTENCE] == []
