"""Prints what the report costs on this machine beside what it may cost: `make bench`.

Whole processes are measured. What is compared runs in turn, and medians are taken pair by pair, because
no machine is quiet. Nothing here fails for being slow.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE

from report import worker
from report.project import open_project, read_settings
from tests.bench.clock import Cost, middle, one_core, ratio, run
from tests.bench.cut import cut
from tests.browser.chromium import Chromium, program

ROOT = Path(__file__).parents[2]
FOUR = ("causal_chain", "score_spread", "softmax_weights", "softmax_jacobian")
SECTIONS = ("first-principles", "step-1", "step-2", "step-3", "step-4", "sources")
QUICK, SLOW = 15, 3  # times that short and long commands are run
KEEPS_NOTHING = "PYTHONDONTWRITEBYTECODE"  # with it Python compiles everything in every process

HEAVY = (
    "numpy",
    "matplotlib",
    "jinja2",
    "pydantic",
    "weasyprint",
)  # no word of help waits for them
START, FLAT, CPU, EACH, PEAK, SHOWN = 1.5, 1.15, 30.0, 12.0, 400.0, 1.0
COLUMNS = (42, 31, 41, 3)
FOUR_PDF, PDF, PAGE = 600, 900, 1500  # kB

Made = dict[str, str]  # what was done -> to what


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    work: str
    budget: str
    measured: str
    ok: bool

    def __str__(self) -> str:
        """Set it in columns."""
        return line(self.work, self.budget, self.measured, "yes" if self.ok else "NO")


def line(*cells: str) -> str:
    """Set some cells in the columns of the table."""
    return "".join(map(str.ljust, cells, COLUMNS)).rstrip()


# -- commands ---------------------------------------------------------------------------------------


def report(*words: str) -> Cost:
    """Run the generator of this checkout."""
    return run([sys.executable, "-m", "report", *words], ROOT)


def build(project: Path, *words: str) -> Cost:
    """Make page and PDF of a project."""
    return report("build", "--project", str(project), *words)


def made(said: str) -> Made:
    """Read from the last line of a build what it did: `Measured a, b; set page, PDF; 3 reused. 1 s`."""
    *parts, _ = said.strip().splitlines()[-1].lower().split("; ")
    return {verb: names for verb, _, names in (part.partition(" ") for part in parts)}


def emptied(project: Path) -> Path:
    """Remove all that was made of a project."""
    shutil.rmtree(project / "build", ignore_errors=True)
    for path in (project / "figures").iterdir():
        if path.suffix in (".json", ".svg"):
            path.unlink()
    return project


def edit(path: Path, old: str, new: str) -> None:
    """Replace what a pattern finds first in a file."""
    text, count = re.subn(old, new, path.read_text("utf-8"), count=1)
    if not count:
        raise RuntimeError(f"nothing in {path.name} is like {old}")
    path.write_text(text, "utf-8")


# -- rows -------------------------------------------------------------------------------------------


def start(project: Path) -> Iterator[Row]:
    """What is there at once: a build with nothing to do, and help."""
    commands = {
        "nothing changed": ("build", "--project", str(project)),
        "report --help": ("--help",),
    }
    for work, words in commands.items():
        pairs = [
            (report(*words), run([sys.executable, "-c", "import click"], ROOT))
            for _ in range(QUICK)
        ]
        costs, click = zip(*pairs, strict=True)
        times, seconds = ratio(costs, click), 1000 * middle(costs)
        budget = f"at most {START} x `import click`"
        yield Row(work, budget, f"{times:.2f} x ({seconds:.0f} ms)", times <= START)
        loud = run([sys.executable, "-X", "importtime", "-m", "report", *words], ROOT).said
        found = [name for name in HEAVY if re.search(rf"\| +{name}$", loud, re.MULTILINE)]
        yield Row(f"{work}: heavy imports", "none", ", ".join(found) or "none", not found)


def changes(project: Path) -> Iterator[Row]:
    """What one change makes again."""
    seeds, templates = project / "seeds.toml", project / "templates"
    edit(seeds, r"\[typical_rows\]", "[typical_rows]\nseed = 1")
    cost = build(project)
    ran = made(cost.said).get("measured", "nothing")
    yield Row("one seed changed", "its experiment only", _told(ran, cost), ran == "typical_rows")
    edit(templates / "article.md", r"nothing about Transformers\.", "nothing else.")
    cost = build(project)
    ran = "; ".join(f"{verb} {names}" for verb, names in made(cost.said).items())
    only_set = made(cost.said).keys() == {"set"}
    yield Row("one sentence changed", "no experiment, no drawing", _told(ran, cost), only_set)
    edit(templates / "tokens.toml", r'light = "#BF4316"', 'light = "#BF4317"')
    cost = build(project)
    ran = made(cost.said).get("measured", "nothing")
    told = _told(f"measured {ran}", cost)
    yield Row("one color changed", "no experiment", told, ran == "nothing")


def watched(project: Path) -> Iterator[Row]:
    """From a sentence that is saved to the open page that shows it, in `make watch`."""
    work, budget = "a sentence in make watch, until it shows", f"at most {SHOWN:g} s"
    if program() is None:
        yield Row(work, budget, "no Chromium here to look at", ok=True)
        return
    article = project / "templates" / "article.md"
    with watching(project) as address, Chromium() as browser:
        browser.open(address)
        seconds = [shown(browser, article, f"Edited {number}.") for number in range(1 + QUICK)]
    median, longest = statistics.median(seconds[1:]), max(seconds[1:])
    yield Row(work, budget, f"{median:.2f} s (longest {longest:.2f} s)", median <= SHOWN)


@contextmanager
def watching(project: Path) -> Iterator[str]:
    """Watch a project, and give the address of its page once that is built."""
    words = [sys.executable, "-m", "report", "watch", "--port", "0", "--project", str(project)]
    with subprocess.Popen(words, cwd=ROOT, stdout=PIPE, text=True) as process, ExitStack() as stop:
        assert process.stdout
        stop.callback(process.send_signal, signal.SIGINT)
        address = re.findall(r"http://[\d.:]+/", process.stdout.readline())[0]
        for said in process.stdout:
            if "reused" in said or "Nothing to do" in said:
                break
        yield address


def shown(browser: Chromium, article: Path, sentence: str) -> float:
    """Write a sentence at the end of a paragraph, and give the seconds until the page shows it."""
    edit(article, r"(?m)^(\*\*A weak answer\*\* says.*?)( Edited \d+\.)?$", rf"\1 {sentence}")
    begun = time.perf_counter()
    while not browser.run(f"document.body.textContent.includes('{sentence}')"):
        time.sleep(0.01)
    return time.perf_counter() - begun


def _told(what: str, cost: Cost) -> str:
    return f"{what} ({cost.cpu:.1f} s CPU, {cost.wall:.1f} s)"


def four(folder: Path) -> Iterator[Row]:
    """The four figures of the steps from nothing, against the flat script."""
    project, flat_out = folder / "four", folder / "flat"
    cut(ROOT, project, FOUR, SECTIONS)
    flat_out.mkdir()
    variables = surroundings(folder / "cache")
    flat = [sys.executable, "tests/bench/flat.py", str(project), str(flat_out)]
    run(flat, ROOT, variables)  # fills matplotlib's cache of fonts, as the report has its own
    build(project)
    cache = shutil.move(project / "build" / "cache", folder / "kept")

    def fresh(jobs: int) -> Cost:
        shutil.copytree(cache, emptied(project) / "build" / "cache")
        return build(project, "--jobs", str(jobs))

    with one_core():
        pairs = [(run(flat, ROOT, variables), fresh(1)) for _ in range(SLOW)]
    base, alone = zip(*pairs, strict=True)
    pairs = [(run(flat, ROOT, variables), fresh(2)) for _ in range(SLOW)]
    wide, both = zip(*pairs, strict=True)
    times = ratio(alone, base, "cpu")
    told = f"{times:.2f} x CPU ({middle(alone, 'cpu'):.1f} s), {ratio(alone, base):.2f} x wall"
    work = "four figures from nothing"
    yield Row(f"{work}, one core", f"at most {FLAT} x flat", told, times <= FLAT)
    times = ratio(both, wide)
    told = f"{times:.2f} x wall ({middle(both):.1f} s), {ratio(both, wide, 'cpu'):.2f} x CPU"
    yield Row(f"{work}, two cores", "faster than flat", told, times < 1)
    yield from sizes(project, f"{work}: ", FOUR_PDF)


def surroundings(cache: Path) -> dict[str, str]:
    """Environment variables the flat script runs with: a worker's, but it looks for its fonts by name.

    With only its own fonts allowed, matplotlib would find none of those a script adds.
    """
    born = worker.environment(cache)
    return {name: value for name, value in born.items() if name != "MPL_IGNORE_SYSTEM_FONTS"}


def sizes(project: Path, work: str, most: int) -> Iterator[Row]:
    """Size of the outputs."""
    for ending, limit in (("pdf", most), ("html", PAGE)):
        [path] = (project / "build").glob(f"*.{ending}")
        size = path.stat().st_size / 1000
        name = ending.upper()
        yield Row(f"{work}{name}", f"at most {limit} kB", f"{size:.0f} kB", size <= limit)


def experiments(project: Path) -> Iterator[Row]:
    """Every experiment alone, and those with trials at ten times as many."""
    opened = open_project(project, article=False)
    settings = read_settings(opened, {})
    costs = {stem: alone(project, stem) for stem in opened.stems}
    cpu = {stem: float(cost.said) for stem, cost in costs.items()}
    slowest, total = max(cpu, key=cpu.__getitem__), sum(cpu.values())
    told = f"{total:.1f} s CPU"
    yield Row("all experiments from nothing", f"at most {CPU:.0f} s CPU", told, total <= CPU)
    longest = cpu[slowest]
    told = f"{longest:.1f} s CPU ({slowest})"
    yield Row("the slowest experiment", f"at most {EACH:.0f} s CPU", told, longest <= EACH)
    largest = max(costs, key=lambda stem: costs[stem].peak)
    peak = costs[largest].peak
    told = f"{peak:.0f} MiB ({largest})"
    yield Row("memory of an experiment", f"at most {PEAK:.0f} MiB", told, peak <= PEAK)
    for stem in opened.stems:
        if trials := settings.sections.get(stem, {}).get("trials"):
            more = alone(project, stem, f"{stem}.trials={10 * trials}").peak
            told = f"{costs[stem].peak:.0f}, then {more:.0f} MiB"
            budget = "as much, within a tenth"
            yield Row(f"{stem} at 1x and 10x trials", budget, told, more <= 1.1 * costs[stem].peak)


def alone(project: Path, *words: str) -> Cost:
    """Measure one experiment in a process of its own."""
    variables: Mapping[str, str] = worker.environment(project / "build" / "cache")
    return run([sys.executable, "-m", "tests.bench.alone", str(project), *words], ROOT, variables)


def measured(folder: Path) -> Iterator[Row]:
    """Measure everything, in a copy of the project."""
    whole = folder / "whole"
    for part in ("figures", "templates"):
        shutil.copytree(ROOT / part, whole / part)
    shutil.copy(ROOT / "seeds.toml", whole)
    first = build(emptied(whole))
    yield Row("the whole from nothing", "", _told("page and PDF", first), ok=True)
    peak = f"{first.peak:.0f} MiB"
    yield Row("the whole: memory", f"at most {PEAK:.0f} MiB", peak, first.peak <= PEAK)
    yield from sizes(whole, "the whole: ", PDF)
    yield from start(whole)
    yield from changes(whole)
    yield from watched(whole)
    yield from four(folder)
    yield from experiments(whole)


def main() -> None:
    """Print the table, line by line."""
    os.environ.pop(KEEPS_NOTHING, None)
    print(line("work", "budget", "measured", "ok"))
    with tempfile.TemporaryDirectory() as name:
        for row in measured(Path(name)):
            print(row, flush=True)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"\nPython {sys.version.split()[0]}, {os.cpu_count()} processors, load {load}.")


if __name__ == "__main__":
    main()
