"""What a way of running servers on this host does for the acts. Not for orders, fences, timers or the wire.

A driver module has one function, `create(server, folder) -> Driver`, and is named in `choosing.py`. Every method
may raise `Refusal(UNABLE, …)` with one sentence and what to do; a tool that hangs is given up after its time.

Who does what: the acts check fence, key and allow-list, hold the lock, write down what they are about to do, arm
the timer, sweep what carries this server's start id, and look at port and GPUs. A driver knows how a server is
found, started and ended. Truth is what runs: a driver looks, it does not remember, except to know starts it made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..launch.spec import Spec
    from ..launch.wrapper import Script

#: states of `Observation`, in the words of the wire
RUNNING = "running"
EXITED = "exited"
ABSENT = "absent"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Start:
    """A start that is to be made once, whoever asks how often."""

    #: random, new for each start; in the server's environment (launch/marks.py), and in a container's labels
    start_id: str
    #: exactly this argv and environment, wherever the driver's own configuration says otherwise
    spec: Spec


@dataclass(frozen=True)
class Observation:
    """A server as it is right now."""

    state: str
    #: the start that the processes found belong to; None: nothing is found, or it was not started by the helper
    start_id: str | None = None
    #: main process in the host's own numbering; None when there is none
    pid: int | None = None
    #: every live process of the server (unit's or container's cgroup, session, descendants), also without a main one
    pids: tuple[int, ...] = ()
    #: times that the driver's own manager restarted it since this start
    restarts: int = 0
    #: of the main process, negative for a signal; None while it runs or when nobody saw it end
    exit_code: int | None = None


@dataclass(frozen=True)
class Piece:
    """Bytes of a log, as they are. Whoever sends them on masks them."""

    data: bytes
    #: where `data` begins, in bytes from the beginning of this start; later than asked when a part is lost
    offset: int
    #: whether the log holds nothing after `data` now
    is_last: bool


@dataclass(frozen=True)
class Look:
    """One thing that was looked at before an act, in one sentence."""

    name: str
    is_sound: bool
    detail: str


class Driver(Protocol):
    """One server on this host, run in one way."""

    def checks(self) -> tuple[Look, ...]:
        """Look whether the driver can do its work here: tool, rights, unit or container. Changes nothing."""

    def registered(self) -> Spec:
        """Return the launch that the host's own configuration gives the server, before any change of ours."""

    def script(self, spec: Spec) -> Script | None:
        """Return the script through which a launch starts vLLM; None when it starts vLLM itself."""

    def observe(self, start_id: str | None) -> Observation:
        """Find the server. `start_id` is of the last start that the helper meant to make; None: it made none.

        Also finds servers that were not started by the helper where the driver can be sure of them (the unit, the
        container of that name). EXITED when that start was made and nothing but leftovers is there.
        """

    def start(self, start: Start) -> None:
        """Make the start, unless a start of this id was ever made: then do nothing. Return when it is certain.

        Called only when nothing runs. Does not wait until the server serves. After a death of the helper in the
        middle it is called again with the same id (`state/claims.py` helps to know that a start was made).
        """

    def end(self, start_id: str | None, grace_seconds: float) -> bool:
        """End the server with its whole tree: ask it politely, wait, then kill the group; tell whether it was killed.

        Afterwards nothing is left of the server, and this start is never made any more, also where one is on its
        way. Never by name: only processes that are surely this server's. The manager (systemd's Restart=, a
        container's restart policy) must not bring it back.
        """

    def read_log(self, start_id: str, offset: int, limit: int) -> Piece:
        """Return up to `limit` bytes of what this start printed, from `offset` on; nothing when there is nothing."""
