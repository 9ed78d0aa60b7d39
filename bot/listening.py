"""The socket of the page, and where its address is written down for `login`. Not for what is served."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from bot.settings import ConsoleSettings

_FILE = "console.json"
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
    """Write down where the page is, for the person of this machine alone."""
    path = state_dir / _FILE
    path.touch(mode=0o600)
    path.write_text(json.dumps({"url": url, "pid": os.getpid()}), encoding="utf-8")


def read_address(state_dir: Path) -> str:
    """Return where the page of a running bot is. Raises `NotServingError`."""
    try:
        data = json.loads((state_dir / _FILE).read_text(encoding="utf-8"))
        os.kill(int(data["pid"]), 0)
        return str(data["url"])
    except PermissionError:
        # it runs, as somebody else
        return str(data["url"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotServingError(state_dir) from error


def forget_address(state_dir: Path) -> None:
    """Remove what `write_address` wrote."""
    (state_dir / _FILE).unlink(missing_ok=True)
