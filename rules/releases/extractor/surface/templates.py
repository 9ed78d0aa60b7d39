"""Turns an expression that makes a text into a template with `{}` for its gaps. Not for finding such ones."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.scopes import NO_SCOPE
from rules.releases.extractor.surface.values import settled
from rules.releases.extractor.tree import dotted_name

if TYPE_CHECKING:
    from rules.releases.extractor.surface.scopes import Given, Scope
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
#: expressions that make a text
TEXT_NODES = (ast.JoinedStr, ast.Constant, ast.BinOp, ast.IfExp)


class Templates:
    """Makes templates for the expressions of one module."""

    def __init__(self, tree: Tree, module: Module) -> None:
        self._tree = tree
        self._module = module

    def of(self, node: ast.expr, local: Scope, *, bare: bool = False) -> list[str]:
        """Return the templates an expression can give; those of gaps alone only when `bare` asks for them."""
        flat = dict.fromkeys(GAPS.sub(GAP, text) for text in self._made(node, local, depth=0))
        return [text for text in flat if bare or text.replace(GAP, "").strip()][:MOST_ALTERNATIVES]

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
        return self._local(given, local, depth + 1) if given else self._leaf(node, local, depth)

    def _leaf(self, node: ast.expr, local: Scope, depth: int) -> list[str]:
        if isinstance(node, ast.JoinedStr):
            return self._joined(node, local, depth)
        if isinstance(node, ast.Constant) and node.value is None:
            return [GAP]
        return [self._written_down(node)]

    def _joined(self, node: ast.JoinedStr, local: Scope, depth: int) -> list[str]:
        texts = [""]
        for part in node.values:
            pieces = self._pieces(part, local, depth)
            if len(texts) * len(pieces) > MOST_ALTERNATIVES:
                pieces = [GAP]
            texts = [text + piece for text in texts for piece in pieces]
        return texts

    def _pieces(self, part: ast.expr, local: Scope, depth: int) -> list[str]:
        if isinstance(part, ast.Constant):
            return [str(part.value)]
        if isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None:
            return self.sentences(part.value, local, depth) or [self._written_down(part.value)]
        return [GAP]

    def sentences(self, node: ast.expr, local: Scope, depth: int = 0) -> list[str]:
        """Return what a local name may hold when that is known text with words in it; empty otherwise."""
        given = local.given(node.id) if isinstance(node, ast.Name) else []
        if not given or not all(isinstance(item.value, TEXT_NODES) for item in given):
            return []
        texts = self._local(given, local, depth + 1)
        return texts if any(" " in text.strip() for text in texts) else []

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

    def _local(self, given: list[Given], local: Scope, depth: int) -> list[str]:
        """Return what a local name may hold; parts that are appended stand alone."""
        first = [self._given(item, local, depth) for item in given if not item.appended]
        added = [self._given(item, local, depth) for item in given if item.appended]
        bases = [text for texts in first for text in texts] or [GAP]
        if not added:
            return bases
        return [text + GAP for text in bases] + [GAP + text for texts in added for text in texts]

    def _given(self, item: Given, local: Scope, depth: int) -> list[str]:
        return [GAP] if item.value is None else self._made(item.value, local, depth)


def percent_template(text: str) -> str:
    """Return a %-format as a template."""
    return PERCENT_FIELD.sub(GAP, text.replace("%%", "\0")).replace("\0", "%")


def brace_template(text: str) -> str:
    """Return a `str.format` text as a template."""
    return BRACE_FIELD.sub(lambda found: {"{{": "{", "}}": "}"}.get(found.group(), GAP), text)


def filled(template: str, texts: list[str]) -> str:
    """Return a template with its gaps filled in order; the rest of the gaps stay."""
    parts = template.split(GAP)
    gaps = [*texts, *[GAP] * len(parts)]
    return "".join(part + gap for part, gap in zip(parts[:-1], gaps, strict=False)) + parts[-1]
