"""What differs between a bot for a team, a demonstration and a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.triage.looking.shipped import shipped_engine

if TYPE_CHECKING:
    from adapters.chat.interface import Person
    from bot.triage.looking.engine import MakeEngine


@dataclass(frozen=True, slots=True)
class Stage:
    """Who sits before the page, and what answers."""

    #: who anybody on this machine is; None: people sign in
    everybody: Person | None = None
    #: a log that the page offers to paste
    sample: str | None = None
    make_engine: MakeEngine = shipped_engine
