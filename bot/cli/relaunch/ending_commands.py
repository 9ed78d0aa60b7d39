"""`vllm-diagnose relaunch reject`, `cancel` and `unlock`: the ends that people make. Not for what the desk does."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import ExitCode
from bot.cli.relaunch.options import RunArgument, YesOption

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter


def reject(relaunch: RunArgument) -> int:
    """Turn a plan down.

    For example: vllm-diagnose relaunch reject 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch import acting  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await acting.reject(counter, relaunch)

    return int(at_the_counter(work))


def cancel(relaunch: RunArgument) -> int:
    """Call a relaunch off; one that has touched its server goes back to the earlier launch.

    For example: vllm-diagnose relaunch cancel 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.relaunch import acting  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter  # noqa: PLC0415

    async def work(counter: "Counter") -> ExitCode:
        return await acting.cancel(counter, relaunch)

    return int(at_the_counter(work))


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
