"""Which characters the codes of a PDF's font stand for: its map to Unicode (ISO 32000-1, 9.10.3)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_HEX: Final = rb"<([0-9A-Fa-f\s]+)>"
_ONE: Final = re.compile(_HEX + rb"\s*" + _HEX)
_RANGE: Final = re.compile(_HEX + rb"\s*" + _HEX + rb"\s*(?:" + _HEX + rb"|\[([^\]]*)\])")


@lru_cache(maxsize=64)  # every page of a file asks for all its fonts
def meanings(text: bytes) -> dict[int, str]:
    """Read a map: code -> the characters it stands for."""
    found: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", text, re.DOTALL):
        found |= {int(code, 16): _characters(meaning) for code, meaning in _ONE.findall(block)}
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", text, re.DOTALL):
        for first, last, start, each in _RANGE.findall(block):
            codes = range(int(first, 16), int(last, 16) + 1)
            told = (
                [chr(int(start, 16) + at) for at in range(len(codes))]
                if start
                else [_characters(one) for one in re.findall(_HEX, each)]
            )
            found |= dict(zip(codes, told, strict=False))
    return found


def _characters(code: bytes) -> str:
    digits = re.sub(rb"\s", b"", code).decode("ascii")
    return bytes.fromhex(digits).decode("utf-16-be", "replace")
