"""Reads the environment variables a release knows: its table, and reads elsewhere. Not for defaults."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name
from rules.releases.extractor.surface.retiring import retired_variables
from rules.releases.extractor.surface.stated.numbers import number_kind
from rules.releases.extractor.surface.values import enum_names, names_in, settled, text_of
from rules.releases.extractor.tree import dotted_name
from rules.releases.model import Source, Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.releases.extractor.tree import Module, Tree

TABLE_FILE = "vllm/envs.py"
#: names that vLLM owns; others (`HF_TOKEN`, `NCCL_DEBUG`) belong to the libraries it calls
OWN_PREFIX = "VLLM_"
LEFT_OUT = ("vllm/benchmarks/", "vllm/collect_env.py", "vllm/envs.py")
GETTERS = ("environ.get", "getenv", "environ.setdefault", "environ.pop")
CHOOSERS = frozenset({"env_with_choices", "env_list_with_choices", "env_set_with_choices"})


def read_variables(tree: Tree) -> tuple[Variable, ...]:
    """Return the variables sorted by name; the table of `vllm/envs.py` wins over reads elsewhere."""
    found: dict[str, Variable] = {}
    table = tree.module(TABLE_FILE)
    if table is not None:
        for variable in (*_table(tree, table), *_read_in(tree, table)):
            found.setdefault(variable.name, variable)
    for path in tree.paths():
        if not path.startswith(LEFT_OUT) and _may_read(tree.text(path) or ""):
            module = tree.module(path)
            for variable in _read_in(tree, module) if module else ():
                if variable.name.startswith(OWN_PREFIX):
                    found.setdefault(variable.name, variable)
    retired = retired_variables(tree)
    return tuple(replace(found[name], deprecated=retired.get(name)) for name in sorted(found))


def _may_read(text: str) -> bool:
    return OWN_PREFIX in text and ("environ" in text or "getenv" in text)


def _table(tree: Tree, module: Module) -> Iterator[Variable]:
    """Yield the entries of `environment_variables` and of what it is updated with."""
    for node in ast.walk(module.node):
        value = getattr(node, "value", None)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(value, ast.Dict) and any(
            isinstance(target, ast.Name) and target.id == "environment_variables" for target in targets
        ):
            for key, entry in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    choices = _choices(tree, module, entry)
                    source = Source(module.path, key.lineno)
                    kind, empty = number_kind(module, key.value, entry)
                    yield Variable(
                        key.value,
                        source,
                        choices,
                        any_case=_ignores_case(entry),
                        type=kind,
                        may_be_empty=empty,
                    )


def _choices(tree: Tree, module: Module, node: ast.expr) -> tuple[str, ...] | None:
    if not (isinstance(node, ast.Call) and last_name(node.func) in CHOOSERS):
        return None
    named = {word.arg: word.value for word in node.keywords}
    given = named.get("choices", node.args[2] if len(node.args) > 2 else None)
    if given is None:
        return None
    if isinstance(given, ast.Lambda):
        return _enum_members(tree, given.body)
    return names_in(tree, module, given)


def _ignores_case(node: ast.expr) -> bool:
    """Tell whether an entry folds case: `case_sensitive=False`, or `.lower()` on what was read."""
    if isinstance(node, ast.Call) and last_name(node.func) in CHOOSERS:
        given = [word.value for word in node.keywords if word.arg == "case_sensitive"]
        return bool(given) and isinstance(given[0], ast.Constant) and given[0].value is False
    return any(isinstance(item, ast.Attribute) and item.attr in {"lower", "upper"} for item in ast.walk(node))


def _enum_members(tree: Tree, node: ast.expr) -> tuple[str, ...] | None:
    """Return the members behind `list(__import__("vllm.x", ...).Kind.__members__.keys())`."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Call):
            call = inner.value
            imported = call.args[0] if last_name(call.func) == "__import__" and call.args else None
            if isinstance(imported, ast.Constant):
                module = tree.imported(str(imported.value))
                found = tree.resolve(module, inner.attr) if module else None
                if found is not None and isinstance(found[1], ast.ClassDef):
                    return enum_names(found[1])
    return None


def _read_in(tree: Tree, module: Module) -> Iterator[Variable]:
    """Yield every variable that the module reads by a written-down name, in the order of the source."""
    for node in ast.walk(module.node):
        named: ast.expr | None = None
        if isinstance(node, ast.Call) and node.args and (dotted_name(node.func) or "").endswith(GETTERS):
            named = node.args[0]
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _is_environ(node.value):
            named = node.slice
        elif isinstance(node, ast.Compare) and any(_is_environ(item) for item in node.comparators):
            named = node.left
        name = text_of(tree, *settled(tree, module, named)) if named is not None else None
        if name is not None and name.isidentifier() and name.isupper():
            yield Variable(name, Source(module.path, getattr(node, "lineno", 0)))


def _is_environ(node: ast.expr) -> bool:
    return last_name(node) == "environ"
