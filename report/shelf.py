"""Where made things are kept, what is remembered of them, and whether one can be used again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from report.errors import SEE_TO_IT, Mistake
from report.freshness import DOUBTED, Parts, reasons
from report.glance import file_digest, sealed, shown
from report.project import Project, Settings
from report.record import FIGURES, NAME, Entry, Place, Record, empty, read_record
from report.results import write_whole


def place_for(project: Project, settings: Settings, out: Path | None) -> Place:
    """Choose the place: an override leaves `figures/` and the usual outputs alone.

    Raises Mistake where it would lie among what is read.
    """
    if out:
        _check_apart(project, out, out / "figures" if settings.overrides else out)
    if not settings.overrides:
        return Place(project.figures, out or project.build)
    out = out or project.build / settings.name
    return Place(out / "figures", out, "-" + re.sub(r"[^\w.+-]+", "-", settings.name))


def _check_apart(project: Project, out: Path, inside: Path) -> None:
    """Refuse a folder, named as `out`, that holds what is read or lies in one that does."""
    for folder in (project.figures, project.root / "templates"):
        if inside.resolve().is_relative_to(folder):
            what = f"what is made cannot go into {folder.name}/, which holds what it is made of"
            raise Mistake(what, file=shown(out), then="name another folder with --out")


class Shelf:
    """The made things of one place, with the record of how they came about."""

    def __init__(self, place: Place, lender: Place, *, fresh: bool) -> None:
        """Take a place, and the usual one that may lend what is the same in both."""
        self.place, self.lender, self.fresh = place, lender, fresh
        self.record: Record = read_record(place.out)
        self._lent = read_record(lender.out) if lender != place else None
        self._made: set[str] = set()

    def entry(self, target: str) -> Entry | None:
        """What is remembered of a made thing."""
        return self.record["entries"].get(target)

    def hash(self, target: str, name: str) -> str:
        """The remembered hash of one file of a made thing."""
        return self.record["entries"][target]["made"][name]

    def is_whole(self, target: str) -> bool:
        """Tell whether a thing was made, and every file of it is there as it was made."""
        entry = self.entry(target)
        return entry is not None and all(
            file_digest(self.place.path(name)) == seen for name, seen in entry["made"].items()
        )

    def text(self, name: str) -> str | None:
        """Read a stored text; None if it is not there or no text."""
        try:
            return self.place.path(name).read_text("utf-8")
        except (OSError, ValueError):
            return None

    def lent(self, name: str) -> str | None:
        """Read a stored text of the usual place, where this one is another."""
        if self._lent is None:
            return None
        try:
            return self.lender.path(name).read_text("utf-8")
        except (OSError, ValueError):
            return None

    def why(self, target: str, stem: str, parts: Parts) -> list[str]:
        """Say why a thing has to be made; nothing if what is here, or in the usual place, will do."""
        if self.fresh and target not in self._made:
            return ["all is to be made anew"]
        found = _reasons(self.record, self.place, target, stem, parts)
        if found and self._lent and not _reasons(self._lent, self.lender, target, stem, parts):
            self._borrow(target, self._lent["entries"][target])
            return []
        return found

    def _borrow(self, target: str, entry: Entry) -> None:
        """Put a copy of what the usual place holds into this one."""
        self.put(
            target,
            entry["parts"],
            {name: self.lender.path(name).read_bytes() for name in entry["made"]},
            entry["seconds"],
            entry["pages"],
        )

    def only_versions_moved(self, target: str, parts: Parts) -> bool:
        """Whether what is here was made alike, if perhaps elsewhere or by other library versions.

        A result without a record came with the project: it counts as made alike.
        """
        entry = self.entry(target)
        if entry is None:
            return True
        if any(file_digest(self.place.path(name)) != seen for name, seen in entry["made"].items()):
            return False
        names = entry["parts"].keys() | parts.keys()
        changed = [name for name in names if entry["parts"].get(name) != parts.get(name)]
        return all(name.startswith("version ") for name in changed)

    def put(
        self,
        target: str,
        parts: Parts,
        files: Mapping[str, bytes],
        seconds: float,
        pages: int = 0,
    ) -> None:
        """Store a made thing and remember it; files equal to those that are there stay untouched."""
        for name, data in files.items():
            _keep(self.place.path(name), data)
        old = self.entry(target)
        made = {name: file_digest(self.place.path(name)) for name in files}
        self.record["entries"][target] = {
            "parts": parts,
            "made": made,
            "seconds": round(seconds, 3),
            "pages": pages,
        }
        self._made.add(target)
        for name, seen in (old["made"] if old else {}).items():
            if name not in made:  # it goes by another name now
                self._remove(name, seen)

    def forget(self, stems: list[str]) -> None:
        """Remove what was made of experiments that are gone, where it is as it was made.

        Committed results and pictures stay: they are their author's to remove.
        """
        for target in [*self.record["entries"]]:
            verb, _, stem = target.partition(" ")
            if verb in ("measure", "draw") and stem not in stems:
                for name, seen in self.record["entries"].pop(target)["made"].items():
                    if self.place.figures != self.lender.figures or not name.startswith(FIGURES):
                        self._remove(name, seen)

    def _remove(self, name: str, seen: str) -> None:
        """Remove a file, unless someone changed it."""
        path = self.place.path(name)
        if file_digest(path) == seen:
            path.unlink()

    def doubt(self, is_outdated: Callable[[Parts], bool]) -> None:
        """Have made again what was just made of files that are others by now, even if that is undone.

        It may show them as they were before, after or in between.
        """
        for target in self._made:
            entry = self.record["entries"].get(target)
            if entry and is_outdated(entry["parts"]):
                entry["parts"] = {DOUBTED: ""}

    def save(self) -> None:
        """Write the record: the last thing a build does; where nothing is to be remembered, none."""
        if self.record != empty():
            _keep(self.place.out / NAME, sealed(self.record))

    def sweep(self) -> None:
        """Remove what a build that was killed had not finished writing."""
        for folder in {self.place.figures, self.place.out, self.place.out / "drawings"}:
            for part in folder.glob(".*.part"):
                with suppress(OSError):  # where it cannot be removed it does no harm
                    part.unlink()


def _reasons(record: Record, place: Place, target: str, stem: str, parts: Parts) -> list[str]:
    entry = record["entries"].get(target)
    found = reasons(stem, entry["parts"] if entry else None, parts)
    for name, seen in (entry["made"] if entry else {}).items():
        path = place.path(name)
        if file_digest(path) != seen:
            found.append(f"{shown(path)} was {'changed' if path.exists() else 'removed'}")
    return found


def _keep(path: Path, data: bytes) -> None:
    """Write a file unless it holds the same already, so that its date stays."""
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    write(path, data)


def write(path: Path, data: bytes) -> None:
    """Put a file in place whole; raise Mistake where the disk does not let it."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise Mistake(
            f"this file cannot be written ({error.strerror or error})",
            file=shown(path),
            then=f"{SEE_TO_IT}, for what was there before is untouched",
        ) from None
