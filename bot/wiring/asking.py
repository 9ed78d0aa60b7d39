"""What is asked of hosts and incidents without relaunching anything, made from what acts. Not for acting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.checking.examining import ShippedExaminer
from bot.clock import system_clock
from bot.relaunch.fetching import Fetching
from bot.relaunch.sweeping import Sweeping
from bot.store.inbox import SqlInbox
from bot.triage.offering import Offering

if TYPE_CHECKING:
    from bot.wiring.acting import Acting


def offering_of(acting: Acting) -> Offering:
    """Return what tells which fixes an answered failure has."""
    return Offering(SqlInbox(acting.database), acting.looker, acting.limits)


def fetching_of(acting: Acting) -> Fetching:
    """Return what fetches logs and facts."""
    return Fetching(acting.permission, acting.hosts, acting.journal, system_clock)


def sweeping_of(acting: Acting) -> Sweeping:
    """Return what asks all servers about a failure."""
    return Sweeping(acting.permission, acting.hosts, ShippedExaminer(), acting.journal, system_clock)
