"""Counts come from what is kept, by day, by status and by rule, and never read the cards."""

from datetime import timedelta

from bot.store.answers import SqlAnswers
from bot.store.inbox import SqlInbox
from bot.store.incidents import SqlIncidents
from bot.store.interface import Answer, Tally
from tests.bot.store.kept import NOON, THREAD, an_entry, an_incident, opened


async def _answered(database, number, *, days=0, status="diagnosed", rule="r1", waited_s=2.0):
    entry = an_entry(f"e{number}", message=f"m{number}", minutes=days * 24 * 60)
    assert await SqlInbox(database).keep(entry, [f"k{number}"])
    decided = entry.received_at + timedelta(seconds=waited_s)
    await SqlAnswers(database).decide(
        Answer(f"a{number}", entry.id, THREAD, status, decided, {"title": "t"}, rule=rule)
    )


async def test_answers_are_counted_by_day_and_status_and_by_rule(tmp_path):
    async with opened(tmp_path) as database:
        for number, values in enumerate(
            [{}, {}, {"rule": "r2"}, {"status": "unknown", "rule": None}, {"days": 1}, {"days": -9}]
        ):
            await _answered(database, number, **values)

        found = await SqlAnswers(database).tallies(NOON - timedelta(days=1))
        rules = await SqlAnswers(database).by_rule(NOON - timedelta(days=1))

    today, tomorrow = NOON.date(), (NOON + timedelta(days=1)).date()
    assert sorted(found, key=str) == sorted(
        [
            Tally(today, "diagnosed", 3),
            Tally(today, "unknown", 1),
            Tally(tomorrow, "diagnosed", 1),
        ],
        key=str,
    )
    assert found[-1].day == tomorrow
    assert list(rules.items()) == [("r1", 3), ("r2", 1)]


async def test_the_newest_answers_tell_how_long_they_were_waited_for(tmp_path):
    async with opened(tmp_path) as database:
        for number, waited in enumerate([9.0, 1.5, 0.25]):
            await _answered(database, number, days=number, waited_s=waited)

        assert await SqlAnswers(database).waits(2) == [0.25, 1.5]


async def test_when_something_was_pasted_is_found_for_many_at_once(tmp_path):
    async with opened(tmp_path) as database:
        await SqlIncidents(database).record(an_incident("i1"))

        found = await SqlIncidents(database).opened_at([f"gone{number}" for number in range(1200)] + ["i1"])

    assert found == {"i1": NOON}


async def test_counting_reads_the_index_alone(tmp_path):
    async with opened(tmp_path) as database, database.reading() as connection:
        plan = await connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT decided_at / 86400000, status, max(rule), count(*) FROM answers "
            "WHERE decided_at >= 5 GROUP BY 1, 2"
        )
        assert "COVERING INDEX ix_answers_decided_at_status_rule" in " ".join(row[3] for row in plan)
