"""A server at this moment with the next piece of its log. Changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..deadman import timer
from ..drivers.interface import RUNNING
from ..launch import running
from ..logs.reading import read_part
from ..processes import ports, proc

if TYPE_CHECKING:
    from .work import Work


def status(work: Work, log_offset: int, log_limit: int) -> dict[str, Any]:
    """Return it as the processes are, not as they were meant to be."""
    record = work.record()
    found = work.driver.observe(record.start_id)
    spec = (work.folder.launch("current") if record.start_id else None) or work.driver.registered()
    real = running.find(found.pids, found.pid, spec, work.server)
    masker = work.masker(*([real[1]] if real else []))
    log: dict[str, Any] = {"start_id": None, "next_offset": 0, "text": "", "skipped_bytes": 0}
    if record.start_id is not None:
        start_id, is_over = record.start_id, found.state != RUNNING

        def read(offset: int, limit: int) -> Any:  # noqa: ANN401 - a Piece
            return work.driver.read_log(start_id, offset, limit)

        log = dict(read_part(read, masker, log_offset, log_limit, is_over=is_over), start_id=start_id)
    return {
        "state": found.state,
        "phase": record.phase,
        "fence": record.fence,
        "generation": record.generation,
        "key": record.key,
        "start_id": found.start_id,
        "pid": found.pid,
        "restarts": found.restarts,
        "exit_code": found.exit_code,
        "running_spec_hash": None if real is None else real[2],
        "cpu_seconds": round(proc.cpu_seconds(found.pids), 3),
        "port_is_open": ports.is_listened_on(work.server.port),
        "log": log,
        "restores_in_seconds": timer.remaining(work.folder),
        "running": None if real is None else masker.launch(real[1], real[2]),
    }
