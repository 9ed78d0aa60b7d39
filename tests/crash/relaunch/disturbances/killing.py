"""`kill -9` of the bot that carries out a run; another one goes on. Not tests."""

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.disturbances.standing import stand
from tests.crash.relaunch.field import Field


async def kill(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Kill it at a moment, and only then start the next one."""
    relaunch_id = await _killed(field, bot, moment)
    following = await field.leader()
    await field.count(relaunch_id, moment)
    return following


async def kill_before_standby(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Kill it at a moment while another one waits for its chance."""
    following = await field.bot()
    relaunch_id = await _killed(field, bot, moment)
    await following.says(leads=True)
    await field.count(relaunch_id, moment)
    return following


async def _killed(field: Field, bot: BotProcess, moment: str) -> str:
    relaunch_id = await stand(field, bot, moment)
    await bot.end()
    # the host does what it was asked, whoever has died meanwhile
    field.ground.door.open()
    return relaunch_id


async def deliver_late(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Kill it while its request is on the way; that arrives when the next one has seen the run to its end."""
    relaunch_id = await stand(field, bot, f"host:{moment}")
    await bot.end()
    following = await field.leader()
    await field.ended(relaunch_id)
    field.ground.door.open()
    await field.ground.door.returned()
    await field.count(relaunch_id, moment)
    return following


async def end_politely(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Ask it to end in the middle of a run, as an operator does who updates it."""
    relaunch_id = await stand(field, bot, moment)
    await bot.leave()
    following = await field.leader()
    await field.count(relaunch_id, moment)
    return following
