"""The command line: what to make of which project, and how a mistake is said."""

from __future__ import annotations

import os
import re
import signal
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from report import stopping
from report.errors import SEE_TO_IT, Mistake, answered, legible
from report.stopping import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from report.pdf.document import Paper
    from report.project import Project, Settings
    from report.stages import Request
    from report.summary import Summary

# Whatever is imported here, a word of help has to wait for: the rest is imported where it is used.

MISTAKE = 2  # exit status
UNBORNE = 1  # exit status where what the report says is not borne out


def _on_project(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--project",
        "root",
        type=click.Path(),
        default=".",
        metavar="DIR",
        help="Folder with seeds.toml, figures/ and templates/ [default: this one].",
    )(function)


_on_workers = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Worker processes [default: one for each core].",
)


_on_paper = click.option(
    "--paper", type=click.Choice(["a4", "letter"]), default="a4", help="Size of the PDF's pages."
)


def _on_making(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that all commands that make something and end take."""
    for option in (
        click.option("--explain", is_flag=True, help="Say why each thing is made again."),
        click.option("--fresh", is_flag=True, help="Make everything again, stale or not."),
        click.option("--quiet", is_flag=True, help="Print the outputs' paths only."),
        click.option("--out", type=click.Path(), metavar="DIR", help="Put what is made here."),
    ):
        function = option(function)
    return _on_a_run(function)


def _on_a_run(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what to run, and with which values."""
    for option in (
        _on_workers,
        click.option(
            "--set",
            "pairs",
            multiple=True,
            metavar="KEY=VALUE",
            help="Override a value of seeds.toml for this run, e.g. example.size=50.",
        ),
        click.option(
            "--seed", metavar="N", help="Override the base seed, below 2**64: --set seed=N."
        ),
    ):
        function = option(function)
    return _on_project(function)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96})
def commands() -> None:
    """Make a report whose every number answers to the run that produced it.

    A project is a folder with seeds.toml (every seed and parameter), figures/ (one experiment a
    file) and templates/ (the article). Only what is stale is made again.
    """


@commands.command(short_help="Begin another article.")
@click.argument("folder", type=click.Path(), metavar="DIR")
def new(folder: str) -> None:
    """Lay out a small project that builds at once: an experiment, its figure, its text, its test.

    DIR is a folder that is empty or not there yet.

    \b
    Example: report new notes
    """
    from pathlib import Path  # noqa: PLC0415 - see the top

    from report.new import lay_out, next_command  # noqa: PLC0415 - see the top

    for name in lay_out(Path(folder), folder):
        click.echo(Path(folder) / name)
    click.echo(f"Next: {next_command(folder)}")


@commands.command(short_help="Make the page and the PDF.")
@_on_making
@_on_paper
@click.option(
    "--strict",
    is_flag=True,
    help="End with status 1, after writing, if a claim fails, a number answers to nothing or a"
    " result that came with the project was replaced.",
)
@click.option(
    "--since",
    "copy",
    type=click.Path(),
    metavar="OLD.pdf",
    help="End the PDF with what changed since that copy of it, and where its sections are now.",
)
def build(root: str, paper: Paper, *, strict: bool, copy: str | None, **options: Any) -> None:
    """Make the page and the PDF, with the results and pictures they need.

    Overrides leave figures/ and the usual outputs alone and build in a folder named after them.

    \b
    Example: report build --seed 7 --set example.size=50
    """
    request, summary = _make(root, article=True, paper=paper, stems=(), copy=copy, **options)
    if strict:
        from report import asking  # noqa: PLC0415 - see the top

        found = asking.numbers_from_nowhere(request)
        for finding in found:
            click.echo(str(finding))
        if found or summary.claims.broken or summary.replaced:
            sys.exit(UNBORNE)


@commands.command(short_help="Make an Anki deck, an Obsidian note and citations too.")
@_on_making
@_on_paper
def cards(root: str, paper: Paper, **options: Any) -> None:
    """Make page and PDF, and beside them what other programs read.

    An Anki deck of what the article names as worth asking again, a Markdown note for Obsidian with
    links into the PDF, and citations as BibTeX and CSL-JSON.

    \b
    Example: report cards --seed 7
    """
    _make(root, article=True, beside=True, paper=paper, stems=(), **options)


