"""A first project to begin from: the files of `starter/`, laid into an empty folder."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from report.errors import Mistake
from report.results import write_whole

STARTER = Path(__file__).resolve().parent / "starter"


def lay_out(folder: Path, shown: str) -> list[Path]:
    """Write the files of a first project, and give their places in the folder.

    Raises Mistake where something stands already: nobody's file is written over.
    """
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        what = "there is something already, and a new project begins in a folder that is empty"
        raise Mistake(what, file=shown, then="name a folder that is not there yet")
    names = [path.relative_to(STARTER) for path in sorted(STARTER.rglob("*")) if _is_ours(path)]
    for name in names:
        write_whole(folder / name, (STARTER / name).read_bytes())
    return names


def _is_ours(path: Path) -> bool:
    """Tell a file of the starter from what an installation compiled beside it."""
    return path.is_file() and path.suffix != ".pyc"


def next_command(shown: str) -> str:
    """Write what builds the project, and name this Python where its Makefile would take another."""
    words, this, taken = ["make", "-C", shown, "report"], Path(sys.executable), _taken(Path(shown))
    if not taken or taken.parent.resolve() != this.parent.resolve():
        words.append(f"PYTHON={this}")
    return shlex.join(words)


def _taken(folder: Path) -> Path | None:
    """Find the Python that a Makefile of the starter takes: of an environment near it, or the shell's."""
    places = (folder.absolute(), *folder.absolute().parents[:2])
    near = (place / ".venv" / "bin" / "python" for place in places)
    found = shutil.which("python3")
    return next(filter(Path.exists, near), Path(found) if found else None)
