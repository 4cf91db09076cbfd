"""Tells which definitions and assignments change something elsewhere when their module is imported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from report.imports import modules_of
from report.statements import Module, Piece

Ours = Callable[[str], bool]  # whether a module, by its name, is one of the project's


def acts(module: Module, piece: Piece, is_ours: Ours) -> bool:
    """Tell whether a statement may reach beyond the names it binds.

    So does one that patches what was imported (`other.total = mine`), that hands code to code of
    the project (`done = register(mine)`), or a class whose base may keep a list of its kind.
    """
    match piece.node:
        case ast.ClassDef(bases=bases, keywords=keywords):
            return bool(keywords) or any(_is_code(module, _root(each), is_ours) for each in bases)
        case ast.Assign(targets=targets, value=value):
            return _patches(module, targets) or _registers(module, value, is_ours)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _patches(module, [target]) or _registers(module, value, is_ours)
        case ast.AugAssign(target=target, value=value):  # `WAYS += [mine]` changes the list itself
            grown = _is_foreign(module, _root(target), set())
            return grown or _registers(module, value, is_ours)
    return False


def _patches(module: Module, targets: list[ast.expr]) -> bool:
    inner = (each for target in targets for each in ast.walk(target))
    changed = (each for each in inner if isinstance(each, ast.Attribute | ast.Subscript))
    return any(
        _is_foreign(module, _root(each), set())
        for each in changed
        if isinstance(each.ctx, ast.Store)
    )


def _is_foreign(module: Module, name: str, asked: set[str]) -> bool:
    """Tell whether a name stands, or may stand, for something made elsewhere."""
    if not name:
        return True
    asked.add(name)
    for piece in module.binding(name):
        match piece.node:
            case ast.Import() | ast.ImportFrom():
                return True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
        names = {each for each, _ in piece.read.mentions} - asked
        if any(_is_foreign(module, each, asked) for each in sorted(names)):
            return True
    return False


def _registers(module: Module, value: ast.expr, is_ours: Ours) -> bool:
    """Tell whether code of the project is called, and handed code."""
    called = [each.func for each in ast.walk(value) if isinstance(each, ast.Call)]
    if not any(_brings(module, _root(each), is_ours) for each in called):
        return False
    handed = (each for each in ast.walk(value) if each not in called)
    return any(
        isinstance(each, ast.Lambda)
        or (isinstance(each, ast.Name) and _is_code(module, each.id, is_ours))
        for each in handed
    )


def _brings(module: Module, name: str, is_ours: Ours) -> bool:
    """Tell whether a name stands for something of the project: what no library brought."""
    return any(is_ours(each) for each in _origins(module, name))


def _is_code(module: Module, name: str, is_ours: Ours) -> bool:
    """Tell whether a name may stand for a function or class of the project."""
    defined = any(
        isinstance(piece.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for piece in module.binding(name)
    )
    return defined or any(is_ours(each) for each in _origins(module, name) if each != module.name)


def _origins(module: Module, name: str) -> Iterator[str]:
    """Name the modules a name may come from: those an import names, or its own."""
    for piece in module.binding(name):
        if isinstance(piece.node, ast.Import | ast.ImportFrom):
            yield from modules_of(module, piece.node)
        else:
            yield module.name
    if not module.binding(name):
        for node in module.stars:
            yield from modules_of(module, node)


def _root(node: ast.expr) -> str:
    """Name what an expression begins with: `x` of `x.y[0]`; '' where it is no name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
            return _root(inner)
    return ""
