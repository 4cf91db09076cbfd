"""The article as its author wrote it: its code runs, its length holds, its words answer to the results."""

from __future__ import annotations

import dataclasses
import html
import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from report import experiment, marks, parameters
from report.article import Article, Origin, World, compose
from report.claims import Ledger, judge
from report.lint import Lint
from report.project import Project, open_project, read_settings
from report.results import loads
from tests.figures.test_claims import COUNTEREXAMPLES, doctored

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parent.parent
PROJECT = open_project(ROOT)
TEXT = (ROOT / "templates" / "article.md").read_text("utf-8")
BODY = TEXT.split("\n+++\n", 1)[1]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PLACED = re.compile(r"^::: (figure|table) (\S+)\n(.*?)^:::$", re.DOTALL | re.MULTILINE)
NOTE = re.compile(r"^\[\^(\w+)\]: (.+)$", re.MULTILINE)
CLAIM = re.compile(r"\{% claim ([\w. ]+) %\}(.*?)(?:\{% else %\}(.*?))?\{% endclaim %\}")
LONGEST_LINE = 60  # characters of code that fit the printed column


def words(source: str) -> int:
    """Count the words a reader meets: code, formulas and markup left out, a bound number as one.

    Both sides of a condition are counted, so this errs on the long side.
    """
    text = re.sub(r"<#.*?#>|^\{% macro.*?$", " ", source, flags=re.DOTALL | re.MULTILINE)
    text = FENCE.sub(" ", text)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " ", text, flags=re.DOTALL)
    text = re.sub(r'\{\{ cite\("(\w+?)(\d+)?"(?:, "([^"]*)")?\) \}\}', r" \1 et al. \2 \3 ", text)
    text = text.replace("{{ sources() }}", " ").replace("](#", "] (#")
    text = re.sub(r"\(#[\w-]+\)|\{#[^}]*\}|\[\^\w+\]:?|\{%.*?%\}", " ", text)
    text = re.sub(
        r"^:::+ ?(figure \S+|table \S+|short-answer|takeaway|self-test|question"
        r"|definition|key-numbers|key|caution|summary|chain)?",
        " ",
        text,
        flags=re.MULTILINE,
    )
    text = re.sub(r"\{\{.*?\}\}", " number ", text)
    return len(re.findall(r"\w[\w'’.,-]*", text))


def section(anchor: str) -> str:
    """Cut out one section, from its heading to the next of the same rank."""
    found = re.search(
        rf"^## [^\n]*\{{#{anchor}\b[^\n]*\n(.*?)(?=^## |\Z)", BODY, re.DOTALL | re.MULTILINE
    )
    assert found, f"no section is called '{anchor}'"
    return found[1]


# --- the code ------------------------------------------------------------------------------------


def listing() -> str:
    """The article's numpy block, as printed."""
    blocks = [code for language, code in FENCE.findall(BODY) if language == "python"]
    (found,) = [code for code in blocks if "import numpy" in code]
    return str(found)


@pytest.fixture
def printed() -> dict[str, Callable[..., Any]]:
    """The functions that a reader has after running the block."""
    names: dict[str, Any] = {}
    exec(compile(listing(), "templates/article.md", "exec"), names)
    return names


def by_hand(q: Array, k: Array, v: Array) -> tuple[list[list[float]], list[list[float]]]:
    """Attention one number at a time, from the formula, with neither numpy's exp nor its sums."""
    weights = []
    for query in q.tolist():
        scores = [math.fsum(map(math.prod, zip(query, key, strict=True))) for key in k.tolist()]
        powers = [math.exp(score / math.sqrt(len(query))) for score in scores]
        weights.append([power / math.fsum(powers) for power in powers])
    columns = v.T.tolist()
    outputs = [
        [math.fsum(map(math.prod, zip(row, column, strict=True))) for column in columns]
        for row in weights
    ]
    return outputs, weights


def agree(actual: Array, expected: Sequence[Sequence[float]]) -> bool:
    """Whether two tables agree to fourteen digits."""
    return bool(np.allclose(actual, np.array(expected), rtol=1e-14, atol=1e-15))


def test_the_printed_attention_agrees_with_the_formula_worked_by_hand(
    printed: dict[str, Callable[..., Any]],
) -> None:
    generator = np.random.default_rng(5)
    q, k, v = (generator.standard_normal(shape) for shape in ((3, 6), (5, 6), (5, 2)))

    output, weights = printed["attention"](q, k, v)

    expected_output, expected_weights = by_hand(q, k, v)
    assert agree(output, expected_output)
    assert agree(weights, expected_weights)


