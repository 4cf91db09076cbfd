"""Says what an import statement imports, what it binds, and what its names stand for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from report.statements import Module

Place = tuple[str, str]  # a module and a name in it; "*" is all of it, "" what importing it does


def modules_of(module: Module, node: ast.Import | ast.ImportFrom) -> list[str]:
    """Name the modules an import statement imports."""
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    if not node.level:
        return [node.module or ""]
    inside = module.name.split(".") + (["_"] if module.path.name == "__init__.py" else [])
    return [".".join(filter(None, [*inside[: -node.level], node.module]))]


def bound(node: ast.Import | ast.ImportFrom, each: ast.alias) -> str:
    """Name what an import statement binds for one of the names it imports."""
    whole = isinstance(node, ast.Import)
    return each.asname or (each.name.partition(".")[0] if whole else each.name)


def brought(module: Module, node: ast.Import | ast.ImportFrom, only: str = "") -> set[Place]:
    """Say what an import statement brings: all of it, or what it binds to one name."""
    names = [each for each in node.names if not only or only in (bound(node, each), "*")]
    if isinstance(node, ast.Import):
        return {(each.name, "*") for each in names}
    return {(modules_of(module, node)[0], each.name) for each in names}


def original(node: ast.ImportFrom, name: str) -> str:
    """Say what a module calls that which an import binds to a name."""
    return next(each.name for each in node.names if bound(node, each) == name)


def attribute_of(node: ast.Import, name: str, attribute: str) -> set[Place]:
    """Follow `module.attribute`; of a dotted import, or without attribute, the whole module."""
    return {
        (each.name, attribute if attribute and (each.asname or each.name) == name else "*")
        for each in node.names
        if bound(node, each) == name
    }
