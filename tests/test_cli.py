"""The command line: what is printed where, with which exit status, and what a mistake looks like."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from report import crew
from report.__main__ import main
from tests.conftest import Here, Tiny

HEAVY = ("numpy", "matplotlib", "jinja2", "pydantic", "weasyprint", "rich", "pebble", "lxml")

pytestmark = pytest.mark.usefixtures("undisturbed", "swift")

Run = Callable[..., tuple[int, str, str]]


class Staff(Here):
    """A crew that is asked for like the pool."""

    def __init__(self, jobs: int, cache: Path) -> None:
        super().__init__()
        assert jobs >= 1
        assert cache.name == "cache"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process: its exit status, and what it printed where."""
    monkeypatch.setattr(crew, "Pool", Staff)
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["report", *map(str, words)])
        code: object = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return code if isinstance(code, int) else 0, out, err

    return run


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
        r"Error: \S*build: cannot be removed: Not a directory; see .*again\.\n", err
    )


@pytest.mark.parametrize("name", ["", "build", "figures", "list", "status", "clean"])
def test_help_is_given_with_an_example(run: Run, name: str) -> None:
    code, out, err = run(*filter(None, [name]), "--help")

    assert (code, err) == (0, "")
    assert out.startswith("Usage: report")
    assert f"Example: report {name}" in out or not name


# Mistakes: seeds, figures, command line

