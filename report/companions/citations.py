"""The article and what it cites, as BibTeX and as CSL-JSON, which Zotero reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from report.article import Article, Meta
from report.sources import Source

OTHERS: Final = " et al."
_BETWEEN = re.compile(r",? and |, ")
_SPECIAL: Final = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}  # fmt: skip


@dataclass(frozen=True)
class Work:
    """One work to cite. Authors are names as they are printed: nobody says which part is a surname."""

    key: str
    kind: str  # as CSL names it
    authors: Sequence[str]
    others: bool  # more authors than are named
    issued: str
    title: str
    url: str = ""
    arxiv: str = ""
    version: str = ""
    abstract: str = ""
    language: str = ""
    note: str = ""

    @property
    def year(self) -> str:
        """The year without the letter that tells works of one year apart."""
        found = re.match(r"\d{4}", self.issued)
        return found[0] if found else self.issued

    @property
    def doi(self) -> str:
        """The identifier that arXiv registers for each of its works, whatever its version."""
        return f"10.48550/arXiv.{re.sub(r'v[0-9]+$', '', self.arxiv)}" if self.arxiv else ""


def works(article: Article) -> list[Work]:
    """List the article, then what it cites."""
    return [_own(article.meta), *map(_cited, article.cited)]


def bibtex(article: Article) -> str:
    """Write all of them as BibTeX."""
    return "\n".join(map(_entry, works(article)))


def csl(article: Article) -> str:
    """Write all of them as CSL-JSON."""
    return json.dumps(list(map(_item, works(article))), ensure_ascii=False, indent=1) + "\n"


def _own(meta: Meta) -> Work:
    return Work(
        meta.slug, "report", [meta.author], False, meta.published, meta.title, meta.site,
        version=meta.version, abstract=meta.description, language=meta.language, note=meta.license,
    )  # fmt: skip


def _cited(source: Source) -> Work:
    told = (source.venue, source.code, source.where, f"Cited for: {source.supports}")
    return Work(
        source.key, "article" if source.arxiv else "webpage" if source.url else "document",
        _BETWEEN.split(source.authors.removesuffix(OTHERS)), source.authors.endswith(OTHERS),
        source.year, source.title, source.link, source.arxiv, note=". ".join(filter(None, told)),
    )  # fmt: skip


def _entry(work: Work) -> str:
    """Write one entry; names and titles keep their letters as they are."""
    names = [f"{{{_tex(name)}}}" for name in work.authors] + ["others"] * work.others
    fields = {
        "author": " and ".join(names),
        "title": f"{{{_tex(work.title)}}}",
        "year": _tex(work.year),
        "date": work.issued if re.fullmatch(r"\d{4}-\d\d-\d\d", work.issued) else "",
        "version": _tex(work.version),
        "eprint": work.arxiv,
        "archiveprefix": "arXiv" if work.arxiv else "",
        "doi": work.doi,
        "url": quote(work.url, safe="%/:=&?~#+!$,;'@()*[]"),
        "note": _tex(work.note),
        "abstract": _tex(work.abstract),
    }
    kind = "online" if work.kind == "report" and work.url else "misc"
    lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{kind}{{{work.key},\n{''.join(lines)}}}\n"


def _tex(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _item(work: Work) -> dict[str, Any]:
    """Write one item; what is empty is left out."""
    told = {
        "id": work.key,
        "type": work.kind,
        "title": work.title,
        "author": list(_names(work)),
        "issued": _date(work),
        "URL": work.url,
        "DOI": work.doi,
        "number": f"arXiv:{work.arxiv}" if work.arxiv else "",
        "publisher": "arXiv" if work.arxiv else "",
        "version": work.version,
        "language": work.language,
        "abstract": work.abstract,
        "note": work.note,
    }
    return {name: value for name, value in told.items() if value}


def _names(work: Work) -> Iterator[dict[str, str]]:
    """Write the names; CSL has no word for authors that are not named, so the last one carries it."""
    *first, last = work.authors
    yield from ({"literal": name} for name in first)
    yield {"literal": last + OTHERS * work.others}


def _date(work: Work) -> dict[str, Any]:
    parts = re.match(r"(\d{4})(?:-(\d\d)-(\d\d))?", work.issued)
    if not parts:
        return {"literal": work.issued}
    return {"date-parts": [[int(part) for part in parts.groups() if part]]}
