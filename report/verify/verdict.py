"""What became of the check of a PDF: where it is from, three levels, and all that differs, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from report.progress import plural
from report.verify.difference import Difference
from report.worker import TOLERANCE

MOST, FEW = 24, 6  # differences of one kind, and of one result, named before the rest is counted
VERIFIED, DIFFERS, UNKNOWN = 0, 1, 2  # exit statuses


@dataclass
class Numbers:
    """How the results compare: those that were, and the values that differ, by result."""

    compared: list[str]
    differ: dict[str, list[str]]
    close: dict[str, list[str]]  # those that differ within the tolerance


@dataclass
class Verdict:
    """The answer to a check; a level that could not be compared is None."""

    origin: list[str]
    contradictions: list[Difference]
    quick: bool  # nothing was run
    same_bytes: bool | None = None
    numbers: Numbers | None = None
    report: list[Difference] | None = None
    notes: list[str] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)  # why something could not be compared

    @property
    def differs(self) -> bool:
        """Tell whether anything was found that speaks against the PDF."""
        moved = self.numbers.differ if self.numbers else {}
        return bool(self.contradictions or moved or self.report)

    @property
    def status(self) -> int:
        """What the command ends with: nothing that was not compared counts as the same."""
        return DIFFERS if self.differs else UNKNOWN if self.unmet else VERIFIED

    def lines(self) -> Iterator[str]:
        """Say it all."""
        yield from self.origin
        yield ""
        yield f"In itself       {_counted(self.contradictions) or 'it agrees'}"
        yield f"1 Same bytes    {_said(self.same_bytes)}"
        yield f"2 Same numbers  {self._numbers()}"
        yield f"3 Same report   {self._report()}"
        yield from _listed("The PDF contradicts itself:", self.contradictions)
        moved = _named(self.numbers.differ if self.numbers else {})
        found = [*moved, *(self.report or [])]
        yield from _listed("The PDF differs from what is made here:", found)
        close = _named(self.numbers.close if self.numbers else {})
        yield from _listed("Within the tolerance, but not digit for digit:", list(close))
        yield from ["", *self.notes] if self.notes else []
        yield ""
        yield self._end()

    def _numbers(self) -> str:
        if self.numbers is None:
            return "not compared"
        total = plural(len(self.numbers.compared), "result")
        same = len(self.numbers.compared) - len(self.numbers.differ)
        said = f"{_said(not self.numbers.differ)}: {same} of {total} within {TOLERANCE:g}"
        close = len(self.numbers.close)
        return f"{said}, {close} of them not digit for digit" if close else said

    def _report(self) -> str:
        if self.report is None:
            return "not compared"
        found = _counted(self.report)
        return f"no: {found}" if found else "yes: nothing that a reader sees differs"

    def _end(self) -> str:
        if self.differs:
            return "DIFFERS: see above."
        if self.unmet:
            return "NOT VERIFIED: not all of it could be compared."
        if self.quick:
            return "AGREES with what was built here; nothing was run, so nothing is proved of the sources."
        if self.same_bytes:
            return "VERIFIED: the sources here make this very file again."
        return "VERIFIED: the bytes differ, but nothing that a reader sees does."


def _named(values: Mapping[str, Sequence[str]]) -> Iterator[Difference]:
    """Name some values of each result, and count the rest."""
    for stem, moved in values.items():
        yield from (Difference("number", value) for value in moved[:FEW])
        if len(moved) > FEW:
            yield Difference("number", f"{stem}: and {len(moved) - FEW} more values")


def _said(same: bool | None) -> str:
    return "not compared" if same is None else "yes" if same else "no"


def _counted(found: Sequence[Difference]) -> str:
    kinds = Counter(each.kind for each in found)
    return ", ".join(plural(count, kind) for kind, count in kinds.items())


def _listed(head: str, found: Sequence[Difference]) -> Iterator[str]:
    """List differences under a line, those of each kind together and not too many."""
    if not found:
        return
    yield from ("", head)
    for kind in dict.fromkeys(each.kind for each in found):
        same = [each for each in found if each.kind == kind]
        yield from (f"  {each}" for each in same[:MOST])
        if len(same) > MOST:
            yield f"  {kind:<10}  and {len(same) - MOST} more"
