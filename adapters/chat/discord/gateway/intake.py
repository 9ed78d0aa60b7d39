"""Events on their way from the gateway to the inbox: kept in their order, tried again, counted. Not for REST.

Discord does not wait for an acknowledgement of a message. What could not be kept is not lost all the same:
it counts as a gap, and gaps are read again from the channel.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.chat.interface import Inbox, IncomingMessage

_TRIES = 3
_PAUSE_S = 0.2
#: events that wait to be kept; beyond this the store is gone, and the channel remembers them for us
_WAITING = 5_000
_MEMORY = 10_000


class Texts:
    """Which texts recent messages had, to tell an edit from a preview that was added. Bounded."""

    def __init__(self, limit: int = _MEMORY) -> None:
        self._hashes: OrderedDict[int, int] = OrderedDict()
        self._limit = limit

    def is_new(self, message: int, text: str) -> bool:
        """Tell whether a message has another text than when it was last looked at, and remember it."""
        before = self._hashes.pop(message, None)
        self._hashes[message] = now = hash(text)
        while len(self._hashes) > self._limit:
            self._hashes.popitem(last=False)
        return before != now


class Known:
    """Which events this process saw being kept, so that reading them again costs nothing. Bounded."""

    def __init__(self, limit: int = _MEMORY) -> None:
        self._keys: OrderedDict[str, None] = OrderedDict()
        self._limit = limit

    def note(self, event: IncomingMessage) -> None:
        """Remember that an event is kept."""
        self._keys.update(dict.fromkeys(event.delivery_keys))
        while len(self._keys) > self._limit:
            self._keys.popitem(last=False)

    def __contains__(self, event: IncomingMessage) -> bool:
        """Tell whether an event is surely kept."""
        return any(key in self._keys for key in event.delivery_keys)


class Intake:
    """Keeps messages one after the other."""

    def __init__(
        self,
        inbox: Inbox,
        known: Known,
        missed: Callable[[], None],
        settled: Callable[[], Awaitable[None]],
    ) -> None:
        """`missed` hears of an event that could not be kept, `settled` that all so far are kept."""
        self._inbox = inbox
        self._known = known
        self._missed = missed
        self._settled = settled
        self._waiting: asyncio.Queue[IncomingMessage] = asyncio.Queue(_WAITING)
        self._unfinished = 0
        self._log = structlog.get_logger(__name__)

    @property
    def is_idle(self) -> bool:
        """Tell whether nothing waits."""
        return self._unfinished == 0

    def take(self, event: IncomingMessage) -> None:
        """Have an event kept soon."""
        try:
            self._waiting.put_nowait(event)
        except asyncio.QueueFull:
            self._log.warning("too-many-waiting", message=event.ref.id)
            self._missed()
        else:
            self._unfinished += 1

    async def run(self) -> None:
        """Keep events until cancelled."""
        while True:
            event = await self._waiting.get()
            try:
                await self._keep(event)
            finally:
                self._unfinished -= 1
            if self._waiting.empty():
                await self._tell_settled()

    async def _tell_settled(self) -> None:
        try:
            await self._settled()
        except Exception as error:  # noqa: BLE001 (outermost loop: an older note only costs reading more)
            self._log.warning("not-noted", error=repr(error))

    async def _keep(self, event: IncomingMessage) -> None:
        for number in range(1, _TRIES + 1):
            try:
                await self._inbox.accept(event)
            except Exception as error:  # noqa: BLE001 (outermost loop: one event must not stop the others)
                self._log.warning("not-kept", message=event.ref.id, tries=number, error=repr(error))
                await asyncio.sleep(_PAUSE_S * number)
            else:
                self._known.note(event)
                return
        self._missed()
