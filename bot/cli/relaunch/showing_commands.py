"""`vllm-diagnose relaunch list`, `show`, `fetch` and `sweep`: what can be seen. Not for how that is printed."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import ExitCode
from bot.cli.relaunch.options import IncidentOption, JsonOption, RunArgument, ServerArgument
from bot.cli.terminal import tell, write_json

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter
    from bot.relaunch.outcomes import Shown
    from bot.relaunch.states import Blocked
    from bot.store.relaunches.interface import Relaunch
    from bot.telemetry.measures import Measures


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


def show(relaunch: RunArgument, *, as_json: JsonOption = False) -> int:
    """Show one relaunch: its plan, where it stands, what proved it, how long it took.

    For example: vllm-diagnose relaunch show 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch.acting import times_of  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415
    from bot.cli.relaunch.page import print_run  # noqa: PLC0415
    from bot.cli.relaunch.plain import shown_to_json  # noqa: PLC0415
    from bot.relaunch.states import State  # noqa: PLC0415

    async def work(counter: "Counter") -> "tuple[Shown, Measures, str]":
        shown = await counter.shown(relaunch)
        is_approved = shown.relaunch.state is State.APPROVED
        return shown, await times_of(counter, shown), counter.nobody_runs if is_approved else ""

    shown, times, nobody_runs = at_the_counter(work)
    if as_json:
        write_json(shown_to_json(shown, times))
    else:
        print_run(shown, times)
    if nobody_runs:
        tell(nobody_runs)
    return int(ExitCode.SOUND)


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


def sweep(*, incident: IncidentOption, as_json: JsonOption = False) -> int:
    """Ask every server that you may ask about whether this failure waits there; 1 when it does somewhere.

    For example: vllm-diagnose relaunch sweep --incident 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch import looking  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await looking.sweep(counter, incident, as_json=as_json)

    return int(at_the_counter(work))
