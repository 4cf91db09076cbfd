"""Prints numbers for people, and remembers what was printed from where."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal

from report.errors import shortened

MINUS = "\u2212"
_WIDE = Context(
    prec=700, rounding=ROUND_HALF_EVEN
)  # holds any float; halves go to the even neighbor
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_UP_TO_NINETEEN = [
    "zero", "one", "two", "three", "four", "five", "six",
    "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (type(None), "nothing"),
    (bool, "a truth value"),
    ((int, float), "a number"),
    (dict, "a record"),
    ((list, tuple, range, Iterator), "a list"),
)
_SMALL, _TINY, _LOWEST = Decimal("0.05"), Decimal("0.001"), Decimal("0.00005")


def exact(value: object) -> Decimal:
    """Take a number as the decimal it is stored as; raise ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"expects a number, not {kind(value)}")
    decimal = (
        Decimal(int(value)) if isinstance(value, numbers.Integral) else Decimal(repr(float(value)))
    )
    if not decimal.is_finite():
        raise ValueError(f"cannot print {float(value)}")
    return decimal


def kind(value: object) -> str:
    """Say what a value is to someone who knows no types."""
    if isinstance(value, str):
        return f"the text '{shortened(value)}'"
    found = (name for types, name in _KINDS if isinstance(value, types))
    return next(found, "a function" if callable(value) else type(value).__name__)


def _grouped(value: Decimal) -> str:
    """Write without exponent, with thousands commas and a true minus; zero has no sign."""
    text = f"{abs(value):,f}"
    return f"{MINUS}{text}" if value < 0 else text


def _at(value: Decimal, digits: int) -> str:
    """Round to decimals; a number that would vanish is named by the smallest one that would not."""
    _check(digits, range(13), "decimals")
    step = Decimal(1).scaleb(-digits)
    rounded = _WIDE.quantize(value, step)
    if rounded == 0 and value != 0:
        return f"<{_grouped(step)}" if value > 0 else f">{_grouped(-step)}"
    return _grouped(rounded if rounded else abs(rounded))


def _check(digits: object, allowed: range, what: str) -> None:
    """Results carry nine digits; more would be made up."""
    if digits not in allowed or isinstance(digits, bool | float):
        said = digits if isinstance(digits, int | float) else kind(digits)
        raise ValueError(f"prints {allowed[0]} to {allowed[-1]} {what}, not {said}")


def fixed(value: object, digits: int) -> str:
    """Print with a fixed number of decimals: 8.004 with 2 is `8.00`."""
    return _at(exact(value), digits)


def significant(value: object, digits: int) -> str:
    """Print with a number of significant digits and no exponent: 2980.96 with 4 is `2,981`."""
    rounded = _significant(exact(value), digits)
    places = max(0, digits - 1 - rounded.adjusted()) if rounded else digits - 1
    return _grouped(_WIDE.quantize(rounded, Decimal(1).scaleb(-places)))


def _significant(value: Decimal, digits: int) -> Decimal:
    _check(digits, range(1, 10), "significant digits")
    return Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(value) if value else Decimal(0)


def percent(value: object, digits: int = 0) -> str:
    """Print a share as percent: 0.0123 with 1 is `1.2%`."""
    return f"{_at(_WIDE.multiply(exact(value), Decimal(100)), digits)}%"


def count(value: object) -> str:
    """Print a whole number with thousands commas: `20,000`; raise ValueError for a fraction."""
    whole = exact(value)
    if whole != whole.to_integral_value():
        raise ValueError(f"expects a whole number, not {whole}")
    return _grouped(_WIDE.quantize(whole, Decimal(1)) + 0)


def plain(value: object) -> str:
    """Print every stored digit and no more: `8`, `−8`, `0.125`."""
    number = exact(value)
    shortest = number.normalize(_WIDE) if number else Decimal(0)
    return _grouped(
        _WIDE.quantize(shortest, Decimal(1))
        if shortest == shortest.to_integral_value()
        else shortest
    )


def brief(value: object, digits: int = 3) -> str:
    """Print exactly where so few digits allow it, else rounded: `8`, `0.125`, but `11.3`.

    Digits before the point are all kept.
    """
    number = exact(value)
    _check(digits, range(1, 10), "significant digits")
    digits = min(9, max(digits, number.adjusted() + 1))
    return plain(value) if _significant(number, digits) == number else significant(value, digits)


def bare(value: object) -> str:
    """Print a whole number that names something, such as a seed, without commas: `2017`."""
    return count(value).replace(",", "")


def label(value: object, *digits: int) -> str:
    """Print what numbers a scale or a row and states nothing measured: a tick, `key 2`."""
    return fixed(value, *digits) if digits else plain(value)


def words(value: object) -> str:
    """Print a whole number below a billion in words: `twenty thousand`."""
    whole = int(count(value).replace(MINUS, "-").replace(",", ""))
    if abs(whole) >= 10**9:
        raise ValueError(f"cannot print {count(value)} in words; use `count`")
    return f"minus {_spelled(-whole)}" if whole < 0 else _spelled(whole)


