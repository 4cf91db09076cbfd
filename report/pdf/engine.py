"""The one door to the PDF engine: it reads what it is handed and nothing else, and may not complain."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, Final

from report.errors import AGAIN, Mistake
from report.pdf.attachments import Attached
from report.pdf.standard import lacking
from report.pdf.structure import SIGN

with warnings.catch_warnings():  # a machine without fonts will do: the article brings its own
    warnings.filterwarnings("ignore", ".*Expect ugly output", UserWarning)
    from weasyprint import HTML, Attachment
    from weasyprint.layout.absolute import AbsolutePlaceholder
    from weasyprint.pdf import tags
    from weasyprint.text.fonts import FontConfiguration
    from weasyprint.urls import URLFetcher, URLFetcherResponse

SCHEME: Final = "report:"
VARIANT: Final = "pdf/a-3a"
_TYPES: Final = {"svg": "image/svg+xml", "css": "text/css", "ttf": "font/ttf"}
ARTICLE: Final = "templates/article.md"
_STYLE: Final = "style.css"
_QUOTED = re.compile(r"[“\"'`]([^”\"'`]+)[”\"'`]")
_NO_GLYPH = re.compile(r"^\.notdef glyph rendered for [^\"]*\"(.)", re.DOTALL)
_LINE = re.compile(r"\bat (\d+):\d+")

Document = Any  # WeasyPrint has no types
Files = Mapping[str, bytes]


class Fetcher(URLFetcher):  # type: ignore[misc] # WeasyPrint has no types
    """Serves files from memory and remembers every address it refused."""

    def __init__(self, files: Files) -> None:
        super().__init__(allowed_protocols=())
        self._files, self.refused = files, list[str]()

    def fetch(self, url: str, headers: Any = None) -> URLFetcherResponse:
        """Hand out a file of the build; raise ValueError for any other address."""
        del headers  # memory has none
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

    def write(self, document: Document, attached: Sequence[Attached], published: date) -> bytes:
        """Write pages as PDF, files inside; raise Mistake as `lay_out` does."""
        in_order = sorted(attached, key=lambda each: each.name)  # readers look names up by halves
        attachments = [_attachment(each, published) for each in in_order]
        with self._watched(), _signed(), warnings.catch_warnings():
            # it leaves the file of its color profile to the garbage collector
            warnings.filterwarnings("ignore", "unclosed file.*sRGB2014", ResourceWarning)
            # whoever completes it compresses it, and would have to undo and do again what is done here
            written = document.write_pdf(
                pdf_variant=VARIANT, attachments=attachments, uncompressed_pdf=True
            )
            return bytes(written)

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
            what = f"something here asks for “{url}”, and nothing outside the project is read"
            raise self._mistake(what, "remove the address")
        if seen.lines:
            raise self._complaint(seen.lines[0])

    def _complaint(self, said: str) -> Mistake:
        """Word what the engine complains of; a character may be in no font of the machine's either."""
        if found := _NO_GLYPH.search(said):
            return lacking(found[1])
        return self._mistake(f"the PDF engine complains: {said}")

    def _mistake(self, what: str, then: str = AGAIN) -> Mistake:
        """Word a fault, and name the source that holds what it speaks of, as well as can be told."""
        for piece in _QUOTED.findall(what) + sorted(what.split(), key=len, reverse=True):
            name = piece.removeprefix(SCHEME)
            found = name if name in self._files else self._holding(piece)
            if found == _STYLE:
                line = _LINE.search(what)
                return Mistake(
                    what, file="templates/print.css", line=int(line[1]) if line else None, then=then
                )
            if found:
                return Mistake(what, file=file_of(found), then=then)
            if piece in self._html:
                break
        return Mistake(what, file=ARTICLE, then=then)

    def _holding(self, piece: str) -> str:
        texts = (name for name in self._files if not name.endswith(".ttf"))
        return next((name for name in texts if piece.encode() in self._files[name]), "")


@contextmanager
def _signed() -> Iterator[None]:
    """Let each tag bear the sign of the HTML element it was made for: its number and its name.

    The name is that of `data-tag`, where an element has one.
    """
    build, numbers = tags._build_box_tree, dict[Any, int]()

    def signed(box: Any, *rest: Any) -> Iterator[Any]:
        box = box._box if isinstance(box, AbsolutePlaceholder) else box
        for tag in build(box, *rest):
            if SIGN[1:] not in tag and box.element is not None:
                number = numbers.setdefault(box.element, len(numbers))
                pseudo = "::" in box.element_tag
                name = box.element_tag if pseudo else box.element.get("data-tag", box.element_tag)
                tag[SIGN[1:]] = tags.pydyf.String(f"{number} {name}")
            yield tag

    tags._build_box_tree = signed
    try:
        yield
    finally:
        tags._build_box_tree = build


def _attachment(file: Attached, published: date) -> Any:
    """Make an attachment whose dates are the article's: nothing in a report depends on the clock."""
    day = datetime(published.year, published.month, published.day)
    return Attachment(
        string=file.text,
        name=file.name,
        description=file.description,
        relationship=file.relationship,
        created=day,
        modified=day,
    )


def file_of(name: str) -> str:
    """Name the file of the project that a file of the build comes from."""
    folder, _, file = name.removeprefix(SCHEME).rpartition("/")
    return f"figures/{file.rpartition('-')[0]}.py" if folder == "figure" else ARTICLE
