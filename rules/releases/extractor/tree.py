"""An unpacked vLLM tree, parsed lazily and never imported. Not for knowing what any of its modules means."""

from __future__ import annotations

import ast
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: syntax trees kept at once; a whole release would need gigabytes
KEPT_MODULES = 600
#: longest chain of re-exports that is followed
LONGEST_CHAIN = 8

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr


class NotATreeError(Exception):
    """The folder does not hold a vLLM tree; give the folder that has `vllm/__init__.py` in it."""

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root} holds no vllm/__init__.py: give the folder of an unpacked wheel or sdist")
        self.root = root


class NotLiteralError(Exception):
    """An expression has no value that can be read without running code."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something of the tree that could not be read."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Imported:
    """Where a name of a module comes from: `from vllm.platforms.interface import _Backend as B`."""

    #: dotted module (`vllm.platforms.interface`)
    module: str
    #: name inside it; None when the module itself is imported
    name: str | None


class Module:
    """One parsed module and the names of its top level, `if` and `try` included; the first of a name wins."""

    def __init__(self, path: str, node: ast.Module) -> None:
        self.path = path
        self.node = node

    @property
    def dotted(self) -> str:
        """Return the name it is imported by (`vllm.platforms.interface`)."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @cached_property
    def classes(self) -> Mapping[str, ast.ClassDef]:
        """Return the classes by name."""
        return {name: node for name, node in self._definitions.items() if isinstance(node, ast.ClassDef)}

    @cached_property
    def functions(self) -> Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        """Return the functions by name."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        return {name: node for name, node in self._definitions.items() if isinstance(node, kinds)}

    @cached_property
    def constants(self) -> Mapping[str, ast.expr]:
        """Return the values assigned to single names, unevaluated."""
        return {name: node for name, node in self._definitions.items() if isinstance(node, ast.expr)}

    @cached_property
    def imports(self) -> Mapping[str, Imported]:
        """Return what is imported anywhere in the module, by its name here; top level wins over functions."""
        package = self.dotted if self.path.endswith("/__init__.py") else self.dotted.rpartition(".")[0]
        found: dict[str, Imported] = {}
        top_level = [node for node in self.node.body if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in (*top_level, *ast.walk(self.node)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found.setdefault(alias.asname or alias.name, Imported(alias.name, None))
            elif isinstance(node, ast.ImportFrom):
                origin = _absolute(node, package)
                for alias in node.names:
                    found.setdefault(alias.asname or alias.name, Imported(origin, alias.name))
        return found

    @cached_property
    def _definitions(self) -> Mapping[str, Definition]:
        found: dict[str, Definition] = {}
        _collect(self.node.body, found)
        return found


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - (node.level - 1)]
    return ".".join([*base, *([node.module] if node.module else [])])


def _collect(body: list[ast.stmt], found: dict[str, Definition]) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(node.name, node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.setdefault(node.target.id, node.value)
        elif isinstance(node, ast.If):
            _collect(node.body, found)
            _collect(node.orelse, found)
        elif isinstance(node, ast.Try):
            _collect(node.body, found)
            for handler in node.handlers:
                _collect(handler.body, found)
            _collect(node.orelse + node.finalbody, found)


class Tree:
    """A folder that holds `vllm/`, as a wheel or an sdist unpacks to. Paths are relative to it, with `/`."""

    def __init__(self, root: Path) -> None:
        if not (root / "vllm" / "__init__.py").is_file():
            raise NotATreeError(root)
        self.root = root
        self._modules: OrderedDict[str, Module | None] = OrderedDict()
        self._remarks: dict[str, Remark] = {}

    def paths(self, under: str = "vllm", suffix: str = ".py") -> tuple[str, ...]:
        """Return the files below a folder, sorted; third-party code that vLLM carries is left out."""
        folder = self.root / under
        found = (path.relative_to(self.root).as_posix() for path in folder.rglob(f"*{suffix}"))
        return tuple(sorted(path for path in found if not path.startswith("vllm/third_party/")))

    def text(self, path: str) -> str | None:
        """Return the text of a file, None when the release does not have it."""
        file = self.root / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None

    def module(self, path: str) -> Module | None:
        """Return a module by path (`vllm/envs.py`); None when absent, or not parsed: a remark says so."""
        if path in self._modules:
            self._modules.move_to_end(path)
            return self._modules[path]
        text = self.text(path)
        module = None if text is None else self._parse(path, text)
        self._modules[path] = module
        if len(self._modules) > KEPT_MODULES:
            self._modules.popitem(last=False)
        return module

    def imported(self, dotted: str) -> Module | None:
        """Return a module by its import name (`vllm.envs`), None when the release does not have it."""
        path = dotted.replace(".", "/")
        return self.module(f"{path}.py") or self.module(f"{path}/__init__.py")

    def resolve(self, module: Module, name: str) -> tuple[Module, Definition] | None:
        """Return the definition behind a name (`X`, `envs.X`, `Class.member`) with the module that holds it.

        Imports between vLLM modules are followed; None when the definition lies outside vLLM.
        """
        for _ in range(LONGEST_CHAIN):
            found = _lookup(module, name)
            if not isinstance(found, Imported):
                return None if found is None else (module, found)
            step = self._follow(found, name)
            if step is None:
                return None
            module, name = step
        return None

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Return what could not be read so far, by file."""
        return tuple(self._remarks[file] for file in sorted(self._remarks))

    def _parse(self, path: str, text: str) -> Module | None:
        try:
            with warnings.catch_warnings():
                # vLLM's own invalid escapes are no matter of ours
                warnings.simplefilter("ignore")
                return Module(path, ast.parse(text))
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 0
            self._remarks[path] = Remark(path, line, f"not parsed: {error.args[0]}")
            return None

    def _follow(self, found: Imported, name: str) -> tuple[Module, str] | None:
        head, _, rest = name.partition(".")
        if found.name is None:
            # `import vllm.envs as envs` then `envs.X`; `import vllm.envs` then `vllm.envs.X`
            origin = self.imported(found.module)
            whole = head == found.module.partition(".")[0]
            attribute = name.removeprefix(f"{found.module}.") if whole else rest
            return (origin, attribute) if origin and attribute else None
        submodule = self.imported(f"{found.module}.{found.name}")
        if rest and submodule:
            return submodule, rest
        origin = self.imported(found.module)
        return (origin, f"{found.name}.{rest}" if rest else found.name) if origin else None


