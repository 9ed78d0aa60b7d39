"""Turns an expression that makes a text into a template with `{}` for its gaps. Not for finding such ones."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.values import settled
from rules.releases.extractor.tree import dotted_name

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Module, Tree

GAP = "{}"
PERCENT_FIELD = re.compile(r"%(?:\([^)]*\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[sdrifgexXoacGEF]")
BRACE_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
GAPS = re.compile(r"(?:\{\}){2,}")
#: methods and functions that leave a text as it is, but for its edges
KEEPING = frozenset({"strip", "rstrip", "lstrip", "dedent", "cleandoc", "str"})
#: alternatives that are followed for one text
MOST_ALTERNATIVES = 8
#: longest chain of local names and calls that is followed
DEEPEST_NAME = 4


class Scope:
    """What the names of a function are given, nested functions included; read on first use."""

    def __init__(self, function: ast.AST | None) -> None:
        self._function = function
        self._names: dict[str, list[tuple[ast.expr, bool]]] | None = None

    def given(self, name: str) -> list[tuple[ast.expr, bool]]:
        """Return the values in the order of the source; True marks one that was appended with `+=`."""
        if self._names is None:
            self._names = {} if self._function is None else _given_names(self._function)
        return self._names.get(name, [])


def _given_names(function: ast.AST) -> dict[str, list[tuple[ast.expr, bool]]]:
    found: dict[str, list[tuple[ast.expr, bool]]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append((node.value, False))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.setdefault(node.target.id, []).append((node.value, False))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append((node.value, True))
    return found


NO_SCOPE = Scope(None)


class Templates:
    """Makes templates for the expressions of one module."""

    def __init__(self, tree: Tree, module: Module) -> None:
        self._tree = tree
        self._module = module

    def of(self, node: ast.expr, local: Scope) -> list[str]:
        """Return the templates an expression can give; empty when nothing of the text is written down."""
        found = self._made(node, local, depth=0)
        flat = dict.fromkeys(GAPS.sub(GAP, text) for text in found)
        return [text for text in flat if text.replace(GAP, "").strip()][:MOST_ALTERNATIVES]

    def _made(self, node: ast.expr, local: Scope, depth: int) -> list[str]:
        if depth > DEEPEST_NAME:
            return [GAP]
        if isinstance(node, ast.IfExp):
            return [*self._made(node.body, local, depth), *self._made(node.orelse, local, depth)]
        if isinstance(node, ast.BinOp):
            return self._operation(node, local, depth)
        if isinstance(node, ast.Call):
            return self._call(node, local, depth + 1)
        given = local.given(node.id) if isinstance(node, ast.Name) else []
        return self._local(given, local, depth + 1) if given else [self._leaf(node)]

    def _leaf(self, node: ast.expr) -> str:
        if isinstance(node, ast.JoinedStr):
            return "".join(self._piece(part) for part in node.values)
        if isinstance(node, ast.Constant) and node.value is None:
            return GAP
        return self._written_down(node)

    def _piece(self, part: ast.expr) -> str:
        if isinstance(part, ast.Constant):
            return str(part.value)
        if isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None:
            return self._written_down(part.value)
        return GAP

    def _written_down(self, node: ast.expr) -> str:
        """Return the text behind a module constant, a gap for anything else."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        name = dotted_name(node)
        # only names in capitals are constants; `name` or `self.x` is whatever it holds at run time
        if name is None or not name.rpartition(".")[2].isupper():
            return GAP
        origin, value = settled(self._tree, self._module, node)
        if isinstance(value, ast.Constant) and isinstance(value.value, str | int):
            return str(value.value)
        if isinstance(value, ast.JoinedStr | ast.BinOp) and value is not node:
            made = Templates(self._tree, origin)._made(value, NO_SCOPE, DEEPEST_NAME - 1)  # noqa: SLF001 - the same class
            return made[0] if len(made) == 1 else GAP
        return GAP

    def _operation(self, node: ast.BinOp, local: Scope, depth: int) -> list[str]:
        left = self._made(node.left, local, depth)
        if isinstance(node.op, ast.Mod):
            return [percent_template(text) for text in left]
        if not isinstance(node.op, ast.Add):
            return [GAP]
        right = self._made(node.right, local, depth)
        return [one + other for one in left for other in right][:MOST_ALTERNATIVES]

    def _call(self, node: ast.Call, local: Scope, depth: int) -> list[str]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted_name(node.func) or ""
        held = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "format" and held is not None:
            return [brace_template(text) for text in self._made(held, local, depth)]
        if name in KEEPING:
            inner = held if held is not None and name.endswith("strip") else next(iter(node.args), None)
            return [GAP] if inner is None else [text.strip() for text in self._made(inner, local, depth)]
        if (
            name == "join"
            and held is not None
            and node.args
            and isinstance(node.args[0], ast.List | ast.Tuple)
        ):
            separator = self._written_down(held)
            parts = [self._made(item, local, depth)[0] for item in node.args[0].elts]
            return [separator.join(parts)]
        return [GAP]

    def _local(
        self,
        given: list[tuple[ast.expr, bool]],
        local: Scope,
        depth: int,
    ) -> list[str]:
        """Return what a local name may hold; parts that are appended stand alone."""
        first = [self._made(value, local, depth) for value, appended in given if not appended]
        added = [self._made(value, local, depth) for value, appended in given if appended]
        bases = [text for texts in first for text in texts] or [GAP]
        if not added:
            return bases
        return [text + GAP for text in bases] + [GAP + text for texts in added for text in texts]


def percent_template(text: str) -> str:
    """Return a %-format as a template."""
    return PERCENT_FIELD.sub(GAP, text.replace("%%", "\0")).replace("\0", "%")


def brace_template(text: str) -> str:
    """Return a `str.format` text as a template."""
    return BRACE_FIELD.sub(lambda found: {"{{": "{", "}}": "}"}.get(found.group(), GAP), text)