@commands.command(short_help="Show the page in a browser, and build whatever you edit.")
@_on_a_run
@_on_paper
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8017,
    metavar="N",
    help="Port on this machine; 0 takes a free one [default: 8017].",
)
def watch(
    root: str, pairs: tuple[str, ...], seed: str | None, jobs: int | None, paper: Paper, port: int
) -> None:
    """Build the page whenever something is edited, and refresh it where it is open.

    The page is served to browsers on this machine alone; its PDF is made when it is asked for, at
    the address of the page with the file's name. What is wrong is shown on the page until it is
    mended. Ctrl-C ends it.

    \b
    Example: report watch --seed 7
    """
    from report.crew import Pool, cores  # noqa: PLC0415 - see the top
    from report.watch import Kept, Watch  # noqa: PLC0415 - see the top

    project, settings = _open(root, _with_seed(pairs, seed), article=True)
    cache = project.build / "cache"
    crew = Kept(Pool(jobs or cores(), cache), Pool(1, cache))
    try:
        Watch(project.root, settings.overrides, paper, crew).run(port)
    except Stopped as stopped:
        if stopped.number != signal.SIGINT:
            raise
        click.echo("Ended.")


@commands.command(short_help="Make results and pictures only.")
@_on_making
@click.argument("stems", nargs=-1, metavar="[STEM]...")
def figures(root: str, stems: tuple[str, ...], **options: Any) -> None:
    """Make the results and pictures of some experiments, or of all; no article is needed.

    \b
    Example: report figures spread --explain
    """
    _make(root, article=False, paper="a4", stems=stems, **options)


def _make(  # noqa: PLR0913 - the options these commands share
    root: str,
    *,
    article: bool,
    beside: bool = False,
    paper: Paper,
    stems: tuple[str, ...],
    seed: str | None,
    pairs: tuple[str, ...],
    jobs: int | None,
    out: str | None,
    quiet: bool,
    fresh: bool,
    explain: bool,
    copy: str | None = None,
) -> tuple[Request, Summary]:
    from pathlib import Path  # noqa: PLC0415 - see the top

    from report.build import build as run  # noqa: PLC0415 - see the top
    from report.crew import Pool, cores  # noqa: PLC0415 - see the top
    from report.glance import shown, understood  # noqa: PLC0415 - see the top
    from report.progress import teller  # noqa: PLC0415 - see the top
    from report.stages import Request  # noqa: PLC0415 - see the top

    project, settings = _open(root, _with_seed(pairs, seed), article=article)
    request = Request(
        project,
        settings,
        article,
        stems,
        paper,
        Path(out).resolve() if out else None,
        fresh,
        explain,
        words=asked[1] if (asked := understood(sys.argv[1:])) else "",
        beside=beside,
        since=_copied(copy, project) if copy is not None else "",
    )
    tell = teller(quiet=quiet)
    try:
        summary = run(request, Pool(jobs or cores(), project.build / "cache"), tell)
    finally:
        tell.close()
    for line in [shown(path) for path, _ in summary.outputs] if quiet else summary.lines():
        click.echo(line)
    return request, summary


def _copied(copy: str, project: Project) -> str:
    from pathlib import Path  # noqa: PLC0415 - see the top

    from report.article import meta_of  # noqa: PLC0415 - see the top
    from report.verify.copied import copied  # noqa: PLC0415 - see the top

    return copied(Path(copy), meta_of(project).title)


def _with_seed(pairs: tuple[str, ...], seed: str | None) -> tuple[str, ...]:
    return pairs if seed is None else (*pairs, f"seed={seed}")


def _open(root: str, pairs: tuple[str, ...], *, article: bool) -> tuple[Project, Settings]:
    from pathlib import Path  # noqa: PLC0415 - see the top

    from report.overrides import parse_overrides  # noqa: PLC0415 - see the top
    from report.project import open_project, read_settings  # noqa: PLC0415 - see the top

    project = open_project(Path(root), article=article)
    return project, read_settings(project, parse_overrides(pairs))


