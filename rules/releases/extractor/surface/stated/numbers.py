"""Tells which environment variables must hold a number, so that other texts fail. Not for their meaning."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Module

_NUMBERS = ("int", "float")
#: helpers of `vllm/envs.py` that convert what is set
_CONVERTERS = {"maybe_convert_int": "int", "maybe_convert_bool": "int"}
_READERS = frozenset({"get", "getenv"})


def number_kind(module: Module, name: str, entry: ast.expr) -> tuple[str, bool]:
    """Return `int`, `float` or `str` for an entry of the table, and whether an empty value counts as none."""
    body = entry.body if isinstance(entry, ast.Lambda) else _function(module, entry)
    if body is None:
        return "str", False
    for node in ast.walk(body):
        kind = _converted(node, name)
        if kind is not None:
            return kind, _asks_for_a_value(body, name)
    return "str", False


def _function(module: Module, entry: ast.expr) -> ast.AST | None:
    """Return a named function of one statement, which is as good as a lambda."""
    found = module.functions.get(entry.id) if isinstance(entry, ast.Name) else None
    if found is None or len(found.body) != 1 or not isinstance(found.body[0], ast.Return):
        return None
    return found.body[0].value


def _converted(node: ast.AST, name: str) -> str | None:
    """Return the type of `int(os.getenv(name, ...))` and its like; None for anything else."""
    if not (isinstance(node, ast.Call) and node.args):
        return None
    function = last_name(node.func)
    kind = function if function in _NUMBERS else _CONVERTERS.get(function)
    return kind if kind is not None and _reads(node.args[0], name) else None


def _reads(node: ast.expr, name: str) -> bool:
    """Tell whether an expression is the bare value of the variable; `or "0"` and `.strip()` make it another."""
    if isinstance(node, ast.Subscript):
        return last_name(node.value) == "environ" and _is_text(node.slice, name)
    if not (isinstance(node, ast.Call) and node.args and _is_text(node.args[0], name)):
        return False
    return last_name(node.func) in _READERS


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _asks_for_a_value(body: ast.AST, name: str) -> bool:
    """Tell whether the conversion is only reached where the variable holds more than nothing."""
    tests = [node.test for node in ast.walk(body) if isinstance(node, ast.IfExp)]
    tests += [value for node in ast.walk(body) if isinstance(node, ast.BoolOp) for value in node.values]
    return any(_reads(test, name) for test in tests)
