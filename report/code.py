"""Follows the project's Python by name: which code, libraries and data files a function can reach.

Nothing is imported. A function reaches the names it mentions, through the imports of its module, in
the project's `figures/` and in the generator. Docstrings, comments and layout do not count. What
cannot be followed by name (`eval`, `importlib`) is taken to reach all of `figures/`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from report.effects import acts
from report.glance import digest, file_digest, variable_digest
from report.imports import Place, attribute_of, brought, modules_of, original
from report.inputs import Inputs
from report.statements import Module, Piece, read_module
from report.variables import asked_for

# Names by which code comes to what no name shows, and libraries that are there for nothing else.
UNFOLLOWABLE = {"exec", "eval", "__import__", "import_module", "globals", "modules", "f_globals"}
OPAQUE = {"importlib", "runpy", "pkgutil", "inspect"}


@dataclass
class Reach:
    """What some functions can run: code by parts, libraries, and the files they name."""

    parts: dict[str, str]
    libraries: set[str]
    sources: dict[str, str]  # file -> hash, as it was read
    files: dict[str, str] = field(default_factory=dict)  # those it may read; '' is not there (yet)
    variables: dict[str, str] = field(default_factory=dict)  # of the environment, each by its hash
    anywhere: bool = False  # some it reads cannot be told by name: any of the project's may be one


@dataclass
class Step:
    """What one name brings: the statements behind it, and the names those mention in turn."""

    said: set[tuple[str, int, str]] = field(default_factory=set)  # label, number and hash of each
    to: set[Place] = field(default_factory=set)
    pieces: list[Piece] = field(default_factory=list)  # of the project's own code


class Code:
    """The project's Python files, parsed once, and followed by name from any function."""

    def __init__(
        self,
        root: Path,
        generator: Path,
        hashed: Callable[[str], str] = file_digest,
        known: Mapping[Place, Step] = MappingProxyType({}),
    ) -> None:
        """Take the project's folder, that of the package that generates, and what hashes a file.

        Steps that are `known` are not looked for again.
        """
        self.root, self.figures, self.generator = root, root / "figures", generator
        self._modules: dict[str, Module | None] = {}
        self._steps = dict(known)
        self._inputs = Inputs(root, self._own_module, hashed)

    def module(self, name: str) -> Module | None:
        """Find a module of the project's figures or of the generator; others are libraries."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def _read(self, name: str) -> Module | None:
        theirs = not self._is_own(name)
        base = self.generator.parent if theirs else self.figures
        inside = base.joinpath(*name.split("."))
        for path in (inside.with_suffix(".py"), inside / "__init__.py"):
            if path.is_file():
                shown = path.relative_to(self.generator.parent if theirs else self.root).as_posix()
                return read_module(name, path, shown, path.read_bytes())
        return None

    def _is_own(self, module: str) -> bool:
        """Tell a module of the project's figures from one of the generator."""
        return module.partition(".")[0] != self.generator.name

    def _own_module(self, name: str) -> Module | None:
        return self.module(name) if self._is_own(name) else None

    @property
    def of_generator(self) -> tuple[dict[Place, Step], list[Module]]:
        """Every step that was taken in the generator, and the modules that were read for them."""
        steps = {place: step for place, step in self._steps.items() if not self._is_own(place[0])}
        found = (module for name, module in self._modules.items() if not self._is_own(name))
        return steps, [module for module in found if module]

    def _is_found(self, module: str) -> bool:
        """Tell a module that is there in the project's figures from one of any library."""
        return self._own_module(module) is not None

    def uses(self, module: str, function: str, argument: int) -> bool:
        """Whether a function does anything with one of its arguments, counted from 0."""
        for piece in found.binding(function) if (found := self.module(module)) else []:
            if isinstance(piece.node, ast.FunctionDef):
                arguments = [*piece.node.args.posonlyargs, *piece.node.args.args]
                names = [each.arg for each in arguments[argument : argument + 1]]
                return not names or any(name in names for name, _ in piece.read.mentions)
        return True

    def reach(self, *starts: Place) -> Reach:
        """Follow (module, function) pairs through everything they name."""
        waiting, seen = list(starts), set(starts)
        found: dict[str, dict[int, str]] = {}
        own: list[tuple[Module, Piece]] = []
        reach = Reach({}, set(), {})
        while waiting:
            place = waiting.pop()
            module = self.module(place[0])
            if module is None:
                reach.libraries.add(place[0].partition(".")[0])
                continue
            reach.sources[module.shown] = module.seen
            step = self._step(place, module)
            for label, number, said in step.said:
                found.setdefault(f"code {module.shown} {label}", {})[number] = said
            own += [(module, piece) for piece in step.pieces]
            waiting += step.to - seen
            seen |= step.to
        for label, hashes in found.items():
            reach.parts[label] = digest(" ".join(sorted(hashes.values())).encode())
        reach.files, reach.anywhere = self._inputs.of(own, reach.libraries - {self.generator.name})
        reach.parts |= {f"file {name}": seen for name, seen in reach.files.items() if seen}
        names = {name for _, piece in own for name in asked_for(piece)}
        reach.variables = {name: variable_digest(name) for name in sorted(names)}
        reach.parts |= {f"variable ${name}": seen for name, seen in reach.variables.items()}
        return reach

    def _step(self, place: Place, module: Module) -> Step:
        if place not in self._steps:
            name, what = place
            step = self._steps[place] = Step()
            if what:
                step.to.add((name, ""))
                self._named(step, module, what)
            else:
                self._imported(step, module)
        return self._steps[place]

    def _imported(self, step: Step, module: Module) -> None:
        """Take what runs whenever a module is imported, and import what it imports."""
        if "." in module.name:
            step.to.add((module.name.rpartition(".")[0], ""))
        for piece in module.pieces:
            if piece.acts or (self._is_own(module.name) and acts(module, piece, self._is_found)):
                self._take(step, module, piece)
            if isinstance(piece.node, ast.Import | ast.ImportFrom):
                names = modules_of(module, piece.node)
                step.to |= {(name, "") for name in names if self.module(name)}

    def _named(self, step: Step, module: Module, what: str) -> None:
        """Take one name of a module, or all of it (`*`)."""
        chosen = module.pieces if what == "*" else module.binding(what)
        chosen = chosen or module.binding("__getattr__")
        if not chosen and self.module(f"{module.name}.{what}"):
            step.to.add((f"{module.name}.{what}", "*"))
        for piece in chosen:
            if isinstance(piece.node, ast.Import | ast.ImportFrom):  # passed on from elsewhere
                step.to |= brought(module, piece.node, only="" if what == "*" else what)
            else:
                self._take(step, module, piece)
        step.to |= {(modules_of(module, node)[0], what) for node in module.stars if not chosen}

    def _take(self, step: Step, module: Module, piece: Piece) -> None:
        step.said.add((piece.label, piece.number, piece.read.hash))
        if self._is_own(module.name):
            step.pieces.append(piece)
        for node in piece.read.imports:
            step.to |= brought(module, node)
        for name, attribute in piece.read.mentions:
            step.to |= self._mentioned(module, name, attribute)
        if self._is_own(module.name) and any(map(_hides, step.to)):
            step.to |= self._everything

    def _mentioned(self, module: Module, name: str, attribute: str) -> set[Place]:
        """Follow a name the code uses to what gives it its value in this module."""
        found: set[Place] = set()
        attribute = "" if attribute.startswith("__") else attribute  # what belongs to all of it
        if {name, attribute} & UNFOLLOWABLE and self._is_own(module.name):
            found |= self._everything
        for piece in module.binding(name):
            if isinstance(piece.node, ast.Import):
                found |= attribute_of(piece.node, name, attribute)
            elif isinstance(piece.node, ast.ImportFrom):
                inner = f"{modules_of(module, piece.node)[0]}.{original(piece.node, name)}"
                whole = not (attribute and self.module(inner))
                found |= brought(module, piece.node, name) if whole else {(inner, attribute)}
            else:
                found.add((module.name, name))
        if not found:
            found |= {(modules_of(module, node)[0], name) for node in module.stars}
        return found

    @cached_property
    def _everything(self) -> set[Place]:
        inside = (path.relative_to(self.figures) for path in self.figures.rglob("*.py"))
        return {
            (".".join(path.with_suffix("").parts).removesuffix(".__init__"), "*") for path in inside
        }


def _hides(place: Place) -> bool:
    """Tell whether something of a library can bring what its name does not show."""
    module, name = place
    return module.partition(".")[0] in OPAQUE or name in UNFOLLOWABLE
