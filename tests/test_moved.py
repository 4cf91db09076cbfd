"""What moved between two reports is told in the sentences a reader knows."""

from typing import Any

from report.moved import compare


def _reading(
    printed: str, holds: bool = True, drawn: str = "a", section: str = "step-1"
) -> dict[str, Any]:
    text = f"The spread is {printed} here."
    return {
        "sentences": [
            {"section": section, "text": text, "numbers": [["spread.sd", "fixed", printed]]}
        ],
        "claims": {"spread.within": {"holds": holds, "evidence": "worst 5.3%"}},
        "figures": {"spread": drawn},
    }


def test_two_equal_reports_differ_in_nothing() -> None:
    assert not compare(_reading("7.98"), _reading("7.98"))


def test_a_moved_number_is_told_old_to_new_in_its_sentence() -> None:
    moved = compare(_reading("7.98"), _reading("8.01"))

    assert moved.numbers == ["#step-1: 7.98 → 8.01 in “The spread is 8.01 here.”"]


def test_a_flipped_claim_is_told_with_its_evidence() -> None:
    there, back = (
        compare(_reading("1", True), _reading("1", False)),
        compare(_reading("1", False), _reading("1")),
    )

    assert there.claims == ["spread.within no longer holds (worst 5.3%)"]
    assert back.claims == ["spread.within now holds (worst 5.3%)"]


def test_a_changed_drawing_is_named() -> None:
    assert compare(_reading("1"), _reading("1", drawn="b")).figures == ["spread"]


def test_the_same_number_printed_twice_is_matched_in_order() -> None:
    old, new = _reading("1"), _reading("1")
    old["sentences"][0]["numbers"] *= 2
    new["sentences"][0]["numbers"] = [["spread.sd", "fixed", "1"], ["spread.sd", "fixed", "2"]]

    assert len(compare(old, new).numbers) == 1
    assert "1 → 2" in compare(old, new).numbers[0]


def test_a_long_list_is_cut_and_says_so() -> None:
    old, new = _reading("1"), _reading("2")
    old["sentences"] *= 5
    new["sentences"] *= 5
    lines = list(compare(old, new).lines(2))

    assert lines[0] == "5 sentences moved:"
    assert lines[-1] == "  and 3 more"
    assert len(lines) == 4
