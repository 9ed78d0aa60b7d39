"""Work that was to last and broke is heard of; what ends, or is ended, is not."""

import asyncio

from bot.wiring.lasting import begin


class BrokenError(Exception):
    """As none of ours."""


async def _breaks():
    raise BrokenError


async def _ends():
    pass


async def _lasts():
    await asyncio.Event().wait()


async def test_only_what_broke_is_missed():
    missed = []

    breaking, ending, lasting = begin([_breaks(), _ends(), _lasts()], missed.append)
    await asyncio.wait([breaking, ending])
    lasting.cancel()
    await asyncio.wait([lasting])
    await asyncio.sleep(0)

    assert [type(one) for one in missed] == [BrokenError]
