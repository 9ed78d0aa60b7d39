"""Follows the functions that fill the parser of `vllm serve`. Not for what a flag means."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name
from rules.releases.extractor.surface.keywords import (
    Keywords,
    call_keywords,
    change,
    class_line,
    config_keywords,
)
from rules.releases.extractor.surface.values import text_of
from rules.releases.extractor.tree import dotted_name, members

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Definition, Module, Tree

#: functions that the parser is handed on to
HANDED_ON = frozenset({"make_arg_parser", "add_cli_args"})

Fields = dict[str, tuple[str, Keywords]]


@dataclass(frozen=True, slots=True)
class Added:
    """One `add_argument`: the option strings, where it stands, what was said."""

    options: tuple[str, ...]
    file: str
    keywords: Keywords


@dataclass(slots=True)
class Names:
    """What the local names of one function hold."""

    #: `model_kwargs` -> keywords by field
    groups: dict[str, Fields] = field(default_factory=dict)
    #: `moe_backend_kwargs` -> keywords of one field
    single: dict[str, Keywords] = field(default_factory=dict)
    #: loop variables over written-down lists
    values: dict[str, ast.expr] = field(default_factory=dict)

    def bind(self, node: ast.expr) -> ast.expr:
        """Return an expression with loop variables replaced by what they stand for."""
        return _Binding(self.values).visit(copy.deepcopy(node)) if self.values else node


class _Binding(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def added_by(
    tree: Tree, module: Module, function: ast.FunctionDef, owner: ast.ClassDef | None
) -> list[Added]:
    """Return what a function adds to a parser, with the functions it hands the parser to.

    `owner` is the class that the function was called on, so that `cls` has a meaning.
    """
    registration = _Registration(tree, module, owner, [])
    registration.statements(function.body, Names())
    return registration.added


class _Registration:
    """Walks the statements of a parser-filling function."""

    def __init__(self, tree: Tree, module: Module, owner: ast.ClassDef | None, added: list[Added]) -> None:
        self._tree = tree
        self._module = module
        self._owner = owner
        self.added = added

    def statements(self, body: list[ast.stmt], names: Names) -> None:
        """Collect what the statements add."""
        for statement in body:
            # `kwargs["x"]["choices"] += [...]` only adds combinations of what is there already
            if isinstance(statement, ast.Assign):
                self._assign(statement, names)
            elif isinstance(statement, ast.Delete):
                self._delete(statement, names)
            elif isinstance(statement, ast.Expr | ast.Return) and isinstance(statement.value, ast.Call):
                self._call(statement.value, names)
            elif isinstance(statement, ast.For):
                self._loop(statement, names)
            elif isinstance(statement, ast.If | ast.With | ast.Try):
                self.statements(statement.body, names)
                self.statements(getattr(statement, "orelse", []), names)

    def _assign(self, statement: ast.Assign, names: Names) -> None:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Subscript):
            self._change(target, value, names)
        elif isinstance(target, ast.Name):
            if isinstance(value, ast.Call) and last_name(value.func) == "get_kwargs":
                names.groups[target.id] = self._config(value.args[0])
            elif isinstance(value, ast.Call) and last_name(value.func) == "_customize_cli_kwargs":
                self._customize(target.id, names)
            elif isinstance(value, ast.Subscript) and (found := self._looked_up(value, names)):
                names.single[target.id] = found
            elif isinstance(value, ast.Call):
                self._call(value, names)

    def _config(self, node: ast.expr) -> Fields:
        if isinstance(node, ast.Name) and node.id == "cls" and self._owner is not None:
            return config_keywords(self._tree, self._module, self._owner)
        name = dotted_name(node)
        found = self._tree.resolve(self._module, name) if name else None
        if found is None or not isinstance(found[1], ast.ClassDef):
            return {}
        return config_keywords(self._tree, found[0], found[1])

    def _customize(self, name: str, names: Names) -> None:
        if self._owner is None:
            return
        for origin, base in class_line(self._tree, self._module, self._owner):
            for item in base.body:
                if isinstance(item, ast.FunctionDef) and item.name == "_customize_cli_kwargs":
                    inner = _Registration(self._tree, origin, None, self.added)
                    inner.statements(item.body, _renamed(item, name, names))

    def _looked_up(self, node: ast.Subscript, names: Names) -> Keywords | None:
        """Return the keywords behind `kwargs["field"]` or `get_kwargs(Config)["field"]`."""
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if not isinstance(key, str):
            return None
        if isinstance(node.value, ast.Call) and last_name(node.value.func) == "get_kwargs":
            found = self._config(node.value.args[0]).get(key)
        else:
            found = names.groups.get(dotted_name(node.value) or "", {}).get(key)
        return found[1] if found else None

    def _change(self, target: ast.Subscript, value: ast.expr, names: Names) -> None:
        word = target.slice.value if isinstance(target.slice, ast.Constant) else None
        if not isinstance(word, str):
            return
        if isinstance(target.value, ast.Name) and target.value.id in names.single:
            held = names.single[target.value.id]
            names.single[target.value.id] = change(self._tree, self._module, held, word, value)
        elif isinstance(target.value, ast.Subscript) and isinstance(target.value.slice, ast.Constant):
            group = names.groups.get(dotted_name(target.value.value) or "", {})
            field_name = str(target.value.slice.value)
            if field_name in group:
                file, held = group[field_name]
                group[field_name] = (file, change(self._tree, self._module, held, word, value))

    def _delete(self, statement: ast.Delete, names: Names) -> None:
        """Apply `del kwargs["field"]["nargs"]`, which says that the flag takes one word."""
        for target in statement.targets:
            if (
                isinstance(target, ast.Subscript)
                and isinstance(target.slice, ast.Constant)
                and target.slice.value == "nargs"
            ):
                self._change(target, ast.Constant(""), names)

    def _loop(self, statement: ast.For, names: Names) -> None:
        group = statement.iter
        if isinstance(group, ast.Call) and last_name(group.func) == "items":
            # `for key, value in frontend_kwargs.items(): add_argument(f"--{...}", **value)`
            fields = names.groups.get((dotted_name(group.func) or "").removesuffix(".items"), {})
            if any(_is_add(node) for node in ast.walk(statement)):
                for name, (file, words) in fields.items():
                    self.added.append(Added((f"--{name.replace('_', '-')}",), file, words))
        elif isinstance(group, ast.List | ast.Tuple):
            for item in group.elts:
                bound = _bind(statement.target, item)
                self.statements(statement.body, Names(names.groups, names.single, names.values | bound))

    def _call(self, call: ast.Call, names: Names) -> None:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "remove":
            self._remove(call, names)
        if not _is_add(call):
            self._enter(call)
            return
        given = [names.bind(argument) for argument in call.args]
        texts = [(text_of(self._tree, self._module, argument), argument.lineno) for argument in given]
        options = tuple(text for text, _ in texts if text and text.startswith("-"))
        if options:
            words = self._said(call.keywords, names, line=texts[0][1])
            self.added.append(Added(options, self._module.path, words))

    def _enter(self, call: ast.Call) -> None:
        """Follow `make_arg_parser(parser)` and `EngineArgs.add_cli_args(parser)`."""
        name = dotted_name(call.func) or ""
        owner_name, _, function_name = name.rpartition(".")
        if function_name not in HANDED_ON:
            return
        found = self._tree.resolve(self._module, owner_name or function_name)
        if found is None:
            return
        module, definition = found
        owner = definition if isinstance(definition, ast.ClassDef) else None
        held = inherited(self._tree, module, owner, function_name) if owner else (module, definition)
        if held is not None and isinstance(held[1], ast.FunctionDef):
            inner = _Registration(self._tree, held[0] if owner is None else module, owner, self.added)
            inner.statements(held[1].body, Names())

    def _remove(self, call: ast.Call, names: Names) -> None:
        """Apply `kwargs["field"]["choices"].remove(X)`."""
        held = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not (isinstance(held, ast.Subscript) and isinstance(held.value, ast.Subscript)):
            return
        group = names.groups.get(dotted_name(held.value.value) or "", {})
        key = held.value.slice.value if isinstance(held.value.slice, ast.Constant) else ""
        option = text_of(self._tree, self._module, call.args[0])
        if key in group and option is not None:
            file, words = group[str(key)]
            left = tuple(choice for choice in words.choices or () if choice != option)
            group[str(key)] = (file, replace(words, choices=left or None))

    def _said(self, given: list[ast.keyword], names: Names, line: int) -> Keywords:
        base = Keywords(line=line)
        for word in given:
            if word.arg is None:
                base = self._spread(word.value, names, line) or base
        bound = [ast.keyword(word.arg, names.bind(word.value)) for word in given]
        return call_keywords(self._tree, self._module, bound, base)

    def _spread(self, node: ast.expr, names: Names, line: int) -> Keywords | None:
        """Return the keywords behind `**node`: a lookup, a name, or a dict that changes one."""
        if isinstance(node, ast.Subscript):
            found = self._looked_up(node, names)
        elif isinstance(node, ast.Name):
            found = names.single.get(node.id)
        elif isinstance(node, ast.Dict):
            found = None
            for key, value in zip(node.keys, node.values, strict=True):
                if key is None:
                    found = self._spread(value, names, line)
                elif found is not None and isinstance(key, ast.Constant):
                    found = change(self._tree, self._module, found, str(key.value), value)
        else:
            found = None
        return replace(found, line=line) if found else None


def inherited(tree: Tree, module: Module, owner: ast.ClassDef, name: str) -> tuple[Module, Definition] | None:
    """Return a method of a class, or of the nearest base inside vLLM, with the module that holds it."""
    for origin, base in reversed(class_line(tree, module, owner)):
        found = members(base).get(name)
        if found is not None:
            return origin, found
    return None


def _is_add(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "add_argument"
    )


def _bind(target: ast.expr, item: ast.expr) -> dict[str, ast.expr]:
    if isinstance(target, ast.Name):
        return {target.id: item}
    if isinstance(target, ast.Tuple) and isinstance(item, ast.Tuple):
        pairs = zip(target.elts, item.elts, strict=False)
        return {name.id: value for name, value in pairs if isinstance(name, ast.Name)}
    return {}


def _renamed(function: ast.FunctionDef, name: str, names: Names) -> Names:
    """Return the caller's keywords under the name of the callee's parameter."""
    parameter = function.args.args[-1].arg
    return Names(groups={parameter: names.groups.get(name, {})})
