"""The rules of the house that a machine can hold: where things are, and what may know of what."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from report.glance import SWEPT

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "figures"
STARTER = ROOT / "report" / "starter"  # a project of its own, packed with the generator
OTHERS = [STARTER, *sorted(path.parent for path in ROOT.glob("examples/*/seeds.toml"))]
EXPERIMENTS = [path for each in (ROOT, *OTHERS) for path in sorted(each.glob("figures/*.py"))]
SHARED = {  # mathematics beside the experiments, with no question of its own
    path for path in EXPERIMENTS if "\ndef measure(" not in path.read_text("utf-8")
}
STEMS = [path.stem for path in EXPERIMENTS if path not in SHARED]
GENERATOR = sorted(path for path in (ROOT / "report").rglob("*.py") if STARTER not in path.parents)
FIRST_PAGES = [path for path in GENERATOR if path.name == "__init__.py"]
MODULES = [
    *GENERATOR,
    *EXPERIMENTS,
    *sorted(path for each in (ROOT, *OTHERS) for path in (each / "tests").rglob("*.py")),
    *sorted((ROOT / "templates").rglob("*.py")),
]
BINARY = {".ttf", ".woff2", ".png", ".pdf"}

every_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix()
)
every_experiment = pytest.mark.parametrize(
    "path",
    [path for path in EXPERIMENTS if path not in SHARED],
    ids=lambda path: path.stem,
)


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _imports(tree: ast.AST) -> Iterator[str]:
    """The modules a piece of code imports, wherever it does, unless only for its types."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                yield node.module or "."
        yield from _imports(node)


def _typing_imports(path: Path) -> set[str]:
    """The modules imported for types alone."""
    return {
        name
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for each in node.body
        for name in _imports(ast.Module([each], []))
    }


