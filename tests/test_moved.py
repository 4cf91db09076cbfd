"""What moved between two reports is told in the words a reader knows, each thing once, where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from report.moved import FORMAT, compare, read, written


def _reading(
    *told: str, part: str = "", holds: bool = True, evidence: str = "worst 5.3%", drawn: str = "a"
) -> dict[str, Any]:
    claim = {"holds": holds, "sentence": "It is within 5%.", "evidence": evidence, "tally": ""}
    return {
        "format": FORMAT,
        "sentences": [
            {"section": "step-1", "part": part, "text": text, "numbers": []} for text in told
        ],
        "claims": {"spread.within": claim},
        "figures": {"spread": drawn},
    }


def _lines(old: dict[str, Any], new: dict[str, Any], most: int | None = None) -> list[str]:
    return list(compare(old, new).lines(most))


def test_two_equal_reports_differ_in_nothing() -> None:
    assert not compare(_reading("It is 7.98."), _reading("It is 7.98."))


def test_a_moved_number_is_told_old_to_new_in_its_sentence() -> None:
    lines = _lines(_reading("The spread is 7.98 here."), _reading("The spread is 8.01 here."))

    assert lines == [
        "1 passage moved:",
        "  #step-1: 7.98 → 8.01 in “The spread is 8.01 here.”",
    ]


def test_other_words_are_told_as_numbers_are() -> None:
    lines = _lines(
        _reading("Of nine, one does, as chance allows."),
        _reading("Of nine, none does, as chance allows."),
    )

    assert lines[1] == "  #step-1: one → none in “Of nine, none does, as chance allows.”"


def test_what_came_and_what_went_is_told_whole() -> None:
    old = _reading("It holds.", "The spread is 8.", "So be it.")
    new = _reading("It holds.", "So be it.", "Nothing else is left to say.")

    assert _lines(old, new)[1:] == [
        "  #step-1: gone: “The spread is 8.”",
        "  #step-1: new: “Nothing else is left to say.”",
    ]


def test_a_passage_of_other_words_altogether_is_told_whole_and_not_quoted_again() -> None:
    lines = _lines(_reading("It holds."), _reading("Nothing else is left to say"))

    assert lines[1:] == ["  #step-1: It holds. → Nothing else is left to say"]


def test_a_moved_number_of_a_caption_is_named_there() -> None:
    lines = _lines(_reading("In 9 of 10.", part="caption"), _reading("In 8 of 10.", part="caption"))

    assert lines[1] == "  #step-1, caption: 9 → 8 in “In 8 of 10.”"


@pytest.mark.parametrize("part", ["data", "table"])
def test_the_cells_of_a_table_that_moved_are_told_together_by_their_rows(part: str) -> None:
    old = _reading("d_k | sd | worst", "4 | 2.01 | 1%", "8 | 2.8 | 2%", "16 | 4 | 3%", part=part)
    new = _reading("d_k | sd | worst", "4 | 1.99 | 2%", "8 | 2.8 | 2%", part=part)

    assert _lines(old, new) == [
        "1 passage moved:",
        f"  #step-1, {part}: 4: 2.01 → 1.99, 4: 1% → 2%, gone: “16 | 4 | 3%”",
    ]


def test_the_words_of_a_drawing_that_moved_are_told_whole() -> None:
    old = _reading("1 | 10 | 5% off | d_k | −5%", part="drawing")
    new = _reading("10 | 1 | 7% off | d_k", part="drawing")

    assert _lines(old, new)[1:] == ["  #step-1, drawing: 5% off → 7% off, gone: “−5%”"]


def test_a_number_in_a_drawing_became_the_one_in_its_place_and_none_that_is_like_it() -> None:
    old = _reading("1 | input | rest | 0.41 | 1 | 0.707 | 0.20 | 2 | 0 | key", part="drawing")
    new = _reading("1 | input | rest | 0.47 | 1 | 1 | 0.17 | 2 | 0 | key", part="drawing")

    assert _lines(old, new)[1:] == ["  #step-1, drawing: 0.41 → 0.47, 0.707 → 1, 0.20 → 0.17"]


def test_a_long_sentence_is_quoted_where_it_moved() -> None:
    words = "word " * 60
    line = _lines(_reading(f"{words}is 1 {words}"), _reading(f"{words}is 2 {words}"))[1]

    assert "1 → 2 in “…word" in line
    assert " is 2 word" in line
    assert line.endswith("…”")
    assert len(line) < 140


def test_a_long_text_that_came_is_cut_and_its_quotation_closed() -> None:
    line = _lines(_reading(), _reading("word " * 40), most=9)[1]

    assert line.startswith("  #step-1: new: “word word")
    assert line.endswith("…”")


def test_a_flipped_claim_is_told_with_its_evidence() -> None:
    held, failed = _reading(), _reading(holds=False, evidence="worst 5.4%")

    assert _lines(held, failed) == [
        "1 claim flipped:",
        "  spread.within no longer holds (worst 5.4%)",
    ]
    assert _lines(failed, held)[1] == "  spread.within now holds (worst 5.3%)"


def test_a_claim_that_still_holds_tells_what_its_evidence_became() -> None:
    lines = _lines(_reading(evidence="worst 3.4% at 8"), _reading(evidence="worst 4.8% at 32"))

    assert lines == [
        "1 claim as before, on other numbers:",
        "  spread.within: 3.4% at 8 → 4.8% at 32",
    ]


def test_a_claim_that_came_or_went_is_told_as_that() -> None:
    without = _reading() | {"claims": {}}

    assert _lines(without, _reading())[1] == "  spread.within is new and holds"
    assert _lines(without, _reading(holds=False))[1] == "  spread.within is new and does not hold"
    assert _lines(_reading(), without)[1] == "  spread.within is gone"


def test_a_figure_is_told_as_changed_new_or_gone() -> None:
    without = _reading() | {"figures": {}}

    assert _lines(_reading(), _reading(drawn="b")) == ["1 figure changed:", "  spread"]
    assert _lines(without, _reading())[1] == "  spread (new)"
    assert _lines(_reading(), without)[1] == "  spread (gone)"


def test_all_is_told_in_the_order_of_the_article() -> None:
    old, new = _reading("It is 1.", "It is 2."), _reading("It is 3.", "It is 4.")
    for each, (first, last) in ((old, "12"), (new, "34")):
        each["sentences"].insert(0, {"section": "z", "part": "", "text": f"Top {first}."})
        each["sentences"].append({"section": "a", "part": "", "text": f"End {last}."})

    assert [passage.place for passage in compare(old, new).passages] == [
        "#z", "#step-1", "#step-1", "#a",
    ]  # fmt: skip


def test_a_long_list_is_cut_and_says_so() -> None:
    old = _reading(*(f"The number {n} is 1." for n in "abcde"))
    new = _reading(*(f"The number {n} is 2." for n in "abcde"))

    assert _lines(old, new, 2)[0] == "5 passages moved:"
    assert _lines(old, new, 2)[3:] == ["  and 3 more"]
    assert len(_lines(old, new)) == 6


def test_two_long_texts_that_begin_alike_are_cut_to_where_they_differ() -> None:
    start = "The cells are the first components of"
    old = _reading(f"{start} six red bars standing beside each other below this text in a long row")
    new = _reading(
        f"{start} one blue curve that at first rises steeply below this text, then falls"
    )
    line = _lines(old, new, 9)[1]

    assert line.startswith("  #step-1: …components of six red bars")
    assert " → …components of one blue curve" in line


def test_a_long_row_of_changes_is_cut_where_a_list_is() -> None:
    rows = [f"{n} | {{}}" for n in range(9)]
    old, new = (
        _reading(*(each.format(n) for each in rows), part="data") for n in ("1", "2" + "0" * 90)
    )
    line = _lines(old, new, 8)[1]

    assert line.count(" → 2") == 4
    assert line.endswith("… and 5 more")
    assert len(line) < 250
    assert _lines(old, new)[1].count("0" * 90) == 9


def test_what_is_written_is_read_back() -> None:
    assert read(written(_reading("It is −8."))) == _reading("It is −8.")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 2, "sentences": []}'])
def test_what_is_no_reading_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"damaged|Expecting"):
        read(text)


@pytest.mark.parametrize("other", [{}, {"format": FORMAT + 1}, {"format": "x"}])
def test_a_reading_of_another_version_is_refused_in_words(other: dict[str, Any]) -> None:
    kept = {"sentences": [], "claims": {}, "figures": {}} | other

    with pytest.raises(ValueError, match="made by another version of the generator"):
        read(written(kept))
