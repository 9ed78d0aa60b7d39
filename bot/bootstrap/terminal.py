"""What acts on hosts, opened for one command at a terminal and closed after it. Not for the bot."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from adapters.chat.console.platform import CAPABILITIES
from bot.bootstrap.acting import acting_of
from bot.store.database import open_database
from bot.triage.looking.here import LookingHere
from bot.triage.looking.shipped import shipped_engine

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.settings import Settings
    from bot.wiring.acting import Acting


@asynccontextmanager
async def acting_at_terminal(settings: Settings) -> AsyncIterator[Acting | None]:
    """Give what acts on hosts, on the store of the bot; None where no registry is configured. Raises `StoreError`."""
    database = await open_database(settings.store_url)
    try:
        acting = acting_of(settings, database, LookingHere(shipped_engine), CAPABILITIES)
        try:
            yield acting
        finally:
            if acting is not None:
                await acting.hosts.close()
    finally:
        await database.close()
