"""Tells a wrapper script from a launch that starts vLLM itself. Not for what is done about it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .spec import Spec

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
#: what a wrapper may do to keep us from vLLM's own start
_IN_THE_WAY = re.compile(
    r"PYTHONPATH=|\benv +(?:-i|--ignore-environment|-u *PYTHONPATH)|\bpython[0-9.]* +-[A-Za-z]*[IES]"
    r"|\bdocker run|\bsudo\b"
)
_LIMIT = 1 << 16


def program(spec: Spec) -> str | None:
    """Return the file that a launch executes; None when there is none."""
    name = spec.argv[0]
    if "/" in name:
        return name if os.access(name, os.X_OK) and not Path(name).is_dir() else None
    return shutil.which(name, path=spec.env.get("PATH", os.defpath))


def script(spec: Spec) -> Path | None:
    """Return the shell script that a launch runs; None when it runs a program itself."""
    if Path(spec.argv[0]).name in _SHELLS:
        named = [word for word in spec.argv[1:] if not word.startswith("-")]
        return Path(named[0]) if named else Path(spec.argv[0])
    found = program(spec)
    if found is None:
        return None
    words = _first_line(Path(found)).split()
    if not words or not words[0].startswith("#!"):
        return None
    names = [Path(word.lstrip("#!")).name for word in words[:2]]
    interpreter = names[1] if names[0] == "env" and len(names) > 1 else names[0]
    return Path(found) if interpreter in _SHELLS else None


def obstacle(path: Path) -> str | None:
    """Return what in a wrapper script would hide a change from us; None when nothing was seen."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_LIMIT).decode("utf-8", "replace")
    except OSError:
        return None
    found = _IN_THE_WAY.search(text)
    return None if found is None else found.group().strip()


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.readline(256).decode("utf-8", "replace")
    except OSError:
        return ""
