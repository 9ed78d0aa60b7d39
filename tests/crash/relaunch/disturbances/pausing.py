"""SIGSTOP of the bot that carries out a run: another one takes over, then the old one wakes up. Not tests."""

import asyncio
import signal

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.disturbances.standing import go_on, stand
from tests.crash.relaunch.field import Field
from tests.crash.relaunch.grounds.interface import Seen

#: less than a bot is waited for
_PATIENCE_S = 90.0


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
    seen = await _seen_without(field, following, relaunch_id)
    bot.send(signal.SIGCONT)
    if seen is None:
        await following.says(leads=True)
    await _is_done(bot, relaunch_id)
    await field.count(relaunch_id, moment)
    if seen is not None and await field.ground.seen(relaunch_id) != seen:
        field.tally.faults.append("the old bot did something when it woke up")
    await bot.end()
    return following


async def _seen_without(field: Field, following: BotProcess, relaunch_id: str) -> Seen | None:
    """Wait until another bot has seen the run to its end, and return what happened.

    None: the old one was stopped in the very moment in which it wrote into the file that is the store, so nobody else
    can write before it wakes up.
    """
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await following.says(leads=True)
            await field.ended(relaunch_id)
    except TimeoutError:
        if field.store.name != "sqlite":
            raise
        return None
    return await field.ground.seen(relaunch_id)


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
