"""What is known beside a launch: the machine, the model's configuration, files it names. Not the launch."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rules.engine.gpus import read_gpu
from rules.releases.release import Where

if TYPE_CHECKING:
    from collections.abc import Mapping

_EMPTY: Mapping[str, Any] = MappingProxyType({})
#: marks in the name of an image that say what it was built for, the more telling first
_IMAGES = (("rocm", "rocm"), ("xpu", "xpu"), ("tpu", "tpu"), ("cpu", "cpu"), ("vllm/vllm-openai", "cuda"))


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the server is to run; what is unknown is None."""

    platform: str | None = None
    gpu: str | None = None
    compute_capability: str | None = None
    architecture: str | None = None

    @classmethod
    def named(cls, text: str) -> Machine | None:
        """Return the machine that a GPU's name or a compute capability means; None when it means nothing."""
        found = read_gpu(text)
        if found is None or not (found.product or found.capability or found.platform):
            return None
        platform = found.platform or ("cuda" if found.capability else None)
        return cls(platform, found.product, found.capability, found.architecture)

    @classmethod
    def of_image(cls, image: str | None) -> Machine:
        """Return what the name of an image says of the machine."""
        name = (image or "").lower()
        return cls(next((platform for mark, platform in _IMAGES if mark in name), None))

    def where(self, head_size: int | None, *, mla: bool = False) -> Where:
        """Return the question to the release facts for this machine."""
        return Where(
            self.platform or "cuda", self.compute_capability, self.architecture, head_size=head_size, mla=mla
        )


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside the launch itself."""

    #: the release as given or as an image says it (`0.11.2`, `0.11.*`), None when nobody said
    vllm_version: str | None = None
    machine: Machine = field(default_factory=Machine)
    #: a GPU as somebody named it (`H100`, `Tesla T4`, `sm_90`), which says what `machine` leaves open
    gpu: str | None = None
    #: the model's `config.json`, None when it is not at hand
    model_config: Mapping[str, Any] | None = None
    #: texts of the files that `--config` names, by that name
    config_files: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: names of the files in a local model folder; None when the model is no folder at hand
    model_files: frozenset[str] | None = None
