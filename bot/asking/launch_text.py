"""Tells a launch, or a file that holds one, from a paste that only begins like one. Pure; not for judging it."""

from __future__ import annotations

import re

from rules.engine.launch_files.kinds import FileKind, file_kind

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,100}=")
#: what may stand before the program that is launched
_BEFORE = frozenset({"sudo", "env", "exec", "nohup", "time", "export", "uv", "run", "$", "#", ">", "numactl"})
_PROGRAMS = frozenset({"vllm", "docker", "podman", "nerdctl", "python", "python3", "torchrun", "sh", "bash"})
_FENCE = "```"
#: words of a line that are looked at to find its program
_LOOKED_AT = 40


def is_launch_text(text: str) -> bool:
    """Tell whether a text is a launch of vLLM and nothing else: a command on one or more lines, or a file."""
    if file_kind("", text) in {FileKind.YAML, FileKind.UNIT, FileKind.DOCKERFILE}:
        return "vllm" in text.lower()
    has_launch = continues = False
    for line in text.split("\n"):
        bare = line.strip()
        if bare and not bare.startswith((_FENCE, "#")):
            is_launch = _is_launch(bare)
            if not (continues or is_launch or bare.startswith("-") or _only_sets(bare)):
                return False
            has_launch = has_launch or is_launch
        continues = bare.endswith("\\")
    return has_launch


def _is_launch(line: str) -> bool:
    """Tell whether a line begins with a program that can launch vLLM, and speaks of vLLM."""
    words = line.split(maxsplit=_LOOKED_AT)
    for place, word in enumerate(words[:_LOOKED_AT]):
        if _ASSIGNMENT.match(word) or word in _BEFORE or (place and word.startswith("-")):
            continue
        program = word.rpartition("/")[2]
        if program == "vllm":
            return words[place + 1 : place + 2] == ["serve"] and not _is_prose(words[place + 2 :])
        return (program in _PROGRAMS or program.startswith("python3.")) and "vllm" in line.lower()
    return False


def _is_prose(words: list[str]) -> bool:
    """Tell whether a sentence goes on behind `vllm serve`: several words, and none of them a flag."""
    return len(words) > 1 and not any(word.startswith(("-", "\\", "&", "|", ">", "2>")) for word in words)


def _only_sets(line: str) -> bool:
    """Tell whether a line sets variables and does nothing else."""
    words = [word for word in line.split() if word != "export"]
    return bool(words) and _ASSIGNMENT.match(words[0]) is not None and len(words) <= _LOOKED_AT
