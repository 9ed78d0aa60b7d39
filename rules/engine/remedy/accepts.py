"""Whether a backend works for a part of the model on a machine: True, False, or None where that is open.

Not for words.
"""

from functools import lru_cache

from rules.engine.remedy.doubts import Doubt
from rules.engine.remedy.machine import completions
from rules.engine.versions import parse_version
from rules.releases.release import Release, Where

#: FlashAttention's kernels need it in every release, also where the backend's class does not say so yet
#: (`FlashAttentionBackend.supports_compute_capability`, vllm/v1/attention/backends/flash_attn.py, from
#: 0.11.1)
_FLASH_ATTN_FLOOR = "8.0"
#: its names: two engines once told theirs apart
_FLASH_ATTN = frozenset({"FLASH_ATTN", "FLASH_ATTN_VLLM_V1"})
#: answers that are kept: a release answers the same question the same way, and pastes ask the same ones
_REMEMBERED = 4096
#: encoder backends that need nothing but torch
_PLAIN_TORCH = "TORCH_SDPA"


def below(capability: str | None, limit: str) -> bool | None:
    """Tell whether a compute capability is lower than a limit, part by part; None when it is unknown."""
    mine, least = parse_version(capability or ""), parse_version(limit)
    return None if mine is None or least is None else mine < least


@lru_cache(maxsize=_REMEMBERED)
def text_accepts(release: Release, backend: str, where: Where) -> bool | None:
    """Tell whether the language model runs on the backend."""
    if release.backend(backend) is None:
        return False
    if (
        backend in _FLASH_ATTN
        and where.platform == "cuda"
        and below(where.compute_capability, _FLASH_ATTN_FLOOR)
    ):
        return False
    return release.text_accepts(backend, where)


@lru_cache(maxsize=_REMEMBERED)
def tower_accepts(release: Release, label: str | None, backend: str, where: Where) -> bool | None:
    """Tell whether the encoder with this label (None: any) runs on the backend."""
    if release.backend(backend) is None:
        return False
    tower = release.tower(label) if label else None
    if tower is not None and backend not in tower.accepts:
        return False
    choices = release.tower_choices(where)
    if choices is not None and backend not in choices:
        return False
    if backend == "FLASH_ATTN":
        return _flash_attn_in_tower(where)
    if backend == _PLAIN_TORCH or (choices is not None and backend == "TRITON_ATTN"):
        return True
    return None


def _flash_attn_in_tower(where: Where) -> bool | None:
    if where.platform == "cuda":
        too_old = below(where.compute_capability, _FLASH_ATTN_FLOOR)
        return None if too_old is None else not too_old
    return {"xpu": True, "cpu": False}.get(where.platform)


@lru_cache(maxsize=_REMEMBERED)
def own_choices(release: Release, where: Where) -> frozenset[str]:
    """Return what the release may choose for an encoder on the machines that unknown facts leave open."""
    choices = [release.tower_default(machine) for machine in completions(where)]
    return frozenset(choice.backend for choice in choices if choice)


@lru_cache(maxsize=_REMEMBERED)
def default_works(
    release: Release, label: str | None, where: Where, installed: frozenset[str]
) -> tuple[bool | None, tuple[Doubt, ...]]:
    """Tell whether an encoder starts when nothing is set, and what that depends on.

    A release may choose a package that it does not install on that machine (xformers on aarch64 up to
    0.11.2), or a backend that the encoder with this label refuses (TORCH_SDPA for Keye-VL in 0.11.2).
    """
    good = False
    lacking: list[tuple[Where, str]] = []
    refused: list[tuple[Where, str]] = []
    tower = release.tower(label) if label else None
    rescued = release.tower_rescued_by() in installed
    for machine in completions(where):
        choice = None if rescued else release.tower_default(machine)
        if choice and tower and choice.backend not in tower.accepts:
            refused.append((machine, choice.backend))
        elif choice and choice.missing_package and choice.missing_package not in installed:
            lacking.append((machine, choice.missing_package))
        else:
            good = True
    if not lacking and not refused:
        return True, ()
    return None if good else False, (*_lacking(where, lacking), *_refused(refused))


def _lacking(where: Where, machines: list[tuple[Where, str]]) -> tuple[Doubt, ...]:
    """Return the doubt about a package that the release chooses and does not install."""
    if not machines:
        return ()
    values = (("package", machines[0][1]),)
    if where.architecture is None and all(machine.architecture == "aarch64" for machine, _ in machines):
        return (Doubt("architecture", "if.not-aarch64", values),)
    return (Doubt("gpu", "if.default-installed", values),)


def _refused(machines: list[tuple[Where, str]]) -> tuple[Doubt, ...]:
    """Return the doubt about a backend that the release chooses and the encoder refuses."""
    if not machines:
        return ()
    capabilities = dict.fromkeys(machine.compute_capability or "?" for machine, _ in machines)
    values = (("value", ", ".join(capabilities)), ("backend", machines[0][1]))
    return (Doubt("gpu", "if.default-accepted", values),)
