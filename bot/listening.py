"""The socket of the page, and where its address is written down for `login`. Not for what is served."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.settings import ConsoleSettings

#: one for each process that serves from the folder
_FILE = "console-{pid}.json"
_BACKLOG = 128


class CannotListenError(Exception):
    """The page's address cannot be listened on."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        next_step = "choose another with --port (0 takes a free one), or stop what runs there"
        super().__init__(f"cannot listen on {host} port {port}: {reason}; {next_step}")
        self.host = host
        self.port = port


class NotServingError(Exception):
    """No bot has said where its page is."""

    def __init__(self, state_dir: Path) -> None:
        super().__init__(
            f"no bot is running with the state folder {state_dir}: start one with vllm-diagnose serve"
        )
        self.state_dir = state_dir


@dataclass(frozen=True, slots=True)
class Listener:
    """An open socket and the address that people use for it."""

    socket: socket.socket
    port: int
    url: str


def listen(settings: ConsoleSettings) -> Listener:
    """Open the socket. Raises `CannotListenError`."""
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    family = socket.AF_INET6 if ip_address(host).version == 6 else socket.AF_INET
    try:
        opened = socket.create_server((host, settings.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise CannotListenError(host, settings.port, os.strerror(error.errno or 0).lower()) from error
    port = opened.getsockname()[1]
    return Listener(opened, port, settings.public_url or f"http://{_reachable(host)}:{port}")


def _reachable(host: str) -> str:
    """Return the host as it stands in an address; one that listens everywhere is reached on this machine."""
    address = ip_address(host)
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return f"[{host}]" if address.version == 6 else host


def write_address(state_dir: Path, url: str) -> None:
    """Write down where the page of this process is, for the person of this machine alone.

    Each process has an entry of its own, so that one that ends leaves those of the others.
    """
    for path, entry in _entries(state_dir):
        if entry is None:
            path.unlink(missing_ok=True)
    path = state_dir / _FILE.format(pid=os.getpid())
    path.touch(mode=0o600)
    path.write_text(json.dumps({"url": url, "pid": os.getpid()}), encoding="utf-8")


def read_address(state_dir: Path) -> str:
    """Return where the page of a running bot is, of several the latest. Raises `NotServingError`."""
    living = [(path, url) for path, url in _entries(state_dir) if url is not None]
    if not living:
        raise NotServingError(state_dir)
    return max(living, key=lambda one: _written(one[0]))[1]


def forget_address(state_dir: Path) -> None:
    """Remove what `write_address` wrote for this process."""
    (state_dir / _FILE.format(pid=os.getpid())).unlink(missing_ok=True)


def _entries(state_dir: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield each entry with its address; None when the process that wrote it has ended."""
    for path in state_dir.glob(_FILE.format(pid="*")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            yield path, str(data["url"]) if _is_running(int(data["pid"])) else None
        except (OSError, ValueError, KeyError, TypeError):
            # half written, or just removed
            continue


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        # it runs, as somebody else
        return True
    except (OSError, OverflowError):
        return False
    return True


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