def test_the_printed_attention_takes_heads_and_batches(
    printed: dict[str, Callable[..., Any]],
) -> None:
    generator = np.random.default_rng(6)
    q, k, v = (generator.standard_normal((2, 4, *shape)) for shape in ((3, 8), (5, 8), (5, 7)))

    output, _ = printed["attention"](q, k, v)

    assert output.shape == (2, 4, 3, 7)
    assert agree(output[1, 2], by_hand(q[1, 2], k[1, 2], v[1, 2])[0])


def test_the_printed_attention_gives_the_example_row_its_known_weights(
    printed: dict[str, Callable[..., Any]],
) -> None:
    q = np.zeros((1, 64))
    q[0, 0] = 1
    k = np.zeros((4, 64))
    k[:, 0] = (8, 0, -8, 4)

    _, weights = printed["attention"](q, k, np.eye(4))

    # e^1, e^0, e^-1 and e^0.5 over their sum, to six digits
    assert weights[0] == pytest.approx([0.473991, 0.174371, 0.0641477, 0.287490], rel=5e-6)


def test_the_printed_softmax_survives_scores_that_overflow_the_exponential(
    printed: dict[str, Callable[..., Any]],
) -> None:
    weights = printed["softmax"](np.array([1e6, 1e6 - 1, -1e6]))

    assert weights == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.e), 0])


def test_a_query_scaled_before_the_call_is_divided_by_the_head_width(
    printed: dict[str, Callable[..., Any]],
) -> None:
    generator = np.random.default_rng(7)
    q, k, v = (generator.standard_normal(shape) for shape in ((2, 9), (4, 9), (4, 3)))

    _, twice = printed["attention"](q / math.sqrt(9), k, v)

    powers = np.exp(q @ k.T / 9)
    assert agree(twice, (powers / powers.sum(axis=1, keepdims=True)).tolist())


def test_the_listing_is_about_ten_lines_and_fits_the_column() -> None:
    lines = [line for line in listing().splitlines() if line.strip()]

    assert 8 <= len(lines) <= 12
    for language, code in FENCE.findall(BODY):
        longest = max(code.splitlines(), key=len)
        assert len(longest) <= LONGEST_LINE, f"{language}: {longest}"


# --- the text ------------------------------------------------------------------------------------


def test_the_words_are_counted_without_code_formulas_and_markup() -> None:
    source = (
        "## A title {#title}\n\n::: figure score_spread\n**Two words.** $d_k$ is "
        "{{ x.y | fixed(2) }}.[^n]\n:::\n\n```python\nnot these\n```\n\n"
        '{{ cite("vaswani2017", "sec. 3") }}\n\n[^n]: Noted.\n'
    )

    # A title / Two words / is number / vaswani et al. 2017 sec. 3 / Noted.
    assert words(source) == 2 + 2 + 2 + 6 + 1


def test_the_staff_answer_takes_about_ninety_seconds_to_say() -> None:
    said = "\n".join(re.findall(r"^> (.*)", section("staff-answer"), re.MULTILINE))
    spoken = re.sub(r"\$[^$]*\$", "symbol", CLAIM.sub(r"\2", said))

    assert 200 <= words(spoken) <= 250  # at 150 words a minute: 80 to 100 seconds


def test_the_staff_answer_names_what_it_rests_on() -> None:
    rest = section("staff-answer").rstrip().split("\n\n")[-1]

    assert {"score_spread", "gradient_path", "training"} <= set(re.findall(r"\(#(\w+)\)", rest))
    assert "one head" in rest
    assert "at initialization" in rest


def test_every_experiment_is_placed_exactly_once() -> None:
    placed = Counter(stem for _, stem, _ in PLACED.findall(BODY) if stem in PROJECT.stems)

    assert placed == Counter(PROJECT.stems)


def captions() -> dict[str, list[str]]:
    """The caption of every experiment: where its claims hold, and where they do not."""
    return {
        stem: [CLAIM.sub(rf"\{side}", caption) for side in (2, 3)]
        for _, stem, caption in PLACED.findall(BODY)
        if stem in PROJECT.stems
    }


def test_every_caption_opens_with_a_claim_of_at_most_twelve_words() -> None:
    for stem, caption in captions().items():
        for side in caption:
            claim = re.match(r"\*\*(.+?\.)\*\* ", side)

            assert claim, f"{stem} opens with no bold claim that ends in a full stop"
            assert len(claim[1].split()) <= 12, f"{stem}: {claim[1]}"


def test_no_caption_outgrows_its_figure() -> None:
    long = {stem: words(held) for stem, (held, _) in captions().items() if words(held) > 95}

    assert long == {}


