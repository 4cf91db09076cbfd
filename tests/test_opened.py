"""An experiment is refused, while it runs, any file that no later build would see change."""

from __future__ import annotations

from pathlib import Path

import pytest

from report import experiment, worker
from report.errors import Mistake
from report.opened import only_inputs
from report.project import Project, read_settings
from tests.conftest import Tiny

HEAD = """
import codecs, os, pathlib, tempfile, threading, warnings
from pathlib import Path
import numpy as np
HERE = Path(__file__).parent
"""


def run(tiny: Tiny, code: str) -> None:
    """Run some code as a function of the project's."""
    lines = "".join(f"    {line}\n" for line in code.split("\n"))
    path = tiny.path("figures/reader.py")
    path.write_text(f"{HEAD}\ndef whole(way): return way\ndef read(up):\n{lines}", "utf-8")
    names = {"__name__": "reader", "__file__": str(path)}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    with only_inputs(Project(tiny.root)):
        names["read"](str(tiny.root.parent))  # type: ignore[operator] # it is a function


@pytest.fixture
def around(tiny: Tiny) -> Tiny:
    """The small project with files inside it and around it."""
    for name in ("../x.csv", "data/x.csv", "figures/.hidden", "templates/part.md", "build/x.csv"):
        tiny.write(name, "1\n")
    tiny.write("figures/roll.json", "{}")
    tiny.write("figures/__pycache__/compiled.nbi", "")
    return tiny


@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("open(up + '/x.csv')", "x.csv"),
        ("np.loadtxt(Path(up) / 'x.csv')", "x.csv"),
        ("codecs.open(up + '/x.csv')", "x.csv"),
        ("os.open(up + '/x.csv', os.O_RDONLY)", "x.csv"),
        ("(Path(up) / 'x.csv').read_text()", "x.csv"),
        ("(HERE / ('.hid' + 'den')).read_bytes()", "figures/.hidden"),
        ("(HERE / ('fac' + 'es.py')).read_bytes()", "figures/faces.py"),
        ("(HERE / ('ro' + 'll.json')).read_bytes()", "figures/roll.json"),
        ("[p.read_text() for p in HERE.parent.glob('*.toml')]", "seeds.toml"),
        ("[p.read_text() for p in HERE.parent.glob('temp*/p*')]", "templates/part.md"),
        ("[p.read_text() for p in HERE.parent.glob('b*/*.csv')]", "build/x.csv"),
    ],
)
def test_a_file_under_a_name_made_up_as_it_runs_is_refused_where_no_build_looks(
    around: Tiny, way: str, name: str
) -> None:
    with pytest.raises(Mistake) as refused:
        run(around, way)

    assert f"{name} is opened by a name that is made up as the code runs" in str(refused.value)


@pytest.mark.parametrize(
    "way",
    [
        "[p.read_text() for p in HERE.parent.glob('data/*.csv')]",
        "open(HERE.parents[1] / 'x.csv')",
        "open(HERE / 'faces.py')",
        "whole(lambda: open(HERE.parent / 'data' / 'x.csv'))()",
        "open(up + '/no such file') if False else open(os.devnull)",
        "open('/proc/self/stat')",
        "(HERE / '__pycache__' / ('com' + 'piled.nbi')).read_bytes()",
        "open(np.__file__)",
        "import wave\nwarnings.warn_explicit('so', UserWarning, wave.__file__, 1)",
        "Path(up, 'own.csv').write_text('1')\nPath(up, 'own.csv').read_text()",
        "Path(up, 'new').write_text('1')\nPath(up, 'new').replace(up + '/y.csv')\nopen(up + '/y.csv')",
        "os.mkdir(up + '/own')\nos.system(f'echo 1 > {up}/own/y.csv')\nopen(up + '/own/y.csv')",
        "with tempfile.NamedTemporaryFile('w') as t: t.flush(); open(t.name)",
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_build_knows_and_what_is_no_data_is_opened(around: Tiny, way: str) -> None:
    run(around, way)


@pytest.mark.parametrize("way", ["os.listdir(up)", "list(Path(up).glob('*'))", "list(os.walk(up))"])
def test_a_folder_outside_is_not_listed(around: Tiny, way: str) -> None:
    with pytest.raises(Mistake, match="is listed, and no build would see what comes and goes"):
        run(around, way)


def test_a_relative_path_is_that_of_the_project_wherever_the_user_stands(
    around: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around.write("../elsewhere/data/x.csv", "another")
    monkeypatch.chdir(tmp_path / "elsewhere")
    run(around, "assert Path('data/x.csv').read_text() == '1\\n'\nos.listdir()")

    assert Path.cwd() == tmp_path / "elsewhere"


def test_nobody_is_refused_what_code_of_no_project_opens(around: Tiny) -> None:
    outside = around.path("../x.csv")
    with only_inputs(Project(around.root)):
        assert outside.read_text() == "1\n"


def test_code_in_a_thread_is_held_to_the_same(around: Tiny) -> None:
    code = "def work():\n    try: open(up + '/x.csv')\n    except Exception as e: found.append(str(e))\n"
    code += "found = []\nt = threading.Thread(target=work)\nt.start()\nt.join()\nraise ValueError(found[0])"

    with pytest.raises(ValueError, match=r"x\.csv is opened by a name"):
        run(around, code)


CLAIMS = "def claims(result, say):\n    return []\n\n\ndef draw("


@pytest.mark.parametrize(
    "place",
    [
        "from chance import mean",
        "    sides = parameters.dice.sides",
        "    rows = [[",
        "    canvas.height = 60",
        "    return []",
    ],
    ids=["import", "measure", "describe", "draw", "claims"],
)
def test_the_line_that_would_read_what_no_build_sees_is_named(tiny: Tiny, place: str) -> None:
    tiny.write("../x.csv", "1")
    tiny.edit("figures/roll.py", "def draw(", CLAIMS)
    project = Project(tiny.root)
    settings = read_settings(project)

    def answer(text: str) -> str:
        measured = worker.measure(project, "roll", settings).text
        worker.draw(project, "roll", text or measured, None)
        return measured

    text = answer("")
    read = f"{' ' * (len(place) - len(place.lstrip()))}open({str(tiny.root.parent)!r} + '/x.csv')"
    tiny.edit("figures/roll.py", place, f"{read}\n{place}")
    experiment.forget()
    with pytest.raises(Mistake) as refused:
        answer(text)

    line = tiny.read("figures/roll.py").split("\n").index(read) + 1
    assert str(refused.value) == (
        f"figures/roll.py, line {line}: {tiny.root.parent / 'x.csv'} is opened by a name that is made up"
        " as the code runs, so no build would see it change; write its path as one text, put it among"
        " the data of the project, or leave it out."
    )
