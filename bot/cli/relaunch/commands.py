"""`vllm-diagnose relaunch`: what the buttons do, from a terminal, as the user that the system says is there.

The running bot carries out what is approved here; this program only asks, shows and waits.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import ExitCode
from bot.cli.relaunch.switch_command import switch
from bot.cli.terminal import tell, write_json, write_line

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter
    from bot.relaunch.outcomes import DeskOutcome, Shown
    from bot.relaunch.states import Blocked
    from bot.store.relaunches.interface import Relaunch
    from bot.telemetry.measures import Measures

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Plan, approve and follow relaunches.\n\nFor example: vllm-diagnose relaunch list",
)
JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of lines.")]
RunArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of the relaunch.")]
ServerArgument = Annotated[str, typer.Argument(metavar="SERVER", help="Name of a server of the registry.")]
IncidentOption = Annotated[str, typer.Option(metavar="ID", help="The incident whose fix is carried out.")]
FixOption = Annotated[
    str | None,
    typer.Option(metavar="FIX", help="Which fix; otherwise the first one for the server's release."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Although the server serves.")]
WaitOption = Annotated[bool, typer.Option("--wait", help="Follow it to its end; 0 only when it is proven.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command("list")
def list_relaunches(
    *,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many at most.")] = 20,
    as_json: JsonOption = False,
) -> int:
    """List relaunches that you may see, the one asked for last first.

    For example: vllm-diagnose relaunch list --limit 50
    """
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415 (slow to import)

    async def work(counter: "Counter") -> "tuple[tuple[Relaunch, ...], Blocked | None]":
        found = await counter.desk.list(counter.actor, limit)
        return found, await counter.acting.permission.switched_off()

    runs, off = at_the_counter(work)
    if off is not None:
        tell(f"{off.detail} It lifts {off.lifts_when}.")
    if as_json:
        from bot.cli.relaunch.plain import run_to_json  # noqa: PLC0415 (slow to import)

        write_json([run_to_json(run) for run in runs])
        return int(ExitCode.SOUND)
    from bot.cli.relaunch.page import print_runs  # noqa: PLC0415 (slow to import)

    print_runs(runs)
    return int(ExitCode.SOUND)


@app.command("show")
def show(relaunch: RunArgument, *, as_json: JsonOption = False) -> int:
    """Show one relaunch: its plan, where it stands, what proved it, how long it took.

    For example: vllm-diagnose relaunch show 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch.acting import times_of  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415
    from bot.cli.relaunch.page import print_run  # noqa: PLC0415
    from bot.cli.relaunch.plain import shown_to_json  # noqa: PLC0415

    async def work(counter: "Counter") -> "tuple[Shown, Measures]":
        shown = await counter.shown(relaunch)
        return shown, await times_of(counter, shown)

    shown, times = at_the_counter(work)
    if as_json:
        write_json(shown_to_json(shown, times))
    else:
        print_run(shown, times)
    return int(ExitCode.SOUND)


@app.command("plan")
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


@app.command("request")
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


@app.command("approve")
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


@app.command("reject")
def reject(relaunch: RunArgument) -> int:
    """Turn a plan down.

    For example: vllm-diagnose relaunch reject 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch import acting  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await acting.reject(counter, relaunch)

    return int(at_the_counter(work))


@app.command("cancel")
def cancel(relaunch: RunArgument) -> int:
    """Call a relaunch off; one that has touched its server goes back to the earlier launch.

    For example: vllm-diagnose relaunch cancel 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch import acting  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await acting.cancel(counter, relaunch)

    return int(at_the_counter(work))


@app.command("unlock")
def unlock(
    relaunch: Annotated[
        str, typer.Argument(metavar="ID|SERVER|HOST", help="The relaunch, or what it holds by its name.")
    ],
    *,
    yes: YesOption = False,
) -> int:
    """End a relaunch that is lost where it stands, and set its host free. Look at the host first.

    A server or host that has left the registry since can be named too.

    For example: vllm-diagnose relaunch unlock qwen3-vl
    """
    from bot.cli.relaunch import acting  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await acting.unlock(counter, relaunch, is_sure=yes)

    return int(at_the_counter(work))


app.command("switch")(switch)


@app.command("fetch")
def fetch(
    server: ServerArgument,
    *,
    lines: Annotated[int, typer.Option(min=0, max=200, help="Last lines of its log, of this start.")] = 40,
    as_json: JsonOption = False,
) -> int:
    """Show what a server runs with and the end of its log, masked; changes nothing there.

    For example: vllm-diagnose relaunch fetch qwen3-vl --lines 100
    """
    from bot.cli.relaunch import looking  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> None:
        await looking.fetch(counter, server, lines, as_json=as_json)

    at_the_counter(work)
    return int(ExitCode.SOUND)


@app.command("sweep")
def sweep(*, incident: IncidentOption, as_json: JsonOption = False) -> int:
    """Ask every server that you may ask about whether this failure waits there; 1 when it does somewhere.

    For example: vllm-diagnose relaunch sweep --incident 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch import looking  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await looking.sweep(counter, incident, as_json=as_json)

    return int(at_the_counter(work))
