"""Reads the limits that a configuration class states for a number (`Field(gt=0, le=1)`). Not for its type."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name

if TYPE_CHECKING:
    from collections.abc import Iterator

#: keyword of pydantic's `Field` -> how the limit is written in the facts
_SIGNS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}


def bounds_of(statement: ast.AnnAssign) -> tuple[str, ...]:
    """Return the limits of a field, of its default or its annotation; those made at run time are left out."""
    return tuple(bound for call in _fields(statement) for bound in _bounds(call))


def _fields(statement: ast.AnnAssign) -> Iterator[ast.Call]:
    for part in (statement.value, statement.annotation):
        for node in ast.walk(part) if part is not None else ():
            if isinstance(node, ast.Call) and last_name(node.func) == "Field":
                yield node


def _bounds(call: ast.Call) -> Iterator[str]:
    for word in call.keywords:
        number = _number(word.value)
        if word.arg in _SIGNS and number is not None:
            yield f"{_SIGNS[word.arg]}{number}"


def _number(node: ast.expr) -> str | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return f"-{inner}" if inner is not None else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return f"{node.value:g}" if isinstance(node.value, float) else str(node.value)
    return None
