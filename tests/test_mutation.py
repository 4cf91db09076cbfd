"""Every stored number moves what a reader is told when it moves, in the text and in both finished outputs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from report import experiment, page
from report.article import Article, Origin, World, compose
from report.claims import Ledger, judge
from report.drawing import svg
from report.errors import Mistake
from report.experiment import Experiment
from report.moved import DRAWING, PIECES, Reading
from report.numbers import Printer, Quote
from report.pdf.document import make
from report.pdf.paper import DRAWINGS
from report.project import open_project, read_settings
from report.reading import reading
from report.results import Record, loads
from report.style import Layout, read_tokens
from report.wording import differences

ZEROS = re.compile(r"\.0+(?=%|$)")
ROOT = Path(__file__).parents[1]

TINY = 0.001  # what is below may be printed as `<0.0001`, and moves far, to be seen

# Whole numbers that no other number is found by, and no list is as long as
COUNTS = re.compile(
    r".*\.(trials|rows|misses|outside|promised|steps|seeds|test_rows|batch|law_trials|inputs|noise)"
)

# Numbers by which others are found, lists are as long as, or levels are drawn: they move alone only
FOUND_BY = re.compile(
    r".*\.(d_k|keys(\.\d+)?|sizes\.\d+|lengths\.\d+|smallest|largest|fewest|most|shortest|longest"
    r"|drawn|base|head|width|top_key|largest_key|last_step|repeats|law_size|course\.steps\.\d+"
    r"|typical_below_from\.\d+|deviations\.\d+\.theory_sd)"
)

# Numbers that are told in a drawing alone: points of lines, ends of bands and bars, what a label says
DRAWN = (
    r"broken_assumptions\.(laws\.\w+\.ratios|lines\.\d+\.curve\.(d_k|sd))\.\d+",
    r"causal_chain\.\w+\.curve\.(density|x)\.\d+",
    r"correlated_keys\.strong\.at\.\d+\.(sqrt|dk)\.(match|rival)\.theory_sd",
    r"gradient_path\.at\.16\.\d+\.\w+\.(input|score)\.(low|high)",
    r"score_spread\.at\.\d+\.(sqrt|dk)\.theory_sd",
    r"sequence_length\.(strong|weak)\.(at\.\d+\.\w+\.(low|high)|curve\.(n|fixed|log)\.\d+)",
    r"softmax_jacobian\.(raw|sqrt)\.divisor",
    r"softmax_weights\.sqrt\.divisor",
    r"training\.(at\.\d+\.\w+\.curve\.\d+\.(low|high)|control\.best_possible)",
    r"typical_rows\.histogram\.lowest",
)

# Numbers that are stored for whoever takes the data, or for claims to judge: a reader is told of another
UNUSED = (
    r"broken_assumptions\.laws\.\w+\.(error|outside)",  # the reach of a bar, and all that are outside
    r"correlated_keys\.(band\.(low|high)|.*\.divisor)",  # the middle of the rows, the name of a scaling
    r"correlated_keys\.(weak\.at\.\d+\.\w+|strong\.at\.\d+\.(raw|mup))\.\w+\.theory_sd",  # that of others
    r"correlated_keys\.weak\.(limit\..*|signal_is_noise_at)",  # those of the strong match
    r"(correlated_keys|gradient_path|sequence_length)\..*\.error",  # the largest of all
    r"folded_scale\.\w+\.(first|rate|\w+\.(apart|unchanged))",  # that they are no more than rounding
    r"gradient_path\.(.*\.rms|at\.4\..*\.(input|score)\.(low|high))",  # means and medians
    r"half_precision\.(smallest|largest_half|smallest_half|.*\.top_half)",  # what overflows and remains
    r"initializers\.(root|.*\.(heads|variance|theory_variance))",  # the spread, which is its root
    r"initializers\.layers\.t5\.0\.by_model_width",  # that T5 does not divide
    r"saturation\.(.*\.squares\.\w+|theory\..*)",  # those of the longest rows
    r"score_spread\..*\.(mean|variance|ratio|trials)",  # the standard deviation, the trials of all
    r"score_spread\.(smallest|largest)\.(deviation|kurtosis|interval\..*)",  # the same under its size
    r"sequence_length\.(band\.\w+|alone\..*|.*\.median)",  # means, and the middle of the rows
    r"softmax_jacobian\.(\w+\.weights\..*|dk\.(divisor|trace|largest_key|largest_eigenvalue))",  # its largest
    r"softmax_weights\.((raw|dk)\.divisor|row\.(lowest|mean|runner_up_gap))",  # the root mean square
    r"stuck_rows\.(course\.(rate|dk\.last)|squared\.most)",  # the rate and the share of each width
    r"training\.(.*\.seeds\.\d+|control\..*\.(low|high))",  # their means
    r"training\.(drift\.theory|longer\.raw\.(low|high|rate))",  # what was measured, its mean
)


@cache
def _experiments() -> dict[str, Experiment]:
    project = open_project(ROOT)
    return {stem: experiment.load(project, stem) for stem in project.stems}


@cache
def _world() -> World:
    project = open_project(ROOT)
    stored = {
        stem: loads(stem, (project.figures / f"{stem}.json").read_text("utf-8"))
        for stem in project.stems
    }
    return _told(World(project, read_settings(project), stored, {}, Origin({}, "make report")))


def _told(world: World) -> World:
    """The same results, described and judged anew."""
    results, loaded = world.results, _experiments()
    words = {s: experiment.describe(world.project, loaded[s], results[s]) for s in loaded}
    ledger = Ledger.of(judge(each, results[stem]) for stem, each in loaded.items())
    return replace(world, descriptions=words, ledger=ledger)


@cache
def _article() -> Article:
    return compose(_world())


# -- stored numbers, and others in their place --------------------------------------------------------


def _moved(value: Any) -> Any:
    """Another number of the same kind, sign and length that no precision in use prints alike."""
    if isinstance(value, int):
        return value + 1
    digits = len(Decimal(repr(value)).normalize().as_tuple().digits)  # labels have room for so many
    return float(f"{0.43 * value:.{digits}g}") if abs(value) >= TINY else math.copysign(0.02, value)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in items:
            yield from _leaves(f"{path}.{key}", each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _doctored(stem: str, change: Callable[[str, Any], Any]) -> Record:
    """A stored result with each number replaced by what `change` makes of its path and value."""

    def walk(path: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(f"{path}.{key}", each) for key, each in value.items()}
        if isinstance(value, list):
            return [walk(f"{path}.{index}", each) for index, each in enumerate(value)]
        return value if isinstance(value, bool | str) else change(path, value)

    plain = json.loads(json.dumps(_world().results[stem]))
    result: Record = loads(stem, json.dumps(walk(stem, plain)))
    return result


def _with(moved: set[str]) -> Callable[[str, Any], Any]:
    return lambda path, value: _moved(value) if path in moved else value


def _by_path(quotes: Sequence[Quote], path: str) -> list[str]:
    return [quote.printed for quote in quotes if quote.path == path]


def _all_by_path(quotes: Sequence[Quote]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for quote in quotes:
        found.setdefault(quote.path, set()).add(quote.printed)
    return found


# -- in the bound text --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_once")
def test_each_printed_number_moves_with_its_result_and_moves_no_other() -> None:
    known, results = _all_by_path(_article().quotes), _world().results
    paths = sorted(path for path in known if path.partition(".")[0] in results)
    assert len(paths) > 40

    still: list[str] = []
    for path in paths:
        stem = path.partition(".")[0]
        moved = results | {stem: _doctored(stem, _with({path}))}
        try:
            told = _all_by_path(compose(replace(_world(), results=moved)).quotes)
        except Mistake:  # the number is also a key to others, such as a size: its move is noticed
            continue
        if known[path] == told.pop(path, None):
            still.append(path)
        assert {each: known[each] for each in told if each in known} == {
            each: printed for each, printed in told.items() if each in known
        }
    assert still == []


def _said(stem: str, result: Record) -> list[Quote]:
    """Every number in the words about a figure, in its table, and in the evidence of its claims."""
    say, loaded = Printer(), _experiments()[stem]
    experiment.describe(_world().project, loaded, result, say)
    loaded.function("claims")(result, say)
    return say.quotes


def _drawn(stem: str, result: Record) -> str:
    loaded, project = _experiments()[stem], _world().project
    if loaded.is_table:
        return ""
    tokens, fonts = read_tokens(project.own("tokens.toml")), project.template("fonts")
    return experiment.draw(project, loaded, result, "wide", tokens, fonts)


def _listed(paths: Iterable[str], patterns: Sequence[str]) -> set[str]:
    return {path for path in paths if any(re.fullmatch(each, path) for each in patterns)}


@pytest.mark.slow
@pytest.mark.parametrize("stem", sorted(_experiments()))
def test_every_stored_number_moves_the_words_about_it_or_is_known_as_drawn_or_unused(
    stem: str,
) -> None:
    result = _world().results[stem]
    stored = dict(_leaves(stem, result))
    said = _all_by_path(_said(stem, result))
    reals = {path for path, value in stored.items() if isinstance(value, float)}
    told = _all_by_path(_said(stem, _doctored(stem, _with(reals))))
    assert [path for path in said.keys() & told & reals if said[path] == told[path]] == []
    for path in said.keys() & stored.keys() - reals:
        try:
            told = _all_by_path(_said(stem, _doctored(stem, _with({path}))))
        except (Mistake, LookupError):  # a size, by which others are found: its move is noticed
            continue
        assert said[path] != told.get(path), path

    silent = stored.keys() - said.keys() - {quote.path for quote in _article().bound.quotes}
    drawn, unused = _listed(silent, DRAWN), _listed(silent, UNUSED)
    assert sorted(path for path in silent - drawn - unused if not FOUND_BY.fullmatch(path)) == []
    before = _drawn(stem, result)
    assert _drawn(stem, _doctored(stem, _with(unused))) == before
    for pattern in DRAWN:
        if paths := _listed(drawn, [pattern]):
            assert _drawn(stem, _doctored(stem, _apart(paths))) != before, pattern


def _apart(paths: set[str]) -> Callable[[str, Any], Any]:
    """Move some numbers, each by another factor: a curve drawn larger may be the same curve."""
    factors = {path: 0.6 + 0.01 * (index % 30) for index, path in enumerate(sorted(paths))}

    def move(path: str, value: Any) -> Any:
        if path not in factors:
            return value
        return value + 1 if isinstance(value, int) else value * factors[path] or 0.2

    return move


def test_nothing_is_listed_that_is_not_stored_and_told_by_no_words() -> None:
    stored = [path for stem, each in _world().results.items() for path, _ in _leaves(stem, each)]

    assert [each for each in (*DRAWN, *UNUSED) if not _listed(stored, [each])] == []
    assert _listed(stored, DRAWN) & _listed(stored, UNUSED) == set()


# -- in the finished page -----------------------------------------------------------------------------


class _Read(HTMLParser):
    """Reads a finished page: what each number prints, by its path, and all words a reader can meet."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.numbers: dict[str, set[str]] = {}
        self.words: list[str] = []
        self._path = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._path = dict(attrs).get("data-path") or "" if tag == "data" else ""
        self.words.append(dict(attrs).get("aria-label") or "")

    def handle_endtag(self, _tag: str) -> None:
        self._path = ""

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._path:
            self.numbers.setdefault(self._path, set()).add(data)


