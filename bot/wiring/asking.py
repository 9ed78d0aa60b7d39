"""What people ask of servers in chat and at a terminal, made from what acts. Not for acting."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.checking.examining import ShippedExaminer
from bot.clock import system_clock
from bot.relaunch.chat.asked import Speaking
from bot.relaunch.chat.fetches import READ_LINES, Fetches
from bot.relaunch.chat.presses import RelaunchPresses
from bot.relaunch.chat.reception import Reception
from bot.relaunch.chat.sweeps import Sweeps
from bot.relaunch.fetching import Fetching
from bot.relaunch.sweeping import Sweeping
from bot.store.answers import SqlAnswers
from bot.store.inbox import SqlInbox
from bot.triage.offering import Offering

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.chat.interface import ChatPlatform
    from bot.store.interface import IncidentStore
    from bot.triage.replies import Replies
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


def reception_of(
    acting: Acting, replies: Replies, incidents: IncidentStore, platforms: Mapping[str, ChatPlatform]
) -> Reception:
    """Return what takes buttons and commands about servers."""
    acting.groups.ask_at(platforms)
    answers = SqlAnswers(acting.database)
    offering, speaking = offering_of(acting), Speaking(replies, answers, platforms)
    fetching = replace(fetching_of(acting), most_lines=READ_LINES)
    fetches = Fetches(fetching, offering, acting.looker, SqlInbox(acting.database), speaking)
    sweeps = Sweeps(sweeping_of(acting), offering, fetches, incidents, speaking)
    presses = RelaunchPresses(
        acting.desk(acting.service.wake), acting.registry, answers, offering, system_clock, platforms
    )
    return Reception(acting.registry, system_clock, presses, fetches, sweeps, platforms)
