"""The helper on the host is killed between what it writes down and what it does. Not tests."""

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.field import Field


async def kill_helper(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Kill it at its next point: `start` at the first, then at the second…"""
    verb, _, point = moment.partition("@")
    field.ground.door.kill_helper(verb, int(point))
    relaunch_id = await field.approved()
    await field.count(relaunch_id, moment)
    return bot
