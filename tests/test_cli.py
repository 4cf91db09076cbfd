"""The command line: what is printed where, with which exit status, and what a mistake looks like."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from report.results import write_whole
from tests.conftest import Run, Tiny

HEAVY = ("numpy", "matplotlib", "jinja2", "pydantic", "weasyprint", "rich", "pebble", "lxml")

pytestmark = pytest.mark.usefixtures("undisturbed", "swift")


def test_a_build_says_what_it_did_and_names_files_from_where_one_stands(
    run: Run, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny.path("figures"))
    code, out, err = run("build", "--project", "..")
    lines = out.splitlines()

    assert (code, err) == (0, "")
    assert re.search(r"^roll +measured in \d+\.\d s$", out, re.MULTILINE)
    assert re.fullmatch(r"\.\./build/throws\.html  \d+ kB", lines[-3])
    assert re.fullmatch(r"\.\./build/throws\.pdf  \d+ kB, 3 pages", lines[-2])
    assert re.fullmatch(
        r"Measured faces, roll; drawn faces, roll; set page, PDF; nothing reused\. \d+\.\d s",
        lines[-1],
    )


def test_a_second_build_prints_one_line(run: Run, tiny: Tiny) -> None:
    run("build", "--project", tiny.root)
    code, out, err = run("build", "--project", tiny.root)

    assert (code, err) == (0, "")
    assert re.fullmatch(r"Nothing to do: \S+throws.html and \S+throws.pdf are up to date.\n", out)


@pytest.mark.parametrize("times", ["the first time", "again"])
def test_a_quiet_build_prints_the_paths_alone(run: Run, tiny: Tiny, times: str) -> None:
    if times == "again":
        run("build", "--project", tiny.root)
    code, out, err = run("build", "--project", tiny.root, "--quiet")

    assert (code, err) == (0, "")
    assert [Path(line).name for line in out.splitlines()] == ["throws.html", "throws.pdf"]


def test_figures_alone_need_no_article(run: Run, tiny: Tiny) -> None:
    tiny.path("templates/article.md").unlink()
    code, out, _ = run("figures", "roll", "--project", tiny.root)
    again = run("figures", "roll", "--project", tiny.root)[1]

    assert code == 0
    assert re.search(r"Measured roll; drawn roll; nothing reused\. \d+\.\d s\n$", out)
    assert again == "Nothing to do: every result and picture asked for is up to date.\n"


def test_a_seed_is_a_set_with_another_name(run: Run, tiny: Tiny) -> None:
    run("build", "--project", tiny.root, "--seed", "7")
    _, out, _ = run("build", "--project", tiny.root, "--set", "seed=7")

    assert tiny.path("build/seed=7/throws-seed-7.pdf").exists()
    assert out.splitlines()[-1].startswith("Nothing to do: ")


def test_explain_gives_the_reasons(run: Run, tiny: Tiny) -> None:
    run("build", "--project", tiny.root)
    tiny.edit("seeds.toml", "[10, 20]", "[10, 30]")
    _, out, _ = run("build", "--project", tiny.root, "--explain")

    assert out.startswith("roll                 measuring again, as throws changed from ")


def test_status_and_list_ask_without_making(run: Run, tiny: Tiny) -> None:
    before = {path: path.stat().st_mtime_ns for path in tiny.root.rglob("*")}
    status, listed = run("status", "--project", tiny.root), run("list", "--project", tiny.root)

    assert status[1].startswith("faces, to measure: it was not built here before\n")
    assert listed[1].startswith("faces  to measure  How likely is each face?\n")
    assert {path: path.stat().st_mtime_ns for path in tiny.root.rglob("*")} == before


def test_clean_removes_what_is_not_committed(run: Run, tiny: Tiny) -> None:
    run("build", "--project", tiny.root)
    code, _, _ = run("clean", "--project", tiny.root)

    assert code == 0
    assert not tiny.path("build").exists()
    assert tiny.path("figures/roll.json").exists()


def test_a_strict_build_of_a_clone_ends_well_only_if_every_result_is_the_committed_one(
    run: Run, tiny: Tiny
) -> None:
    tiny.edit("figures/roll.py", "[n, say.fixed", "[say.count(int(n)), say.fixed")
    run("build", "--project", tiny.root)
    tiny.path("build/record.json").unlink()
    same = run("build", "--project", tiny.root, "--strict")
    tiny.path("build/record.json").unlink()
    tiny.edit("figures/faces.json", "0.166666667", "0.17")
    other = run("build", "--project", tiny.root, "--strict")

    assert "2 of 2 results equal the committed ones, byte for byte.\n" in same[1]
    assert "1 of 2 results equal the committed ones, byte for byte; replaced: faces." in other[1]
    assert (same[0], other[0]) == (0, 1)


def test_clean_says_so_where_it_cannot(run: Run, tiny: Tiny) -> None:
    nothing = run("clean", "--project", tiny.root)
    tiny.write("build", "a file where a folder should be")
    code, _, err = run("clean", "--project", tiny.root)

    assert nothing == (0, "", "")
    assert code == 2
    assert re.fullmatch(
        r"Error: \S*build: this cannot be removed \(Not a directory\); see .*again\.\n", err
    )


def test_clean_names_in_whole_what_it_cannot_remove(
    run: Run, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, **_: object) -> None:
        raise PermissionError(13, "Permission denied", name)

    tiny.write("build/drawings/faces.json", "{}")
    monkeypatch.chdir(tiny.root)
    monkeypatch.setattr("os.unlink", refuse)

    assert run("clean") == (
        2,
        "",
        "Error: build/drawings/faces.json: this cannot be removed (Permission denied); see to it and"
        " run the command again.\n",
    )


def test_what_the_system_refuses_is_named_as_the_user_knows_it(
    run: Run, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        write_whole(tiny.path("figures/sweep.json"), b"")

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(tiny.root)
    monkeypatch.setattr("os.fsync", refuse)
    monkeypatch.setattr("report.asking.swept", full)

    assert run("sweep") == (
        2,
        "",
        "Error: figures/sweep.json: the system answers “No space left on device”; see to it and run"
        " the command again.\n",
    )
    assert not list(tiny.path("figures").glob(".*"))


def test_clean_leaves_alone_what_a_link_leads_to(run: Run, tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    tiny.path("build").symlink_to(tmp_path / "kept")
    code, _, err = run("clean", "--project", tiny.root)

    assert (code, (tmp_path / "kept").is_dir()) == (2, True)
    assert re.fullmatch(r"Error: \S*build: this cannot be removed \(it is a link, .*again\.\n", err)


@pytest.mark.parametrize("options", [["--seed", "7"], ["--set", "roll.scale=2"], ["--out"]])
def test_a_strict_build_judges_what_it_built(
    run: Run, tiny: Tiny, tmp_path: Path, options: list[str]
) -> None:
    options = [*options, str(tmp_path / "out")] if options == ["--out"] else options
    tiny.edit("figures/roll.py", "[n, say.fixed", "[say.count(int(n)), say.fixed")
    sound = run("build", "--project", tiny.root, "--strict", *options)
    tiny.edit("figures/roll.py", '"caption": "Means."', '"caption": "Means of 88."')
    found = run("build", "--project", tiny.root, "--strict", "--fresh", *options)

    assert sound[0] == 0, sound
    assert (found[0], found[2]) == (1, "")
    assert "'88' answers to no result" in found[1]


def test_lint_counts_what_it_found(run: Run, tiny: Tiny) -> None:
    tiny.edit("figures/roll.py", "[n, say.fixed", "[say.count(int(n)), say.fixed")
    run("build", "--project", tiny.root)
    said, old = [], "about dice"
    for new in ("about dice", "of 77 words", "of 77 words in 88 lines"):
        tiny.edit("templates/article.md", f"article {old}", f"article {new}")
        said.append(run("lint", "--project", tiny.root)[1].splitlines()[-1])
        old = new

    assert said == ["Every number answers.", "1 number from nowhere.", "2 numbers from nowhere."]


@pytest.mark.parametrize("full", [True, False])
def test_an_answer_that_cannot_be_written_is_one_sentence_and_no_fault(
    run: Run, tiny: Tiny, still: Path, full: bool
) -> None:
    words = ["figures", "--project", str(tiny.root)]
    run(*words)
    env = {**os.environ, "PYTHONPATH": str(still), "PYTHONUNBUFFERED": ""}
    command = [sys.executable, "-m", "report", *words]
    if full:
        with Path("/dev/full").open("wb") as out:
            done = subprocess.run(
                command, stdout=out, stderr=subprocess.PIPE, text=True, check=False, env=env
            )
        assert done.returncode == 2
        assert re.fullmatch(r"Error: the system answers “No space.*\n", done.stderr)
    else:
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, env=env
        )
        os.close(writer)
        assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("name", ["", "build", "figures", "list", "status", "clean"])
def test_help_is_given_with_an_example(run: Run, name: str) -> None:
    code, out, err = run(*filter(None, [name]), "--help")

    assert (code, err) == (0, "")
    assert out.startswith("Usage: report")
    assert f"Example: report {name}" in out or not name


# Faults of the generator


def test_a_fault_of_the_generator_keeps_its_traceback(
    run: Run, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("report.worker.page")
    with pytest.raises(AttributeError):
        run("build", "--project", tiny.root)


# What nothing to do costs


def imported(generator: Path, *words: str | Path) -> tuple[str, set[str]]:
    """Run a command line in a process of its own: what it says, and the modules it needed."""
    code = (
        "import sys; sys.argv[0] = 'report'\nfrom report.__main__ import main\n"
        "try: main()\nexcept SystemExit: pass\nprint('MODULES', *sys.modules)"
    )
    command = [sys.executable, "-c", code, *map(str, words)]
    env = {**os.environ, "PYTHONPATH": str(generator)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=env, cwd=generator / "templates"
    )
    said, _, modules = done.stdout.partition("MODULES ")
    return said, set(modules.split())


def test_a_build_with_nothing_to_do_imports_nothing_heavy(
    run: Run, tiny: Tiny, still: Path
) -> None:
    run("figures", "--project", tiny.root)
    said, modules = imported(still, "figures", "--project", tiny.root)

    assert said.startswith("Nothing to do: ")
    assert not modules & {*HEAVY, "click", "pathlib", "typing", "report.cli", "report.project"}


def test_help_imports_nothing_heavy(still: Path) -> None:
    said, modules = imported(still, "build", "--help")

    assert said.startswith("Usage: ")
    assert not modules & {*HEAVY, "tomllib", "multiprocessing", "report.project"}
