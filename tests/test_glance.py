"""The glance that finds nothing to do: it never says so when something moved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from report import glance
from report.build import build
from report.progress import Tell
from report.project import open_project, read_settings
from report.stages import Request
from report.status import stale_targets
from tests.conftest import Here, Tiny

pytestmark = pytest.mark.usefixtures("undisturbed", "swift")


def make(tiny: Tiny) -> list[str]:
    """Build the small project, and give the command line that did."""
    words = ["build", "--project", str(tiny.root)]
    asked = glance.understood(words)
    assert asked
    project = open_project(tiny.root)
    build(Request(project, read_settings(project), words=asked[1]), Here(), Tell())
    return words


@pytest.fixture
def built(tiny: Tiny) -> list[str]:
    """The command line that built the small project."""
    return make(tiny)


def test_a_finished_build_is_known_again(built: list[str], tiny: Tiny) -> None:
    outputs = [str(tiny.path(f"build/throws.{kind}")) for kind in ("html", "pdf")]

    assert glance.nothing_to_do(built) == outputs


@pytest.mark.parametrize(
    "name",
    [
        "seeds.toml",
        "figures/roll.py",
        "figures/deeper.py",
        "templates/article.md",
        "templates/sources.toml",
        "figures/roll.json",
        "figures/roll.svg",
        "build/throws.html",
        "build/throws.pdf",
        "build/record.json",
        "build/drawings/roll-wide.svg",
        "build/drawings/roll.json",
    ],
)
@pytest.mark.parametrize("how", ["longer", "of the same length and date", "gone"])
def test_a_file_that_moved_is_seen(built: list[str], tiny: Tiny, name: str, how: str) -> None:
    import os

    path = tiny.path(name)
    data, stat = path.read_bytes(), path.stat()
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(data + b"#" if how == "longer" else data[:-1] + b"~")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    assert glance.nothing_to_do(built) is None


@pytest.mark.parametrize(
    "name",
    [
        "figures/new.py",
        "figures/data.csv",
        "figures/roll.js",
        "templates/part.html",
        "templates/fonts/New.ttf",
    ],
)
def test_a_file_that_came_is_seen(built: list[str], tiny: Tiny, name: str) -> None:
    tiny.write(name, "")

    assert glance.nothing_to_do(built) is None


def agree(tiny: Tiny, words: list[str]) -> bool:
    """Tell whether the glance and the status both find nothing to do; they must say the same."""
    project = open_project(tiny.root)
    nothing = glance.nothing_to_do(words) is not None
    assert nothing == (not stale_targets(Request(project, read_settings(project))))
    return nothing


@pytest.mark.slow
def test_whatever_file_the_code_names_is_seen_when_it_comes_changes_and_goes(tiny: Tiny) -> None:
    names = ["data/bonus.csv", "bonus.txt", "README", "figures/.bonus", "figures/chance.json"]
    tiny.edit("figures/deeper.py", "    return float", f"    del {names!r}[:]\n    return float")
    built = make(tiny)
    for name in names:
        tiny.write(name, "1")
        assert not agree(tiny, built), f"{name} came"
    make(tiny)
    assert agree(tiny, built)
    for name in names:
        tiny.write(name, "2")
        assert not agree(tiny, built), f"{name} changed"
        tiny.path(name).unlink()
        assert not agree(tiny, built), f"{name} went"
        tiny.write(name, "1")
        assert agree(tiny, built), f"{name} is back"


@pytest.mark.parametrize(
    "way",
    [
        '(Path(__file__).parent.parent / "data" / "bonus.csv").read_text()',
        'Path("data/bonus.md").with_suffix(".csv").read_text()',
        'open("data/" + "bonus" + ".csv").close()',
        'list(Path("data").glob("*.csv"))',
    ],
)
def test_where_code_puts_a_path_together_all_data_of_the_project_counts(
    tiny: Tiny, way: str
) -> None:
    tiny.write("data/bonus.csv", "1")
    tiny.edit("figures/deeper.py", "    return float", f"    def more(): {way}\n    return float")
    built = make(tiny)
    assert agree(tiny, built)
    tiny.write("data/bonus.csv", "2")
    assert not agree(tiny, built)
    make(tiny)
    tiny.write("data/more.csv", "1")

    assert not agree(tiny, built)
    for name in ("build/x.csv", ".cache/x", "venv/pyvenv.cfg", "venv/x", "tests/x.py"):
        tiny.write(name, "")
    make(tiny)
    assert agree(tiny, built)


def test_a_file_outside_the_project_that_code_names_is_seen_too(tiny: Tiny) -> None:
    tiny.edit(
        "figures/deeper.py",
        "    return float",
        "    def more(): open('../bonus.csv')\n    return float",
    )
    built = make(tiny)
    for text in ("1", "2"):
        tiny.write("../bonus.csv", text)
        assert not agree(tiny, built)
        make(tiny)
        assert agree(tiny, built)
    tiny.path("../bonus.csv").unlink()

    assert not agree(tiny, built)


def test_a_file_that_no_code_names_is_no_change(built: list[str], tiny: Tiny) -> None:
    for name in ("README.md", "data/other.csv", "figures/.other"):
        tiny.write(name, "")

    assert agree(tiny, built)


@pytest.mark.parametrize("name", ["report/errors.py", "report/new.py", "templates/page.html"])
def test_a_generator_that_moved_is_seen(built: list[str], still: Path, name: str) -> None:
    path = still / name
    before = path.read_bytes() if path.exists() else None
    path.write_bytes((before or b"") + b"\n")
    try:
        found = glance.nothing_to_do(built)
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_bytes(before)

    assert found is None
    assert glance.nothing_to_do(built) is not None


def test_a_library_that_came_or_went_is_seen(
    built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "site-packages"
    (place / "numpy-9.9.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(place)

    assert glance.nothing_to_do(built) is None


def test_a_system_library_that_was_replaced_is_seen(
    built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_bytes(b"another")
    monkeypatch.setattr(glance, "LINKER", str(tmp_path / "cache"))

    assert glance.nothing_to_do(built) is None


def touch(tiny: Tiny) -> None:
    for path in tiny.root.rglob("*"):
        path.touch()


def line_ends(tiny: Tiny) -> None:
    for name in ("seeds.toml", "figures/roll.py", "templates/article.md", "figures/roll.json"):
        tiny.path(name).write_bytes(tiny.path(name).read_bytes().replace(b"\n", b"\r\n"))


def caches(tiny: Tiny) -> None:
    tiny.write("figures/__pycache__/roll.cpython-311.pyc", "")
    tiny.write("figures/.roll.py.swp", "")


@pytest.mark.parametrize("change", [touch, line_ends, caches])
def test_what_is_no_change_is_none_at_a_glance(
    built: list[str], tiny: Tiny, change: Callable[[Tiny], None]
) -> None:
    change(tiny)

    assert glance.nothing_to_do(built) is not None


def test_another_folder_is_no_change(built: list[str], tiny: Tiny, tmp_path: Path) -> None:
    other = tiny.copy(tmp_path / "elsewhere")

    assert glance.nothing_to_do([*built[:2], str(other.root)]) == [
        str(other.path(f"build/throws.{kind}")) for kind in ("html", "pdf")
    ]


@pytest.mark.parametrize(
    "more", [["--seed", "7"], ["--paper", "letter"], ["--fresh"], ["--help"], ["--out", "x"]]
)
def test_another_wish_is_not_answered(built: list[str], more: list[str]) -> None:
    assert glance.nothing_to_do([*built, *more]) is None


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["build"], (".", "build")),
        (["build", "--project", "p", "--quiet"], ("p", "build\n--quiet")),
        (["figures", "--project=p", "a"], ("p", "figures\na")),
        (["build", "--fresh"], None),
        (["status"], None),
        ([], None),
    ],
)
def test_a_command_line_is_parted_into_folder_and_wish(
    words: list[str], asked: tuple[str, str] | None
) -> None:
    found = glance.understood(words)

    assert found == (asked and (str(Path(asked[0]).resolve()), asked[1]))


def test_a_folder_for_outputs_is_another_from_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = glance.understood(["build", "--out", "x"])
    monkeypatch.chdir(tmp_path)

    assert glance.understood(["build", "--out", "x"]) != here


@pytest.mark.parametrize("text", ["", "{", "[]", '{"build": 1}', '{"told": {}, "seal": ""}'])
def test_a_damaged_memory_is_as_none(built: list[str], tiny: Tiny, text: str) -> None:
    tiny.write(glance.NAME, text)

    assert glance.nothing_to_do(built) is None


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_memory_with_one_wrong_letter_is_as_none(
    built: list[str], tiny: Tiny, share: float
) -> None:
    memory = tiny.read(glance.NAME)
    start = int(share * len(memory))
    at = next(place for place in range(start, len(memory)) if memory[place].isalnum())
    tiny.write(glance.NAME, f"{memory[:at]}{chr(ord(memory[at]) ^ 1)}{memory[at + 1 :]}")

    assert glance.nothing_to_do(built) is None


def test_what_was_seen_of_older_inputs_is_dropped(built: list[str], tiny: Tiny) -> None:
    assert glance.nothing_to_do(built) is not None
    data = glance.remember(tiny.root, "other", {"inputs": "newer", "files": {}}, [], [])

    assert json.loads(data)["told"].keys() == {"other"}
