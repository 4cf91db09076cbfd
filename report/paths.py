"""Works out the paths that code puts together of texts and of where its own file lies."""

from __future__ import annotations

import ast
import os.path
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from report.imports import modules_of, original
from report.statements import Module, Piece

# ruff: noqa: PTH117, PTH118, PTH120, PTH122 - these paths are texts, and mostly of no file

MADE_OF = {"Path", "PurePath", "join", "str", "fspath", "abspath", "realpath", "normpath"}
STAYS = {"resolve", "absolute", "as_posix"}  # methods that leave a path what it is
DEEP = 20  # names that stand for one another, after which they stand for nothing
Find = Callable[[str], Module | None]  # a module of the project, by its name


def paths_in(module: Module, piece: Piece, find: Find) -> Iterator[str]:
    """Give every absolute path that a statement names whole, however it puts it together."""
    scope = _Scope(module, find, _assigned(piece.node))
    waiting: list[ast.AST] = [piece.node]
    while waiting:
        node = waiting.pop()
        found = scope.path(node) if isinstance(node, ast.expr) else None
        if found and os.path.isabs(found):
            yield os.path.normpath(found)
        else:
            waiting += ast.iter_child_nodes(node)


def _assigned(statement: ast.stmt) -> dict[str, ast.expr | None]:
    """Say what the names stand for that a statement gives a value: None where that is not one value."""
    stored: Counter[str] = Counter()
    values: dict[str, ast.expr | None] = {}
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                stored[name] += 1
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value
    return {name: values.get(name) if times == 1 else None for name, times in stored.items()}


@dataclass
class _Scope:
    """What names stand for in one statement of a module."""

    module: Module
    find: Find
    local: dict[str, ast.expr | None] = field(default_factory=dict)
    depth: int = 0

    def path(self, node: ast.expr) -> str | None:
        """Work out what path an expression gives; None where it cannot be told, or is none."""
        match node:
            case ast.Constant(value=str(text)):
                found: str | None = text
            case ast.Name(id=name):
                found = str(self.module.path) if name == "__file__" else self._named(name)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                found = self._joined([left, right])
            case ast.Attribute(value=inner, attr="parent"):
                found = self._above(inner, 1)
            case ast.Subscript(
                value=ast.Attribute(value=inner, attr="parents"),
                slice=ast.Constant(value=int(steps)),
            ):
                found = self._above(inner, steps + 1)
            case ast.Call(func=ast.Name(id=name), args=args):
                found = self._made(name, args)
            case ast.Call(func=ast.Attribute(value=inner, attr=name), args=args):
                base = self.path(inner)
                found = self._made(name, args) if base is None else self._moved(base, name, args)
            case _:
                found = None
        return found

    def _made(self, name: str, args: list[ast.expr]) -> str | None:
        """Work out what a function makes, such as `Path` or `os.path.join`."""
        if name == "dirname" and len(args) == 1:
            return self._above(args[0], 1)
        return self._joined(args) if name in MADE_OF else None

    def _moved(self, base: str, name: str, args: list[ast.expr]) -> str | None:
        """Work out what a method makes of a path."""
        match name, self._joined(args):
            case ("joinpath", str(told)):
                return os.path.join(base, told)
            case ("with_name", str(told)):
                return os.path.join(os.path.dirname(base), told)
            case ("with_suffix", str(told)):
                return os.path.splitext(base)[0] + told
        return base if name in STAYS else None

    def _joined(self, nodes: list[ast.expr]) -> str | None:
        found = [self.path(node) for node in nodes]
        told = [each for each in found if each is not None]
        return os.path.join(*told) if told and len(told) == len(found) else None

    def _above(self, inner: ast.expr, steps: int) -> str | None:
        found = self.path(inner)
        for _ in range(steps if found else 0):
            found = os.path.dirname(found or "")
        return found

    def _named(self, name: str) -> str | None:
        """Follow a name to the one value it has in this statement, in its module or in another."""
        if self.depth == DEEP:
            return None
        if name in self.local:
            value, scope = self.local[name], self._deeper(self.module, self.local)
            return scope.path(value) if value else None
        match [piece.node for piece in self.module.binding(name)]:
            case [ast.Assign(targets=[ast.Name()], value=value)]:
                return self._deeper(self.module, {}).path(value)
            case [ast.AnnAssign(value=ast.expr() as value)]:
                return self._deeper(self.module, {}).path(value)
            case [ast.ImportFrom() as node]:
                there = self.find(modules_of(self.module, node)[0])
                return self._deeper(there, {})._named(original(node, name)) if there else None
        return None

    def _deeper(self, module: Module, local: dict[str, ast.expr | None]) -> _Scope:
        return _Scope(module, self.find, local, self.depth + 1)
