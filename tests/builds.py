"""Builds a small project in this process, and tells what was run, said and made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from report.build import build
from report.errors import Mistake
from report.progress import Tell
from report.project import open_project, read_settings
from report.stages import Request
from report.summary import Summary
from tests.conftest import Here, Tiny

REMEMBERED = ("record.json", "glance.json", "code.json")


class Ear(Tell):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, sentence: str) -> None:
        self.heard.append(sentence)


@dataclass
class Made:
    """What one build did."""

    ran: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)

    def why(self, name: str) -> str:
        """Find the reason given for a thing."""
        return next(line for line in self.heard if line.startswith(name)).partition("as ")[2]


def make(tiny: Tiny, overrides: dict[str, Any] | None = None, **wishes: Any) -> Made:
    """Build a project in this process."""
    project = open_project(tiny.root)
    request = Request(project, read_settings(project, overrides), explain=True, **wishes)
    crew, ear = Here(), Ear()
    try:
        summary = build(request, crew, ear)
    except Mistake as mistake:
        mistake.__dict__["ran"] = sorted(crew.ran)
        raise
    return Made(sorted(crew.ran), ear.heard, summary)


def made_files(tiny: Tiny) -> dict[str, bytes]:
    """Every made file of a project but what the builds remember."""
    found = [*tiny.path("build").rglob("*"), *tiny.path("figures").glob("*.[js][sv][og]*")]
    return {
        path.relative_to(tiny.root).as_posix(): path.read_bytes()
        for path in sorted(found)
        if path.is_file() and path.name not in REMEMBERED and path.suffix != ".part"
    }