def test_every_caption_says_how_it_could_mislead_or_that_it_is_exact() -> None:
    open_ended = [
        stem
        for stem, (held, _) in captions().items()
        if "*How it could mislead:*" not in held
        and "arithmetic exact" not in held
        and "sampling intervals" not in held
    ]

    assert open_ended == []


def test_every_note_is_called_once_and_short_enough_for_the_margin() -> None:
    notes = dict(NOTE.findall(BODY))
    calls = Counter(re.findall(r"\[\^(\w+)\](?!:)", BODY))

    assert calls == Counter(notes.keys())
    for name, note in notes.items():
        assert words(note) <= 45, name


def test_every_source_tells_the_place_that_is_meant_and_what_it_supports() -> None:
    records = tomllib.loads((ROOT / "templates" / "sources.toml").read_text("utf-8"))
    places = re.findall(r'cite\("(\w+)", "([^"]+)"\)', BODY)

    for key, record in records.items():
        assert record["where"], key
        assert "arxiv" in record or "url" in record or key == "clozo2026", key
        assert len(record["supports"].split()) <= 20, key
    for key, place in places:
        for part in re.split(r", | and ", place):
            assert part in records[key]["where"], f"{key} is cited at {part}"


def test_every_source_is_cited_and_every_citation_has_its_source() -> None:
    records = tomllib.loads((ROOT / "templates" / "sources.toml").read_text("utf-8"))
    cited = set(re.findall(r'cite\("(\w+)"', BODY))

    assert cited == set(records)


def test_the_summary_holds_what_one_revises_from() -> None:
    summary = section(AFTER_EVIDENCE)
    parts = dict(re.findall(r"^### [^\n]*\{#page-(\w+)\}\n(.*?)(?=^### |\Z)", summary, re.M | re.S))
    listed = {name: re.findall(r"^(?:\d\.|-) ", text, re.M) for name, text in parts.items()}

    assert {name: len(items) for name, items in listed.items()} == {
        "chain": 4,
        "numbers": 4,
        "formula": 0,
        "traps": 5,
        "answer": 5,
    }
    assert r"\frac{QK^{\top}}{\sqrt{d_k}}" in parts["formula"]
    for large in re.findall(r"^- \*\*(.+?)\*\* ", parts["numbers"], re.M):
        assert re.sub(r"\{\{.+?\}\}", "", large) in ("", " → "), large  # all of it is bound


def test_every_section_and_figure_has_a_short_link() -> None:
    sections = re.findall(r"^##+ .*\{#([\w-]+)", BODY, re.MULTILINE)
    placed = [name for _, name, _ in PLACED.findall(BODY)]

    assert len(sections) == len(re.findall(r"^##+ ", FENCE.sub("", BODY), re.MULTILINE))
    assert [name for name in (*sections, *placed) if len(name) > 24] == []


def test_every_step_closes_with_its_takeaway() -> None:
    for number in range(1, 5):
        last = section(f"step-{number}").rstrip()

        assert re.search(r"^::: takeaway\n[^\n]+\n:::\Z", last, re.MULTILINE), number


# --- what the words answer to --------------------------------------------------------------------

EXPERIMENTS = [experiment.load(PROJECT, stem) for stem in PROJECT.stems]
# the headings that follow what is counted
AFTER_QUESTIONS, AFTER_EVIDENCE, AFTER_SUMMARY = "in-code", "one-page", "how-to-cite"
MOST_TO_LEARN, MOST_EVIDENCE = 4500, 3000  # words
ROW = "example.scores"
WIDTH = "example.d_k"
TRIALS = "score_spread.trials"
HARDLY_TRAINED = {
    "training.steps": 2,
    "training.longer_steps": 2,
    "training.test_rows": 64,
    "training.sizes": [4, 16],
    "training.control_sizes": [4, 16],
    "stuck_rows.steps": 1,
    "stuck_rows.rows": 20,
    "stuck_rows.sizes": [4, 16],
    "stuck_rows.course_steps": [0, 1],
    "folded_scale.steps": 1,
}


def world(overrides: dict[str, Any] | None = None, project: Project = PROJECT) -> World:
    """Judge the claims under other parameters; what these leave as it is comes from the committed results."""
    asked, settings = read_settings(project), read_settings(project, overrides)

    def answer(each: experiment.Experiment) -> str:
        now, before = (
            (parameters.parameters_for(each, one), one.seed_for(each.stem))
            for one in (settings, asked)
        )
        if now == before:
            return (ROOT / "figures" / f"{each.stem}.json").read_text("utf-8")
        return experiment.measure(project, each, settings)

    results = {each.stem: loads(each.stem, answer(each)) for each in EXPERIMENTS}
    words = {
        each.stem: experiment.describe(project, each, results[each.stem]) for each in EXPERIMENTS
    }
    ledger = Ledger.of(judge(each, results[each.stem]) for each in EXPERIMENTS)
    return World(project, settings, results, words, Origin({}, "make report"), ledger)


