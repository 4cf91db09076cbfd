"""What the command line puts over the project file: read, written as a command, named for a folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from report import authored
from report.errors import Mistake, shortened
from report.results import is_finite

LONGEST_NAME = 60  # characters of an override that still make a readable folder name
_PAIR = re.compile(r"(\w+(?:\.\w+)?)\s*=")
_NEXT = re.compile(rf"\s(?={_PAIR.pattern})")
_BARE = re.compile(r"[\w-]+", re.ASCII)  # a key that TOML reads without quotes
_WORD = re.compile(r"(?!(True|False|inf|nan)$)[^\W\d][\w.-]*")  # a text that reads as nothing else
_QUOTED = re.compile(
    r"""\\["\\]|['$]"""
)  # in a text of TOML: what shells or Make read as their own


# -- read ---------------------------------------------------------------------------------------------


def parse_overrides(texts: Iterable[str]) -> dict[str, Any]:
    """Read `section.key=value` in each text, or several after each other, written as in the project file.

    A value ends where TOML says it does: `a.b=[1, 2] a.c="x y"` are two. Raises Mistake for all else.
    """
    found: dict[str, Any] = {}
    for text in texts:
        rest, name = text.strip(), ""
        while rest or not name:
            name, found[name], rest = _first(rest)
    return found


def _first(text: str) -> tuple[str, Any, str]:
    """Part the first pair of some from what follows it."""
    pair = _PAIR.match(text)
    if not pair:
        what = "a value of seeds.toml is set by its section, key and value, as in `example.size=50`"
        raise Mistake(what, file=shortened(text))
    name, start = pair[1], pair.end()
    ends = [each.start() for each in _NEXT.finditer(text, start)] + [len(text)]
    for end in ends:
        with suppress(Mistake, ValueError):  # the value goes on behind this, or is none
            return name, _value(name, text[start:end]), text[end:].lstrip()
    what = f"'{shortened(text[start : ends[0]].strip())}' is not a value"
    then = "write numbers plainly, lists as [1, 2], and text in quotes"
    raise Mistake(what, file=shortened(text[: ends[0]]), then=then)


def _value(name: str, text: str) -> Any:
    """Read one value; raise Mistake or ValueError for what is none, for several, and for a comment."""
    ((_, table),) = authored.toml(f"table = {{ value = {text} }}", name).items()
    ((_, found),) = table.items()
    return found


# -- written ------------------------------------------------------------------------------------------


def toml(value: Any, comma: str = ", ") -> str:
    """Write a value the way the project file would."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{comma.join(toml(each, comma) for each in value)}]"
    if isinstance(value, dict):
        pairs = (f"{_key(key)} = {toml(each, comma)}" for key, each in value.items())
        return f"{{{comma.join(pairs)}}}"
    try:
        return str(value)
    except ValueError:  # a whole number of more digits than Python writes
        return hex(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """Write a text so that each character is seen, and is found again where spaces run together."""
    escaped = re.sub(r'["\\]', r"\\\g<0>", value)
    escaped = "".join(each if each.isprintable() else _code(each) for each in escaped)
    return f'"{re.sub("(?<= ) ", lambda found: _code(found[0]), escaped)}"'


def _code(character: str) -> str:
    digits = f"{ord(character):04X}"
    return f"\\u{digits}" if len(digits) == 4 else f"\\U{digits:0>8}"  # noqa: PLR2004 - TOML has two forms


def command(overrides: Mapping[str, Any]) -> str:
    """Write the command that makes the same numbers again, whatever shell it is typed to."""
    words, rest = ["make report"], dict(overrides)
    if "seed" in rest:
        words.append(f"SEED={rest.pop('seed')}")
    if rest:
        pairs = " ".join(f"{key}={toml(value, ',')}" for key, value in sorted(rest.items()))
        words.append(f"SET='{_QUOTED.sub(lambda found: _code(found[0][-1]), pairs)}'")
    return " ".join(words)


# -- named --------------------------------------------------------------------------------------------


def name_of(overrides: Mapping[str, Any]) -> str:
    """Name some overrides for a folder: `seed=7`; where that is long or unclear, by a short hash.

    Two different ones are never named alike.
    """
    said = ",".join(f"{key}={_plain(value)}" for key, value in sorted(overrides.items()))
    clear = all(map(_is_clear, overrides.values()))
    if clear and len(said) <= LONGEST_NAME:
        return said
    whole = said if clear else json.dumps(overrides, sort_keys=True, default=str)
    keys = re.sub(r"[^\w.,=+-]", "", ",".join(sorted(overrides)))[:40]
    return f"{keys}={hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def _plain(value: Any) -> str:
    return "+".join(map(_plain, value)) if isinstance(value, list) else str(value)


def _is_clear(value: Any) -> bool:
    """Tell whether no other value is plainly written alike: `"1"` is like 1, and `[1]` is too."""
    if isinstance(value, list):
        return len(value) > 1 and all(
            _is_clear(each) and not isinstance(each, list) for each in value
        )
    if isinstance(value, str):
        return bool(_WORD.fullmatch(value))
    return isinstance(value, int | float) and is_finite(value)
