"""The host cannot be reached for a while. Not tests."""

from bot.relaunch.states import TERMINAL, State
from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.disturbances.standing import go_on, stand
from tests.crash.relaunch.field import Field


async def part(field: Field, bot: BotProcess, moment: str, *, silently: bool = False) -> BotProcess:
    """Cut the host off in a state, until the bot has said that it does not answer."""
    relaunch_id = await stand(field, bot, moment)
    field.ground.cut(silently=silently)
    go_on(field, bot)
    state = await field.comes_to(relaunch_id, State.HOST_UNKNOWN, *TERMINAL)
    if state is not State.HOST_UNKNOWN:
        field.tally.faults.append(f"it ended {state} although the host did not answer")
    field.ground.heal()
    await field.count(relaunch_id, moment)
    return bot


async def part_silently(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """The same, but nothing breaks: only that no answer comes within the time for it tells."""
    return await part(field, bot, moment, silently=True)


async def lose_answer(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Cut the host off when it has done what it was asked, so that the answer is lost."""
    relaunch_id = await stand(field, bot, f"host:{moment}:done")
    field.ground.cut()
    go_on(field, bot)
    await field.comes_to(relaunch_id, State.HOST_UNKNOWN, *TERMINAL)
    field.ground.heal()
    await field.count(relaunch_id, moment)
    return bot
