"""`vllm-diagnose relaunch fetch` and `sweep`: hosts are asked and not changed. Not for how that is shown."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import ExitCode
from bot.cli.relaunch.options import IncidentOption, JsonOption, ServerArgument

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter


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
