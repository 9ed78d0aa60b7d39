"""Which processes are surely those of one start. Not for ending them, nor for guessing by name."""

from __future__ import annotations

from dataclasses import dataclass

from ..launch.marks import START_ID
from . import proc


@dataclass(frozen=True)
class Roots:
    """What is known of a start: its mark, and the process that leads its session."""

    start_id: str
    #: pid of the session's first process, and when it started; None: not known
    leader: tuple[int, int] | None = None
    #: who adopts the orphans of the session, while it lives
    adopter: tuple[int, int] | None = None


def members(roots: Roots) -> list[proc.Process]:
    """Return the live processes of a start.

    A process is one of them when its environment carries the mark of the start, or when it descends from the leader
    or the adopter, or when it stands in the leader's session and has written over its own environment, as programs
    do that give themselves a title.
    """
    began = 0 if roots.leader is None else roots.leader[1]
    # Nobody of a start is older than its first process.
    everyone = [
        process
        for process in proc.everyone()
        if process.started >= began or (process.pid, process.started) == roots.adopter
    ]
    kin = _descendants(everyone, roots)
    found = []
    for process in everyone:
        if roots.adopter == (process.pid, process.started):
            continue
        if process.pid in kin or _is_marked(process, roots):
            found.append(process)
    return found


def _is_marked(process: proc.Process, roots: Roots) -> bool:
    environ = proc.environ(process.pid)
    if environ is not None:
        return environ.get(START_ID) == roots.start_id
    return roots.leader is not None and process.sid == roots.leader[0] and process.started >= roots.leader[1]


def _descendants(everyone: list[proc.Process], roots: Roots) -> set[int]:
    children: dict[int, list[int]] = {}
    for process in everyone:
        children.setdefault(process.ppid, []).append(process.pid)
    living = {(process.pid, process.started) for process in everyone}
    found: set[int] = set()
    waiting = [root[0] for root in (roots.leader, roots.adopter) if root is not None and root in living]
    found.update(root[0] for root in (roots.leader,) if root is not None and root in living)
    while waiting:
        for child in children.get(waiting.pop(), []):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found
