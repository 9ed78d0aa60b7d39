"""Which messages are taken for earlier parts of a paste that was sent in several messages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from adapters.chat.interface import Place
from bot.store.interface import InboxEntry
from bot.triage.conversation import ASKED, BEFORE, conversation_of
from bot.triage.splitting import may_be_last_part, parts_before

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def said(number, text, *, at_s=0, who="ann", trigger="said", thread=None, **more):
    payload = {
        "author": {"id": who, "name": who, "is_bot": False}, "text": text, "trigger": trigger, "thread": thread,
        "fields": {}, "masked": 0, **more,
    }  # fmt: skip
    place = Place("console", "team", "general", thread or f"m{number}")
    return InboxEntry(f"e{number}", "message", place, f"m{number}", payload, NOON + timedelta(seconds=at_s))


LOG = "one\ntwo\nthree"


def test_what_one_person_pasted_in_a_row_is_one_paste():
    around = [said(1, LOG), said(2, LOG.upper(), at_s=50), said(3, "the end", at_s=100)]

    assert parts_before(around, around[2]) == f"{LOG}\n{LOG.upper()}"


def test_what_others_say_in_between_belongs_to_nobody_else():
    around = [said(1, LOG), said(2, "a\nb\nc", at_s=1, who="bob"), said(3, "the end", at_s=2)]

    assert parts_before(around, around[2]) == LOG


def test_a_pause_ends_a_paste():
    around = [said(1, LOG), said(2, LOG, at_s=61), said(3, "the end", at_s=62)]

    assert parts_before(around, around[2]) == LOG


def test_talk_and_questions_are_no_part_of_a_paste():
    end = said(3, "the end", at_s=2)

    assert parts_before([said(1, "which GPU, the H100?"), end], end) == ""
    assert parts_before([said(1, LOG, **{ASKED: True}), end], end) == ""


def test_later_messages_and_earlier_texts_of_itself_are_no_parts():
    last = said(2, "the end", at_s=2)

    assert parts_before([said(2, LOG, at_s=1), last, said(3, LOG, at_s=3)], last) == ""


def test_only_what_is_said_outside_of_threads_goes_on_with_something():
    assert may_be_last_part(said(1, "x"))
    assert may_be_last_part(said(1, "x", trigger="mention"))
    assert not may_be_last_part(said(1, "x", trigger="edited"))
    assert not may_be_last_part(said(1, "x", thread="m0"))
    assert not may_be_last_part(said(1, "x", **{BEFORE: LOG}))


def test_the_thread_of_the_last_part_knows_the_earlier_ones_also_after_an_edit():
    last = said(2, "the end", at_s=2, **{BEFORE: LOG})
    edited = replace(said(2, "the very end", at_s=9, trigger="edited"), id="e3")

    assert conversation_of([last], last).texts == (LOG, "the end")
    assert conversation_of([last, edited], edited).texts == (LOG, "the very end")
