"""Following statements: branches, loops, imports, exceptions. Not for values, nor for what a call means."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum

from rules.releases.extractor.evaluation.expressions import Expressions, Frame
from rules.releases.extractor.evaluation.values import (
    CannotEvaluateError,
    External,
    FunctionValue,
    ThrownError,
    Unknown,
    Value,
    show,
)
from rules.releases.extractor.tree import dotted_name

#: exceptions that a handler for a base class catches as well
_BASES = {
    "ModuleNotFoundError": ("ImportError",),
    "KeyError": ("LookupError",),
    "NotImplementedError": ("RuntimeError",),
}


class Jump(Enum):
    """A statement that leaves a loop body."""

    BREAK = "break"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True)
class Returned:
    """A return statement with its value."""

    value: Value


Ending = Returned | Jump | None


class Statements(Expressions):
    """Blocks of statements, run on one path."""

    def run(self, body: list[ast.stmt], frame: Frame) -> Ending:
        """Follow a block and tell how it ends; None when it runs through."""
        for node in body:
            ending = self.step(node, frame)
            if ending is not None:
                return ending
        return None

    def step(self, node: ast.stmt, frame: Frame) -> Ending:
        """Follow one statement. Raises `ThrownError` where the code raises."""
        method = getattr(self, f"_run_{type(node).__name__.lower()}", None)
        if method is None:
            raise CannotEvaluateError(f"{type(node).__name__} in line {node.lineno}")
        ending: Ending = method(node, frame)
        return ending

    def _run_nothing(self, _: ast.stmt, __: Frame) -> Ending:
        return None

    _run_pass = _run_global = _run_nonlocal = _run_delete = _run_nothing

    def _run_return(self, node: ast.Return, frame: Frame) -> Ending:
        return Returned(None if node.value is None else self.evaluate(node.value, frame))

    def _run_break(self, _: ast.Break, __: Frame) -> Ending:
        return Jump.BREAK

    def _run_continue(self, _: ast.Continue, __: Frame) -> Ending:
        return Jump.CONTINUE

    def _run_expr(self, node: ast.Expr, frame: Frame) -> Ending:
        self.evaluate(node.value, frame)
        return None

    def _run_assign(self, node: ast.Assign, frame: Frame) -> Ending:
        value = self.evaluate(node.value, frame)
        for target in node.targets:
            self.bind(target, value, frame)
        return None

    def _run_annassign(self, node: ast.AnnAssign, frame: Frame) -> Ending:
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value, frame), frame)
        return None

    def _run_augassign(self, node: ast.AugAssign, frame: Frame) -> Ending:
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        both = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
        self.bind(node.target, self.evaluate(ast.fix_missing_locations(both), frame), frame)
        return None

    def _run_if(self, node: ast.If, frame: Frame) -> Ending:
        taken = self.truth(self.evaluate(node.test, frame), node.test)
        return self.run(node.body if taken else node.orelse, frame)

    def _run_for(self, node: ast.For, frame: Frame) -> Ending:
        for item in self.items(self.evaluate(node.iter, frame), node.iter):
            self.bind(node.target, item, frame)
            ending = self.run(node.body, frame)
            if ending is Jump.BREAK:
                return None
            if isinstance(ending, Returned):
                return ending
        return self.run(node.orelse, frame)

    def _run_with(self, node: ast.With, frame: Frame) -> Ending:
        for item in node.items:
            if item.optional_vars is not None:
                self.bind(item.optional_vars, Unknown(ast.unparse(item.context_expr)), frame)
        return self.run(node.body, frame)

    def _run_functiondef(self, node: ast.FunctionDef, frame: Frame) -> Ending:
        frame.variables[node.name] = FunctionValue(frame.module, node, frame.owner, None, frame.variables)
        return None

    def _run_assert(self, node: ast.Assert, frame: Frame) -> Ending:
        value = self.evaluate(node.test, frame)
        # an assertion that cannot be decided is taken to hold
        if not isinstance(value, Unknown) and not self.truth(value, node.test):
            message = "" if node.msg is None else show(self.evaluate(node.msg, frame))
            raise ThrownError("AssertionError", message, node.lineno)
        return None

    def _run_raise(self, node: ast.Raise, frame: Frame) -> Ending:
        call = node.exc
        if call is None:
            raise ThrownError("Exception", "", node.lineno)
        name = dotted_name(call.func if isinstance(call, ast.Call) else call) or "Exception"
        message = ""
        if isinstance(call, ast.Call) and call.args:
            message = show(self.evaluate(call.args[0], frame))
        raise ThrownError(name.rpartition(".")[2], message, node.lineno)

    def _run_try(self, node: ast.Try, frame: Frame) -> Ending:
        try:
            ending = self.run(node.body, frame) or self.run(node.orelse, frame)
        except ThrownError as error:
            handler = next((one for one in node.handlers if _catches(one, error.name)), None)
            if handler is None:
                raise
            if handler.name:
                frame.variables[handler.name] = Unknown(str(error))
            ending = self.run(handler.body, frame)
        return self.run(node.finalbody, frame) or ending

    def _run_import(self, node: ast.Import, frame: Frame) -> Ending:
        for alias in node.names:
            self._check_import(alias.name, node)
            module = self.names.module(alias.name) if alias.asname else None
            name = alias.asname or alias.name.partition(".")[0]
            frame.variables[name] = module or External(alias.name if alias.asname else name)
        return None

    def _run_importfrom(self, node: ast.ImportFrom, frame: Frame) -> Ending:
        if not node.level:
            self._check_import(node.module or "", node)
        for alias in node.names:
            # the module's table of imports knows where it comes from
            frame.variables[alias.asname or alias.name] = self._imported(node, alias, frame)
        return None

    def _imported(self, node: ast.ImportFrom, alias: ast.alias, frame: Frame) -> Value:
        if alias.name in {"current_platform", "logger"} or node.level:
            return self.module_value(frame.module, alias.asname or alias.name)
        origin = self.names.module(node.module or "")
        if origin is None:
            return External(f"{node.module}.{alias.name}")
        return self.attribute(origin, alias.name, node)

    def _check_import(self, dotted: str, node: ast.AST) -> None:
        needed = {dotted.partition(".")[0]}
        module = self.names.tree.imported(dotted) if dotted.startswith("vllm") else None
        if module is not None:
            needed |= self.names.needs(module)
        absent = sorted(needed & self.world.missing)
        if absent:
            raise ThrownError("ImportError", f"No module named '{absent[0]}'", getattr(node, "lineno", 0))


def _catches(handler: ast.ExceptHandler, name: str) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {(dotted_name(kind) or "").rpartition(".")[2] for kind in kinds}
    return bool(names & {name, "Exception", "BaseException", *_BASES.get(name, ())})
