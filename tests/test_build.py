"""Building: what runs, what is stored, and what is left alone."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from report import freshness, versions, worker
from report.errors import Mistake
from report.glance import shown
from report.project import open_project, read_settings
from report.status import experiments, reasons
from report.worker import Companions, Output, Text
from tests.builds import made_files, make
from tests.conftest import SEEDS, Tiny

pytestmark = pytest.mark.usefixtures("undisturbed", "swift")

ALL = ["draw faces", "draw roll", "measure faces", "measure roll", "page", "paper a4"]


# What a first build makes, and a second does not


def test_a_first_build_makes_everything(tiny: Tiny) -> None:
    made = make(tiny)

    assert made.ran == ALL
    assert set(made_files(tiny)) == {
        "build/drawings/faces-compact.svg",
        "build/drawings/faces-narrow.svg",
        "build/drawings/faces-wide.svg",
        "build/drawings/faces.claims.json",
        "build/drawings/faces.json",
        "build/drawings/roll-compact.svg",
        "build/drawings/roll-narrow.svg",
        "build/drawings/roll-wide.svg",
        "build/drawings/roll.claims.json",
        "build/drawings/roll.json",
        "build/reading.json",
        "build/throws.html",
        "build/throws.pdf",
        "figures/faces.json",
        "figures/faces.svg",
        "figures/roll.json",
        "figures/roll.svg",
    }


def test_a_second_build_runs_nothing_and_says_so(tiny: Tiny) -> None:
    make(tiny)
    again = make(tiny)

    assert again.ran == []
    assert list(again.summary.lines())[-1].startswith("Nothing to do: ")


def touch(tiny: Tiny) -> None:
    for path in tiny.root.rglob("*"):
        os.utime(path, (0, 0))


def line_ends(tiny: Tiny) -> None:
    for path in tiny.root.rglob("*.*"):
        if path.suffix in (".py", ".toml", ".md", ".json", ".svg") and path.name != "record.json":
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def reorder(tiny: Tiny) -> None:
    head, *sections = SEEDS.split("\n\n")
    tiny.write("seeds.toml", "\n\n".join([head, *reversed(sections)]) + "\n")
    tiny.edit(
        "seeds.toml", "throws = [10, 20]  # how often\nscale = 1.5", "scale=1.5\nthrows=[10,20]"
    )


def comments(tiny: Tiny) -> None:
    tiny.edit("figures/deeper.py", "    return float", "    # why\n    return float")
    tiny.edit("seeds.toml", "# how often", "# how many times")


def docstrings(tiny: Tiny) -> None:
    tiny.edit("figures/roll.py", "Throw, and average.", "Throw a die, and average.")
    tiny.edit("figures/roll.py", "How far does the mean", "How far would the mean")


def unused(tiny: Tiny) -> None:
    tiny.edit("figures/chance.py", "UNUSED = 1", "UNUSED = 2")
    tiny.edit("figures/chance.py", "return max(values)", "return min(values)")


def stranger(tiny: Tiny) -> None:
    tiny.write("figures/notes.txt", "remember")
    tiny.write("figures/helper.py", "X = 1\n")


@pytest.mark.parametrize(
    "edit", [touch, line_ends, reorder, comments, docstrings, unused, stranger]
)
def test_nothing_runs_after_a_change_that_changes_nothing(
    tiny: Tiny, edit: Callable[[Tiny], None]
) -> None:
    make(tiny)
    edit(tiny)

    assert make(tiny).ran == []


def test_nothing_runs_in_another_folder(tiny: Tiny, tmp_path: Path) -> None:
    make(tiny)

    assert make(tiny.copy(tmp_path / "é lsewhere")).ran == []


# What a change makes run, and the reason given

TEXT = ["page", "paper a4"]
ROLL = ["draw roll", "measure roll", *TEXT]
BOTH = ALL
CHANGES: dict[str, tuple[str, str, str, list[str], str, str]] = {
    "the base seed": (
        "seeds.toml",
        "seed = 11",
        "seed = 12",
        ROLL,
        "roll",
        "seed changed from 11 to 12",
    ),
    "a parameter": (
        "seeds.toml",
        "[10, 20]",
        "[10, 30]",
        ROLL,
        "roll",
        "throws changed from [10, 20] to [10, 30]",
    ),
    "a shared parameter": (
        "seeds.toml",
        "sides = 6",
        "sides = 8",
        BOTH,
        "faces",
        "dice.sides changed from 6 to 8",
    ),
    "a kind of number": (
        "seeds.toml",
        "scale = 1.5",
        "scale = 2",
        ROLL,
        "roll",
        "scale changed from 1.5 to 2",
    ),
    "measure": (
        "figures/roll.py",
        "means = {n: mean(",
        "means = {n: 2 * mean(",
        ROLL,
        "roll",
        "figures/roll.py changed (measure)",
    ),
    "a constant": (
        "figures/faces.py",
        "LOW = 1",
        "LOW = 0",
        ["draw faces", "measure faces", *TEXT],
        "faces",
        "figures/faces.py changed (LOW)",
    ),
    "a helper": (
        "figures/chance.py",
        "/ len(values)",
        "/ (1 + len(values))",
        ROLL,
        "roll",
        "figures/chance.py changed (mean)",
    ),
    "a helper's helper": (
        "figures/deeper.py",
        "sum(values)",
        "2 * sum(values)",
        ROLL,
        "roll",
        "figures/deeper.py changed (total)",
    ),
    "draw": (
        "figures/roll.py",
        "canvas.height = 60",
        "canvas.height = 61",
        ["draw roll", "paper a4"],  # the PDF tells which sources made it
        "roll",
        "figures/roll.py changed (draw)",
    ),
    "describe": (
        "figures/roll.py",
        '"Means."',
        '"All means."',
        ["draw roll", "paper a4"],
        "roll",
        "figures/roll.py changed (describe)",
    ),
    "the text": (
        "templates/article.md",
        "A small article.",
        "A short article.",
        TEXT,
        "page",
        "templates/article.md changed",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_exactly_what_reads_a_change_runs_and_the_reason_is_named(tiny: Tiny, change: str) -> None:
    file, old, new, ran, name, reason = CHANGES[change]
    make(tiny)
    tiny.edit(file, old, new)
    foretold = list(reasons(open_project(tiny.root), read_settings(open_project(tiny.root))))
    made = make(tiny)

    assert made.ran == ran
    assert made.why(name) == reason
    assert any(reason in line for line in foretold)


def test_a_parameter_added_and_taken_away_is_named(tiny: Tiny) -> None:
    make(tiny)
    tiny.edit("figures/roll.py", "    scale: float\n", "    scale: float\n    bonus: int\n")
    tiny.edit("seeds.toml", "scale = 1.5", "scale = 1.5\nbonus = 3")
    added = make(tiny)
    tiny.edit("figures/roll.py", "    bonus: int\n", "")
    tiny.edit("seeds.toml", "\nbonus = 3", "")
    removed = make(tiny)

    assert added.why("roll") == "bonus is new; figures/roll.py changed (Parameters)"
    assert removed.why("roll") == "bonus is no longer read; figures/roll.py changed (Parameters)"


@pytest.mark.parametrize(
    ("file", "ran"),
    [
        ("templates/tokens.toml", ["draw faces", "draw roll", *TEXT]),
        ("templates/fonts/Extra.ttf", ["draw faces", "draw roll", "paper a4"]),
        ("templates/fonts/Extra.woff2", ["page"]),
        ("templates/screen.css", ["page"]),
        ("templates/print.css", ["paper a4"]),
        ("templates/print.html", ["paper a4"]),
        ("templates/page.html", ["page"]),
        ("templates/part.md", TEXT),
        ("templates/sources.toml", TEXT),
    ],
)
def test_a_template_style_or_font_makes_its_readers_run(
    tiny: Tiny, file: str, ran: list[str]
) -> None:
    make(tiny)
    tiny.write(file, "# another\n")
    project = open_project(tiny.root)
    foretold = "\n".join(reasons(project, read_settings(project)))
    made = make(tiny)

    tiny.write(file, "# yet another\n")
    again = make(tiny)

    assert made.ran == again.ran == ran
    assert re.search(rf"{file} (is new|changed)", foretold)
    assert re.search(rf"{file} (is new|changed)", "\n".join(made.heard))
    assert f"{file} changed" in "\n".join(again.heard)
    assert make(tiny).ran == []


POINTS = 'open(__file__.replace("roll.py", "points.csv")).close()'


def test_a_data_file_outside_is_named_where_it_makes_its_readers_run(tiny: Tiny) -> None:
    tiny.edit("figures/roll.py", "from chance", "from pathlib import Path\n\nfrom chance")
    tiny.write("../points.csv", "1,2")
    tiny.in_measure('(Path(__file__).parents[2] / "points.csv").read_text()')
    make(tiny)
    tiny.write("../points.csv", "1,3")
    project = open_project(tiny.root)
    foretold = list(reasons(project, read_settings(project)))
    made = make(tiny)

    assert foretold[0] == "roll, to measure: ../points.csv changed"
    assert made.why("roll") == "../points.csv changed"
    assert made.ran == ["measure roll", "paper a4"]
    assert make(tiny).ran == []


def test_a_data_file_makes_its_readers_run(tiny: Tiny) -> None:
    tiny.write("figures/points.csv", "1,2\n")
    tiny.in_measure(POINTS)
    make(tiny)
    tiny.write("figures/points.csv", "1,3\n")
    foretold = list(reasons(open_project(tiny.root), read_settings(open_project(tiny.root))))
    made = make(tiny)

    assert foretold[0] == "roll, to measure: figures/points.csv changed"
    assert made.why("roll") == "figures/points.csv changed"
    assert made.ran == ["measure roll", "paper a4"]  # the PDF tells which sources made it
    assert make(tiny).ran == []


@pytest.mark.parametrize(("library", "ran"), [("numpy", BOTH), ("click", ["measure roll", *TEXT])])
def test_a_library_of_another_version_makes_its_readers_run(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch, library: str, ran: list[str]
) -> None:
    def older(imports: Iterable[str], *, deep: bool = True) -> dict[str, str]:
        needed = versions.needed_by(imports, deep=deep)
        return {name: "0.1" if name == library else needed[name] for name in needed}

    tiny.edit("figures/roll.py", "from chance", f"import {library}\nfrom chance")
    tiny.edit("figures/roll.py", "    sides = para", f"    {library}.__name__\n    sides = para")
    make(tiny)
    monkeypatch.setattr(freshness, "needed_by", older)
    foretold = "\n".join(reasons(open_project(tiny.root), read_settings(open_project(tiny.root))))
    made = make(tiny)

    assert made.ran == ran
    assert re.search(rf"{library} [0-9.]+ -> 0\.1", made.why("roll"))
    assert re.search(rf"roll, to measure: .*{library} [0-9.]+ -> 0\.1", foretold)


def test_another_pango_sets_the_pdf_again_and_nothing_else(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tiny)
    monkeypatch.setattr(freshness, "engines", lambda: {"Pango": "99"})

    assert make(tiny).ran == ["paper a4"]


# Made files that are not as they were made


@pytest.mark.parametrize(
    ("name", "ran"),
    [
        ("figures/roll.json", ["measure roll"]),
        ("figures/roll.svg", ["draw roll"]),
        ("build/drawings/roll-narrow.svg", ["draw roll"]),
        ("build/throws.html", ["page"]),
        ("build/throws.pdf", ["paper a4"]),
        ("build/record.json", ALL),
    ],
)
@pytest.mark.parametrize("how", ["deleted", "damaged"])
def test_a_made_file_that_is_deleted_or_damaged_is_made_again(
    tiny: Tiny, name: str, ran: list[str], how: str
) -> None:
    make(tiny)
    before = made_files(tiny)
    if how == "deleted":
        tiny.path(name).unlink()
    else:
        tiny.path(name).write_bytes(tiny.path(name).read_bytes()[:-9] + b"9")
    made = make(tiny)

    assert made.ran == ran
    assert made_files(tiny) == before
    if name != "build/record.json":
        assert name in " ".join(made.heard)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_record_with_one_wrong_letter_costs_a_rebuild_and_nothing_else(
    tiny: Tiny, share: float
) -> None:
    make(tiny)
    before, record = made_files(tiny), tiny.read("build/record.json")
    start = int(share * len(record))
    at = next(place for place in range(start, len(record)) if record[place].isalnum())
    tiny.write("build/record.json", f"{record[:at]}{chr(ord(record[at]) ^ 1)}{record[at + 1 :]}")

    assert make(tiny).ran == ALL
    assert made_files(tiny) == before
    assert make(tiny).ran == []


def test_deleting_the_build_folder_costs_a_rebuild_and_nothing_else(tiny: Tiny) -> None:
    make(tiny)
    before = made_files(tiny)
    shutil.rmtree(tiny.path("build"))

    assert make(tiny).ran == ALL
    assert made_files(tiny) == before


def test_a_result_changed_by_hand_is_made_again_even_within_the_tolerance(tiny: Tiny) -> None:
    make(tiny)
    before = tiny.read("figures/faces.json")
    tiny.edit("figures/faces.json", "0.166666667", "0.166666668")
    make(tiny)

    assert tiny.read("figures/faces.json") == before


# A clone: results without a record


def test_a_first_build_in_a_clone_compares_and_rewrites_nothing(tiny: Tiny) -> None:
    make(tiny)
    tiny.path("build/record.json").unlink()
    touch(tiny)
    made = make(tiny)

    assert made.summary.comparison() == "2 of 2 results equal the committed ones, byte for byte."
    assert {tiny.path(f"figures/{s}.json").stat().st_mtime for s in ("faces", "roll")} == {0}


def test_a_committed_result_within_the_tolerance_stays_as_it_is(tiny: Tiny) -> None:
    make(tiny)
    tiny.path("build/record.json").unlink()
    tiny.edit("figures/faces.json", "0.166666667", "0.166666671")
    committed = tiny.read("figures/faces.json")
    made = make(tiny)

    assert tiny.read("figures/faces.json") == committed
    assert made.summary.comparison() == (
        "2 of 2 results equal the committed ones, 1 of them within 1e-06 rather than byte for byte."
    )
    assert make(tiny).ran == []


def test_a_committed_result_that_is_another_is_replaced_and_named(tiny: Tiny) -> None:
    make(tiny)
    right = tiny.read("figures/faces.json")
    tiny.path("build/record.json").unlink()
    tiny.edit("figures/faces.json", "0.166666667", "0.17")
    made = make(tiny)

    assert tiny.read("figures/faces.json") == right
    assert made.summary.comparison() == (
        "1 of 2 results equal the committed ones, byte for byte; replaced: faces."
    )


def test_a_small_weight_is_not_within_the_tolerance_of_another(tiny: Tiny) -> None:
    tiny.edit("figures/faces.py", "LOW = 1", "LOW = 1.1e-7")
    make(tiny)
    tiny.path("build/record.json").unlink()
    tiny.edit("figures/faces.json", "1.1e-07", "3.3e-07")
    make(tiny)

    assert "1.1e-07" in tiny.read("figures/faces.json")


def test_fresh_makes_everything_again(tiny: Tiny) -> None:
    make(tiny)

    assert make(tiny, fresh=True).ran == ALL


# Faults


def test_an_experiment_that_failed_is_not_remembered_and_the_others_are_kept(tiny: Tiny) -> None:
    tiny.edit("figures/faces.py", '"share": 1 / sides', '"share": 1 / (sides - 6)')
    with pytest.raises(Mistake, match=r"figures/faces.py, line \d+: measuring stopped with") as one:
        make(tiny)
    with pytest.raises(Mistake) as two:
        make(tiny)
    tiny.edit("figures/faces.py", "(sides - 6)", "sides")

    assert one.value.__dict__["ran"] == ["draw roll", "measure faces", "measure roll"]
    assert two.value.__dict__["ran"] == ["measure faces"]
    assert make(tiny).ran == ["draw faces", "measure faces", *TEXT]


def test_a_fault_in_the_text_keeps_results_new_and_outputs_old(tiny: Tiny) -> None:
    make(tiny)
    before = made_files(tiny)
    tiny.edit("seeds.toml", "sides = 6", "sides = 8")
    tiny.edit("templates/article.md", "A small article.", "undefined")
    with pytest.raises(Mistake, match="says undefined"):
        make(tiny)
    after = made_files(tiny)

    same = {name: before[name] == after[name] for name in before}

    assert same["build/throws.html"]
    assert same["build/throws.pdf"]
    assert not same["figures/roll.json"]
    assert not same["build/drawings/roll-wide.svg"]
    tiny.edit("templates/article.md", "undefined", "A small article.")
    assert make(tiny).ran == TEXT


def test_code_edited_between_plan_and_run_is_refused_and_runs_next_time(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = worker.measure

    def edited_first(project: Any, stem: str, settings: Any) -> Any:
        if stem == "roll":
            tiny.edit("figures/deeper.py", "sum(values)", "3 * sum(values)")
        return measure(project, stem, settings)

    edited_first.__name__ = "measure"
    monkeypatch.setattr(worker, "measure", edited_first)
    with pytest.raises(Mistake, match=r"figures/deeper.py: this file was edited while it ran"):
        make(tiny)
    monkeypatch.setattr(worker, "measure", measure)

    assert "measure roll" in make(tiny).ran


def test_code_edited_while_it_runs_leaves_its_experiment_stale(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = worker.measure

    def edited_last(project: Any, stem: str, settings: Any) -> Any:
        found = measure(project, stem, settings)
        if stem == "faces":
            tiny.edit("figures/faces.py", "1 / sides", "2 / sides")
        return found

    edited_last.__name__ = "measure"
    monkeypatch.setattr(worker, "measure", edited_last)
    with pytest.raises(Mistake, match=r"figures/faces.py: this file was edited while it ran"):
        make(tiny)  # measured by the old code, drawn by the new
    monkeypatch.setattr(worker, "measure", measure)

    assert "measure faces" in make(tiny).ran


@pytest.mark.parametrize(
    ("file", "old", "new", "ran"),
    [
        ("seeds.toml", "scale = 1.5", "scale = 2.5", ROLL),
        ("figures/points.csv", "1,2", "1,3", ["measure roll", "paper a4"]),
        ("templates/tokens.toml", "size", "sizes", ["draw roll"]),  # the rest was still to come
    ],
)
def test_an_input_edited_while_an_experiment_runs_leaves_what_reads_it_stale(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, ran: list[str]
) -> None:
    tiny.write("figures/points.csv", "1,2\n")
    tiny.write("templates/tokens.toml", "size = 1\n")
    tiny.in_measure(POINTS)
    task = worker.draw if file.startswith("templates") else worker.measure

    def edited(*args: Any) -> Any:
        found = task(*args)
        if args[1] == "roll":
            tiny.edit(file, old, new)
        return found

    edited.__name__ = task.__name__
    with monkeypatch.context() as patch:
        patch.setattr(worker, task.__name__, edited)
        made = make(tiny)

    assert "Something was edited meanwhile; the next build takes it up." in made.summary.notes
    assert make(tiny).ran == ran
    assert make(tiny).ran == []


def test_text_edited_while_it_is_set_is_set_again(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = worker.paper

    def edited_last(text: Text, size: Any, since: str) -> Output:
        found = paper(text, size, since)
        tiny.edit("templates/article.md", "A small article.", "A short article.")
        return found

    edited_last.__name__ = "paper"
    monkeypatch.setattr(worker, "paper", edited_last)
    made = make(tiny)
    monkeypatch.setattr(worker, "paper", paper)

    assert "Something was edited meanwhile; the next build takes it up." in made.summary.notes
    assert make(tiny).ran == TEXT


def test_what_a_killed_build_left_half_written_is_swept_away(tiny: Tiny) -> None:
    for name in ("figures/.roll.json.7.part", "build/.throws.pdf.7.part"):
        tiny.write(name, "half")
    make(tiny)

    assert list(tiny.root.rglob("*.part")) == []


@pytest.mark.parametrize("number", [1, 2, 3, 9, 13, 14, 15, 16])  # of the sixteen files written
def test_a_build_cut_off_at_any_write_leaves_whole_files_and_the_next_is_right(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    make(tiny)
    old = made_files(tiny)
    tiny.edit("seeds.toml", "sides = 6", "sides = 8")
    renames = 0
    rename = Path.replace

    def cut_off(part: Path, target: Path) -> Path:
        nonlocal renames
        renames += 1
        if renames == number:
            raise KeyboardInterrupt
        return rename(part, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", cut_off)
        with pytest.raises(KeyboardInterrupt):
            make(tiny)
    torn = made_files(tiny)
    make(tiny)
    new = made_files(tiny)

    assert all(torn[name] in (old[name], new[name]) for name in torn)
    assert torn.keys() == old.keys() == new.keys()
    assert new["build/throws.pdf"] != old["build/throws.pdf"]
    assert make(tiny).ran == []


@pytest.mark.parametrize("number", [1, 8, 14, 16])
def test_a_full_disk_is_one_sentence_and_loses_nothing(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    make(tiny)
    old = made_files(tiny)
    tiny.edit("seeds.toml", "sides = 6", "sides = 8")
    writes = 0

    def full(descriptor: int) -> None:
        nonlocal writes
        del descriptor
        writes += 1
        if writes >= number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("report.results.os.fsync", full)
        with pytest.raises(
            Mistake, match=r"cannot be written \(No space left on device\); see to it"
        ):
            make(tiny)
    torn = made_files(tiny)
    make(tiny)
    new = made_files(tiny)

    assert all(torn[name] in (old[name], new[name]) for name in torn)
    assert torn.keys() == new.keys()
    assert make(tiny).ran == []


def test_an_unknown_experiment_is_refused_with_the_nearest_name(tiny: Tiny) -> None:
    with pytest.raises(Mistake, match=r"there is no experiment 'rol' .did you mean 'roll'.."):
        make(tiny, article=False, stems=("rol",))


# Places


def test_an_override_leaves_the_usual_things_alone_and_reuses_what_it_does_not_touch(
    tiny: Tiny,
) -> None:
    make(tiny)
    before = made_files(tiny)
    made = make(tiny, {"roll.scale": 2.5})
    after = made_files(tiny)
    new = {name for name in after if name not in before}

    assert made.ran == ROLL
    assert {name: after[name] for name in before} == before
    assert {name.rpartition("/")[0] for name in new} == {
        "build/roll.scale=2.5",
        "build/roll.scale=2.5/figures",
        "build/roll.scale=2.5/drawings",
    }
    assert "build/roll.scale=2.5/throws-roll.scale-2.5.pdf" in new
    assert make(tiny, {"roll.scale": 2.5}).ran == []
    assert make(tiny).ran == []


def test_an_override_by_the_value_that_stands_there_measures_nothing(tiny: Tiny) -> None:
    make(tiny)

    assert make(tiny, {"seed": 11}).ran == TEXT  # the text tells the command that remakes it


def test_an_override_without_a_usual_build_makes_everything_in_its_folder(tiny: Tiny) -> None:
    made = make(tiny, {"seed": 7})

    assert made.ran == ALL
    assert not list(tiny.path("figures").glob("*.json"))
    assert made.summary.outputs[0][0] == tiny.path("build/seed=7/throws-seed-7.html")


def test_out_moves_everything_but_the_committed_figures(tiny: Tiny, tmp_path: Path) -> None:
    made = make(tiny, out=tmp_path / "out")

    assert (tmp_path / "out" / "throws.html").exists()
    assert (tmp_path / "out" / "record.json").exists()
    assert tiny.path("figures/roll.json").exists()
    assert not tiny.path("build/throws.html").exists()
    assert made.summary.outputs[1] == (tmp_path / "out" / "throws.pdf", 3)


@pytest.mark.parametrize(
    ("out", "overrides", "into"),
    [
        ("figures", {}, "figures"),
        ("figures/made", {"seed": 7}, "figures"),
        ("templates/fonts", {}, "templates"),
        (".", {"seed": 7}, "figures"),  # its results and pictures would be those that are committed
    ],
)
def test_nothing_is_made_among_what_it_is_made_of(
    tiny: Tiny, out: str, overrides: dict[str, Any], into: str
) -> None:
    before = sorted(tiny.root.rglob("*"))
    with pytest.raises(Mistake) as refused:
        make(tiny, overrides, out=tiny.path(out))

    assert str(refused.value) == (
        f"{shown(tiny.path(out))}: what is made cannot go into {into}/, which holds what it is made of;"
        " name another folder with --out."
    )
    assert sorted(tiny.root.rglob("*")) == before


def test_letter_is_a_pdf_beside_the_usual_one(tiny: Tiny) -> None:
    make(tiny)
    made = make(tiny, paper="letter")

    assert made.ran == ["paper letter"]
    assert tiny.path("build/throws-letter.pdf").exists()
    assert make(tiny).ran == []
    assert make(tiny, paper="letter").ran == []


def test_another_short_name_moves_the_outputs(tiny: Tiny) -> None:
    make(tiny)
    tiny.edit("templates/article.md", 'slug = "throws"', 'slug = "dice"')
    make(tiny)
    outputs = {path.name for path in tiny.path("build").iterdir() if path.is_file()}

    assert outputs == {"dice.html", "dice.pdf", "reading.json", "record.json"}


def test_some_figures_can_be_made_alone(tiny: Tiny) -> None:
    made = make(tiny, article=False, stems=("roll",))

    assert made.ran == ["draw roll", "measure roll"]
    assert not tiny.path("figures/faces.json").exists()


@pytest.mark.slow
def test_adding_an_experiment_moves_no_other(tiny: Tiny) -> None:
    make(tiny)
    tiny.write("figures/third.py", tiny.read("figures/faces.py"))
    tiny.edit(
        "seeds.toml", '[faces]\nlabel = "face"', '[faces]\nlabel = "face"\n\n[third]\nlabel = "x"'
    )

    assert make(tiny).ran == ["draw third", "measure third", *TEXT]


def test_a_section_can_pin_its_seed_and_the_summary_says_so(tiny: Tiny) -> None:
    tiny.edit("seeds.toml", "scale = 1.5", "scale = 1.5\nseed = 3")
    make(tiny)
    before = tiny.read("figures/roll.json")
    made = make(tiny, {"seed": 7})

    assert tiny.read("build/seed=7/figures/roll.json") == before
    assert "roll has a seed of its own: 3." in made.summary.notes


# What can be asked without building


def test_the_list_names_questions_and_states(tiny: Tiny) -> None:
    project = open_project(tiny.root)
    before = list(experiments(project, read_settings(project)))
    make(tiny)
    tiny.edit("figures/roll.py", "canvas.height = 60", "canvas.height = 61")
    after = list(experiments(project, read_settings(project)))

    assert before == [
        "faces  to measure  How likely is each face?",
        "roll   to measure  How far does the mean of some throws stray?",
    ]
    assert "up to date" in after[0]
    assert "to draw" in after[1]


def test_status_says_so_when_nothing_is_stale(tiny: Tiny) -> None:
    make(tiny)
    project = open_project(tiny.root)

    assert list(reasons(project, read_settings(project))) == ["Everything is up to date."]


def renamed(tiny: Tiny) -> None:
    """Give the experiment `faces` another name wherever it stands."""
    tiny.path("figures/faces.py").rename(tiny.path("figures/sides.py"))
    for file in ("seeds.toml", "templates/article.md"):
        tiny.write(file, re.sub(r"\bfaces\b", "sides", tiny.read(file)))


def test_what_was_made_of_an_experiment_that_is_gone_is_removed(tiny: Tiny) -> None:
    """What is committed stays, and so does a file that someone changed."""
    make(tiny)
    renamed(tiny)
    tiny.write("build/drawings/faces-wide.svg", "mine")
    tiny.write("build/drawings/faces-notes.txt", "mine")
    make(tiny)

    assert {name for name in made_files(tiny) if "faces" in name} == {
        "build/drawings/faces-notes.txt",
        "build/drawings/faces-wide.svg",
        "figures/faces.json",
        "figures/faces.svg",
    }
    assert make(tiny).ran == []


def test_beside_an_override_results_of_an_experiment_that_is_gone_go_too(tiny: Tiny) -> None:
    make(tiny, {"seed": 7})
    renamed(tiny)
    made = make(tiny, {"seed": 7})

    assert "measure sides" in made.ran
    assert [name for name in made_files(tiny) if "seed=7" in name and "faces" in name] == []


def test_status_gives_every_reason_for_the_page_and_for_the_pdf(tiny: Tiny) -> None:
    make(tiny)
    tiny.edit("seeds.toml", "scale = 1.5", "scale = 2.5")
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    project = open_project(tiny.root)
    lines = list(reasons(project, read_settings(project)))
    why = "it shows roll; templates/article.md changed; roll.scale changed from 1.5 to 2.5"

    assert lines == [
        "roll, to measure: scale changed from 1.5 to 2.5",
        f"page: {why}",
        f"PDF (a4): {why}; sources changed",
    ]


def test_status_tells_of_what_stands_beside_the_pdf_where_it_was_made_before(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> list[str]:
        project = open_project(tiny.root)
        lines = reasons(project, read_settings(project))
        return [line for line in lines if line.startswith("cards")]

    def companions(*_: object) -> Companions:
        return Companions({".md": b"A note.", ".bib": b"Citations."}, 0.0)

    monkeypatch.setattr(worker, "companions", companions)
    make(tiny)
    tiny.edit("templates/article.md", "Means stray, as", "Means do stray, as")
    never = told()
    make(tiny, beside=True)
    fresh = told()
    tiny.edit("seeds.toml", "scale = 1.5", "scale = 2.5")
    tiny.edit("templates/article.md", "Means do stray, as", "Means may stray, as")
    edited = told()
    make(tiny)  # but not what stands beside
    behind = told()
    make(tiny, beside=True)
    again = told()
    tiny.path("build/throws.bib").unlink()
    removed = told()

    name = "cards (a4), to write with `make cards`"
    assert never == fresh == again == []
    assert edited == [
        f"{name}: it shows roll; throws.pdf is to be set again; templates/article.md changed;"
        " roll.scale changed from 1.5 to 2.5"
    ]
    assert len(behind) == 1
    assert behind[0].startswith(f"{name}: ")
    assert "throws.pdf changed" in behind[0]
    assert removed == [f"{name}: {shown(tiny.path('build/throws.bib'))} was removed"]


def test_status_has_one_reason_for_what_was_never_built_and_knows_a_new_experiment(
    tiny: Tiny,
) -> None:
    project = open_project(tiny.root)
    never = list(reasons(project, read_settings(project)))
    make(tiny)
    tiny.write("figures/newer.py", tiny.read("figures/faces.py"))
    tiny.edit("seeds.toml", "[faces]", '[newer]\nlabel = "face"\n\n[faces]')
    project = open_project(tiny.root)
    newer = list(reasons(project, read_settings(project)))

    assert never == [
        f"{what}: it was not built here before"
        for what in ("faces, to measure", "roll, to measure", "page", "PDF (a4)")
    ]
    assert newer == [
        "newer, to measure: it was not built here before",
        "page: it shows newer; newer.label is new",
        "PDF (a4): it shows newer; newer.label is new; sources changed",
    ]
