"""Turns what goes wrong inside an experiment into one sentence that names its author's line."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from report.errors import Mistake
from report.project import Project
from report.results import Missing


@contextmanager
def blame(project: Project, path: Path, doing: str, *but: type[Exception]) -> Iterator[None]:
    """Turn an exception inside an experiment, but for some, into one sentence that names the user's line."""
    try:
        yield
    except but:
        raise
    except Mistake as mistake:
        if mistake.file is None:
            mistake.file, mistake.line = _place(mistake, project, path)
        raise
    except SyntaxError as error:
        what = f"Python cannot read this: {error.msg[0].lower()}{error.msg[1:]}"
        file = project.shown(Path(error.filename or path))
        raise Mistake(what, file=file, line=error.lineno) from error
    except BaseException as error:
        if not isinstance(error, Exception | SystemExit) and not _raised_there(error, project):
            raise  # a signal came meanwhile
        said = str(error).split("\n")[0] or "no message"
        how = ": " if isinstance(error, Missing) else f" with {type(error).__name__}: "
        file, line = _place(error, project, path)
        raise Mistake(f"{doing} stopped{how}{said}", file=file, line=line) from error


def _raised_there(error: BaseException, project: Project) -> bool:
    """Tell whether the project's own code raised an exception, and no code that it called."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return project.figures in Path(last.filename).parents


def _place(error: BaseException, project: Project, path: Path) -> tuple[str, int | None]:
    """Find the last line of the project's figures that an exception came through."""
    frames = traceback.extract_tb(error.__traceback__)
    here = [frame for frame in frames if project.figures in Path(frame.filename).parents]
    file, line = (Path(here[-1].filename), here[-1].lineno) if here else (path, None)
    return project.shown(file), line
