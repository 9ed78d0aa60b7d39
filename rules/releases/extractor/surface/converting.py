"""Reads how values are converted and checked, by the parser and by validators of a class. Not for types."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name
from rules.releases.extractor.tree import dotted_name

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Tree

PARSER_FILE = "vllm/engine/arg_utils.py"
#: functions that turn a configuration class into keywords of the parser, newest name first
MAKERS = ("_compute_kwargs", "get_kwargs")
CASE_METHODS = frozenset({"upper", "lower"})


@lru_cache(maxsize=2)
def named_converters(tree: Tree) -> dict[str, str]:
    """Return converters the parser gives to fields by name (`max_model_len`: `human_readable_int`)."""
    module = tree.module(PARSER_FILE)
    makers = [module.functions[name] for name in MAKERS if name in module.functions] if module else []
    found: dict[str, str] = {}
    for node in ast.walk(makers[0]) if makers else ():
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
            converter = _given_type(node.body)
            if converter is not None and dotted_name(node.test.left) == "name":
                named = _names(node.test.comparators[0], makers[0])
                found.update(dict.fromkeys(named, converter))
    return found


def _given_type(body: list[ast.stmt]) -> str | None:
    """Return X of `kwargs[name]["type"] = X`."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            key = node.targets[0].slice
            if isinstance(key, ast.Constant) and key.value == "type":
                return dotted_name(node.value)
    return None


def _names(node: ast.expr, function: ast.AST) -> list[str]:
    """Return the texts of a constant, of a set of them, or of a local name that holds one."""
    if isinstance(node, ast.Name):
        held = [
            item.value
            for item in ast.walk(function)
            if isinstance(item, ast.Assign) and last_name(item.targets[0]) == node.id
        ]
        return _names(held[0], function) if held else []
    parts = node.elts if isinstance(node, ast.Set | ast.Tuple | ast.List) else [node]
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def validators(owner: ast.ClassDef, field: str) -> list[ast.FunctionDef]:
    """Return the `@field_validator(field)` methods of a class."""
    return [
        item
        for item in owner.body
        if isinstance(item, ast.FunctionDef)
        for decorator in item.decorator_list
        if isinstance(decorator, ast.Call)
        and last_name(decorator.func) == "field_validator"
        and any(isinstance(name, ast.Constant) and name.value == field for name in decorator.args)
    ]


def also_accepted(function: ast.FunctionDef) -> tuple[str, ...]:
    """Return texts that a validator takes for itself (`if value.lower() == "auto": return None`)."""
    return tuple(
        part.value
        for node in ast.walk(function)
        if isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.body[0], ast.Return)
        for part in node.test.comparators
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def ignores_case(function: ast.AST) -> bool:
    """Tell whether a function folds the case of what it hands on, not only of what it compares."""
    compared = {
        id(inner) for node in ast.walk(function) if isinstance(node, ast.Compare) for inner in ast.walk(node)
    }
    return any(
        isinstance(node, ast.Attribute) and node.attr in CASE_METHODS and id(node) not in compared
        for node in ast.walk(function)
    )
