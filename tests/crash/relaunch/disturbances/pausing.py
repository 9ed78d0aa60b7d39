"""SIGSTOP of the bot that carries out a run: another one takes over, then the old one wakes up. Not tests."""

import asyncio
import signal

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.disturbances.standing import go_on, stand
from tests.crash.relaunch.field import Field


async def pause(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Stop it at a moment, take its lead away, and let it go on when the run is over: it must do nothing."""
    following = await field.bot()
    relaunch_id = await stand(field, bot, moment)
    bot.send(signal.SIGSTOP)
    go_on(field, bot)
    await field.store.break_lead(field.team.database)
    if field.store.name == "sqlite":
        # whoever waits for the lock on a file that is gone waits in vain
        await following.end()
        following = await field.bot()
    await following.says(leads=True)
    await field.ended(relaunch_id)
    seen = await field.ground.seen(relaunch_id)
    bot.send(signal.SIGCONT)
    await _is_done(bot, relaunch_id)
    await field.count(relaunch_id, moment)
    if await field.ground.seen(relaunch_id) != seen:
        field.tally.faults.append("the old bot did something when it woke up")
    await bot.end()
    return following


async def _is_done(bot: BotProcess, relaunch_id: str) -> None:
    """Wait until the old bot has come to the end of the run, or knows that it does not lead."""
    waits = [asyncio.create_task(bot.says(**words)) for words in ({"ended": relaunch_id}, {"leads": False})]
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in done:
            wait.result()
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


async def pause_and_keep(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Stop it at a moment and let it go on: as long as it holds the lead nobody takes its place."""
    following = await field.bot()
    relaunch_id = await stand(field, bot, moment)
    bot.send(signal.SIGSTOP)
    go_on(field, bot)
    bot.send(signal.SIGCONT)
    await field.count(relaunch_id, moment)
    if following.has_said(leads=True):
        field.tally.faults.append("two bots led at once")
    await following.end()
    return bot
