"""Follows the project's Python by name: which code, libraries and data files a function can reach.

Nothing is imported. A function reaches the names it mentions, through the imports of its module, in
the project's `figures/` and in the generator. Docstrings, comments and layout do not count. What
cannot be followed by name (`eval`, `importlib`) is taken to reach all of `figures/`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from report.project import SEEDS
from report.record import digest, file_digest

# Decorators that leave a function what it is; any other may register it somewhere, so it counts.
CHANGE_NOTHING = {"dataclass", "cache", "lru_cache", "cached_property", "overload", "final"}
UNFOLLOWABLE = {"exec", "eval", "__import__", "importlib", "import_module", "globals"}
TOP = "(top level)"


@dataclass
class Piece:
    """One statement at the top level of a module, and what it uses."""

    node: ast.stmt
    binds: set[str]
    acts: bool  # runs for its effect when the module is imported, whoever asks for what
    mentions: set[tuple[str, str]] = field(default_factory=set)  # names, with an attribute or ''
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)  # however deep
    texts: set[str] = field(default_factory=set)  # those that could name a file

    @cached_property
    def hash(self) -> str:
        """Hash of the statement without docstrings, comments and layout."""
        return digest(ast.dump(self.node).encode())

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
    def read(self) -> Piece:
        """Itself, with everything it uses looked up in one walk, when first asked for."""
        taken = set()
        for node in ast.walk(self.node):
            match node:
                case ast.Name(id=name):
                    if node not in taken:
                        self.mentions.add((name, ""))
                case ast.Attribute(value=ast.Name(id=name) as of, attr=attribute):
                    self.mentions.add((name, attribute))
                    taken.add(of)  # met before its name: the walk goes level by level
                case ast.Constant(value=str(text)) if "." in text and 2 < len(text) < 200:  # noqa: PLR2004 - a path
                    self.texts.add(text)
                case ast.Import() | ast.ImportFrom():
                    self.imports.append(node)
        return self


@dataclass
class Module:
    """A module's source, cut into its top-level statements."""

    name: str
    path: Path
    shown: str
    seen: str  # hash of the file as it was read
    pieces: list[Piece] = field(default_factory=list)

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
    """Cut a module into statements; one that cannot be parsed counts as a single one."""
    seen = digest(source)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        opaque = Piece(ast.Expr(ast.Constant(seen)), set(), acts=True)
        return Module(name, path, shown, seen, [opaque])
    _drop_docstrings(tree)
    return Module(name, path, shown, seen, [_piece(node) for node in tree.body if _runs(node)])


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
            changes = {
                n for each in ast.walk(node) if isinstance(each, ast.Global) for n in each.names
            }
            return Piece(node, {name, *changes}, acts=not called <= CHANGE_NOTHING)
        case ast.Import() | ast.ImportFrom():
            return Piece(node, set(_imported(node)), acts=False)
        case ast.Assign(targets=targets):
            return Piece(node, {name for each in targets for name in _targets(each)}, acts=False)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return Piece(node, set(_targets(target)), acts=False)
    return Piece(node, set(_all_bound(node)), acts=True)


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


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for each in node.names:
        whole = isinstance(node, ast.Import)
        yield each.asname or (each.name.partition(".")[0] if whole else each.name)


def _all_bound(node: ast.stmt) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.FunctionDef | ast.ClassDef):
            yield each.name
        elif isinstance(each, ast.Import | ast.ImportFrom):
            yield from _imported(each)


@dataclass
class Reach:
    """What some functions can run: code by parts, libraries, and the files they name."""

    parts: dict[str, str]
    libraries: set[str]
    sources: dict[str, str]  # file -> hash, as it was read