@commands.command("list", short_help="Name the experiments and what state they are in.")
@_on_project
def list_(root: str) -> None:
    """Name every experiment with its question, and say whether its figure is up to date.

    \b
    Example: report list --project ../another
    """
    from report.status import experiments  # noqa: PLC0415 - see the top

    for line in experiments(*_open(root, (), article=False)):
        click.echo(line)


@commands.command(short_help="Say what is stale, and why.")
@_on_project
def status(root: str) -> None:
    """Say what the next build would make again, and for which reason; makes nothing.

    \b
    Example: report status
    """
    from report.status import reasons  # noqa: PLC0415 - see the top

    for line in reasons(*_open(root, (), article=True)):
        click.echo(line)


@commands.command(short_help="Remove build/.")
@_on_project
def clean(root: str) -> None:
    """Remove build/ with everything in it; figures/ stays, so nothing that is committed is lost.

    \b
    Example: report clean
    """
    import shutil  # noqa: PLC0415 - see the top

    from report.build import alone  # noqa: PLC0415 - see the top
    from report.progress import Tell  # noqa: PLC0415 - see the top

    project, _ = _open(root, (), article=False)
    with alone(project, Tell()):
        if sys.version_info >= (3, 12):
            shutil.rmtree(project.build, onexc=_unremoved)
        else:
            shutil.rmtree(project.build, onerror=_unremoved)


def _unremoved(_function: object, path: str, _error: object) -> None:
    """Name what cannot be removed, in whole, unless it is gone already."""
    from report.glance import shown  # noqa: PLC0415 - see the top

    error = sys.exception()
    if not isinstance(error, FileNotFoundError):
        said = getattr(error, "strerror", None) or "it is a link, and what it leads to stays"
        what = f"this cannot be removed ({said})"
        raise Mistake(what, file=shown(path), then=SEE_TO_IT) from None


@commands.command(short_help="Print every claim, and whether the last build bears it out.")
@_on_project
@click.option("--strict", is_flag=True, help="End with status 1 if one does not hold.")
def claims(root: str, *, strict: bool) -> None:
    """Print the ledger: each claim, its evidence in numbers, and the seeds it was swept over.

    \b
    Example: report claims
    """
    from report import asking  # noqa: PLC0415 - see the top

    ledger, lines = asking.claims(*_open(root, (), article=False))
    for line in [*lines, f"{ledger.summary()}."]:
        click.echo(line)
    if strict and ledger.broken:
        sys.exit(UNBORNE)


@commands.command(short_help="Find numbers that answer to nothing.")
@_on_project
def lint(root: str) -> None:
    """Find literal numbers in the article, the descriptions and the drawings; status 1 if any.

    A number is let through by a result, a parameter, a cited fact, or a reason in
    templates/literals.toml.

    \b
    Example: report lint
    """
    from report import asking  # noqa: PLC0415 - see the top
    from report.progress import plural  # noqa: PLC0415 - see the top
    from report.stages import Request  # noqa: PLC0415 - see the top

    found = asking.numbers_from_nowhere(Request(*_open(root, (), article=True)))
    for finding in found:
        click.echo(str(finding))
    nowhere = f"{plural(len(found), 'number')} from nowhere."
    click.echo(nowhere if found else "Every number answers.")
    if found:
        sys.exit(UNBORNE)


@commands.command(short_help="Say what moved between two reports.")
@click.argument("old", type=click.Path())
@click.argument("new", type=click.Path())
def diff(old: str, new: str) -> None:
    """Say which numbers and words moved, which claims flipped, which figures changed.

    OLD and NEW are each a build folder or a PDF.

    \b
    Example: report diff old.pdf build
    """
    from pathlib import Path  # noqa: PLC0415 - see the top

    from report import asking  # noqa: PLC0415 - see the top

    for line in asking.diff(Path(old), Path(new)):
        click.echo(line)


