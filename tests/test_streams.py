"""A random stream depends on its own values and on nothing else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from report.streams import stream_for

KEYS = st.lists(st.integers(0, 10**6) | st.text(max_size=8), max_size=3).map(tuple)


def test_the_same_values_give_the_same_numbers() -> None:
    first = stream_for(2017, "spread")(64).standard_normal(5)
    again = stream_for(2017, "spread")(64).standard_normal(5)

    np.testing.assert_array_equal(first, again)


def test_using_one_stream_moves_no_other() -> None:
    alone = stream_for(2017, "spread")(128).standard_normal(5)
    stream = stream_for(2017, "spread")
    stream(64).standard_normal(1000)

    np.testing.assert_array_equal(stream(128).standard_normal(5), alone)


@given(st.integers(0, 2**40), st.text(max_size=8), KEYS, KEYS)
def test_other_keys_give_other_numbers(seed: int, stem: str, one: tuple, two: tuple) -> None:  # type: ignore[type-arg]  # keys of any kind
    stream = stream_for(seed, stem)

    assert (one == two) == (stream(*one).integers(2**62) == stream(*two).integers(2**62))


def test_another_seed_or_stem_gives_other_numbers() -> None:
    drawn = {stream_for(seed, stem)(1).integers(2**62) for seed in (1, 2) for stem in ("a", "b")}

    assert len(drawn) == 4
