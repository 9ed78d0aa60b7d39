"""Lets in what a platform's settings say is looked at; the rest is not even kept. Not for keeping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.chat.interface import Click

if TYPE_CHECKING:
    from adapters.chat.interface import Inbox, IncomingMessage


@dataclass(frozen=True, slots=True)
class Admission:
    """What is looked at on one platform."""

    #: messages that nobody addressed to us
    hears_channels: bool = True
    #: ids of channels where such messages are looked at; empty: all
    channels: frozenset[str] = frozenset()
    #: ids of bots that are listened to
    allowed_bots: frozenset[str] = frozenset()

    def admits(self, event: IncomingMessage | Click) -> bool:
        """Tell whether an event is looked at. Whoever asks is always heard, bots only if they are listed."""
        if isinstance(event, Click):
            return not event.person.is_bot
        if event.author.is_bot and event.author.id not in self.allowed_bots:
            return False
        if event.trigger.is_asking:
            return True
        is_listed = not self.channels or event.ref.place.channel in self.channels
        return self.hears_channels and is_listed


@dataclass(frozen=True, slots=True)
class Threshold:
    """An inbox that takes only what is admitted; meets `Inbox`."""

    inside: Inbox
    admission: Admission

    async def accept(self, event: IncomingMessage | Click) -> bool:
        """Hand an event on; False when it is not looked at, or was kept before."""
        return self.admission.admits(event) and await self.inside.accept(event)
