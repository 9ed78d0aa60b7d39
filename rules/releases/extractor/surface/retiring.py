"""Finds what vLLM says about variables that it wants to drop. Not for those that are gone already."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name
from rules.releases.extractor.surface.messages import messages_of
from rules.releases.extractor.surface.templates import filled, percent_template
from rules.releases.extractor.surface.values import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.releases.extractor.tree import Module, Tree

#: `VLLM_X environment variable is deprecated`, `VLLM_X` is deprecated
NAMED = re.compile(
    r"\b(VLLM_[A-Z0-9_]+)\b[`'\"]?(?: (?:environment variable|env var))? (?:is|has been|are) deprecated"
)
#: a text whose first gap is the variable
UNNAMED = "{} environment variable is deprecated"
FOLDERS = ("vllm/config", "vllm/engine", "vllm/platforms", "vllm/v1/attention", "vllm/attention")
FILES = ("vllm/envs.py", "vllm/config.py")


def retired_variables(tree: Tree) -> dict[str, str]:
    """Return by variable the text that deprecates it, with `{}` for what is only known at run time."""
    found: dict[str, str] = {}
    for module in _modules(tree):
        for message in messages_of(tree, module):
            named = NAMED.search(message.template)
            if named:
                found.setdefault(named.group(1), message.template)
        for name, text in _told_by_function(tree, module):
            found.setdefault(name, text)
    return found


def _modules(tree: Tree) -> Iterator[Module]:
    paths = [path for folder in FOLDERS for path in tree.paths(folder)]
    for path in (*FILES, *paths):
        text = tree.text(path) or ""
        if "deprecated" in text and "VLLM_" in text:
            module = tree.module(path)
            if module is not None:
                yield module


def _told_by_function(tree: Tree, module: Module) -> Iterator[tuple[str, str]]:
    """Yield variables handed to a function that logs `Using %s environment variable is deprecated`."""
    tellers = _tellers(tree, module)
    for node in ast.walk(module.node):
        if isinstance(node, ast.Call) and last_name(node.func) in tellers:
            function, template, gaps = tellers[last_name(node.func)]
            given = _given(function, node)
            name = given.get(gaps[0]) if gaps else None
            if name is not None:
                yield name, filled(template, [given.get(gap, "{}") for gap in gaps])


Teller = tuple[ast.FunctionDef, str, list[str]]


def _tellers(tree: Tree, module: Module) -> dict[str, Teller]:
    """Return the functions that log such a text, the parameters that fill it, and those that call them."""
    functions = [node for node in ast.walk(module.node) if isinstance(node, ast.FunctionDef)]
    found: dict[str, Teller] = {}
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and len(node.args) > 1:
                text = percent_template(text_of(tree, module, node.args[0]) or "")
                if UNNAMED in text:
                    found[function.name] = (function, text, [last_name(item) for item in node.args[1:]])
    for function in functions:
        for node in ast.walk(function):
            called = last_name(node.func) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and called in found and function.name not in found:
                # parameters keep their names from one to the other
                _, text, gaps = found[called]
                if gaps[0] in {argument.arg for argument in function.args.args}:
                    found[function.name] = (function, text, gaps)
    return found


def _given(function: ast.FunctionDef, call: ast.Call) -> dict[str, str]:
    """Return the written-down texts of a call by parameter."""
    parameters = [argument.arg for argument in function.args.args if argument.arg not in {"self", "cls"}]
    values = dict(zip(parameters, call.args, strict=False))
    values.update({word.arg: word.value for word in call.keywords if word.arg})
    return {
        name: value.value
        for name, value in values.items()
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    }
