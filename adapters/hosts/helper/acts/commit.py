"""Keeps the launch that runs as the registered one. Not for judging whether it deserves that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..drivers.interface import RUNNING
from ..processes import proc
from ..refusal import CHANGED, Refusal
from ..state.record import COMMITTED, STARTED, Record, with_order, write_record
from .restore import settle
from .snapshot import snapshot
from .work import now, once

if TYPE_CHECKING:
    from ..request.orders import Order
    from .work import Work


def commit(work: Work, order: Order) -> dict[str, Any]:
    """Close the run: from here on nothing brings the previous launch back."""

    def act(record: Record) -> dict[str, Any]:
        is_again = record.phase == COMMITTED and record.fence == order.fence and record.key == order.key
        if not is_again:
            record.check(order)
            _check_running(work, record)
            taken = with_order(record, "commit", order, proc.boot_id(), now())
            write_record(work.folder, replace(taken, phase=COMMITTED))
        settle(work)
        return snapshot(work)

    return once(work, "commit", order, act)


def _check_running(work: Work, record: Record) -> None:
    found = work.driver.observe(record.start_id)
    if record.phase != STARTED or found.state != RUNNING or found.start_id != record.start_id:
        raise Refusal(
            CHANGED,
            "%s does not run the start of this run, so there is nothing to keep" % work.server.name,
            "restore it",
        )
