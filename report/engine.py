"""The one door to the PDF engine: it reads what it is handed and nothing else, and may not complain."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from weasyprint import HTML, Attachment
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher, URLFetcherResponse

from report.errors import Mistake
from report.pdf_standard import Attached

SCHEME: Final = "report:"
VARIANT: Final = "pdf/a-3a"
_TYPES: Final = {"svg": "image/svg+xml", "css": "text/css", "ttf": "font/ttf"}
_PICTURE: Final = "data:image/png;base64,"  # carries its own content, so nothing is fetched

Document = Any  # WeasyPrint has no types
Files = Mapping[str, bytes]


class Fetcher(URLFetcher):  # type: ignore[misc] # WeasyPrint has no types
    """Serves files from memory and remembers every address it refused."""

    def __init__(self, files: Files) -> None:
        super().__init__(allowed_protocols=())
        self._files, self.refused = files, list[str]()

    def fetch(self, url: str, headers: Any = None) -> URLFetcherResponse:
        """Hand out a file of the build; raise ValueError for any other address."""
        if url.startswith(_PICTURE):
            return super().fetch(url, headers)
        name = url.removeprefix(SCHEME)
        if name == url or name not in self._files:
            self.refused.append(url)
            raise ValueError(f"{url} is no part of the build")
        kind = _TYPES[name.rpartition(".")[2]]
        return URLFetcherResponse(url, self._files[name], {"Content-Type": kind})


class Complaints(logging.Handler):
    """Collects what the engine logs at WARNING or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one line."""
        self.lines.append(record.getMessage())


class Engine:
    """Lays out HTML and writes it as PDF, from files in memory alone."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._fetcher = Fetcher(files)
        self._fonts = FontConfiguration()
        self._html = ""
        self._cache: dict[str, Any] = {}  # drawings are read once, however often pages are made

    def read(self, html: str) -> Any:
        """Parse HTML; what it gives may be laid out, rearranged, and laid out again."""
        self._html = html
        with self._watched():
            return HTML(string=html, url_fetcher=self._fetcher)

    def lay_out(self, page: Any) -> Document:
        """Make pages; raise Mistake for whatever the engine warns of or asks for."""
        with self._watched():
            return page.render(self._fonts, pdf_variant=VARIANT, cache=self._cache)

    def write(self, document: Document, attached: Sequence[Attached], published: str) -> bytes:
        """Write pages as PDF, files inside; raise Mistake as `lay_out` does."""
        attachments = [_attachment(each, published) for each in attached]
        with self._watched():
            return bytes(document.write_pdf(pdf_variant=VARIANT, attachments=attachments))

    @contextmanager
    def _watched(self) -> Iterator[None]:
        logger, seen = logging.getLogger("weasyprint"), Complaints()
        logger.addHandler(seen)
        propagate, logger.propagate = logger.propagate, False
        try:
            yield
        finally:
            logger.propagate = propagate
            logger.removeHandler(seen)
        if self._fetcher.refused:
            url = self._fetcher.refused[0]
            what = f"asks for {url}, and nothing outside the project is read"
            raise Mistake(what, file=self._place(url), then="remove the address")
        if seen.lines:
            what = f"the PDF engine complains: {seen.lines[0]}"
            raise Mistake(what, file=self._place(seen.lines[0]))

    def _place(self, said: str) -> str:
        """Name the source that holds what the engine speaks of, as well as can be told."""
        words = re.findall(r"[^\s'\"`,;]{4,}", said)
        for word in sorted(words, key=len, reverse=True):
            for name, data in self._files.items():
                if word.encode() in data and not name.endswith(".ttf"):
                    return _source_of(name)
            if word in self._html:
                return "templates/article.md"
        return "templates/print.html"


def _attachment(file: Attached, published: str) -> Any:
    """Make an attachment whose dates are the article's: nothing in a report depends on the clock."""
    day = datetime.fromisoformat(published)
    return Attachment(
        string=file.text,
        name=file.name,
        description=file.description,
        relationship=file.relationship,
        created=day,
        modified=day,
    )


def _source_of(name: str) -> str:
    folder, _, file = name.rpartition("/")
    if folder == "figure":
        return f"figures/{file.rpartition('-')[0]}.py"
    return "templates/print.css" if name == "style.css" else "templates/article.md"
