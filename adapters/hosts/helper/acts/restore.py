"""Brings back the launch that was registered before the run. Not for deciding when."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..deadman import timer
from ..state.record import RESTORED, RESTORING, Record, write_record
from .clearing import bring_down
from .start import begin, make, started
from .stop import open_run
from .work import once

if TYPE_CHECKING:
    from ..request.orders import Order
    from .work import Work

_GRACE_SECONDS = 15.0


def restore(work: Work, order: Order, restore_after_seconds: float) -> dict[str, Any]:
    """End whatever runs of the server and start what was registered before."""

    def act(record: Record) -> dict[str, Any]:
        if record.phase == RESTORED and record.fence == order.fence and record.run == order.run:
            # Done already: by this order before the helper died, or by the timer.
            settle(work)
            return started(work, record)
        record.check(order)
        return bring_back(work, record, order, restore_after_seconds)

    return once(work, "restore", order, act)


def bring_back(work: Work, record: Record, order: Order, restore_after_seconds: float) -> dict[str, Any]:
    """Do it under the lock; goes on where a helper that died has left it."""
    spec, base_hash = work.registered(record)
    record = replace(open_run(work, record, order, "restore"), phase=RESTORING)
    if not record.is_starting:
        write_record(work.folder, record)
        timer.arm(work.folder, work.allowlist.path, order.fence, order.key, restore_after_seconds)
        bring_down(work, record.start_id, _GRACE_SECONDS)
        record = begin(record, spec)
        write_record(work.folder, record)
    work.folder.write_launch("current", spec, base_hash)
    make(work, record, spec)
    record = replace(record, phase=RESTORED, is_starting=False)
    write_record(work.folder, record)
    settle(work)
    return started(work, record)


def settle(work: Work) -> None:
    """Forget the way back of a run that is closed, and take its timer off."""
    work.folder.drop_previous()
    timer.disarm(work.folder)
