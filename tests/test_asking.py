"""What a finished report can be asked: its claims, its numbers, its seeds, and what moved."""

from __future__ import annotations

import dataclasses
import json
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from pikepdf import AttachedFileSpec

from report import asking, glance
from report.build import build
from report.errors import Mistake
from report.moved import FORMAT, READING, written
from report.progress import Tell
from report.project import open_project, read_settings
from report.stages import Request
from report.streams import stream_for
from tests.conftest import Here, Tiny

CLAIMS = '''

def claims(result, say):
    """A fair die shows each side alike; a mean this high needs luck."""
    return [
        {"name": "fair", "sentence": f"Each share is {say.fixed(result['share'], 3)}.", "holds": True,
         "evidence": say.fixed(result["share"], 4)},
        {"name": "many_sides", "sentence": "There are many sides.", "holds": result["sides"] > 10,
         "evidence": f"{say.count(result['sides'])} sides"},
    ]
'''

LUCK = '''

def claims(result, say):
    """Whether the last mean is above the middle depends on the seed."""
    return [{"name": "high", "sentence": "The mean is high.", "holds": result["means"]["20"] > 3.5,
             "evidence": say.fixed(result["means"]["20"], 2)}]
'''


@pytest.fixture
def claiming(tiny: Tiny) -> Tiny:
    """A small project whose experiments claim something, its figures made."""
    tiny.write("figures/faces.py", tiny.read("figures/faces.py") + CLAIMS)
    tiny.write("figures/roll.py", tiny.read("figures/roll.py") + LUCK)
    return tiny


def _made(tiny: Tiny) -> tuple[object, object]:
    project = open_project(tiny.root)
    settings = read_settings(project)
    build(Request(project, settings, False, (), "a4"), Here(), Tell())
    return project, settings


def test_the_ledger_says_of_each_claim_whether_it_holds_and_on_which_evidence(
    claiming: Tiny,
) -> None:
    ledger, lines = asking.claims(*_made(claiming))  # type: ignore[arg-type]  # what _made gives

    assert "holds     faces.fair: Each share is 0.167. (0.1667; exact: no seed enters)" in lines
    assert any(line.startswith("DOES NOT  faces.many_sides: ") for line in lines)
    assert "faces.many_sides (6 sides)" in ledger.summary()


def test_a_number_typed_into_a_drawing_or_a_description_is_found(claiming: Tiny) -> None:
    claiming.edit(
        "figures/faces.py",
        "canvas.text(40, 50, canvas.say",
        'canvas.text(200, 50, "77")\n    canvas.text(40, 50, canvas.say',
    )
    claiming.edit("figures/faces.py", '"caption": "Shares."', '"caption": "Shares of 88."')
    found = asking.numbers_from_nowhere(Request(*_made(claiming)))  # type: ignore[arg-type]  # what _made gives

    assert [(f.file, f.what.split("'")[1]) for f in found if f.file == "figures/faces.py"] == [
        ("figures/faces.py", "88"),
        ("figures/faces.py", "77"),
    ]


def test_a_sweep_counts_the_seeds_and_goes_on_where_it_stopped(claiming: Tiny) -> None:
    project, settings = _made(claiming)
    told: list[str] = []

    class Listening(Tell):
        def note(self, sentence: str) -> None:
            told.append(sentence)

    asking.swept(project, settings, ("roll",), 3, 2, Listening())  # type: ignore[arg-type]  # what _made gives
    first = json.loads(claiming.read(f"figures/{glance.SWEPT}"))["roll"]["held"]["high"]
    asking.swept(project, settings, ("roll",), 5, 1, Listening())  # type: ignore[arg-type]  # what _made gives
    both = json.loads(claiming.read(f"figures/{glance.SWEPT}"))["roll"]["held"]["high"]

    assert len(first) == 3
    assert len(both) == 5
    assert both.startswith(first)
    assert [line.split()[1] for line in told[-3:]] == ["4", "5", "5"]
    held = f"high held in {both.count('1')} of 5" if "0" in both else "every claim held in all"
    assert told[-1].endswith(f"5 seeds: {held}")
    _, lines = asking.claims(project, settings)  # type: ignore[arg-type]  # what _made gives
    assert any(f"holds for {both.count('1')} of 5 seeds" in line for line in lines)


@pytest.mark.slow
def test_under_another_seed_a_claim_counts_as_swept_all_the_same(claiming: Tiny) -> None:
    asking.swept(*_made(claiming), ("roll",), 2, 1, Tell())  # type: ignore[arg-type]  # what _made gives
    claiming.edit("seeds.toml", "seed = 11", "seed = 7")
    _, lines = asking.claims(*_made(claiming))  # type: ignore[arg-type]  # what _made gives

    assert any("roll.high" in line and " of 2 seeds" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "limit", "said"),
    [
        (
            "while True: pass",
            1,
            "under seed 0 measuring took longer than 1 seconds and was stopped",
        ),
        (
            "import os; os.kill(os.getpid(), 9)",
            60,
            "under seed 0 the process was killed by signal 9 while",
        ),
    ],
)
def test_a_sweep_ends_what_takes_too_long_and_says_what_died(
    claiming: Tiny, does: str, limit: int, said: str
) -> None:
    project, settings = _made(claiming)
    claiming.edit("figures/chance.py", "    return total", f"    {does}\n    return total")
    settings = dataclasses.replace(
        settings,  # type: ignore[type-var]  # what _made gives
        sections={**settings.sections, "build": {"limit": limit}},  # type: ignore[attr-defined]  # the same
    )

    with pytest.raises(Mistake, match=said):
        asking.swept(project, settings, ("roll",), 3, 1, Tell())  # type: ignore[arg-type]  # the same


