"""Which files code may read: in the project or outside, named by a text or by a path put together."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.code import Code

GENERATOR = Path(__file__).parents[1] / "report"
PLACES = "ABOVE = Path(__file__).parents[2]\nNAMES = {}\n"
ONE = """
from places import ABOVE, NAMES
HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data"
"""


def files(root: Path, way: str) -> set[str]:
    """Name the files that are there and that `measure` may read, which does this one thing."""
    given = {
        "x.csv": "1",
        "project/seeds.toml": "",
        "project/data/x.csv": "1",
        "project/data/y.csv": "1",
        "project/figures/places.py": PLACES,
        "project/figures/one.py": f"{ONE}def measure(name): {way}\n",
    }
    for name, text in given.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    found = Code(root / "project", GENERATOR).reach(("one", "measure"))
    return {part.removeprefix("file ") for part in found.parts if part.startswith("file ")}


@pytest.mark.parametrize(
    "way",
    [
        "np.loadtxt('../x.csv')",
        "(ABOVE / 'x.csv').exists()",
        "os.stat(HERE.parents[1] / 'x.csv').st_size",
        "open(Path(__file__).parents[2] / 'x.csv')",
        "open(HERE.parent.parent / 'x.csv')",
        "HERE.parents[1].joinpath('x.csv').read_text()",
        "(DATA / '..' / '..' / 'x.csv').read_text()",
        "(ABOVE / 'x.csv').read_text()",
        "open(os.path.join(os.path.dirname(__file__), '..', '..', 'x.csv'))",
        "Path(os.path.dirname(os.path.dirname(HERE)), 'x.csv').open()",
        "open(Path(f'{name}').parent, (ABOVE / 'y').with_name('x').with_suffix('.csv'))",
        "up = HERE.parents[1]; open(str(up / 'x.csv'))",
    ],
)
def test_a_file_outside_the_project_counts_if_its_path_is_in_the_code(
    tmp_path: Path, way: str
) -> None:
    assert "../x.csv" in files(tmp_path, way)


def test_a_file_outside_is_known_by_the_path_the_code_says(tmp_path: Path) -> None:
    outside = tmp_path / "x.csv"

    assert files(tmp_path, f"np.loadtxt('{outside}')") == {str(outside)}
    assert files(tmp_path, f"Path('{outside}').read_text()") == {str(outside)}


@pytest.mark.parametrize(
    ("way", "read"),
    [
        ("open('seeds.toml')", {"seeds.toml"}),
        ("open(HERE / 'places.py')", {"figures/places.py"}),
        ("open('figures/places.py')", {"figures/places.py"}),
        ("DATA.joinpath('x.csv').open()", {"data/x.csv"}),
    ],
)
def test_code_and_the_project_file_count_where_they_are_read_as_data(
    tmp_path: Path, way: str, read: set[str]
) -> None:
    assert read <= files(tmp_path, way)


@pytest.mark.parametrize("text", ["../x.csv", "/etc/passwd", "seeds.toml", "places.py"])
def test_a_name_that_much_mentions_is_no_input_where_nothing_is_opened(
    tmp_path: Path, text: str
) -> None:
    assert files(tmp_path, f"return NAMES['{text}']") == set()


@pytest.mark.parametrize(
    "way",
    [
        "open(ABOVE / name)",
        "name = ABOVE; name = HERE; open(name / 'x.csv')",
        "open(Path.home() / 'x.csv')",
        "open(LOOP / 'x.csv')\nLOOP = LOOP",
        "open(ABOVE.parents[name] / 'x.csv')",
        "open(''.join(['..', '/x.csv']))",
    ],
)
def test_a_path_that_is_known_only_as_it_runs_names_no_file_outside(
    tmp_path: Path, way: str
) -> None:
    assert not [name for name in files(tmp_path, way) if "x.csv" in name and ".." in name]


def test_a_link_counts_as_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "project" / "data").mkdir(parents=True)
    (tmp_path / "project" / "data" / "link.csv").symlink_to(tmp_path / "x.csv")

    assert files(tmp_path, "open('data/link.csv')") == {"data/link.csv"}
