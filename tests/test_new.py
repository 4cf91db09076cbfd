"""Another article: laid out by `report new`, built at once, also where only the wheel is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from report import new
from report.freshness import Depends
from report.new import STARTER
from report.project import OWN, default_templates, open_project, read_settings
from tests.conftest import Run, Tiny

ROOT = Path(__file__).parent.parent
MAKE = shutil.which("make") or "make"


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


# What is laid out


def test_a_new_project_is_named_file_by_file_with_the_command_that_builds_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("new", "notes")
    *named, last = out.splitlines()

    assert (code, err) == (0, "")
    assert sorted(named) == sorted(f"notes/{name}" for name in _files(tmp_path / "notes"))
    assert {f"notes/{name}" for name in ("Makefile", "seeds.toml", "templates/article.md")} < {
        *named
    }
    assert last.startswith("Next: make -C notes report")
    assert _files(tmp_path / "notes") == _files(STARTER)


def test_a_new_project_takes_an_empty_folder(run: Run, tmp_path: Path) -> None:
    assert run("new", tmp_path)[0] == 0
    assert _files(tmp_path) == _files(STARTER)


@pytest.mark.parametrize("there", ["a file in it", "a file", "a link", "a link to nothing"])
def test_nothing_is_ever_laid_over_something(run: Run, tmp_path: Path, there: str) -> None:
    place, other = tmp_path / "notes", tmp_path / "other"
    if there == "a file in it":
        place.mkdir()
        (place / ".hidden").write_text("mine")
    elif there == "a file":
        place.write_text("mine")
    else:
        place.symlink_to(other)
        if there == "a link":
            other.mkdir()
    before = _files(tmp_path)

    assert run("new", place) == (
        2,
        "",
        f"Error: {place}: there is something already, and a new project begins in a folder that is"
        " empty; name a folder that is not there yet.\n",
    )
    assert _files(tmp_path) == before


def test_a_folder_that_nobody_can_make_is_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, out, err = run("new", tmp_path / "file" / "notes")

    assert (code, out) == (2, "")
    assert re.fullmatch(r"Error: \S+: the system answers “Not a directory”; .*\.\n", err)


# Which Python builds it


@pytest.mark.parametrize("near", [".", "..", "../..", "nowhere"])
def test_the_next_command_names_this_python_just_where_make_would_take_another(
    tmp_path: Path, near: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, shell = tmp_path / "one" / "two", tmp_path / "bin" / "python3"
    new.lay_out(folder, "two")
    taken = shell if near == "nowhere" else folder / near / ".venv" / "bin" / "python"
    for python in (shell, taken):
        python.parent.mkdir(parents=True, exist_ok=True)
        python.write_text("#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done; echo; echo $0\n")
        python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shell.parent}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(taken))
    plain = new.next_command(str(folder))
    monkeypatch.setattr(sys, "executable", "/elsewhere/bin/python")
    named = new.next_command(str(folder))
    words = ["--no-print-directory", "-C", str(folder), "report", "SEED=7", "SET=a.b=1 a.c='$$'"]
    said, by = subprocess.check_output([MAKE, *words], text=True).splitlines()

    assert plain == f"make -C {folder} report"
    assert named == f"{plain} PYTHON=/elsewhere/bin/python"
    assert said == "<-m><report><build><--seed><7><--set><a.b=1 a.c='$'>"
    assert (folder / by).resolve() == taken.resolve()


def test_a_python_that_lacks_the_generator_is_one_sentence_with_what_to_type(
    tmp_path: Path,
) -> None:
    new.lay_out(tmp_path / "notes", "notes")
    python, path = tmp_path / "python3", f"{tmp_path}:/usr/bin:/bin"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')  # without what is installed
    python.chmod(0o755)
    for target in ("report", "watch", "cards", "test", "check"):
        words = [MAKE, "--no-print-directory", "-C", str(tmp_path / "notes"), target]
        ran = subprocess.run(words, env={"PATH": path}, capture_output=True, text=True, check=False)
        said, *of_make = ran.stderr.splitlines()

        assert (ran.returncode, ran.stdout, len(of_make)) == (2, "", 1)
        assert said == (
            "Error: python3 lacks the generator that builds this project; name the Python it is"
            f" installed for, as `report new` did: `make {target} PYTHON=/path/to/python`."
        )


def test_a_python_that_lacks_pytest_is_told_how_to_get_it(tmp_path: Path) -> None:
    new.lay_out(tmp_path / "notes", "notes")
    python = tmp_path / "python3"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *pytest*) exit 1;; esac\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)

    words = [MAKE, "--no-print-directory", "-C", str(tmp_path / "notes"), "test"]
    ran = subprocess.run([*words, f"PYTHON={python}"], capture_output=True, text=True, check=False)

    said, *_ = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said == (
        f"Error: {python} lacks pytest, which runs the tests; type `{python} -m pip install pytest`."
    )


def test_every_wish_of_a_report_is_handed_on_and_no_other_taken(tmp_path: Path) -> None:
    new.lay_out(tmp_path / "notes", "notes")
    words = [MAKE, "--no-print-directory", "-n", "-C", str(tmp_path / "notes"), "report"]

    told = subprocess.check_output([*words, "JOBS=3", "SINCE=old copy.pdf"], text=True)
    ran = subprocess.run([*words, "JOB=3"], capture_output=True, text=True, check=False)

    assert "--jobs '3'" in told
    assert "--since 'old copy.pdf'" in told
    assert ran.returncode == 2
    assert "there is no 'JOB' to wish for" in ran.stderr


# What one article has of its own


def test_no_article_is_lent_what_belongs_to_another(tiny: Tiny) -> None:
    """The generator lends its page, styles and fonts; texts, sources and colors are the first article's."""
    for name in OWN:
        tiny.path(f"templates/{name}").unlink(missing_ok=True)
    project = open_project(tiny.root, article=False)
    lent = Depends(project, read_settings(project)).templates

    assert all((default_templates() / name).is_file() for name in OWN)
    assert lent.keys() & set(OWN) == set()
    assert {"page.html", "print.css", "fonts/QuillText-Regular.ttf"} < lent.keys()


