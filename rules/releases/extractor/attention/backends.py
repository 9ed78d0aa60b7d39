"""Attention backends of a release and the limits that their classes declare.

Not for which of them is chosen.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from rules.releases.extractor.attention.backend_classes import BackendClasses, backend_enum
from rules.releases.extractor.attention.question import (
    FLOAT16,
    NOWHERE,
    PACKAGES,
    Asker,
    Machine,
    call_by_name,
)
from rules.releases.extractor.evaluation.values import (
    ClassValue,
    External,
    Instance,
    Literals,
    Unknown,
    Value,
)
from rules.releases.model import CAPABILITIES, HEAD_SIZES, Backend, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rules.releases.extractor.evaluation.interpreter import Interpreter
    from rules.releases.extractor.tree import Definition

_TYPES = ("decoder", "encoder", "encoder_only", "encoder_decoder")
_DTYPES = ("float16", "bfloat16", "float32")
#: values of `--kv-cache-dtype` where the release does not state them as a Literal
_KV_CACHE_DTYPES = ("auto", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc")


def read_backends(asker: Asker) -> tuple[Backend, ...]:
    """Return the members of the enum in the order of the source, with the limits of their classes."""
    enum = backend_enum(asker)
    if enum is None:
        return ()
    classes = BackendClasses(asker, enum)
    return tuple(
        Limits(asker, name, node, enum, classes.of_member(name)).backend()
        for name, node in asker.names.members(enum).items()
        if isinstance(node, ast.expr) and not name.startswith("_")
    )


class Limits:
    """The limits of one backend, read by calling its small class methods with each value in question."""

    def __init__(
        self, asker: Asker, name: str, node: Definition, enum: ClassValue, cls: ClassValue | None
    ) -> None:
        self._asker = asker
        self._name = name
        self._source = Source(enum.file, getattr(node, "lineno", 0))
        self._line_node = node
        self._cls = cls
        self._open: list[str] = []

    def backend(self) -> Backend:
        """Return the record of the backend."""
        if self._cls is None:
            undeclared = Backend(self._name, self._source, None, None, None, None, None, None)
            return _unregistered(undeclared, self._line_node)
        capabilities = self._among("capabilities", CAPABILITIES, self._supports_capability)
        head_sizes = self._head_sizes()
        capabilities, head_sizes = self._combined(capabilities, head_sizes)
        return Backend(
            name=self._name,
            source=Source(self._cls.file, self._cls.node.lineno),
            capabilities=capabilities,
            head_sizes=head_sizes,
            dtypes=self._dtypes(),
            kv_cache_dtypes=self._among("kv_cache_dtypes", self._kv_names(), self._supports_kv),
            block_sizes=self._block_sizes(),
            attention_types=self._among(
                "attention_types", _TYPES, lambda one: self._ask("supports_attn_type", one)
            ),
            mla=self._flag("is_mla") is True or self._is_old_mla(),
            sparse=self._flag("is_sparse") is True,
            sinks=self._sinks(),
            at_run_time=tuple(sorted(set(self._open))),
            package=self._package(),
        )

    def _has(self, method: str) -> bool:
        return self._cls is not None and self._asker.names.attribute(self._cls, method) is not None

    def _ask(self, method: str, *arguments: Value, capability: str | None = None) -> bool | None:
        """Return what a class method answers, None when that depends on the running machine."""

        def question(run: Interpreter) -> Value:
            value = run.call(run.attribute(self._cls, method, NOWHERE), list(arguments), {}, NOWHERE)
            return run.truth(value, NOWHERE) if not isinstance(value, str) else value

        value = self._asker.evaluator.one(self._asker.world(Machine(capability=capability)), question)
        return value if isinstance(value, bool) else None

    def _flag(self, method: str) -> bool | None:
        return self._ask(method) if self._has(method) else None

    def _sinks(self) -> bool | None:
        if not self._has("supports_sink"):
            return None
        answers = {self._ask("supports_sink", capability=one) for one in CAPABILITIES}
        return answers.pop() if len(answers) == 1 else None

    def _supports_capability(self, capability: str) -> bool | None:
        return self._ask(
            "supports_compute_capability", self._asker.capability(capability), capability=capability
        )

    def _supports_kv(self, name: str) -> bool | None:
        answers = {
            self._ask("supports_kv_cache_dtype", name, capability=one)
            for one in ("8.0", "9.0", "10.0", "12.0")
        }
        return answers.pop() if len(answers) == 1 else None

    def _among(
        self, limit: str, values: Iterable[str], ask: Callable[[str], bool | None]
    ) -> tuple[str, ...] | None:
        method = {"capabilities": "supports_compute_capability", "kv_cache_dtypes": "supports_kv_cache_dtype"}
        if not self._has(method.get(limit, "supports_attn_type")):
            return None
        answers = {value: ask(value) for value in values}
        if None in answers.values():
            self._open.append(limit)
        accepted = tuple(value for value, answer in answers.items() if answer)
        return accepted or (None if None in answers.values() else ())

    def _head_sizes(self) -> tuple[int, ...] | None:
        if self._has("supports_head_size"):
            answers = {size: self._ask("supports_head_size", size) for size in HEAD_SIZES}
        elif self._has("get_supported_head_sizes"):
            listed = self._value("get_supported_head_sizes")
            if not isinstance(listed, list | tuple) or not listed:
                return None
            answers = {size: size in listed for size in HEAD_SIZES}
        else:
            return None
        if None in answers.values():
            self._open.append("head_sizes")
        return tuple(size for size, answer in answers.items() if answer)

    def _combined(
        self, capabilities: tuple[str, ...] | None, head_sizes: tuple[int, ...] | None
    ) -> tuple[tuple[str, ...] | None, tuple[int, ...] | None]:
        """Narrow the limits by `supports_combination`: what it refuses throughout is not accepted at all."""
        own = self._asker.names.attribute(self._cls, "supports_combination") if self._cls else None
        if own is None or own[0].name == "AttentionBackend" or not capabilities or not head_sizes:
            return capabilities, head_sizes
        refused = {(one, size): self._refuses(one, size) for one in capabilities for size in head_sizes}
        if None in refused.values():
            self._open.append("combination")
        kept = tuple(one for one in capabilities if not all(refused[one, size] for size in head_sizes))
        sizes = (
            tuple(size for size in head_sizes if not all(refused[one, size] for one in kept))
            if kept
            else head_sizes
        )
        if any(refused[one, size] for one in kept for size in sizes):
            self._open.append("combination")
        return kept, sizes

    def _refuses(self, capability: str, head_size: int) -> bool | None:
        values = {
            "head_size": head_size,
            "dtype": FLOAT16,
            "kv_cache_dtype": "auto",
            "block_size": None,
            "use_mla": self._flag("is_mla") is True,
            "has_sink": False,
            "use_sparse": self._flag("is_sparse") is True,
            "use_mm_prefix": False,
            "device_capability": self._asker.capability(capability),
        }

        def question(run: Interpreter) -> Value:
            return call_by_name(run, run.attribute(self._cls, "supports_combination", NOWHERE), values)

        world = self._asker.world(Machine(capability=capability))
        reasons = [outcome.value for outcome in self._asker.evaluator.outcomes(world, question)]
        if any(isinstance(reason, Unknown) for reason in reasons):
            return None
        answers = {reason is not None for reason in reasons}
        return answers.pop() if len(answers) == 1 else None

    def _dtypes(self) -> tuple[str, ...] | None:
        if self._has("supports_dtype"):
            answers = {one: self._ask("supports_dtype", External(f"torch.{one}")) for one in _DTYPES}
            return tuple(one for one, answer in answers.items() if answer)
        listed = self._value("get_supported_dtypes") if self._has("get_supported_dtypes") else None
        if not isinstance(listed, list | tuple):
            return None
        return tuple(one for one in _DTYPES if External(f"torch.{one}") in listed)

    def _block_sizes(self) -> tuple[str, ...] | None:
        for name in (
            "get_supported_kernel_block_sizes",
            "supported_kernel_block_sizes",
            "get_supported_kernel_block_size",
        ):
            if self._has(name):
                listed = self._value(name)
                shown = [_block_size(one) for one in listed] if isinstance(listed, list | tuple) else [None]
                if None in shown:
                    self._open.append("block_sizes")
                    return None
                return tuple(one for one in shown if one is not None)
        return None

    def _value(self, name: str) -> Value:
        def question(run: Interpreter) -> Value:
            value = run.attribute(self._cls, name, NOWHERE)
            return value if isinstance(value, list | tuple) else run.call(value, [], {}, NOWHERE)

        found = [
            outcome.value if outcome.thrown is None else Unknown(str(outcome.thrown))
            for outcome in self._asker.evaluator.outcomes(
                self._asker.world(Machine(capability="9.0")), question
            )
        ]
        shown = {
            repr([_block_size(one) for one in value] if isinstance(value, list) else value) for value in found
        }
        return found[0] if len(shown) == 1 else Unknown(name)

    def _kv_names(self) -> tuple[str, ...]:
        found = self._asker.names.module("vllm.config.cache")
        if found is None:
            return _KV_CACHE_DTYPES
        value = self._asker.interpreter(Machine()).module_value(found.module, "CacheDType")
        return value.values if isinstance(value, Literals) else _KV_CACHE_DTYPES

    def _is_old_mla(self) -> bool:
        return not self._has("is_mla") and "MLA" in self._name

    def _package(self) -> str | None:
        if self._cls is None:
            return None
        needed = set(self._asker.names.needs(self._cls.module)) & set(PACKAGES)
        return PACKAGES[min(needed)] if needed else None


def _unregistered(backend: Backend, node: Definition) -> Backend:
    empty = isinstance(node, ast.Constant) and not node.value
    return replace(backend, registered=not empty)


def _block_size(value: Value) -> str | None:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Instance) and isinstance(value.fields.get("base"), int):
        return f"x{value.fields['base']}"
    return None


def fits(backend: Backend, capability: str | None, head_size: int | None, *, mla: bool) -> bool | None:
    """Tell whether a backend's declared limits accept a case (16-bit, automatic KV cache, decoder).

    None when open.
    """
    if backend.mla is not mla or backend.sparse or not backend.registered:
        return False
    answers = [
        _within(backend, "capabilities", backend.capabilities, capability),
        _within(backend, "head_sizes", backend.head_sizes, head_size),
        _within(backend, "kv_cache_dtypes", backend.kv_cache_dtypes, "auto"),
        _within(backend, "attention_types", backend.attention_types, "decoder"),
    ]
    if False in answers:
        return False
    return None if None in answers or "combination" in backend.at_run_time else True


def _within(backend: Backend, limit: str, accepted: tuple[object, ...] | None, value: object) -> bool | None:
    if accepted is None or value is None:
        return None
    if value in accepted:
        return True
    return None if limit in backend.at_run_time else False
