"""What each command does at the desk, and which exit code that is. Not for options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import typer

from bot.access.authorization import Refusal
from bot.cli.answer.page import printable
from bot.cli.exits import CommandError, ExitCode
from bot.cli.relaunch.counter import denied
from bot.cli.relaunch.following import follow
from bot.cli.relaunch.page import print_plan, print_run
from bot.cli.terminal import tell, write_line
from bot.locale import say
from bot.relaunch.chat.board import origin_of
from bot.relaunch.choosing import Choice, wanted_of
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.sentences import clause
from bot.relaunch.states import BlockReason, State
from bot.store.incidents import SqlIncidents
from bot.telemetry.measures import measured

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter
    from bot.relaunch.outcomes import DeskOutcome, Shown
    from bot.relaunch.planning.wanted import Wanted
    from bot.telemetry.measures import Measures

_DONE: Final = frozenset(
    {
        OutcomeKind.PLANNED,
        OutcomeKind.JOINED,
        OutcomeKind.APPROVED,
        OutcomeKind.COUNTED,
        OutcomeKind.REJECTED,
        OutcomeKind.CALLED_OFF,
    }
)
#: an operator's word, which no waiting lifts
_FORBIDDEN: Final = frozenset({BlockReason.SWITCHED_OFF, BlockReason.DRY_RUN})
#: letters of a plan's hash that cards show, and those of a whole one
_SHORT: Final = 12
_LONGEST: Final = 64


async def wanted(counter: Counter, server: str, incident: str, fix: str | None, *, is_forced: bool) -> Wanted:
    """Return what is asked of the desk; it is reported in the incident's thread. Raises `CommandError`."""
    registered = counter.server(server)
    case = await counter.case(incident)
    choice = Choice(case.incident.id, origin_of(case.answer.place, "en"), fix, is_forced)
    return wanted_of(case.offer, registered, choice)


async def request(counter: Counter, wish: Wanted, *, waits: bool) -> ExitCode:
    """Ask for a plan that waits for approval, and show it."""
    outcome = await counter.desk.request(counter.actor, wish)
    code = done(outcome)
    run = outcome.relaunch
    if run is None:
        return code
    if outcome.plan is not None:
        print_plan(outcome.plan)
    if run.detail:
        write_line(printable(run.detail))
    write_line(f"{run.id}: {say(f'relaunch.word.{run.state}', 'en')}; `vllm-diagnose relaunch show {run.id}`")
    return await follow(counter, run.id) if waits and code is ExitCode.SOUND else code


async def approve(
    counter: Counter, relaunch_id: str, plan: str | None, *, is_sure: bool, waits: bool
) -> ExitCode:
    """Show a plan, ask, and approve just that plan."""
    shown = await counter.shown(relaunch_id)
    run = shown.relaunch
    if run.state is not State.AWAITING_APPROVAL or shown.plan is None:
        problem = f"relaunch {run.id} does not wait for approval: it is {run.state}"
        raise CommandError(problem, "`vllm-diagnose relaunch show ID` tells why", ExitCode.FAULTS)
    seen = _seen(plan, shown.plan.hash)
    print_plan(shown.plan)
    sys.stdout.flush()
    if not is_sure:
        _ask(say("relaunch.button.approve.confirm", "en", server=run.server, host=run.host))
    outcome = await counter.desk.approve(counter.actor, run.id, seen)
    if outcome.refusal is Refusal.OTHER_PLAN:
        problem = f"relaunch {run.id} has another plan than {printable(seen)[:_LONGEST]}"
        advice = f"look at the plan that it has, and approve that: `vllm-diagnose relaunch show {run.id}`"
        raise CommandError(problem, advice, ExitCode.NOT_ALLOWED)
    code = done(outcome)
    is_left = outcome.kind is OutcomeKind.APPROVED and bool(counter.nobody_runs)
    said = "approved.left" if is_left else str(outcome.kind)
    write_line(say(f"relaunch.said.{said}", "en", missing=outcome.missing))
    if is_left:
        sys.stdout.flush()
        tell(counter.nobody_runs)
    return await follow(counter, run.id) if waits else code


async def reject(counter: Counter, relaunch_id: str) -> ExitCode:
    """Turn a plan down."""
    run = (await counter.shown(relaunch_id)).relaunch
    return _said(await counter.desk.reject(counter.actor, run.id, run.plan_hash))


async def cancel(counter: Counter, relaunch_id: str) -> ExitCode:
    """Call a run off."""
    return _said(await counter.desk.cancel(counter.actor, relaunch_id))


async def unlock(counter: Counter, name: str, *, is_sure: bool) -> ExitCode:
    """Take the host away from a run that is lost, named by its id, its server or its host."""
    run = (await counter.shown(await counter.open_run(name))).relaunch
    if not is_sure:
        _ask(f"End {run.id} of {run.server} where it stands, and set {run.host} free?")
    return _said(await counter.desk.unlock(counter.actor, run.id))


async def times_of(counter: Counter, shown: Shown) -> Measures:
    """Return how long each part of a run took, from the paste on."""
    incident_id = shown.relaunch.incident_id
    incident = await SqlIncidents(counter.acting.database).get(incident_id)
    answer = await counter.answer(incident_id)
    return measured(
        shown.timeline,
        incident.opened_at if incident is not None else None,
        answer.decided_at if answer is not None else None,
    )


async def show(counter: Counter, relaunch_id: str) -> None:
    """Print all there is to see of a run."""
    shown = await counter.shown(relaunch_id)
    print_run(shown, await times_of(counter, shown))


def done(outcome: DeskOutcome) -> ExitCode:
    """Return the exit code of what came of an act. Raises `CommandError` when nothing did."""
    if outcome.kind in _DONE:
        return ExitCode.SOUND
    if outcome.kind is OutcomeKind.DENIED:
        raise denied(outcome.refusal)
    title = say(f"relaunch.said.{outcome.kind}", "en", missing=outcome.missing)
    blocked = outcome.blocked
    if blocked is not None:
        code = ExitCode.NOT_ALLOWED if blocked.reason in _FORBIDDEN else ExitCode.FAULTS
        raise CommandError(clause(title, blocked.detail), f"it lifts {blocked.lifts_when}", code)
    code = ExitCode.UNREACHABLE if outcome.is_unreachable else ExitCode.FAULTS
    raise CommandError(clause(title, outcome.detail), outcome.next_step, code)


def _said(outcome: DeskOutcome) -> ExitCode:
    code = done(outcome)
    write_line(say(f"relaunch.said.{outcome.kind}", "en", missing=outcome.missing))
    return code


def _seen(told: str | None, shown: str) -> str:
    """Return the hash of the plan that somebody means; what they told wins, so that a script pins what it saw.

    Raises `CommandError` for what could be the beginning of several.
    """
    if told is None:
        return shown
    if len(told) < _SHORT:
        problem = f"{told!a} is too short to name a plan"
        advice = f"give at least {_SHORT} letters of its hash, as `relaunch show` prints them"
        raise CommandError(problem, advice, ExitCode.WRONG_USAGE)
    return shown if shown.startswith(told) else told


def _ask(question: str) -> None:
    if sys.stdin is None or not sys.stdin.isatty():
        raise CommandError(
            "this has to be confirmed", "say it at a terminal, or pass --yes", ExitCode.WRONG_USAGE
        )
    if not typer.confirm(question, default=False, err=True):
        raise CommandError("nothing was done", "", ExitCode.FAULTS)
