"""Truths the prose leans on: what an experiment claims, whether the stored result bears it, and the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from report.errors import Mistake
from report.experiment import Experiment
from report.numbers import Printer
from report.results import nearest


@dataclass(frozen=True)
class Claim:
    """One truth an article may lean on, judged against a stored result."""

    stem: str
    name: str
    sentence: str  # what is claimed, numbers printed
    holds: bool
    evidence: str  # the numbers it rests on, printed

    @property
    def path(self) -> str:
        """The name it is called by in the text: `stem.name`."""
        return f"{self.stem}.{self.name}"


def judge(experiment: Experiment, result: Any) -> list[Claim]:
    """Ask an experiment what it claims of a stored result; one that claims nothing gives an empty list."""
    file = f"figures/{experiment.path.name}"
    if not hasattr(experiment.module, "claims"):
        return []
    stated = [
        _claim(experiment.stem, each, file)
        for each in experiment.function("claims")(result, Printer())
    ]
    names = [claim.name for claim in stated]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Mistake(f"states the claim '{twice.pop()}' twice", file=file)
    return stated


def _claim(stem: str, stated: Mapping[str, Any], file: str) -> Claim:
    name = str(stated.get("name", ""))
    if set(stated) != {"name", "sentence", "holds", "evidence"} or not re.fullmatch(
        r"[a-z]\w*", name
    ):
        raise Mistake(
            f"a claim ({name or 'without a name'}) states a name, a sentence, whether it holds, and evidence",
            file=file,
        )
    if not isinstance(stated["holds"], bool):
        raise Mistake(
            f"the claim '{name}' holds {stated['holds']!r}, which is neither true nor false",
            file=file,
        )
    return Claim(stem, name, str(stated["sentence"]), stated["holds"], str(stated["evidence"]))


@dataclass(frozen=True)
class Ledger:
    """All claims of a report, found by their path."""

    claims: tuple[Claim, ...] = ()

    @classmethod
    def of(cls, judged: Iterable[Iterable[Claim]]) -> Ledger:
        """Join the claims of all experiments, in the order of their stems."""
        return cls(
            tuple(sorted((c for each in judged for c in each), key=lambda claim: claim.stem))
        )

    def __getitem__(self, path: str) -> Claim:
        for claim in self.claims:
            if claim.path == path:
                return claim
        raise KeyError(
            f"no experiment claims '{path}'{nearest(path, [c.path for c in self.claims])}"
        )

    def __len__(self) -> int:
        return len(self.claims)

    @property
    def broken(self) -> list[Claim]:
        """The claims that the present results do not bear."""
        return [claim for claim in self.claims if not claim.holds]

    def summary(self) -> str:
        """Say in one line how many hold: `37 claims hold, 1 does not: stem.name (evidence)`."""
        broken = self.broken
        holding = len(self.claims) - len(broken)
        said = f"{holding} claim{'' if holding == 1 else 's'} hold{'s' if holding == 1 else ''}"
        if not broken:
            return said
        named = ", ".join(f"{claim.path} ({claim.evidence})" for claim in broken)
        return f"{said}, {len(broken)} do{'es' if len(broken) == 1 else ''} not: {named}"
