"""Evaluating expressions. Calls are someone else's matter (`calls`), and so are statements."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.releases.extractor.evaluation.attributes import Attributes
from rules.releases.extractor.evaluation.comparing import contains, equal, plain
from rules.releases.extractor.evaluation.values import (
    Bag,
    CannotEvaluateError,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Literals,
    Member,
    ModuleValue,
    Unknown,
    Value,
    show,
)

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Module

_COMPARE: Mapping[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv, ast.Pow: operator.pow,
    ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.LShift: operator.lshift,
}  # fmt: skip


@dataclass(slots=True)
class Frame:
    """Where code runs: its module, its class if any, and its variables."""

    module: Module
    owner: ClassValue | None = None
    bound: Value = None
    variables: dict[str, Value] = field(default_factory=dict)
    #: True for a class body, where the names of the class itself can be used
    is_body: bool = False


class Expressions(Attributes):
    """Values of expressions; what cannot be known is `Unknown` with the source text."""

    def call(
        self, function: Value, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
    ) -> Value:
        """Return what a call yields."""
        raise NotImplementedError

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of an expression. Raises `ThrownError` where the code would raise."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            return Unknown(ast.unparse(node))
        return method(node, frame)

    def truth(self, value: Value, node: ast.AST) -> bool:
        """Tell whether a value counts as true; an unknown one is decided by the path."""
        if isinstance(value, Unknown):
            return self.path.decide(value.why)
        if isinstance(value, Instance):
            found = self.names.attribute(value.cls, "__bool__")
            if found is not None:
                return self.truth(self.call(self.attribute(value, "__bool__", node), [], {}, node), node)
            return True
        if isinstance(value, External | ClassValue | FunctionValue | Member | Bag | ModuleValue):
            return True
        return bool(value)

    def _constant(self, node: ast.Constant, _: Frame) -> Value:
        return node.value

    def _name(self, node: ast.Name, frame: Frame) -> Value:
        if node.id in frame.variables:
            return frame.variables[node.id]
        if frame.is_body and frame.owner is not None and node.id in self.names.members(frame.owner):
            return self.defined(frame.module, self.names.members(frame.owner)[node.id], node.id, frame.owner)
        return self.module_value(frame.module, node.id)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        return self.attribute(self.evaluate(node.value, frame), node.attr, node)

    def _call(self, node: ast.Call, frame: Frame) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return self.parent(frame)
        function = self.evaluate(node.func, frame)
        arguments = self._elements(node.args, frame)
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, frame)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update(value)
            else:
                return Unknown(ast.unparse(node))
        return self.call(function, arguments, keywords, node)

    def parent(self, frame: Frame) -> Value:
        """Return what `super()` stands for."""
        raise NotImplementedError

    def _boolop(self, node: ast.BoolOp, frame: Frame) -> Value:
        wanted = isinstance(node.op, ast.Or)
        open_parts = []
        value: Value = None
        for part in node.values:
            value = self.evaluate(part, frame)
            if isinstance(value, Unknown):
                open_parts.append(value)
            elif self.truth(value, part) is wanted:
                # a decided part ends it, whatever the open parts are
                return value if not open_parts else wanted
        if not open_parts:
            return value
        return open_parts[0] if len(open_parts) == 1 else Unknown(ast.unparse(node))

    def _unaryop(self, node: ast.UnaryOp, frame: Frame) -> Value:
        value = self.evaluate(node.operand, frame)
        if isinstance(node.op, ast.Not):
            return not self.truth(value, node)
        if isinstance(node.op, ast.USub) and isinstance(value, int | float):
            return -value
        return Unknown(ast.unparse(node))

    def _ifexp(self, node: ast.IfExp, frame: Frame) -> Value:
        chosen = node.body if self.truth(self.evaluate(node.test, frame), node.test) else node.orelse
        return self.evaluate(chosen, frame)

    def _namedexpr(self, node: ast.NamedExpr, frame: Frame) -> Value:
        frame.variables[node.target.id] = self.evaluate(node.value, frame)
        return frame.variables[node.target.id]

    def _binop(self, node: ast.BinOp, frame: Frame) -> Value:
        left, right = self.evaluate(node.left, frame), self.evaluate(node.right, frame)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return Unknown(ast.unparse(node))
        try:
            return _ARITHMETIC[type(node.op)](left, right)
        except (TypeError, KeyError, ZeroDivisionError):
            return Unknown(ast.unparse(node))

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        left = self.evaluate(node.left, frame)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(comparator, frame)
            result = self._one_comparison(op, left, right)
            if result is None:
                return Unknown(ast.unparse(node))
            if not result:
                return False
            left = right
        return True

    def _one_comparison(self, op: ast.cmpop, left: Value, right: Value) -> bool | None:
        if isinstance(op, ast.In | ast.NotIn):
            found = contains(right, left)
            return found if found is None or isinstance(op, ast.In) else not found
        if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            same = equal(left, right)
            return same if same is None or isinstance(op, ast.Eq | ast.Is) else not same
        try:
            return bool(_COMPARE[type(op)](plain(left), plain(right)))
        except TypeError:
            return None

    def _list(self, node: ast.List, frame: Frame) -> Value:
        return self._elements(node.elts, frame)

    def _tuple(self, node: ast.Tuple, frame: Frame) -> Value:
        return tuple(self._elements(node.elts, frame))

    def _set(self, node: ast.Set, frame: Frame) -> Value:
        # a list keeps the order of the source and takes values that have no hash
        return self._elements(node.elts, frame)

    def _dict(self, node: ast.Dict, frame: Frame) -> Value:
        made: dict[Value, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            inner = self.evaluate(value, frame)
            if key is None:
                made.update(inner if isinstance(inner, dict) else {})
            else:
                made[self.evaluate(key, frame)] = inner
        return made

    def _joinedstr(self, node: ast.JoinedStr, frame: Frame) -> Value:
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                parts.append(show(self.evaluate(part.value, frame)))
            elif isinstance(part, ast.Constant):
                parts.append(str(part.value))
        return "".join(parts)

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Value:
        return FunctionValue(frame.module, node, frame.owner, None, dict(frame.variables))

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        if isinstance(value, External) and value.dotted.endswith("Literal"):
            inner = self.evaluate(node.slice, frame)
            return Literals(inner if isinstance(inner, tuple) else (inner,))
        if isinstance(node.slice, ast.Slice):
            return Unknown(ast.unparse(node))
        return self.item(value, self.evaluate(node.slice, frame), node)

    def _listcomp(self, node: ast.ListComp, frame: Frame) -> Value:
        made: list[Value] = []
        self._comprehend(node.generators, frame, lambda inner: made.append(self.evaluate(node.elt, inner)))
        return made

    _generatorexp = _listcomp
    _setcomp = _listcomp

    def _dictcomp(self, node: ast.DictComp, frame: Frame) -> Value:
        made: dict[Value, Value] = {}

        def keep(inner: Frame) -> None:
            made[self.evaluate(node.key, inner)] = self.evaluate(node.value, inner)

        self._comprehend(node.generators, frame, keep)
        return made

    def _comprehend(
        self, generators: list[ast.comprehension], frame: Frame, keep: Callable[[Frame], None]
    ) -> None:
        inner = Frame(frame.module, frame.owner, frame.bound, dict(frame.variables))
        if not generators:
            keep(inner)
            return
        first, rest = generators[0], generators[1:]
        for item in self.items(self.evaluate(first.iter, inner), first.iter):
            self.bind(first.target, item, inner)
            if all(self.truth(self.evaluate(test, inner), test) for test in first.ifs):
                self._comprehend(rest, inner, keep)

    def _elements(self, nodes: list[ast.expr], frame: Frame) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += self.items(self.evaluate(node.value, frame), node)
            else:
                found.append(self.evaluate(node, frame))
        return found

    def items(self, value: Value, node: ast.AST) -> list[Value]:
        """Return the items of something that is looped over.

        Raises `CannotEvaluateError` when they are unknown.
        """
        if isinstance(value, Instance):
            return list(value.as_tuple())
        if isinstance(value, ClassValue) and self.names.has_base(value, "Enum", "IntEnum", "StrEnum"):
            return self.enum_members(value)
        if isinstance(value, Iterable):
            return list(value)
        raise CannotEvaluateError(ast.unparse(node))

    def bind(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Give a value to the target of an assignment."""
        if isinstance(target, ast.Name):
            frame.variables[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            known = not isinstance(value, Unknown | External)
            parts = (
                self.items(value, target) if known else [Unknown(ast.unparse(part)) for part in target.elts]
            )
            for part, item in zip(target.elts, parts, strict=False):
                self.bind(part, item, frame)
        elif isinstance(target, ast.Attribute):
            holder = self.evaluate(target.value, frame)
            if isinstance(holder, Instance | Bag):
                holder.fields[target.attr] = value
            elif isinstance(holder, ModuleValue) and holder.dotted == "vllm.envs":
                self.set_env[target.attr] = value
        elif isinstance(target, ast.Subscript):
            holder = self.evaluate(target.value, frame)
            if isinstance(holder, dict):
                holder[self.evaluate(target.slice, frame)] = value
