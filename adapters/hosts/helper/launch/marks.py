"""The marks that a start puts into a server's environment, so that it can be told from all others. Not secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from .spec import Spec

# None begins with VLLM_: vLLM warns of every variable of that kind that it does not know.
#: which start a process belongs to
START_ID = "RELAUNCH_START_ID"
#: hash of the launch that was meant
SPEC = "RELAUNCH_SPEC"
#: what is still to be changed when a wrapper script has done its part and vLLM itself starts; part of a spec
CHANGE = "RELAUNCH_CHANGE"
#: hash of argv and environment that vLLM was then really given
APPLIED = "RELAUNCH_APPLIED"
#: what systemd gives a service for this start alone: passed on as it is, and part of no launch
FROM_MANAGER = frozenset(
    {
        "CACHE_DIRECTORY",
        "CONFIGURATION_DIRECTORY",
        "CREDENTIALS_DIRECTORY",
        "INVOCATION_ID",
        "JOURNAL_STREAM",
        "LISTEN_FDNAMES",
        "LISTEN_FDS",
        "LISTEN_PID",
        "LOGS_DIRECTORY",
        "MEMORY_PRESSURE_WATCH",
        "MEMORY_PRESSURE_WRITE",
        "NOTIFY_SOCKET",
        "RUNTIME_DIRECTORY",
        "STATE_DIRECTORY",
        "SYSTEMD_EXEC_PID",
        "WATCHDOG_PID",
        "WATCHDOG_USEC",
        "XDG_RUNTIME_DIR",
    }
)


def marked(spec: Spec, start_id: str) -> dict[str, str]:
    """Return the environment of a launch with the marks of one start."""
    env = dict(spec.env)
    env[START_ID] = start_id
    env[SPEC] = spec.hash
    return env


def unmarked(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment as the launch had it."""
    return {name: value for name, value in env.items() if name not in (START_ID, SPEC, APPLIED)}
