"""Which variables of the environment code asks for by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from report.statements import Piece

ASKS = {"environ", "getenv"}
PINNED = {  # those a worker is born with, the same ones everywhere
    "LC_ALL",
    "MPLCONFIGDIR",
    "MPL_IGNORE_SYSTEM_FONTS",
    "NPY_DISABLE_CPU_FEATURES",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
    "PYTHONUTF8",
    "PYTHONWARNINGS",
}


def asked_for(piece: Piece) -> set[str]:
    """Name the variables whose values a statement may depend on."""
    if not ASKS & {word for mention in piece.read.mentions for word in mention}:
        return set()
    return {name for node in ast.walk(piece.node) for name in _asked(node)} - PINNED


def _asked(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(
            func=ast.Name(id="getenv") | ast.Attribute(attr="getenv"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield name
        case ast.Call(
            func=ast.Attribute(value=mapping, attr="get" | "setdefault" | "pop"),
            args=[ast.Constant(value=str(name)), *_],
        ) if _is_environment(mapping):
            yield name
        case ast.Subscript(value=mapping, slice=ast.Constant(value=str(name)), ctx=ast.Load()) if (
            _is_environment(mapping)
        ):
            yield name
        case ast.Compare(left=ast.Constant(value=str(name)), comparators=[mapping]) if (
            _is_environment(mapping)
        ):
            yield name


def _is_environment(node: ast.expr) -> bool:
    match node:
        case ast.Name(id="environ") | ast.Attribute(attr="environ"):
            return True
    return False
