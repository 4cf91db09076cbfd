"""Runs one experiment by itself, and prints the seconds of processor it measured for.

Usage: python -m tests.bench.alone PROJECT STEM [KEY=VALUE ...]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from report import experiment, parameters
from report.overrides import parse_overrides
from report.project import open_project, read_settings


def main(root: str, stem: str, *pairs: str) -> None:
    """Load it, with the numerics it needs, and then measure."""
    import numpy  # noqa: F401 - loading it is no part of the experiment

    project = open_project(Path(root), article=False)
    settings = read_settings(project, parse_overrides(pairs))
    loaded = experiment.load(project, stem)
    parameters.check_parameters(loaded, settings)
    began = time.process_time()
    experiment.measure(project, loaded, settings)
    print(time.process_time() - began)


if __name__ == "__main__":
    main(*sys.argv[1:])