# Built for real


def _lend(pins: Path, to: Path) -> None:
    """Put the pinned libraries, and nothing else that is installed here, into an environment."""
    for name in re.findall(r"^([a-z0-9-]+)==", pins.read_text("utf-8"), re.MULTILINE):
        try:
            library = distribution(name)
        except PackageNotFoundError:  # one for another system
            continue
        for top in {file.parts[0] for file in library.files or []} - {"..", "__pycache__"}:
            if not (to / top).exists():
                (to / top).symlink_to(Path(str(library.locate_file(top))).resolve())


@pytest.mark.slow
def test_the_wheel_alone_makes_a_project_and_builds_it(tmp_path: Path) -> None:
    """The environment holds the pinned libraries, and pip finds that the wheel needs no more."""
    env, wheels, notes = (tmp_path / name for name in ("env", "wheels", "notes"))

    def ran(*words: str | Path) -> str:
        clean = {"PATH": f"{env / 'bin'}:/usr/bin:/bin", "PYTHONNOUSERSITE": "1"}
        done = subprocess.run(
            words, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    ran(sys.executable, "-m", "venv", "--without-pip", env)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [libraries] = env.glob("lib/python*/site-packages")
    _lend(ROOT / "requirements.txt", libraries)
    pip = [sys.executable, "-m", "pip", "--python", str(env / "bin" / "python"), "--no-cache-dir"]
    ran(*pip, "install", "--no-index", *wheels.glob("*.whl"))
    where = ran(env / "bin" / "python", "-c", "import report; print(report.__file__)")

    assert Path(where.strip()).is_relative_to(libraries)
    assert ran("report", "new", "notes").endswith("Next: make -C notes report\n")
    assert "1 claim holds.\n" in ran(MAKE, "-C", notes, "check")
    assert {path.suffix for path in (notes / "build").glob("mean-of-dice.*")} == {".html", ".pdf"}
    assert {"figures/mean_of_dice.json", "figures/mean_of_dice.svg"} < _files(notes).keys()


@pytest.mark.slow
def test_the_test_of_a_new_project_passes_in_it(tmp_path: Path) -> None:
    new.lay_out(tmp_path / "notes", "notes")
    ran = subprocess.run(
        [MAKE, "-C", tmp_path / "notes", "test", f"PYTHON={sys.executable}"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "6 passed" in ran.stdout
