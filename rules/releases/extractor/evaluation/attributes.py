"""What `a.b` and `a[b]` yield, and the values of module-level names. Not for expressions in general."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.evaluation.values import (
    Bag,
    CannotEvaluateError,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Member,
    ModuleValue,
    Native,
    Parent,
    ThrownError,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from rules.releases.extractor.evaluation.expressions import Frame
    from rules.releases.extractor.evaluation.names import Names
    from rules.releases.extractor.evaluation.world import Path, World
    from rules.releases.extractor.tree import Definition, Module

#: builtins that have a meaning here; others are unknown
BUILTINS = frozenset(
    [
        "len",
        "range",
        "enumerate",
        "zip",
        "sorted",
        "min",
        "max",
        "any",
        "all",
        "bool",
        "int",
        "str",
        "list",
        "tuple",
        "dict",
        "set",
        "isinstance",
        "getattr",
        "hasattr",
        "issubclass",
        "type",
        "print",
        "repr",
        "float",
        "callable",
        "abs",
        "sum",
        "__import__",
    ]
)
EXCEPTIONS = frozenset(
    [
        "Exception",
        "ValueError",
        "RuntimeError",
        "ImportError",
        "ModuleNotFoundError",
        "NotImplementedError",
        "KeyError",
        "AssertionError",
        "TypeError",
        "AttributeError",
        "OSError",
    ]
)
_ENUMS = ("Enum", "IntEnum", "StrEnum")


class Attributes:
    """Attributes and module-level values for one path through one world."""

    def __init__(self, names: Names, world: World, path: Path) -> None:
        self.names = names
        self.world = world
        self.path = path
        self._constants: dict[tuple[str, str], Value] = {}
        #: what the code itself assigned to `envs.NAME`
        self.set_env: dict[str, Value] = {}

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of an expression."""
        raise NotImplementedError

    def call(
        self, function: Value, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
    ) -> Value:
        """Return what a call yields."""
        raise NotImplementedError

    def frame(self, module: Module, owner: ClassValue | None = None) -> Frame:
        """Return a fresh frame for code of a module or of a class body."""
        raise NotImplementedError

    def module_value(self, module: Module, name: str) -> Value:
        """Return what a name means at the top level of a module."""
        if name == "logger":
            return External("logger")
        if name == "current_platform":
            return self.platform()
        if name in BUILTINS and name not in module.functions and name not in module.constants:
            return Native(name)
        found = self.names.definition(module, name)
        if found is None:
            return External(name) if name in EXCEPTIONS else Unknown(name)
        if isinstance(found, tuple):
            return self.defined(found[0], found[1], name)
        return found

    def platform(self) -> Value:
        """Return the platform in use."""
        cls = self.names.class_named(*self.world.platform)
        return Unknown("current_platform") if cls is None else Instance(cls)

    def defined(
        self, module: Module, definition: Definition, name: str, owner: ClassValue | None = None
    ) -> Value:
        """Return the value of a definition; assigned expressions are evaluated once."""
        if isinstance(definition, ast.ClassDef):
            return ClassValue(module.path, definition.name, module, definition)
        if isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
            return FunctionValue(module, definition, owner)
        if isinstance(definition, ast.Constant):
            return definition.value
        key = (module.path, f"{owner.name if owner else ''}.{name}")
        if key not in self._constants:
            # an expression that refers to itself is unknown
            self._constants[key] = Unknown(name)
            try:
                self._constants[key] = self.evaluate(definition, self.frame(module, owner))
            except CannotEvaluateError:
                self._constants[key] = Unknown(name)
        return self._constants[key]

    def attribute(self, value: Value, name: str, node: ast.AST) -> Value:  # noqa: PLR0911 - one per kind of value
        """Return an attribute. Raises `ThrownError` (AttributeError) where a known class has none."""
        if isinstance(value, External):
            return External(f"{value.dotted}.{name}")
        if isinstance(value, Bag):
            return value.fields.get(name, Unknown(f"{value.name}.{name}"))
        if isinstance(value, ModuleValue):
            return self._of_module(value, name)
        if isinstance(value, ClassValue):
            return self._of_class(value, name, node)
        if isinstance(value, Member):
            return self._of_member(value, name, node)
        if isinstance(value, Instance):
            return self._of_instance(value, name, node)
        if isinstance(value, Parent):
            found = self.names.attribute(_class_of(value.bound), name, behind=value.owner)
            return Unknown(f"super().{name}") if found is None else self.bound(found, name, value.bound)
        if isinstance(value, str | list | dict | tuple | set):
            return Native(name, value)
        return Unknown(f"{ast.unparse(node)}")

    def item(self, value: Value, key: Value, node: ast.AST) -> Value:
        """Return `value[key]`."""
        if isinstance(value, ClassValue) and self.names.has_base(value, *_ENUMS):
            return self._member_named(value, key, node)
        if isinstance(value, Instance):
            value = value.as_tuple()
        try:
            return value[key]
        except (TypeError, KeyError, IndexError):
            return Unknown(ast.unparse(node))

    def enum_members(self, cls: ClassValue) -> list[Member]:
        """Return the members of an enum in the order of the source."""
        return [
            Member(cls, name, self.defined(cls.module, node, name, cls))
            for name, node in self.names.members(cls).items()
            if isinstance(node, ast.expr) and not name.startswith("_")
        ]

    def bound(self, found: tuple[ClassValue, Definition], name: str, holder: Value) -> Value:
        """Return a class attribute as it is seen through `holder`: functions bound, properties called."""
        owner, definition = found
        if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
            return self.defined(owner.module, definition, name, owner)
        marks = {ast.unparse(mark).rpartition(".")[2] for mark in definition.decorator_list}
        if "staticmethod" in marks:
            return FunctionValue(owner.module, definition, owner)
        if "classmethod" in marks and isinstance(holder, Instance):
            holder = holder.cls
        function = FunctionValue(owner.module, definition, owner, holder)
        if marks & {"property", "cached_property"} and not isinstance(holder, ClassValue):
            return self.call(function, [], {}, definition)
        return function

    def _of_module(self, value: ModuleValue, name: str) -> Value:
        if value.dotted == "vllm.envs":
            return self.env(value.module, name)
        submodule = self.names.module(f"{value.dotted}.{name}")
        return self.module_value(value.module, name) if submodule is None else submodule

    def env(self, module: Module, name: str) -> Value:
        """Return `envs.NAME` as set in this world, or by its default."""
        if name in module.functions:
            return self.module_value(module, name)
        if name in self.set_env:
            return self.set_env[name]
        table = self.names.definition(module, "environment_variables")
        node = table[1] if isinstance(table, tuple) else None
        for key, read in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            if isinstance(key, ast.Constant) and key.value == name:
                return self.call(self.evaluate(read, self.frame(module)), [], {}, read)
        return Unknown(f"envs.{name}")

    def _of_class(self, value: ClassValue, name: str, node: ast.AST) -> Value:
        if name in {"__name__", "__qualname__"}:
            return value.name
        if name == "__module__":
            return value.module.dotted
        found = self.names.attribute(value, name)
        if self.names.has_base(value, *_ENUMS):
            if name == "__members__":
                return {member.name: member for member in self.enum_members(value)}
            if found is not None and isinstance(found[1], ast.expr):
                return Member(found[0], name, self.defined(found[0].module, found[1], name, found[0]))
        if found is None:
            return self._absent(value, name, node)
        return self.bound(found, name, value)

    def _of_member(self, value: Member, name: str, node: ast.AST) -> Value:
        if name in {"name", "value", "_name_", "_value_"}:
            return value.name if "name" in name else value.value
        found = self.names.attribute(value.enum, name)
        return self._absent(value.enum, name, node) if found is None else self.bound(found, name, value)

    def _of_instance(self, value: Instance, name: str, node: ast.AST) -> Value:
        if name in value.fields:
            return value.fields[name]
        if name in {"_asdict", "_replace"}:
            return Native(name, value)
        found = self.names.attribute(value.cls, name)
        return self._absent(value.cls, name, node) if found is None else self.bound(found, name, value)

    def _absent(self, cls: ClassValue, name: str, node: ast.AST) -> Value:
        foreign = [base for one in self.names.order(cls) for base in one.node.bases]
        known = {
            "ABC",
            "Enum",
            "NamedTuple",
            "Generic",
            "Protocol",
            "object",
            *(one.name for one in self.names.order(cls)),
        }
        if all(ast.unparse(base).partition("[")[0].rpartition(".")[2] in known for base in foreign):
            raise ThrownError("AttributeError", f"{cls.name}.{name}", getattr(node, "lineno", 0))
        return Unknown(f"{cls.name}.{name}")

    def _member_named(self, cls: ClassValue, key: Value, node: ast.AST) -> Value:
        if not isinstance(key, str):
            return Unknown(ast.unparse(node))
        for member in self.enum_members(cls):
            if member.name == key:
                return member
        raise ThrownError("KeyError", key, getattr(node, "lineno", 0))


def _class_of(value: Value) -> ClassValue:
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, ClassValue):
        return value
    raise CannotEvaluateError("super() of something that is no class")
