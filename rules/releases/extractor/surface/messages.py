"""Reads every text that a release can raise or log while it starts or serves. Not for what causes them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rules.releases.extractor.surface.annotations import last_name
from rules.releases.extractor.surface.scopes import NO_SCOPE, Scope
from rules.releases.extractor.surface.templates import Templates, filled, percent_template
from rules.releases.model import Message, Source

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Module, Tree

#: folders whose texts no server prints
LEFT_OUT = ("vllm/benchmarks/", "vllm/third_party/", "vllm/collect_env.py", "vllm/assets/")
LEVELS = {
    "critical": "log.critical",
    "error": "log.error",
    "exception": "log.error",
    "warning": "log.warning",
    "warn": "log.warning",
    "info": "log.info",
}
LOGGERS = frozenset({"logger", "log", "logging", "_logger", "LOGGER", "_LOGGER", "init_logger", "getLogger"})
#: lists that collect why something is not possible; they are printed together later
REASONS = ("reasons", "errors", "issues")
#: constants that hold a text to be raised or logged elsewhere (`ENGINE_DEAD_MESSAGE`)
CONSTANT_TEXT = re.compile(r"^_*[A-Z][A-Z0-9_]*_(?:MESSAGE|MSG|ERROR|WARNING)$")
#: longest text that is kept whole; usage texts and templates of other programs are longer
LONGEST = 2000
#: where functions hand back a reason as text
REASON_FOLDERS = ("vllm/attention/", "vllm/v1/attention/", "vllm/platforms/")


def read_messages(tree: Tree) -> tuple[Message, ...]:
    """Return the texts by file and line; one line may hold several alternatives."""
    found: list[Message] = []
    for path in tree.paths():
        if path.startswith(LEFT_OUT):
            continue
        module = tree.module(path)
        if module is not None:
            found.extend(messages_of(tree, module))
    return tuple(found)


def messages_of(tree: Tree, module: Module) -> list[Message]:
    """Return the texts of one module by line."""
    reader = _Reader(tree, module)
    reader.body(module.node.body, NO_SCOPE, owner=None)
    return sorted(set(reader.found), key=lambda item: (item.source.line, item.kind, item.template))


class _Reader:
    """Walks one module, remembering the function and class it is in."""

    def __init__(self, tree: Tree, module: Module) -> None:
        self._templates = Templates(tree, module)
        self._path = module.path
        self._returns_reasons = module.path.startswith(REASON_FOLDERS)
        self.found: list[Message] = []

    def body(self, nodes: list[ast.stmt], local: Scope, owner: ast.ClassDef | None) -> None:
        """Read statements; an outermost function gives the local names of all that is inside it."""
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.body(node.body, local if local is not NO_SCOPE else Scope(node), owner)
            elif isinstance(node, ast.ClassDef):
                self.body(node.body, NO_SCOPE, node)
            else:
                self._statement(node, local, owner)

    def _statement(self, node: ast.stmt, local: Scope, owner: ast.ClassDef | None) -> None:
        if isinstance(node, ast.Raise):
            self._raise(node, local)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            self._add("AssertionError", node.msg, local, node.lineno)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if CONSTANT_TEXT.search(node.targets[0].id):
                self._sentence("text", node.value, local)
        elif isinstance(node, ast.Return) and self._returns_reasons and node.value is not None:
            self._reason(node.value, local)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self.body([child], local, owner)
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                self.body(child.body, local, owner)
            elif isinstance(child, ast.expr | ast.withitem):
                self._expression(child, local, owner)

    def _expression(self, node: ast.AST, local: Scope, owner: ast.ClassDef | None) -> None:
        if isinstance(node, ast.Call):
            self._call(node, local, owner)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.Name | ast.Constant | ast.expr_context | ast.operator):
                self._expression(child, local, owner)

    def _raise(self, node: ast.Raise, local: Scope) -> None:
        if isinstance(node.exc, ast.Call) and not _names_error(node.exc):
            self._error(node.exc, local)

    def _error(self, call: ast.Call, local: Scope) -> None:
        text = _raised_text(call)
        if text is not None:
            self._add(last_name(call.func) or "Exception", text, local, call.lineno)

    def _call(self, call: ast.Call, local: Scope, owner: ast.ClassDef | None) -> None:
        if _names_error(call):
            # raised here, or made here and raised later
            self._error(call, local)
        if not isinstance(call.func, ast.Attribute) or not call.args:
            return
        name, held, first = call.func.attr, call.func.value, call.args[0]
        level = LEVELS.get(name.removesuffix("_once"))
        if level is not None and _is_logger(held):
            self._log(level, call, local)
        elif level is not None and last_name(held) == "warnings":
            self._add(_category(call), first, local, call.lineno)
        elif name == "error" and last_name(held) == "parser":
            self._add("parser.error", first, local, call.lineno)
        elif name == "create_error_response":
            self._add("response", first, local, call.lineno)
        elif name == "append" and last_name(held).endswith(REASONS):
            self._add("reason", first, local, call.lineno)
        elif name == "__init__" and owner is not None and _is_error(owner) and isinstance(held, ast.Call):
            # `super().__init__(text)`
            self._add(owner.name, first, local, call.lineno)

    def _reason(self, node: ast.expr, local: Scope) -> None:
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
            self._sentence("reason", node, local)

    def _sentence(self, kind: str, node: ast.expr, local: Scope) -> None:
        """Keep what has words in it; special tokens and names have none."""
        for text in self._templates.of(node, local):
            if text.count(" ") >= 2:
                self._keep(kind, text, node.lineno)

    def _log(self, level: str, call: ast.Call, local: Scope) -> None:
        """Read `logger.warning("%s, so %s", text, value)`; arguments that hold a known text are put in."""
        values = [(self._templates.sentences(item, local) or ["{}"])[0] for item in call.args[1:]]
        for text in self._templates.of(call.args[0], local, bare=bool(values)):
            self._keep(level, filled(percent_template(text), values) if values else text, call.lineno)

    def _add(self, kind: str, node: ast.expr, local: Scope, line: int) -> None:
        for text in self._templates.of(node, local):
            self._keep(kind, text, line)

    def _keep(self, kind: str, text: str, line: int) -> None:
        if text.replace("{}", "").strip():
            self.found.append(Message(text[:LONGEST], kind, Source(self._path, line)))


def _raised_text(call: ast.Call) -> ast.expr | None:
    """Return the argument that is the text: `detail=` of web errors, the second one of pydantic's own."""
    if last_name(call.func) == "PydanticCustomError":
        return call.args[1] if len(call.args) > 1 else None
    named = {word.arg: word.value for word in call.keywords}
    for name in ("detail", "message", "msg"):
        if name in named:
            return named[name]
    texts = [
        item for item in call.args if isinstance(item, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Call)
    ]
    return next(iter(texts or call.args), None)


def _is_logger(node: ast.expr) -> bool:
    name = last_name(node.func) if isinstance(node, ast.Call) else last_name(node)
    return name in LOGGERS or name.endswith("logger")


def _names_error(call: ast.Call) -> bool:
    return last_name(call.func).endswith(("Error", "Exception", "Warning"))


def _is_error(node: ast.ClassDef) -> bool:
    return node.name.endswith(("Error", "Exception"))


def _category(call: ast.Call) -> str:
    """Return the category of a `warnings.warn`."""
    given = [word.value for word in call.keywords if word.arg == "category"] or call.args[1:2]
    return (last_name(given[0]) if given else "") or "UserWarning"
