"""Which backends the language model tries, in order.

Asked of the release's own selector. Not for encoders.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rules.releases.extractor.attention.backend_classes import BackendClasses
from rules.releases.extractor.attention.backends import fits
from rules.releases.extractor.attention.engine import default_engine_is_v1
from rules.releases.extractor.attention.question import (
    BACKEND_VARIABLE,
    FLOAT16,
    NOWHERE,
    PACKAGES,
    Asker,
    Machine,
    call_by_name,
)
from rules.releases.extractor.evaluation.expressions import Frame
from rules.releases.extractor.evaluation.values import Bag, ClassValue, FunctionValue, Member, Unknown, Value
from rules.releases.model import Backend, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rules.releases.extractor.evaluation.interpreter import Interpreter
    from rules.releases.extractor.evaluation.world import Outcome

#: block size of the KV cache when the user says nothing, before a backend asks for another
_BLOCK_SIZE = 16
_SELECTORS = ("vllm.attention.selector", "vllm.v1.attention.selector")


@dataclass(frozen=True, slots=True)
class Case:
    """One machine and model that a selector is asked about."""

    capability: str | None
    head_size: int
    mla: bool = False
    platform: str = "cuda"
    #: what the user asked for, as a member's name
    selected: str | None = None
    missing: frozenset[str] = frozenset()
    values: Mapping[str, Value] = field(default_factory=dict)


class Selector:
    """The selector of one release."""

    def __init__(self, asker: Asker, enum: ClassValue, backends: Iterable[Backend]) -> None:
        self._asker = asker
        self._enum = enum
        self._backends = {backend.name: backend for backend in backends}
        self._classes = BackendClasses(asker, enum)
        self._v1: dict[tuple[str | None, str | None, str], bool] = {}
        self._priorities: dict[Case, tuple[str, ...] | None] = {}

    @property
    def source(self) -> Source:
        """Return where the order stands: the list of priorities, or the chain of conditions."""
        listed = self._priority_function()
        if listed is not None:
            return Source(listed.module.path, listed.node.lineno)
        method = self._asker.method("cuda", "get_attn_backend_cls") or self._chain()
        return Source("", 0) if method is None else Source(method.module.path, method.node.lineno)

    @property
    def has_engines(self) -> bool:
        """Tell whether the selector is told which engine runs (V0 or V1)."""
        method = self._asker.method("cuda", "get_attn_backend_cls") or self._chain()
        return method is not None and "use_v1" in {one.arg for one in method.node.args.args}

    @property
    def has_priorities(self) -> bool:
        """Tell whether the release keeps lists of priorities, not a chain of conditions."""
        return self._priority_function() is not None

    def obeys(self, backend: Backend, platform: str) -> bool:
        """Tell whether a user who asks for a backend gets it somewhere on a platform."""
        size = 576 if backend.mla else (backend.head_sizes or (128,))[-1]
        for capability in ("8.0", "9.0", "10.0") if platform == "cuda" else (None,):
            case = Case(capability, size, backend.mla, platform, selected=backend.name)
            names = {self.member_of(outcome) for outcome in self.outcomes(case)}
            if backend.name in names or backend.name.removesuffix("_VLLM_V1") in names:
                return True
        return False

    def choosable(self, case: Case) -> tuple[str, ...]:
        """Return the names worth asking for in a case.

        All, or those whose declared limits do not refuse it.
        """
        if not any(backend.capabilities for backend in self._backends.values()):
            return tuple(self._backends)
        machines = case.platform != "cuda"
        return tuple(
            name
            for name, backend in self._backends.items()
            if (machines and backend.registered and backend.mla is case.mla)
            or fits(backend, case.capability, case.head_size, mla=case.mla) is True
        )

    def order(self, case: Case) -> tuple[str, ...] | None:
        """Return the backends that are tried, first choice first; None when the code leaves it open."""
        if self._priority_function() is not None:
            return self._by_priorities(case)
        if case.mla and not self._knows_latent_attention():
            return None
        return self._by_chain(case)

    def outcomes(self, case: Case) -> Iterator[Outcome]:
        """Yield how the selector ends, one outcome for each path, with what it logs."""
        machine = Machine(case.platform, case.capability, case.missing, _env(case.selected))
        yield from self._asker.evaluator.outcomes(
            self._asker.world(machine), lambda run: self._select(run, case)
        )

    # ---- lists of priorities (0.11.1 and later)

    def _priority_function(self) -> Value:
        module = self._asker.names.module("vllm.platforms.cuda")
        if module is None or "_get_backend_priorities" not in module.module.functions:
            return None
        return FunctionValue(module.module, module.module.functions["_get_backend_priorities"])

    def _by_priorities(self, case: Case) -> tuple[str, ...] | None:
        listed = self._priority_list(case)
        if listed is None:
            return None
        answers = {name: self._fits(name, case) for name in listed}
        if None in answers.values():
            return None
        forced = self.forced(case)
        order = [name for name, fits in answers.items() if fits]
        if forced in order:
            order = [forced, *(name for name in order if name != forced)]
        return tuple(order)

    def _priority_list(self, case: Case) -> tuple[str, ...] | None:
        values = {
            "use_mla": case.mla,
            "device_capability": self._asker.capability(case.capability),
            "num_heads": None,
            "kv_cache_dtype": "auto",
            "use_non_causal": False,
            "head_size": case.head_size,
            "use_mm_prefix": False,
        }
        world = self._asker.world(Machine(capability=case.capability))
        value = self._asker.evaluator.one(
            world, lambda run: call_by_name(run, self._priority_function(), values)
        )
        if not isinstance(value, list):
            return None
        return tuple(one.name for one in value if isinstance(one, Member))

    def _fits(self, name: str, case: Case) -> bool | None:
        backend = self._backends[name]
        return fits(backend, case.capability, case.head_size, mla=case.mla)

    def forced(self, case: Case) -> str | None:
        """Return what the configuration itself sets for latent attention, None when it sets nothing."""
        return self._adjusted(case)[1] if case.mla else None

    # ---- chains of conditions (up to 0.11.0)

    def _chain(self) -> Value:
        for dotted in _SELECTORS:
            module = self._asker.names.module(dotted)
            if module is None:
                continue
            for name in ("_cached_get_attn_backend", "get_attn_backend"):
                if name in module.module.functions:
                    return FunctionValue(module.module, module.module.functions[name])
        return None

    def _knows_latent_attention(self) -> bool:
        method = self._asker.method("cuda", "get_attn_backend_cls")
        return method is not None and "use_mla" in {one.arg for one in method.node.args.args}

    def _by_chain(self, case: Case) -> tuple[str, ...] | None:
        order: list[str] = []
        missing: frozenset[str] = case.missing
        while True:
            name = self._chosen(replace(case, missing=missing))
            if name is None or name in order:
                # without the package of the last one the code stops with an error, or comes back to it
                return tuple(order) or None
            order.append(name)
            package = self._backends[name].package
            modules = {module for module, project in PACKAGES.items() if project == package}
            if not modules - missing:
                return tuple(order)
            missing |= modules

    def _chosen(self, case: Case) -> str | None:
        names = {self.member_of(outcome) for outcome in self.outcomes(case)}
        return names.pop() if len(names) == 1 else None

    def member_of(self, outcome: Outcome) -> str | None:
        """Return the member that an outcome of the selector stands for, None when it chose nothing."""
        value = outcome.value
        if outcome.thrown is not None:
            return None
        if isinstance(value, ClassValue):
            value = value.path
        return self._classes.of_class(value) if isinstance(value, str) else None

    def _select(self, run: Interpreter, case: Case) -> Value:
        block_size, forced = self._adjusted(case)
        selected = case.selected or forced
        values: dict[str, Value] = {
            "selected_backend": self._member(run, selected),
            "head_size": case.head_size,
            "dtype": FLOAT16,
            "kv_cache_dtype": "auto",
            "block_size": block_size,
            "use_v1": self._is_v1(case),
            "use_mla": case.mla,
            "has_sink": False,
            "use_sparse": False,
            "sliding_window": None,
            "is_attention_free": False,
            "is_blocksparse": False,
            "attn_type": "decoder",
            "num_heads": None,
        } | dict(case.values)
        if self._asker.method(case.platform, "get_attn_backend_cls") is None:
            return call_by_name(run, self._chain(), values)
        values["attn_selector_config"] = self._configuration(run, values)
        method = run.attribute(run.platform(), "get_attn_backend_cls", NOWHERE)
        return call_by_name(run, method, values)

    def _configuration(self, run: Interpreter, values: Mapping[str, Value]) -> Value:
        for dotted in reversed(_SELECTORS):
            cls = self._asker.names.class_named(dotted, "AttentionSelectorConfig")
            if cls is not None:
                made = run.call(cls, [], {}, NOWHERE)
                made.fields.update({name: values[name] for name in made.fields if name in values})
                made.fields["block_size"] = None
                return made
        return None

    def _member(self, run: Interpreter, name: str | None) -> Value:
        found = (member for member in run.enum_members(self._enum) if member.name == name)
        return next(found, None)

    def _is_v1(self, case: Case) -> bool:
        key = (case.capability, case.selected, case.platform)
        if key not in self._v1:
            self._v1[key] = default_engine_is_v1(
                self._asker, Machine(case.platform, case.capability, env=_env(case.selected))
            )
        return self._v1[key]

    def _adjusted(self, case: Case) -> tuple[int, str | None]:
        """Return the block size and backend that the configuration step sets for latent attention."""
        method = self._asker.method(case.platform, "check_and_update_config") if case.mla else None
        block = None if method is None else _latent_block(method.node)
        if method is None or block is None:
            return _BLOCK_SIZE, None
        cache = Bag("cache_config", {"block_size": _BLOCK_SIZE})
        attention = Bag("attention_config", {"backend": None})
        model = Bag("model_config", {"use_mla": True, "hf_config": Bag("hf_config", {})})
        config = Bag(
            "vllm_config", {"cache_config": cache, "attention_config": attention, "model_config": model}
        )
        machine = Machine(case.platform, case.capability, case.missing, _env(case.selected))
        frame = Frame(method.module, method.owner, self._asker.platform_class(case.platform))
        frame.variables.update(vllm_config=config, cache_config=cache, model_config=model, cls=frame.bound)
        self._import_into(frame)

        def follow(run: Interpreter) -> Value:
            run.step(block, frame)
            chosen = run.set_env.get(BACKEND_VARIABLE, attention.fields["backend"])
            return cache.fields["block_size"], chosen.name if isinstance(chosen, Member) else chosen

        value = self._asker.evaluator.one(self._asker.world(machine), follow)
        return (_BLOCK_SIZE, None) if isinstance(value, Unknown) else value

    def _import_into(self, frame: Frame) -> None:
        frame.variables[self._enum.name] = self._enum


def _env(selected: str | None) -> Mapping[str, str]:
    return {} if selected is None else {BACKEND_VARIABLE: selected}


def _latent_block(node: ast.AST) -> ast.If | None:
    """Return the branch of a configuration step that is about latent attention."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.If) and "use_mla" in ast.unparse(inner.test):
            return inner
    return None
