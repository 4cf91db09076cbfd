"""Of the labels in a drawing only those are told to have become others that did."""

from __future__ import annotations

from report.labels import relabeled


def _changes(old: str, new: str) -> list[tuple[str, str]]:
    return list(relabeled(old.split(" | "), new.split(" | ")))


def test_each_number_of_a_bar_is_told_with_the_one_that_took_its_place() -> None:
    old = "input | Divided by √dk ≈ 11.3 | The rest count | 0.41 | 1 | 0.707 | 0.20 | 2 | 0 | key"
    new = "input | Divided by √dk = 8 | The rest count | 0.47 | 1 | 1 | 0.17 | 2 | 0 | key"

    assert _changes(old, new) == [
        ("Divided by √dk ≈ 11.3", "Divided by √dk = 8"),
        ("0.41", "0.47"),
        ("0.707", "1"),
        ("0.20", "0.17"),
    ]


def test_numbers_that_are_not_as_many_are_told_as_gone_and_new() -> None:
    old, new = "spread | 0 | 5% | 10% | 15% | ratio", "spread | 0 | 10% | 20% | ratio"

    assert _changes(old, new) == [("5%", ""), ("15%", ""), ("", "20%")]


def test_a_number_that_is_elsewhere_in_the_other_drawing_makes_none_certain() -> None:
    assert _changes("a | 0.28 | 0.26", "a | 0.26 | 0.23") == [("0.28", ""), ("", "0.23")]


def test_numbers_of_other_kinds_are_no_pairs() -> None:
    assert _changes("a | 1/8 | 2", "a | 11.3 | 2") == [("1/8", ""), ("", "11.3")]


def test_what_came_in_between_hides_the_numbers_beside_it_but_not_those_farther_off() -> None:
    old = "first | 1 | 2 | second | 3 | 4 | third | 5"
    new = "first | 1 | 9 | second | 3 | 8 | quite another | 6 | third | 7"

    assert _changes(old, new) == [
        ("2", "9"),
        ("5", "7"),
        ("4", ""),
        ("", "8"),
        ("", "quite another"),
        ("", "6"),
    ]


def test_a_panel_that_came_pairs_no_labels_that_stand_in_each_panel() -> None:
    old = "No scaling 80% | 1 | dk 3% | 2"
    new = "No scaling 90% | 4 | dk 5% | 6 | No scaling 80% | 1 | dk 7% | 8"

    assert all(not was or not now for was, now in _changes(old, new))


def test_labels_in_another_order_have_not_changed() -> None:
    assert _changes("b | 1 | 10 | a", "10 | a | 1 | b") == []