MISTAKES: dict[str, tuple[str, str, str, str]] = {
    "a misspelt section": (
        "seeds.toml", "[roll]", "[rol]",
        "seeds.toml, line 7: no experiment reads the section [rol] (did you mean 'roll'?)",
    ),
    "a misspelt key": (
        "seeds.toml", "throws =", "trows =",
        "seeds.toml, line 8: [roll] has no 'trows' (did you mean 'throws'?)",
    ),
    "a misspelt shared key": (
        "seeds.toml", "sides = 6", "sites = 6",
        "seeds.toml, line 5: [dice] has no 'sites' (did you mean 'sides'?)",
    ),
    "a missing key": ("seeds.toml", "scale = 1.5\n", "", "seeds.toml, line 7: [roll] lacks 'scale'"),
    "a missing shared section": (
        "seeds.toml", "[dice]  # shared by both\nsides = 6", "",
        "seeds.toml: there is no section [dice], which faces reads",
    ),
    "a section nobody reads": (
        "seeds.toml", "[faces]", "[other]\nx = 1\n\n[faces]",
        "seeds.toml, line 11: no experiment reads the section [other]",
    ),
    "text for a number": (
        "seeds.toml", "scale = 1.5", 'scale = "wide"',
        "seeds.toml, line 9: [roll] scale: input should be a valid number, not \"wide\"",
    ),
    "text in a list of numbers": (
        "seeds.toml", "[10, 20]", '[10, "many"]',
        "seeds.toml, line 8: [roll] throws (entry 2): input should be a valid integer",
    ),
    "a date for a number": (
        "seeds.toml", "scale = 1.5", "scale = 2017-06-12",
        "seeds.toml, line 9: [roll] scale: input should be a valid number",
    ),
    "a truth value for a number": (
        "seeds.toml", "sides = 6", "sides = true",
        "seeds.toml, line 5: [dice] sides: input should be a valid integer, not true",
    ),
    "a number that is too small": (
        "seeds.toml", "[10, 20]", "[10, 0]",
        "seeds.toml, line 8: [roll] throws (entry 2): input should be greater than or equal to 1",
    ),
    "an empty list": (
        "seeds.toml", "[10, 20]", "[]", "seeds.toml, line 8: [roll] throws: ",
    ),
    "an empty text": ("seeds.toml", '"face"', '""', "seeds.toml, line 12: [faces] label: "),
    "a NaN": (
        "seeds.toml", "scale = 1.5", "scale = nan",
        "seeds.toml, line 9: [roll] scale holds nan, and no number may be NaN or infinite",
    ),
    "an infinity in a list": (
        "seeds.toml", "[10, 20]", "[10, inf]",
        "seeds.toml, line 8: [roll] throws holds [10, inf], and no number may be NaN or infinite",
    ),
    "broken TOML": (
        "seeds.toml", "[10, 20]", "[10, 20",
        "seeds.toml, line 9: is not valid TOML: ",
    ),
    "a key given twice": (
        "seeds.toml", "scale = 1.5", "scale = 1.5\nscale = 2",
        "seeds.toml, line 10: is not valid TOML: cannot overwrite a value",
    ),
    "no base seed": (
        "seeds.toml", "seed = 11  # base of every stream\n", "",
        "seeds.toml: there is no base seed; write `seed = 2017` above the first section",
    ),
    "a negative seed": (
        "seeds.toml", "seed = 11", "seed = -1",
        "seeds.toml, line 2: seed expects a whole number from 0 up, not -1",
    ),
    "a seed in words": (
        "seeds.toml", "seed = 11", 'seed = "eleven"',
        "seeds.toml, line 2: seed expects a whole number from 0 up, not \"eleven\"",
    ),
    "a value outside every section": (
        "seeds.toml", "seed = 11", "seed = 11\nsides = 6",
        "seeds.toml, line 3: 'sides' stands outside every section",
    ),
    "a section written as a list": (
        "seeds.toml", "[faces]", "[[faces]]",
        "seeds.toml, line 11: 'faces' is a section: write [faces], in single brackets",
    ),
    "an unknown setting": (
        "seeds.toml", "[faces]", "[build]\nlimits = 3\n\n[faces]",
        "seeds.toml, line 12: [build] has no 'limits' (did you mean 'limit'?)",
    ),
    "a limit of nothing": (
        "seeds.toml", "[faces]", "[build]\nlimit = 0\n\n[faces]",
        "seeds.toml, line 12: [build] limit expects seconds above 0, not 0",
    ),
    "a syntax error": (
        "figures/roll.py", "means = {n:", "means = {n",
        "figures/roll.py, line 32: cannot be loaded: ",
    ),
    "a syntax error in a helper": (
        "figures/deeper.py", "def total(values):", "def total(values)",
        "figures/deeper.py, line 4: cannot be loaded: expected ':'",
    ),
    "an import of nothing": (
        "figures/chance.py", "from deeper import", "from depper import",
        "figures/chance.py, line 3: cannot be loaded: ModuleNotFoundError: No module named 'depper'",
    ),
    "a name that is not defined": (
        "figures/roll.py", "mean(stream(n)", "meen(stream(n)",
        "figures/roll.py, line 32: stopped while measuring: NameError: name 'meen' is not defined",
    ),
    "a fault inside a helper": (
        "figures/deeper.py", "sum(values)", "sum(values) / 0",
        "figures/deeper.py, line 6: stopped while measuring: ",
    ),
    "an experiment that leaves": (
        "figures/roll.py", "    sides = parameters", "    raise SystemExit(0)\n    sides = parameters",
        "figures/roll.py, line 31: stopped while measuring: SystemExit: 0",
    ),
    "a result that is no number": (
        "figures/faces.py", "1 / sides", "float('nan')",
        "figures/faces.py: measured what cannot be stored: faces.share is nan",
    ),
    "a result that cannot be stored": (
        "figures/faces.py", "1 / sides", "object()",
        "figures/faces.py: measured what cannot be stored: faces.share is object",
    ),
    "no draw": (
        "figures/roll.py", "def draw(", "def drawn(",
        "figures/roll.py: defines no `draw`, and every experiment needs one",
    ),
    "no parameters": (
        "figures/roll.py", "@dataclass(frozen=True)\nclass Parameters:", "class Parameters:",
        "figures/roll.py: defines no dataclass `Parameters` that says what it reads",
    ),
    "a type that is not defined": (
        "figures/roll.py", "scale: float", "scale: Flaot",
        "figures/roll.py: the types of `Parameters` cannot be read: name 'Flaot' is not defined",
    ),
    "a type that cannot be checked": (
        "figures/roll.py", "scale: float", "scale: complex | Ge",
        "figures/roll.py: the types of `Parameters` cannot be checked: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_sentence_that_says_where(run: Run, tiny: Tiny, case: str) -> None:
    file, old, new, sentence = MISTAKES[case]
    tiny.write("build/throws.html", "earlier")
    tiny.edit(file, old, new)
    code, out, err = run("build", "--project", tiny.root, "--quiet")

    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {sentence}")
    assert err.count("\n") == 1
    assert err[-2] in ".?"
    assert "Traceback" not in err
    assert tiny.read("build/throws.html") == "earlier"


def test_a_file_that_is_no_text_is_one_sentence(run: Run, tiny: Tiny) -> None:
    tiny.path("seeds.toml").write_bytes(b"seed = 11 # caf\xe9\n")
    code, _, err = run("build", "--project", tiny.root)

    assert code == 2
    assert err.startswith("Error: seeds.toml: is not UTF-8 text")


@pytest.mark.parametrize(
    ("stem", "sentence"),
    [
        ("json", "figures/json.py: 'json' is also the name of a Python library; give it another"),
        ("numpy", "figures/numpy.py: 'numpy' is also the name of a Python library"),
        ("a-b", "figures/a-b.py: 'a-b' cannot be quoted in the text"),
        ("Big", "figures/Big.py: 'Big' cannot be quoted in the text"),
        ("2nd", "figures/2nd.py: '2nd' cannot be quoted in the text"),
    ],
)
def test_a_stem_that_no_text_or_import_could_use_is_refused(
    run: Run, tiny: Tiny, stem: str, sentence: str
) -> None:
    tiny.path("figures/faces.py").rename(tiny.path(f"figures/{stem}.py"))
    code, _, err = run("figures", "--project", tiny.root)

    assert code == 2
    assert err.startswith(f"Error: {sentence}")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--set", "rol.scale=1"], "--set rol.scale: there is no section [rol] (did you mean 'roll'?)"),
        (["--set", "roll.scal=1"], "--set roll.scal: [roll] has no 'scal' (did you mean 'scale'?)"),
        (["--set", "sed=1"], "--set sed: seeds.toml has no 'sed' (did you mean 'seed'?)"),
        (["--set", "roll"], "--set roll: expects section.key=value, as in `--set seed=7`"),
        (["--set", "roll.scale=wide"], "--set roll.scale: 'wide' is not a value"),
        (["--set", "roll.scale="], "--set roll.scale: '' is not a value"),
        (["--set", 'roll.scale="x"'], "--set roll.scale: [roll] scale: input should be a valid number"),
        (["--set", "../x.y=1"], "--set ../x.y=1: expects section.key=value"),
        (["--seed", "many"], "--set seed: 'many' is not a value"),
        (["--seed", "-3"], "--set seed: seed expects a whole number from 0 up, not -3"),
        (["--jobs", "0"], "Invalid value for '--jobs': 0 is not in the range x>=1."),
        (["--paper", "a5"], "Invalid value for '--paper': 'a5' is not one of 'a4', 'letter'."),
        (["--papr", "a4"], "No such option '--papr'"),
        (["roll"], "Got unexpected extra argument (roll)"),
    ],
)  # fmt: skip
def test_a_slip_on_the_command_line_is_one_sentence(
    run: Run, tiny: Tiny, words: list[str], sentence: str
) -> None:
    code, out, err = run("build", "--project", tiny.root, *words)

    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {sentence}")
    assert err.count("\n") == 1


