"""Starts a process that outlives the helper and the ssh session. Not for servers: their supervisor starts those."""

from __future__ import annotations

import os


def spawn_detached(argv: list[str]) -> int:
    """Start a program in a session of its own, with no input, no output and an empty environment; return its pid."""
    quiet = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    keep = {
        name: os.environ[name] for name in ("PATH", "XDG_RUNTIME_DIR", "DOCKER_HOST") if name in os.environ
    }
    return os.posix_spawn(argv[0], argv, keep, file_actions=quiet, setsid=True)