def _plain(text: str) -> str:
    """Words as any reader gives them: without spaces, breaks of lines and words, and markup."""
    return re.sub(r"[\s|*_\-\u00ad\u200b\u2010\u2060]", "", text)


def _draw(world: World, folder: Path, layouts: Sequence[Layout], say: Printer) -> Path:
    """Draw all figures in some layouts; give the folder."""
    tokens = read_tokens(world.project.own("tokens.toml"))
    fonts = world.project.template("fonts")
    folder.mkdir()
    for stem, loaded in _experiments().items():
        for layout in () if loaded.is_table else layouts:
            result = world.results[stem]
            drawn = experiment.draw(world.project, loaded, result, layout, tokens, fonts, say)
            (folder / f"{stem}-{layout}.svg").write_text(drawn, "utf-8")
    return folder


def _described(world: World, drawings: Path) -> Iterator[str]:
    """Every piece of words about a figure, in its table and in its drawings."""
    for stem, about in world.descriptions.items():
        if not _experiments()[stem].is_table:  # such a table has the caption of the article
            yield from (about["alt"], *about["description"], about["table"]["caption"])
        yield from (
            cell for row in (about["table"]["columns"], *about["table"]["rows"]) for cell in row
        )
        for drawn in drawings.glob(f"{stem}-*.svg"):
            yield from svg.text_of(drawn.read_text("utf-8"))


