"""The store of the bots is gone for a while. Not tests."""

import asyncio

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.disturbances.standing import go_on, stand
from tests.crash.relaunch.field import Field


def without_store(seconds: float):
    """Take the store away for so long."""

    async def lose_store(field: Field, bot: BotProcess, moment: str) -> BotProcess:
        relaunch_id = await stand(field, bot, moment)
        async with field.store.gone():
            go_on(field, bot)
            # this is what is tried: a time without it
            await asyncio.sleep(seconds)
        await field.count(relaunch_id, moment)
        return bot

    return lose_store
