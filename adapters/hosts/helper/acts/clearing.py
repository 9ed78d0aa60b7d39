"""Brings a server down with all that it started, and looks at what is left on its port and GPUs. Not for orders."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Iterable

from ..drivers.interface import RUNNING
from ..processes import gpus, ports, proc
from ..processes.ending import kill
from ..processes.members import Roots, members

if TYPE_CHECKING:
    from ..processes.gpus import Use
    from .work import Work

#: a server that does not serve yet does not heed the polite signal either
_GRACE_WHILE_STARTING_SECONDS = 3.0
#: the driver's tool shows the memory of a dead process for some seconds more
_GPU_SECONDS = 30.0
_POLL_SECONDS = 0.5
#: what holds a container's published port on the host while the container runs
_CONTAINERS = ("docker", "compose")
_PROXIES = ("docker-proxy", "rootlesskit")


def bring_down(work: Work, start_id: str | None, grace_seconds: float) -> dict[str, Any]:
    """End everything that is surely this server's; report what else holds its port or GPUs, and leave that alone."""
    before = work.driver.observe(start_id)
    names = {pid: proc.name(pid) for pid in before.pids}
    orphans = set() if before.state == RUNNING else set(before.pids)
    is_serving = ports.is_listened_on(work.server.port)
    grace = grace_seconds if is_serving else min(grace_seconds, _GRACE_WHILE_STARTING_SECONDS)
    was_killed = work.driver.end(start_id, grace)
    if start_id is not None:
        roots = Roots(start_id)
        left = members(roots)
        names.update({process.pid: proc.name(process.pid) for process in left})
        orphans.update(process.pid for process in left)
        kill(lambda: members(roots))
    using = _wait_for_gpus(set(names))
    foreign = _foreign(work, using, set(names))
    return {
        "was_killed": was_killed,
        "orphans": _holders(work, {pid: names[pid] for pid in orphans}, is_ours=True),
        "foreign": _holders(work, foreign, is_ours=False),
        "port_is_free": ports.is_free(work.server.port),
        "gpus_are_free": None if using is None else not _on(work.server.gpus, using, set(names)),
    }


def foreign_on_port(work: Work, ours: Iterable[int]) -> list[dict[str, Any]]:
    """Return who holds the server's port and is not the server."""
    others = {pid: proc.name(pid) for pid in set(ports.holders(work.server.port)) - set(ours)}
    is_container = work.server.driver in _CONTAINERS
    foreign = {pid: name for pid, name in others.items() if not (is_container and name in _PROXIES)}
    return _holders(work, foreign, is_ours=False)


def _wait_for_gpus(ended: set[int]) -> list[Use] | None:
    """Wait until none of the processes that ended holds a GPU any more; None when the tool cannot tell."""
    deadline = time.monotonic() + _GPU_SECONDS
    while True:
        using = gpus.uses()
        if using is None or not any(use.pid in ended for use in using) or time.monotonic() > deadline:
            return using
        time.sleep(_POLL_SECONDS)


def _on(wanted: tuple[str, ...], using: list[Use], ended: set[int]) -> list[Use]:
    """Return the uses that keep the server's GPUs; where the list names no GPU, only its own do."""
    return [use for use in using if use.gpu in wanted or use.pid in ended]


def _foreign(work: Work, using: list[Use] | None, ours: set[int]) -> dict[int, str]:
    found = {pid: proc.name(pid) for pid in ports.holders(work.server.port)}
    found.update({use.pid: use.name for use in using or () if use.gpu in work.server.gpus})
    return {pid: name for pid, name in found.items() if pid not in ours}


def _holders(work: Work, found: dict[int, str], *, is_ours: bool) -> list[dict[str, Any]]:
    masker = work.masker()
    return [
        {"pid": pid, "name": masker.text(name), "is_ours": is_ours} for pid, name in sorted(found.items())
    ]
