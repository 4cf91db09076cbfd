"""Serves the finished page to browsers on this machine, and tells the open ones what is new or wrong."""

from __future__ import annotations

import json
import re
import socketserver
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape, unescape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

from report.errors import Mistake
from report.glance import digest
from report.trying import fingerprint

HERE: Final = "127.0.0.1"  # no other machine is answered
EVENTS: Final = "/events"
SIGN_OF_LIFE: Final = 15.0  # seconds after which a browser that left is noticed
WAITING: Final = (
    "<!doctype html>\n<title>Not built yet</title>\n<body><p>There is no page yet.</p></body>\n"
)

SCRIPT: Final = Path(__file__).with_name("refresh.js").read_text("utf-8")
_POLICY = re.compile(r'(?<=<meta http-equiv="Content-Security-Policy" content=")[^"]*(?=")')


@dataclass(frozen=True)
class State:
    """What a browser is to show: the page, and over it what is wrong."""

    page: str = WAITING
    name: str = ""  # of its file, without ending
    fault: str = ""

    @property
    def mark(self) -> str:
        """Tells this page from an earlier one."""
        return digest(self.page.encode())


class Board:
    """Where the watch puts what is to be shown, and every open page looks."""

    def __init__(self) -> None:
        self.state = State()
        self._moved = threading.Condition()

    def show(self, fault: str, page: Path | None = None) -> None:
        """Show what is wrong, if anything, over a new page or over the one that was there."""
        if page:
            self.put(page.stem, page.read_bytes())
        self._move(replace(self.state, fault=fault))

    def put(self, name: str, page: bytes) -> None:
        """Show a new page, by the name its file will have; what was wrong stays until it is told mended."""
        self._move(replace(self.state, page=page.decode(), name=name))

    def _move(self, state: State) -> None:
        with self._moved:
            if state != self.state:
                self.state = state
                self._moved.notify_all()

    def after(self, seen: State | None) -> State:
        """Wait a while for another state than the one that was seen."""
        with self._moved:
            self._moved.wait_for(lambda: self.state is not seen, SIGN_OF_LIFE)
            return self.state


def live(state: State) -> str:
    """Give the page as it is served: with the script that refreshes it, and leave to run it.

    The file keeps its stricter policy.
    """
    page = _POLICY.sub(lambda found: escape(_allowing(unescape(found[0])), quote=False), state.page)
    before, end, after = page.rpartition("</body>")
    return f'{before}<script data-page="{state.mark}">{SCRIPT}</script>{end}{after}'


def _allowing(policy: str) -> str:
    """Let a policy run the script, whatever else it runs, and let that ask this server."""
    rules = dict(each.strip().partition(" ")[::2] for each in policy.split(";") if each.strip())
    others = rules.get("script-src", "").replace("'none'", "")
    rules["script-src"] = f"{others} '{fingerprint(SCRIPT)}'".strip()
    rules["connect-src"] = "'self'"
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class Server(socketserver.ThreadingTCPServer):
    """Answers browsers on this machine: each in a thread that ends with the process."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, board: Board, paper: Callable[[], bytes], port: int) -> None:
        """Take what is shown, who makes the PDF when asked, and a port; 0 is any that is free."""
        self.board, self.paper = board, paper
        try:
            super().__init__((HERE, port), _Answer)
        except OSError as error:
            what = f"port {port} cannot be used ({error.strerror})"
            raise Mistake(
                what, then="choose another with --port, or PORT= of `make watch`"
            ) from None
        self.port: int = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HERE}:{self.port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let browsers go whenever they like."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Answer(BaseHTTPRequestHandler):
    """Answers one request; what is neither GET nor HEAD its base class refuses."""

    server: Server

    def do_GET(self) -> None:
        """Give the page, its events, or its PDF."""
        state, path = self.server.board.state, self.path.partition("?")[0]
        if self.headers.get("Host") not in {
            f"{name}:{self.server.port}" for name in (HERE, "localhost")
        }:  # a name that some other site had lead here
            self._give("Ask for this address by its number.", HTTPStatus.MISDIRECTED_REQUEST)
        elif path == "/":
            self._give(live(state), kind="text/html")
        elif path == EVENTS:
            self._tell()
        elif state.name and path == f"/{state.name}.pdf":
            self._give_paper()
        else:
            self._give("There is nothing here.", HTTPStatus.NOT_FOUND)

    do_HEAD = do_GET  # noqa: N815 - the name that the base class looks for

    @property
    def _is_whole(self) -> bool:
        """Whether the body is asked for as well."""
        return self.command != "HEAD"

    def _give_paper(self) -> None:
        try:
            self._give(self.server.paper(), kind="application/pdf")
        except Mistake as mistake:
            self._give(f"Error: {mistake}", HTTPStatus.CONFLICT)

    def _give(
        self, body: str | bytes, status: HTTPStatus = HTTPStatus.OK, kind: str = "text/plain"
    ) -> None:
        data = body.encode() if isinstance(body, str) else body
        self._head(status, kind if isinstance(body, bytes) else f"{kind}; charset=utf-8")
        if self._is_whole:
            self.wfile.write(data)

    def _head(self, status: HTTPStatus, kind: str) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", "frame-ancestors 'none'"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()

    def _tell(self) -> None:
        """Tell how things stand, and again whenever they move."""
        self._head(HTTPStatus.OK, "text/event-stream")
        seen = None
        while self._is_whole:
            state = self.server.board.after(seen)
            told = json.dumps({"page": state.mark, "fault": state.fault})
            self.wfile.write(b":\n\n" if state is seen else f"data: {told}\n\n".encode())
            seen = state

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal for what the build says."""
