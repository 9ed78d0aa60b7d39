"""`vllm-diagnose relaunch plan`, `request` and `approve`: from a wish to a run. Not for what the desk does."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import ExitCode
from bot.cli.relaunch.options import (
    FixOption,
    ForceOption,
    IncidentOption,
    JsonOption,
    RunArgument,
    ServerArgument,
    WaitOption,
    YesOption,
)
from bot.cli.terminal import write_json, write_line

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter
    from bot.relaunch.outcomes import DeskOutcome


def plan(
    server: ServerArgument,
    *,
    incident: IncidentOption,
    fix: FixOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Ask the host what a relaunch would change, and show it; nothing is kept, and nothing waits for approval.

    For example: vllm-diagnose relaunch plan qwen3-vl --incident 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch.acting import done, wanted  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415
    from bot.cli.relaunch.page import print_plan  # noqa: PLC0415
    from bot.cli.relaunch.plain import preview_to_json  # noqa: PLC0415

    async def work(counter: "Counter") -> "DeskOutcome":
        wish = await wanted(counter, server, incident, fix, is_forced=force)
        return await counter.desk.preview(counter.actor, wish)

    outcome = at_the_counter(work)
    if outcome.plan is None:
        return int(done(outcome))
    if as_json:
        write_json(preview_to_json(outcome.plan, outcome.blocked))
        return int(ExitCode.SOUND)
    print_plan(outcome.plan)
    if outcome.blocked is not None:
        write_line(f"Not now: {outcome.blocked.detail} It lifts {outcome.blocked.lifts_when}.")
    return int(ExitCode.SOUND)


def request(
    server: ServerArgument,
    *,
    incident: IncidentOption,
    fix: FixOption = None,
    force: ForceOption = False,
    wait: WaitOption = False,
) -> int:
    """Ask for a relaunch: the host is asked for a plan, which then waits for approval.

    For example: vllm-diagnose relaunch request qwen3-vl --incident 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch import acting  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        wish = await acting.wanted(counter, server, incident, fix, is_forced=force)
        return await acting.request(counter, wish, waits=wait)

    return int(at_the_counter(work))


def approve(
    relaunch: RunArgument,
    *,
    plan_hash: Annotated[
        str | None,
        typer.Option("--plan", metavar="HASH", help="The plan that you saw, at least 12 letters of it."),
    ] = None,
    yes: YesOption = False,
    wait: WaitOption = False,
) -> int:
    """Show the plan, ask, and approve it. The bot that runs carries it out once it has all its approvals.

    For example: vllm-diagnose relaunch approve 3caee021a0097e42e469d24af7954c4c --wait
    """
    from bot.cli.relaunch import acting  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await acting.approve(counter, relaunch, plan_hash, is_sure=yes, waits=wait)

    return int(at_the_counter(work))
