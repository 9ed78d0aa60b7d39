"""Calls: functions and classes of the tree, builtins, log records. The evaluator's front door."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.evaluation.builtin_calls import call_builtin, call_external, call_native
from rules.releases.extractor.evaluation.expressions import Frame
from rules.releases.extractor.evaluation.statements import Returned, Statements
from rules.releases.extractor.evaluation.values import (
    CannotEvaluateError,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Logged,
    Native,
    Parent,
    ThrownError,
    Unknown,
    Value,
    show,
)
from rules.releases.extractor.evaluation.world import Outcome, Path, World, explore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rules.releases.extractor.evaluation.names import Names
    from rules.releases.extractor.tree import Module

#: deepest chain of calls that is followed
DEEPEST_CALL = 40
_LEVELS = frozenset({"debug", "info", "warning", "error", "exception"})


class Interpreter(Statements):
    """Evaluates code of one tree in one world, on one path."""

    def __init__(self, names: Names, world: World, path: Path) -> None:
        super().__init__(names, world, path)
        self._depth = 0

    def frame(self, module: Module, owner: ClassValue | None = None) -> Frame:
        """Return a fresh frame; in a class body its own names can be used."""
        return Frame(module, owner, is_body=owner is not None)

    def parent(self, frame: Frame) -> Value:
        """Return what `super()` stands for in a frame."""
        return (
            Unknown("super()")
            if frame.owner is None or frame.bound is None
            else Parent(frame.owner, frame.bound)
        )

    def call(  # noqa: PLR0911 - one per kind of callable
        self, function: Value, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
    ) -> Value:
        """Return what a call yields; a call of something unknown is unknown."""
        if isinstance(function, FunctionValue):
            return self._call_function(function, arguments, keywords)
        if isinstance(function, ClassValue):
            return self._create(function, arguments, keywords, node)
        if isinstance(function, Native):
            if function.target is None:
                return call_builtin(self, function.name, arguments, keywords, node)
            return call_native(self, function, arguments, keywords, node)
        if isinstance(function, External):
            if function.dotted.startswith("logger."):
                return self._log(function.dotted, arguments, node)
            return call_external(self, function.dotted, arguments, keywords, node)
        return Unknown(ast.unparse(node))

    def _call_function(
        self, function: FunctionValue, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        node = function.node
        name = node.name if not isinstance(node, ast.Lambda) else "lambda"
        if name in self.world.results:
            result = self.world.results[name]
            return result(*arguments, **keywords) if callable(result) else result
        if name == "resolve_obj_by_qualname" and arguments:
            return self._resolve(arguments[0])
        if self._depth >= DEEPEST_CALL:
            raise CannotEvaluateError(f"calls nest too deep at {name}")
        frame = Frame(function.module, function.owner, function.bound, dict(function.closure))
        given = arguments if function.bound is None else [function.bound, *arguments]
        self._bind_arguments(node.args, given, keywords, frame)
        self._depth += 1
        try:
            if isinstance(node, ast.Lambda):
                return self.evaluate(node.body, frame)
            ending = self.run(node.body, frame)
        finally:
            self._depth -= 1
        return ending.value if isinstance(ending, Returned) else None

    def _bind_arguments(
        self, spec: ast.arguments, given: Sequence[Value], keywords: dict[str, Value], frame: Frame
    ) -> None:
        names = [one.arg for one in [*spec.posonlyargs, *spec.args]]
        values = dict(zip(names, given, strict=False))
        if spec.vararg is not None:
            values[spec.vararg.arg] = tuple(given[len(names) :])
        known = {*names, *(one.arg for one in spec.kwonlyargs)}
        values.update((name, value) for name, value in keywords.items() if name in known)
        if spec.kwarg is not None:
            values[spec.kwarg.arg] = {name: value for name, value in keywords.items() if name not in known}
        optional = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
        optional |= {
            one.arg: node
            for one, node in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
            if node is not None
        }
        for name in known:
            if name not in values:
                node = optional.get(name)
                values[name] = Unknown(name) if node is None else self.evaluate(node, frame)
        frame.variables.update(values)

    def _create(
        self, cls: ClassValue, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
    ) -> Value:
        if self.names.has_base(cls, "Enum", "IntEnum", "StrEnum"):
            found = [
                member for member in self.enum_members(cls) if arguments and member.value == arguments[0]
            ]
            return found[0] if found else Unknown(ast.unparse(node))
        made = Instance(cls)
        init = self.names.attribute(cls, "__init__")
        if init is not None:
            self.call(self.bound(init, "__init__", made), arguments, keywords, node)
            return made
        values = dict(zip((name for name, _ in self.names.fields(cls)), arguments, strict=False)) | keywords
        for name, default in self.names.fields(cls):
            if name in values:
                made.fields[name] = values[name]
            else:
                made.fields[name] = (
                    Unknown(name) if default is None else self.evaluate(default, self.frame(cls.module))
                )
        return made

    def _resolve(self, path: Value) -> Value:
        if not isinstance(path, str):
            return Unknown("resolve_obj_by_qualname")
        dotted, _, name = path.rpartition(".")
        module = self.names.tree.imported(dotted)
        if module is None:
            raise ThrownError("ImportError", f"No module named '{dotted}'", 0)
        absent = sorted(self.names.needs(module) & self.world.missing)
        if absent:
            raise ThrownError("ImportError", f"No module named '{absent[0]}'", 0)
        return self.module_value(module, name)

    def _log(self, dotted: str, arguments: list[Value], node: ast.AST) -> Value:
        level = dotted.partition(".")[2].partition("_")[0]
        if level in _LEVELS and arguments:
            line = getattr(node, "lineno", 0)
            self.path.log.append(Logged(level, show(arguments[0]), tuple(arguments[1:]), "", line))
        return None


class Evaluator:
    """Asks questions of one tree: every path of a call, in a given world."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def outcomes(self, world: World, question: Callable[[Interpreter], Value]) -> Iterator[Outcome]:
        """Yield how each path of a question ends; what cannot be followed ends as unknown."""

        def attempt(path: Path) -> Value:
            try:
                return question(Interpreter(self.names, world, path))
            except (CannotEvaluateError, RecursionError, TypeError, ValueError, LookupError) as error:
                # code that Python would refuse as well is not understood
                return Unknown(str(error))

        return explore(attempt)

    def one(self, world: World, question: Callable[[Interpreter], Value]) -> Value:
        """Return the value that all paths agree on, else `Unknown`.

        An exception on any path makes it unknown.
        """
        found: list[Value] = []
        for outcome in self.outcomes(world, question):
            if outcome.thrown is not None or isinstance(outcome.value, Unknown):
                return Unknown("paths differ")
            found.append(outcome.value)
        same = all(one == found[0] for one in found)
        return found[0] if same else Unknown("paths differ")
