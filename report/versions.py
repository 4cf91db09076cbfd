"""Which Python and which libraries stand behind a build, read from folder names alone."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


@cache
def _folders() -> dict[str, str]:
    """Every installed distribution, by its name in lower case with hyphens, and its folder."""
    found: dict[str, str] = {}
    for place in sys.path:
        if place.endswith(("site-packages", "dist-packages")) and os.path.isdir(place):  # noqa: PTH112 - pathlib is slow to start
            for name in sorted(os.listdir(place)):  # noqa: PTH208 - see above
                if name.endswith(".dist-info"):
                    project = _plain(name.removesuffix(".dist-info").rpartition("-")[0])
                    found.setdefault(project, os.path.join(place, name))  # noqa: PTH118 - see above
    return found


def installed() -> dict[str, str]:
    """Every installed distribution with its version; imports nothing to find them."""
    return {
        name: folder.removesuffix(".dist-info").rpartition("-")[2]
        for name, folder in _folders().items()
    }


def needed_by(imports: Iterable[str], *, deep: bool = True) -> dict[str, str]:
    """Versions of what provides some imported modules and, `deep`, of all that this needs."""
    known, found = installed(), dict[str, str]()
    waiting = [name for module in imports if (name := _provider(module))]
    while waiting:
        name = waiting.pop()
        if name in known and name not in found:
            found[name] = known[name]
            waiting += _requirements(name) if deep else []
    return found


@cache
def _provider(module: str) -> str | None:
    """Name the distribution that holds a module, or nothing for Python's own."""
    if module in sys.stdlib_module_names:
        return None
    plain = _plain(module)
    if plain in _folders():
        return plain
    for name, folder in _folders().items():
        if name.startswith(plain) and _holds(folder, module):
            return name
    return next((name for name, folder in _folders().items() if _holds(folder, module)), None)


def _holds(folder: str, module: str) -> bool:
    try:
        record = Path(folder, "RECORD").read_text("utf-8")
    except OSError:
        return False
    return re.search(rf"^{re.escape(module)}[/.]", record, re.MULTILINE) is not None


@cache
def _requirements(name: str) -> list[str]:
    """The distributions another one cannot do without; those of its extras are left out."""
    try:
        text = Path(_folders()[name], "METADATA").read_text("utf-8")
    except OSError:
        return []
    lines = re.findall(r"^Requires-Dist: ([\w.-]+)(.*)$", text.split("\n\n")[0], re.MULTILINE)
    return [_plain(found) for found, rest in lines if "extra ==" not in rest]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def engines() -> dict[str, str]:
    """Versions of the system's libraries that set the type of a PDF; '' where one is not there."""
    return {
        "HarfBuzz": _engine("harfbuzz", "hb_version_string"),
        "Pango": _engine("pango-1.0", "pango_version_string"),
    }


def setters() -> dict[str, str]:
    """Versions of all that sets the type of a PDF, the library first."""
    return needed_by(["weasyprint"], deep=False) | engines()


@cache
def _engine(stem: str, tells: str) -> str:
    import ctypes  # noqa: PLC0415 - only a PDF needs it

    for name in (f"lib{stem}.so.0", f"lib{stem}.dylib"):
        try:
            function = getattr(ctypes.CDLL(name), tells)
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_char_p
        return str(function().decode())
    return ""
