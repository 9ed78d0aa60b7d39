"""The launch that a running process really has. Not for what was written down for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..processes import ports, proc
from . import marks
from .late import is_vllm
from .spec import Spec
from .wrapper import PREFIXES

if TYPE_CHECKING:
    from typing import Iterable, Mapping

    from ..host.server import Server

#: what a container engine puts into every environment that lacks it, and what systemd gives to one start
_GIFTS = frozenset({"HOME", "HOSTNAME", "PATH", "TERM", "container"}) | marks.FROM_MANAGER


def find(pids: Iterable[int], main: int | None, spec: Spec, server: Server) -> tuple[int, Spec, str] | None:
    """Return the pid, launch and hash of the process that is the server itself; None when none can be read.

    The hash is that of the planned launch where the process has what was planned: as it is, with the interpreter
    that a script's first line names before it, or as vLLM was started by a wrapper with the change made. Where
    another process of the server listens in its place, with other settings, that one is the server.
    """
    ours = tuple(pids)
    first = _first(ours, main, spec)
    if first is None:
        return None
    for pid in ports.listeners(server.port, ours):
        argv, env = proc.cmdline(pid), proc.environ(pid)
        if pid == first[0] or argv is None or env is None:
            continue
        there = Spec(argv, marks.unmarked(env))
        if _planned(there, env, spec) is None and _settings(there, server) != _settings(first[1], server):
            return pid, there, there.hash
    return first


def _settings(spec: Spec, server: Server) -> dict[str, str | None]:
    """Return the variables that a relaunch may change; a process that was spawned has them from its parent."""
    return {name: spec.env.get(name) for name in server.env_allowed}


def _first(pids: Iterable[int], main: int | None, spec: Spec) -> tuple[int, Spec, str] | None:
    """Return the first process, the main one before the others, that has what was planned; else one of the others."""
    others: list[tuple[int, Spec]] = []
    for pid in ([] if main is None else [main]) + sorted(pid for pid in pids if pid != main):
        argv, env = proc.cmdline(pid), proc.environ(pid)
        if argv is None or env is None:
            continue
        bare = Spec(argv, marks.unmarked(env))
        planned = _planned(bare, env, spec)
        if planned is not None:
            return (pid, *planned)
        others.append((pid, bare))
    others.sort(key=lambda other: not is_vllm(list(other[1].argv)))
    return (*others[0], others[0][1].hash) if others else None


def _planned(bare: Spec, env: Mapping[str, str], spec: Spec) -> tuple[Spec, str] | None:
    """Return launch and hash of a process that has what was planned; None for another."""
    if env.get(marks.APPLIED) == bare.hash and marks.CHANGE not in env:
        return bare, env.get(marks.SPEC, bare.hash)
    if _without_gifts(bare.env, spec.env) == dict(spec.env) and is_same_command(bare.argv, spec.argv):
        return spec, spec.hash
    return None


def _without_gifts(running: Mapping[str, str], planned: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what a manager adds of itself."""
    return {name: value for name, value in running.items() if name in planned or name not in _GIFTS}


def is_same_command(running: tuple[str, ...], planned: tuple[str, ...]) -> bool:
    """Tell whether a command line is what comes of executing another."""
    for skipped in range(len(planned)):
        rest = planned[skipped:]
        if running == rest or _behind_interpreter(running, rest):
            return True
        if Path(planned[0]).name not in PREFIXES:
            return False
    return False


def _behind_interpreter(running: tuple[str, ...], planned: tuple[str, ...]) -> bool:
    """Tell whether a script's first line put its interpreter, and perhaps one option, before the same words."""
    before = len(running) - len(planned)
    if before not in (1, 2) or running[before + 1 :] != planned[1:]:
        return False
    return Path(running[before]).name == Path(planned[0]).name
