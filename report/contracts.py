"""What an experiment may count on: the shapes of its random streams, its printer and its canvas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict

if TYPE_CHECKING:
    import numpy as np

    from report.drawing.canvas import Anchor, Canvas, Scale
    from report.style import Kind

__all__ = [
    "Anchor",
    "Canvas",
    "Claim",
    "Description",
    "Kind",
    "Layout",
    "Say",
    "Scale",
    "Stored",
    "Stream",
    "Table",
]

Layout = Literal["wide", "narrow"]
Stored = Mapping[
    str, Any
]  # a result read back from its JSON: its leaves are plain values that carry their path


class Stream(Protocol):
    """Gives the random generator of one case; the same keys always give the same numbers."""

    def __call__(self, *keys: int | str) -> np.random.Generator:
        """Give the generator of the case that the keys name."""


class Say(Protocol):
    """Prints stored numbers for people and remembers what it printed.

    Every method takes a number and returns text with a true minus sign; none uses the locale.
    Halves round to even. Infinities, NaN and values that are not numbers raise ValueError.
    """

    def plain(self, value: float) -> str:
        """Print every stored digit and no more."""

    def brief(self, value: float, digits: int = 3) -> str:
        """Print exactly where so few digits allow it, else rounded."""

    def bare(self, value: float) -> str:
        """Print the digits of a whole number that names something, such as a seed."""

    def label(self, value: float, *digits: int) -> str:
        """Print what numbers a scale or a row and states nothing measured; exactly, or so many decimals."""

    def fixed(self, value: float, digits: int) -> str:
        """Print a fixed number of decimals."""

    def significant(self, value: float, digits: int) -> str:
        """Print a number of significant digits, without exponent."""

    def percent(self, value: float, digits: int = 0) -> str:
        """Print a share as percent."""

    def count(self, value: float) -> str:
        """Print a whole number with thousands commas."""

    def words(self, value: float) -> str:
        """Print a whole number in words."""

    def about(self, value: float) -> str:
        """Print two significant digits, with `about` if something was rounded away."""

    def weight(self, value: float) -> str:
        """Print a share with as many decimals as it needs."""

    def series(self, values: Iterable[float], how: str = "plain", *details: int) -> str:
        """Print a list as people say it: `8, 0 and 4`."""

    def scientific(self, value: float, digits: int) -> str:
        """Print as a power of ten."""


class Table(TypedDict):
    """The data behind a picture: every cell already printed, the first column names its row."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Description(TypedDict):
    """A picture in words: `alt` (125 to 250 characters), paragraphs with every value, and the data."""

    alt: str
    description: Sequence[str]
    table: Table


class Claim(TypedDict):
    """A truth the article leans on: what is claimed, whether the result bears it, and on what numbers."""

    name: str
    sentence: str
    holds: bool
    evidence: str