def _spelled(whole: int) -> str:
    """Spell a number the American way, without `and`; the libraries that can take seconds to load."""
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if whole >= size:
            rest = whole % size
            return f"{_spelled(whole // size)} {name}" + (f" {_spelled(rest)}" if rest else "")
    if whole < len(_UP_TO_NINETEEN):
        return _UP_TO_NINETEEN[whole]
    tens, ones = divmod(whole, 10)
    return _TENS[tens] + (f"-{_UP_TO_NINETEEN[ones]}" if ones else "")


def about(value: object) -> str:
    """Print two significant digits, with `about` unless nothing was rounded away: `about 14`."""
    number = exact(value)
    rough = significant(value, 2)
    return rough if _significant(number, 2) == number else f"about {rough}"


def weight(value: object) -> str:
    """Print a share between 0 and 1 with as many decimals as it needs: 0.98, 0.018, 0.0003, <0.0001."""
    share = exact(value)
    if not 0 <= share <= 1:
        raise ValueError(f"expects a weight between 0 and 1, not {share}")
    if share in (0, 1):
        return str(int(share))
    edge = min(share, 1 - share)
    if edge < _LOWEST:
        return "<0.0001" if share < _SMALL else ">0.9999"
    below = (
        Decimal("0.005") if share > _SMALL else _SMALL
    )  # 0.996 needs a third decimal, 0.98 does not
    return _at(share, 4 if edge < _TINY else 3 if edge < below else 2)


def scientific(value: object, digits: int) -> str:
    """Print as a power of ten with a number of significant digits: `1.10 × 10⁻⁷`."""
    rounded = _significant(exact(value), digits)
    exponent = rounded.adjusted() if rounded else 0
    return (
        f"{_at(rounded.scaleb(-exponent), digits - 1)} × 10{str(exponent).translate(_SUPERSCRIPT)}"
    )


PRINTERS: dict[str, Callable[..., str]] = {
    printer.__name__: printer
    for printer in (
        plain,
        brief,
        bare,
        label,
        fixed,
        significant,
        percent,
        count,
        words,
        about,
        weight,
        scientific,
    )
}


@dataclass(frozen=True)
class Quote:
    """One printed number: where its value is stored, the value, and the text a reader sees."""

    path: str
    value: float
    printed: str
    how: str
    details: tuple[int, ...] = ()  # what the printer was told besides, such as decimals


def _remember(quote: Quote) -> str:
    return quote.printed


def _printing(how: str) -> Callable[..., str]:
    """Make the method of a Printer that prints as the function of that name does."""

    def say(printer: Printer, value: object, *details: int) -> str:
        return printer._say(how, value, *details)

    return say


class Printer:
    """Prints numbers and keeps a Quote of each; `emit` may put something else in the text's place.

    A strict printer refuses a number that was not read from a result or a parameter, but for labels.
    """

    def __init__(self, emit: Callable[[Quote], str] = _remember, *, strict: bool = False) -> None:
        self.quotes: list[Quote] = []
        self._emit, self._strict = emit, strict

    def _say(self, how: str, value: object, *details: int) -> str:
        path = getattr(value, "path", "")
        if self._strict and isinstance(value, numbers.Real) and not path:
            raise ValueError(f"'{how}' was given a number that no result or parameter holds")
        return self._keep(how, value, *details)

    def _keep(self, how: str, value: object, *details: int) -> str:
        path = getattr(value, "path", "")
        try:
            printed = PRINTERS[how](value, *details)
        except ValueError as error:
            place = f" ({path})" if path else ""
            raise ValueError(f"'{how}' {error}{place}") from None
        stored = int(value) if isinstance(value, numbers.Integral) else float(value)  # type: ignore[arg-type]  # exact() has refused everything else
        quote = Quote(path, stored, printed, how, details)
        self.quotes.append(quote)
        return self._emit(quote)

    plain = _printing("plain")
    brief = _printing("brief")
    bare = _printing("bare")
    fixed = _printing("fixed")
    significant = _printing("significant")
    percent = _printing("percent")
    count = _printing("count")
    words = _printing("words")
    about = _printing("about")
    weight = _printing("weight")
    scientific = _printing("scientific")

    def label(self, value: object, *digits: int) -> str:
        """Print what numbers a scale or a row, which no result has to hold."""
        return self._keep("label", value, *digits)

    def series(self, values: Iterable[object], how: str = "plain", *details: int) -> str:
        """Print a list as people say it: `8, 0, −8 and 4`."""
        if how not in PRINTERS:
            raise ValueError(f"'series' knows no '{how}'; it knows {', '.join(PRINTERS)}")
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ValueError(f"'series' expects a list, not {kind(values)}")
        said = [self._say(how, value, *details) for value in values]
        if not said:
            raise ValueError("'series' was given an empty list")
        return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
