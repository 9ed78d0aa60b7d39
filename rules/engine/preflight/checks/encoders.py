"""Backends of vision encoders: what reaches the encoder and it refuses. Not for the language model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rules.engine.preflight.checks.attention import unknown_name
from rules.engine.preflight.checks.environment.backend_variable import VARIABLE, valid_name
from rules.engine.preflight.checks.words.values import without
from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.report import Change, FixKind
from rules.releases.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

FLAG = "--mm-encoder-attn-backend"
_CLASS = "vit-backend-unsupported"
_PLATFORMS = ("cuda", "rocm", "xpu", "cpu")
#: before, the enum of backends had another name, which messages print
_NEW_ENUM = Version("0.11.1")


def check(case: Case) -> Iterator[Fault]:
    """Yield what is wrong with the backend that reaches the vision encoder."""
    option = case.parsed.option(FLAG)
    if option is None:
        yield from _by_variable(case)
        return
    values = case.read(option)
    if len(values) != 1 or values[0] in {"", "None"}:
        return
    name = values[0].upper()
    choices = {one.upper() for one in option.flag.choices or ()}
    if choices and name not in choices:
        yield unknown_name(case, option, values[0])
    elif case.shape.has_encoder is not False:
        edit = replace(without(option), phrase="fix.drop-flag.tower")
        fault = _own_check(case, FLAG, name, edit) or _listed(case, name, edit)
        if fault is not None:
            yield fault


def _by_variable(case: Case) -> Iterator[Fault]:
    name = valid_name(case)
    if name is None or Part.TOWER not in case.release.reach(VARIABLE).parts:
        return
    said = {"removed": VARIABLE}
    edit = Edit("unset-variable", FixKind.UNSET_ENV, "fix.unset-env.tower", Change((VARIABLE,)), said)
    fault = _own_check(case, VARIABLE, name, edit)
    if fault is not None:
        yield fault


def _own_check(case: Case, setting: str, name: str, edit: Edit) -> Fault | None:
    """Return the refusal of an encoder that checks its backend itself, where the model is known to have it."""
    tower = case.release.tower(case.shape.tower) if case.shape.tower else None
    if tower is None or not tower.reachable or name in tower.accepts or case.release.backend(name) is None:
        return None
    platform = case.known.machine.platform
    if platform is not None and tower.refused_on and platform not in tower.refused_on:
        return None
    enum = "AttentionBackendEnum" if case.version >= _NEW_ENUM else "_Backend"
    rescue = case.release.tower_rescued_by()
    return Fault(
        "vit-backend-rejected",
        _CLASS,
        Severity.BLOCKS_START,
        "encoder-refuses.unless" if rescue else "encoder-refuses",
        setting,
        {"setting": setting, "backend": name, "model": tower.label, "package": rescue or ""},
        (edit,),
        printed=f"RuntimeError: {tower.message.replace('{}', f'{enum}.{name}')}",
    )


def _listed(case: Case, name: str, edit: Edit) -> Fault | None:
    """Return the refusal of a platform that keeps a list of what encoders may have."""
    platform = case.known.machine.platform
    asked = (platform,) if platform else _PLATFORMS
    lists = [
        case.release.tower_choices(replace(case.known.machine.where(None), platform=one)) for one in asked
    ]
    if any(found is None or name in found for found in lists):
        return None
    return Fault(
        "vit-backend-not-in-list",
        _CLASS,
        Severity.BLOCKS_START,
        "encoder-list",
        FLAG,
        {"setting": FLAG, "backend": name, "choices": ", ".join(lists[0] or ())},
        (edit,),
        printed=(
            f"AssertionError: Backend AttentionBackendEnum.{name} is not supported for vit attention. "
            "Supported backends are: […]"
        ),
    )
