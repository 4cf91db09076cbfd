"""The benchmark says what it measured: its clock, its table, the smaller project, the flat script."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

from report import experiment, parameters
from report.article import Article, Origin, World, compose
from report.claims import Ledger, judge
from report.project import open_project, read_settings
from report.results import loads
from report.summary import Summary
from tests.bench import __main__ as bench
from tests.bench import clock
from tests.bench.clock import Cost
from tests.bench.cut import article, cut, named

ROOT = Path(__file__).parents[1]
FLAT = ROOT / "tests" / "bench" / "flat.py"
TEXT = """\
+++
title = "T"
+++
{% macro m(x) %}{{ x }}{% endmacro %}
{% set near = there.at %}
{% set far = gone.at %}

The opening needs {{ there.x }}.

## Kept {#kept}

A walk that is gone, not `gone`.[^one] See [Dropped](#dropped) and [](#there).[^two]

[^one]: Said of {{ gone.x }}.

[^two]: Said of {{ near.x }}.

::: figure there
Here

it is.
:::

### Empty {#empty}

This needs {% if far.x > 1 %}what is gone{% endif %}.[^three]

[^three]: No one calls this now.

::: takeaway
So it is.
:::

## Dropped {#dropped}

Nothing of this.
"""


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smaller project the benchmark builds."""
    folder = tmp_path_factory.mktemp("bench") / "four"
    cut(ROOT, folder, bench.FOUR, bench.SECTIONS)
    return folder


@pytest.fixture(scope="module")
def loaded() -> list[experiment.Experiment]:
    """The four experiments."""
    return [experiment.load(open_project(ROOT), stem) for stem in sorted(bench.FOUR)]


@pytest.fixture(scope="module")
def composed(four: Path, loaded: list[experiment.Experiment]) -> Article:
    """The smaller article, bound to the results that came with the whole project."""
    project = open_project(four)
    results = {
        each.stem: loads(each.stem, each.path.with_suffix(".json").read_text("utf-8"))
        for each in loaded
    }
    said = {each.stem: experiment.describe(project, each, results[each.stem]) for each in loaded}
    claims = [claim for each in loaded for claim in judge(each, results[each.stem])]
    origin = Origin({}, "make report")
    settings = read_settings(project, {})
    return compose(World(project, settings, results, said, origin, Ledger(tuple(claims))))


# The smaller project


def test_what_needs_a_missing_result_is_cut_with_its_notes_links_and_heading() -> None:
    text = article(TEXT, {"gone"}, {"kept"})

    assert text.split("\n\n") == [
        '+++\ntitle = "T"\n+++',
        "{% macro m(x) %}{{ x }}{% endmacro %}\n{% set near = there.at %}",
        "The opening needs {{ there.x }}.",
        "## Kept {#kept}",
        "A walk that is gone, not `gone`. See Dropped and [](#there).[^two]",
        "[^two]: Said of {{ near.x }}.",
        "::: figure there\nHere",
        "it is.\n:::",
        "::: takeaway\nSo it is.\n:::\n",
    ]


def test_a_table_keeps_what_stands_before_its_sections() -> None:
    toml = "seed = 1\n[a]\nx = 1\n[b.facts]  # why\ny = 2\n[c]\n"

    assert named(toml, {"b"}.__contains__) == "seed = 1\n[b.facts]  # why\ny = 2\n"


def test_the_smaller_project_is_one_the_generator_takes(
    four: Path, composed: Article, loaded: list[experiment.Experiment]
) -> None:
    project = open_project(four)
    settings = read_settings(project, {})
    parameters.check_sections(settings, loaded)
    for each in loaded:
        parameters.check_parameters(each, settings)

    assert project.stems == sorted(bench.FOUR)
    assert composed.stems == list(bench.FOUR)


# The flat script


def test_the_flat_script_uses_nothing_of_the_generator() -> None:
    tree = ast.parse(FLAT.read_text("utf-8"))
    names = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else map(_name, node.names))
    }
    ours = {"report", "tests", *(path.stem for path in (ROOT / "figures").glob("*.py"))}

    assert {str(name).partition(".")[0] for name in names} & ours == set()


