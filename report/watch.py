"""Watches a project: builds what an edit makes stale, in processes that stay warm, and shows it."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

import click

from report import worker
from report.build import build, shelf_for
from report.crew import HEARING, Crew
from report.edits import Restless, Sight, edits, sight
from report.errors import RERUN, Mistake, answered
from report.glance import shown
from report.progress import teller
from report.project import Project, open_project, read_settings
from report.served import Board, Server
from report.stages import Request, page_of
from report.summary import Summary

if TYPE_CHECKING:
    from report.pdf.document import Paper

AGED: Final = "the generator itself was edited, and this watch runs it as it was"
RESTLESS: Final = (
    "changes with every build, so it is not built for alone any more; keep it outside the project, or"
    " where no experiment reads it."
)


class Kept:
    """A crew whose processes stay when a build is done, warm for the next one.

    The article has a `setter` of its own: whoever set it last knows most of it already.
    """

    def __init__(self, crew: Crew, setter: Crew) -> None:
        self._crew, self._setter = crew, setter

    def start(self, limit: float | None, task: Callable[..., Any], *args: Any) -> Future[Any]:
        """Hand a task to whoever does it."""
        sets = task in (worker.ready, worker.page, worker.told, worker.paper)
        return (self._setter if sets else self._crew).start(limit, task, *args)

    def stop(self, *, now: bool = False) -> None:
        """End the processes only where they must not go on."""
        if now:
            self._crew.stop(now=True)
            self._setter.stop(now=True)


@dataclass
class Watch:
    """Builds one project again and again: the page after each edit, the PDF when asked."""

    root: Path
    overrides: Mapping[str, Any]
    paper: Paper
    crew: Crew
    board: Board = field(default_factory=Board)
    wishes: SimpleQueue[Future[bytes] | None] = field(default_factory=SimpleQueue)
    seen: Sight | None = None  # at the last build
    made: Path | None = None  # the page of the last build, where it came to one
    restless: Restless = field(default_factory=Restless)

    def run(self, port: int) -> None:
        """Serve, look and build until someone ends it."""
        self._show_the_last_one()
        ended = threading.Event()
        server = Server(self.board, self.ask, port)
        listener = threading.Thread(target=self._listen, args=(ended,), daemon=True)
        listener.start()
        try:
            click.echo(f"The page is at {server.address} and follows your edits; Ctrl-C ends it.")
            while True:
                self.serve_next()
        finally:
            ended.set()
            self.crew.stop(now=True)
            server.server_close()
            listener.join(HEARING)

    def _listen(self, ended: threading.Event) -> None:
        for _ in edits(self.root, ended, self._named):
            self.wishes.put(None)

    def _named(self) -> frozenset[str]:
        return self.seen.named if self.seen else frozenset()

    def ask(self) -> bytes:
        """Ask for the PDF from another thread, and wait for it; raise Mistake where it cannot be had."""
        wish: Future[bytes] = Future()
        self.wishes.put(wish)
        return wish.result()

    def serve_next(self) -> None:
        """Wait a little for the next wish, and see to it: all builds run here, one after the other."""
        try:
            wish = self.wishes.get(timeout=HEARING)
        except Empty:
            return
        if wish is None:
            self.look()
        else:
            self._give_paper(wish)

    def look(self) -> bool:
        """Build the page if anything was edited since the last build began, and tell whether it was.

        A page that was removed, as with all of `build/`, is made again.
        """
        seen, before = sight(Project(self.root)), self.seen
        if seen == before and not (self.made and not self.made.exists()):
            return False
        if self.restless.alone(before, seen):
            return False
        if before and seen.lasting != before.lasting:
            self.crew.stop(now=True)
        if before and seen.generator != before.generator:
            mistake = Mistake(AGED, then="end it with Ctrl-C and start it again")
            self._tell(str(mistake))
            return False
        self.seen, self.made = seen, None
        try:
            summary = self._build(None)
        except Mistake as mistake:
            mistake.then = mistake.then.replace(RERUN, "save")
            self._tell(str(mistake))
        except OSError as error:
            self._tell(str(answered(error)))
            self.seen = None  # what went away meanwhile is made again at the next look
        except Exception:  # a fault of the generator must not end the watch
            self._tell(traceback.format_exc())
        else:
            self.made = summary.outputs[0][0]
            with suppress(FileNotFoundError):  # it was removed already, and is made again
                self._tell("", self.made)
                if summary.made or not before:
                    click.echo("\n".join(summary.lines()))
        for path in self.restless.after(seen):
            click.echo(f"{shown(path)} {RESTLESS}")
        return True

    def _build(self, paper: Paper | None) -> Summary:
        tell = teller(quiet=False)
        if paper is None:
            tell.shows = self.board.put  # before its file is there
        try:
            return build(self._request(paper), self.crew, tell)
        finally:
            tell.close()

    def _request(self, paper: Paper | None) -> Request:
        project = open_project(self.root)
        return Request(project, read_settings(project, self.overrides), paper=paper)

    def _give_paper(self, wish: Future[bytes]) -> None:
        try:
            made, _ = self._build(self.paper).outputs[1]
            data = made.read_bytes()
        except (Mistake, OSError) as error:
            mistake = error if isinstance(error, Mistake) else answered(error)
            mistake.then = mistake.then.replace(RERUN, "ask for the PDF again")
            click.echo(f"Error: {mistake}", err=True)
            wish.set_exception(mistake)
        except Exception as error:
            click.echo(traceback.format_exc(), err=True)
            wish.set_exception(Mistake(f"the PDF could not be set: {error!r}", then="try again"))
        else:
            click.echo(f"{shown(made)}")
            wish.set_result(data)

    def _tell(self, fault: str, page: Path | None = None) -> None:
        """Say on the page and in the terminal what is wrong, or that nothing is any more."""
        if fault:
            click.echo(f"Error: {fault}", err=True)
        elif self.board.state.fault:
            click.echo("Mended.")
        self.board.show(fault, page)

    def _show_the_last_one(self) -> None:
        """Show the page of an earlier build until there is a newer one."""
        shelf = shelf_for(self._request(None))
        entry = shelf.entry("page")
        if entry and shelf.is_whole("page"):
            self.board.show("", shelf.place.path(page_of(entry)))
