"""Cuts a module's source into its top-level statements, and reads what each binds and uses."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from report.glance import digest
from report.imports import bound

# Decorators that leave a function what it is; any other may register it somewhere, so it counts.
CHANGE_NOTHING = {"dataclass", "cache", "lru_cache", "cached_property", "overload", "final"}
TOP = "(top level)"
LONGEST_PATH = 200  # characters of a text that may name a file
_OPENS = (  # names by which code comes to files, in Python and in its libraries
    r"\w*open|open_\w+|read_\w+|loadtxt|genfromtxt|fromfile|memmap|imread|\w*File|i?r?glob|iterdir"
    r"|listdir|scandir|getlines?|subprocess|l?exists|is_?file|is_?dir|getsize|getmtime"
)
OPENS = re.compile(_OPENS)
OPENS_OF = re.compile(
    rf"{_OPENS}|read|load\w*|walk|connect|l?stat"
)  # alone they are words like others
LATER = "type_params"  # what Python 3.12 added to a definition: nothing where there are none


@dataclass
class Piece:
    """One statement at the top level of a module."""

    node: ast.stmt
    binds: set[str]
    acts: bool  # runs for its effect when the module is imported, whoever asks for what
    number: int = 0  # its place among those of the module

    @property
    def label(self) -> str:
        """What a reader of the code would call it."""
        match self.node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                return name
            case ast.ClassDef(name=name):
                return name
        return ", ".join(sorted(self.binds)) or TOP

    @cached_property
    def read(self) -> Reading:
        """What it says, read when first asked for."""
        return _read(self.node)


@dataclass
class Reading:
    """What a statement uses, and a hash of it without docstrings, comments and layout."""

    hash: str = ""
    mentions: set[tuple[str, str]] = field(default_factory=set)  # names, with an attribute or ''
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)  # however deep
    texts: set[str] = field(default_factory=set)  # those that could name a file
    opens: int = 0  # times it names a way to open a file


def _read(statement: ast.stmt) -> Reading:
    """Read a statement in one walk, which is what following code costs most of its time for."""
    found, said = Reading(), list[str]()
    waiting: list[Any] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            said.append(f"[{len(node)}")
            waiting += node
        elif isinstance(node, ast.AST):
            said.append(type(node).__name__)
            if isinstance(node, ast.Attribute):
                found.opens += bool(OPENS_OF.fullmatch(node.attr))
                if isinstance(node.value, ast.Name):
                    found.mentions.add((node.value.id, node.attr))
                    said += node.value.id, node.attr, type(node.ctx).__name__
                    continue
            waiting += [getattr(node, name, None) for name in node._fields if name != LATER]
            waiting += getattr(node, LATER, [])
            if isinstance(node, ast.Name):
                found.mentions.add((node.id, ""))
                found.opens += bool(OPENS.fullmatch(node.id))
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found.imports.append(node)
            elif isinstance(node, ast.Call) and _gives_the_module(node):
                found.mentions.add(("globals", ""))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.texts |= {node.value} if _may_name_a_file(node.value) else set()
        else:
            said.append(repr(node))
    found.hash = digest(" ".join(said).encode())
    return found


def _gives_the_module(node: ast.Call) -> bool:
    """Tell whether a call gives the names of its own module, as `globals()` does."""
    named = node.func.id if isinstance(node.func, ast.Name) else ""
    return named in ("vars", "locals") and not node.args


def _may_name_a_file(text: str) -> bool:
    """Tell a path, or a word that may be one, from prose."""
    alike = "." in text or "/" in text or " " not in text
    return alike and 0 < len(text) < LONGEST_PATH and text.isprintable()


@dataclass
class Module:
    """A module's source, cut into its top-level statements when they are first asked for."""

    name: str
    path: Path
    shown: str
    source: bytes
    seen: str  # hash of the source

    @cached_property
    def pieces(self) -> list[Piece]:
        """Its statements; a source that cannot be parsed counts as a single one."""
        try:
            with _uncollected():
                tree = ast.parse(self.source)
        except (SyntaxError, ValueError):
            return [Piece(ast.Expr(ast.Constant(self.seen)), set(), acts=True)]
        _drop_docstrings(tree)
        found = [_piece(node) for node in tree.body if _runs(node)]
        for number, each in enumerate(found):
            each.number = number
        return found

    @cached_property
    def stars(self) -> list[ast.ImportFrom]:
        """The imports that bring all of another module."""
        nodes = (piece.node for piece in self.pieces if "*" in piece.binds)
        return [node for node in nodes if isinstance(node, ast.ImportFrom)]

    @cached_property
    def _bindings(self) -> dict[str, list[Piece]]:
        found: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            for name in piece.binds:
                found.setdefault(name, []).append(piece)
        return found

    def binding(self, name: str) -> list[Piece]:
        """The statements that give a name its value."""
        return self._bindings.get(name, [])


@cache
def read_module(name: str, path: Path, shown: str, source: bytes) -> Module:
    """Keep a module for as long as its source stays what it is, so that it is parsed once."""
    return Module(name, path, shown, source, digest(source))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Spare the garbage collector the trees: they are kept, and walking them doubles the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _drop_docstrings(node: ast.AST) -> None:
    """Take docstrings out of a module, class or function, and of those defined inside it."""
    body = getattr(node, "body", None)
    if not isinstance(body, list):
        return
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        match body:
            case [ast.Expr(value=ast.Constant(value=str())), *rest]:
                node.body = rest or [ast.Pass()]
    for block in ("body", "orelse", "finalbody", "handlers"):
        for each in getattr(node, block, ()):
            _drop_docstrings(each)


def _runs(node: ast.stmt) -> bool:
    """Tell whether a top-level statement runs when the module is imported."""
    match node:
        case ast.Pass():
            return False
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return bool(node.orelse)
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return False
    return True


def _piece(node: ast.stmt) -> Piece:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            called = {_last_name(each) for each in node.decorator_list}
            return Piece(node, {name, *_globals(node)}, acts=not called <= CHANGE_NOTHING)
        case ast.Import() | ast.ImportFrom():
            return Piece(node, {bound(node, each) for each in node.names}, acts=False)
        case ast.Assign(targets=targets):
            return Piece(node, {name for each in targets for name in _targets(each)}, acts=False)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return Piece(node, set(_targets(target)), acts=False)
    return Piece(node, set(_allbound(node)), acts=True)


def _globals(node: ast.AST) -> Iterator[str]:
    """Name the variables of the module that a function or class changes."""
    if isinstance(node, ast.Global):
        yield from node.names
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(node, block, []):
            yield from _globals(each)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Call(func=inner):
            return _last_name(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _targets(node: ast.expr) -> Iterator[str]:
    """Name what an assignment changes: `x`, and also `x` of `x[0]` and `x.y`."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _targets(part)
        case ast.Subscript(value=inner) | ast.Attribute(value=inner) | ast.Starred(value=inner):
            yield from _targets(inner)


def _allbound(node: ast.stmt) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.FunctionDef | ast.ClassDef):
            yield each.name
        elif isinstance(each, ast.Import | ast.ImportFrom):
            yield from (bound(each, alias) for alias in each.names)
