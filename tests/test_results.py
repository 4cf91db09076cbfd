"""What is stored is canonical, and what is read back knows where it was."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report import results
from report.results import Missing, ResultError

TEXT = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1)
JSON = st.recursive(
    st.booleans() | st.integers(-(10**15), 10**15) | st.floats(-1e300, 1e300) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_storing_what_was_read_back_changes_no_byte(value: dict[str, Any]) -> None:
    once = results.dumps("x", value)

    assert results.dumps("x", results.loads("x", once)) == once


@given(st.dictionaries(TEXT, JSON, max_size=6))
def test_the_order_of_keys_leaves_no_trace(value: dict[str, Any]) -> None:
    backwards = dict(reversed(value.items()))

    assert results.dumps("x", backwards) == results.dumps("x", value)


def test_floats_keep_nine_digits_and_no_negative_zero() -> None:
    assert json.loads(results.dumps("x", {"a": 1 / 3, "b": -0.0, "c": 2981})) == {
        "a": 0.333333333,
        "b": 0.0,
        "c": 2981,
    }


def test_numpy_values_are_stored_as_plain_numbers() -> None:
    value = {
        "row": np.array([1.5, 2.5]),
        "n": np.int64(3),
        "x": np.float64(0.5),
        "yes": np.bool_(True),
    }

    assert json.loads(results.dumps("x", value)) == {
        "row": [1.5, 2.5],
        "n": 3,
        "x": 0.5,
        "yes": True,
    }


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": {"b": float("nan")}}, r"stem\.a\.b is nan"),
        ({"a": [1, float("inf")]}, r"stem\.a\.1 is inf"),
        ({"a": None}, r"stem\.a is None, and"),
        ({"a": ""}, r"stem\.a is an empty text"),
        ({"a": {1.5: 2}}, r"stem\.a has the key 1\.5"),
        ({"a": {1, 2}}, r"stem\.a is of the type set"),
        ({"a": 1j}, r"stem\.a is of the type complex"),
        ({"a": 10**400}, r"stem\.a is too large"),
        ({"a": "\x07"}, r"stem\.a holds a character that no font shows \(U\+0007\)"),
        ({"a": "\ue000N0\ue001"}, r"stem\.a holds a character that no font shows \(U\+E000\)"),
        ({"a": "\ud800"}, r"stem\.a holds a character that no font shows \(U\+D800\)"),
        ({"a": {1: 2, "1": 3}}, r"stem\.a has two keys that are written alike"),
        ({"a": ENDLESS}, r"stem holds itself"),
    ],
)
def test_what_no_reader_could_trust_is_refused_with_its_place(value: object, says: str) -> None:
    with pytest.raises(ResultError, match=says):
        results.dumps("stem", value)


def test_a_stored_nan_is_not_read_back() -> None:
    with pytest.raises(ResultError, match="NaN"):
        results.loads("x", '{"a": NaN}')


def test_values_carry_the_path_they_are_stored_under() -> None:
    spread = results.loads("spread", '{"at": {"64": {"sd": 7.9}}, "row": [8, 0]}')

    assert spread.at[64].sd.path == "spread.at.64.sd"
    assert spread["row"][1].path == "spread.row.1"
    assert np.asarray(spread["row"]).sum() == 8


def test_a_misspelt_key_names_the_nearest_one() -> None:
    spread = results.loads("spread", '{"deviation": 1, "ratio": 2}')

    with pytest.raises(Missing, match=r"spread has no 'deviaton' \(did you mean 'deviation'\?\)"):
        _ = spread.deviaton


def test_a_key_named_like_a_method_of_dict_is_still_read_as_a_key() -> None:
    assert results.loads("x", '{"values": 3}')["values"] == 3


@pytest.mark.parametrize(
    ("new", "same"),
    [
        ({"a": 1.0 + 1e-9, "b": [1, "w"]}, True),
        ({"a": 1.001, "b": [1, "w"]}, False),
        ({"a": 1.0, "b": [2, "w"]}, False),
        ({"a": 1.0, "b": [1, "v"]}, False),
        ({"a": 1.0, "b": [1]}, False),
        ({"a": 1.0}, False),
    ],
)
def test_results_are_the_same_when_only_the_last_digits_differ(new: object, same: bool) -> None:
    assert results.same_numbers({"a": 1.0, "b": [1, "w"]}, new, 1e-6) is same


def test_a_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "made" / "x.json"
    results.write_whole(target, b"old")
    results.write_whole(target, b"new")

    assert target.read_bytes() == b"new"
    assert [path.name for path in target.parent.iterdir()] == ["x.json"]


def test_a_write_that_fails_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.json"
    results.write_whole(target, b"old")

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("report.results.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        results.write_whole(target, b"new")

    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
