"""A few vLLM releases written by hand from the research notes.

A working implementation of the release facts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from packaging.version import Version

from rules.releases.model import (
    Backend,
    ChosenBy,
    Flag,
    Message,
    Part,
    Reach,
    Source,
    Tower,
    Unread,
    Variable,
)
from rules.releases.release import Choice, Where

HERE = Source("handmade", 1)
OLD_NAMES = ("FLASH_ATTN", "XFORMERS", "TORCH_SDPA", "FLASHINFER")
NAMES = ("FLASH_ATTN", "TRITON_ATTN", "XFORMERS", "TORCH_SDPA", "FLASHINFER", "FLEX_ATTENTION")
TOWER_FLAG = "--mm-encoder-attn-backend"
VARIABLE = "VLLM_ATTENTION_BACKEND"


@dataclass(frozen=True, eq=False)
class HandmadeRelease:
    """One release; what it does not say is empty."""

    number: str
    names: tuple[str, ...] = NAMES
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    has_tower_flag: bool = False
    has_text_flag: bool = False
    reach_of_variable: tuple[Part, ...] = (Part.TEXT, Part.TOWER)
    user_line: str | None = None
    auto_line: str | None = None
    #: True where the tower takes XFORMERS by itself for head sizes that FlashAttention lacks
    xformers_default: bool = False
    checks_capability: bool = True

    @property
    def version(self) -> Version:
        return Version(self.number)

    def backends(self) -> list[Backend]:
        return [self._backend(name) for name in self.names]

    def backend(self, name: str) -> Backend | None:
        return self._backend(name) if name in self.names else None

    def _backend(self, name: str) -> Backend:
        package = {"FLASHINFER": "flashinfer-python", "XFORMERS": "xformers"}.get(name)
        return Backend(name, HERE, None, None, None, None, None, None, package=package)

    def text_order(self, where: Where) -> tuple[str, ...] | None:
        if where.compute_capability is None:
            return None
        major = int(where.compute_capability.split(".")[0])
        if major < 8:
            old = ("TRITON_ATTN", "FLEX_ATTENTION")
            return ("FLASHINFER", *old) if where.compute_capability == "7.5" else old
        return ("FLASHINFER", "FLASH_ATTN") if major == 10 else ("FLASH_ATTN", "FLASHINFER")

    def text_accepts(self, backend: str, where: Where) -> bool | None:
        if backend not in self.names:
            return False
        floor = {"FLASH_ATTN": 8.0, "FLASHINFER": 7.5}.get(backend)
        if floor is None or not self.checks_capability:
            return True
        return None if where.compute_capability is None else float(where.compute_capability) >= floor

    def towers(self) -> list[Tower]:
        return [tower for label in self.labels if (tower := self.tower(label))]

    def tower(self, label: str) -> Tower | None:
        if label not in self.labels:
            return None
        return Tower(
            label, self.labels[label], f"{label} does not support {{}} backend now.", HERE, reachable=True
        )

    def tower_default(self, where: Where) -> Choice | None:
        if where.compute_capability is None or where.architecture is None:
            return None
        major = int(where.compute_capability.split(".")[0])
        if self.xformers_default and major < 10:
            return Choice("XFORMERS", "xformers" if where.architecture == "aarch64" else None)
        if self.xformers_default:
            return Choice("TORCH_SDPA")
        return Choice("FLASH_ATTN" if major >= 8 else "TORCH_SDPA")

    def tower_choices(self, where: Where) -> tuple[str, ...] | None:
        return NAMES if self.has_tower_flag else None

    def tower_rescued_by(self) -> str | None:
        return "flash-attn" if self.xformers_default else None

    def flags(self) -> list[Flag]:
        names = [TOWER_FLAG] * self.has_tower_flag + ["--attention-backend"] * self.has_text_flag
        return [Flag(name, HERE) for name in names]

    def dotted_flags(self) -> list[Flag]:
        return []

    def flag(self, name: str) -> Flag | None:
        return next((flag for flag in self.flags() if flag.name == name), None)

    def variables(self) -> list[Variable]:
        return [Variable(VARIABLE, HERE)] if self.reach_of_variable else []

    def variable(self, name: str) -> Variable | None:
        return next((one for one in self.variables() if one.name == name), None)

    def reach(self, setting: str) -> Reach:
        parts: tuple[Part, ...] = ()
        if setting == VARIABLE:
            parts = self.reach_of_variable
        elif setting == TOWER_FLAG and self.has_tower_flag:
            parts = (Part.TOWER,)
        elif setting == "--attention-backend" and self.has_text_flag:
            parts = (Part.TEXT,)
        return Reach(setting, parts, Unread.IS_READ if parts else Unread.SILENT, None, None)

    def selection_line(
        self, part: Part, backend: str, chosen_by: ChosenBy, platform: str = "cuda"
    ) -> str | None:
        template = self.user_line if chosen_by is ChosenBy.USER else self.auto_line
        if part is Part.TOWER or template is None:
            return None
        return template.replace("{backend}", backend)

    def messages(self) -> Iterator[Message]:
        yield from ()

    def requirement(self, package: str) -> str | None:
        return "==0.0.33; platform_machine == 'x86_64'" if package == "xformers" else None


_FOUR = ("FLASH_ATTN", "TORCH_SDPA", "XFORMERS", "ROCM_AITER_FA")
_QWEN = {"Qwen3-VL": _FOUR, "Qwen2-VL": _FOUR}
_OLD = {"Qwen2-VL": ("FLASH_ATTN", "TORCH_SDPA", "XFORMERS")}
_ENUM = "Using AttentionBackendEnum.{backend} backend."

RELEASES = (
    HandmadeRelease("0.8.5", OLD_NAMES, _OLD, xformers_default=True, checks_capability=False),
    HandmadeRelease("0.10.2", NAMES, _OLD, xformers_default=True, checks_capability=False),
    HandmadeRelease("0.11.0", NAMES, _QWEN, xformers_default=True, checks_capability=False),
    HandmadeRelease("0.11.1", NAMES, _QWEN, has_tower_flag=True, user_line=_ENUM,
                    auto_line="Using {backend} backend.", xformers_default=True),
    HandmadeRelease("0.11.2", NAMES, _QWEN, has_tower_flag=True, user_line=_ENUM,
                    auto_line="Using {backend} backend.", xformers_default=True),
    HandmadeRelease("0.12.0", tuple(name for name in NAMES if name != "XFORMERS"),
                    {"Qwen3-VL": ("FLASH_ATTN", "TORCH_SDPA", "ROCM_AITER_FA")}, has_tower_flag=True,
                    user_line=_ENUM, auto_line="Using {backend} attention backend out of potential backends"),
    HandmadeRelease("0.13.0", tuple(name for name in NAMES if name != "XFORMERS"), {}, has_tower_flag=True,
                    has_text_flag=True, reach_of_variable=(Part.TEXT,), user_line=_ENUM,
                    auto_line="Using {backend} attention backend out of potential backends"),
    HandmadeRelease("0.15.0", tuple(name for name in NAMES if name != "XFORMERS"), {}, has_tower_flag=True,
                    has_text_flag=True, reach_of_variable=(), user_line=_ENUM,
                    auto_line="Using {backend} attention backend out of potential backends"),
)  # fmt: skip


class HandmadeReleases:
    """All of them, oldest first."""

    def versions(self) -> tuple[Version, ...]:
        return tuple(release.version for release in RELEASES)

    def get(self, version: Version | str) -> HandmadeRelease:
        wanted = Version(str(version))
        return next(release for release in RELEASES if release.version == wanted)
