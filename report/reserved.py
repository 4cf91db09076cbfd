"""The names that are the generator's own, read from where they are owned: nothing else bears one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from report.article import ANSWERS, APPENDICES, Given
from report.binding import Bound
from report.glance import SWEPT
from report.moved import READING
from report.pdf.attachments import PARAMETERS, VERSIONS
from report.project import BUILD_SECTION, OF_SEEDS, Project, Settings, check_names
from report.sandbox import Sandbox, is_free
from report.since import ANCHOR, SINCE


def check(project: Project, settings: Settings) -> None:
    """Refuse an experiment, or a section that several share, whose name is taken."""
    check_names(project, _taken(project.stems))
    shared = settings.sections.keys() - {*project.stems, BUILD_SECTION}
    for name, bearer in sorted(_in_texts(shared).items()):
        what = f"'{name}' is also the name of {bearer}"
        raise settings.mistake(what, name, then="give the section another name")


def _taken(stems: Iterable[str]) -> dict[str, str]:
    """Tell for each taken name what bears it."""
    return {
        **_in_texts(stems),
        **{
            anchor: f"the part #{anchor} of every report"
            for anchor in (ANSWERS, *APPENDICES, ANCHOR)
        },
        **{Path(n).stem: f"the PDF's own {n}" for n in (PARAMETERS, VERSIONS, READING, SINCE)},
        Path(SWEPT).stem: f"the record figures/{SWEPT}",
        **OF_SEEDS,
    }


def _in_texts(names: Iterable[str]) -> dict[str, str]:
    """Pick the names that a text uses otherwise already."""
    own = {*(field.name for field in fields(Given)), *Bound().helpers, *Sandbox().globals}
    return {
        name: "something else in every text" for name in names if name in own or not is_free(name)
    }
