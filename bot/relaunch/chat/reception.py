"""Takes all that people in chat want of servers, by button or command. Not for what comes of any of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from adapters.chat.interface import ChatError, Reply, Visibility
from bot.locale import supported
from bot.relaunch.chat.actions import ACTIONS, FETCHES, SWEEPS
from bot.relaunch.chat.asked import Asked
from bot.relaunch.chat.orders import Verb
from bot.relaunch.chat.people import NobodyError, actor_of, channel_of
from bot.relaunch.chat.words import plain_card
from bot.relaunch.scope import scope_of
from bot.store.relaunches.interface import UnknownRelaunchError
from bot.triage.replies import Saying

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.chat.interface import Card, ChatPlatform, Click, IncomingMessage, Place
    from bot.clock import Clock
    from bot.hosts.registry import Registry
    from bot.relaunch.chat.fetches import Fetches
    from bot.relaunch.chat.orders import Order
    from bot.relaunch.chat.presses import RelaunchPresses
    from bot.relaunch.chat.sweeps import Sweeps
    from bot.relaunch.scope import Scope
    from bot.store.interface import InboxEntry

#: status of what is said to one person
_TOLD = "told"


@dataclass(frozen=True, slots=True)
class Reception:
    """Meets `bot.triage.answering.Servers`."""

    registry: Callable[[], Registry]
    clock: Clock
    relaunches: RelaunchPresses
    fetches: Fetches
    sweeps: Sweeps
    platforms: Mapping[str, ChatPlatform]

    def scope(self, place: Place) -> Scope:
        """Return what a card may offer at a place."""
        return scope_of(self.registry(), channel_of(place), self.clock().date())

    async def press(self, entry: InboxEntry, click: Click) -> None:
        """Do what a press asks for, and tell whoever pressed what no card shows."""
        language = supported(click.language)
        try:
            card = await self._press(Asked(entry, click, actor_of(click), language), click)
        except NobodyError:
            card = plain_card("relaunch.nobody", language)
        except UnknownRelaunchError:
            card = plain_card("relaunch.gone", language)
        if card is not None:
            await self._tell(entry.id, click, card)

    async def order(self, entry: InboxEntry, message: IncomingMessage, order: Order) -> None:
        """Do what a command asks for, and tell whoever gave it what no card shows."""
        language = supported(message.language)
        try:
            asked = Asked(entry, message, actor_of(message), language)
            takes = {Verb.FETCH: self.fetches.order, Verb.SWEEP: self.sweeps.order}
            card = await takes[order.verb](asked, order.name)
        except NobodyError:
            card = plain_card("relaunch.nobody", language)
        if card is not None:
            saying = Saying(entry, message, _TOLD, card, entry.id, is_private=True)
            await self.fetches.speaking.replies.say(saying)

    async def _press(self, asked: Asked, click: Click) -> Card | None:
        if click.action in ACTIONS:
            return await self.relaunches.press(asked.actor, click, asked.language)
        if click.action in FETCHES:
            return await self.fetches.press(asked, click.action, click.value)
        if click.action in SWEEPS:
            return await self.sweeps.press(asked, click.value)
        return None

    async def _tell(self, press_id: str, click: Click, card: Card) -> None:
        platform = self.platforms[click.message.place.platform]
        is_private = platform.capabilities.can_be_private
        reply = Reply(
            id=press_id,
            card=card,
            visibility=Visibility.PRIVATE if is_private else Visibility.PUBLIC,
            recipient=click.person.id if is_private else None,
            handle=click.handle,
        )
        try:
            await platform.post(click.message.place, reply)
        except ChatError as error:
            # what was done is done: trying the press again would only be told that it is too late
            structlog.get_logger(__name__).warning("cannot-tell-presser", error=str(error))