def _tracked() -> list[Path]:
    """Every text file of the project's history as it stands now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.suffix not in BINARY and path.is_file()]


# Modules


@every_module
def test_a_module_opens_with_one_line_that_says_what_it_is_for(path: Path) -> None:
    first, _, rest = (ast.get_docstring(_tree(path)) or "").partition("\n")

    assert first.endswith((".", "?"))
    assert not rest or rest.startswith("\n")


@every_module
def test_an_exception_to_a_rule_gives_its_reason_on_the_line(path: Path) -> None:
    with tokenize.open(path) as file:
        comments = [
            token
            for token in tokenize.generate_tokens(file.readline)
            if token.type == tokenize.COMMENT
        ]
    exceptions = re.compile(r"#\s*(noqa|type:\s*ignore|pragma|pylint|ruff:)")
    reasoned = re.compile(
        r"# (ruff: )?(noqa: [A-Z0-9, ]*[0-9]|type: ignore\[[a-z-, ]+\])\W+\w.{3,}"
    )
    bare = [
        f"{token.start[0]}: {token.string}"
        for token in comments
        if exceptions.search(token.string) and not reasoned.search(token.string)
    ]

    assert bare == []


@pytest.mark.parametrize("first_page", FIRST_PAGES, ids=lambda path: path.parent.name)
def test_the_first_page_of_a_package_names_every_module_in_it(first_page: Path) -> None:
    told = ast.get_docstring(_tree(first_page)) or ""
    inside = {path.stem for path in first_page.parent.glob("*.py") if path.stem[0] != "_"}
    inside |= {page.parent.name for page in FIRST_PAGES if page.parent.parent == first_page.parent}

    assert {name for name in inside if f"`{name}`" not in told} == set()


# Fences


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_an_experiment_imports_mathematics_and_nothing_of_the_house(path: Path) -> None:
    shared = {each.stem for each in SHARED if each.parent == path.parent}
    allowed = {"numpy", "annotated_types", *shared, *sys.stdlib_module_names}
    outside = {  # an experiment sees no file, no clock, no network and no other chance
        "os",
        "sys",
        "io",
        "pathlib",
        "shutil",
        "tempfile",
        "subprocess",
        "socket",
        "urllib",
        "http",
        "time",
        "datetime",
        "random",
        "secrets",
        "uuid",
        "importlib",
        "threading",
        "multiprocessing",
    }  # fmt: skip
    found = {name.partition(".")[0] for name in _imports(_tree(path))}

    assert found - (allowed - outside) == set()
    assert {name for name in _typing_imports(path) if name.startswith("report")} <= {
        "report.contracts"
    }


def test_the_generator_knows_no_experiment_and_no_article_by_name() -> None:
    articles = [(each / "templates" / "article.md").read_text("utf-8") for each in (ROOT, *OTHERS)]
    fronts = [tomllib.loads(article.split("+++")[1]) for article in articles]
    names = [*STEMS, *(front[key] for front in fronts for key in ("slug", "title"))]
    word = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})(?![\w-])")
    known = [
        f"{path.name}, line {number}: {line.strip()}"
        for path in GENERATOR
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if word.search(line)
    ]

    assert known == []


def test_only_the_doors_write_files() -> None:
    doors = {"results.py", "system.py"}  # the results door serves all; set-up leaves its stamp
    writers = {
        path.name
        for path in GENERATOR
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            node.func.attr in {"write_text", "write_bytes"}
            or (
                node.func.attr in {"open", "fdopen"}
                and any(re.fullmatch("'[wax]b?'", ast.unparse(word)) for word in node.args)
            )
        )
    }

    assert writers <= doors


# One stem


@every_experiment
def test_an_experiment_has_its_answer_its_picture_and_its_test(path: Path) -> None:
    draws = "\ndef draw(" in path.read_text("utf-8")  # a table has no picture
    made = ("json", *(["svg"] if draws else [])) if STARTER not in path.parents else ()
    beside = [path.with_suffix(f".{suffix}") for suffix in made]
    tests = path.parents[1] / "tests" / ("figures" if path.parent == FIGURES else "")

    assert [each.name for each in beside if not each.is_file()] == []
    assert (tests / f"test_{path.stem}.py").is_file()


def test_whatever_lies_beside_an_experiment_has_its_experiment() -> None:
    kinds = ("json", "svg", "js")  # its answer, its picture, and what may be tried by hand
    made = {path.stem for suffix in kinds for path in FIGURES.glob(f"*.{suffix}")}
    made -= {Path(SWEPT).stem}  # the record of all sweeps

    assert made - set(STEMS) == set()


# What a stranger gets


def test_no_file_names_a_machine_or_a_registry() -> None:
    folders = ("home", "root", "work", "farm", "Users", "private")
    hosts = ("pypi", "pythonhosted", "npmjs", "deb.debian", "anaconda", "artifact-registry")
    private = re.compile(
        rf"(?<![\w.}})])/(?:{'|'.join(folders)})/\w|(?<![\w.}})])/tmp/\w"
        rf"|(?:{'|'.join(map(re.escape, hosts))})\.(?:org|com|io)\b"
        rf"|https?://\S+\.(?:whl|tar\.gz|tgz|deb)\b"
    )
    found = [
        f"{path.relative_to(ROOT)}, line {number}: {match.group()}"
        for path in _tracked()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if (match := private.search(line))
    ]

    assert found == []


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_pin_carries_its_hashes_and_no_host(name: str) -> None:
    text = re.sub(r"^#.*\n", "", (ROOT / name).read_text("utf-8"), flags=re.MULTILINE)
    entries = re.split(r"\n(?=\S)", text.replace(" \\\n", "").strip())
    entry = re.compile(r"[a-z0-9-]+==[^\s;]+( ; [^:]+?)?(\s+--hash=sha256:[0-9a-f]{64})+")

    assert [each for each in entries if not entry.fullmatch(each)] == []


def test_make_lists_every_target_there_is() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    documented = {"report", "figures", "figures/%.svg", "test", "check", "bench", "lint", "clean"}
    [phony] = re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    listing = subprocess.run(
        [shutil.which("make") or "make", "--no-print-directory"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout  # fmt: skip
    listed = dict(re.findall(r"^make (\S+) +(\S.*)$", listing, re.MULTILINE))

    assert documented | set(phony.split()) - {"always"} == listed.keys()


def test_the_documents_name_only_targets_there_are() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", text, re.MULTILINE))
    named = {
        target
        for page in ROOT.glob("*.md")
        for target in re.findall(r"(?:`|^)make ([a-z]+)(?![a-z/])", page.read_text("utf-8"), re.M)
    }

    assert named - targets == set()


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = declared["optional-dependencies"].values()
    needed = [*declared["dependencies"], *(each for extra in extras for each in extra)]
    wanted = {re.split(r"[^a-z0-9-]", each)[0] for each in needed}
    sources = packages_distributions()
    used = {
        name.lower()
        for path in (*GENERATOR, *EXPERIMENTS, *(ROOT / "templates").rglob("*.py"))
        for module in _imports(_tree(path))
        for name in sources.get(module.partition(".")[0], [])
    } - {declared["name"]}

    assert used == wanted
