"""Tells the journal's head elsewhere, so that a cut tail shows. Not for the journal."""

from __future__ import annotations

import asyncio
import syslog
from typing import TYPE_CHECKING, Final

import structlog

from bot.audit.heads import append_line, head_line
from bot.clock import system_clock

if TYPE_CHECKING:
    from pathlib import Path

    from bot.store.journal import SqlJournal

_HEAD_S: Final = 60.0


async def export_heads(journal: SqlJournal, file: Path | None, *, to_syslog: bool) -> None:
    """Tell the journal's head to a file or to syslog every minute, whenever it has moved."""
    log, told = structlog.get_logger(__name__), 0
    while True:
        try:
            head = await journal.head()
            if head is not None and head.sequence != told:
                line = head_line(head, system_clock())
                if file is not None:
                    await asyncio.to_thread(append_line, file, line)
                if to_syslog:
                    syslog.syslog(syslog.LOG_NOTICE, line)
                told = head.sequence
        except Exception as error:  # noqa: BLE001 (outermost loop: disk and store may come back)
            log.warning("cannot-export-journal-head", error=repr(error))
        await asyncio.sleep(_HEAD_S)
