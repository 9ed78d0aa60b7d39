"""Which GPU, platform and architecture a paste comes from. Not for what they can do."""

from dataclasses import dataclass, replace
from typing import Final

import re2

from rules.engine.gpus import HINT, Gpu, find_gpu, read_capability, read_gpu
from rules.engine.paste.fact_reading.page import Page, is_printed

#: literal in the line, pattern whose first group names the GPU and whose second states the capability
_STATEMENTS: Final = tuple(
    (literal, re2.compile(pattern))
    for literal, pattern in (
        ("compute capability", r"[Yy]our device '([^']{2,80})' \(with compute capability (\d+\.\d)\)"),
        ("GPU has compute capability", r"Your (.{2,80}) GPU has compute capability (\d+\.\d)"),
        ("CUDA capability", r"(NVIDIA .{2,80}|Tesla .{2,40}|Quadro .{2,40}) with CUDA capability (sm_\d+)"),
        ("(UUID: ", r"^\s*GPU \d+: (.{2,80}) \(UUID"),
        ("GPU 0: ", r"GPU 0: ([A-Z][^(\n]{2,80})"),
        ("GPU models and configuration", r"GPU models and configuration\s*: *([A-Z][^\n]{2,80})"),
        (
            "|  ",
            r"^\|\s+\d+\s+((?:NVIDIA|Tesla|Quadro|GeForce|AMD)[^|]{2,50}?)(?:\s+(?:On|Off|N/A|TCC|WDDM))?\s*\|",
        ),
        ("device_name=", r"device_name=([A-Za-z0-9_-]{2,60})"),
        ("name, compute_cap", r"()(\d+\.\d)$"),
        ("Device name:", r"Device name: *'?([A-Za-z][^'\n]{2,60})"),
        ("Card Series:", r"Card Series:\s*([A-Za-z][^\n]{2,60})"),
        ("Marketing Name:", r"Marketing Name:\s*(AMD (?:Instinct|Radeon)[^\n]{2,60})"),
    )
)
_QUERY: Final = re2.compile(r"^\s*((?:NVIDIA|Tesla|Quadro|GeForce)[^,\n]{1,60}), *(\d+\.\d)\s*$")
_CURRENT: Final = re2.compile(r"[Cc]urrent capability: (\d{2,3})\b")
_CAPABILITY_HINT: Final = re2.compile(rb"(?i)\bsm[_ -]?\d|\bcompute|capability|\bcc \d")
_ORIGIN_PLATFORMS: Final = (
    ("cpu_", "cpu"),
    ("cpu.py", "cpu"),
    ("xpu", "xpu"),
    ("tpu", "tpu"),
    ("rocm.py", "rocm"),
    ("cuda.py", "cuda"),
    ("hpu", "hpu"),
)
_TEXT_PLATFORMS: Final = (
    ("device_config=cpu", "cpu"),
    ("device_config=cuda", None),
    ("Automatically detected platform cuda", "cuda"),
    ("Automatically detected platform rocm", "rocm"),
    ("Automatically detected platform cpu", "cpu"),
    ("Automatically detected platform xpu", "xpu"),
    ("Automatically detected platform tpu", "tpu"),
    ("Platform plugin ascend is activated", "npu"),
    ("HIP error", "rocm"),
    ("HIP out of memory", "rocm"),
    ("CUDA out of memory", "cuda"),
    ("CUDA error", "cuda"),
    ("-packages/aiter/", "rocm"),
    ("for cuda with AttentionSelectorConfig", "cuda"),
    ("for rocm with AttentionSelectorConfig", "rocm"),
    # not `on the CPU backend` alone: any GPU's message about memory says what a flag does there
    ("prefix-cache on the CPU backend", "cpu"),
    ("KV cache on the CPU backend", "cpu"),
    ("backend on CPU", "cpu"),
    ("NPU out of memory", "npu"),
)
_ARM: Final = ("aarch64", "linux/arm64", "linux-arm64")
_X86: Final = ("x86_64", "linux/amd64")


