"""The names that are the generator's own, gathered from where they are owned: no experiment bears one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from report.article import ANSWERS, APPENDICES, Given
from report.binding import Bound
from report.moved import READING
from report.pdf.standard import PARAMETERS, VERSIONS
from report.project import OF_SEEDS
from report.sandbox import Sandbox, is_free
from report.sweep import RECORD

TOLD = "something else in every text"


def taken(stems: Iterable[str]) -> dict[str, str]:
    """Tell for each taken name what bears it: of all that are owned, and of stems the text has no use for."""
    given = [field.name for field in fields(Given)]
    return {
        **{stem: TOLD for stem in stems if not is_free(stem)},
        **dict.fromkeys([*given, *Bound().helpers, *Sandbox().globals], TOLD),
        **{anchor: f"the part #{anchor} of every report" for anchor in (ANSWERS, *APPENDICES)},
        **{Path(n).stem: f"the PDF's own {n}" for n in (PARAMETERS, VERSIONS, READING)},
        Path(RECORD).stem: f"the record figures/{RECORD}",
        **OF_SEEDS,
    }
