"""One glance that finds nothing to do: everything a build read and made is as it was.

It runs before anything else is imported, and so it needs next to nothing itself. It trusts contents
alone, never dates, and answers only a request typed in the very words of one that succeeded.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys

TYPE_CHECKING = False  # what `typing` would say, without the time it takes to load
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

# pathlib takes longer to load than the glance may last
# ruff: noqa: PTH109, PTH112, PTH118, PTH120, PTH123, PTH208

RECORD = "record.json"  # beside what is made: what was made of what
NAME = os.path.join("build", "glance.json")
TEXT = (".py", ".md", ".toml", ".json", ".svg", ".css", ".html", ".js", ".txt", ".csv", ".j2")
LINKER = "/etc/ld.so.cache"  # changes with every system library that is installed or replaced
GENERATOR = os.path.dirname(os.path.realpath(__file__))
SWEPT = "sweep.json"  # in figures/: made, but by no build
MAKING = ("build", "figures", "cards")  # the commands that make something


def digest(data: bytes) -> str:
    """Hash some bytes, as 32 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:32]


def file_digest(path: str | Path) -> str:
    """Hash what a file says; '' if it is not there. In text the kind of line end does not count."""
    try:
        with open(path, "rb") as file:
            return said_digest(path, file.read())
    except (OSError, ValueError):  # no name of a file has a zero in it, and some no letters
        return ""


def said_digest(path: str | Path, data: bytes) -> str:
    """Hash what a file says that holds some bytes."""
    return digest(data.replace(b"\r\n", b"\n") if str(path).endswith(TEXT) else data)


def variable_digest(name: str) -> str:
    """Hash what a variable of the environment says; '' if it is not set."""
    value = os.environ.get(name)
    return "" if value is None else digest(os.fsencode(value))


def files_digest(paths: Iterable[str | Path]) -> str:
    """Hash some files with their names."""
    return digest("".join(f"{path} {file_digest(path)}\n" for path in paths).encode())


def sealed(told: object) -> bytes:
    """Write data as JSON with a hash of itself, which tells when it was damaged.

    On one line: laid out in lines, a record takes ten times as long to write.
    """
    whole = {"seal": _seal(told), "told": told}
    return json.dumps(whole, sort_keys=True, ensure_ascii=False).encode()


def unsealed(data: bytes) -> object:
    """Read data back as it was sealed; raise ValueError where it is not that any more."""
    whole = json.loads(data)
    if not isinstance(whole, dict) or whole.get("seal") != _seal(whole.get("told")):
        raise ValueError("damaged")
    return whole["told"]


def _seal(told: object) -> str:
    return digest(json.dumps(told, sort_keys=True).encode())


def look(
    root: str | Path, stems: Iterable[str], apart: Iterable[str | Path] = ()
) -> dict[str, Any]:
    """Hash everything that any build reads: the project, the generator and the libraries.

    Results and pictures of the experiments, which are `stems`, are made and not read. Files that are
    named as `apart` are left to whoever names them.
    """
    root, generator, stems = str(root), GENERATOR, list(stems)
    left = {os.path.join(root, name) for name in made_of(stems)} | set(map(str, apart))
    seen = hashlib.sha256(f"{sys.version}\n{file_digest(LINKER)}\n".encode())
    for place in sys.path:
        if place.endswith(("site-packages", "dist-packages")) and os.path.isdir(place):
            names = (name for name in os.listdir(place) if name.endswith(".dist-info"))
            seen.update(" ".join(sorted(names)).encode())
    places = [os.path.join(root, name) for name in ("seeds.toml", "figures", "templates")]
    places.append(generator)
    if not os.path.isdir(os.path.join(generator, "default")):  # a checkout: they lie beside it
        places.append(os.path.join(os.path.dirname(generator), "templates"))
    for place in dict.fromkeys(places):
        for path in _files(place):
            if path not in left:
                name = os.path.relpath(path, os.path.dirname(place))
                seen.update(f"{name} {file_digest(path)}\n".encode())
    return {"inputs": seen.hexdigest()[:32], "stems": stems}


def made_of(stems: Iterable[str]) -> set[str]:
    """Name the results and pictures of experiments."""
    return {
        os.path.join("figures", stem + ending) for stem in stems for ending in (".json", ".svg")
    }


