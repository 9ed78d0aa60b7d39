"""The enum of attention backends, and the class behind each member. Not for what the classes declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.releases.extractor.attention.question import Asker, Machine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.releases.extractor.evaluation.values import ClassValue

#: where the enum lives, newest place first, with its name there
ENUMS = (
    ("vllm.v1.attention.backends.registry", "AttentionBackendEnum"),
    ("vllm.attention.backends.registry", "AttentionBackendEnum"),
    ("vllm.platforms.interface", "_Backend"),
    ("vllm.attention.selector", "_Backend"),
)
#: where classes of backends lie in releases whose enum does not name them; the engine that is the default
#: comes first
CLASS_FOLDERS = ("vllm/v1/attention/backends", "vllm/attention/backends")
#: members by the name of their class, for releases whose enum has no class paths; the first that the enum
#: has counts
MEMBERS_BY_CLASS: Mapping[str, tuple[str, ...]] = {
    "FlashAttentionBackend": ("FLASH_ATTN",),
    "XFormersBackend": ("XFORMERS",),
    "XFormersAttentionBackend": ("XFORMERS",),
    "FlashInferBackend": ("FLASHINFER",),
    "TritonAttentionBackend": ("TRITON_ATTN", "TRITON_ATTN_VLLM_V1"),
    "FlexAttentionBackend": ("FLEX_ATTENTION",),
    "TreeAttentionBackend": ("TREE_ATTN",),
    "TritonMLABackend": ("TRITON_MLA",),
    "FlashMLABackend": ("FLASHMLA",),
    "CutlassMLABackend": ("CUTLASS_MLA", "CUTLASS_MLA_VLLM_V1"),
    "FlashInferMLABackend": ("FLASHINFER_MLA",),
    "FlashAttnMLABackend": ("FLASH_ATTN_MLA",),
    "AiterMLABackend": ("ROCM_AITER_MLA",),
    "AiterFlashAttentionBackend": ("ROCM_AITER_FA",),
    "RocmAttentionBackend": ("ROCM_ATTN",),
    "ROCmFlashAttentionBackend": ("ROCM_FLASH",),
    "TorchSDPABackend": ("TORCH_SDPA",),
    "OpenVINOAttentionBackend": ("OPENVINO",),
    "IpexAttnBackend": ("IPEX",),
    "HPUAttentionBackend": ("HPU_ATTN",),
    "PallasAttentionBackend": ("PALLAS",),
    "PlaceholderAttentionBackend": ("NO_ATTENTION",),
    "DualChunkFlashAttentionBackend": ("DUAL_CHUNK_FLASH_ATTN",),
    "DifferentialFlashAttentionBackend": ("DIFFERENTIAL_FLASH_ATTN",),
    "BlocksparseFlashAttentionBackend": ("BLOCK_SPARSE_FLASH_ATTN",),
}
_SUFFIX = "_VLLM_V1"


def backend_enum(asker: Asker) -> ClassValue | None:
    """Return the enum of attention backends, wherever this release keeps it."""
    found = (asker.names.class_named(module, name) for module, name in ENUMS)
    return next((cls for cls in found if cls is not None and asker.names.has_base(cls, "Enum")), None)


class BackendClasses:
    """The class behind each member of the enum, and the member behind each class."""

    def __init__(self, asker: Asker, enum: ClassValue) -> None:
        self._asker = asker
        self._enum = enum
        run = asker.interpreter(Machine())
        self._paths = {member.name: member.value for member in run.enum_members(enum)}
        self._by_name: dict[str, ClassValue] = {}
        if not any(isinstance(path, str) for path in self._paths.values()):
            self._search()

    def of_member(self, name: str) -> ClassValue | None:
        """Return the class of a member, None when it has none of its own."""
        path = self._paths.get(name)
        if isinstance(path, str):
            module, _, last = path.rpartition(".")
            return self._asker.names.class_named(module, last)
        return self._by_name.get(name) or self._by_name.get(name.removesuffix(_SUFFIX))

    def of_class(self, path: str) -> str | None:
        """Return the member that stands for a class path, None when none does."""
        named = next((name for name, value in self._paths.items() if value == path), None)
        return named or self._member_of(path.rpartition(".")[2])

    def _member_of(self, class_name: str) -> str | None:
        return next((name for name in MEMBERS_BY_CLASS.get(class_name, ()) if name in self._paths), None)

    def _search(self) -> None:
        tree = self._asker.names.tree
        for folder in CLASS_FOLDERS:
            for path in tree.paths(folder):
                module = tree.module(path)
                for name in () if module is None else module.classes:
                    member = self._member_of(name)
                    found = self._asker.names.class_named(module.dotted, name) if module and member else None
                    if member is not None and found is not None:
                        self._by_name.setdefault(member, found)
