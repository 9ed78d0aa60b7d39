"""Tells a launch through a wrapper script from one that starts vLLM itself. Not for what is done about it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Sequence

if TYPE_CHECKING:
    from .spec import Spec

#: programs that start another one in their own place
PREFIXES = frozenset(
    (
        "numactl", "nice", "ionice", "taskset", "env", "chrt", "stdbuf", "setsid", "time", "tini", "dumb-init",
        "catatonit",
    )
)  # fmt: skip
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
#: words after a prefix that are its own: a number, a list of CPUs, an assignment
_OWN_WORD = re.compile(r"[0-9][0-9,:+-]*\Z|[A-Za-z_][A-Za-z0-9_]*=")
_STARTS_VLLM = re.compile(r"(?:vllm|python[0-9.]*)\Z")
#: what a wrapper may do to keep us from vLLM's own start
_IN_THE_WAY = re.compile(
    r"PYTHONPATH=|\benv +(?:-i|--ignore-environment|-u *PYTHONPATH)|\bpython[0-9.]* +-[A-Za-z]*[IES]"
    r"|\bdocker run|\bsudo\b"
)
_LIMIT = 1 << 16
#: how the text of `sh -c` is called
_INLINE = "its own line"


@dataclass(frozen=True)
class Script:
    """What stands between a launch and vLLM: a shell script, or the text of `sh -c`."""

    name: str
    #: returns its text as far as it can be read
    read: Callable[[], str]


def program(spec: Spec) -> str | None:
    """Return the file that a launch executes; None when there is none."""
    return _found(spec.argv[0], spec)


def script(spec: Spec) -> Script | None:
    """Return the script that a launch runs on this file system; None when it runs a program itself."""
    words = _behind_prefixes(spec.argv)
    given = _given_to_shell(words)
    if given is not None:
        return given
    found = _found(words[0], spec) if words else None
    if found is None or not is_shell_script(_head(Path(found), 256)):
        return None
    return _script_of(Path(found))


def script_elsewhere(spec: Spec, read: Callable[[str], str]) -> Script | None:
    """Return what stands before vLLM where files are not at hand, by the words alone; `read` is for its text.

    Whatever is neither Python nor vLLM's own command is taken for a script. Where it is none nothing is lost: the
    change is made where Python starts vLLM.
    """
    words = _behind_prefixes(spec.argv)
    if not words or _STARTS_VLLM.match(Path(words[0]).name):
        return None
    given = _given_to_shell(words)
    if given is not None and given.name == _INLINE:
        return given
    name = words[0] if given is None else given.name
    return Script(name, lambda: read(name))


def is_shell_script(head: str) -> bool:
    """Tell whether a file that begins so is run by a shell."""
    words = head.partition("\n")[0].split()
    if not words or not words[0].startswith("#!"):
        return False
    names = [Path(word.lstrip("#!")).name for word in words[:3] if word != "-S"]
    return (names[1] if names[0] == "env" and len(names) > 1 else names[0]) in _SHELLS


def obstacle(script: Script) -> str | None:
    """Return what in a wrapper script would hide a change from us; None when nothing was seen."""
    found = _IN_THE_WAY.search(script.read()[:_LIMIT])
    return None if found is None else found.group().strip()


def _behind_prefixes(argv: Sequence[str]) -> list[str]:
    """Return the words from the first program on that does more than start another one."""
    rest = list(argv)
    while rest and Path(rest[0]).name in PREFIXES:
        del rest[0]
        while rest and (rest[0].startswith("-") or _OWN_WORD.match(rest[0])):
            # `env -u NAME` takes a word that looks like a program
            del rest[: 2 if rest[0] == "-u" else 1]
    return rest


def _given_to_shell(words: list[str]) -> Script | None:
    """Return what a shell is told to run, by a file's name or as text; None when the program is no shell."""
    if not words or Path(words[0]).name not in _SHELLS:
        return None
    is_text, rest = False, words[1:]
    while rest and rest[0][:1] in ("-", "+") and rest[0] not in ("-", "--"):
        option = rest.pop(0)
        is_text = is_text or (not option.startswith("--") and "c" in option)
        if rest and option.endswith("o") and not option.startswith("--"):
            del rest[0]
    if rest[:1] == ["--"]:
        del rest[0]
    if is_text:
        text = rest[0] if rest else ""
        return Script(_INLINE, lambda: text)
    return _script_of(Path(rest[0])) if rest else _script_of(Path(words[0]))


def _script_of(path: Path) -> Script:
    return Script(str(path), lambda: _head(path, _LIMIT))


def _found(name: str, spec: Spec) -> str | None:
    if "/" in name:
        return name if os.access(name, os.X_OK) and not Path(name).is_dir() else None
    return shutil.which(name, path=spec.env.get("PATH", os.defpath))


def _head(path: Path, limit: int) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            return stream.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""
