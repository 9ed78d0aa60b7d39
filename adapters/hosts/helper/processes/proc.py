"""Processes as /proc tells them. Not for signals."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
#: of one file of /proc: a command line or an environment can be megabytes
_LIMIT = 4 << 20
_PART = 64 << 10


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
        descriptor = os.open("/proc/%d/stat" % pid, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        uid, stat = os.fstat(descriptor).st_uid, os.read(descriptor, 4096)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    # The name stands in parentheses and may hold both parentheses and blanks.
    words = stat.rpartition(b")")[2].split()
    if words[0] in (b"Z", b"X", b"x"):
        return None
    cpu = sum(int(word) for word in words[11:15])
    return Process(pid, int(words[19]), int(words[1]), int(words[2]), int(words[3]), uid, cpu)


def everyone() -> list[Process]:
    """Return all live processes that can be seen."""
    with os.scandir("/proc") as entries:
        pids = [int(entry.name) for entry in entries if entry.name.isdigit()]
    found = map(read, pids)
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
    parts: list[bytes] = []
    try:
        descriptor = os.open("/proc/%d/%s" % (pid, file), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        while len(parts) * _PART < _LIMIT:
            part = os.read(descriptor, _PART)
            if not part:
                break
            parts.append(part)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return b"".join(parts)


def _texts(data: bytes) -> list[str]:
    body = data[:-1] if data.endswith(b"\0") else data
    return [part.decode("utf-8", "surrogateescape") for part in body.split(b"\0")]
