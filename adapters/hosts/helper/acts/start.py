"""Starts a stopped server with a change. Not for whether it comes up."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..deadman import timer
from ..drivers.interface import EXITED, RUNNING, UNKNOWN, Start
from ..host.permission import check_change
from ..refusal import CHANGED, UNABLE, Refusal
from ..state.record import STARTED, STARTING, Record, write_record
from .clearing import foreign_on_port
from .stop import open_run
from .work import once

if TYPE_CHECKING:
    from ..launch.change import Change
    from ..launch.spec import Spec
    from ..request.orders import Order
    from .work import Work


def start(
    work: Work, order: Order, change: Change, spec_hash: str, restore_after_seconds: float
) -> dict[str, Any]:
    """Make one start of exactly the launch that was planned."""
    check_change(work.server, change)

    def act(record: Record) -> dict[str, Any]:
        record.check(order)
        registered, base_hash = work.registered(record)
        spec = work.changed(registered, change)
        if spec.hash != spec_hash:
            raise Refusal(
                CHANGED,
                "the registered launch of %s with this change is not the one that was planned"
                % work.server.name,
                "plan anew from how it is registered now",
            )
        if not _is_begun(record, order, spec):
            check_ready(work, record)
            opened = open_run(work, record, order, "start")
            record = replace(begin(opened, spec), phase=STARTING)
            write_record(work.folder, record)
        work.folder.write_launch("current", spec, base_hash)
        timer.arm(work.folder, work.allowlist.path, order.fence, order.key, restore_after_seconds)
        make(work, record, spec)
        record = replace(record, phase=STARTED)
        write_record(work.folder, record)
        return started(work, record)

    result = once(work, "start", order, act)
    return dict(result, restores_in_seconds=timer.remaining(work.folder))


def begin(record: Record, spec: Spec) -> Record:
    """Return what is known once a new start is meant."""
    return replace(
        record,
        start_id=secrets.token_hex(8),
        generation=record.generation + 1,
        spec_hash=spec.hash,
        is_starting=True,
    )


def make(work: Work, record: Record, spec: Spec) -> None:
    """Let the driver make the start that was written down."""
    if record.start_id is None:
        raise Refusal(UNABLE, "the state of %s holds no start" % work.server.name, "ask for the status")
    work.driver.start(Start(record.start_id, spec))


def started(work: Work, record: Record) -> dict[str, Any]:
    """Return the answer to an order that started something."""
    return {
        "start_id": record.start_id,
        "generation": record.generation,
        "pid": work.driver.observe(record.start_id).pid,
        "spec_hash": record.spec_hash,
        "restores_in_seconds": timer.remaining(work.folder),
    }


def check_ready(work: Work, record: Record) -> None:
    """Refuse to start over something that runs, or where the driver cannot."""
    for look in work.driver.checks():
        if not look.is_sound:
            raise Refusal(UNABLE, look.detail, "mend it on the host")
    found = work.driver.observe(record.start_id)
    if found.state in (RUNNING, UNKNOWN) or (found.state == EXITED and found.pids):
        raise Refusal(
            UNABLE,
            "%s still runs, or leftovers of it do" % work.server.name
            if found.state != UNKNOWN
            else "it cannot be told whether %s runs" % work.server.name,
            "stop it first",
        )
    # A start that a helper began and did not see through must not come up beside the new one.
    if record.start_id is not None:
        work.driver.end(record.start_id, 0.0)
    others = foreign_on_port(work, ())
    if others:
        raise Refusal(
            UNABLE,
            "port %d is held by process %d (%s), which is not of this server"
            % (work.server.port, others[0]["pid"], others[0]["name"]),
            "end it on the host; a server that was started by hand must be ended once, so that the helper can start it",
        )


def _is_begun(record: Record, order: Order, spec: Spec) -> bool:
    """Tell whether this very order had begun before the helper died."""
    is_same = record.key == order.key and record.verb == "start" and record.fence == order.fence
    return is_same and record.phase in (STARTING, STARTED) and record.spec_hash == spec.hash
