"""What calls of builtins, of methods of plain values, and of a few outside functions yield.

Not for vLLM's own code.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.evaluation.values import (
    Bag,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Literals,
    Member,
    Native,
    Unknown,
    Value,
    show,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rules.releases.extractor.evaluation.interpreter import Interpreter

#: methods of plain values that are safe to run as they are
_METHODS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "get",
        "items",
        "keys",
        "values",
        "startswith",
        "endswith",
        "lower",
        "upper",
        "split",
        "strip",
        "replace",
        "rpartition",
        "partition",
        "removesuffix",
        "removeprefix",
        "index",
        "join",
        "update",
        "count",
        "add",
        "copy",
        "setdefault",
        "format",
        "isdigit",
    ]
)
_SIMPLE: Mapping[str, Callable[..., Value]] = {
    "len": len,
    "int": int,
    "bool": bool,
    "str": str,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "range": range,
    "set": list,
    "float": float,
    "abs": abs,
    "sum": sum,
    "enumerate": enumerate,
    "zip": zip,
}
_TYPES = {
    "int": int,
    "str": str,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "bool": bool,
    "float": float,
    "set": list,
}


def call_builtin(  # noqa: PLR0911 - one per builtin
    run: Interpreter, name: str, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value:
    """Return what a builtin yields, unknown when an argument is."""
    if name == "getattr":
        return _getattr(run, arguments, node)
    if name == "hasattr":
        return _hasattr(run, arguments, node)
    if name == "isinstance":
        return _isinstance(arguments, node)
    if name in {"any", "all"} and arguments:
        return _any_or_all(run, name, arguments[0], node)
    if name in {"min", "max", "sorted"} and arguments:
        return _ordered(run, name, arguments, keywords, node)
    if name == "__import__" and isinstance(arguments[0], str):
        return run.names.module(arguments[0]) or External(arguments[0])
    if name == "callable":
        return isinstance(arguments[0], FunctionValue | ClassValue)
    if name not in _SIMPLE or any(isinstance(one, Unknown | External) for one in arguments):
        return Unknown(ast.unparse(node))
    plain = [one.as_tuple() if isinstance(one, Instance) else one for one in arguments]
    try:
        return _SIMPLE[name](*plain, **keywords)
    except (TypeError, ValueError):
        return show(arguments[0]) if name == "str" else Unknown(ast.unparse(node))


def call_native(
    run: Interpreter, function: Native, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value:
    """Return what a method of a plain value yields."""
    target = function.target
    if isinstance(target, Instance):
        if function.name == "_asdict":
            return dict(target.fields)
        return Instance(target.cls, dict(target.fields) | keywords)
    if isinstance(target, str) and function.name == "join":
        return target.join(show(item) for item in run.items(arguments[0], node))
    if function.name not in _METHODS:
        return Unknown(ast.unparse(node))
    try:
        return getattr(target, function.name)(*arguments, **keywords)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        return Unknown(ast.unparse(node))


def call_external(  # noqa: PLR0911 - one per function
    run: Interpreter, dotted: str, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value:
    """Return what a function outside vLLM yields in this world."""
    last = dotted.rpartition(".")[2]
    if last in run.world.results:
        result = run.world.results[last]
        return result(*arguments, **keywords) if callable(result) else result
    if dotted in {"os.getenv", "os.environ.get"} and arguments:
        default = arguments[1] if len(arguments) > 1 else None
        return (
            run.world.env.get(arguments[0], default)
            if isinstance(arguments[0], str)
            else Unknown(ast.unparse(node))
        )
    if last == "cast" and len(arguments) == 2:
        return arguments[1]
    if last == "get_args" and arguments:
        return arguments[0].values if isinstance(arguments[0], Literals) else Unknown(ast.unparse(node))
    if last == "find_spec" and arguments and isinstance(arguments[0], str):
        return None if arguments[0] in run.world.missing else External(arguments[0])
    if last == "is_flash_attn_2_available":
        return "flash_attn" not in run.world.missing
    if last in {"lru_cache", "cache", "wraps"}:
        return arguments[0] if arguments else Unknown(ast.unparse(node))
    return Unknown(ast.unparse(node))


def _getattr(run: Interpreter, arguments: list[Value], node: ast.AST) -> Value:
    holder, name = arguments[0], arguments[1]
    if not isinstance(name, str):
        return Unknown(ast.unparse(node))
    if isinstance(holder, ClassValue | Instance):
        cls = holder if isinstance(holder, ClassValue) else holder.cls
        held = isinstance(holder, Instance) and name in holder.fields
        if not held and run.names.attribute(cls, name) is None:
            return arguments[2] if len(arguments) > 2 else Unknown(ast.unparse(node))
    if isinstance(holder, Unknown):
        return Unknown(ast.unparse(node))
    if isinstance(holder, Bag) and name not in holder.fields and len(arguments) > 2:
        return arguments[2]
    return run.attribute(holder, name, node)


def _hasattr(run: Interpreter, arguments: list[Value], node: ast.AST) -> Value:
    holder, name = arguments
    if isinstance(holder, ClassValue):
        return run.names.attribute(holder, name) is not None
    if isinstance(holder, Bag):
        return name in holder.fields
    if isinstance(holder, Instance):
        return name in holder.fields or run.names.attribute(holder.cls, name) is not None
    return Unknown(ast.unparse(node))


def _isinstance(arguments: list[Value], node: ast.AST) -> Value:
    value, kinds = arguments
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(value, Unknown | External):
        return Unknown(ast.unparse(node))
    for kind in kinds:
        if isinstance(kind, Native) and kind.name in _TYPES and isinstance(value, _TYPES[kind.name]):
            return True
        if isinstance(kind, Native) and kind.name == "type" and isinstance(value, ClassValue):
            return True
        if isinstance(kind, ClassValue) and isinstance(value, Instance) and value.cls == kind:
            return True
        if isinstance(kind, ClassValue) and isinstance(value, Member) and value.enum == kind:
            return True
    return False


def _any_or_all(run: Interpreter, name: str, value: Value, node: ast.AST) -> Value:
    wanted = name == "any"
    for item in run.items(value, node):
        if run.truth(item, node) is wanted:
            return wanted
    return not wanted


def _ordered(
    run: Interpreter, name: str, arguments: list[Value], keywords: dict[str, Value], node: ast.AST
) -> Value:
    items = run.items(arguments[0], node) if len(arguments) == 1 else arguments
    key = keywords.get("key")
    marks = [run.call(key, [item], {}, node) if key is not None else item for item in items]
    if any(isinstance(mark, Unknown) for mark in marks) or not items:
        return Unknown(ast.unparse(node))
    ranked = sorted(range(len(items)), key=lambda position: marks[position])
    if name == "sorted":
        return [
            items[position] for position in (reversed(ranked) if keywords.get("reverse") is True else ranked)
        ]
    return items[ranked[0] if name == "min" else ranked[-1]]
