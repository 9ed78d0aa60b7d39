"""Where entries are written. Not how: that is `bot.store.journal`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.audit.chain import Head, Link
    from bot.audit.entry import Entry


class Journal(Protocol):
    """The journal. What cannot be written down is not done."""

    async def write(self, entry: Entry, connection: AsyncConnection | None = None) -> Link:
        """Append an entry; with a connection, in its transaction. Raises `StoreError`."""

    async def head(self) -> Head | None:
        """Return the newest link; None while the journal is empty."""
