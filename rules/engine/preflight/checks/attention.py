"""Backends of the language model: names that do not exist, and limits that model or machine break."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rules.engine.preflight.checks.environment.backend_variable import FLAG, VARIABLE, valid_name
from rules.engine.preflight.checks.words.values import listed, without
from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.remedy.accepts import below, text_accepts
from rules.engine.report import Change, FixKind
from rules.releases.model import HEAD_SIZES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case
    from rules.engine.preflight.reading.options import Option
    from rules.releases.model import Backend
    from rules.releases.release import Where

KEY = "--attention-config.backend"
#: a chosen backend is held against model and machine before it runs from here on (vllm/platforms/cuda.py)
_CHOICE_IS_CHECKED = Version("0.11.1")
_CLASSES = {
    "head_size not supported": "head-size-unsupported",
    "kv_cache_dtype not supported": "kv-dtype-unsupported",
    "dtype not supported": "attn-type-unsupported",
    "MLA not supported": "mla-no-backend",
    "non-MLA not supported": "mla-no-backend",
    "compute capability not supported": "fa2-pre-ampere",
}
_HALF = {"half": "float16", "float": "float32"}


def check(case: Case) -> Iterator[Fault]:
    """Yield what is wrong with the backend that the launch asks for."""
    option = case.parsed.option(FLAG) or case.parsed.option(KEY)
    both = case.parsed.option(FLAG), case.parsed.option(KEY)
    if all(both):
        yield _twice(case.parsed.option(KEY))
        return
    if option is not None:
        values = case.read(option)
        if len(values) != 1:
            return
        name = values[0].upper()
        if name in {"AUTO", "NONE", ""}:
            return
        if option.flag.choices is not None and name not in {one.upper() for one in option.flag.choices}:
            yield unknown_name(case, option, values[0])
            return
        setting = option.flag.name
    else:
        found = valid_name(case)
        if found is None:
            return
        name, setting = found, VARIABLE
    yield from _fits(case, setting, name)


def unknown_name(case: Case, option: Option, value: str) -> Fault:
    """Return the fault of a backend's name that the release does not have."""
    given = case.shown(option, value)
    choices = option.flag.choices or ()
    right = next((one for one in choices if one.upper() == value.upper().removesuffix("_VLLM_V1")), None)
    edits = []
    if right is not None:
        said = {"setting": option.flag.name, "value": right}
        change = Change(flags_set={option.flag.name: right})
        edits.append(Edit("right-name", FixKind.SET_FLAG, "fix.set-flag.by-message", change, said))
    edits.append(replace(without(option), phrase="fix.drop-flag.name"))
    return Fault(
        "backend-name-unknown",
        "invalid-backend-name",
        Severity.BLOCKS_START,
        "backend-name-unknown",
        option.flag.name,
        {"flag": option.spelled, "given": given, "choices": listed(choices)},
        tuple(edits),
        printed=f"ValueError: Unknown attention backend: '{given}'. Valid options are: …",
    )


def _twice(option: Option | None) -> Fault:
    edits = (without(option),) if option is not None else ()
    values = {"variable": KEY, "flag": FLAG}
    return Fault(
        "preflight-backend-twice",
        "cli-arg-invalid",
        Severity.BLOCKS_START,
        "backend-twice",
        FLAG,
        values,
        edits,
    )


def _fits(case: Case, setting: str, name: str) -> Iterator[Fault]:
    """Yield why the language model does not run on a backend, where the platform is known and checks it."""
    backend = case.release.backend(name)
    platform = case.known.machine.platform
    if backend is None or platform not in {"cuda", "rocm"} or case.version < _CHOICE_IS_CHECKED:
        return
    reasons = list(_reasons(case, backend))
    if reasons:
        yield _refused(setting, name, reasons)
    elif platform == "cuda" and not backend.registered and name != "CUSTOM":
        printed = f"ValueError: Backend {name} must be registered before use. Use register_backend(...)"
        yield _no_text_backend(setting, name, printed)
    elif platform == "rocm" and backend.platforms is not None and "rocm" not in backend.platforms:
        printed = f"RuntimeError: Attention backend {name} is not supported on ROCm. Note that V0 …"
        yield _no_text_backend(setting, name, printed)


def _reasons(case: Case, backend: Backend) -> Iterator[str]:
    shape, machine = case.shape, case.known.machine
    where: Where = machine.where(shape.head_size, mla=backend.mla)
    if shape.mla is not None and backend.mla is not shape.mla and backend.registered:
        yield "non-MLA not supported" if backend.mla else "MLA not supported"
        return
    if (
        machine.platform == "cuda"
        and machine.compute_capability is not None
        and _too_old(case, backend, where)
    ):
        yield "compute capability not supported"
    if shape.head_size in HEAD_SIZES and _refuses(backend, "head_sizes", shape.head_size):
        yield "head_size not supported"
    stored = case.parsed.value("--kv-cache-dtype")
    if stored and not case.is_open(stored) and _refuses(backend, "kv_cache_dtypes", stored):
        yield "kv_cache_dtype not supported"
    dtype = case.parsed.value("--dtype") or ""
    computed = _HALF.get(dtype, dtype)
    if computed in {"float16", "bfloat16", "float32"} and _refuses(backend, "dtypes", computed):
        yield "dtype not supported"


def _too_old(case: Case, backend: Backend, where: Where) -> bool:
    plain = replace(where, head_size=None)
    if backend.name.startswith("FLASH_ATTN") and below(where.compute_capability, "8.0"):
        return True
    declared = backend.capabilities
    return (
        declared is not None
        and where.compute_capability not in declared
        and text_accepts(case.release, backend.name, plain) is False
    )


def _refuses(backend: Backend, limit: str, value: object) -> bool:
    accepted = getattr(backend, limit)
    return accepted is not None and value not in accepted and limit not in backend.at_run_time


def _refused(setting: str, name: str, reasons: list[str]) -> Fault:
    values = {"setting": setting, "backend": name, "reasons": ", ".join(reasons)}
    stated = ", ".join(f"'{reason}'" for reason in reasons)
    return Fault(
        "preflight-backend-refused",
        _CLASSES[reasons[0]],
        Severity.BLOCKS_START,
        "backend-refused",
        setting,
        values,
        (_away(setting),),
        printed=(
            f"ValueError: Selected backend AttentionBackendEnum.{name} is not valid for this configuration. "
            f"Reason: [{stated}]"
        ),
    )


def _no_text_backend(setting: str, name: str, printed: str) -> Fault:
    return Fault(
        "backend-not-registered",
        "invalid-backend-name",
        Severity.BLOCKS_START,
        "backend-not-for-text",
        setting,
        {"setting": setting, "backend": name},
        (_away(setting),),
        printed=printed,
    )


def _away(setting: str) -> Edit:
    if setting == VARIABLE:
        return Edit(
            "unset-variable",
            FixKind.UNSET_ENV,
            "fix.unset-env.name",
            Change((setting,)),
            {"removed": setting},
        )
    change = Change(flags_unset=(setting,))
    return Edit("drop-flag", FixKind.DROP_FLAG, "fix.drop-flag.name", change, {"removed": setting})
