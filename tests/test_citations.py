"""The article and its sources as citations, read back by libraries that others wrote."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares import LatexDecodingMiddleware, RemoveEnclosingMiddleware

from report.companions import citations
from tests.conftest import Tiny
from tests.finished import Finished
from tests.lesson import bound, lay

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the library's own making
    import citeproc
    from citeproc import (
        Citation,
        CitationItem,
        CitationStylesBibliography,
        CitationStylesStyle,
        formatter,
    )
    from citeproc.source.json import CiteProcJSON


def _known(names: str) -> set[str]:
    """Read from CSL's own schema, which the library carries, what it knows of."""
    schema = Path(citeproc.__file__).parent / "data" / "schema" / "schemas" / "styles"
    return set(re.findall(r'"([A-Za-z_-]+)"', (schema / f"csl-{names}.rnc").read_text("utf-8")))


def _bibtex(text: str) -> dict[str, dict[str, str]]:
    stack = [RemoveEnclosingMiddleware(allow_inplace_modification=True)]
    library = parse_string(text, parse_stack=stack)
    assert library.failed_blocks == []
    return {
        entry.key: {"kind": entry.entry_type} | {f.key: f.value for f in entry.fields}
        for entry in library.entries
    }


def _decoded(text: str) -> str:
    entry = f"@misc{{x, title = {{{text}}}}}"
    library = parse_string(entry, append_middleware=[LatexDecodingMiddleware()])
    return str(library.entries[0]["title"])


def test_bibtex_reads_back_as_the_records_it_was_written_from(tiny: Tiny) -> None:
    article, _ = bound(lay(tiny))
    found = _bibtex(citations.bibtex(article))

    assert list(found) == ["throws", "knuth1997", "pascal1654", "team2024"]
    assert found["throws"] == {
        "kind": "misc", "author": "{Nobody}", "title": "{Throws of a die}", "year": "2026",
        "date": "2026-01-02", "version": "1.0", "note": "CC0", "abstract": "A small article about dice.",
    }  # fmt: skip
    assert found["pascal1654"] == {
        "kind": "misc", "author": "{Pascal} and others", "title": "{Letters}", "year": "1654",
        "eprint": "1654.00001v2", "archiveprefix": "arXiv", "doi": "10.48550/arXiv.1654.00001",
        "url": "https://arxiv.org/abs/1654.00001v2", "note": "Cited for: the question",
    }  # fmt: skip
    assert found["knuth1997"]["author"] == "{Knuth} and {Plass}"
    assert found["knuth1997"]["url"] == "https://example.org/a_b/c%20d"


def test_signs_that_tex_obeys_are_escaped(tiny: Tiny) -> None:
    article, _ = bound(lay(tiny))
    found = _bibtex(citations.bibtex(article))

    assert _decoded(found["knuth1997"]["title"]) == "What is <random> & {why}?"
    assert found["knuth1997"]["note"] == r"ch. 2. Cited for: the root of 5\%"
    assert found["team2024"]["author"] == r"{Über\_Team}"


def test_csl_holds_only_what_csl_knows(tiny: Tiny) -> None:
    article, _ = bound(lay(tiny))

    _check(json.loads(citations.csl(article)))


def test_a_bibliography_can_be_set_from_it(tiny: Tiny) -> None:
    article, _ = bound(lay(tiny))
    told = _set(json.loads(citations.csl(article)))

    assert told[0] == "Nobody (2026) Throws of a die."
    assert told[1].startswith("Knuth and Plass (1997) What is <random> & {why}?")
    assert told[2].startswith("Pascal et al. (1654)")


@pytest.mark.slow
def test_the_citations_of_this_article_are_those_of_its_page(finished: Finished) -> None:
    page = finished.page.read_text("utf-8")
    items = json.loads(finished.beside[".csl.json"].read_text("utf-8"))
    entries = _bibtex(finished.beside[".bib"].read_text("utf-8"))

    _check(items)
    assert [item["id"] for item in items] == list(entries)
    assert page.count('<li id="source-') == len(items) - 1
    assert [item["id"] for item in items[1:] if f'id="source-{item["id"]}"' not in page] == []
    own = next(iter(entries))
    assert f"@{entries[own]['kind']}{{{own}," in page
    assert len(_set(items)) == len(items)


def _check(items: list[dict[str, Any]]) -> None:
    """Hold items against the schema of CSL-JSON."""
    for item in items:
        assert {"id", "type", "title", "author", "issued"} <= item.keys()
        assert item["type"] in _known("types")
        assert item.keys() - {"id", "type"} <= _known("variables")
        texts = item.keys() - {"author", "issued"}
        assert [name for name in texts if not (isinstance(item[name], str) and item[name])] == []
        assert [name.keys() for name in item["author"]] == [{"literal"}] * len(item["author"])
        [[year, *rest]] = item["issued"]["date-parts"]
        assert year > 1600
        assert len(rest) in (0, 2)


def _set(items: list[dict[str, Any]]) -> list[str]:
    """Set a bibliography in the style that comes with the library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it knows fewer fields than CSL has
        warnings.simplefilter("ignore", DeprecationWarning)
        source = CiteProcJSON(items)
        style = CitationStylesStyle("harvard-cite-them-right", validate=False)
        bibliography = CitationStylesBibliography(style, source, formatter.plain)
        for item in items:
            bibliography.register(Citation([CitationItem(item["id"])]))
        return [str(entry) for entry in bibliography.bibliography()]


def test_the_same_article_gives_the_same_citations(tiny: Tiny, tmp_path: Path) -> None:
    article, _ = bound(lay(tiny))
    again, _ = bound(tiny.copy(tmp_path / "elsewhere"), seed=12)

    assert citations.csl(article) == citations.csl(again)
    assert citations.bibtex(article) == citations.bibtex(again)
