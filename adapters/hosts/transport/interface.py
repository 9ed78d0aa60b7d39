"""What carries one request to a helper and its reply back. Not for what they say."""

from __future__ import annotations

from typing import Final, Protocol

#: no reply is longer; what is longer is not read to its end
LONGEST_REPLY: Final = 1 << 20


class Transport(Protocol):
    """One way to one host."""

    async def run(self, request: bytes, deadline_seconds: float) -> bytes:
        """Hand a request to the helper and return its reply.

        Raises `HostUnreachableError` when it surely did not arrive, `OutcomeUnknownError` when it may have, and
        `BrokenHostError` when it will not be answered before a person mends something.
        """

    async def close(self) -> None:
        """Give back what is held."""
