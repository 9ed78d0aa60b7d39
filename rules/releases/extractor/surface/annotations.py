"""Reads a type annotation as vLLM's argument parser does. Not for anything that needs the type itself."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.values import enum_names, enum_values, is_enum, literal_choices
from rules.releases.extractor.tree import dotted_name

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Module, Tree

BUILTINS = frozenset({"bool", "int", "str", "float", "dict", "list", "tuple", "set", "None"})
#: annotations that only wrap another one
WRAPPERS = frozenset({"Annotated", "SkipValidation", "Required", "Final"})
UNIONS = frozenset({"Optional", "Union"})
#: annotations of class attributes that are no fields
NOT_FIELDS = frozenset({"ClassVar", "InitVar"})
DATACLASS_DECORATORS = frozenset({"dataclass", "config"})
COLLECTIONS = {"List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set", "Mapping": "dict"}
#: deepest nesting of aliases and unions that is read
DEEPEST = 8


@dataclass(slots=True)
class Hint:
    """What an annotation allows, as far as the source says."""

    #: names among `BUILTINS`, and `other` for any class
    kinds: set[str] = field(default_factory=set)
    #: options of a `Literal` or an enum; None: none stated, or not written down
    choices: tuple[str, ...] | None = None
    #: True when some options are only known at run time
    open: bool = False
    #: configuration classes, so that JSON and dotted keys are accepted
    dataclasses: list[tuple[Module, ast.ClassDef]] = field(default_factory=list)

    def offer(self, options: tuple[str, ...] | None) -> None:
        """Add options; None leaves the whole open."""
        if options is None:
            self.open = True
        else:
            self.choices = (*(self.choices or ()), *options)


def read_hint(tree: Tree, module: Module, node: ast.expr) -> Hint:
    """Return what an annotation allows."""
    hint = Hint()
    _read(tree, module, node, hint, 0)
    return hint


def is_field(node: ast.AnnAssign) -> bool:
    """Tell whether an annotated attribute is a dataclass field."""
    outer = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
    return isinstance(node.target, ast.Name) and last_name(outer) not in NOT_FIELDS


def is_dataclass(node: ast.ClassDef) -> bool:
    """Tell whether a class is decorated as a dataclass or as vLLM's `@config`."""
    decorators = (item.func if isinstance(item, ast.Call) else item for item in node.decorator_list)
    return any(last_name(item) in DATACLASS_DECORATORS for item in decorators)


def last_name(node: ast.AST) -> str:
    """Return the last part of a dotted name, an empty text for anything else."""
    return (dotted_name(node) or "").rpartition(".")[2]


def _read(tree: Tree, module: Module, node: ast.expr, hint: Hint, depth: int) -> None:
    if depth > DEEPEST:
        hint.kinds.add("other")
    elif isinstance(node, ast.Constant):
        _read_constant(tree, module, node, hint, depth)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        _read(tree, module, node.left, hint, depth + 1)
        _read(tree, module, node.right, hint, depth + 1)
    elif isinstance(node, ast.Subscript):
        _read_subscript(tree, module, node, hint, depth)
    else:
        _read_name(tree, module, node, hint, depth)


def _read_constant(tree: Tree, module: Module, node: ast.Constant, hint: Hint, depth: int) -> None:
    if node.value is None:
        hint.kinds.add("None")
    elif isinstance(node.value, str):
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except SyntaxError:
            hint.kinds.add("other")
            return
        _read(tree, module, inner, hint, depth + 1)


def _read_subscript(tree: Tree, module: Module, node: ast.Subscript, hint: Hint, depth: int) -> None:
    outer = last_name(node.value)
    inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if outer == "Literal":
        hint.kinds.add("Literal")
        hint.offer(literal_choices(tree, module, node))
    elif outer in UNIONS:
        hint.kinds.update({"None"} if outer == "Optional" else set())
        for part in inside:
            _read(tree, module, part, hint, depth + 1)
    elif outer in WRAPPERS:
        _read(tree, module, inside[0], hint, depth + 1)
    elif COLLECTIONS.get(outer, outer) in BUILTINS:
        kind = COLLECTIONS.get(outer, outer)
        hint.kinds.add(kind)
        if kind != "dict":
            element = read_hint(tree, module, inside[0])
            if element.choices and not element.kinds & {"str"}:
                hint.offer(element.choices)
    else:
        hint.kinds.add("other")


def _read_name(tree: Tree, module: Module, node: ast.expr, hint: Hint, depth: int) -> None:
    name = dotted_name(node)
    kind = COLLECTIONS.get(name or "", name or "")
    if kind in BUILTINS:
        hint.kinds.add(kind)
        return
    found = tree.resolve(module, name) if name else None
    if found is None:
        hint.kinds.add("other")
        return
    origin, definition = found
    if isinstance(definition, ast.expr):
        _read(tree, origin, definition, hint, depth + 1)
        return
    hint.kinds.add("other")
    if isinstance(definition, ast.ClassDef):
        _read_class(origin, definition, hint)


def _read_class(module: Module, node: ast.ClassDef, hint: Hint) -> None:
    # `class Options(dict[str, int])` is a dict as much as `class Options(dict)`
    bases = {last_name(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases}
    if is_enum(node):
        if bases & {"str", "StrEnum"}:
            hint.offer(enum_values(node))
        elif bases & {"IntEnum", "IntFlag", "Flag"}:
            # numbers and names are both accepted: no closed list
            hint.offer(None)
        else:
            hint.offer(enum_names(node))
    elif is_dataclass(node):
        hint.dataclasses.append((module, node))
    elif "dict" in bases:
        hint.kinds.add("dict")
