"""Stand-ins that draw and set the article in no time, for tests that ask what is done, not how it looks."""

from __future__ import annotations

import json
import re
from typing import Any

from report import experiment, worker
from report.errors import Mistake
from report.project import Project
from report.worker import Drawn, Output, Text


def draw(project: Project, stem: str, text: str, old: str | None) -> Drawn:
    """Draw nothing but the result itself."""
    loaded = experiment.load(project, stem)
    loaded.function("draw")
    picture = f"<svg>{stem} {text}</svg>"
    layouts: dict[str, str] = {layout: f"<svg>{layout} {text}</svg>" for layout in worker.LAYOUTS}
    words = json.dumps({"alt": text}) + "\n"
    sources = experiment.sources(project)
    return Drawn(layouts, picture, old == picture, words, "[]\n", 0.0, sources)


def page(text: Text) -> Output:
    """Set the source with what it is bound to."""
    return Output(_slug(text), _article(text).encode(), 0, 0.0)


def told(text: Text) -> str:
    """Tell nothing but the source."""
    return json.dumps(_article(text))


def paper(text: Text, size: str, since: str = "") -> Output:
    """Set the same on three pages."""
    del since
    return Output(_slug(text), f"{size} {_article(text)}".encode(), 3, 0.0)


def _article(text: Text) -> str:
    source = text.project.article.read_text("utf-8")
    if "undefined" in source:
        raise Mistake("says undefined", file="templates/article.md", line=1)
    return source + "".join(text.results.values()) + "".join(text.descriptions.values())


def _slug(text: Text) -> str:
    found = re.search('slug = "(.*)"', _article(text))
    assert found
    return found[1]


STAND_INS: tuple[Any, ...] = (draw, page, told, paper)
