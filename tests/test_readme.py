"""What the README shows is what happens."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project's own sources, without anything made."""
    for name in ("figures", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "seeds.toml", tmp_path)
    return tmp_path


def _report(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "report", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow  # a process of its own that loads all that draws
def test_the_worked_example_becomes_a_figure_of_the_report(copy: Path) -> None:
    (code,), (seeds,), (place,) = _blocks("python"), _blocks("toml"), _blocks("markdown")
    (copy / "figures" / "lead.py").write_text(code)
    with (copy / "seeds.toml").open("a") as file:
        file.write("\n" + seeds)
    made = _report("figures", "lead", "--project", str(copy))

    assert made.returncode == 0, made.stderr
    assert '"weight": 0.99966' in (copy / "figures" / "lead.json").read_text()
    assert "<svg" in (copy / "figures" / "lead.svg").read_text()
    assert place.startswith("::: figure lead\n")


@pytest.mark.slow  # mypy takes half a minute where it has seen nothing yet
def test_the_worked_example_passes_the_project_s_own_checks(tmp_path: Path) -> None:
    (code,) = _blocks("python")
    (tmp_path / "lead.py").write_text(code)
    for check in (["ruff", "check", "--ignore", "E501,ARG001"], ["mypy", "--strict"]):
        command = [sys.executable, "-m", *check, "--config-file" if "mypy" in check else "--config"]
        command += [str(ROOT / "pyproject.toml"), str(tmp_path / "lead.py")]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_make_target_the_readme_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"make (report|watch|figures|test|check|lint|clean)\b", README))

    assert targets >= {"report", "watch", "test"}
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_everything_the_tree_names_is_there() -> None:
    (tree,) = _blocks("text")
    names = [line.split()[0] for line in tree.splitlines()]

    missing = [name for name in names if name != "build/" and not (ROOT / name).exists()]
    assert missing == []


def test_the_override_lands_where_the_readme_says() -> None:
    from report.project import open_project, read_settings
    from report.shelf import place_for

    project = open_project(ROOT)
    place = place_for(project, read_settings(project, {"seed": 7}), None)

    assert f"{project.shown(place.out)}/attention-scaling{place.suffix}.pdf" in README


def test_every_command_the_readme_shows_is_one() -> None:
    from report.cli import commands

    shown = set(re.findall(r"^\$ \.venv/bin/report (\w+)", README, re.MULTILINE))

    assert shown >= {"claims", "diff", "new", "verify"}
    assert shown <= commands.commands.keys()


def test_another_article_is_begun_and_built_with_the_words_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from report.new import lay_out, next_command

    block = next(each for each in _blocks("console") if "report new" in each)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(python))
    lay_out(Path("notes"), "notes")

    assert block == f"$ .venv/bin/report new notes\n$ {next_command('notes')}\n"


def test_every_project_the_readme_builds_is_there() -> None:
    shown = set(re.findall(r"^\$ make -C (\S+) report$", README, re.MULTILINE))

    assert "examples/layer_normalization" in shown
    assert all((ROOT / name / "Makefile").is_file() for name in shown - {"notes"})
