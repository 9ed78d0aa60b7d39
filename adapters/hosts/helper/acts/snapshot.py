"""A server as it is registered and runs. Changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..drivers.interface import RUNNING

if TYPE_CHECKING:
    from .work import Work


def snapshot(work: Work) -> dict[str, Any]:
    """Return how it is registered, apart from an open run, and what runs."""
    record = work.record()
    spec, _ = work.registered(record)
    found = work.driver.observe(record.start_id)
    return {
        "server": work.server.name,
        "driver": work.server.driver,
        "state": found.state,
        "launch": work.masker().launch(spec, spec.hash),
        "generation": record.generation,
        "fence": record.fence,
        "phase": record.phase,
        "key": record.key,
        "start_id": found.start_id if found.state == RUNNING else None,
        "pid": found.pid,
        "port": work.server.port,
    }
