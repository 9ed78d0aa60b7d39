"""What stands before the text of a log line.

The record format and the names of processes. Not for cleaning pastes of it.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rules.releases.model import Prefix, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.releases.extractor.tree import Module, Tree

#: names that hold the record's format and its date in `vllm/logger.py`
_FORMATS = ("_FORMAT", "_DATE_FORMAT")
#: files that name processes; entry points are searched too
_PROCESS_FILES = (
    "vllm/executor/multiproc_worker_utils.py",
    "vllm/v1/engine/core.py",
    "vllm/v1/engine/core_client.py",
    "vllm/v1/engine/utils.py",
    "vllm/v1/executor/multiproc_executor.py",
    "vllm/v1/utils.py",
)
_ENTRY_POINTS = "vllm/entrypoints"
#: files that may hold the wrapper round a child's output
_WRAPPER_FILES = ("vllm/executor/multiproc_worker_utils.py", "vllm/utils/__init__.py", "vllm/utils.py",
                  "vllm/utils/system_utils.py")  # fmt: skip
_CALLS = ("decorate_logs", "_add_prefix", "set_process_title")
_VARIABLES = ("process_name", "process_title")
#: names as they are printed, and the suffixes that ranks add to them; threads and tasks have names of their
#: own
_PROCESS = re.compile(
    r"(EngineCore(_(DP)?\{\})?|VllmWorkerProcess|VllmWorker( rank=\{\}| \{\})?|Worker(_\{\})?"
    r"|APIServer(_\w+\{\})?|_(DP|PP|TP|EP|DCP|PCP)\{\})"
)


def read_prefixes(tree: Tree) -> tuple[Prefix, ...]:
    """Return the parts of a log line's beginning.

    Record format, date, wrapper, process names and their suffixes.
    """
    found = dict.fromkeys([*_records(tree), *_wrappers(tree), *_processes(tree)])
    return tuple(sorted(found, key=lambda one: (one.kind, one.source.file, one.source.line, one.template)))


def _records(tree: Tree) -> Iterator[Prefix]:
    module = tree.module("vllm/logger.py")
    for name in _FORMATS:
        node = None if module is None else module.constants.get(name)
        template = None if node is None else _template(node)
        if node is not None and template is not None:
            yield Prefix(
                "record" if name == "_FORMAT" else "date", template, Source("vllm/logger.py", node.lineno)
            )


def _wrappers(tree: Tree) -> Iterator[Prefix]:
    for path in _WRAPPER_FILES:
        module = tree.module(path)
        function = None if module is None else module.functions.get("_add_prefix")
        for node in ast.walk(function) if function is not None else ():
            if isinstance(node, ast.JoinedStr) and " pid=" in (_template(node) or ""):
                yield Prefix("wrapper", _template(node) or "", Source(path, node.lineno))


def _processes(tree: Tree) -> Iterator[Prefix]:
    for path in (*_PROCESS_FILES, *tree.paths(_ENTRY_POINTS)):
        text = tree.text(path)
        named = text is not None and (
            path in _PROCESS_FILES or any(word in text for word in (*_CALLS, *_VARIABLES))
        )
        module = tree.module(path) if named else None
        if module is not None:
            yield from _named(module)


def _named(module: Module) -> Iterator[Prefix]:
    for node in ast.walk(module.node):
        for value in _values(node):
            for part in [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]:
                template = _template(part)
                if template is not None and _PROCESS.fullmatch(template):
                    yield Prefix("process", template, Source(module.path, part.lineno))


def _values(node: ast.AST) -> list[ast.expr]:
    """Return the expressions of a node that name a process."""
    if isinstance(node, ast.Call):
        named = [one.value for one in node.keywords if one.arg in {"name", *_VARIABLES}]
        called = ast.unparse(node.func).rpartition(".")[2] in _CALLS
        return [*named, *(node.args if called else [])]
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [node.value] if any(ast.unparse(target) in _VARIABLES for target in targets) else []
    return []


def _template(node: ast.AST) -> str | None:
    """Return a text with `{}` for its variable parts, None when it is none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _template(node.left), _template(node.right)
        return None if left is None or right is None else left + right
    return None
