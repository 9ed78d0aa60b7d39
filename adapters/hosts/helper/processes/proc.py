"""Processes as /proc tells them. Not for signals."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
#: of one file of /proc: a command line or an environment can be megabytes
_LIMIT = 4 << 20


@dataclass(frozen=True)
class Process:
    """A live process. Pid and start together name it: the number alone may be given again."""

    pid: int
    #: in clock ticks since the machine started
    started: int
    ppid: int
    pgid: int
    sid: int
    uid: int
    cpu_ticks: int

    def is_alive(self) -> bool:
        """Tell whether this very process still lives."""
        now = read(self.pid)
        return now is not None and now.started == self.started


def read(pid: int) -> Process | None:
    """Return a live process; None when there is none of this number, or only its remains."""
    try:
        stat = Path("/proc/%d/stat" % pid).read_bytes()
        uid = Path("/proc/%d" % pid).stat().st_uid
    except OSError:
        return None
    # The name stands in parentheses and may hold both parentheses and blanks.
    words = stat.rpartition(b")")[2].split()
    if words[0] in (b"Z", b"X", b"x"):
        return None
    cpu = sum(int(word) for word in words[11:15])
    return Process(pid, int(words[19]), int(words[1]), int(words[2]), int(words[3]), uid, cpu)


def everyone() -> list[Process]:
    """Return all live processes that can be seen."""
    found = (read(int(folder.name)) for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [process for process in found if process is not None]


def cpu_seconds(pids: tuple[int, ...]) -> float:
    """Return the CPU time used by processes and by the children that they have waited for."""
    return sum(process.cpu_ticks for process in map(read, pids) if process is not None) / _TICKS


def cmdline(pid: int) -> tuple[str, ...] | None:
    """Return a process's argv; None when it cannot be read."""
    data = _read(pid, "cmdline")
    return tuple(_texts(data)) if data else None


def environ(pid: int) -> dict[str, str] | None:
    """Return the environment that a process was started with; None when it cannot be read or was written over."""
    data = _read(pid, "environ")
    if data is None:
        return None
    pairs = [text.partition("=") for text in _texts(data) if "=" in text]
    return {name: value for name, _, value in pairs} or None


def name(pid: int) -> str:
    """Return what a process is called: the title that it gave itself, else the name of its program."""
    argv = cmdline(pid) or ()
    if argv and argv[0].startswith("VLLM::"):
        return argv[0].strip()[:64]
    data = _read(pid, "comm") or b"?"
    return data.decode("utf-8", "replace").strip()[:64]


def boot_id() -> str:
    """Return what names this run of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _read(pid: int, file: str) -> bytes | None:
    try:
        with Path("/proc/%d/%s" % (pid, file)).open("rb") as stream:
            return stream.read(_LIMIT)
    except OSError:
        return None


def _texts(data: bytes) -> list[str]:
    body = data[:-1] if data.endswith(b"\0") else data
    return [part.decode("utf-8", "surrogateescape") for part in body.split(b"\0")]
