"""Reads what a helper says to its end without keeping more than is wanted. Not for what it says."""

from __future__ import annotations

from typing import Final, Protocol

_CHUNK: Final = 1 << 16


class Stream(Protocol):
    """Bytes as they come; asyncio's and asyncssh's readers are such."""

    async def read(self, n: int = -1, /) -> bytes:
        """Return up to `n` bytes; none at the end."""


async def read_most(stream: Stream, limit: int) -> bytes:
    """Read to the end, keep at most `limit` bytes."""
    kept = bytearray()
    while chunk := await stream.read(_CHUNK):
        kept += chunk[: limit - len(kept)]
    return bytes(kept)
