"""What a build did, in a few lines."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from report.claims import Ledger
from report.glance import sentence, shown
from report.moved import Moved
from report.progress import plural, size
from report.worker import TOLERANCE

NAMED = 6  # names that still make a short sentence
MOST_MOVED = 8  # lines of each kind a summary shows; `report diff` shows all


@dataclass
class Summary:
    """What was made, what was reused, and how it compares with what came with the project."""

    outputs: list[tuple[Path, int]] = field(default_factory=list)  # files, and pages if they have
    made: dict[str, list[str]] = field(default_factory=dict)  # what was done -> to what
    reused: int = 0
    compared: dict[str, str] = field(default_factory=dict)  # stem -> 'same', 'close' or 'moved'
    claims: Ledger = field(default_factory=Ledger)
    moved: Moved = field(default_factory=Moved)
    against: str = ""  # what that is held against
    told_by: str = ""  # the command that tells all of it, if one can
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def did(self, verb: str, name: str) -> None:
        """Count a piece of work."""
        self.made.setdefault(verb, []).append(name)

    def lines(self) -> Iterator[str]:
        """Say it all."""
        for path, pages in self.outputs:
            yield f"{shown(path)}  {size(path)}" + (f", {plural(pages, 'page')}" if pages else "")
        if self.compared:
            yield self.comparison()
        if self.moved:
            yield from self.differences()
        if len(self.claims):
            yield f"{self.claims.summary()}."
        yield from self.notes
        if not self.made:
            yield sentence(path for path, _ in self.outputs)
            return
        did = "; ".join(f"{verb} {_listed(names)}" for verb, names in self.made.items())
        kept = f"{self.reused} reused" if self.reused else "nothing reused"
        yield f"{did[0].upper()}{did[1:]}; {kept}. {self.seconds:.1f} s"

    def differences(self) -> Iterator[str]:
        """Say what moved, against what, and how to see the rest of a long list."""
        told, all_of_it = list(self.moved.lines(MOST_MOVED)), list(self.moved.lines())
        yield f"Against {self.against}:"
        yield from told
        if told != all_of_it and self.told_by:
            yield f"All of it: {self.told_by}"

    @property
    def replaced(self) -> list[str]:
        """The experiments whose result is another than the one that came with the project."""
        return [stem for stem, way in self.compared.items() if way == "moved"]

    def comparison(self) -> str:
        """Say how the results compare with those that came with the project."""
        ways, moved = list(self.compared.values()), self.replaced
        same, close = len(ways) - len(moved), ways.count("close")
        sentence = f"{same} of {plural(len(ways), 'result')} equal the committed ones"
        if close:
            sentence += f", {close} of them within {TOLERANCE:g} rather than byte for byte"
        elif same:
            sentence += ", byte for byte"
        return f"{sentence}; replaced: {', '.join(moved)}." if moved else f"{sentence}."


def _listed(names: list[str]) -> str:
    return (
        ", ".join(sorted(names, key=str.lower)) if len(names) <= NAMED else f"{len(names)} figures"
    )


def called() -> str:
    """Say how the generator that runs is called from where the user stands."""
    script = Path(sys.executable).parent / "report"
    found = shutil.which("report")
    if found and Path(found).resolve() == script.resolve():
        return "report"
    return shown(script) if script.is_file() else f"{shown(sys.executable)} -m report"
