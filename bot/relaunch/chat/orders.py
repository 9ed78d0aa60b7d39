"""What a slash command wants of servers, as opposed to a paste or a question. Pure. Not for doing it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from adapters.chat.interface import IncomingMessage, Trigger

#: no order is longer; what is longer is a paste
_LONGEST: Final = 300


class Verb(StrEnum):
    """What is wanted."""

    #: the end of a server's log and its facts, diagnosed
    FETCH = "fetch"
    #: which other servers would fail the same way
    SWEEP = "sweep"


@dataclass(frozen=True, slots=True)
class Order:
    """One order."""

    verb: Verb
    #: of a server or a rule; empty: none was named
    name: str


def order_of(message: IncomingMessage) -> Order | None:
    """Return what a command orders; None where it does not, and for everything that is no command."""
    if message.trigger is not Trigger.COMMAND or message.files or len(message.text) > _LONGEST:
        return None
    words = message.text.split()
    if not words or len(words) > 2 or words[0].lower() not in set(Verb):
        return None
    return Order(Verb(words[0].lower()), words[1].strip("`") if len(words) == 2 else "")
