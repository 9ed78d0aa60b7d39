"""Waiting for something to become true, without sleeping, and failing with a sentence that helps.

Every change of a fake's state calls `notify`; every waiter then looks again.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


class NeverHappenedError(AssertionError):
    """What a test waited for did not come; the text says what was seen instead."""

    def __init__(self, what: str, within_s: float, seen: str) -> None:
        self.what = what
        self.within_s = within_s
        self.seen = seen
        super().__init__(f"waited {within_s:g} s for {what}; it never came. Seen last:\n{seen}")


class Watch:
    """Wakes whoever waits each time the state of a fake changes."""

    def __init__(self, describe: Callable[[], str]) -> None:
        self._describe = describe
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """The state changed: every waiter looks again."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()

    async def until(self, look: Callable[[], Found | None], what: str, within_s: float = 5.0) -> Found:
        """The first thing that `look` returns which is neither None nor False.

        Raises `NeverHappenedError` after `within_s` seconds.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_s
        while True:
            found = look()
            if found is not None and found is not False:
                return found
            waiter: asyncio.Future[None] = loop.create_future()
            self._waiting.add(waiter)
            try:
                await asyncio.wait_for(waiter, deadline - loop.time())
            except TimeoutError:
                raise NeverHappenedError(what, within_s, self._describe()) from None
            finally:
                self._waiting.discard(waiter)
