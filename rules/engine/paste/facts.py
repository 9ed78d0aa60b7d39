"""Facts: what is known of a release, a host and a launch, read or given. Not for finding them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Facts:
    """What a paste, its sender and a registered host say together; what is unknown is None or empty."""

    #: the release as printed or given, in PEP 440 form (`0.11.2`, `0.11.3.dev0`, `0.11.2+cu128`)
    vllm_version: str | None = None
    #: PEP 440 specifier when only the series is known (`==0.11.*`); None when the release is known
    vllm_series: str | None = None
    #: product name of the GPU as it is known (`NVIDIA H100 80GB HBM3`)
    gpu: str | None = None
    #: `9.0`; from the paste, or from the product name
    compute_capability: str | None = None
    #: `cuda`, `rocm`, `cpu`, `xpu`, `tpu`
    platform: str | None = None
    #: `x86_64` or `aarch64`
    architecture: str | None = None
    #: model as it was launched (`Qwen/Qwen3-VL-30B-A3B-Instruct` or a path)
    model: str | None = None
    #: environment variables of the launch that the paste or the sender shows
    env: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: command of the launch, empty when unknown
    argv: tuple[str, ...] = ()
    #: what stands before the server's own arguments where a container was launched, up to the image (`docker`,
    #: `run`, `-p`, `8001:8000`, `vllm/vllm-openai:v0.11.2`); empty for a launch on the host or an unknown one
    container: tuple[str, ...] = ()
    #: flags known from the command line or from `non-default args`, by long name (`--tensor-parallel-size`)
    flags: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: backend that the launch asked for, as an enum member (`FLASHINFER`)
    backend_requested: str | None = None
    #: backend that the log says was chosen, as an enum member
    backend_selected: str | None = None
    #: `serving` where the paste shows that the failure came after the server was up; None: that is open
    stage: str | None = None
    #: versions of installed packages (`{"flash-attn": "2.8.3"}`)
    packages: Mapping[str, str] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True)
class Given:
    """Facts that came beside the paste (options, a form, a registry); what the paste itself says wins."""

    vllm_version: str | None = None
    #: a product name in any spelling, or a compute capability (`H100`, `Tesla T4`, `sm_90`, `9.0`)
    gpu: str | None = None
    model: str | None = None
    env: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: the launch command as one line of shell, or what somebody says of it: variables, flags, Python code
    command: str | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing was given; whoever gives something asks."""
        return not (self.vllm_version or self.env or self.tells_launch)

    @property
    def tells_launch(self) -> bool:
        """Tell whether what was given belongs to one launch, be it only its machine or its model."""
        return bool(self.gpu or self.model or self.command)
