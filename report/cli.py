"""The command line: what to make of which project, and how a mistake is said."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from report.errors import Mistake


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Make a report whose every number answers to the run that produced it."""


@commands.command()
@click.option("--project", type=click.Path(path_type=Path), default=".", help="Folder of the project.")
@click.argument("stems", nargs=-1, metavar="[STEM]...")
def figures(project: Path, stems: tuple[str, ...]) -> None:
    """Make results and pictures only."""
    from report import experiment  # noqa: PLC0415 - loads what the command needs, and no sooner
    from report.project import Project, read_settings  # noqa: PLC0415
    from report.results import write_whole  # noqa: PLC0415

    place = Project(project.resolve())
    settings = read_settings(place)
    for stem in stems or place.stems:
        text = experiment.measure(place, experiment.load(place, stem), settings)
        write_whole(place.figures / f"{stem}.json", text.encode())
        click.echo(f"{stem}  measured")


def main() -> None:
    """Run a command; a mistake of the user is one sentence on standard error and exit status 2."""
    try:
        commands(prog_name="report")
    except Mistake as mistake:
        click.echo(f"report: {mistake}", err=True)
        sys.exit(2)
