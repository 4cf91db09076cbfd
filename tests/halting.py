"""The command line of the generator, which halts at one place until someone ends it.

`HALT` names the place, a phase and how often it was passed: `draw 1`, `replace throws.html 1`. The file
that `HALT_MARK` names tells when the place is reached; without a place, when the command line begins.
With `HALT_QUICK` stand-ins draw and set. Worker processes import this file as well, and halt alike.
"""

from __future__ import annotations

import functools
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from report import worker
from report.__main__ import main
from tests.stand_ins import STAND_INS

LONG: Final = 600  # seconds
passed = Counter[str]()


def is_here(phase: str) -> bool:
    """Tell whether this is the place to halt, and leave the mark if so."""
    passed[phase] += 1
    place = f"{phase} {passed[phase]}"
    if place != os.environ["HALT"]:
        return False
    mark(place)
    return True


def mark(place: str) -> None:
    """Say which place is reached."""
    path = Path(os.environ["HALT_MARK"])
    path.with_suffix(".new").write_text(place, "utf-8")
    path.with_suffix(".new").rename(path)


def halting(task: Callable[..., Any]) -> Callable[..., Any]:
    """Let a worker halt with a task done, but its answer not given."""

    @functools.wraps(getattr(worker, task.__name__))
    def halted(*args: Any) -> Any:
        halts = is_here(task.__name__)
        answer = task(*args)
        if halts:
            time.sleep(LONG)
        return answer

    return halted


def flush(descriptor: int, fsync: Callable[[int], None] = os.fsync) -> None:
    """Halt with half of a file written."""
    path = Path(f"/proc/self/fd/{descriptor}").resolve()
    if is_here(f"write {name_of(path)}"):
        os.ftruncate(descriptor, path.stat().st_size // 2)
        time.sleep(LONG)
    fsync(descriptor)


def replace(part: Path, target: Path, rename: Callable[[Path, Path], Path] = Path.replace) -> Path:
    """Halt with a file written whole, but not in its place."""
    if is_here(f"replace {name_of(part)}"):
        time.sleep(LONG)
    return rename(part, target)


def name_of(part: Path) -> str:
    """Name the file that one which is being written shall be."""
    return part.name[1:].rsplit(".", 2)[0]


tasks = (
    STAND_INS
    if os.environ.get("HALT_QUICK")
    else (worker.draw, worker.page, worker.told, worker.paper)
)
for each in (worker.measure, *tasks):
    setattr(worker, each.__name__, halting(each))
setattr(os, "fsync", flush)  # noqa: B010 - the builds call it by this name
setattr(Path, "replace", replace)  # noqa: B010 - see above

if __name__ == "__main__":
    if not os.environ["HALT"]:
        mark("began")
    main()
