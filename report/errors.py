"""What a user can get wrong, said in one sentence."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # what `typing` would say, without the time it takes to load
if TYPE_CHECKING:
    from pathlib import Path

RERUN = "run the command again"  # what a watch, which runs on, words its own way
AGAIN = f"correct it and {RERUN}"
SEE_TO_IT = f"see to it and {RERUN}"
LONG = 160  # characters of somebody's text that a sentence quotes at most

# Characters that show nothing, move the cursor, or that the generator keeps for itself.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff]"
)


class Mistake(Exception):  # noqa: N818 - a mistake of the user, not an error of the generator
    """Something the user can mend: where it is, what is wrong, and what to do next."""

    def __init__(
        self,
        what: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        then: str = AGAIN,
    ) -> None:
        self.what, self.file, self.line, self.then = what, file, line, then
        super().__init__(what)

    def __str__(self) -> str:
        place = f"{self.file}{f', line {self.line}' if self.line else ''}: " if self.file else ""
        return legible(f"{place}{self.what.rstrip('.')}; {self.then}.")


def legible(text: str) -> str:
    """Write text on one line that any terminal can show as it stands."""
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def unseen(value: object) -> str:
    """Say which character of a text no font can show; nothing if there is none."""
    found = UNSEEN.search(value) if isinstance(value, str) else None
    return f"holds a character that no font shows (U+{ord(found[0]):04X})" if found else ""


def answered(error: OSError) -> Mistake:
    """Word what the machine does not let a command do."""
    from report.glance import shown  # noqa: PLC0415 - a word of help must not wait for it

    what = f"the system answers “{error.strerror or error}”"
    file = shown(error.filename) if isinstance(error.filename, str) else None
    return Mistake(what, file=file, then=SEE_TO_IT)


def shortened(text: str, most: int = LONG) -> str:
    """Write somebody's text as a sentence quotes it: on one line, of a long one the beginning."""
    line = legible(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
