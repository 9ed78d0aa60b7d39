"""Finding what a name stands for in a tree.

Module members, class attributes along the bases. Not for values of code.
"""

from __future__ import annotations

import ast

from rules.releases.extractor.evaluation.values import ClassValue, External, ModuleValue, Unknown, Value
from rules.releases.extractor.tree import Definition, Imported, Module, Tree, dotted_name, members

#: longest chain of names behind names (`A = B`, imports) that is followed
LONGEST_CHAIN = 12


class Names:
    """Look-ups in one tree, kept for its lifetime."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._orders: dict[ClassValue, tuple[ClassValue, ...]] = {}
        self._members: dict[ClassValue, dict[str, Definition]] = {}

    def definition(self, module: Module, name: str) -> tuple[Module, Definition] | Value | None:
        """Return the definition of a module-level name with its module, or a module, or something external.

        None when the module has no such name.
        """
        for _ in range(LONGEST_CHAIN):
            own: Definition | None = module.classes.get(name) or module.functions.get(name)
            imported = module.imports.get(name)
            if own is None and (imported is None or not _is_vllm(imported)):
                own = module.constants.get(name)
            if own is not None:
                return module, own
            if imported is None:
                return self._first_part(module, name)
            found = self._behind(imported)
            if not isinstance(found, tuple):
                return found
            module, name = found
        return Unknown(name)

    def module(self, dotted: str) -> ModuleValue | None:
        """Return a module of the tree by its import name."""
        module = self.tree.imported(dotted)
        return None if module is None else ModuleValue(module, dotted)

    def class_named(self, dotted_module: str, name: str) -> ClassValue | None:
        """Return a class by the module it is imported from, and its name."""
        module = self.tree.imported(dotted_module)
        found = None if module is None else self.definition(module, name)
        if isinstance(found, tuple) and isinstance(found[1], ast.ClassDef):
            return ClassValue(found[0].path, found[1].name, found[0], found[1])
        return None

    def order(self, cls: ClassValue) -> tuple[ClassValue, ...]:
        """Return a class and its bases within vLLM, in the order attributes are looked up."""
        if cls not in self._orders:
            self._orders[cls] = (cls,)
            found = [cls]
            for base in cls.node.bases:
                inner = self._base(cls.module, base)
                if inner is not None:
                    found += [one for one in self.order(inner) if one not in found]
            self._orders[cls] = tuple(found)
        return self._orders[cls]

    def attribute(
        self, cls: ClassValue, name: str, behind: ClassValue | None = None
    ) -> tuple[ClassValue, Definition] | None:
        """Return the definition of a class attribute and the class it stands in.

        `behind` skips up to that class.
        """
        order = self.order(cls)
        start = order.index(behind) + 1 if behind in order else 0
        for one in order[start:]:
            if name in self.members(one):
                return one, self.members(one)[name]
        return None

    def members(self, cls: ClassValue) -> dict[str, Definition]:
        """Return what a class body itself defines, in the order of the source."""
        if cls not in self._members:
            self._members[cls] = dict(members(cls.node))
        return self._members[cls]

    def fields(self, cls: ClassValue) -> tuple[tuple[str, ast.expr | None], ...]:
        """Return annotated fields with their defaults, the bases' first.

        The arguments of a tuple or dataclass.
        """
        found: dict[str, ast.expr | None] = {}
        for one in reversed(self.order(cls)):
            for node in one.node.body:
                if (
                    isinstance(node, ast.AnnAssign)
                    and isinstance(node.target, ast.Name)
                    and not _is_class_variable(node)
                ):
                    found[node.target.id] = node.value
        return tuple(found.items())

    def has_base(self, cls: ClassValue, *names: str) -> bool:
        """Tell whether a base outside vLLM has one of the names (`Enum`, `NamedTuple`)."""
        written = (dotted_name(base) or "" for one in self.order(cls) for base in one.node.bases)
        return any(name.rpartition(".")[2] in names for name in written)

    def needs(self, module: Module) -> frozenset[str]:
        """Return the packages that the import of a module fails without.

        Imported at its top level, unguarded.
        """
        found: set[str] = set()
        for node in module.node.body:
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.partition(".")[0])
        return frozenset(found - {"vllm"})

    def _behind(self, imported: Imported) -> tuple[Module, str] | Value:
        if imported.name is None:
            return self.module(imported.module) or External(imported.module)
        submodule = self.module(f"{imported.module}.{imported.name}")
        if submodule is not None:
            return submodule
        origin = self.tree.imported(imported.module)
        return (origin, imported.name) if origin else External(f"{imported.module}.{imported.name}")

    def _first_part(self, module: Module, name: str) -> Value | None:
        whole = next(
            (i.module for i in module.imports.values() if i.name is None and i.module.startswith(f"{name}.")),
            None,
        )
        return External(name) if whole is not None else None

    def _base(self, module: Module, base: ast.expr) -> ClassValue | None:
        node = base.value if isinstance(base, ast.Subscript) else base
        name = dotted_name(node)
        found = None if name is None else self.tree.resolve(module, name)
        if found is None or not isinstance(found[1], ast.ClassDef):
            return None
        return ClassValue(found[0].path, found[1].name, found[0], found[1])


def _is_vllm(imported: Imported) -> bool:
    return imported.module == "vllm" or imported.module.startswith("vllm.")


def _is_class_variable(node: ast.AnnAssign) -> bool:
    annotation = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
    return (dotted_name(annotation) or "").endswith("ClassVar")
