"""Attention of encoders.

What each accepts, what it gets by default, what `--mm-encoder-attn-backend` takes, who rescues it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.releases.extractor.attention.backend_classes import backend_enum
from rules.releases.extractor.attention.question import (
    BACKEND_VARIABLE,
    FLOAT16,
    NOWHERE,
    Asker,
    Machine,
    call_by_name,
)
from rules.releases.extractor.attention.tower_checks import Check, find_checks
from rules.releases.extractor.evaluation.expressions import Frame
from rules.releases.extractor.evaluation.values import Bag, FunctionValue, Member, Unknown, Value
from rules.releases.model import CAPABILITIES, HEAD_SIZES, Rescue, Source, Tower, TowerChoices, TowerDefault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rules.releases.extractor.evaluation.interpreter import Interpreter

#: packages that no release installs, whatever its requirements: an encoder's default must do without them
_NOT_INSTALLED = frozenset({"flash_attn", "aiter"})
#: package that a backend needs for encoders, beside what vLLM bundles
_TOWER_PACKAGES: Mapping[str, str] = {"XFORMERS": "xformers", "FLASHINFER": "flashinfer-python"}
_CHOOSERS = ("vllm.model_executor.models.vision", "vllm.model_executor.models.utils")
_OTHER_PLATFORMS = ("rocm", "xpu", "cpu")
#: a backend that every encoder that checks has always refused
_REFUSED_BY_ALL = "FLASHINFER"


def read_towers(asker: Asker) -> tuple[Tower, ...]:
    """Return the encoders that check their backend, by label."""
    return tuple(
        Tower(
            label=check.label,
            accepts=check.accepts,
            message=check.message,
            source=Source(check.module.path, check.line),
            reachable=_is_reachable(asker, check),
            refused_on=_refused_on(asker, check),
        )
        for check in find_checks(asker.names.tree)
    )


def read_tower_choices(asker: Asker) -> tuple[TowerChoices, ...]:
    """Return what each platform lets a user choose for encoders; empty where the platform has no say."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for platform, capability in _machines():
        choices = _choices(asker, Machine(platform, capability))
        if choices:
            found.setdefault((platform, choices), []).append(capability or "")
    return tuple(
        TowerChoices(
            platform,
            _all_or(capabilities),
            choices,
            _source(asker, platform, "get_supported_vit_attn_backends"),
        )
        for (platform, choices), capabilities in found.items()
    )


def read_tower_defaults(asker: Asker) -> tuple[TowerDefault, ...]:
    """Return what an encoder gets when nothing is set, with what the release itself installs."""
    found: dict[tuple[str, str], dict[str, list[int]]] = {}
    for platform, capability in _machines():
        for size in HEAD_SIZES:
            names = {
                tower_backend(asker, Machine(platform, capability, one), size)
                for one in _installations(platform)
            }
            name = names.pop()
            if name is not None and not names:
                found.setdefault((platform, name), {}).setdefault(capability or "", []).append(size)
    return tuple(_grouped(asker, found))


def read_rescues(asker: Asker) -> tuple[Rescue, ...]:
    """Return the package whose presence lets a refused backend pass without a word, if any does."""
    for check in find_checks(asker.names.tree):
        plain = refuses(asker, check, Machine("cuda", "9.0", _NOT_INSTALLED))
        helped = refuses(asker, check, Machine("cuda", "9.0", frozenset({"aiter"})))
        if plain is True and helped is False:
            return (Rescue("flash-attn", Source(check.module.path, check.statements[-1].lineno)),)
    return ()


def tower_backend(asker: Asker, machine: Machine, head_size: int, flag: Value = None) -> str | None:
    """Return the member that an encoder gets on a machine.

    `flag` is the value of `--mm-encoder-attn-backend`.
    """
    function = chooser(asker)
    if function is None:
        return _inline_default(asker, machine)
    values = {"head_size": head_size, "dtype": FLOAT16, "support_fa": True, "attn_backend_override": flag}
    world = asker.world(machine, _configured(flag))
    value = asker.evaluator.one(world, lambda run: call_by_name(run, function, values))
    return value.name if isinstance(value, Member) else None


def chooser(asker: Asker) -> FunctionValue | None:
    """Return the function that gives an encoder its backend, None where each model chooses by itself."""
    for dotted in _CHOOSERS:
        module = asker.names.module(dotted)
        node = None if module is None else module.module.functions.get("get_vit_attn_backend")
        if module is not None and node is not None:
            return FunctionValue(module.module, node)
    return None


