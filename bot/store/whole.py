"""Connections on which a statement, once begun, is waited for even when the caller is cancelled.

Breaking off in the middle leaves a connection that still works on the statement, and with SQLite its lock:
whoever comes next would wait for it in vain. Not for what is asked.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

Result = TypeVar("Result")


async def whole(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what comes of some work; a cancellation is heard only after its end."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise


class WholeConnection(AsyncConnection):
    """A connection whose statements are never broken off."""

    __slots__ = ()

    async def execute(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (as the library has it)
        """Run a statement to its end."""
        return await whole(super().execute(*arguments, **options))

    async def exec_driver_sql(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (as above)
        """Run a statement of the database's own to its end."""
        return await whole(super().exec_driver_sql(*arguments, **options))

    async def run_sync(self, fn: Callable[..., Result], *arg: Any, **kw: Any) -> Result:  # noqa: ANN401 (as above)
        """Run work on the connection to its end."""
        return await whole(super().run_sync(fn, *arg, **kw))
