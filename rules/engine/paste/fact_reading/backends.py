"""Which attention backend was asked for and which was chosen. Not for which would have been right."""

from collections.abc import Mapping
from typing import Final

import re2

from rules.engine.paste.fact_reading.page import Page

#: names that log lines give to members of the enum (vLLM 0.6.3 to 0.33.0), in lower case without blanks
_SPOKEN: Final = {
    "flashattention": "FLASH_ATTN",
    "flashinfer": "FLASHINFER",
    "xformers": "XFORMERS",
    "triton": "TRITON_ATTN",
    "tritonattention": "TRITON_ATTN",
    "flexattention": "FLEX_ATTENTION",
    "flexattenion": "FLEX_ATTENTION",
    "torchsdpa": "TORCH_SDPA",
    "tritonmla": "TRITON_MLA",
    "flashmla": "FLASHMLA",
    "cutlassmla": "CUTLASS_MLA",
    "flashinfermla": "FLASHINFER_MLA",
    "flashattentionmla": "FLASH_ATTN_MLA",
    "flashattnmla": "FLASH_ATTN_MLA",
    "rocmflashattention": "ROCM_FLASH",
    "rocmattention": "ROCM_ATTN",
    "aiterflashattention": "ROCM_AITER_FA",
    "aiterunifiedattention": "ROCM_AITER_UNIFIED_ATTN",
    "aitermla": "ROCM_AITER_MLA",
    "aitertritonmla": "ROCM_AITER_TRITON_MLA",
    "treeattention": "TREE_ATTN",
    "pallas": "PALLAS",
    "pallasv1": "PALLAS_VLLM_V1",
    "ipex": "IPEX",
    "hpuattention": "HPU_ATTN",
    "cpumla": "CPU_MLA",
    "dualchunkflashattention": "DUAL_CHUNK_FLASH_ATTN",
    "differentialflashattention": "DIFFERENTIAL_FLASH_ATTN",
    "blocksparseflashattention": "BLOCK_SPARSE_FLASH_ATTN",
    "turboquant": "TURBOQUANT",
    "openvinoattention": "OPENVINO",
}
_SELECTED: Final = re2.compile(
    r"Using (?:AttentionBackendEnum\.|_Backend\.)?([A-Za-z_0-9 ]+?)(?: attention)? backend"
    r"(?: on V1 engine| out of| \(selected|\.|$| for head| with | by default)"
)
_MEMBER: Final = re2.compile(r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_WHOLE_MEMBERS: Final = frozenset(
    {
        "FLASHINFER",
        "XFORMERS",
        "FLASHMLA",
        "PALLAS",
        "IPEX",
        "TURBOQUANT",
        "B12X",
        "OPENVINO",
        "CUSTOM",
        "ULTRAQUANT",
    }
)
#: texts that name what the launch asked for
_REQUESTED: Final = tuple(
    (literal, re2.compile(pattern))
    for literal, pattern in (
        ("VLLM_ATTENTION_BACKEND is set to", r"VLLM_ATTENTION_BACKEND is set to ([A-Za-z0-9_]+)"),
        ("for VLLM_ATTENTION_BACKEND", r"Invalid value '([^']*)' for VLLM_ATTENTION_BACKEND"),
        ("Invalid attention backend", r"Invalid attention backend: '?([A-Za-z0-9_]+)"),
        ("Unknown attention backend", r"Unknown attention backend: '([^']*)'"),
        (
            "Selected backend",
            r"Selected backend (?:AttentionBackendEnum\.|_Backend\.)?([A-Z0-9_]+) is not valid",
        ),
        ("backend on CPU", r"Cannot use (?:AttentionBackendEnum\.|_Backend\.)?([A-Z0-9_]+) backend on CPU"),
        ("with VLLM_ATTENTION_BACKEND=", r"is not supported with VLLM_ATTENTION_BACKEND=([A-Za-z0-9_]+)"),
    )
)
LITERALS: Final = (" backend", *(literal for literal, _ in _REQUESTED))
_FLAGS: Final = ("--attention-backend", "--attention-config.backend")
_CONFIG_FLAGS: Final = ("--attention-config", "-ac")
_CONFIG_BACKEND: Final = re2.compile(
    r"[\"']?backend[\"']?\s*[:=]\s*<?[\"']?(?:AttentionBackendEnum\.)?([A-Za-z0-9_]+)"
)


def normal_backend(name: str) -> str:
    """Return the enum member for a value as people and programs write it (`flash-attn`, `_Backend.X`)."""
    bare = name.strip().strip("'\"<>").removeprefix("AttentionBackendEnum.").removeprefix("_Backend.")
    spoken = _SPOKEN.get(bare.lower().replace(" ", "").replace("_", "").replace("-", ""))
    upper = bare.upper().replace("-", "_").replace(" ", "_")
    return upper if _is_member(upper) else spoken or upper


def read_selected(page: Page) -> str | None:
    """Return the backend of the language model that the last line about it names, None without one."""
    selected: str | None = None
    for index, text in page.with_literal(" backend"):
        if "Using " not in text or page.lines[index].text[:1] in " \t":
            continue
        match = _SELECTED.search(text)
        name = None if match is None else _known(match.group(1))
        if name is not None:
            selected = name
    return selected


def _known(name: str) -> str | None:
    """Return the member for a name in a log line, None when the line is about another kind of backend."""
    if _is_member(name):
        return name
    return _SPOKEN.get(name.lower().replace(" ", ""))


def _is_member(name: str) -> bool:
    return name in _WHOLE_MEMBERS or _MEMBER.match(name) is not None


def read_requested(page: Page, flags: Mapping[str, str], env: Mapping[str, str]) -> str | None:
    """Return the backend that the launch asked for: by flag, by variable, or as a message says."""
    for flag in _FLAGS:
        if flags.get(flag):
            return normal_backend(flags[flag])
    for flag in _CONFIG_FLAGS:
        match = _CONFIG_BACKEND.search(flags.get(flag, ""))
        if match is not None and match.group(1) != "None":
            return normal_backend(match.group(1))
    if env.get("VLLM_ATTENTION_BACKEND"):
        return normal_backend(env["VLLM_ATTENTION_BACKEND"])
    for literal, pattern in _REQUESTED:
        for _, text in page.with_literal(literal):
            match = pattern.search(text)
            if match is not None and match.group(1):
                return normal_backend(match.group(1))
    return None
