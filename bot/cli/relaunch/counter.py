"""The desk as somebody at a terminal stands at it, and what keeps a command from getting there. Not for its acts."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from adapters.hosts.errors import HostError
from bot.access.actor import ACTOR_ID, Actor, Surface
from bot.access.authorization import Refusal
from bot.access.policy import Action
from bot.access.signing_in import os_person
from bot.audit.keys import JournalKeyError
from bot.bootstrap.terminal import acting_at_terminal
from bot.cli.exits import CommandError, ExitCode, unknown_name
from bot.cli.running.starting import run, settings_with
from bot.hosts.reading import BadRegistryError, read_registry
from bot.locale import say
from bot.relaunch.choosing import NoSuchFixError
from bot.store.answers import SqlAnswers
from bot.store.incidents import SqlIncidents
from bot.store.relaunches.interface import UnknownRelaunchError
from bot.wiring.asking import offering_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from bot.hosts.registry import Host, Server
    from bot.relaunch.desk import Desk
    from bot.relaunch.offer import Offer
    from bot.relaunch.outcomes import Shown
    from bot.settings import Settings
    from bot.store.interface import Answer, Incident
    from bot.wiring.acting import Acting

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Case:
    """An incident with what a relaunch could do about it."""

    incident: Incident
    answer: Answer
    offer: Offer


@dataclass(frozen=True, slots=True)
class Counter:
    """Where somebody at a terminal stands."""

    settings: Settings
    actor: Actor
    acting: Acting
    desk: Desk

    def server(self, name: str) -> Server:
        """Return a server of the registry. Raises `CommandError`, which names only servers that may be seen."""
        found = self.acting.permission.find(name)
        if found is None:
            seen = [server.name for _, server in self._seen()]
            raise unknown_name("server", name, seen, "vllm-diagnose hosts list")
        return found[1]

    async def answer(self, incident_id: str) -> Answer | None:
        """Return what was answered to an incident."""
        return await SqlAnswers(self.acting.database).of_incident(incident_id)

    async def case(self, incident_id: str) -> Case:
        """Return an incident, diagnosed once more by today's rules. Raises `CommandError`."""
        incident = await SqlIncidents(self.acting.database).get(incident_id)
        answer = await self.answer(incident_id) if incident is not None else None
        if incident is None:
            raise unknown_name("incident", incident_id, (), "vllm-diagnose incidents list")
        offer = await offering_of(self.acting).of(answer) if answer is not None else None
        if answer is None or offer is None:
            problem = f"incident {incident.id} has no fix that a relaunch can carry out"
            advice = f"`vllm-diagnose incidents show {incident.id}` shows what was answered"
            raise CommandError(problem, advice, ExitCode.UNUSABLE_INPUT)
        return Case(incident, answer, offer)

    @property
    def nobody_runs(self) -> str:
        """Return that no bot is there to carry anything out, a sentence; empty when one is or it cannot be told."""
        if self.acting.has_leader is not False:
            return ""
        return (
            "No bot is running here to carry it out "
            f"(state directory {self.settings.state_dir}): start `vllm-diagnose serve`."
        )

    async def open_run(self, name: str) -> str:
        """Return the id of a run that is named by it, or by a server or host that has one under way.

        Raises `CommandError` where several are meant.
        """
        found = [run.id for run in await self.desk.tools.runs.unfinished() if name in (run.server, run.host)]
        if len(found) > 1:
            problem = f"{name} has {len(found)} relaunches under way"
            raise CommandError(
                problem, "name one by its id: `vllm-diagnose relaunch list`", ExitCode.WRONG_USAGE
            )
        if not found and name in self._names():
            problem = f"{name} has no relaunch under way, so nothing holds it"
            raise CommandError(
                problem, "`vllm-diagnose relaunch list` shows those that ended", ExitCode.FAULTS
            )
        return found[0] if found else name

    def _names(self) -> frozenset[str]:
        """Return the servers and hosts of the registry that may be seen."""
        seen = self._seen()
        return frozenset(server.name for _, server in seen) | frozenset(host.name for host, _ in seen)

    def _seen(self) -> list[tuple[Host, Server]]:
        authorizer = self.acting.permission.authorizer
        return [
            (host, server)
            for host, server in self.acting.registry().servers()
            if authorizer.decide(self.actor, Action.VIEW, host.target(server)).is_allowed
        ]

    async def shown(self, relaunch_id: str) -> Shown:
        """Return a run with all there is to see of it. Raises `CommandError`, `UnknownRelaunchError`."""
        shown = await self.desk.show(self.actor, relaunch_id)
        if shown is None:
            raise denied(Refusal.NO_ROLE)
        return shown


def denied(refusal: Refusal | None) -> CommandError:
    """Return the error for what somebody may not do."""
    why = say(f"relaunch.refused.{refusal or Refusal.NO_ROLE}", "en").rstrip(".")
    return CommandError("you may not do this", f"{why[:1].lower()}{why[1:]}", ExitCode.NOT_ALLOWED)


def at_the_counter(work: Callable[[Counter], Awaitable[Result]]) -> Result:
    """Do work at the desk as the person at this terminal. Raises `CommandError` for what a person can mend."""
    settings = settings_with()
    _check_registry(settings.relaunch.registry)
    try:
        return run(_stand(settings, work))
    except UnknownRelaunchError as error:
        raise unknown_name("relaunch", error.relaunch_id, (), "vllm-diagnose relaunch list") from error
    except NoSuchFixError as error:
        problem = f"there is no fix called {error.fix!a} that a relaunch can carry out"
        advice = f"there is {', '.join(error.known)}"
        raise CommandError(problem, advice, ExitCode.WRONG_USAGE) from error
    except HostError as error:
        raise CommandError(str(error), "", ExitCode.UNREACHABLE) from error
    except JournalKeyError as error:
        raise CommandError(str(error), "", ExitCode.UNUSABLE_INPUT) from error


async def _stand(settings: Settings, work: Callable[[Counter], Awaitable[Result]]) -> Result:
    actor = _actor()
    async with acting_at_terminal(settings) as acting:
        assert acting is not None  # noqa: S101 (the registry was looked for before)
        # the bot that leads looks at what is approved every second: nobody here can wake it
        desk = acting.desk(lambda: None)
        return await work(Counter(settings, actor, acting, desk))


def _check_registry(file: Path | None) -> None:
    if file is None:
        raise CommandError(
            "no registry of GPU hosts is configured, so nothing can be relaunched",
            "set relaunch.registry; `vllm-diagnose hosts add` makes the first entry",
            ExitCode.WRONG_USAGE,
        )
    try:
        read_registry(file)
    except BadRegistryError as error:
        advice = "`vllm-diagnose hosts check` shows all faults"
        raise CommandError(error.faults[0], advice, ExitCode.UNUSABLE_INPUT) from error


def _actor() -> Actor:
    """Return the person at this terminal, as the system knows the process: no variable changes that."""
    person = os_person()
    if not ACTOR_ID.fullmatch(person.id):
        problem = f"the name {person.name!a} of this user cannot stand in the registry"
        raise CommandError(problem, "use an account with a plain name", ExitCode.NOT_ALLOWED)
    return Actor(Surface.TERMINAL, person.id, source=_terminal())


def _terminal() -> str:
    """Return where this is typed, for the journal."""
    try:
        return f"terminal {os.ttyname(sys.stdin.fileno())}"
    except (AttributeError, OSError, ValueError):
        return "terminal"
