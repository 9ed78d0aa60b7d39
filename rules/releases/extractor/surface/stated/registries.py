"""Reads names that a release registers for flags whose values plugins may extend. Not for closed lists."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name, read_hint
from rules.releases.extractor.surface.values import names_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.releases.extractor.tree import Tree

#: flag -> the manager that its names are registered with, and the folders that do so
_PARSERS = {
    "--tool-call-parser": (
        "ToolParserManager",
        ("vllm/tool_parsers/", "vllm/entrypoints/openai/tool_parsers/"),
    ),
    "--reasoning-parser": (
        "ReasoningParserManager",
        ("vllm/reasoning/", "vllm/entrypoints/openai/reasoning_parsers/"),
    ),
}
#: a table of names that are registered when they are first asked for ends so
_TABLE = "_PARSERS_TO_REGISTER"
_REGISTER = ("register_module", "register_lazy_module")
#: flag -> the module and the name of the list (or `Literal`) of values
_LISTS = {
    "--quantization": ("vllm/model_executor/layers/quantization/__init__.py", "QuantizationMethods"),
    "--load-format": ("vllm/model_executor/model_loader/__init__.py", "LoadFormats"),
}


def known_values(tree: Tree, flag: str) -> tuple[str, ...] | None:
    """Return the names that the release brings for a flag, sorted; None for flags of another kind."""
    if flag in _PARSERS:
        manager, folders = _PARSERS[flag]
        found = {name for folder in folders for name in _registered(tree, manager, folder)}
        return tuple(sorted(found)) or None
    if flag in _LISTS:
        return _listed(tree, *_LISTS[flag])
    return None


def _registered(tree: Tree, manager: str, folder: str) -> Iterator[str]:
    for path in tree.paths():
        text = tree.text(path) if path.startswith(folder) else None
        if text is None or not (manager in text or _TABLE in text):
            continue
        module = tree.module(path)
        for node in ast.walk(module.node) if module else ():
            if isinstance(node, ast.Call):
                yield from _called(node, manager)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
                yield from _table(node, node.value)


def _called(node: ast.Call, manager: str) -> Iterator[str]:
    """Yield the names of `@Manager.register_module("a")`, of a list of them, or of `name="a"`."""
    function = node.func
    if not (isinstance(function, ast.Attribute) and function.attr in _REGISTER):
        return
    if last_name(function.value) != manager:
        return
    named = [word.value for word in node.keywords if word.arg == "name"] or node.args[:1]
    for given in named:
        parts = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
        for part in parts:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def _table(node: ast.Assign | ast.AnnAssign, value: ast.Dict) -> Iterator[str]:
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    if isinstance(target, ast.Name) and target.id.endswith(_TABLE):
        for key in value.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value


def _listed(tree: Tree, path: str, name: str) -> tuple[str, ...] | None:
    module = tree.module(path)
    value = module.constants.get(name) if module else None
    if module is None or value is None:
        return None
    found = names_in(tree, module, value) or read_hint(tree, module, value).choices
    return tuple(sorted(found)) if found else None