@pytest.mark.slow
def test_with_all_stored_numbers_moved_every_number_of_the_page_has_moved(tmp_path: Path) -> None:
    def change(path: str, value: Any) -> Any:
        free = isinstance(value, float) and not FOUND_BY.fullmatch(path)
        return _moved(value) if free or COUNTS.fullmatch(path) else value

    results = {stem: _doctored(stem, change) for stem in _experiments()}
    moved = {
        path
        for stem, result in _world().results.items()
        for path, value in _leaves(stem, result)
        if change(path, value) != value
    }
    told: list[dict[str, set[str]]] = []
    for name, world in (("old", _world()), ("new", _told(replace(_world(), results=results)))):
        say = Printer()
        drawings = _draw(world, tmp_path / name, page.LAYOUTS, say)
        for stem, loaded in _experiments().items():
            experiment.describe(world.project, loaded, world.results[stem], say)
        read = _Read(page.render(compose(world), world, drawings))
        words = _plain("".join(read.words))
        assert [each for each in _described(world, drawings) if _plain(each) not in words] == []
        told.append(_all_by_path(say.quotes) | read.numbers)
    old, new = told
    both = {path for path in old.keys() & new if path.partition(".")[0] in results}

    assert len(both & moved) > 2000
    assert sorted(path for path in both & moved if old[path] == new[path]) == []
    assert sorted(path for path in both - moved if not FOUND_BY.fullmatch(path)) == []
    # other words may print a number that stayed to another digit: 0% where 0.0% stood
    stayed = [
        {path: {ZEROS.sub("", text) for text in at[path]} for path in both - moved} for at in told
    ]
    assert stayed[0] == stayed[1]


