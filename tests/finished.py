"""The finished files of this project's own article, built once for all tests of a run, whichever worker asks."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from report.pdf.paper import Paper

ROOT = Path(__file__).parent.parent
READ = (
    "report",
    "figures",
    "templates",
    "build",
)  # folders a build reads; the last one only saves time


@dataclass(frozen=True)
class Finished:
    """A copy of the project, built when it is first asked for; it begins with what was built of it before."""

    root: Path

    @property
    def page(self) -> Path:
        """The HTML file."""
        return self._outputs("a4")[0]

    def pdf(self, paper: Paper) -> Path:
        """The PDF of that size."""
        return self._outputs(paper)[1]

    @property
    def drawings(self) -> Path:
        """The folder of neutral drawings that both were made of."""
        return self.page.parent / "drawings"

    @property
    def beside(self) -> dict[str, Path]:
        """What stands beside the PDF, by how its name ends: `.apkg`, `.md`, `.bib`, `.csl.json`."""
        page, _, *beside = self._outputs("a4", "cards")
        return {path.name.removeprefix(page.stem): path for path in beside}

    def _outputs(self, paper: Paper, command: str = "build") -> list[Path]:
        told = self.root / f"{command}-{paper}.json"
        if not told.is_file():
            with self._alone():
                if not told.is_file():
                    told.write_text(json.dumps(self._build(paper, command)), "utf-8")
        return [self.root / "project" / name for name in json.loads(told.read_text("utf-8"))]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one worker build at a time; the others wait for what it makes."""
        self.root.mkdir(exist_ok=True)
        with (self.root / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _build(self, paper: Paper, command: str) -> list[str]:
        """Run the very command a user types; give the paths it prints."""
        project = self.root / "project"
        if not project.exists():
            _copy(project)
        words = [
            command,
            *(["--strict"] if command == "build" else []),
            "--quiet",
            "--paper",
            paper,
        ]
        environment = {**os.environ, "PYTHONPATH": str(project)}
        ran = subprocess.run(
            [sys.executable, "-m", "report", *words],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout.split()


def _copy(to: Path) -> None:
    """Copy what a build reads; what others change meanwhile in the checkout changes no test."""
    to.mkdir()
    shutil.copy(ROOT / "seeds.toml", to)
    for name in READ:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
