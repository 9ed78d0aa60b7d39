"""One of several bots leads: the others wait, and one of them follows when it ends."""

import asyncio

from bot.relaunch.durable.leader import FileLeadership, PostgresLeadership, has_leader, leadership_of

PATIENCE_S = 30


async def test_one_leads_at_a_time_and_the_next_follows(tmp_path):
    order, active, most = [], 0, 0

    async def lead(number):
        nonlocal active, most
        async with FileLeadership(tmp_path / "new" / "lock", beat_s=0.01).held() as lost:
            active += 1
            most = max(most, active)
            order.append(number)
            assert not lost.is_set()
            await asyncio.sleep(0)
            active -= 1

    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(lead(number) for number in range(5)))

    assert (sorted(order), most) == ([0, 1, 2, 3, 4], 1)


async def test_who_waits_can_be_cancelled_and_holds_nothing(tmp_path):
    lock = FileLeadership(tmp_path / "lock", beat_s=0.01)
    async with lock.held():

        async def wait():
            async with lock.held():
                pass

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    async with asyncio.timeout(PATIENCE_S), lock.held():
        pass


def test_the_lock_fits_the_store(tmp_path):
    assert isinstance(leadership_of("sqlite+aiosqlite:///x.db", tmp_path / "lock"), FileLeadership)
    assert isinstance(leadership_of("postgresql+psycopg://h/db", tmp_path / "lock"), PostgresLeadership)


async def test_whether_somebody_leads_is_told_and_looking_takes_the_lead_from_nobody(tmp_path):
    store, file = "sqlite+aiosqlite:///x.db", tmp_path / "lock"
    assert has_leader(store, file) is False
    assert not file.exists()

    async with FileLeadership(file).held():
        assert has_leader(store, file) is True
    assert has_leader(store, file) is False

    async with asyncio.timeout(PATIENCE_S), FileLeadership(file, beat_s=0.01).held():
        assert has_leader(store, file) is True


def test_where_another_machine_may_lead_nothing_is_claimed(tmp_path):
    assert has_leader("postgresql+psycopg://h/db", tmp_path / "lock") is None
