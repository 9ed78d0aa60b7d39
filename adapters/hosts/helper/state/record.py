"""The last order of a server and how far it has come; written before anything is done. Not for the answers given."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from ..refusal import BUSY, CHANGED, FENCED, Refusal
from .files import read_json, write_json

if TYPE_CHECKING:
    from ..request.orders import Order
    from .folder import Folder

IDLE = "idle"
STOPPING = "stopping"
STOPPED = "stopped"
STARTING = "starting"
STARTED = "started"
RESTORING = "restoring"
RESTORED = "restored"
COMMITTED = "committed"
_PASSED = 64
_OPEN = frozenset({STOPPING, STOPPED, STARTING, STARTED, RESTORING})


@dataclass(frozen=True)
class Record:
    """What the helper knows of a server beside what it sees."""

    phase: str = IDLE
    fence: int = 0
    #: number of starts that were made
    generation: int = 0
    key: str | None = None
    verb: str | None = None
    #: the run that opened it, from its keys
    run: str | None = None
    #: of the last start that was meant
    start_id: str | None = None
    spec_hash: str | None = None
    previous_spec_hash: str | None = None
    #: of the machine, when the run was opened
    boot_id: str | None = None
    #: seconds since 1970
    at: float = 0.0
    #: the last order has brought the old start down and begins the new one
    is_starting: bool = False
    #: keys of this run that other keys followed
    passed: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Tell whether a run has begun and was neither kept nor undone."""
        return self.phase in _OPEN

    def check_fence(self, order: Order) -> None:
        """Refuse an order of a run that a newer one has followed."""
        if order.fence < self.fence:
            raise Refusal(
                FENCED,
                "this host has seen run %d of the server, so run %d is over" % (self.fence, order.fence),
                "plan anew from how the server runs now",
            )

    def check(self, order: Order) -> None:
        """Refuse an order of a run that is over, or of another one than holds the server."""
        self.check_fence(order)
        if order.fence > self.fence or self.fence == 0:
            return
        if order.run != self.run:
            raise Refusal(
                BUSY, "run %d of the server belongs to another relaunch" % self.fence, "take a new number"
            )
        if order.key in self.passed:
            raise Refusal(
                CHANGED, "a later order of run %d has overtaken this one" % self.fence, "ask for the status"
            )
        if not self.is_open:
            raise Refusal(
                CHANGED,
                "run %d of the server was closed: its launch was %s" % (self.fence, self.phase),
                "begin a new run",
            )


def with_order(record: Record, verb: str, order: Order, boot_id: str, at: float) -> Record:
    """Return what is known once an order has been taken. The way of one run back stays while it is open."""
    is_same_run = order.fence == record.fence
    passed = record.passed if is_same_run else ()
    if is_same_run and record.key not in (None, order.key):
        passed = (*passed, str(record.key))[-_PASSED:]
    is_again = record.key == order.key and record.verb == verb
    return replace(
        record,
        fence=order.fence,
        key=order.key,
        verb=verb,
        run=order.run,
        boot_id=boot_id,
        at=at,
        passed=passed,
        is_starting=record.is_starting and is_again,
    )


def read_record(folder: Folder) -> Record:
    """Return what is known; a server never touched is idle."""
    body = read_json(folder.intent)
    return Record() if body is None else Record(**dict(body, passed=tuple(body["passed"])))


def write_record(folder: Folder, record: Record) -> None:
    """Write it down for good."""
    write_json(folder.intent, asdict(record))
