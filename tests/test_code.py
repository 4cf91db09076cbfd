"""Following code by name: what counts as reached, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.code import Code, Reach

GENERATOR = Path(__file__).parents[1] / "report"


def reach(root: Path, **modules: str) -> Reach:
    """Write modules into `figures/` and follow `measure` of the one named `one`."""
    for name, source in modules.items():
        path = root / "figures" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
    return Code(root, GENERATOR).reach(("one", "measure"))


def labels(found: Reach) -> set[str]:
    """Name what is reached: `one.measure` for `code figures/one.py measure`."""
    parts = (part.split(" ", 2) for part in found.parts if part.startswith("code "))
    return {f"{Path(file).stem}.{label}" for _, file, label in parts}


def test_a_function_reaches_what_it_calls_and_nothing_else(tmp_path: Path) -> None:
    found = reach(
        tmp_path,
        one="""
def measure(): return step() + LEAP
def step(): return 1
def draw(): return INK
LEAP, INK = 2, 3
""",
    )

    assert labels(found) == {"one.measure", "one.step", "one.INK, LEAP"}


@pytest.mark.parametrize(
    "way",
    [
        "from two import helper\ndef measure(): return helper()",
        "from two import helper as aid\ndef measure(): return aid()",
        "import two\ndef measure(): return two.helper()",
        "import two as deux\ndef measure(): return deux.helper()",
        "def measure():\n    from two import helper\n    return helper()",
        "from two import *\ndef measure(): return helper()",
        "from two import measure",
    ],
    ids=lambda way: way.split("\n")[0],
)
def test_imports_are_followed_however_they_are_written(tmp_path: Path, way: str) -> None:
    two = "def helper(): return deep()\nmeasure = helper\nfrom three import deep\n"
    found = reach(tmp_path, one=way, two=two, three="def deep(): return 1\ndef other(): return 2")

    assert {"two.helper", "three.deep"} <= labels(found)
    assert "three.other" not in labels(found)


@pytest.mark.parametrize(
    "way",
    [
        "import two\ndef measure(): return getattr(two, 'hel' + 'per')()",
        "import importlib\ndef measure(): return importlib.import_module('two').helper()",
        "def measure(): return eval('helper()')",
        "from builtins import eval as reckon\ndef measure(): return reckon('helper()')",
        "from importlib import import_module as get\ndef measure(): return get('two').helper()",
        "import sys, two\ndef measure(): return getattr(sys.modules['two'], 'helper')()",
        "from sys import modules as m\ndef measure(): return m['two'].helper()",
        "from two import *\ndef measure(): return vars()['hel' + 'per']()",
        "import two\ndef measure(): return two.__dict__['hel' + 'per']()",
        "import runpy\ndef measure(): return runpy.run_path('figures/two.py')",
        "def measure():\n    import two\n    return two",
    ],
    ids=lambda way: way.split("\n")[-1].strip(),
)
def test_what_no_name_can_follow_counts_as_reached(tmp_path: Path, way: str) -> None:
    found = reach(tmp_path, one=way, two="def helper(): return 1\ndef other(): return 2")

    assert {"two.helper", "two.other"} <= labels(found)


def test_a_package_inside_figures_is_followed(tmp_path: Path) -> None:
    (tmp_path / "figures" / "kit").mkdir(parents=True)
    (tmp_path / "figures" / "kit" / "__init__.py").write_text("print('imported')", "utf-8")
    found = reach(
        tmp_path,
        one="from kit import tool\nimport kit.spare\ndef measure(): return tool.turn(), kit.spare.x",
        kit__tool="from .nut import bolt\ndef turn(): return bolt\ndef unused(): return 0",
        kit__nut="bolt = 1\nother = 2",
        kit__spare="x = 1",
    )

    assert {"tool.turn", "nut.bolt", "spare.x", "__init__.(top level)"} <= labels(found)
    assert not {"tool.unused", "nut.other"} & labels(found)


def test_what_an_import_does_by_itself_counts(tmp_path: Path) -> None:
    found = reach(
        tmp_path,
        one="import two\ndef measure(): return 1",
        two="import numpy\nnumpy.seterr(all='raise')\ndef helper(): return 1",
    )

    assert labels(found) == {"one.measure", "two.(top level)"}
    assert found.libraries == {"numpy"}


def test_a_decorator_that_may_register_a_function_makes_it_count(tmp_path: Path) -> None:
    found = reach(
        tmp_path,
        one="""
from functools import cache
ways = []
def register(f): ways.append(f)
@register
def way(): return 1
@cache
def unused(): return 2
def measure(): return ways[0]()
""",
    )

    assert "one.way" in labels(found)
    assert "one.unused" not in labels(found)


@pytest.mark.parametrize(
    "way",
    [
        "import three\nthree.total = bigger",
        'import three\nthree.WAYS["sum"] = bigger',
        "import three\nthree.total, spare = bigger, 1",
        'import three\nthree.WAYS |= {"sum": bigger}',
        "from three import ROW\nROW += [bigger]",
        'from three import WAYS\nways = WAYS\nways["sum"] = bigger',
        "from three import register\n_ = register(bigger)",
        'from three import *\nbefore = WAYS.setdefault("sum", bigger)',
        "import three\ndone: list = [three.register(each) for each in (bigger,)]",
        "import three\ndone = three.register(lambda: bigger())",
        "from three import Way\nclass Bigger(Way):\n    total = bigger",
        "import three\nclass Bigger(three.Way): total = bigger",
        "class Kind(type): pass\nclass Bigger(metaclass=Kind): total = bigger",
    ],
)
def test_code_that_another_module_registers_or_patches_counts(tmp_path: Path, way: str) -> None:
    found = reach(
        tmp_path,
        one="import two\nfrom three import total\ndef measure(): return total()",
        two=f"{way}\ndef bigger(): return 1\ndef unused(): return 2\nLIMITS = dict(a=1)",
        three="WAYS, ROW = {}, []\ndef total(): return 1\ndef register(f): WAYS[f] = f\nclass Way: pass",
    )

    assert "two.bigger" in labels(found)
    assert not {"two.unused", "two.LIMITS"} & labels(found)


def test_whatever_changes_a_value_counts_with_it(tmp_path: Path) -> None:
    found = reach(
        tmp_path,
        one="""
