"""Which labels of a drawing became which, as far as that is certain: a number may stand anywhere in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise, starmap

from report.wording import alike, mask

Pair = tuple[int, int]  # where a label stands, in the old drawing and in the new one


def relabeled(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Pair the labels that changed; one without a certain counterpart is paired with nothing.

    Those in both that have no counterpart did not change, wherever they stand.
    """
    if Counter(old) == Counter(new):
        return
    pairs = sorted(_certain(old, new))
    yield from ((old[i], new[j]) for i, j in pairs if old[i] != new[j])
    gone, came = (
        Counter(label for at, label in enumerate(labels) if at not in known)
        for labels, known in ((old, {i for i, _ in pairs}), (new, {j for _, j in pairs}))
    )
    yield from ((label, "") for label in (gone - came).elements())
    yield from (("", label) for label in (came - gone).elements())


def _certain(old: list[str], new: list[str]) -> Iterator[Pair]:
    """Pair labels of words in their order, and the numbers between two pairs if they are as many."""
    found, whole = _worded(old, new)
    ends = (-1, -1), (len(old), len(new))
    if not whole:  # a part came or went: only what bears a name of its own is known again
        once = _once(old) & _once(new)
        found = [(i, j) for i, j in found if mask(old[i]) in once and mask(new[j]) in once]
    yield from found
    for (i, j), (k, m) in pairwise([ends[0], *found, ends[1]]):
        if _in_step(old[i + 1 : k], new[j + 1 : m]):
            yield from zip(range(i + 1, k), range(j + 1, m), strict=True)


def _worded(old: list[str], new: list[str]) -> tuple[list[Pair], bool]:
    """Pair labels of words, and tell whether each has its counterpart."""
    a, b = ([at for at, label in enumerate(each) if _has_words(label)] for each in (old, new))
    masks = [mask(old[i]) for i in a], [mask(new[j]) for j in b]
    pairs, whole = list[Pair](), True
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *masks, autojunk=False).get_opcodes():
        block = list(zip(a[i1:i2], b[j1:j2], strict=False))
        reworded = i2 - i1 == j2 - j1 and all(alike(old[i], new[j]) for i, j in block)
        if tag == "equal" or reworded:
            pairs += block
        else:
            whole = False
    return pairs, whole


def _has_words(label: str) -> bool:
    return any(letter.isalpha() for letter in label)


def _once(labels: list[str]) -> set[tuple[str, ...]]:
    """Give what stands in a drawing but once, whatever its numbers."""
    return {words for words, count in Counter(map(mask, labels)).items() if count == 1}


def _in_step(old: list[str], new: list[str]) -> bool:
    """Tell whether labels are as many, of the same kind, and those in both in the same places."""
    if [*map(mask, old)] != [*map(mask, new)]:
        return False
    return sum(starmap(str.__eq__, zip(old, new, strict=True))) == (
        (Counter(old) & Counter(new)).total()
    )
