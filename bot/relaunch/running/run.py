"""One run from the lock to its end, step by step, over any engine that remembers steps. Not the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog

from adapters.hosts.errors import DefiniteError
from bot.relaunch.planning.kept_plan import plan_from_json
from bot.relaunch.running import locking, proving, restoring, starting, stopping
from bot.relaunch.running.abandoning import abandon
from bot.relaunch.running.course import Course, told
from bot.relaunch.running.record import RunOverError
from bot.relaunch.states import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.relaunch.interface import Result, Stepper, Tools

#: an error of ours is tried again so often before it counts as a failure of the step
_TRIES: Final = 5
_PAUSE_S: Final = 2.0


async def run(relaunch_id: str, stepper: Stepper, tools: Tools) -> str:
    """Carry out an approved relaunch and return the state it ended in.

    May be begun again after a death at any point: each step that ended is not done again, and one that did
    not end has its effect once.
    """

    async def step(name: str, work: Callable[[Course], Awaitable[Result]], fence: int = 0) -> Result:
        return await stepper.step(name, lambda: _tried(relaunch_id, name, work, tools, fence))

    result = await step("lock", locking.lock)
    if "fence" in result:
        result = await step("check", locking.check, result["fence"])
    if "fence" in result:
        fence = result["fence"]
        result = await _forward(step, fence)
        if "failed" in result:
            result = await _back(step, fence, str(result["failed"]))
    if "end" not in result:
        why = str(result["failed"])
        result = await stepper.step("abandon", lambda: _abandoned(relaunch_id, why, tools))
    return str(result["end"])


async def _forward(
    step: Callable[[str, Callable[[Course], Awaitable[Result]], int], Awaitable[Result]], fence: int
) -> Result:
    """Take the steps to the new launch until one fails or the run ends."""
    launched: Result = {}
    proven: Result = {}
    ways: tuple[tuple[str, Callable[[Course], Awaitable[Result]]], ...] = (
        ("stop", stopping.stop),
        ("free", stopping.free),
        ("launch", starting.launch),
        ("start", lambda course: starting.come_up(course, launched)),
        ("healthy", proving.healthy),
        ("verify", lambda course: proving.verify(course, launched)),
        ("commit", lambda course: proving.commit(course, launched, proven)),
    )
    for name, work in ways:
        result = await step(name, work, fence)
        if "end" in result or "failed" in result:
            return result
        if name == "launch":
            launched = result
        elif name == "verify":
            proven = result
    return {"failed": "The run did not come to an end."}


async def _back(
    step: Callable[[str, Callable[[Course], Awaitable[Result]], int], Awaitable[Result]], fence: int, why: str
) -> Result:
    """Take the steps back to the old launch."""
    restored = await step("restore", lambda course: restoring.restore(course, why), fence)
    if "end" in restored or "failed" in restored:
        return restored
    return await step("restored", lambda course: restoring.prove_restored(course, restored, why), fence)


async def _abandoned(relaunch_id: str, why: str, tools: Tools) -> Result:
    """End a run that this program could not carry out."""
    while True:
        try:
            return {"end": (await abandon(relaunch_id, why, tools)).value}
        except Exception as error:  # noqa: BLE001 (outermost loop of a step; only the store is asked)
            structlog.get_logger(__name__).warning("cannot-abandon", relaunch=relaunch_id, error=repr(error))
        await tools.pause(_PAUSE_S)


async def _tried(
    relaunch_id: str, name: str, work: Callable[[Course], Awaitable[Result]], tools: Tools, fence: int
) -> Result:
    """Carry out a step; a step may be begun again, so what went wrong on our side is simply tried again."""
    tries = 0
    while True:
        try:
            relaunch = await tools.runs.get(relaunch_id)
            if relaunch.state in TERMINAL:
                return {"end": relaunch.state.value}
            return await work(Course(plan_from_json(relaunch.plan or {}), tools, fence))
        except RunOverError as over:
            return {"end": over.state.value}
        except DefiniteError as error:
            return {"failed": told(error)}
        except Exception as error:  # noqa: BLE001 (outermost loop of a step)
            tries += 1
            structlog.get_logger(__name__).warning(
                "step-failed", relaunch=relaunch_id, step=name, tries=tries, error=repr(error)
            )
            if tries >= _TRIES and not tools.is_passing(error):
                return {"failed": f"An error of this program ({type(error).__name__}) in the step {name}."}
        await tools.pause(_PAUSE_S * min(tries, 15))
