"""`vllm-diagnose relaunch switch`: the one switch for all relaunching, for whoever has to stop it at once."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import ExitCode
from bot.cli.terminal import tell, write_json, write_line

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter
    from bot.relaunch.states import Blocked


class Turn(StrEnum):
    """Where to."""

    ON = "on"
    OFF = "off"


def switch(
    turn: Annotated[
        Turn | None, typer.Argument(help="Where to turn it; without it, see how it stands.")
    ] = None,
    *,
    why: Annotated[str, typer.Option(help="One sentence for everybody who meets it.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a line.")] = False,
) -> int:
    """Turn all relaunching off or on, for every bot on this store and at once; 1 when it is off in the end.

    Off means that nothing new is asked for, approved or begun. A relaunch that is already stopping its server goes
    on to its end, so that no server is left down. `relaunch.enabled: false` in the settings stays in force besides.

    For example: vllm-diagnose relaunch switch off --why "storage is being repaired"
    """
    from bot.access.authorization import Refusal  # noqa: PLC0415 (slow to import)
    from bot.cli.relaunch.counter import at_the_counter, denied  # noqa: PLC0415
    from bot.relaunch.gating.gate import dry_run, switched_off  # noqa: PLC0415

    async def work(counter: "Counter") -> "tuple[Blocked | None, Blocked | None, str]":
        kept = ""
        if turn is not None:
            turned = await counter.acting.switching.turn(counter.actor, on=turn is Turn.ON, why=why)
            if isinstance(turned, Refusal):
                raise denied(turned)
            if turn is Turn.OFF and not turned:
                kept = "It was off already, and what was said then stays."
                kept += " Your reason is in the journal." if why.strip() else ""
        switches = await counter.acting.permission.present_switches()
        return switched_off(switches), dry_run(switches), kept

    blocked, dry, kept = at_the_counter(work)
    if as_json:
        told = {
            "on": blocked is None,
            "dry_run": dry is not None,
            "detail": blocked.detail if blocked is not None else "",
        }
        write_json({"schema": 1, **told, "lifts": blocked.lifts_when if blocked is not None else ""})
    elif blocked is not None:
        write_line(f"{blocked.detail} It lifts {blocked.lifts_when}.")
    elif dry is not None:
        write_line(f"Relaunching is on. {dry.detail} That lifts {dry.lifts_when}.")
    else:
        write_line("Relaunching is on.")
    if kept:
        tell(kept)
    return int(ExitCode.SOUND if blocked is None else ExitCode.FAULTS)