def refuses(asker: Asker, check: Check, machine: Machine) -> bool | None:
    """Tell whether a check fires on a machine for a backend that no encoder accepts; None if that is open."""
    enum = backend_enum(asker)
    members = [] if enum is None else asker.interpreter(machine).enum_members(enum)
    refused = next((member for member in members if member.name == _REFUSED_BY_ALL), None)
    if refused is None:
        return None

    def question(run: Interpreter) -> Value:
        variables = {"self": Bag("self"), "attn_backend_override": None}
        run.run(list(check.statements), Frame(check.module, None, None, variables))
        return False

    # the oldest releases read the variable beside the check itself
    asked = replace(machine, env={BACKEND_VARIABLE: _REFUSED_BY_ALL})
    world = asker.world(asked, {"get_vit_attn_backend": refused, **_configured(None)})
    answers = set()
    for outcome in asker.evaluator.outcomes(world, question):
        fired = outcome.thrown is not None and "backend now" in outcome.thrown.message
        answers.add(None if isinstance(outcome.value, Unknown) or (outcome.thrown and not fired) else fired)
    return answers.pop() if len(answers) == 1 else None


def _is_reachable(asker: Asker, check: Check) -> bool:
    """Tell whether the check refuses a backend that the platform of an NVIDIA or AMD GPU lets through."""
    allowed = {
        name
        for platform, capability in _machines()
        if platform in {"cuda", "rocm"}
        for name in _choices(asker, Machine(platform, capability))
    }
    return not allowed or bool(allowed - set(check.accepts))


def _refused_on(asker: Asker, check: Check) -> tuple[str, ...]:
    """Return the platforms where the check fires once a refused backend comes to it.

    Others replace that before.
    """
    machines = (
        Machine("cuda", "9.0", _NOT_INSTALLED),
        *(Machine(one, None, _NOT_INSTALLED) for one in _OTHER_PLATFORMS),
    )
    return tuple(machine.platform for machine in machines if refuses(asker, check, machine))


def _inline_default(asker: Asker, machine: Machine) -> str | None:
    """Return the default of releases where each model asks for flash-attn and keeps only yes or no."""
    for check in find_checks(asker.names.tree):
        holder = Bag("self")

        def question(run: Interpreter, check: Check = check, holder: Bag = holder) -> Value:
            run.run(list(check.statements), Frame(check.module, None, None, {"self": holder}))
            return holder.fields.get("_use_flash_attn", Unknown("_use_flash_attn"))

        value = asker.evaluator.one(asker.world(machine), question)
        if isinstance(value, bool) and "_use_flash_attn" in holder.fields:
            return "FLASH_ATTN" if value else "XFORMERS"
    return None


def _choices(asker: Asker, machine: Machine) -> tuple[str, ...]:
    if asker.method(machine.platform, "get_supported_vit_attn_backends") is None:
        return ()

    def question(run: Interpreter) -> Value:
        return run.call(
            run.attribute(run.platform(), "get_supported_vit_attn_backends", NOWHERE), [], {}, NOWHERE
        )

    value = asker.evaluator.one(asker.world(machine), question)
    return tuple(one.name for one in value if isinstance(one, Member)) if isinstance(value, list) else ()


def _configured(flag: Value) -> dict[str, Value]:
    """Return a configuration that holds the value of the flag, and nothing else that the code can look at."""
    multimodal = Bag("multimodal_config", {"mm_encoder_attn_backend": flag})
    model = Bag("model_config", {"multimodal_config": multimodal})
    return {
        "get_current_vllm_config": Bag("vllm_config", {"model_config": model}),
        "get_multimodal_config": multimodal,
    }


def _installations(platform: str) -> tuple[frozenset[str], ...]:
    """Return what may be missing.

    On other platforms than NVIDIA's, images bring flash-attn and others as they like.
    """
    return (_NOT_INSTALLED,) if platform == "cuda" else (_NOT_INSTALLED, frozenset())


def _machines() -> Iterator[tuple[str, str | None]]:
    for capability in CAPABILITIES:
        yield "cuda", capability
    for platform in _OTHER_PLATFORMS:
        yield platform, None


def _all_or(capabilities: Iterable[str]) -> tuple[str, ...]:
    kept = tuple(one for one in capabilities if one)
    return () if kept in ((), CAPABILITIES) else kept


def _grouped(
    asker: Asker, found: Mapping[tuple[str, str], Mapping[str, list[int]]]
) -> Iterator[TowerDefault]:
    for (platform, name), by_capability in found.items():
        by_sizes: dict[tuple[int, ...], list[str]] = {}
        for capability, sizes in by_capability.items():
            key = () if tuple(sizes) == HEAD_SIZES else tuple(sizes)
            by_sizes.setdefault(key, []).append(capability)
        source = _default_source(asker, platform)
        for sizes_key, capabilities in by_sizes.items():
            yield TowerDefault(
                platform, _all_or(capabilities), sizes_key, name, _TOWER_PACKAGES.get(name), source
            )


def _default_source(asker: Asker, platform: str) -> Source:
    found = asker.method(platform, "get_vit_attn_backend") or chooser(asker)
    if found is not None:
        return Source(found.module.path, found.node.lineno)
    checks = find_checks(asker.names.tree)
    return Source(checks[0].module.path, checks[0].statements[0].lineno) if checks else Source("", 0)


def _source(asker: Asker, platform: str, method: str) -> Source:
    found = asker.method(platform, method)
    return Source("", 0) if found is None else Source(found.module.path, found.node.lineno)
