"""The last stage of a build, where it is asked for: what stands beside page and PDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from report import worker
from report.crew import outcome
from report.stages import PAPERS, Stage
from report.worker import DECK, NOTE, Companions

if TYPE_CHECKING:
    from report.pdf.document import Paper

NO_CARDS: Final = "The article names no question, trap or number, so there is no deck of cards."


@dataclass(frozen=True)
class Beside(Stage):
    """Writes deck, note and citations, once page and PDF are there."""

    def make(self, stems: list[str]) -> None:
        """Bring deck, note and citations up to date."""
        size, entries = self.request.paper, self.shelf.record["entries"]
        assert size, "what stands beside a PDF tells its pages"
        [(pdf, seen)] = entries[f"paper {size}"]["made"].items()
        target, parts = f"beside {size}", self.depends.companions(pdf, seen)
        if self.is_stale(target, "cards", parts):
            slug = pdf.removesuffix(f"{self.shelf.place.suffix}{PAPERS[size]}.pdf")
            given = self.text(stems), self.shelf.place.path(pdf), self._before(slug)
            running = self.crew.start(self.patience, worker.companions, *given)
            done: Companions = outcome(running, "", "writing the cards", self.patience)
            files = {self._name(slug, ending, size): data for ending, data in done.files.items()}
            self.shelf.put(target, parts, files, done.seconds)
            self.summary.did("wrote", f"{'deck, ' if DECK in done.files else ''}note and citations")
        made = self.shelf.record["entries"][target]["made"]
        if not any(name.endswith(DECK) for name in made):
            self.summary.notes.append(NO_CARDS)
        self.summary.outputs += [(self.shelf.place.path(name), 0) for name in made]

    def _name(self, slug: str, ending: str, size: Paper) -> str:
        """Name a file; only the note is another one for another paper, for it tells pages."""
        paper = PAPERS[size] if ending == NOTE else ""
        return f"{slug}{self.shelf.place.suffix}{paper}{ending}"

    def _before(self, slug: str) -> list[bytes]:
        """Read the decks that were made before, here and in the usual place."""
        places = {self.shelf.place, self.shelf.lender}
        paths = (place.path(f"{slug}{place.suffix}{DECK}") for place in places)
        return [path.read_bytes() for path in paths if path.is_file()]
