"""Ports: whether one is free, listened on, and by whom. Not for talking over them."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Iterable

from . import proc

_LISTEN = "0A"


def is_listened_on(port: int) -> bool:
    """Tell whether a process accepts connections on a port."""
    return bool(_listening_inodes(port))


def is_free(port: int) -> bool:
    """Tell whether a server could bind a port now. Reuse is asked for, as vLLM does: old connections do not hinder."""
    wildcards = ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"))  # noqa: S104 - bound, not served
    return all(_is_bindable(family, address, port) for family, address in wildcards) and not is_listened_on(
        port
    )


def holders(port: int) -> tuple[int, ...]:
    """Return the processes that listen on a port, as far as their files may be read."""
    return listeners(port, (process.pid for process in proc.everyone()))


def listeners(port: int, pids: Iterable[int]) -> tuple[int, ...]:
    """Return which of some processes listen on a port, as far as their files may be read."""
    inodes = {"socket:[%s]" % inode for inode in _listening_inodes(port)}
    return tuple(pid for pid in pids if inodes & _files(pid)) if inodes else ()


def _is_bindable(family: int, address: str, port: int) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind((address, port))
    except OSError as error:
        # Without IPv6, or below 1024 as a user, nothing is said about who holds the port.
        return error.errno != errno.EADDRINUSE
    return True


def _listening_inodes(port: int) -> set[str]:
    ending = ":%04X" % port
    found = set()
    for name in ("tcp", "tcp6"):
        try:
            lines = Path("/proc/net", name).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            words = line.split()
            if words[1].endswith(ending) and words[3] == _LISTEN:
                found.add(words[9])
    return found


def _files(pid: int) -> set[str]:
    folder = Path("/proc/%d/fd" % pid)
    try:
        names = list(folder.iterdir())
    except OSError:
        return set()
    return {target for target in map(_target, names) if target is not None}


def _target(link: Path) -> str | None:
    try:
        return os.readlink(str(link))
    except OSError:
        return None