# -- in the finished PDF ------------------------------------------------------------------------------

SAMPLE = {  # a number from each place where one can stand: the anchor and the part of the place
    "gradient_path.largest_error": ("gradient_path", "caption"),
    "initializers.layers.packed.0.sd": ("initializers", "table"),
    "softmax_jacobian.ratio.trace": ("note-jac", ""),
    "score_spread.worst.deviation": ("score_spread", "alt text"),
    "typical_rows.mean.ratio": ("typical_rows", "drawing"),
    "training.control.worst": ("trained-head", ""),
}


def _alternatives(element: Any) -> Iterator[str]:
    """What stands for each picture in the structure of a PDF."""
    if isinstance(element, list):
        for each in element:
            yield from _alternatives(each.get_object())
    elif isinstance(element, dict):
        yield str(element.get("/Alt", ""))
        yield from _alternatives(element["/K"].get_object() if "/K" in element else None)


@pytest.mark.slow
def test_moved_numbers_are_found_wherever_they_stand_in_the_finished_pdf(tmp_path: Path) -> None:
    results = dict(_world().results)
    for path in SAMPLE:
        stem = path.partition(".")[0]
        results[stem] = _doctored(stem, _with({path}))
    world = _told(replace(_world(), results=results))
    drawings = _draw(world, tmp_path / "new", DRAWINGS, Printer())
    article = compose(world)
    old = reading(_article(), _world(), _draw(_world(), tmp_path / "old", DRAWINGS, Printer()))
    new = reading(article, world, drawings)
    pdf = PdfReader(BytesIO(make(article, world, drawings, "a4").data))
    sheets = "".join(sheet.extract_text() for sheet in pdf.pages)
    root: Any = pdf.trailer["/Root"].get_object()
    structure = root["/StructTreeRoot"]["/K"].get_object()
    text = _plain(sheets + " ".join(_alternatives(structure)))

    for path, place in SAMPLE.items():
        pairs = list(zip(_at(old, place), _at(new, place), strict=True))
        changed = [pair for was, now in pairs if was != now for pair in _around(was, now)]
        assert changed, path
        for was, now in changed:
            assert _plain(now) in text, path
            assert _plain(was) not in text, path


def _at(told: Reading, place: tuple[str, str]) -> list[str]:
    """The passages of one place; in a drawing each label is one."""
    passages = [s["text"] for s in told["sentences"] if (s["section"], s["part"]) == place]
    return passages if place[1] != DRAWING else passages[0].split(PIECES)


def _around(old: str, new: str) -> Iterator[tuple[str, str]]:
    """What differs, with a few characters before and after it."""
    for was, now in differences(old, new):
        yield old[max(0, was.start - 12) : was.stop + 6], new[max(0, now.start - 12) : now.stop + 6]
