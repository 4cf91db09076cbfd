"""The one door for results: canonical JSON out, values that know where they were stored back in."""

from __future__ import annotations

import difflib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsIndex

from report.errors import unseen

NOISE = (
    1e-6  # of a tolerance: what is left where numbers of size one cancel; a small weight is larger
)
NAMED = 12  # names that a sentence lists at most
SIGNIFICANT_DIGITS = (
    9  # hides the last-bit differences between processors, keeps every digit a reader sees
)


class ResultError(ValueError):
    """A result that cannot be stored: it names the place inside the result and what is wrong there."""


class Missing(AttributeError, LookupError):  # noqa: N818 - read aloud: "raise Missing"
    """A name that nothing stored answers to; the message holds the nearest one that does."""

    def __init__(self, parent: str, key: object, known: list[str]) -> None:
        self.parent, self.key, self.known = parent, str(key), known
        super().__init__(f"{parent} has no '{key}'{nearest(str(key), known)}")


def nearest(name: object, known: Sequence[str]) -> str:
    """Say ` (did you mean 'x'?)` for the closest known name, or list the names when none is close."""
    if close := closest(name, known):
        return f" (did you mean '{close}'?)"
    more = ", …" if len(known) > NAMED else ""
    return f" (known: {', '.join(known[:NAMED])}{more})" if known else ""


def unmade(stem: str, known: Sequence[str]) -> str:
    """Say ` (did you mean 'x'?)` for the closest experiment, or which file is not there."""
    close = closest(stem, known)
    return f" (did you mean '{close}'?)" if close else f" (no file figures/{stem}.py)"


def closest(name: object, known: Sequence[str]) -> str:
    """Give the known name that was probably meant; nothing when none is close."""
    return next(iter(difflib.get_close_matches(str(name), known, n=1, cutoff=0.6)), "")


def is_finite(value: object) -> bool:
    """Tell whether a number is one that a float can hold too; what is no number is no infinite one."""
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:
        return False


class Whole(int):
    """A stored whole number."""

    path: str


class Real(float):
    """A stored real number."""

    path: str


class Text(str):
    """A stored piece of text: data, never markup, and so is every part of it."""

    __slots__ = ("path",)
    path: str

    def __getitem__(self, place: SupportsIndex | slice) -> Text:
        return _text_at(self.path, super().__getitem__(place))

    def __iter__(self) -> Iterator[str]:
        return (_text_at(self.path, letter) for letter in super().__iter__())


def _text_at(path: str, value: str) -> Text:
    bound = Text(value)
    bound.path = path
    return bound


class Row(list[Any]):
    """A stored list."""

    path: str


class Record(dict[str, Any]):
    """A stored object: its fields are read by key or, in templates and claims, by attribute."""

    path: str

    def __missing__(self, key: object) -> Any:
        if isinstance(key, int) and not isinstance(key, bool) and str(int(key)) in self:
            return self[str(int(key))]  # sizes are the keys of some records: `at[64]`
        raise Missing(self.path, key, list(self))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


def bind(path: str, value: Any) -> Any:
    """Give every value inside plain JSON data the path it is stored under, such as `stem.at.64.sd`."""
    bound: Any
    match value:
        case bool():
            return value
        case int():
            bound = Whole(value)
        case float():
            bound = Real(value)
        case str():
            bound = _text_at(path, value)
        case list():
            bound = Row(bind(f"{path}.{index}", each) for index, each in enumerate(value))
        case dict():
            paths = {key: f"{path}.{key}" for key in value}
            bound = Record({_text_at(p, key): bind(p, value[key]) for key, p in paths.items()})
        case _:
            raise ResultError(f"{path} holds {type(value).__name__}, which no result may hold")
    bound.path = path
    return bound


def canonical(path: str, value: Any) -> Any:
    """Reduce a measured value to plain JSON data; raise ResultError for what a reader could not trust."""
    if not isinstance(value, Mapping) and hasattr(
        value, "tolist"
    ):  # a numpy array or scalar, known without importing numpy
        value = value.tolist()
    if not is_finite(value):
        said = "too large" if isinstance(value, int) else value
        raise ResultError(f"{path} is {said}, and a report prints finite numbers only")
    match value:
        case bool():
            return value
        case int():
            return int(value)
        case float():
            return _rounded(value)
        case str():
            return _text(path, value)
        case list() | tuple():
            return [canonical(f"{path}.{index}", each) for index, each in enumerate(value)]
        case Mapping():
            return _record(path, value)
        case None:
            raise ResultError(f"{path} is None, and a result holds a value everywhere")
        case _:
            kind = type(value).__name__
            what = "numbers, texts, truth values, lists and records"
            raise ResultError(f"{path} is of the type {kind}, and a result holds {what}")


def _rounded(value: float) -> float:
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") + 0.0  # + 0.0 turns a negative zero into zero


def _text(path: str, value: str) -> str:
    if not value:
        raise ResultError(f"{path} is an empty text")
    if said := unseen(value):
        raise ResultError(f"{path} {said}")
    return str(value)


def _record(path: str, value: Mapping[Any, Any]) -> dict[str, Any]:
    record = {_key(path, key): canonical(f"{path}.{key}", each) for key, each in value.items()}
    if len(record) < len(value):
        raise ResultError(f"{path} has two keys that are written alike")
    return record


def _key(path: str, key: object) -> str:
    if hasattr(key, "item"):
        key = key.item()
    if not isinstance(key, str | int) or isinstance(key, bool) or key == "" or unseen(key):
        raise ResultError(f"{path} has the key {key!r}, and keys are texts or whole numbers")
    return str(key)


def dumps(stem: str, value: Any) -> str:
    """Write data as canonical JSON: sorted keys, 9 significant digits, no NaN, a newline at the end."""
    try:
        plain = canonical(stem, value)
    except RecursionError:
        raise ResultError(f"{stem} holds itself, or lists too deep in each other") from None
    return json.dumps(plain, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def loads(stem: str, text: str) -> Any:
    """Read canonical JSON back as values that carry their path."""
    return bind(stem, json.loads(text, parse_constant=_refuse))


def _refuse(constant: str) -> float:
    raise ResultError(f"the stored result holds {constant}")


def same_numbers(old: Any, new: Any, tolerance: float) -> bool:
    """Tell whether two results have the same shape and words, and numbers within a relative tolerance."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(
            same_numbers(old[key], new[key], tolerance) for key in old
        )
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(
            same_numbers(a, b, tolerance) for a, b in zip(old, new, strict=True)
        )
    if isinstance(old, float) or isinstance(new, float):
        numbers = isinstance(old, int | float) and isinstance(new, int | float)
        return numbers and math.isclose(old, new, rel_tol=tolerance, abs_tol=tolerance * NOISE)
    return type(old) is type(new) and bool(old == new)


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place whole or not at all: written beside the target, flushed, then renamed.

    Raises OSError, of the target itself, where the disk does not let it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)  # what it is about, not how it was to get there
        raise