def _lookup(module: Module, name: str) -> Definition | Imported | None:
    head, _, rest = name.partition(".")
    definition: Definition | None = module.classes.get(head) or module.functions.get(head)
    imported = module.imports.get(head) or module.imports.get(name.rpartition(".")[0])
    if definition is None and imported is not None and imported.module.startswith("vllm"):
        # `else: X = Any` beside `if TYPE_CHECKING: from vllm.y import X` is no definition
        return imported
    definition = definition or module.constants.get(head)
    if definition is not None:
        return definition if not rest else _attribute(definition, rest)
    return imported


def _attribute(definition: Definition, name: str) -> Definition | None:
    if not isinstance(definition, ast.ClassDef):
        return None
    inside: dict[str, Definition] = {}
    _collect(definition.body, inside)
    return inside.get(name)


def members(node: ast.ClassDef) -> Mapping[str, Definition]:
    """Return what a class body defines (methods, classes, assigned values), in the order of the source."""
    inside: dict[str, Definition] = {}
    _collect(node.body, inside)
    return inside


def dotted_name(node: ast.AST) -> str | None:
    """Return `a.b.c` for a chain of names, None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None


def literal(node: ast.expr) -> Any:  # noqa: ANN401 - a Python literal is any plain value
    """Return the value of a literal expression. Raises `NotLiteralError` when code would have to run."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise NotLiteralError(ast.dump(node)[:120]) from error
