"""Random streams made from values, so that no case can move the numbers of another."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from report.contracts import Stream


def stream_for(seed: int, stem: str) -> Stream:
    """Give the function that makes one generator (PCG64) for each case of one experiment.

    The stream depends on the seed, the stem and the case's own keys alone: adding, removing or
    reordering cases and experiments changes no other stream.
    """

    def stream(*keys: int | str) -> np.random.Generator:
        import numpy as np  # noqa: PLC0415 - a build with nothing to do must not load numpy

        sequence = np.random.SeedSequence(entropy=seed, spawn_key=_words(stem, keys))
        return np.random.Generator(np.random.PCG64(sequence))

    return stream


def _words(stem: str, keys: tuple[int | str, ...]) -> tuple[int, ...]:
    """Turn a stem and its keys into eight 32-bit words that no other stem and keys share."""
    plain = [stem, *(key if isinstance(key, str) else int(key) for key in keys)]
    digest = hashlib.sha256(json.dumps(plain, ensure_ascii=True).encode()).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "big") for i in range(0, len(digest), 4))
