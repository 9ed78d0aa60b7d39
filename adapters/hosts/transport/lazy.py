"""A transport that is made when it is first needed, so that a name is looked up then and not at the bot's start."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.hosts.transport.interface import Transport


class LazyTransport:
    """Makes another transport once, and again after a failure to make it; meets `Transport`."""

    def __init__(self, make: Callable[[], Awaitable[Transport]]) -> None:
        """Take what makes it; it raises `HostUnreachableError` where the host cannot be named."""
        self._make = make
        self._made: Transport | None = None
        self._making = asyncio.Lock()

    async def run(self, request: bytes, deadline_seconds: float) -> bytes:
        """Hand a request to the helper and return its reply."""
        async with self._making:
            made = self._made = self._made or await self._make()
        return await made.run(request, deadline_seconds)

    async def close(self) -> None:
        """Close what was made; it is made anew when it is needed again."""
        made, self._made = self._made, None
        if made is not None:
            await made.close()
