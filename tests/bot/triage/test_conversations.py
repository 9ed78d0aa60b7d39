"""What a thread says as one question: all that was said in it, but not what was only asked in words."""

from datetime import UTC, datetime

from adapters.chat.interface import Place
from bot.store.interface import InboxEntry
from bot.triage.conversation import ASKED, conversation_of

THREAD = Place("console", "team", "general", "m1")


def said(number, text, **more):
    payload = {
        "author": {"id": "ann", "name": "ann", "is_bot": False}, "text": text, "fields": {}, "masked": 0,
        **more,
    }  # fmt: skip
    return InboxEntry(
        f"e{number}", "message", THREAD, f"m{number}", payload, datetime(2026, 1, 1, tzinfo=UTC)
    )


def test_all_messages_of_a_thread_are_read_together():
    thread = [said(1, "RuntimeError: no"), said(2, "on an H100")]

    assert conversation_of(thread, thread[1]).texts == ("RuntimeError: no", "on an H100")


def test_what_was_asked_in_words_is_no_evidence():
    """`backends ... 0.12.0 T4` in a thread says nothing of the release and the GPU that failed there."""
    asked = said(2, "backends Qwen3-VL 0.12.0 T4", **{ASKED: True})
    thread = [said(1, "RuntimeError: no"), asked, said(3, "vLLM 0.11.2")]

    assert conversation_of(thread, thread[2]).texts == ("RuntimeError: no", "vLLM 0.11.2")


def test_words_that_were_edited_into_a_paste_are_read():
    thread = [said(1, "RuntimeError: no"), said(2, "check vllm serve m", **{ASKED: True})]

    assert conversation_of(thread, said(2, "ValueError: yes")).texts == (
        "RuntimeError: no",
        "ValueError: yes",
    )
