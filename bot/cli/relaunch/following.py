"""Follows a run from a terminal until it has ended; whoever carries it out is the bot. Not for setting it off."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from bot.cli.exits import ExitCode
from bot.cli.relaunch.page import moment_line
from bot.cli.terminal import tell
from bot.relaunch.states import TERMINAL, State

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter

_LOOK_S: Final = 0.5
#: an approved run that nobody takes for so long has no bot to take it
_UNTAKEN_S: Final = 15.0


async def follow(counter: Counter, relaunch_id: str) -> ExitCode:
    """Tell each moment of a run as it comes; 0 when it is proven, 1 however else it ends."""
    runs, told = counter.desk.tools.runs, 0
    loop = asyncio.get_running_loop()
    since: float | None = None
    while True:
        # first the state: what it says is then among the moments
        state = (await runs.get(relaunch_id)).state
        moments = await runs.moments(relaunch_id)
        for moment in moments[told:]:
            tell(moment_line(moment))
        told = len(moments)
        if state in TERMINAL:
            return ExitCode.SOUND if state is State.COMMITTED else ExitCode.FAULTS
        if state is not State.APPROVED:
            since = None
        elif since is None:
            since = loop.time()
        elif loop.time() - since >= _UNTAKEN_S:
            tell(
                counter.nobody_runs
                or "no bot has begun it yet: is `vllm-diagnose serve` running on this store?"
            )
            since = float("inf")
        await asyncio.sleep(_LOOK_S)
