"""Buttons about relaunches: who pressed what becomes an act at the desk. Not for what the acts do, nor for saying it.

A button carries ids and a hash. Which server, which change and who may do it come from registry, rules and roles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.access.policy import Action
from bot.hosts.guess import candidates, replicas, the_one
from bot.locale import say
from bot.relaunch.chat.actions import APPROVE, CANCEL, PICK, REJECT, digest_of, pick_of, plan_of
from bot.relaunch.chat.board import origin_of
from bot.relaunch.chat.people import channel_of
from bot.relaunch.chat.words import Picker, plain_card, said_card, several_card
from bot.relaunch.choosing import Choice, wanted_of
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.scope import scope_of
from bot.triage.card import RELAUNCH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.chat.interface import Card, ChatPlatform, Click
    from bot.access.actor import Actor
    from bot.clock import Clock
    from bot.hosts.guess import Candidate
    from bot.hosts.registry import Host, Registry, Server
    from bot.relaunch.desk import Desk
    from bot.relaunch.offer import Offer
    from bot.relaunch.outcomes import DeskOutcome
    from bot.store.interface import Answer, AnswerStore
    from bot.triage.offering import Offering

#: what the run's own card shows is not said a second time
_SHOWN_BY_CARD: Final = frozenset(
    {OutcomeKind.PLANNED, OutcomeKind.APPROVED, OutcomeKind.REJECTED, OutcomeKind.CALLED_OFF}
)


@dataclass(frozen=True, slots=True)
class RelaunchPresses:
    """Takes presses."""

    desk: Desk
    registry: Callable[[], Registry]
    answers: AnswerStore
    offering: Offering
    clock: Clock
    platforms: Mapping[str, ChatPlatform]

    async def press(self, actor: Actor, click: Click, language: str) -> Card | None:
        """Do what a press asks for; returns what only whoever pressed is told. Raises `UnknownRelaunchError`."""
        if click.action == RELAUNCH:
            return await self._want(actor, click, language)
        if click.action == PICK:
            picked = pick_of(click.value)
            servers = self._picked(picked[1]) if picked is not None else ()
            if picked is None or not servers:
                return plain_card("relaunch.gone", language)
            if len(servers) > 1:
                return await self._request_all(actor, language, picked[0], servers)
            return await self._request_picked(actor, language, picked[0], servers[0])
        named = plan_of(click.value)
        if named is None:
            return plain_card("relaunch.gone", language)
        relaunch_id, seen = named
        run = await self.desk.tools.runs.get(relaunch_id)
        # the hash of another plan stays short, and is no plan's
        plan_hash = run.plan_hash if run.plan_hash.startswith(seen) else seen
        acts = {
            APPROVE: lambda: self.desk.approve(actor, relaunch_id, plan_hash),
            REJECT: lambda: self.desk.reject(actor, relaunch_id, plan_hash),
            CANCEL: lambda: self.desk.cancel(actor, relaunch_id),
        }
        return _told(await acts[click.action](), language)

    def _picked(self, digest: str) -> tuple[str, ...]:
        """Return the server that a button stands for, or all those of one model."""
        registry = self.registry()
        for host, server in registry.servers():
            if digest_of(server.name) == digest:
                return (server.name,)
            if digest_of(_all_of(host, server)) == digest:
                return replicas(registry, host, server)
        return ()

    async def _want(self, actor: Actor, click: Click, language: str) -> Card | None:
        """Ask for a plan for the server that is meant, or which one that is."""
        channel = channel_of(click.message.place)
        answer = await self.answers.get(click.value)
        scope = scope_of(self.registry(), channel, self.clock().date())
        outcome = await self.offering.look(answer, scope) if answer is not None else None
        if answer is None or outcome is None or outcome.offer is None:
            return plain_card("relaunch.gone", language)
        offer = outcome.offer
        # the servers that somebody may not ask for are not even named
        found = await self.desk.permission.among(
            candidates(self.registry(), outcome.hints), actor, Action.REQUEST
        )
        chosen = the_one(found)
        if chosen is not None:
            return await self._request(actor, language, answer, offer, chosen.server)
        if found:
            most = self.platforms[click.message.place.platform].capabilities.options_limit
            names = [one.server.name for one in found]
            picker = Picker(PICK, "relaunch.pick", most)
            return picker.card(answer.id, names, language, self._several(found, language))
        return plain_card("relaunch.none", language)

    def _several(self, found: tuple[Candidate, ...], language: str) -> dict[str, str]:
        """Return how all servers of one model can be picked, where that is what may be meant."""
        likeliest = {_all_of(one.host, one.server) for one in found if one.score == found[0].score}
        if len(likeliest) != 1:
            return {}
        (name,) = likeliest
        number = sum(1 for one in found if _all_of(one.host, one.server) == name)
        return {name: say("relaunch.pick.all", language, number=number)}

    async def _request_all(
        self, actor: Actor, language: str, reply_id: str, servers: tuple[str, ...]
    ) -> Card | None:
        """Ask for a plan for each server that somebody may ask for; the gate lets one run at a time."""
        answer, offer = await self._offer(reply_id)
        if answer is None or offer is None:
            return plain_card("relaunch.gone", language)
        permission, told = self.desk.permission, []
        for name in servers:
            found = permission.find(name)
            if found is None:
                continue
            decision = await permission.decide(actor, Action.REQUEST, found[0].target(found[1]))
            if decision.is_allowed:
                told.append((name, await self._ask_for(actor, language, answer, offer, found[1])))
        # whoever may ask for none is refused the first one, and that is written down
        return (
            several_card(told, language)
            if told
            else await self._request_picked(actor, language, reply_id, servers[0])
        )

    async def _request_picked(
        self, actor: Actor, language: str, reply_id: str, server_name: str
    ) -> Card | None:
        answer, offer = await self._offer(reply_id)
        found = self.registry().find(server_name)
        if answer is None or offer is None or found is None:
            return plain_card("relaunch.gone", language)
        return await self._request(actor, language, answer, offer, found[1])

    async def _request(
        self, actor: Actor, language: str, answer: Answer, offer: Offer, server: Server
    ) -> Card | None:
        return _told(await self._ask_for(actor, language, answer, offer, server), language)

    async def _ask_for(
        self, actor: Actor, language: str, answer: Answer, offer: Offer, server: Server
    ) -> DeskOutcome:
        # in the thread of the failure, whichever card the button stood on
        place = answer.place
        choice = Choice(answer.incident_id or "", origin_of(place, language))
        return await self.desk.request(actor, wanted_of(offer, server, choice))

    async def _offer(self, reply_id: str) -> tuple[Answer | None, Offer | None]:
        answer = await self.answers.get(reply_id)
        return (answer, await self.offering.of(answer)) if answer is not None else (None, None)


def _all_of(host: Host, server: Server) -> str:
    """Return what stands for all servers of one model in one group; no server can be called so."""
    return f"{host.group}\0{server.model}"


def _told(outcome: DeskOutcome, language: str) -> Card | None:
    return None if outcome.kind in _SHOWN_BY_CARD else said_card(outcome, language)
