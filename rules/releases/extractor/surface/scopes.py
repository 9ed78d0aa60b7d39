"""What the names of a function are given. Not for what the values mean."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Given:
    """One binding of a name."""

    #: None: only known at run time (a parameter, a loop, an unpacking)
    value: ast.expr | None
    #: True: added to what was there, with `+=`
    appended: bool = False


class Scope:
    """The names of a function, nested functions included; read on first use."""

    def __init__(self, function: ast.AST | None) -> None:
        self._function = function
        self._names: dict[str, list[Given]] | None = None

    def given(self, name: str) -> list[Given]:
        """Return the bindings of a name in the order of the source; empty when it is not a local name."""
        if self._names is None:
            self._names = {}
            for bound, given in _bindings(self._function) if self._function is not None else ():
                self._names.setdefault(bound, []).append(given)
        return self._names.get(name, [])


NO_SCOPE = Scope(None)


def _bindings(function: ast.AST) -> Iterator[tuple[str, Given]]:
    joined: dict[int, ast.expr | None] = {}
    # parents come before what is inside them, so that a body is joined before its statements are met
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, Given(joined.get(id(node)) or node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, Given(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            if id(node) not in joined:
                yield node.target.id, Given(node.value, appended=True)
        elif isinstance(node, ast.arg):
            yield node.arg, Given(None)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name, Given(None)
        else:
            yield from ((name, Given(None)) for name in _opened(node))
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list):
                joined.update(_joined(body))


def _joined(body: list[ast.stmt]) -> Iterator[tuple[int, ast.expr | None]]:
    """Yield the whole value of a `text = ...` that `text += more` follows at once, None for the latter."""
    held: ast.Assign | None = None
    value: ast.expr | None = None
    for node in body:
        if held is not None and value is not None and _adds_to(node, held):
            value = ast.copy_location(ast.BinOp(value, ast.Add(), node.value), held)
            yield id(held), value
            yield id(node), None
        else:
            held = node if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else None
            value = held.value if held is not None else None


def _adds_to(node: ast.stmt, held: ast.Assign) -> TypeGuard[ast.AugAssign]:
    if not (isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)):
        return False
    target = held.targets[0]
    return isinstance(node.target, ast.Name) and isinstance(target, ast.Name) and node.target.id == target.id


def _opened(node: ast.AST) -> Iterator[str]:
    """Yield names that a statement binds to what only the run knows."""
    targets: list[ast.expr | None] = []
    if isinstance(node, ast.Assign):
        targets = list(node.targets)
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension | ast.NamedExpr):
        targets = [node.target]
    elif isinstance(node, ast.withitem):
        targets = [node.optional_vars]
    for target in targets:
        for inner in ast.walk(target) if target is not None else ():
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id
