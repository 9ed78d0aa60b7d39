"""Work that lasts as long as the bot does; that it broke must not go unnoticed. Not for what it does."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    #: whoever hears that work broke that nobody was to end
    Missed = Callable[[BaseException], None]


def begin(work: Iterable[Coroutine[Any, Any, None]], missed: Missed) -> list[asyncio.Task[None]]:
    """Start all of it; `missed` hears what broke, but nothing of what was cancelled or came to its end."""
    tasks = [asyncio.create_task(one) for one in work]
    for task in tasks:
        task.add_done_callback(partial(_tell, missed=missed))
    return tasks


def only_log(error: BaseException) -> None:
    """Say it in the log, for whoever runs a bot inside of something larger."""
    structlog.get_logger(__name__).error("work-broke", error=repr(error))


def _tell(task: asyncio.Task[None], missed: Missed) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        missed(error)
