"""What is true of the machine. Starts nothing of the servers': their release is read from files."""

from __future__ import annotations

import platform
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import VERSION
from ..drivers.choosing import driver_of
from ..launch import wrapper
from ..processes import gpus, proc
from ..refusal import Refusal
from ..state.folder import Folder

if TYPE_CHECKING:
    from ..host.allowlist import Allowlist
    from ..host.server import Server

_INSTALLED = re.compile(r"vllm-(\d[A-Za-z0-9.+!_-]{0,60})\.dist-info\Z")


def facts(allowlist: Allowlist) -> dict[str, Any]:
    """Return it."""
    versions = {name: _vllm_version(allowlist, server) for name, server in allowlist.servers.items()}
    return {
        "helper_version": VERSION,
        "hostname": socket.gethostname(),
        "boot_id": proc.boot_id(),
        "python": platform.python_version(),
        "servers": sorted(allowlist.servers),
        "gpus": gpus.gpus(),
        "vllm_versions": {name: version for name, version in sorted(versions.items()) if version is not None},
    }


def _vllm_version(allowlist: Allowlist, server: Server) -> str | None:
    """Return the release that is installed beside a server's program, where the launch names one."""
    try:
        spec = driver_of(server, Folder(allowlist.state_dir / server.name)).registered()
    except Refusal:
        return None
    program = wrapper.program(spec)
    if program is None:
        return None
    found = {
        match.group(1)
        for folder in _site_folders(Path(program))
        for match in [_INSTALLED.match(folder.name)]
        if match is not None
    }
    return found.pop() if len(found) == 1 else None


def _site_folders(program: Path) -> list[Path]:
    roots = {path.parent.parent for path in (program, program.resolve())}
    found: list[Path] = []
    for root in roots:
        for kind in ("site-packages", "dist-packages"):
            found += root.glob("lib/python3*/%s/vllm-*.dist-info" % kind)
    return found