def _name(alias: ast.alias) -> str:
    return alias.name


def test_the_flat_text_is_about_as_long_as_the_articles(composed: Article) -> None:
    [written] = re.findall(r'^TEXT = r"""(.+?)"""', FLAT.read_text("utf-8"), re.DOTALL | re.M)
    text = re.sub(r"\{%.*?%\}|<[^>]+>|\$+[^$]+\$+|\|", " ", written)
    words = len(re.findall(r"\w[\w'’.,-]*", re.sub(r"\{\{.*?\}\}", " number ", text)))

    assert words == pytest.approx(composed.words, rel=0.1)


@pytest.mark.slow  # twenty seconds: both compute, draw and print
def test_the_flat_script_makes_the_same_kind_of_report(four: Path, tmp_path: Path) -> None:
    variables = bench.surroundings(tmp_path / "cache")
    cost = clock.run([sys.executable, str(FLAT), str(four), str(tmp_path)], ROOT, variables)
    bench.build(four, "--quiet")
    reader = PdfReader(tmp_path / "flat.pdf")
    [built] = (four / "build").glob("*.pdf")
    page = (tmp_path / "flat.html").read_text("utf-8")

    assert cost.said == ""  # matplotlib would say that it found no font
    assert "/StructTreeRoot" in reader.root_object
    assert "results.json" in reader.attachments
    assert [f'id="{stem}"' in page for stem in bench.FOUR] == [True] * 4
    assert page.count("<math") == 3
    printed = "".join(each.extract_text() for each in reader.pages)
    assert "takes the width out" in printed
    assert _words(reader) == pytest.approx(_words(PdfReader(built)), rel=0.05)


def _words(printed: PdfReader) -> int:
    return sum(len(page.extract_text().split()) for page in printed.pages)


# The clock and the table


def test_the_memory_of_a_command_is_that_of_its_largest_process() -> None:
    inner = "x = bytearray(80_000_000)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    # measured from a small process, as the bench does: one that is started counts who started it
    measure = (
        "import pathlib, sys; from tests.bench import clock; "
        f"print(clock.run([sys.executable, '-c', {outer!r}], pathlib.Path()).peak)"
    )
    ran = subprocess.run([sys.executable, "-c", measure], cwd=ROOT, check=True, capture_output=True)

    assert 76 < float(ran.stdout) < 120


def test_a_command_that_fails_is_named_with_what_it_said() -> None:
    with pytest.raises(RuntimeError, match=r"ended with 3:\nbecause"):
        clock.run([sys.executable, "-c", "print('because'); raise SystemExit(3)"], ROOT)


def test_a_ratio_is_the_median_of_pairs() -> None:
    slow, fast = (Cost(wall, 8, 0, "") for wall in (2, 8, 30)), (1, 2, 3)
    pairs = list(slow), [Cost(wall, 4, 0, "") for wall in fast]

    assert clock.ratio(*pairs) == 4
    assert clock.ratio(*pairs, "cpu") == 2
    assert clock.middle(pairs[0]) == 8


def test_what_a_build_did_is_read_from_what_it_says() -> None:
    summary = Summary(reused=3)
    for verb, name in (("measured", "roll"), ("measured", "faces"), ("set", "page")):
        summary.did(verb, name)

    assert bench.made("\n".join(summary.lines())) == {"measured": "faces, roll", "set": "page"}
    assert bench.made("Nothing to do: build/a.pdf is up to date.\n") == {}


def test_a_row_keeps_to_the_columns() -> None:
    row = bench.Row("work", "at most 1 s", "2 s", ok=False)

    assert str(row).split() == ["work", "at", "most", "1", "s", "2", "s", "NO"]
    assert str(row).index("2 s") == bench.line("", "", "2 s", "").index("2 s")
