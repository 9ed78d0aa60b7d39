"""Versions of installed packages, as `pip list`, `pip freeze`, collect_env and paths show them."""

from typing import Final

import re2

from rules.engine.paste.fact_reading.page import Page

#: packages whose version can decide an answer; a paste lists hundreds of others
_WATCHED: Final = (
    *(
        "torch",
        "torchvision",
        "torchaudio",
        "triton",
        "transformers",
        "tokenizers",
        "flash-attn",
        "flashinfer-python",
    ),
    *(
        "flashinfer-cubin",
        "flashinfer-jit-cache",
        "flashinfer",
        "xformers",
        "vllm-flash-attn",
        "numpy",
        "ray",
        "aiter",
        "amd-aiter",
    ),
    *(
        "bitsandbytes",
        "huggingface-hub",
        "xgrammar",
        "outlines",
        "compressed-tensors",
        "mistral-common",
        "lmcache",
        "deep-gemm",
    ),
    *(
        "nvidia-nccl-cu12",
        "nvidia-nccl-cu13",
        "nvidia-cudnn-cu12",
        "nvidia-cudnn-cu13",
        "nvidia-cublas-cu12",
        "pydantic",
    ),
    *(
        "intel-extension-for-pytorch",
        "sglang",
        "setuptools",
        "safetensors",
        "accelerate",
        "flash-attn-3",
        "quack-kernels",
    ),
    *(
        "nvidia-cutlass-dsl",
        "triton-kernels",
        "pynvml",
        "nvidia-ml-py",
        "timm",
        "tilelang",
        "apache-tvm-ffi",
        "vllm-ascend",
    ),
)
#: so many statements are read
_MOST_STATEMENTS: Final = 2000
_NAMES: Final = "|".join(name.replace("-", "[-_]") for name in sorted(_WATCHED, key=len, reverse=True))
_LISTED: Final = re2.compile(
    rb"(?m)(?:^|[\s'\"`(,/])(" + _NAMES.encode() + rb")(?:==|\s{1,40}|-)v?(\d+(?:\.\d+)+[A-Za-z0-9.+]*)"
)
_TORCH: Final = re2.compile(rb"PyTorch version\s*: (\d[A-Za-z0-9.+]*)")


def read_packages(page: Page) -> dict[str, str]:
    """Return versions by package name (`flash-attn`), the first statement of each."""
    found: dict[str, str] = {}
    for seen, match in enumerate(_LISTED.finditer(page.data)):
        name = match.group(1).decode().replace("_", "-")
        found.setdefault(name, match.group(2).decode().rstrip("."))
        if seen == _MOST_STATEMENTS:
            break
    if "torch" not in found:
        match = _TORCH.search(page.data)
        if match is not None:
            found["torch"] = match.group(1).decode()
    return found
