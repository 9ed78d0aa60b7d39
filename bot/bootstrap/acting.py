"""Wires what acts on hosts, for the bot and for commands at a terminal. Not for what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.bootstrap.hosts import open_host
from bot.hosts.watching import RegistryFile

if TYPE_CHECKING:
    from adapters.chat.interface import Capabilities
    from bot.settings import Settings
    from bot.store.database import Database
    from bot.triage.looking.engine import Looker
    from bot.wiring.acting import Acting


def acting_of(settings: Settings, database: Database, looker: Looker, limits: Capabilities) -> Acting | None:
    """Return what acts on hosts; None where no registry is configured."""
    if settings.relaunch.registry is None:
        return None
    # release facts and the durable engine's parts are slow to import, and most bots only diagnose
    from bot.wiring.acting import Acting  # noqa: PLC0415

    return Acting(settings, database, RegistryFile(settings.relaunch.registry), open_host, looker, limits)
