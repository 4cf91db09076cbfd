"""Where two texts differ in their words: passages paired, and the few pieces that moved in each pair."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

ALIKE = 0.5  # ratio of words from which two passages are one that was changed
NEAR = 2  # words that may stay between two changes that are told as one

_TOKEN = re.compile(
    r"(?P<number>[<>]?−?\d(?:[\d.,]*\d)?(?: × 10[⁻⁰¹²³⁴-⁹]+)?%?)|\w+(?:[’'-]\w+)*|[^\w\s]"
)

Words = tuple[str, ...]
Span = tuple[int, int, int, int]  # words from and to, of the old passage and of the new one


def aligned(
    old: list[str], new: list[str], key: Callable[[str], Words]
) -> Iterator[tuple[str, str]]:
    """Pair the passages of one place, in order; one without a counterpart is paired with nothing."""
    matcher = SequenceMatcher(a=list(map(key, old)), b=list(map(key, new)), autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            yield from zip(old[i1:i2], new[j1:j2], strict=True)
        else:
            yield from _paired(old[i1:i2], new[j1:j2])


def _paired(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Pair the two most alike, then what lies before and after them; the rest in order."""
    ratios = {(i, j): _ratio(was, now) for i, was in enumerate(old) for j, now in enumerate(new)}
    best = max(ratios, key=lambda pair: ratios[pair], default=None)
    if best is None or ratios[best] < ALIKE:
        yield from zip_longest(old, new, fillvalue="")
        return
    i, j = best
    yield from _paired(old[:i], new[:j])
    yield old[i], new[j]
    yield from _paired(old[i + 1 :], new[j + 1 :])


def _ratio(old: str, new: str) -> float:
    return SequenceMatcher(a=mask(old), b=mask(new), autojunk=False).ratio()


def alike(old: str, new: str) -> bool:
    """Tell whether two passages are one that was changed."""
    return _ratio(old, new) >= ALIKE


def mask(text: str) -> Words:
    """The words of a passage, every number alike."""
    return tuple("0" if each["number"] else each[0] for each in _TOKEN.finditer(text))


def row(text: str) -> Words:
    """The same of a row, but for its name."""
    name, _, cells = text.partition(" | ")
    return name, *mask(cells)


def differences(old: str, new: str) -> list[tuple[slice, slice]]:
    """Find what differs between two passages: where it stands in the old one and in the new one."""
    a, b = list(_TOKEN.finditer(old)), list(_TOKEN.finditer(new))
    words = [each[0] for each in a], [each[0] for each in b]
    spans = [_filled(span, *words) for span in _merged(_spans(*words))]
    moved = sum(max(i2 - i1, j2 - j1) for i1, i2, j1, j2 in spans)
    if len(spans) > 1 and 2 * moved > max(len(a), len(b)):
        spans = [(0, len(a), 0, len(b))]
    return [
        (slice(a[i1].start(), a[i2 - 1].end()), slice(b[j1].start(), b[j2 - 1].end()))
        for i1, i2, j1, j2 in spans
    ]


def _spans(old: list[str], new: list[str]) -> Iterator[Span]:
    a, b = ([mask(each)[0] for each in words] for words in (old, new))
    for tag, i1, i2, j1, j2 in SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes():
        if tag == "equal":
            pairs = zip(range(i1, i2), range(j1, j2), strict=True)
            yield from ((i, i + 1, j, j + 1) for i, j in pairs if old[i] != new[j])
        else:
            yield i1, i2, j1, j2


def _merged(spans: Iterator[Span]) -> list[Span]:
    """Join differences with hardly a word between them."""
    merged: list[Span] = []
    for i1, i2, j1, j2 in spans:
        if merged and max(i1 - merged[-1][1], j1 - merged[-1][3]) <= NEAR:
            merged[-1] = (merged[-1][0], i2, merged[-1][2], j2)
        else:
            merged.append((i1, i2, j1, j2))
    return merged


def _filled(span: Span, old: list[str], new: list[str]) -> Span:
    """Let words that only came or went take in the word they belong to: the next, or after a comma the last."""
    i1, i2, j1, j2 = span
    if i1 < i2 and j1 < j2:
        return span
    first = (old[i1:i2] or new[j1:j2])[0]
    if i1 and j1 and (not first[0].isalnum() or i2 == len(old) or j2 == len(new)):
        return i1 - 1, i2, j1 - 1, j2
    return i1, i2 + 1, j1, j2 + 1
