"""Cuts a project down to some of its experiments, with as much of the article as speaks of them alone."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

CLOSING, TEXT = 3, 9  # ranks of what is no heading
APPENDICES = ("claims", "numbers", "colophon")  # anchors the generator adds

_HEADING = re.compile(r"(?P<rank>#+) .*\{#(?P<anchor>[\w-]+)[^}]*\}$")
_PLACED = re.compile(r"^::: (?:figure|table) (?P<stem>\w+)", re.MULTILINE)
_CODE = re.compile(r"\{[{%].*?[}%]\}", re.DOTALL)
_SETS = re.compile(r"\{% set (?P<names>[\w, ]+?) = ")
_LINK = re.compile(r"\[(?P<words>[^\]]*)\]\(#(?P<anchor>[\w-]+)\)")
_CALL = re.compile(r"\[\^(?P<name>\w+)\](?!:)")
_NOTE = re.compile(r"\[\^(?P<name>\w+)\]:")


def cut(root: Path, into: Path, stems: Collection[str], sections: Collection[str]) -> None:
    """Make a smaller project of the one at `root`.

    It has the experiments named, their parameters, and of the article the opening and the sections
    named (by anchor), less each paragraph that needs another experiment.
    """
    figures, templates = root / "figures", root / "templates"
    gone = {path.stem for path in figures.glob("*.json")} - set(stems)
    modules = sorted(_needed(figures, stems))
    code = "".join((figures / f"{name}.py").read_text("utf-8") for name in modules)
    text = article((templates / "article.md").read_text("utf-8"), gone, sections)
    seeds, sources = (root / "seeds.toml").read_text("utf-8"), templates / "sources.toml"
    written = {
        "seeds.toml": named(
            seeds, lambda name: name in stems or (name not in gone and name in code)
        ),
        "templates/article.md": text,
        "templates/sources.toml": named(sources.read_text("utf-8"), lambda key: f'"{key}"' in text),
    }
    for folder in ("figures", "templates"):
        (into / folder).mkdir(parents=True)
    for name, words in written.items():
        (into / name).write_text(words, "utf-8")
    for name in ("templates/tokens.toml", *(f"figures/{each}.py" for each in modules)):
        shutil.copy(root / name, into / name)


def _needed(figures: Path, stems: Iterable[str]) -> Iterator[str]:
    """Name modules and what they import of `figures/`, however deep."""
    waiting, seen = list(stems), set[str]()
    while waiting:
        name = waiting.pop()
        path = figures / f"{name}.py"
        if name in seen or not path.is_file():
            continue
        seen.add(name)
        yield name
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Import():
                    waiting += [alias.name for alias in node.names]
                case ast.ImportFrom(module=str(module)):
                    waiting.append(module)


def named(toml: str, is_kept: Callable[[str], bool]) -> str:
    """Keep what stands before the first section, and the sections whose name (up to a dot) is to stay."""
    first, *sections = re.split(r"(?m)^(?=\[)", toml)
    return first + "".join(each for each in sections if is_kept(re.split(r"[\[.\]]", each)[1]))


# -- the article ------------------------------------------------------------------------------------


def article(source: str, gone: Collection[str], sections: Collection[str]) -> str:
    """Keep the front matter, the opening and some sections, without what needs a result that is gone."""
    _, front, body = source.split("+++\n", 2)
    missing = set(gone)
    kept = [_without(block, missing) for block in _in_sections(_blocks(body), sections)]
    text = "\n\n".join(_headed(_noted([block for block in kept if block])))
    return f"+++\n{front}+++\n\n{_linked(text)}\n"


def _blocks(body: str) -> Iterator[str]:
    """Part text at its blank lines, but not inside `:::` and code."""
    block: list[str] = []
    depth, code = 0, False
    for line in [*body.splitlines(), ""]:
        code ^= line.startswith("```")
        if line.startswith(":::") and not code:
            depth += 1 if line.strip(": ") else -1
        if line or depth or code:
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []


def _in_sections(blocks: Iterable[str], sections: Collection[str]) -> Iterator[str]:
    """Keep what stands before the first main heading, and under those that are named."""
    inside = True
    for block in blocks:
        if block.startswith("## "):
            heading = _HEADING.match(block)
            inside = heading is not None and heading["anchor"] in sections
        if inside:
            yield block


def _without(block: str, missing: set[str]) -> str:
    """Drop a block that needs what is missing; of settings only the lines that do, and their names too."""
    if not block.startswith(("{% set", "{% macro")):
        return "" if _needs(block, missing) else block
    kept = []
    for line in block.splitlines():
        if not _needs(line, missing):
            kept.append(line)
        elif found := _SETS.match(line):
            missing.update(re.split(r", *", found["names"]))
    return "\n".join(kept)


def _needs(text: str, missing: Collection[str]) -> bool:
    named = re.compile(rf"(?<![\w.\"'])(?:{'|'.join(missing)})\b")
    figures = {found["stem"] for found in _PLACED.finditer(text)}
    links = {found["anchor"] for found in _LINK.finditer(text)}
    return not (figures | links).isdisjoint(missing) or any(map(named.search, _CODE.findall(text)))


def _noted(blocks: list[str]) -> list[str]:
    """Drop notes that nothing calls, and calls of notes that are gone."""
    called = {found["name"] for block in blocks for found in _CALL.finditer(block)}
    notes = {found["name"]: block for block in blocks if (found := _NOTE.match(block))}
    unused = [block for name, block in notes.items() if name not in called]
    return [
        _CALL.sub(lambda found: found[0] if found["name"] in notes else "", block)
        for block in blocks
        if block not in unused
    ]


def _headed(blocks: list[str]) -> Iterator[str]:
    """Drop headings with nothing below them."""
    ranks = [_rank(block) for block in blocks]
    for block, (rank, after) in zip(blocks, pairwise([*ranks, 0]), strict=True):
        if not _HEADING.match(block) or after > rank:
            yield block


def _rank(block: str) -> int:
    """The rank of a heading; what closes a main section ends a smaller one, and text is below all."""
    if found := _HEADING.match(block):
        return len(found["rank"])
    return CLOSING if block.startswith("::: takeaway") else TEXT


def _linked(text: str) -> str:
    """Leave the words of a link whose target is gone."""
    anchors = {found["anchor"] for line in text.splitlines() if (found := _HEADING.match(line))}
    anchors |= {found["stem"] for found in _PLACED.finditer(text)} | set(APPENDICES)
    return _LINK.sub(lambda found: found[0] if found["anchor"] in anchors else found["words"], text)
