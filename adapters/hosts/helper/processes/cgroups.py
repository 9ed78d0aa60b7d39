"""Processes by their control group, which no child can leave by itself. Not for signals."""

from __future__ import annotations

from pathlib import Path

from . import proc


def members_of(pid: int) -> tuple[int, ...]:
    """Return the processes in the control group of a process, and in groups below it; itself too."""
    own = _path(pid)
    if own is None or own == "/":
        return (pid,) if proc.read(pid) is not None else ()
    return members_below(own)


def members_below(path: str) -> tuple[int, ...]:
    """Return the processes in a control group and in groups below it."""
    found = []
    for process in proc.everyone():
        theirs = _path(process.pid)
        if theirs is not None and (theirs == path or theirs.startswith(path.rstrip("/") + "/")):
            found.append(process.pid)
    return tuple(sorted(found))


def _path(pid: int) -> str | None:
    """Return the path in the one hierarchy of version 2, or in that of the service manager on version 1."""
    try:
        lines = Path("/proc/%d/cgroup" % pid).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    found = dict(line.split(":", 2)[1:] for line in lines if line.count(":") >= 2)
    ranked = [found[name] for name in ("name=systemd", "pids", "memory", "") if found.get(name, "/") != "/"]
    return ranked[0] if ranked else found.get("", "/")
