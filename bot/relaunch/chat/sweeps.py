"""Asking for people in chat which other servers would fail the same way. Changes nothing on any of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.chat.interface import Card
from bot.access.authorization import Refusal
from bot.access.policy import Action
from bot.relaunch.chat.asked import Told, reply_id_of
from bot.relaunch.chat.found import sweep_card
from bot.relaunch.chat.words import plain_card, refused_card
from bot.triage.card import SWEEP
from bot.triage.showing.fitting import fit

if TYPE_CHECKING:
    from adapters.chat.interface import Place
    from bot.relaunch.chat.asked import Asked, Speaking
    from bot.relaunch.chat.fetches import Fetches
    from bot.relaunch.offer import Offer
    from bot.relaunch.sweeping import Sweeping, Swept
    from bot.store.interface import Incident, IncidentStore
    from bot.triage.offering import Offering

#: status of what is said to all, and to one person
_TOLD: Final = "told"
_WHISPERED: Final = "whispered"
#: incidents that are looked through, the newest ones
_RECENT: Final = 200


@dataclass(frozen=True, slots=True)
class Sweeps:
    """Takes presses and commands that ask who else."""

    sweeping: Sweeping
    offering: Offering
    fetches: Fetches
    incidents: IncidentStore
    speaking: Speaking

    async def press(self, asked: Asked, value: str) -> Card | None:
        """Ask about an answer's failure; returns what only the person who pressed is told."""
        answer = await self.speaking.answers.get(value)
        offer = await self.offering.of(answer) if answer is not None else None
        if answer is None or offer is None:
            return plain_card("relaunch.gone", asked.language)
        card = await self._sweep(asked, offer, reply_id_of(SWEEP, answer.id), answer.place)
        if card is None:
            await self.speaking.take_button(answer, SWEEP)
        return card

    async def order(self, asked: Asked, name: str) -> Card | None:
        """Ask about the failure that a command means; returns what only whoever asked is told."""
        offer = await self._meant(asked, name)
        if isinstance(offer, Card):
            return offer
        return await self._sweep(asked, offer, reply_id_of(SWEEP, asked.entry.id), asked.entry.place)

    async def _meant(self, asked: Asked, name: str) -> Offer | Card:
        """Return the failure of a server, of a rule, or the newest one here; or why there is none."""
        if name and self.sweeping.permission.find(name) is not None:
            outcome = await self.fetches.looked(asked, name)
            if isinstance(outcome, Card):
                return outcome
            return outcome.offer or plain_card("servers.sweep.healthy", asked.language, server=name)
        for incident in await self.incidents.recent(_RECENT):
            if incident.rule == name if name else _is_here(incident, asked.entry.place):
                answer = await self.speaking.answers.of_incident(incident.id)
                offer = await self.offering.of(answer) if answer is not None else None
                if offer is not None:
                    return offer
        if name:
            return plain_card("servers.sweep.name", asked.language, name=name)
        return plain_card("servers.sweep.no-failure", asked.language)

    async def _sweep(self, asked: Asked, offer: Offer, reply_id: str, place: Place) -> Card | None:
        """Ask, and say what comes of it; a second wish for the same answer is only told so."""
        kept = await self.speaking.kept(reply_id)
        if kept is not None and kept.entry_id != asked.entry.id:
            return plain_card("servers.already", asked.language)
        if kept is not None:
            await self.speaking.say_kept(asked, kept, is_private=kept.status == _WHISPERED)
            return None
        swept = await self.sweeping.sweep(asked.actor, offer)
        if not swept:
            return refused_card(await self._refusal(asked), asked.language)
        limits = self.speaking.platforms[place.platform].capabilities
        card = fit(sweep_card(offer.rule, swept, asked.language), limits)
        is_private = not self._is_for_all(asked, swept)
        status = _WHISPERED if is_private else _TOLD
        await self.speaking.say(asked, Told(reply_id, status, card, offer.rule, is_private=is_private), place)
        return None

    def _is_for_all(self, asked: Asked, swept: tuple[Swept, ...]) -> bool:
        """Tell whether every server that is named is acted on from the channel: others read there too."""
        found = (self.sweeping.permission.find(one.server) for one in swept)
        return all(one is not None and asked.channel in one[1].channels for one in found)

    async def _refusal(self, asked: Asked) -> Refusal:
        """Return why somebody may ask no server at all: what comes nearest to being allowed."""
        permission = self.sweeping.permission
        found: set[Refusal] = set()
        for host, server in permission.registry().servers():
            decision = await permission.decide(asked.actor, Action.SWEEP, host.target(server))
            found |= {decision.refusal} if decision.refusal is not None else set()
        nearest = (Refusal.BOT, Refusal.GROUPS_UNKNOWN, Refusal.NO_ROLE, Refusal.OPERATION)
        return next((one for one in nearest if one in found), Refusal.CHANNEL)


def _is_here(incident: Incident, place: Place) -> bool:
    return (incident.place.platform, incident.place.team, incident.place.channel) == (
        place.platform,
        place.team,
        place.channel,
    )
