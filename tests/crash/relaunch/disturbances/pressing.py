"""The same buttons are pressed several times at two bots at once. Not tests."""

import asyncio

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.field import Field

_PRESSES = 3


async def press_twice(field: Field, bot: BotProcess, moment: str) -> BotProcess:
    """Ask and approve at two bots; it is one run with one approval, and one of them carries it out."""
    other = await field.bot()
    # a bot that goes on remembers what it said in earlier tries
    names = [
        (one, f"{moment}-{field.tally.tries}-{number}") for number in range(_PRESSES) for one in (bot, other)
    ]
    for one, name in names:
        one.tell(ask=name, server=field.ground.way.server)
    asked = await asyncio.gather(*(one.says(asked=name) for one, name in names))
    runs, hashes = {told["id"] for told in asked}, {told["hash"] for told in asked if told["hash"]}
    if len(runs) != 1 or len(hashes) != 1:
        field.tally.double_effects += len(runs) - 1
        field.tally.faults.append(f"asked at once: {asked}")
    relaunch_id = str(asked[0]["id"])
    for one, name in names:
        one.tell(approve=[relaunch_id, next(iter(hashes))], **{"as": name})
    kinds = [told["kind"] for told in await asyncio.gather(*(one.says(approved=name) for one, name in names))]
    if kinds.count("approved") != 1:
        field.tally.double_effects += max(0, kinds.count("approved") - 1)
        field.tally.faults.append(f"approved at once: {sorted(kinds)}")
    await field.count(relaunch_id, moment)
    await other.end()
    return bot
