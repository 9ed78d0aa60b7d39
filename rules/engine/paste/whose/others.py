"""Tells which other program printed a paste that is not vLLM's. Not for what failed in it."""

from collections.abc import Sequence
from typing import Final

import re2

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.rootcause import CauseReading
from rules.engine.paste.whose.marks import OTHERS, PASSED_THROUGH, SHARED

_ANY_OTHER: Final = re2.compile("|".join(re2.escape(mark) for _, marks in OTHERS for mark in marks))
#: who writes one of these uses vLLM, whatever program of theirs calls it
_USES_VLLM: Final = re2.compile(r"(?i)vllm|\bLLM\(|SamplingParams|EngineArgs|EngineCore")
#: a frame within a function of a program that is not installed as a library
_OWN_FRAME: Final = re2.compile(r'^\s*File "(?P<file>(?:/|[A-Za-z]:\\)[^"<]+)", line \d+, in \w')
#: paths of the language, of what is installed, and of what vLLM itself calls
_LIBRARIES: Final = re2.compile(
    r"(?:site|dist)-packages|[/\\]lib(?:64)?[/\\]|[/\\](?:torch|triton|flashinfer|flash_attn|xformers|transformers|ray"
    r"|aiter|deep_gemm|lmcache|nixl|huggingface_hub|xgrammar|outlines)[/\\]"
)
#: a program whose name is unknown, but whose frames are there and none of vLLM's
_UNNAMED: Final = "another program"


def other_program(
    text: str, lines: Sequence[EvidenceLine], causes: CauseReading, *, records: bool
) -> str | None:
    """Return whose output it plainly is instead of vLLM's; None when it is vLLM's or cannot be told."""
    return _marked_program(text, lines, causes, records=records) or _unnamed_program(text, lines)


def _marked_program(
    text: str, lines: Sequence[EvidenceLine], causes: CauseReading, *, records: bool
) -> str | None:
    """Return the other program whose marks are in the text, unless vLLM's own files or records are too."""
    if _ANY_OTHER.search(text) is None:
        return None
    found = next((name for name, marks in OTHERS if any(mark in text for mark in marks)), None)
    if found is None:
        return None
    if found in {"transformers", "diffusers", "Megatron", "ComfyUI"} and _names_vllm_file(text, causes):
        return None
    if found != "vllm-rs" and (records or _names_vllm_file(text, causes)) and not _only_named(lines, found):
        return None
    return found


def _unnamed_program(text: str, lines: Sequence[EvidenceLine]) -> str | None:
    """Return that the frames are those of another program, where nothing at all speaks of vLLM."""
    if 'File "' not in text or _USES_VLLM.search(text) is not None:
        return None
    frames = [found["file"] for found in map(_OWN_FRAME.search, (line.text for line in lines)) if found]
    return _UNNAMED if any(_LIBRARIES.search(file) is None for file in frames) else None


def has_own_mark(program: str, text: str) -> bool:
    """Tell whether a text that nobody else prints speaks for a program."""
    for passed in PASSED_THROUGH:
        text = text.replace(passed, "")
    return any(
        mark in text for name, marks in OTHERS if name == program for mark in marks if mark not in SHARED
    )


def _names_vllm_file(text: str, causes: CauseReading) -> bool:
    frames = [frame for block in causes.tracebacks for frame in block.frames]
    return any("vllm" in frame.replace("vllm-rs", "") for frame in frames) or "-packages/vllm/" in text


def _only_named(lines: Sequence[EvidenceLine], program: str) -> bool:
    """Tell whether every frame of the paste belongs to the other program although vLLM is mentioned.

    A library's frames that one of vLLM's processes printed tell of vLLM.
    """
    frames = [line for line in lines if line.text.lstrip().startswith('File "')]
    if any(frame.vllm_record for frame in frames):
        return False
    return bool(frames) and all(f"/{program.lower()}/" in frame.text.lower() for frame in frames)
