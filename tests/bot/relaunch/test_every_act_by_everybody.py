"""Every act at the desk, by every role, from every surface: who may not gets nothing, and it is written down."""

from dataclasses import replace

import pytest

from bot.access.actor import SIGNED_IN, Actor, Surface
from bot.access.authorization import Refusal
from bot.access.policy import Action, Grant, Policy
from bot.hosts.registry import Registry
from bot.relaunch.fetching import Fetched, Fetching
from bot.relaunch.gating.wish import Switches
from bot.relaunch.offer import Offer
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.states import TERMINAL
from bot.relaunch.sweeping import Sweeping
from tests.bot.relaunch.asking import PASTE, NoFaults, Street, at_the_terminal, in_chat, said, where, who
from tests.bot.relaunch.team import OLD_FAILURE, a_registry, a_remedy, a_team, wanted

IDS = {
    Surface.SLACK: "slack:T1:{}",
    Surface.DISCORD: "discord:99:{}",
    Surface.CONSOLE: "os:console-{}",
    Surface.TERMINAL: "os:{}",
}
CHANNELS = {
    Surface.SLACK: "slack:T1:C1",
    Surface.DISCORD: "discord:99:7",
    Surface.CONSOLE: "console:general",
    Surface.TERMINAL: "",
}
EVERYTHING = frozenset(Action)
#: role → what it may on the hosts of the lab, in words of the table and not of the program
MAY = {
    "nobody": frozenset(),
    "viewer": frozenset({"view"}),
    "oncall": frozenset({"view", "request", "cancel", "fetch"}),
    "lead": frozenset({"view", "approve", "reject"}),
    # granted to approve, and not on the server's list of approvers
    "stranger": frozenset({"view", "reject"}),
    "admin": frozenset(action.value for action in Action),
    # an admin of other machines
    "neighbour": frozenset(),
    # an admin's account that is a bot
    "machine": frozenset(),
    # an admin who speaks where the server is not acted on; at a terminal and on the console there is no such place
    "elsewhere": frozenset(),
}
SETTER = Actor(Surface.TERMINAL, "os:setter")


def a_policy():
    members = {role: frozenset(IDS[surface].format(role) for surface in Surface) for role in MAY}
    members["admin"] |= members["machine"] | members["elsewhere"] | {SETTER.id}
    members["nobody"] = frozenset()
    grants = [
        Grant(role, frozenset(map(Action, MAY[role])), frozenset({"lab"}))
        for role in ("viewer", "oncall", "lead", "admin")
    ]
    grants.append(
        Grant("stranger", frozenset(map(Action, ("view", "approve", "reject"))), frozenset({"lab"}))
    )
    grants.append(Grant("neighbour", EVERYTHING, frozenset({"office"})))
    return Policy(members, tuple(grants))


def an_actor(surface, role):
    channel = "slack:T1:OTHER" if role == "elsewhere" else CHANNELS[surface]
    return Actor(
        surface,
        IDS[surface].format(role),
        is_bot=role == "machine",
        channel=channel,
        source=f"{surface}-{role}",
    )


def may(surface, role, action):
    if role == "elsewhere" and surface in {Surface.CONSOLE, Surface.TERMINAL}:
        return True
    if action is Action.SWITCH and surface not in SIGNED_IN:
        # an account of a chat proves no person, and this is about all hosts
        return False
    return action.value in MAY[role]


class Desks:
    """All that takes acts."""

    def __init__(self, team):
        self.team = team
        self.fetching = Fetching(team.permission, team.find_host, team.journal, team.now)
        self.sweeping = Sweeping(team.permission, team.find_host, NoFaults(), team.journal, team.now)

    async def waiting(self):
        """A run that waits for approval, asked for by somebody else."""
        for run in await self.team.runs.unfinished():
            await self.team.desk.unlock(SETTER, run.id)
        outcome = await self.team.desk.request(SETTER, wanted(is_forced=True))
        assert outcome.kind is OutcomeKind.PLANNED, outcome
        return outcome.relaunch

    async def do(self, actor, action, run):
        """Do it; tell whether it was done."""
        desk, offer = self.team.desk, Offer("r", 1, OLD_FAILURE, (a_remedy(),), False, None, None)
        if action is Action.VIEW:
            return await desk.show(actor, run.id) is not None
        if action is Action.FETCH:
            return isinstance(await self.fetching.fetch(actor, "qwen", 5), Fetched)
        if action is Action.SWEEP:
            return await self.sweeping.sweep(actor, offer) != ()
        if action is Action.SWITCH:
            is_done = not isinstance(await self.team.switching.turn(actor, on=False), Refusal)
            assert (await self.team.kill_switch.state() is not None) == is_done
            await self.team.switching.turn(SETTER, on=True)
            return is_done
        acts = {
            Action.REQUEST: lambda: desk.request(actor, wanted()),
            Action.FORCE: lambda: desk.request(actor, wanted(is_forced=True)),
            Action.APPROVE: lambda: desk.approve(actor, run.id, run.plan_hash),
            Action.REJECT: lambda: desk.reject(actor, run.id, run.plan_hash),
            Action.CANCEL: lambda: desk.cancel(actor, run.id),
            Action.UNLOCK: lambda: desk.unlock(actor, run.id),
        }
        outcome = await acts[action]()
        if outcome.kind is OutcomeKind.DENIED:
            assert isinstance(outcome.refusal, Refusal)
            return False
        return True


