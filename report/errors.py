"""What a user can get wrong, said in one sentence."""

from __future__ import annotations

TYPE_CHECKING = False  # what `typing` would say, without the time it takes to load
if TYPE_CHECKING:
    from pathlib import Path


class Mistake(Exception):  # noqa: N818 - a mistake of the user, not an error of the generator
    """Something the user can mend: where it is, what is wrong, and what to do next."""

    def __init__(
        self, what: str, *, file: Path | str | None = None, line: int | None = None, then: str = ""
    ) -> None:
        self.what, self.file, self.line, self.then = what, file, line, then
        super().__init__(what)

    def __str__(self) -> str:
        place = (
            f"{self.file}, line {self.line}: "
            if self.line
            else f"{self.file}: "
            if self.file
            else ""
        )
        sentence = f"{place}{self.what}{f'; {self.then}' if self.then else ''}"
        return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
