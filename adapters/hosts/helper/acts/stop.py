"""Stops a server. Not for starting one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..deadman import timer
from ..processes import proc
from ..state.record import STOPPED, STOPPING, Record, with_order, write_record
from .clearing import bring_down
from .work import now, once

if TYPE_CHECKING:
    from ..request.orders import Order
    from .work import Work


def stop(work: Work, order: Order, grace_seconds: float, restore_after_seconds: float) -> dict[str, Any]:
    """Keep the launch for the way back, set the timer, then end the server with its tree."""

    def act(record: Record) -> dict[str, Any]:
        record.check(order)
        opened = open_run(work, record, order, "stop")
        write_record(work.folder, replace(opened, phase=STOPPING))
        timer.arm(work.folder, work.allowlist.path, order.fence, order.key, restore_after_seconds)
        result = bring_down(work, record.start_id, grace_seconds)
        write_record(work.folder, replace(opened, phase=STOPPED))
        return result

    return once(work, "stop", order, act)


def open_run(work: Work, record: Record, order: Order, verb: str) -> Record:
    """Return what is to be written down for an order; the first of a run keeps the launch for the way back."""
    taken = with_order(record, verb, order, proc.boot_id(), now())
    if record.is_open:
        return taken
    spec, base_hash = work.registered(record)
    work.folder.write_launch("previous", spec, base_hash)
    return replace(taken, previous_spec_hash=spec.hash)
