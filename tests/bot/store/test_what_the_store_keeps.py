"""The store on a real SQLite file: once means once, times keep their zone, secrets are only hashes."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from adapters.chat.interface import Place
from bot.store.answers import SqlAnswers
from bot.store.inbox import SqlInbox
from bot.store.incidents import SqlIncidents
from bot.store.interface import InboxState
from bot.store.people import SqlPeople
from bot.store.room import SqlRoomLog
from tests.bot.store.kept import NOON, THREAD, an_answer, an_entry, an_incident, opened

ELSEWHERE = Place("console", "local", "incidents", "m9")


async def test_an_event_is_kept_once_under_any_of_its_keys(tmp_path):
    async with opened(tmp_path) as database:
        inbox = SqlInbox(database)

        first = await inbox.keep(an_entry("e1"), ["event:7", "message:1"])
        again = await inbox.keep(an_entry("e2"), ["event:8", "message:1"])

        assert (first, again) == (True, False)
        assert [entry.id for entry in await inbox.waiting(10)] == ["e1"]


async def test_the_same_key_on_another_platform_is_another_event(tmp_path):
    async with opened(tmp_path) as database:
        inbox = SqlInbox(database)
        other = Place("slack", "T1", "C1", "m1")

        assert await inbox.keep(an_entry("e1"), ["message:1"])
        assert await inbox.keep(an_entry("e2", place=other), ["message:1"])


async def test_of_many_deliveries_at_once_one_is_kept(tmp_path):
    async with opened(tmp_path) as database:
        inbox = SqlInbox(database)

        kept = await asyncio.gather(*(inbox.keep(an_entry(f"e{n}"), ["event:7"]) for n in range(20)))

        assert kept.count(True) == 1
        assert len(await inbox.waiting(50)) == 1


async def test_what_was_kept_survives_the_process(tmp_path):
    async with opened(tmp_path) as database:
        await SqlInbox(database).keep(an_entry("e1", text="日志 \U0001f600"), ["k"])

    async with opened(tmp_path) as database:
        (entry,) = await SqlInbox(database).waiting(10)

    assert entry == an_entry("e1", text="日志 \U0001f600")


async def test_a_settled_event_no_longer_waits(tmp_path):
    async with opened(tmp_path) as database:
        inbox = SqlInbox(database)
        await inbox.keep(an_entry("e1"), ["k"])

        await inbox.settle("e1", InboxState.DONE)

        assert await inbox.waiting(10) == []


async def test_tries_are_counted(tmp_path):
    async with opened(tmp_path) as database:
        inbox = SqlInbox(database)
        await inbox.keep(an_entry("e1"), ["k"])

        assert [await inbox.tried("e1"), await inbox.tried("e1")] == [1, 2]


async def test_a_thread_is_read_from_its_head_in_order_and_without_clicks(tmp_path):
    async with opened(tmp_path) as database:
        inbox = SqlInbox(database)
        await inbox.keep(an_entry("late", message="m2", minutes=5), ["2"])
        await inbox.keep(an_entry("head", message="m1"), ["1"])
        await inbox.keep(an_entry("click", message="m3", kind="click", minutes=6), ["3"])
        await inbox.keep(an_entry("other", place=ELSEWHERE, message="m9"), ["4"])

        found = await inbox.thread_messages(THREAD, 10)

        assert [entry.id for entry in found] == ["head", "late"]


async def test_what_was_said_in_a_channel_just_before_is_found_without_threads_and_clicks(tmp_path):
    def heading(name, minutes, **more):
        place = replace(THREAD, thread=name)
        return an_entry(name, place=place, message=name, minutes=minutes, **more)

    async with opened(tmp_path) as database:
        inbox = SqlInbox(database)
        last = heading("last", 9)
        entries = [
            heading("old", 1), heading("first", 7), heading("click", 8, kind="click"), last, heading("later", 10),
            an_entry("reply", place=replace(THREAD, thread="first"), message="reply", minutes=8),
            an_entry("other", place=replace(THREAD, channel="elsewhere", thread="other"), message="other", minutes=8),
        ]  # fmt: skip
        for entry in entries:
            await inbox.keep(entry, [entry.id])
        await inbox.settle("first", InboxState.DONE)

        found = await inbox.said_before(last, last.received_at - timedelta(minutes=5))

        assert [entry.id for entry in found] == ["first", "last"]


async def test_a_thread_has_one_incident_that_is_brought_up_to_date(tmp_path):
    async with opened(tmp_path) as database:
        incidents = SqlIncidents(database)
        await incidents.record(an_incident("i1", fingerprint="f1"))

        kept = await incidents.record(
            an_incident("i2", fingerprint="f2", minutes=3, rule="vit-backend-rejected")
        )

        assert (kept.id, kept.fingerprint, kept.rule) == ("i1", "f2", "vit-backend-rejected")
        assert (kept.opened_at, kept.seen_at) == (NOON, NOON + timedelta(minutes=3))
        assert await incidents.in_thread(THREAD) == kept


async def test_incidents_are_listed_from_the_newest_and_by_fingerprint(tmp_path):
    async with opened(tmp_path) as database:
        incidents = SqlIncidents(database)
        for number in range(4):
            place = Place("console", "local", "incidents", f"m{number}")
            one = an_incident(f"i{number}", place=place, fingerprint=f"f{number % 2}", minutes=number)
            await incidents.record(one)

        assert [one.id for one in await incidents.recent(3)] == ["i3", "i2", "i1"]
        assert [one.id for one in await incidents.recent(3, before=NOON + timedelta(minutes=2))] == [
            "i1",
            "i0",
        ]
        assert [one.id for one in await incidents.alike("f1", 5)] == ["i3", "i1"]


async def test_an_event_gets_one_answer_however_often_it_is_decided_on(tmp_path):
    async with opened(tmp_path) as database:
        await SqlInbox(database).keep(an_entry("e1"), ["k"])
        answers = SqlAnswers(database)

        first = await answers.decide(an_answer("a1"))
        await answers.posted("a1", "reply-1")
        second = await answers.decide(an_answer("a2"))

        assert first.id == second.id == "a1"
        assert second.message == "reply-1"


async def test_a_person_can_call_an_answer_wrong_once(tmp_path):
    async with opened(tmp_path) as database:
        await SqlInbox(database).keep(an_entry("e1"), ["k"])
        answers = SqlAnswers(database)
        await answers.decide(an_answer("a1", rule="vit-backend-rejected"))

        counted = [await answers.call_wrong("a1", person, NOON) for person in ("ada", "ada", "bo")]

        assert counted == [True, False, True]
        assert await answers.wrong_by_rule() == {"vit-backend-rejected": 2}
        assert not await answers.call_wrong("no-such-answer", "ada", NOON)


async def test_a_link_works_once_and_not_after_its_time(tmp_path):
    async with opened(tmp_path) as database:
        people = SqlPeople(database)
        await people.add_person("os:ada", "ada", NOON)
        await people.add_link("hash-1", "os:ada", NOON, NOON + timedelta(minutes=10))
        await people.add_link("hash-2", "os:ada", NOON, NOON + timedelta(minutes=10))

        used = [await people.use_link("hash-1", NOON), await people.use_link("hash-1", NOON)]
        late = await people.use_link("hash-2", NOON + timedelta(minutes=10))

        assert used == ["os:ada", None]
        assert late is None
        assert await people.use_link("hash-3", NOON) is None


async def test_of_two_uses_of_a_link_at_once_one_wins(tmp_path):
    async with opened(tmp_path) as database:
        people = SqlPeople(database)
        await people.add_person("os:ada", "ada", NOON)
        await people.add_link("hash-1", "os:ada", NOON, NOON + timedelta(minutes=10))

        used = await asyncio.gather(*(people.use_link("hash-1", NOON) for _ in range(8)))

        assert sorted(used, key=str) == [None] * 7 + ["os:ada"]


async def test_a_session_ends_when_it_expires_or_is_closed(tmp_path):
    async with opened(tmp_path) as database:
        people = SqlPeople(database)
        await people.add_person("os:ada", "ada", NOON)
        await people.add_session("s1", "os:ada", NOON, NOON + timedelta(hours=1))
        await people.add_session("s2", "os:ada", NOON, NOON + timedelta(hours=1))

        await people.end_session("s2")

        session = await people.session("s1", NOON)
        assert session is not None
        assert session.person_name == "ada"
        assert await people.session("s1", NOON + timedelta(hours=1)) is None
        assert await people.session("s2", NOON) is None


async def test_the_room_log_counts_up_and_adds_a_key_once(tmp_path):
    async with opened(tmp_path) as database:
        log = SqlRoomLog(database)

        first = await log.append("incidents", "message", "m1", {"text": "a"})
        again = await log.append("incidents", "message", "m1", {"text": "b"})
        reply = await log.append("incidents", "reply", "m1", {"text": "c"})

        assert first == again
        assert reply.sequence > first.sequence
        assert [event.kind for event in await log.after(0, 10)] == ["message", "reply"]
        assert [event.kind for event in await log.after(first.sequence, 10)] == ["reply"]
        assert await log.last_sequence() == reply.sequence


async def test_a_time_without_a_zone_is_refused(tmp_path):
    async with opened(tmp_path) as database:
        naive = datetime(2026, 12, 1, 12, 0)  # noqa: DTZ001 (that is the mistake)

        with pytest.raises(ValueError, match="time zone"):
            await SqlPeople(database).add_person("os:ada", "ada", naive)