@commands.command(short_help="Check a PDF: run its experiments again and compare.")
@_on_project
@click.option("--quick", is_flag=True, help="Run nothing: compare with what was built here.")
@_on_workers
@click.argument("file", type=click.Path(), metavar="FILE.pdf")
def verify(root: str, file: str, jobs: int | None, *, quick: bool) -> None:
    """Say what made a PDF, run its experiments again with its own parameters, and compare.

    The answer has three levels: the same bytes, the same numbers, the same report; every number,
    sentence, figure and attachment that differs is named. Nothing of the project is touched.
    Status 0 if it is verified, 1 if it differs, 2 if that could not be told.

    \b
    Example: report verify their.pdf
    """
    from pathlib import Path  # noqa: PLC0415 - see the top

    from report.crew import Pool, cores  # noqa: PLC0415 - see the top
    from report.progress import teller  # noqa: PLC0415 - see the top
    from report.verify import verify as check  # noqa: PLC0415 - see the top

    project, _ = _open(root, (), article=True)
    tell = teller(quiet=False)
    try:
        workers = jobs or cores()
        verdict = check(Path(file), project, lambda cache: Pool(workers, cache), tell, quick=quick)
    finally:
        tell.close()
    for line in verdict.lines():
        click.echo(line)
    if verdict.status == MISTAKE:
        raise Mistake(f"could not be verified: {'; '.join(verdict.unmet)}", file=file)
    sys.exit(verdict.status)


@commands.command("sweep", short_help="Count the seeds in which each claim holds.")
@_on_project
@click.option("--seeds", type=click.IntRange(1), default=200, help="Seeds 0 to N-1 [default: 200].")
@_on_workers
@click.option(
    "--scheduler", metavar="ADDRESS", help="Measure on the workers of a Dask scheduler instead."
)
@click.argument("stems", nargs=-1, metavar="[STEM]...")
def sweep_(
    root: str, seeds: int, jobs: int | None, scheduler: str | None, stems: tuple[str, ...]
) -> None:
    """Measure experiments under many seeds, side by side, and record in how many each claim held.

    The record is figures/sweep.json. Ctrl-C keeps what is done; a second call continues.
    A seed under which an experiment does not finish is counted apart, and tried again by that call.

    \b
    Example: report sweep --seeds 50
    """
    from report import asking  # noqa: PLC0415 - see the top
    from report.crew import cores  # noqa: PLC0415 - see the top
    from report.progress import teller  # noqa: PLC0415 - see the top

    if jobs and scheduler is not None:
        raise click.UsageError("--jobs counts processes here, and --scheduler starts none here")
    tell = teller(quiet=False)
    try:
        project, settings = _open(root, (), article=False)
        asking.swept(project, settings, stems, seeds, jobs or cores(), tell, scheduler)
    finally:
        tell.close()


def main() -> None:
    """Run a command; a mistake of the user is one sentence on standard error and exit status 2."""
    stopping.heed()
    try:
        status = commands.main(prog_name="report", standalone_mode=False)
        stopping.ignore()  # all is done
        sys.exit(status)
    except Mistake as mistake:
        leave(str(mistake), MISTAKE)
    except click.ClickException as error:
        leave(_typed(error), MISTAKE)
    except OSError as error:
        leave(str(answered(error)), MISTAKE)
    except Stopped as stopped:
        stopping.ignore()
        leave(stopping.SAID[stopped.number], 128 + stopped.number)  # the status shells give


def _typed(error: click.ClickException) -> str:
    """Say in one sentence what was mistyped, and where help is."""
    said = re.sub(
        r"\. Did you mean (.*)\?$", r" (did you mean \1?)", legible(error.format_message())
    )
    context = error.ctx if isinstance(error, click.UsageError) else None
    where = context.command_path if context else "report"
    return f"{said[0].lower()}{said[1:].rstrip('.')}; `{where} --help` tells what there is."


def leave(sentence: str, status: int) -> NoReturn:
    """End the process after one sentence."""
    click.echo(f"Error: {sentence}", err=True)
    _drop_unsaid()
    sys.exit(status)


def _drop_unsaid() -> None:
    """Give up what standard output does not take, or Python would try again and complain of it."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
