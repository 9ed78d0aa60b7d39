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
        backend == "FLASH_ATTN"
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
def default_works(
    release: Release, where: Where, installed: frozenset[str]
) -> tuple[bool | None, Doubt | None]:
    """Tell whether an encoder starts when nothing is set, and what that depends on.

    A release may choose a package that it does not install on that machine (xformers on aarch64 up to
    0.11.2).
    """
    good: list[Where] = []
    bad: list[Where] = []
    package = ""
    rescue = release.tower_rescued_by()
    for machine in completions(where):
        choice = release.tower_default(machine)
        missing = choice.missing_package if choice else None
        if missing and missing not in installed and rescue not in installed:
            bad.append(machine)
            package = missing
        else:
            good.append(machine)
    if not bad:
        return True, None
    if not good:
        return False, None
    # `packages` of a host that is not Arm lists what the release installs, so the architecture decides first
    by_architecture = where.architecture is None and all(machine.architecture == "aarch64" for machine in bad)
    if by_architecture:
        return None, Doubt("architecture", "if.not-aarch64", (("package", package),))
    return None, Doubt("gpu", "if.default-installed", (("package", package),))