@pytest.fixture(scope="module")
def committed() -> World:
    """The world of the committed results."""
    return world()


@pytest.fixture(scope="module")
def article(committed: World) -> Article:
    """The article of the committed results."""
    return compose(committed)


@pytest.fixture(scope="module")
def contrary(committed: World) -> Article:
    """The same article, were every claim false."""
    false = tuple(dataclasses.replace(claim, holds=False) for claim in committed.ledger.claims)
    return compose(dataclasses.replace(committed, ledger=Ledger(false)))


def plain(article: Article, source: str) -> str:
    """Write a piece of the article as a reader sees it, notes and answers in their places."""
    written, bound = article.written, article.bound
    shown: dict[str, Callable[[int], str]] = {
        marks.NUMBER: lambda at: bound.quotes[at].printed,
        marks.FORMULA: lambda at: bound.formulas[at].spoken,
        marks.NOTE: lambda at: f" {untagged(written.notes[at].text)} ",
        marks.ANSWER: lambda at: f" {untagged(written.questions[at].answer)} ",
    }
    text = marks.replace(
        untagged(source), lambda kind, at: shown[kind](at) if kind in shown else ""
    )
    return " ".join(html.unescape(text).split())


def untagged(source: str) -> str:
    """Take the tags out before numbers go in: `<0.001` looks like one."""
    return re.sub(r"<[^>]+>", "", source)


def leaning(article: Article) -> list[tuple[str, str, str]]:
    """The words that lean on claims: the claim, how they are shown, and the words, in no order."""
    written = article.written
    text = "".join(
        [
            written.body,
            *(note.text for note in written.notes),
            *(question.question + question.answer for question in written.questions),
        ]
    )
    opening, closing = (marks.mark(kind, 0)[:2] for kind in (marks.CLAIM, marks.CLAIM_END))
    spans = re.findall(rf"{opening}(\d+)\ue001(.*?){closing}0\ue001", text)
    uses = article.bound.uses
    return [
        (uses[int(n)].claim.path, uses[int(n)].shown, plain(article, said)) for n, said in spans
    ]


def test_every_claim_is_leant_on_and_the_text_leans_on_no_other(committed: World) -> None:
    used = set(re.findall(r'holds\("(\S+)"\)', BODY))
    used |= {path for paths, *_ in CLAIM.findall(BODY) for path in paths.split(" and ")}

    assert used == {claim.path for claim in committed.ledger.claims}


def test_words_that_lean_on_a_claim_give_way_where_it_fails(
    article: Article, contrary: Article
) -> None:
    held, failed = leaning(article), leaning(contrary)

    assert [path for path, *_ in held] == [path for path, *_ in failed]
    assert {shown for _, shown, _ in held} == {"borne"}
    assert {shown for _, shown, _ in failed} == {"otherwise"}
    for (path, _, words_then), (_, _, words_now) in zip(held, failed, strict=True):
        assert words_now.strip(), path
        assert words_now != words_then, path


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_once")
def test_each_counterexample_changes_the_words_that_lean_on_its_claim(
    committed: World, article: Article
) -> None:
    held = {words for *_, words in leaning(article)}
    for refuted in one_of_each_stem():
        results = committed.results | {
            path.partition(".")[0]: doctored(path.partition(".")[0], changes)
            for path, changes in refuted
        }
        ledger = Ledger.of(judge(each, results[each.stem]) for each in EXPERIMENTS)
        told = leaning(compose(dataclasses.replace(committed, results=results, ledger=ledger)))
        for path, _ in refuted:
            leant = [(shown, words) for each, shown, words in told if each == path]

            assert {shown for shown, _ in leant} == {"otherwise"}, path
            assert not {words for _, words in leant} & held, path


