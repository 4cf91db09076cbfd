"""Truths the prose leans on: what an experiment claims, whether the stored result bears it, and the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from report.blame import blame
from report.errors import Mistake, unseen
from report.experiment import Experiment
from report.numbers import Printer, kind
from report.results import nearest

PARTS = {"name", "sentence", "holds", "evidence"}  # what an experiment states of a claim


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
    if not hasattr(experiment.module, "claims"):
        return []
    ask = experiment.function("claims")
    with blame(experiment.project, experiment.path, "judging its claims"):
        stated = ask(result, Printer())
    if not isinstance(stated, list | tuple):
        what = f"`claims` gives {kind(stated)}, and a list of claims is wanted"
        raise Mistake(what, file=experiment.file)
    found = [_claim(experiment, each) for each in stated]
    names = [claim.name for claim in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Mistake(f"the claim '{min(twice)}' is stated twice", file=experiment.file)
    return found


def _claim(experiment: Experiment, stated: Any) -> Claim:
    if not isinstance(stated, dict) or stated.keys() != PARTS:
        said = " and ".join(stated) if isinstance(stated, dict) else kind(stated)
        what = f"a claim states its name, sentence, holds and evidence, not {said or 'nothing'}"
        raise Mistake(what, file=experiment.file)
    name, holds = stated["name"], stated["holds"]
    if not isinstance(name, str) or not re.fullmatch(r"[a-z]\w*", name, re.ASCII):
        what = f"{name!r} cannot name a claim, for only small letters, digits and underscores can"
        raise Mistake(what, file=experiment.file)
    if not isinstance(holds, bool):
        what = f"the claim '{name}' holds {holds!r}, which is neither True nor False"
        raise Mistake(what, file=experiment.file)
    for part in ("sentence", "evidence"):
        said = stated[part]
        if not isinstance(said, str) or not said or unseen(said):
            fault = unseen(said) or f"is {kind(said)}, not a text"
            what = f"the {part} of the claim '{name}' {fault if said != '' else 'is empty'}"
            raise Mistake(what, file=experiment.file)
    return Claim(experiment.stem, name, stated["sentence"], holds, stated["evidence"])


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