def _files(place: str) -> Iterator[str]:
    """Every file in a folder that any build reads, in one order."""
    if not os.path.isdir(place):
        yield place
        return
    for entry in sorted(os.scandir(place), key=lambda each: each.name):
        if unread(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):  # no project may link to a folder
            yield from _files(entry.path)
        else:
            yield entry.path


def unread(name: str) -> bool:
    """Tell the name of what no build reads by itself: hidden, left by an editor, or Python's cache."""
    return name.startswith((".", "#")) or name.endswith("~") or name == "__pycache__"


def understood(words: Sequence[str]) -> tuple[str, str] | None:
    """Part a command line into the project's folder and all else that it asks for.

    Gives None for what always has to be looked at: other commands, help, all made anew, other copies.
    """
    if not words or words[0] not in MAKING or {"--fresh", "--strict", "--help", "-h"} & set(words):
        return None
    if any(word.startswith("--since") for word in words):
        return None  # the copy may be the very file that is made
    root, rest, waiting = ".", [], False
    for word in words:
        if waiting:
            root, waiting = word, False
        elif word == "--project":
            waiting = True
        elif word.startswith("--project="):
            root = word.partition("=")[2]
        else:
            rest.append(word)
    if any(word.startswith("--out") for word in rest):
        rest.append(os.getcwd())  # a folder is named from where one stands
    return os.path.realpath(root), "\n".join(rest)


def remember(
    root: str | Path,
    words: str,
    seen: dict[str, Any],
    made: Iterable[str | Path],
    outputs: Iterable[str | Path],
) -> bytes:
    """Write what a request saw and made when all of it was up to date; what is older is dropped.

    It saw what `look` tells, and the `files` and `variables` that code names by their hashes; or any
    file `anywhere`.
    """
    looks = {key: old for key, old in _looks(str(root)).items() if old["inputs"] == seen["inputs"]}
    files = {os.path.relpath(path, root): file_digest(path) for path in made}
    files |= seen["files"]  # what is made and read as well counts as it was read
    looks[words] = {
        **seen,
        "files": files,
        "outputs": [os.path.relpath(path, root) for path in outputs],
    }
    return sealed(looks)


def _looks(root: str) -> dict[str, dict[str, Any]]:
    try:
        with open(os.path.join(root, NAME), "rb") as file:
            looks = unsealed(file.read())
    except (OSError, ValueError):
        return {}
    return looks if isinstance(looks, dict) else {}


def nothing_to_do(words: Sequence[str]) -> list[str] | None:
    """Name the outputs of a request if all it makes is there and nothing moved; else None."""
    if (asked := understood(words)) is None:
        return None
    root, rest = asked
    match _looks(root).get(rest):
        case {
            "inputs": str(seen),
            "stems": list(stems),
            "files": dict(files),
            "variables": dict(variables),
            "anywhere": bool(anywhere),
            "outputs": list(outputs),
        }:
            same = all(file_digest(os.path.join(root, name)) == was for name, was in files.items())
            same = same and all(variable_digest(name) == was for name, was in variables.items())
            if same and anywhere:
                from report.data import data  # noqa: PLC0415 - few projects need it

                same = all(name in files for name in data(root, stems))
            if same and look(root, stems)["inputs"] == seen:
                return [os.path.join(root, str(name)) for name in outputs]
    return None


def at_a_glance(words: Sequence[str]) -> bool:
    """Answer a request that asks for nothing new, and tell whether it did.

    Where the answer cannot be written, the command line comes as far, and says what is wrong.
    """
    if (outputs := nothing_to_do(words)) is None:
        return False
    lines = map(shown, outputs) if "--quiet" in words else [sentence(outputs)]
    try:
        print("".join(f"{line}\n" for line in lines), end="", flush=True)
    except OSError:
        return False
    return True


def shown(path: str | Path) -> str:
    """Name a path as it is reached from where the user stands, or whole if that is shorter."""
    return min(os.path.relpath(path), str(path), key=len)


def sentence(outputs: Iterable[str | Path]) -> str:
    """Say that all that was asked for is there."""
    names = [shown(path) for path in outputs]
    *others, last = names or ["every result and picture asked for"]
    what = f"{', '.join(others)} and {last}" if others else last
    return f"Nothing to do: {what} {'are' if len(names) > 1 else 'is'} up to date."
