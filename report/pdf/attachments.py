"""What is attached to the PDF: the results it shows, what they were made from, and what its text tells."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from report.article import Meta, World
from report.colophon import colophon
from report.moved import READING
from report.project import BUILD_SECTION, Settings
from report.results import dumps
from report.since import SINCE

PARAMETERS, VERSIONS = "parameters.json", "versions.json"


@dataclass(frozen=True)
class Attached:
    """A file inside the PDF: what it is called, what it is, and how the text relates to it."""

    name: str
    description: str
    relationship: str  # ISO 32000-2, 7.11.3: Data or Source
    text: str


def attached(world: World, meta: Meta, told: str, since: str = "") -> list[Attached]:
    """List what is attached: results, effective parameters, versions, and what the text tells.

    `since` is what is kept of an earlier copy, if the text is told against one.
    """
    results = {stem: dumps(stem, record) for stem, record in sorted(world.results.items())}
    files = [
        Attached(f"{stem}.json", f"The numbers behind the figure {stem}", "Data", text)
        for stem, text in results.items()
    ]
    parameters = effective(world.settings)
    fingerprints = {f"{name}.json": fingerprint(text.encode()) for name, text in results.items()}
    made = colophon(world)
    fingerprints[PARAMETERS] = fingerprint(parameters.encode())
    fingerprints[READING] = fingerprint(told.encode())
    copies = []
    if since:
        fingerprints[SINCE] = fingerprint(since.encode())
        what = "What the earlier copy told, and on which pages, that this edition is compared with"
        copies.append(Attached(SINCE, what, "Source", since))
    record = {
        "article": {"title": meta.title, "version": meta.version, "published": meta.published},
        "command": made.command,
        "engines": dict(world.origin.engines),
        "fingerprints": fingerprints,
        "overrides": world.settings.overrides,
        "sources": dict(world.origin.sources),
        "versions": dict(made.versions),
    }
    return [
        *files,
        Attached(PARAMETERS, "Seed and parameters of this edition", "Source", parameters),
        Attached(
            VERSIONS,
            "What computed this edition from which sources; fingerprints (SHA-256) of its data",
            "Source",
            dumps("versions", record),
        ),
        Attached(
            READING,
            "What a reader is told: passages with their numbers, claims, figures",
            "Data",
            told,
        ),
        *copies,
    ]


def effective(settings: Settings) -> str:
    """Write the seed and parameters that numbers come from, in canonical form."""
    sections = {name: each for name, each in settings.sections.items() if name != BUILD_SECTION}
    return dumps("parameters", {"seed": settings.seed, **sections})


def fingerprint(data: bytes) -> str:
    """Hash an attachment, in full since strangers may check it with tools of their own."""
    return hashlib.sha256(data).hexdigest()