def one_of_each_stem() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Deal out the counterexamples in rounds: results of different experiments are refuted at once."""
    by_stem: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for path, changes in COUNTEREXAMPLES:
        by_stem.setdefault(path.partition(".")[0], []).append((path, changes))
    for dealt in zip_longest(*by_stem.values()):
        yield [each for each in dealt if each]


def test_no_number_of_the_article_comes_from_nowhere(article: Article, contrary: Article) -> None:
    lint = Lint(PROJECT)

    assert [str(finding) for finding in lint.article()] == []
    assert lint.allowances([*article.quotes, *contrary.quotes]) == []


WORLDS = {
    "a tied row, few trials": (
        {ROW: [8, 8, 0, -8], TRIALS: 1000, "seed": 7} | HARDLY_TRAINED,
        [
            "no key of our example row takes more than 50% of the weight",
            "the unscaled row still responds",
            "so scaling gains little here",
            "Not at every size is the variance within 5%",
            "deviates by 8.9%",
            "Not all scaled rows recover",
            "they do not all learn",
            "the old rate makes little difference",
            "Our row is not typical",
        ],
        [
            "takes 98%",
            "barely responds",
            "times as steep (",
            "At every size the variance",
            "certainty, preference",
            "every head learns",
            "slow, not stuck",
            "in the middle half of random rows",
        ],
    ),
    "three keys in a narrow head": (
        {ROW: [8, 0, -8], WIDTH: 4, TRIALS: 1000},
        [
            "takes 99.97% of the weight",
            "it is no fair row",
            "effective keys out of 3",
            "The row is not indifferent",
            "leaves nearly uniform attention and weak slopes",
        ],
        ["a fair row, ", "out of 4", "almost indifferent, and", "are alike"],
    ),
    "eight keys in a wide head": (
        {ROW: [8, 0, -8, 4, 2, -2.5, 6, -6.25], WIDTH: 128, TRIALS: 1000},
        [
            "no key of our example row takes more than 86%",
            "it is no fair row",
            "dividing never makes the weights less even",
            "less than half of the most it could be",
        ],
        ["98%", "still peaked", "looks healthy", "certainty, preference"],
    ),
    "a head of one component": (
        {ROW: [8, 0], WIDTH: 1, TRIALS: 1000},
        ["is the lanes’ only difference", "so scaling gains little here", "it is no fair row"],
        ["separates the lanes", "not 1.0", "a weaker slope", "the weight is shared"],
    ),
    "no spread measured": (
        {ROW: [3, 3, 3, 3], TRIALS: 2},
        [
            "which this run does not confirm",
            "more than chance allows",
            "In theory, only division by",
            "should take the head width out",
            "no key of our example row takes more than 25%",
        ],
        ["within its sampling error", "starts the softmax from", "takes the head width out"],
    ),
    "far-off scores in the widest head": (
        {ROW: [300, -300, 12.5, 0.001], WIDTH: 65536, TRIALS: 100},
        ["takes practically all of the weight", "1.511 × 10¹¹¹ times", "it is a fair row"],
        ["100%", "takes 1 of"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_the_article_stays_true_in_another_world(name: str) -> None:
    overrides, said, unsaid = WORLDS[name]
    article = compose(world(overrides))
    text = plain(article, article.written.body)

    assert [phrase for phrase in said if phrase not in text] == []
    assert [phrase for phrase in unsaid if phrase in text] == []
    assert {use.shown for use in article.bound.uses} <= {"borne", "otherwise"}
    assert between(article, "", AFTER_QUESTIONS) <= MOST_TO_LEARN
    assert between(article, "evidence", AFTER_EVIDENCE) <= MOST_EVIDENCE


def between(article: Article, first: str, last: str) -> int:
    """Count the words from one heading to another, the way reading time is counted."""
    body, written = article.written.body, article.written
    start, end = (body.index(f'<h2 id="{name}"') if name else 0 for name in (first, last))
    part = body[start:end]
    notes = [written.notes[n] for n in marks.found(part, marks.NOTE)]
    questions = [written.questions[n] for n in marks.found(part, marks.ANSWER)]
    cut = dataclasses.replace(written, body=part, notes=notes, questions=questions)
    return dataclasses.replace(article, written=cut).words


def test_a_beginner_reads_between_3500_and_4500_words(article: Article, contrary: Article) -> None:
    for each in (article, contrary):
        assert 3500 <= between(each, "", AFTER_QUESTIONS) <= MOST_TO_LEARN


def test_the_evidence_has_at_most_3000_words(article: Article, contrary: Article) -> None:
    for each in (article, contrary):
        assert 1500 <= between(each, "evidence", AFTER_EVIDENCE) <= MOST_EVIDENCE


def test_all_parts_of_the_article_make_up_its_words(article: Article) -> None:
    parts = [
        between(article, "", AFTER_QUESTIONS),
        between(article, AFTER_QUESTIONS, "evidence"),
        between(article, "evidence", AFTER_EVIDENCE),
        between(article, AFTER_EVIDENCE, AFTER_SUMMARY),
    ]

    assert 0 <= article.words - sum(parts) < 100  # how to cite it, and the credit of its sources