LITERALS: Final = (
    *(literal for literal, _ in _STATEMENTS),
    *(text for text, _ in _TEXT_PLATFORMS),
    *("NVIDIA ", "Tesla ", "urrent capability: ", "Architecture:", *_ARM, *_X86),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """What a paste says of the machine; None where it says nothing."""

    gpu: str | None = None
    capability: str | None = None
    platform: str | None = None
    architecture: str | None = None
    #: two GPUs of different capability that the paste names, None when there are none
    contradiction: tuple[str, str] | None = None


def read_machine(page: Page, version: str | None) -> Machine:
    """Return what the paste says of the machine; a build (`+cpu`, `+rocm…`) tells the platform too."""
    stated = _stated(page)
    known = stated[0] if stated else _in_prose(page)
    platform = (known[1].platform if known else None) or _platform(page, version)
    architecture = (known[1].architecture if known else None) or _architecture(page)
    capability = known[1].capability if known else _capability_alone(page)
    different = _different(stated)
    if different is not None:
        return Machine(None, None, platform, None, different)
    return Machine(known[0] if known else None, capability, platform, architecture, different)


def _stated(page: Page) -> list[tuple[str, Gpu]]:
    """Return the GPUs that programs name, as printed and as understood."""
    found: list[tuple[str, Gpu]] = []
    for literal, pattern in _STATEMENTS:
        for _, text in page.with_literal(literal):
            match = pattern.search(text)
            if match is None or not match.group(1):
                continue
            groups = match.groups()
            entry = _understood(groups[0], groups[1] if len(groups) > 1 else None)
            if entry is not None:
                found.append(entry)
                break
    for literal in ("NVIDIA ", "Tesla "):
        for _, text in page.with_literal(literal):
            match = _QUERY.match(text)
            entry = None if match is None else _understood(match.group(1), match.group(2))
            if entry is not None:
                found.append(entry)
                break
    return found


def _understood(name: str, capability: str | None) -> tuple[str, Gpu] | None:
    name = name.strip().replace("_", " ").rstrip(" .…")
    gpu = read_gpu(name)
    stated = None if capability is None else read_capability(capability)
    if gpu is None and stated is None:
        return None
    gpu = gpu or Gpu(platform="cuda")
    return name, replace(gpu, capability=stated or gpu.capability)


def _different(stated: list[tuple[str, Gpu]]) -> tuple[str, str] | None:
    first = stated[0] if stated else None
    for name, gpu in stated[1:]:
        if first and gpu.capability and first[1].capability and gpu.capability != first[1].capability:
            return first[0], name
    return None


def _in_prose(page: Page) -> tuple[str, Gpu] | None:
    """Return the one GPU that the person names; several different ones say nothing."""
    found: dict[str, Gpu] = {}
    for index, text in page.matching(HINT):
        if is_printed(page.lines[index]) or len(text) > 1000:
            continue
        gpu = find_gpu(text)
        if gpu is not None and gpu.product is not None:
            found.setdefault(gpu.product, gpu)
    return next(iter(found.items())) if len(found) == 1 else None


def _capability_alone(page: Page) -> str | None:
    """Return a capability stated without a GPU's name."""
    for literal, pattern in (("urrent capability: ", _CURRENT),):
        for _, text in page.with_literal(literal):
            match = pattern.search(text)
            if match is not None:
                return read_capability(f"sm_{match.group(1)}")
    for index, text in page.matching(_CAPABILITY_HINT):
        if not is_printed(page.lines[index]) and len(text) < 1000:
            capability = read_capability(text)
            if capability is not None:
                return capability
    return None


def _platform(page: Page, version: str | None) -> str | None:
    build = (version or "").partition("+")[2]
    for mark, platform in (("cpu", "cpu"), ("rocm", "rocm"), ("cu1", "cuda"), ("xpu", "xpu"), ("tpu", "tpu")):
        if build.startswith(mark):
            return platform
    for text, named in _TEXT_PLATFORMS:
        if named is not None and page.holds(text):
            return named
    for origin in dict.fromkeys(line.origin for line in page.lines if line.origin is not None):
        for mark, named in _ORIGIN_PLATFORMS:
            if origin.rpartition("/")[2].startswith(mark):
                return named
    return None


def _architecture(page: Page) -> str | None:
    for _, text in page.with_literal("Architecture:"):
        if any(mark in text for mark in _ARM):
            return "aarch64"
        if any(mark in text for mark in _X86):
            return "x86_64"
    arm = any(page.holds(mark) for mark in _ARM)
    x86 = any(page.holds(mark) for mark in _X86)
    if arm == x86:
        return None
    return "aarch64" if arm else "x86_64"