@pytest.mark.parametrize("role", sorted(MAY))
@pytest.mark.parametrize("surface", list(Surface))
async def test_only_who_may_does_and_each_refusal_is_written_down(tmp_path, surface, role):
    server = {
        "operations": frozenset({"relaunch", "fetch", "sweep"}),
        "approvers": frozenset({"lead", "admin"}),
        "channels": frozenset(CHANNELS.values()),
    }
    registry = Registry(a_registry(**server).hosts, a_policy())
    switches = Switches(is_enabled=True, is_dry_run=False, per_person_an_hour=1_000)
    actor = an_actor(surface, role)
    async with a_team(tmp_path, registry=registry, switches=switches) as team:
        desks = Desks(team)
        run = await desks.waiting()
        for action in Action:
            if run.state in TERMINAL or (await team.runs.get(run.id)).state != run.state:
                run = await desks.waiting()
            before = len(await team.journalled())
            letters = len(await team.outbox.waiting(100))

            is_done = await desks.do(actor, action, run)

            assert is_done == may(surface, role, action), action
            if is_done:
                continue
            (entry,) = [one for one in (await team.journalled())[before:] if one["actor"] != SETTER.id]
            told = (entry["stage"], entry["act"], entry["actor"], entry["outcome"], entry["source"])
            assert told == ("decision", action.value, actor.id, "refused", actor.source)
            assert entry["detail"] in set(Refusal)
            assert (await team.runs.get(run.id)).state == run.state
            assert len(await team.outbox.waiting(100)) == letters
        assert team.host.effects == []


@pytest.mark.parametrize("action", [action for action in Action if action is not Action.VIEW])
@pytest.mark.parametrize("surface", list(Surface))
async def test_what_the_server_s_entry_does_not_list_nobody_does(tmp_path, surface, action):
    server = {
        "operations": frozenset(),
        "approvers": frozenset({"lead", "admin"}),
        "channels": frozenset(CHANNELS.values()),
    }
    registry = Registry(a_registry(**{**server, "operations": frozenset({"relaunch"})}).hosts, a_policy())
    async with a_team(tmp_path, registry=registry) as team:
        desks = Desks(team)
        run = await desks.waiting()
        team.registry = Registry(a_registry(**server).hosts, a_policy())

        is_done = await desks.do(an_actor(surface, "admin"), action, run)

        # taking a lock off is no operation of a server: it mends the bot's own book; the switch is about all of them
        assert is_done == (action is Action.UNLOCK or (action is Action.SWITCH and surface in SIGNED_IN))


ASKED = [
    (surface, how)
    for surface in Surface
    for how in (("command",) if surface is Surface.TERMINAL else ("button", "command"))
]


@pytest.mark.parametrize("role", sorted(MAY))
@pytest.mark.parametrize(("surface", "how"), ASKED)
async def test_only_who_may_has_servers_asked_by_button_or_command(tmp_path, surface, how, role):
    server = {
        "operations": frozenset({"relaunch", "fetch", "sweep"}),
        "approvers": frozenset({"lead", "admin"}),
        "channels": frozenset(CHANNELS.values()),
        "model": "Qwen/Qwen3-VL-8B-Instruct",
    }
    registry = Registry(a_registry(**server).hosts, a_policy())
    actor = an_actor(surface, role)
    if role == "elsewhere" and surface in {Surface.DISCORD, Surface.CONSOLE}:
        actor = replace(actor, channel={Surface.DISCORD: "discord:99:8"}.get(surface, "console:other"))
    async with a_team(tmp_path, registry=registry) as team:
        street = Street(team)
        room = where(CHANNELS[surface] or CHANNELS[Surface.CONSOLE])
        entry = await street.hears(said(room, who(an_actor(Surface.SLACK, "viewer")), PASTE))
        answer = await street.shown(entry)
        for action in ("fetch", "sweep"):
            before, out = len(await team.journalled()), len(street.platforms[room.platform].public)

            if surface is Surface.TERMINAL:
                is_done = await at_the_terminal(street, actor, action, answer.incident_id)
            else:
                is_done = await in_chat(street, actor, action, how, answer)

            new = (await team.journalled())[before:]
            assert is_done == may(surface, role, Action(action)), action
            if is_done:
                assert [one["stage"] for one in new] == ["decision", "intent", "result"]
                continue
            # nobody else hears of it
            assert len(street.platforms[room.platform].public) == out
            if actor.is_bot and how == "command" and surface is not Surface.TERMINAL:
                # what other programs say is not even heard
                assert new == []
                continue
            (entry,) = new
            told = (entry["stage"], entry["act"], entry["actor"], entry["outcome"])
            assert told == ("decision", action, actor.id, "refused")
            assert entry["detail"] in set(Refusal)
