"""What the command line puts over the project file: how it is read, written as a command, and named."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from report.errors import UNSEEN, Mistake
from report.overrides import command, name_of, parse_overrides

TEXTS = st.text(min_size=1, max_size=8).filter(lambda text: not UNSEEN.search(text))
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    NUMBERS | TEXTS | st.booleans(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(TEXTS, each, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from(["seed", "a.b", "c.d", "größe.x"])
ALIKE_TEXTS = st.text("1+,=.axb", min_size=1, max_size=4)
ALIKE_VALUES = st.integers(0, 12) | ALIKE_TEXTS | st.lists(st.integers(0, 2) | ALIKE_TEXTS)


def told(overrides: dict[str, Any]) -> str:
    """Write overrides so that those that differ, be it by their kind, are written otherwise."""
    return repr(sorted(overrides.items()))


# Read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seed=7", 7),
        ("seed = 7 ", 7),
        ("seed=[1, 2]", [1, 2]),
        ("seed=1_000", 1000),
        ("seed=true", True),
        ('seed="a=b"', "a=b"),
        ("seed=-1.5e3", -1500.0),
    ],
)
def test_an_override_is_written_as_in_the_file(text: str, value: object) -> None:
    assert parse_overrides([text]) == {"seed": value}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a.b=1 a.c=2", {"a.b": 1, "a.c": 2}),
        (" a.b = [1, 2]  a.c = 2 ", {"a.b": [1, 2], "a.c": 2}),
        ("a.b=1\nc=2", {"a.b": 1, "c": 2}),
        ("a.b=\"x c=1 y\" a.c='d=2'", {"a.b": "x c=1 y", "a.c": "d=2"}),
        ('a.b=["x c=[1", "d=2"] e=1', {"a.b": ["x c=[1", "d=2"], "e": 1}),
        ("a.b={ c = 1, d = {e = 2} } f=3", {"a.b": {"c": 1, "d": {"e": 2}}, "f": 3}),
        ("a.b=1 a.b=2", {"a.b": 2}),
    ],
)
def test_several_may_stand_after_each_other_and_end_where_toml_says(
    text: str, found: dict[str, Any]
) -> None:
    assert parse_overrides([text]) == found


@pytest.mark.parametrize(
    "text",
    ["", "a", "a=", "a.b.c=1", "=1", "a b=1", "a=1 # b", "a=1, b=2", "a=1}\nb={c=1", "a=1 2 b=3"],
)
def test_what_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(Mistake):
        parse_overrides([text])


def test_the_value_that_is_wrong_is_named_alone() -> None:
    with pytest.raises(Mistake, match=r"^a\.c=wide: 'wide' is not a value;"):
        parse_overrides(["a.b=1 a.c=wide a.d=[1, 2]"])


# Written


@settings(max_examples=60)
@given(st.dictionaries(KEYS.filter("seed".__ne__), VALUES, min_size=1, max_size=2))
@example({"faces.label": "a  b c"})
@example({"faces.label": 'it\'s "so" \\ $(id) $x `id` !1 %20 #', "a.b": [["$"], {"'": "\\u0027"}]})
@example({"seed": 7, "roll.scale": -1e-7, "roll.throws": [1, 2]})
@example({"a.b": "\N{NO-BREAK SPACE}\N{ZERO WIDTH JOINER}\t\n  \N{TAG SPACE}"})
def test_the_printed_command_says_the_same_overrides_again(overrides: dict[str, Any]) -> None:
    typed = command(overrides)
    _, target, *words = shlex.split(typed)
    given_to = dict(word.split("=", 1) for word in words)
    seed = [f"seed={given_to['SEED']}"] if "SEED" in given_to else []
    pairs = [given_to["SET"]] if "SET" in given_to else []

    assert target == "report"
    assert told(parse_overrides(seed + pairs)) == told(overrides)
    assert "  " not in typed
    assert typed.isprintable()


def test_a_command_through_a_shell_and_make_says_the_same_overrides_again(tmp_path: Path) -> None:
    overrides = {"a.b": 'it\'s "so" \\ $(id) $x `id` $$ # !', "a.c": [1, 2], "a.d": "two words"}
    rules = (Path(__file__).parent.parent / "Makefile").read_text("utf-8")
    (tmp_path / "Makefile").write_text(rules.partition("\n# The first Python")[0] + SAY)
    typed = f"{command(overrides)} --no-print-directory"
    ran = subprocess.check_output(
        typed, shell=True, cwd=tmp_path, text=True, env={"PATH": os.environ["PATH"]}
    )
    said = ran.splitlines()

    assert said[0] == "--set"
    assert parse_overrides(said[1:]) == overrides


SAY = "\n\nreport:\n\t@printf '%s\\n' $(options)\n"


@pytest.mark.parametrize(
    ("overrides", "typed"),
    [
        ({}, "make report"),
        ({"seed": 7}, "make report SEED=7"),
        ({"b.c": [1, 2.5], "a.b": "x"}, "make report SET='a.b=\"x\" b.c=[1,2.5]'"),
        ({"seed": 7, "a.b": True}, "make report SEED=7 SET='a.b=true'"),
    ],
)
def test_a_command_is_as_short_as_it_can_be(overrides: dict[str, Any], typed: str) -> None:
    assert command(overrides) == typed


# Named


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        ({}, ""),
        ({"seed": 7}, "seed=7"),
        ({"seed": 7, "roll.scale": 2.5}, "roll.scale=2.5,seed=7"),
        ({"roll.throws": [1, 2]}, "roll.throws=1+2"),
        ({"roll.scale": -1e-7}, "roll.scale=-1e-07"),
        ({"faces.label": "two-way_die.2"}, "faces.label=two-way_die.2"),
        ({"faces.fair": True}, "faces.fair=True"),
    ],
)
def test_an_override_is_named_by_what_it_says(overrides: dict[str, Any], name: str) -> None:
    assert name_of(overrides) == name


@pytest.mark.parametrize("value", ["../../etc", "a/b", "two words", "x" * 200, "\n"])
def test_a_name_that_no_folder_should_have_becomes_a_short_hash(value: str) -> None:
    name, other = (name_of({"faces.label": text}) for text in (value, f"{value}!"))

    assert name.startswith("faces.label=")
    assert len(name) == len("faces.label=") + 8
    assert name != other


ALIKE: list[dict[str, Any]] = [
    {"a.b": 1},
    {"a.b": "1"},
    {"a.b": 1.0},
    {"a.b": "1.0"},
    {"a.b": [1]},
    {"a.b": ["1"]},
    {"a.b": [[1]]},
    {"a.b": True},
    {"a.b": "True"},
    {"a.b": [1, 2]},
    {"a.b": "1+2"},
    {"a.b": [[1, 2]]},
    {"a.b": ["x", "y"]},
    {"a.b": "x+y"},
    {"a.b": "1,c.d=2.0"},
    {"a.b": "1", "c.d": 2.0},
    {"a.b": 1, "c.d": 2.0},
    {"a.b": []},
    {"a.b": {"c": 1}},
    {"a.b": "{'c': 1}"},
]


def test_no_two_overrides_share_a_name() -> None:
    names = [name_of(overrides) for overrides in ALIKE]

    assert len(set(names)) == len(names)


@settings(max_examples=60)
@given(*[st.dictionaries(KEYS, ALIKE_VALUES, max_size=2)] * 2)
def test_a_name_tells_one_override_from_another(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (name_of(one) == name_of(other)) == (told(one) == told(other))


@given(st.text(min_size=1))
def test_no_override_leaves_the_build_folder(value: str) -> None:
    assert Path("/build", name_of({"a.b": value})).resolve().parent == Path("/build")
