"""Reads values that the source writes down: texts, lists of names, defaults. Not for what code computes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.tree import NotLiteralError, dotted_name, literal, members

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Module, Tree

#: longest chain of names (`EngineArgs.dtype` -> `ModelConfig.dtype` -> `"auto"`) that is followed
LONGEST_CHAIN = 6
ENUM_BASES = frozenset({"Enum", "IntEnum", "StrEnum", "IntFlag", "Flag"})


def settled(tree: Tree, module: Module, node: ast.expr) -> tuple[Module, ast.expr]:
    """Return what a name stands for in the end, with the module that holds it; else the node itself."""
    for _ in range(LONGEST_CHAIN):
        name = dotted_name(node)
        found = tree.resolve(module, name) if name else None
        if found is None or not isinstance(found[1], ast.expr) or found[1] is node:
            return module, node
        module, node = found[0], found[1]
    return module, node


def text_of(tree: Tree, module: Module, node: ast.expr) -> str | None:
    """Return a text that is written down (through names and `+`), None when any part is made at run time."""
    module, node = settled(tree, module, node)
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(tree, module, node.left), text_of(tree, module, node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        return "".join(_piece(part) for part in node.values)
    return None


def _piece(part: ast.expr) -> str:
    held = part.value if isinstance(part, ast.FormattedValue) else part
    return str(held.value) if isinstance(held, ast.Constant) else "{}"


def names_in(tree: Tree, module: Module, node: ast.expr) -> tuple[str, ...] | None:
    """Return the values of a collection as texts (`[*A, "b"]`, `get_args(X)`, `[f.value for f in Kind]`).

    None stands for a collection that is only known at run time; the value None in a list is left out.
    """
    module, node = settled(tree, module, node)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _elements(tree, module, node.elts)
    if isinstance(node, ast.Dict) and all(key is not None for key in node.keys):
        return _elements(tree, module, [key for key in node.keys if key is not None])
    if isinstance(node, ast.Subscript) and dotted_name(node.value) in {"Literal", "typing.Literal"}:
        return literal_choices(tree, module, node)
    if isinstance(node, ast.Call):
        return _called(tree, module, node)
    if isinstance(node, ast.ListComp):
        return _comprehension(tree, module, node)
    return None


def _called(tree: Tree, module: Module, node: ast.Call) -> tuple[str, ...] | None:
    function = dotted_name(node.func) or ""
    if function in {"get_args", "typing.get_args", "list", "tuple", "sorted"} and len(node.args) == 1:
        return names_in(tree, module, node.args[0])
    if function.endswith(".keys") and isinstance(node.func, ast.Attribute):
        return names_in(tree, module, node.func.value)
    return None


def _comprehension(tree: Tree, module: Module, node: ast.ListComp) -> tuple[str, ...] | None:
    source, element = node.generators[0], node.elt
    if len(node.generators) > 1 or source.ifs or not isinstance(element, ast.Attribute):
        return None
    name = dotted_name(source.iter)
    found = tree.resolve(module, name) if name else None
    if found is None or not isinstance(found[1], ast.ClassDef):
        return None
    return enum_names(found[1]) if element.attr == "name" else enum_values(found[1])


def _elements(tree: Tree, module: Module, nodes: list[ast.expr]) -> tuple[str, ...] | None:
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            inner = names_in(tree, module, node.value)
            if inner is None:
                return None
            found.extend(inner)
            continue
        origin, value = settled(tree, module, node)
        member = _enum_member(tree, origin, value)
        if member is not None:
            found.append(member)
        elif isinstance(value, ast.Constant):
            found.extend([str(value.value)] if value.value is not None else [])
        else:
            return None
    return tuple(found)


def _enum_member(tree: Tree, module: Module, node: ast.expr) -> str | None:
    """Return the value of `Kind.MEMBER.value`, None for anything else."""
    name = dotted_name(node)
    if name is None or not name.endswith(".value"):
        return None
    _, value = settled(tree, module, _name(name.removesuffix(".value")))
    return str(value.value) if isinstance(value, ast.Constant) else None


def _name(dotted: str) -> ast.expr:
    return ast.parse(dotted, mode="eval").body


def literal_choices(tree: Tree, module: Module, node: ast.Subscript) -> tuple[str, ...] | None:
    """Return the options of `Literal[...]`, nested aliases opened; None when one is not written down."""
    inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found: list[str] = []
    for option in inside:
        if isinstance(option, ast.Constant):
            found.extend([str(option.value)] if option.value is not None else [])
            continue
        inner = names_in(tree, module, option.value if isinstance(option, ast.Starred) else option)
        if inner is None:
            return None
        found.extend(inner)
    return tuple(found)


def is_enum(node: ast.ClassDef) -> bool:
    """Tell whether a class is an enum by the names of its bases."""
    return any((dotted_name(base) or "").rpartition(".")[2] in ENUM_BASES for base in node.bases)


def enum_names(node: ast.ClassDef) -> tuple[str, ...]:
    """Return the members of an enum in the order of the source."""
    return tuple(
        name
        for name, value in members(node).items()
        if isinstance(value, ast.expr) and not name.startswith("_")
    )


def enum_values(node: ast.ClassDef) -> tuple[str, ...] | None:
    """Return the values of an enum whose members are written-down texts or numbers."""
    values = members(node)
    found = [values[name] for name in enum_names(node)]
    if not all(isinstance(value, ast.Constant) for value in found):
        return None
    return tuple(str(value.value) for value in found if isinstance(value, ast.Constant))


def default_text(tree: Tree, module: Module, node: ast.expr | None) -> str | None:
    """Return a default as text (`auto`, `8000`, `None`, `[]`), None when it is decided at run time."""
    if node is None:
        return None
    module, node = settled(tree, module, node)
    if isinstance(node, ast.Call):
        return _field_default(tree, module, node)
    try:
        return str(literal(node))
    except NotLiteralError:
        return None


def _field_default(tree: Tree, module: Module, node: ast.Call) -> str | None:
    if (dotted_name(node.func) or "").rpartition(".")[2] not in {"field", "Field"}:
        return None
    given = next((word.value for word in node.keywords if word.arg == "default"), None)
    if given is None and node.args:
        given = node.args[0]
    return default_text(tree, module, given)
