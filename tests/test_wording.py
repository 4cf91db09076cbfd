"""Two texts are told apart by whole pieces: what stands outside of them reads the same in both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.wording import aligned, differences, mask, row

WORDS = st.lists(
    st.sampled_from(["the", "row", "is", "fair", "8", "0.02", "−8", ",", "."]), min_size=1
)
TEXTS = WORDS.map(" ".join)


def _told(old: str, new: str) -> list[tuple[str, str]]:
    return [(old[was], new[now]) for was, now in differences(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("The sd is 7.98 here.", "The sd is 8.01 here.", [("7.98", "8.01")]),
        ("In this run one does.", "In this run none does.", [("one", "none")]),
        ("It is a fair row, if a tame one.", "It is a fair row.", [("row, if a tame one", "row")]),
        ("It is so.", "It is so, always.", [("so", "so, always")]),
        ("so it is", "it is", [("so it", "it")]),
        ("there was luck at 11", "there was no luck at 11", [("luck", "no luck")]),
        ("it holds", "it holds now", [("holds", "holds now")]),
        ("weights 0.98 and 0.02", "weights 0.9 and 0.1", [("0.98 and 0.02", "0.9 and 0.1")]),
        ("about 14 times", "13 times", [("about 14", "13")]),
        ("a mean of −0.5 %", "a mean of 0.5 %", [("−0.5", "0.5")]),
        ("at 1.5 × 10⁻⁵ it", "at 1.5 × 10⁻⁶ it", [("1.5 × 10⁻⁵", "1.5 × 10⁻⁶")]),
        ("from <0.001 on", "from 0.002 on", [("<0.001", "0.002")]),
        (
            "one far and two near, then three more words",
            "two far and three near, then four more words",
            [("one far and two", "two far and three"), ("three", "four")],
        ),
        ("all of this", "quite other words than before", [("all of this", "quite other words than before")]),
    ],
)  # fmt: skip
def test_what_differs_is_told_in_pieces_a_person_would_name(
    old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    assert _told(old, new) == expected


@given(TEXTS, TEXTS)
def test_with_the_pieces_exchanged_one_text_is_the_other(old: str, new: str) -> None:
    made, at = "", 0
    for was, now in differences(old, new):
        made += old[at : was.start] + new[now]
        at = was.stop

    assert (made + old[at:]).split() == new.split()


@given(TEXTS, TEXTS)
def test_no_piece_is_empty_and_only_equal_texts_have_none(old: str, new: str) -> None:
    told = _told(old, new)

    assert all(was and now for was, now in told)
    assert (not told) == (old.split() == new.split())


@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6))
def test_each_passage_is_paired_once_and_in_order(old: list[str], new: list[str]) -> None:
    pairs = list(aligned(old, new, mask))

    assert [was for was, _ in pairs if was] == old
    assert [now for _, now in pairs if now] == new


def test_a_sentence_that_went_is_paired_with_nothing() -> None:
    old = ["It holds.", "The sd is 7.9 at 64.", "So be it."]
    new = ["It holds.", "So be it."]

    assert list(aligned(old, new, mask))[1] == ("The sd is 7.9 at 64.", "")


def test_sentences_that_moved_are_paired_with_those_most_like_them() -> None:
    old = ["The spread of the scores is 8.", "Nothing else grows with the width."]
    new = ["Quite another thought.", "The spread of all scores is 9.", "Nothing grows with width."]

    assert list(aligned(old, new, mask)) == [("", new[0]), (old[0], new[1]), (old[1], new[2])]


def test_rows_are_known_by_their_names_though_these_be_numbers() -> None:
    old = ["4 | 1.9", "16 | 4.2", "64 | 8.1"]

    assert list(aligned(old, old[1:], row)) == [(old[0], ""), *((each, each) for each in old[1:])]
