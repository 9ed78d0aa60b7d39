"""Brings a run to a moment and has it stand still there. Not tests."""

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.field import Field


async def stand(field: Field, bot: BotProcess, moment: str) -> str:
    """Have a run asked for, approved and carried out as far as a moment; returns the run."""
    verb = moment.removeprefix("host:")
    if verb != moment:
        field.ground.door.hold(verb)
        relaunch_id = await field.approved()
        await field.ground.door.reached()
    else:
        await bot.hold(moment)
        relaunch_id = await field.approved()
        await bot.says(held=moment)
    return relaunch_id


def go_on(field: Field, bot: BotProcess) -> None:
    """Let it go on; a bot that is stopped notices when it wakes up."""
    field.ground.door.open()
    bot.release()
