"""Looks whether a change could be made. Changes nothing, not even the fence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..drivers.interface import RUNNING, Look
from ..host.permission import check_change
from ..launch import wrapper
from ..processes import gpus
from ..refusal import Refusal
from .clearing import foreign_on_port

if TYPE_CHECKING:
    from ..launch.change import Change
    from ..launch.spec import Spec
    from ..request.orders import Order
    from .work import Work

_NEEDED_BYTES = 64 << 20


def preflight(work: Work, order: Order, change: Change) -> dict[str, Any]:
    """Return what was looked at, and the launches before and after."""
    check_change(work.server, change)
    record = work.record()
    spec, _ = work.registered(record)
    after = work.changed(spec, change)
    found = work.driver.observe(record.start_id)
    looks = [_order(work, order), *work.driver.checks(), _port(work, found.pids), _disk(work)]
    looks += [look for look in (_wrapper(work, spec, after), _gpus(work)) if look is not None]
    state = "it runs" if found.state == RUNNING else "it does not run (%s)" % found.state
    masker = work.masker()
    return {
        "checks": [
            {"name": look.name, "is_sound": look.is_sound, "detail": masker.text(look.detail)}
            for look in [Look("state", True, state), *looks]  # noqa: FBT003 - a record's field
        ],
        "before": masker.launch(spec, spec.hash),
        "after": masker.launch(after, after.hash),
    }


def _order(work: Work, order: Order) -> Look:
    try:
        work.record().check(order)
    except Refusal as refusal:
        return Look("order", is_sound=False, detail=refusal.what)
    return Look("order", is_sound=True, detail="run %d may begin or go on" % order.fence)


def _port(work: Work, ours: tuple[int, ...]) -> Look:
    others = foreign_on_port(work, ours)
    if not others:
        return Look("port", is_sound=True, detail="nobody else holds port %d" % work.server.port)
    what = "port %d is held by process %d (%s)" % (work.server.port, others[0]["pid"], others[0]["name"])
    return Look("port", is_sound=False, detail=what + ", which is not of this server")


def _disk(work: Work) -> Look:
    room = os.statvfs(str(work.folder.path))
    free = room.f_bavail * room.f_frsize
    return Look(
        "disk", is_sound=free > _NEEDED_BYTES, detail="%d MiB are free for state and logs" % (free >> 20)
    )


def _wrapper(work: Work, spec: Spec, after: Spec) -> Look | None:
    script = work.driver.script(spec)
    if script is None or after.hash == spec.hash:
        return None
    obstacle = wrapper.obstacle(script)
    if obstacle is None:
        return Look("wrapper", is_sound=True, detail="the change is made where %s starts vLLM" % script.name)
    what = "%s holds %r, behind which the change cannot be made: register the vLLM command itself" % (
        script.name,
        obstacle,
    )
    return Look("wrapper", is_sound=False, detail=what)


def _gpus(work: Work) -> Look | None:
    if not work.server.gpus:
        return None
    seen = gpus.gpus()
    if seen is None:
        return Look(
            "gpus", is_sound=True, detail="nvidia-smi is missing or does not answer: GPUs were not looked at"
        )
    missing = [gpu for gpu in work.server.gpus if gpu not in {str(one["uuid"]) for one in seen}]
    if missing:
        return Look("gpus", is_sound=False, detail="GPU %s is not there" % missing[0])
    return Look("gpus", is_sound=True, detail="all %d GPUs of the server are there" % len(work.server.gpus))