def test_an_unknown_command_names_the_near_ones(run: Run) -> None:
    code, _, err = run("biuld")

    assert code == 2
    assert err.startswith("Error: No such command 'biuld'")


@pytest.mark.parametrize("lacks", ["seeds.toml", "figures", "templates/article.md"])
def test_a_folder_that_is_no_project_is_told_what_it_lacks(
    run: Run, tiny: Tiny, lacks: str
) -> None:
    tiny.path(lacks).rename(tiny.path("elsewhere"))
    code, _, err = run("build", "--project", tiny.root)

    assert code == 2
    assert err.startswith(f"Error: {tiny.root}: {lacks} is not there")


def test_an_unknown_figure_is_refused_with_the_nearest_name(run: Run, tiny: Tiny) -> None:
    code, _, err = run("figures", "rol", "--project", tiny.root)

    assert code == 2
    assert err == "Error: figures/: there is no experiment 'rol' (did you mean 'roll'?).\n"


def test_a_fault_of_the_generator_keeps_its_traceback(
    run: Run, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("report.worker.page")
    with pytest.raises(AttributeError):
        run("build", "--project", tiny.root)


def test_a_folder_that_cannot_be_written_is_one_sentence(run: Run, tiny: Tiny) -> None:
    tiny.write("build", "a file where a folder should be")
    code, _, err = run("build", "--project", tiny.root)

    assert code == 2
    assert "build/" in err
    assert "cannot be written: " in err
    assert err.count("\n") == 1


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