table = {}
table["a"] = 1
count = 0
count += 1
def bump():
    global count
    count = 7
def measure(): return table, count
""",
    )

    assert labels(found) == {"one.table", "one.count", "one.bump", "one.measure"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def step(): return 1", "def step():\n    # why\n    return (1)"),
        ("def step(): return 1", 'def step():\n    """Say."""\n    return 1'),
        ("def step(): return 1", "\n\n\ndef step(): return 1"),
        ("def step(): return 1", "def step(): return 1\nif __name__ == '__main__': print(step())"),
        ("import os", "import os, typing\nif typing.TYPE_CHECKING: from elsewhere import thing"),
        ("import os", "import os\nimport sys"),
        ("def draw(): return 2", "def draw(): return 3"),
        ('"""About."""', '"""About something else."""'),
    ],
)
def test_words_layout_and_unreached_code_change_nothing(tmp_path: Path, old: str, new: str) -> None:
    source = '"""About."""\nimport os\ndef step(): return 1\ndef draw(): return 2\n'
    source += "def measure(): return step(), os.sep\n"
    before = reach(tmp_path, one=source).parts
    assert source.count(old) == 1
    after = reach(tmp_path, one=source.replace(old, new)).parts

    assert after == before


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("return 1", "return 2", "code figures/one.py step"),
        ("step(), os.sep", "os.sep", "code figures/one.py measure"),
        ("LIMIT = 1.0", "LIMIT = 1", "code figures/one.py LIMIT"),
        ("x=LIMIT", "x=-LIMIT", "code figures/one.py step"),
    ],
)
def test_a_change_of_code_changes_the_part_that_holds_it(
    tmp_path: Path, old: str, new: str, changed: str
) -> None:
    source = "import os\nLIMIT = 1.0\ndef step(x=LIMIT): return 1\n"
    source += "def measure(): return step(), os.sep\n"
    before = reach(tmp_path, one=source).parts
    after = reach(tmp_path, one=source.replace(old, new)).parts

    assert changed in {part for part in before if before[part] != after.get(part)}


def test_a_file_the_code_names_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "points.csv").write_text("1,2\n", "utf-8")
    one = 'from pathlib import Path\ndef measure(): return Path("data/points.csv").read_text()'
    before = reach(tmp_path, one=one).parts
    (tmp_path / "data" / "points.csv").write_text("1,3\n", "utf-8")
    after = reach(tmp_path, one=one).parts

    assert before["file data/points.csv"] != after["file data/points.csv"]


@pytest.mark.parametrize(
    ("way", "read"),
    [
        ('Path("data/points.csv").read_text()', {"points"}),
        ('np.loadtxt("data/points.csv", delimiter=",")', {"points"}),
        ('(HERE / "data" / "points.csv").read_text()', {"points", "others"}),
        ('Path("data/points.csv").with_suffix(".txt").read_text()', {"points", "others"}),
        ('open(f"data/{name}.csv")', {"points", "others"}),
        ('np.load("data/points.csv"), np.load(other)', {"points", "others"}),
        ("walk(points)", set()),
        ("stat(points)", set()),
        ("(HERE / 'data').is_dir()", {"points", "others"}),
        ("os.path.getsize(data)", {"points", "others"}),
        ('"data/points.csv"', {"points"}),
    ],
)
def test_code_that_opens_more_than_it_names_may_read_any_data(
    tmp_path: Path, way: str, read: set[str]
) -> None:
    for name in ("points", "others"):
        (tmp_path / "data").mkdir(exist_ok=True)
        (tmp_path / "data" / f"{name}.csv").write_text("1,2\n", "utf-8")
    found = reach(tmp_path, one=f"def measure(): return {way}")

    assert {part for part in found.parts if part.startswith("file")} == {
        f"file data/{name}.csv" for name in read
    }


def test_code_that_cannot_be_read_changes_with_every_edit(tmp_path: Path) -> None:
    before, after = (reach(tmp_path, one=f"def measure(:{end}").parts for end in ("", " #"))

    assert before != after


def test_the_code_of_the_generator_is_followed_too() -> None:
    found = Code(GENERATOR.parent, GENERATOR).reach(("report.results", "dumps"))

    assert "code report/results.py SIGNIFICANT_DIGITS" in found.parts
    assert "code report/results.py write_whole" not in found.parts


def test_the_order_of_names_in_a_set_changes_no_part(tmp_path: Path) -> None:
    one = "a, b = 1, 2\ndef measure(): return a\ndef more(): return b\n"
    first = reach(tmp_path, one=one)
    second = Code(tmp_path, GENERATOR).reach(("one", "more"), ("one", "measure"))

    assert first.parts.items() < second.parts.items()


def test_the_same_code_has_the_same_hash_in_every_python(tmp_path: Path) -> None:
    found = reach(
        tmp_path, one="class A:\n    def f(self): return f'{self:<3}'\ndef measure(): A()\n"
    )

    assert found.parts["code figures/one.py A"] == "9e26dc63a7a54e46ab592e472b31e728"
