"""Every stored number that the article prints moves in what is printed when it moves in the result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from report import experiment, page
from report.article import Article, Origin, World, compose
from report.claims import Ledger, judge
from report.errors import Mistake
from report.numbers import Printer, Quote
from report.pdf import render
from report.project import open_project, read_settings
from report.results import loads
from tests.finished import Finished

ROOT = Path(__file__).parents[1]


@cache
def _world() -> World:
    project = open_project(ROOT)
    loaded = {stem: experiment.load(project, stem) for stem in project.stems}
    stored = {s: loads(s, (project.figures / f"{s}.json").read_text("utf-8")) for s in loaded}
    words = {s: experiment.describe(project, each, stored[s]) for s, each in loaded.items()}
    ledger = Ledger.of(judge(each, stored[stem]) for stem, each in loaded.items())
    origin = Origin({"numpy": "0"}, "make report")
    return World(project, read_settings(project), stored, words, origin, ledger)


@cache
def _article() -> Article:
    return compose(_world())


def _printed_results() -> Iterator[str]:
    """The paths of stored results that the text prints."""
    paths = {quote.path for quote in _article().quotes}
    yield from sorted(path for path in paths if path.partition(".")[0] in _world().results)


def _moved(value: Any) -> Any:
    """Another number of the same kind that no precision in use rounds to the same text."""
    if isinstance(value, int):
        return value + 1
    return value * 0.61 if abs(value) > 0.001 else 0.37


def _doctored(path: str) -> World:
    """The world with one stored number moved, and nothing else."""
    stem, *keys = path.split(".")
    plain = json.loads(json.dumps(_world().results[stem]))
    at = plain
    for key in keys[:-1]:
        at = at[int(key)] if isinstance(at, list) else at[key]
    last: Any = int(keys[-1]) if isinstance(at, list) else keys[-1]
    at[last] = _moved(at[last])
    moved = loads(stem, json.dumps(plain))
    return replace(_world(), results={**_world().results, stem: moved})


def _by_path(quotes: list[Quote], path: str) -> list[str]:
    return [quote.printed for quote in quotes if quote.path == path]


@pytest.mark.slow
def test_each_printed_number_moves_with_its_result_and_moves_no_other() -> None:
    paths = list(_printed_results())
    assert len(paths) > 40

    still: list[str] = []
    for path in paths:
        try:
            article = compose(_doctored(path))
        except Mistake:  # the number is also a key to others, such as a size: its move is noticed
            continue
        before, after = _by_path(_article().quotes, path), _by_path(article.quotes, path)
        if before == after:
            still.append(path)
        others = {q.path: q.printed for q in article.quotes if q.path != path}
        known = {q.path: q.printed for q in _article().quotes}
        assert {p: known[p] for p in others if p in known} == {
            p: s for p, s in others.items() if p in known
        }
    assert still == []


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in items:
            yield from _leaves(f"{path}.{key}", each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def test_every_stored_number_is_printed_somewhere_or_known_to_be_drawn_only() -> None:
    """Text, descriptions and tables print most; what only a drawing or a claim reads is counted here."""
    world = _world()
    printed = {quote.path for quote in _article().quotes}
    for stem in world.project.stems:
        say = Printer()
        loaded = experiment.load(world.project, stem)
        experiment.describe(world.project, loaded, world.results[stem], say)
        printed |= {quote.path for quote in say.quotes}
        if hasattr(loaded.module, "claims"):
            loaded.function("claims")(world.results[stem], say)
            printed |= {quote.path for quote in say.quotes}
    stored = [
        path for stem in world.project.stems for path, _ in _leaves(stem, world.results[stem])
    ]
    unused = [path for path in stored if path not in printed]

    assert len(stored) - len(unused) > len(stored) / 4, f"unused: {unused[:20]}"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["softmax_jacobian.ratio.input"])
def test_a_moved_number_is_found_in_both_finished_outputs(path: str, finished: Finished) -> None:
    world = _doctored(path)
    article = compose(world)
    (before,), (after,) = (set(_by_path(a.quotes, path)) for a in (_article(), article))
    html = page.render(article, world, finished.drawings)
    pdf = PdfReader(BytesIO(render(article, world, finished.drawings, "a4")))
    text = " ".join(sheet.extract_text() for sheet in pdf.pages)

    shown = re.findall(rf'data-path="{re.escape(path)}"[^>]*>([^<]*)', html)
    assert set(shown) == {after} != {before}
    assert after in text
