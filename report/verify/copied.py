"""An earlier copy that a new PDF is told against: what it told its reader, and on which pages."""

from __future__ import annotations

import io
from dataclasses import asdict
from pathlib import Path
from typing import Final

import pikepdf

from report.errors import Mistake, shortened
from report.glance import shown
from report.moved import READING
from report.pdf.attachments import PARAMETERS, VERSIONS
from report.pdf.places import pages
from report.since import written
from report.verify.carried import Carried, Copy, carried_by
from report.verify.remake import UNREADABLE, unreadable, whole

THEN: Final = "name the PDF of an earlier edition of this article"


def copied(file: Path, title: str) -> str:
    """Take out of a PDF what the page about it rests on, as the file that is attached.

    Raises Mistake for what is no PDF of this generator, is damaged, or has another title.
    """
    try:
        with pikepdf.open(io.BytesIO(whole(file, THEN))) as pdf:
            carried = carried_by(pdf)
            begins = pages(pdf)
    except UNREADABLE as error:  # whatever is wrong inside a file that anyone may have made
        raise Mistake(unreadable(file, error), file=shown(file), then=THEN) from None
    if lacking := _lacking(carried, title):
        raise Mistake(lacking, file=shown(file), then=THEN)
    return written(asdict(_kept(carried, begins)))


def _lacking(carried: Carried, title: str) -> str:
    """Say why a PDF is no earlier copy; nothing if it is one."""
    needed = (VERSIONS, PARAMETERS, READING)
    for name in needed:
        if name not in carried.files:
            return f"this is no report of this generator, for it carries no {name}"
        if name in carried.damaged:
            return f"its {name} is damaged"
    if carried.made.article.title != title:
        theirs = shortened(carried.made.article.title)
        return f"this is a copy of another article, “{theirs}”"
    if not carried.told.is_current:
        return "it was made by another version of the generator, which kept other things"
    return ""


def _kept(carried: Carried, begins: dict[str, int]) -> Copy:
    """Keep of a copy its edition, what it told, and the page of each place that it told of."""
    assert carried.parameters is not None  # `_lacking` saw them
    told = {passage.section for passage in carried.told.sentences}
    kept = {name: page for name, page in sorted(begins.items()) if name in told}
    edition = carried.made.article
    seed = carried.parameters["seed"]
    sections = {name: each for name, each in carried.parameters.items() if isinstance(each, dict)}
    return Copy(seed, edition.version, edition.published, kept, carried.told, sections)
