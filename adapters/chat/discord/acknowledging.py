"""Which interactions are being acknowledged right now: an answer must not overtake that. Not for doing it."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Discord takes no acknowledgement after 3 s
_LONGEST_S = 5.0


class Acknowledging:
    """Lets answers wait for the acknowledgement of what they answer, as far as this process does it."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Event] = {}

    @contextmanager
    def of(self, interaction: str) -> Iterator[None]:
        """Say that an interaction is acknowledged by the end of the block, or never."""
        self._under_way[interaction] = asyncio.Event()
        try:
            yield
        finally:
            self._under_way.pop(interaction).set()

    async def done(self, interaction: str) -> None:
        """Return once nobody here is about to acknowledge an interaction."""
        under_way = self._under_way.get(interaction)
        if under_way is None:
            return
        try:
            async with asyncio.timeout(_LONGEST_S):
                await under_way.wait()
        except TimeoutError:
            return
