"""Encoders that check their backend themselves: where they do, what they print, what they accept."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.releases.extractor.tree import Module, Tree

#: folders of model code
FOLDERS = ("vllm/model_executor/models", "vllm/models")
_MIDDLE = " does not support "
_ENDS = (" backend now.", " backend now")


@dataclass(frozen=True, slots=True)
class Check:
    """One place where an encoder refuses a backend."""

    module: Module
    #: name it prints
    label: str
    message: str
    accepts: tuple[str, ...]
    line: int
    #: the function around it, and its statements up to and including the check
    function: ast.FunctionDef
    statements: tuple[ast.stmt, ...]
    #: True when it stands in the constructor and so fires before any request
    at_start: bool


@lru_cache(maxsize=2)
def find_checks(tree: Tree) -> tuple[Check, ...]:
    """Return one check for each label; the one that fires first where an encoder has several."""
    found: dict[str, Check] = {}
    for folder in FOLDERS:
        for path in tree.paths(folder):
            if "backend now" not in (tree.text(path) or ""):
                continue
            module = tree.module(path)
            for check in () if module is None else _in_module(module):
                if check.label not in found or (check.at_start and not found[check.label].at_start):
                    found[check.label] = check
    return tuple(found[label] for label in sorted(found))


def _in_module(module: Module) -> Iterator[Check]:
    parents = {child: node for node in ast.walk(module.node) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(module.node):
        message = _message(node) if isinstance(node, ast.Raise) else None
        if message is None or not isinstance(node, ast.Raise):
            continue
        function = _enclosing(node, parents)
        if function is None:
            continue
        yield Check(
            module=module,
            label=message.partition(_MIDDLE)[0],
            message=message,
            accepts=_accepted(node, parents),
            line=_message_line(node),
            function=function,
            statements=_leading(function, node),
            at_start=function.name == "__init__",
        )


def _message(node: ast.Raise) -> str | None:
    call = node.exc
    argument = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if not isinstance(argument, ast.JoinedStr):
        return None
    text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in argument.values)
    return text if _MIDDLE in text and text.endswith(_ENDS) else None


def _message_line(node: ast.Raise) -> int:
    call = node.exc
    return call.args[0].lineno if isinstance(call, ast.Call) else node.lineno


def _enclosing(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.FunctionDef | None:
    while node in parents:
        node = parents[node]
        if isinstance(node, ast.FunctionDef):
            return node
    return None


def _leading(function: ast.FunctionDef, check: ast.AST) -> tuple[ast.stmt, ...]:
    """Return the statements of a function from the choice of a backend to the check."""
    kept: list[ast.stmt] = []
    for statement in function.body:
        text = ast.unparse(statement)
        if kept or "get_vit_attn_backend" in text or "get_global_forced_attn_backend" in text:
            kept.append(statement)
        if any(inner is check for inner in ast.walk(statement)):
            return tuple(kept or [statement])
    return ()


def _accepted(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> tuple[str, ...]:
    """Return the members that lead past a raise.

    `not in {...}` before it, or the other branches of its chain.
    """
    branch = parents[node]
    if isinstance(branch, ast.If) and node in branch.body:
        return _members(branch.test)
    found: list[str] = []
    inner: ast.AST = node
    while isinstance(branch, ast.If) and inner in branch.orelse:
        found = [*_members(branch.test), *found]
        inner, branch = branch, parents[branch]
    return tuple(dict.fromkeys(found))


def _members(test: ast.expr) -> tuple[str, ...]:
    names = (
        inner.attr for inner in ast.walk(test) if isinstance(inner, ast.Attribute) and inner.attr.isupper()
    )
    return tuple(dict.fromkeys(names))