@pytest.mark.slow
def test_a_sweep_goes_on_past_a_seed_under_which_an_experiment_stops(claiming: Tiny) -> None:
    claiming.in_measure("1 // (int(stream(7).integers(4)) - 2)")
    project, settings = _made(claiming)
    seeds = range(12)
    stopped = [seed for seed in seeds if stream_for(seed, "roll")(7).integers(4) == 2]
    line = claiming.read("figures/roll.py").split("1 // (int")[0].count("\n") + 1
    for _ in range(2):  # a second call comes to the same
        with pytest.raises(Mistake) as caught:
            asking.swept(project, settings, ("roll",), len(seeds), 2, Tell())  # type: ignore[arg-type]  # what _made gives
        held = json.loads(claiming.read(f"figures/{glance.SWEPT}"))["roll"]["held"]["high"]

        assert [seed for seed in seeds if held[seed] == "x"] == stopped
        assert str(caught.value) == (
            f"figures/roll.py, line {line}: under seed {stopped[0]} measuring stopped with"
            " ZeroDivisionError: integer division or modulo by zero;"
            f" {len(stopped)} of 12 seeds did not finish, and what the others gave is kept;"
            " correct it and run the command again."
        )
    _, lines = asking.claims(project, settings)  # type: ignore[arg-type]  # the same
    told = f" of {12 - len(stopped)} seeds, "
    assert any(told in line and f"; {len(stopped)} did not finish)" in line for line in lines)


def test_an_experiment_without_claims_is_not_swept(tiny: Tiny) -> None:
    told: list[str] = []

    class Listening(Tell):
        def note(self, sentence: str) -> None:
            told.append(sentence)

    asking.swept(*_made(tiny), ("roll",), 3, 1, Listening())  # type: ignore[arg-type]  # what _made gives

    assert [" ".join(line.split()) for line in told] == ["roll states no claims"]
    assert not tiny.path(f"figures/{glance.SWEPT}").exists()


def test_after_another_parameter_changed_a_claim_counts_as_not_swept(claiming: Tiny) -> None:
    asking.swept(*_made(claiming), ("roll",), 2, 1, Tell())  # type: ignore[arg-type]  # what _made gives
    claiming.edit("seeds.toml", "scale = 1.5", "scale = 1.6")
    _, lines = asking.claims(*_made(claiming))  # type: ignore[arg-type]  # what _made gives

    assert any("roll.high" in line and "not swept for these parameters" in line for line in lines)


def _report(folder: Path, printed: str, kind: str) -> Path:
    """A finished report that tells one sentence, as a build folder or as a PDF."""
    sentence = {"section": "s", "part": "", "text": f"It is {printed}.", "numbers": []}
    told = written({"format": FORMAT, "sentences": [sentence], "claims": {}, "figures": {}})
    folder.mkdir()
    if kind == "folder":
        (folder / READING).write_text(told, "utf-8")
        return folder
    data = BytesIO()
    with pikepdf.new() as document:
        document.add_blank_page()
        document.attachments[READING] = AttachedFileSpec(document, told.encode())
        document.save(data)
    (folder / "report.pdf").write_bytes(data.getvalue())
    return folder / "report.pdf"


@pytest.mark.parametrize("old", ["folder", "pdf"])
@pytest.mark.parametrize("new", ["folder", "pdf"])
def test_two_reports_are_compared_whatever_each_of_them_is(
    tmp_path: Path, old: str, new: str
) -> None:
    lines = list(
        asking.diff(_report(tmp_path / "a", "1.0", old), _report(tmp_path / "b", "2.0", new))
    )

    assert lines == ["1 passage moved:", "  #s: 1.0 → 2.0 in “It is 2.0.”"]


def test_equal_reports_are_called_equal(tmp_path: Path) -> None:
    one = _report(tmp_path / "a", "1.0", "folder")

    assert next(asking.diff(one, one)).startswith("Nothing moved")


def test_a_report_of_another_version_is_refused_in_a_sentence(tmp_path: Path) -> None:
    old = _report(tmp_path / "old", "1.0", "pdf")
    new = _report(tmp_path / "new", "1.0", "folder")
    (new / READING).write_text('{"sentences": [], "claims": {}, "figures": {}}')

    for pair in ((old, new), (new, old)):
        with pytest.raises(Mistake) as caught:
            list(asking.diff(*pair))
        assert caught.value.what.startswith("this report was made by another version")
        assert caught.value.file == new
        assert caught.value.then == "build it again with `make report`"


@pytest.mark.parametrize("what", ["nothing", "empty", "text", "stranger"])
def test_what_is_no_report_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    place = tmp_path / what
    if what == "empty":
        place.mkdir()
    elif what == "text":
        place.write_text("no PDF")
    elif what == "stranger":
        with pikepdf.new() as document:
            document.add_blank_page()
            document.save(place)

    with pytest.raises(Mistake) as caught:
        list(asking.diff(place, place))

    assert caught.value.then == "name a build folder or a PDF"