class Code:
    """The project's Python files, parsed once, and followed by name from any function."""

    def __init__(self, root: Path, generator: Path) -> None:
        """Take the project's folder and the folder of the package that generates."""
        self.root, self.figures, self.generator = root, root / "figures", generator
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """Find a module of the project's figures or of the generator; others are libraries."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def _read(self, name: str) -> Module | None:
        first = name.partition(".")[0]
        base = self.generator.parent if first == self.generator.name else self.figures
        inside = base.joinpath(*name.split("."))
        for path in (inside.with_suffix(".py"), inside / "__init__.py"):
            if path.is_file():
                return read_module(name, path, self._shown(path), path.read_bytes())
        return None

    def _shown(self, path: Path) -> str:
        for base in (self.root, self.generator.parent):
            if path.is_relative_to(base):
                return path.relative_to(base).as_posix()
        return str(path)

    def reach(self, *starts: tuple[str, str]) -> Reach:
        """Follow (module, function) pairs through everything they name."""
        return _Walk(self).follow(starts)


class _Walk:
    """One walk from some functions through the code they name."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.found: dict[tuple[str, str], list[str]] = {}
        self.reach = Reach({}, set(), {})
        self.waiting: list[tuple[str, str]] = []
        self.seen: set[tuple[str, str]] = set()
        self.pieces: set[int] = set()

    def follow(self, starts: Iterable[tuple[str, str]]) -> Reach:
        self.waiting = list(starts)
        while self.waiting:
            module, name = place = self.waiting.pop()
            if place not in self.seen:
                self.seen.add(place)
                self._visit(module, name)
        for (shown, label), hashes in self.found.items():
            whole = hashes[0] if len(hashes) == 1 else digest("".join(sorted(hashes)).encode())
            self.reach.parts[f"code {shown} {label}"] = whole
        return self.reach

    def _visit(self, name: str, what: str) -> None:
        """Take one name of a module (`*` for all of it, '' for what importing it does)."""
        module = self.code.module(name)
        if module is None:
            self.reach.libraries.add(name.partition(".")[0])
            return
        self.reach.sources[module.shown] = module.seen
        if not what:
            self._import(module)
            return
        self.waiting.append((name, ""))
        chosen = module.pieces if what == "*" else module.binding(what)
        if not chosen and self.code.module(f"{name}.{what}"):
            self.waiting.append((f"{name}.{what}", "*"))
        for piece in chosen:
            if isinstance(piece.node, ast.Import | ast.ImportFrom):  # passed on from elsewhere
                self._take_import(module, piece.node, only="" if what == "*" else what)
            else:
                self._take(module, piece)

    def _import(self, module: Module) -> None:
        """Take what runs whenever the module is imported, and import what it imports."""
        if "." in module.name:
            self.waiting.append((module.name.rpartition(".")[0], ""))
        for piece in module.pieces:
            if piece.acts:
                self._take(module, piece)
            if isinstance(piece.node, ast.Import | ast.ImportFrom):
                named = self._named(module, piece.node)
                self.waiting += [(each, "") for each in named if self._own(each)]

    def _own(self, name: str) -> bool:
        return self.code.module(name) is not None

    def _named(self, module: Module, node: ast.Import | ast.ImportFrom) -> list[str]:
        """Name the modules an import statement imports."""
        if isinstance(node, ast.Import):
            return [each.name for each in node.names]
        package = (
            module.name if module.path.name == "__init__.py" else module.name.rpartition(".")[0]
        )
        for _ in range(node.level - 1):
            package = package.rpartition(".")[0]
        base = node.module or ""
        return [".".join(filter(None, (package, base))) if node.level else base]

    def _take(self, module: Module, piece: Piece) -> None:
        if id(piece) in self.pieces:
            return
        self.pieces.add(id(piece))
        piece = piece.read
        self.found.setdefault((module.shown, piece.label), []).append(piece.hash)
        for node in piece.imports:
            self._take_import(module, node)
        for name, attribute in piece.mentions:
            self._mention(module, name, attribute)
        if module.path.is_relative_to(self.code.figures):
            for text in piece.texts:
                self._data(text)

    def _take_import(
        self, module: Module, node: ast.Import | ast.ImportFrom, only: str = ""
    ) -> None:
        """Take what an import statement inside code brings: all of it, or one name."""
        named = self._named(module, node)
        for each in node.names:
            bound = each.asname or each.name
            if only and only not in (bound, bound.partition(".")[0], "*") and each.name != "*":
                continue
            if isinstance(node, ast.Import):
                self.waiting.append((each.name, "*"))
            else:
                self.waiting.append((named[0], each.name))

    def _mention(self, module: Module, name: str, attribute: str) -> None:
        """Follow a name the code uses to what gives it its value in this module."""
        if name in UNFOLLOWABLE and module.path.is_relative_to(self.code.figures):
            every = sorted(self.code.figures.rglob("*.py"))
            self.waiting += [(path.stem, "*") for path in every if path.parent == self.code.figures]
        for piece in module.binding(name):
            if isinstance(piece.node, ast.Import) and attribute:
                self._attribute(piece.node, name, attribute)
            elif isinstance(piece.node, ast.Import | ast.ImportFrom):
                self._from(module, piece.node, name, attribute)
            else:
                self.waiting.append((module.name, name))
        for piece in module.pieces:
            if isinstance(piece.node, ast.ImportFrom) and "*" in piece.binds:
                self.waiting.append((self._named(module, piece.node)[0], name))

    def _attribute(self, node: ast.Import, name: str, attribute: str) -> None:
        for each in node.names:
            if (each.asname or each.name) == name:
                self.waiting.append((each.name, attribute))
            elif each.name.partition(".")[0] == name:
                self.waiting.append((each.name, "*"))

    def _from(
        self, module: Module, node: ast.Import | ast.ImportFrom, name: str, attribute: str
    ) -> None:
        """Follow `from a import b`; where `b` is itself a module, only the attribute used of it."""
        if isinstance(node, ast.ImportFrom):
            base = self._named(module, node)[0]
            for each in node.names:
                inner = f"{base}.{each.name}"
                if (each.asname or each.name) == name and attribute and self._own(inner):
                    self.waiting.append((inner, attribute))
                    return
        self._take_import(module, node, only=name)

    def _data(self, text: str) -> None:
        """Count a file of the project that the code names as something it reads."""
        for base in (self.code.figures, self.code.root):
            try:
                path = (base / text).resolve()
                known = path.is_file() and path.is_relative_to(self.code.root)
            except (OSError, ValueError):
                continue
            if known and path.suffix != ".py" and path.name != SEEDS:
                shown = path.relative_to(self.code.root).as_posix()
                self.reach.parts[f"file {shown}"] = file_digest(path)
