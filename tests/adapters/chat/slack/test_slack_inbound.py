"""Reading Slack's payloads, without any Slack."""

import string
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat.interface import Trigger
from adapters.chat.slack.form import submission_of, view_of
from adapters.chat.slack.inbound import (
    Handle,
    asked_at,
    click_of,
    command_of,
    is_ts,
    message_of,
    shared_file_of,
    shortcut_of,
)
from adapters.chat.slack.options import Form, Hearing, Identity
from adapters.chat.slack.reading import text_of
from adapters.chat.slack.texts import plain
from tests.fakes.slack.escaping import as_typed
from tests.fakes.slack.limits import check_view

US = Identity("T1", "U0BOT", "B0BOT")
NOW = datetime(2026, 12, 1, tzinfo=UTC)
ALL = Hearing()


def event(**fields: object) -> dict[str, object]:
    inner = {
        "type": "message",
        "channel": "C1",
        "user": "U1",
        "text": "hi",
        "ts": "1796115141.838485",
        **fields,
    }
    return {"type": "event_callback", "event_id": "Ev1", "event": inner}


def changed(before: str, after: str, **fields: object) -> dict[str, object]:
    message = {"user": "U1", "ts": "10.000001", "text": after, "edited": {"ts": "11.000000"}, **fields}
    previous = {"user": "U1", "ts": "10.000001", "text": before}
    return event(subtype="message_changed", message=message, previous_message=previous, hidden=True)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("[<http://core.py:743|core.py:743>] x", "[core.py:743] x"),
        ("see <https://example.org/a?b=1&amp;c=2>", "see https://example.org/a?b=1&c=2"),
        ("<mailto:me@example.org|me@example.org>", "me@example.org"),
        ("in &lt;module&gt; &amp;&amp; &amp;lt;", "in <module> && &lt;"),
        ("<@U0BOT> <@U22>, <@U33|joe>", "@U22, @joe"),
        ("<#C1|general> <#C2>", "#general #C2"),
        ("<!here> <!channel|channel> <!subteam^S1|@ops> <!subteam^S1>", "@here @channel @ops @S1"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("a <module> <!DOCTYPE html> <2.0> <>", "a <module> <!DOCTYPE html> <2.0> <>"),
    ],
)
def test_text_is_read_as_it_looked(sent: str, shown: str) -> None:
    assert text_of({"text": sent}, US.user, is_bot=False) == shown


@given(st.text(alphabet=string.printable + "é中🔥", max_size=200))
def test_what_somebody_types_arrives_unchanged(typed: str) -> None:
    assert plain(as_typed(typed, {"ann": "U1"}, {}), US.user).replace("@U1", "@ann") == typed


@given(st.text(alphabet="<>|@#!&;aU1 ", max_size=300))
def test_any_control_text_is_read_without_an_error(text: str) -> None:
    assert "<@U0BOT>" not in plain(text, US.user)


def test_reading_costs_no_more_than_its_length() -> None:
    for text in ("<" * 200_000, "<a|" * 70_000, "&lt;" * 50_000, "@here " * 30_000):
        plain(text, US.user)


@pytest.mark.parametrize(
    "fields",
    [
        {"user": "U0BOT"},
        {"user": None, "bot_id": "B0BOT"},
        {"user": None},
        {"subtype": "channel_join"},
        {"subtype": "message_deleted", "deleted_ts": "1.1"},
        {"hidden": True},
        {"ts": "yesterday"},
        {"ts": None},
        {"channel": None},
        {"type": "reaction_added"},
    ],
)
def test_what_nobody_says_is_not_heard(fields: dict[str, object]) -> None:
    assert message_of(event(**fields), US, ALL) is None


def test_both_events_about_a_mention_share_a_key() -> None:
    said = message_of(event(text="<@U0BOT> hi"), US, ALL)
    named = message_of(event(type="app_mention", text="<@U0BOT> hi"), US, ALL)
    assert said is not None
    assert named is not None
    assert set(said.delivery_keys) & set(named.delivery_keys) >= {"message:C1:1796115141.838485"}
    assert said.trigger is named.trigger is Trigger.MENTION


def test_an_edit_and_the_mention_in_it_share_a_key() -> None:
    edit = message_of(changed("hi", "<@U0BOT> hi"), US, ALL)
    fields = {"type": "app_mention", "ts": "10.000001", "edited": {"ts": "11.000000"}, "text": "<@U0BOT> hi"}
    named = message_of(event(**fields), US, ALL)
    assert edit is not None
    assert named is not None
    assert "edit:C1:10.000001:11.000000" in edit.delivery_keys
    assert "edit:C1:10.000001:11.000000" in named.delivery_keys


@pytest.mark.parametrize(
    "payload",
    [
        changed("same", "same"),
        changed("see http://a.example", "see <http://a.example>"),
        changed("there", "This message was deleted.", subtype="tombstone"),
        changed("mine", "mine now", user="U0BOT"),
        event(subtype="message_changed", message={"user": "U1", "ts": "1.1", "text": "x"}),
    ],
)
def test_a_change_without_another_text_is_no_edit(payload: dict[str, object]) -> None:
    assert message_of(payload, US, ALL) is None


def test_unfurled_pages_are_said_by_nobody() -> None:
    page = {"from_url": "https://a.example", "title": "A", "text": "CUDA out of memory"}
    assert message_of(changed("same", "same", attachments=[page]), US, ALL) is None


def test_alerts_say_it_in_attachments_and_blocks() -> None:
    alert = {
        "text": "[FIRING:1]",
        "bot_id": "B9",
        "attachments": [
            {"title": "vLLM down", "text": "a &lt;b&gt;", "fields": [{"title": "gpu", "value": "H100"}]}
        ],
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": "Traceback"}, "fields": [{"text": "one"}]},
            {"type": "rich_text", "elements": []},
            "nonsense",
        ],
    }
    assert text_of(alert, US.user, is_bot=True) == "[FIRING:1]\nTraceback\none\nvLLM down\na <b>\ngpu: H100"


def test_rich_text_is_read_only_where_there_is_no_other_text() -> None:
    section = {
        "type": "rich_text_section",
        "elements": [{"type": "text", "text": "a"}, {"type": "link", "url": "b"}],
    }
    code = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "c"}]}
    message = {"text": "", "blocks": [{"type": "rich_text", "elements": [section, code]}]}
    assert text_of(message, US.user, is_bot=False) == "ab\nc"


@pytest.mark.parametrize(
    ("hearing", "heard"),
    [
        (Hearing(), {"said", "asked", "other", "shared"} - {"shared"}),
        (Hearing(in_shared_channels=True), {"said", "asked", "other", "shared"}),
        (Hearing(channels=frozenset({"C1"})), {"said", "asked"}),
        (Hearing(unasked=False), {"asked"}),
        (Hearing(unasked=False, mentions=False), set()),
    ],
)
def test_only_what_is_wanted_is_heard(hearing: Hearing, heard: set[str]) -> None:
    payloads = {
        "said": event(),
        "asked": event(text="<@U0BOT> hi", channel="C2"),
        "other": event(channel="C2"),
        "shared": {**event(), "is_ext_shared_channel": True},
    }
    assert {name for name, one in payloads.items() if message_of(one, US, hearing)} == heard


def test_the_notice_of_a_file_has_the_key_of_its_message() -> None:
    about = {
        "id": "F1",
        "name": "a.log",
        "shares": {"public": {"C1": [{"ts": "9.000001", "thread_ts": "8.000001"}, {"ts": "7.000001"}]}},
    }
    notice = {"type": "file_shared", "channel_id": "C1", "user_id": "U1", "event_ts": "9.5"}
    message = shared_file_of(notice, about, US)
    assert message is not None
    assert "message:C1:9.000001" in message.delivery_keys
    assert message.ref.place.thread == "8.000001"
    assert shared_file_of({**notice, "user_id": "U0BOT"}, about, US) is None
    assert shared_file_of(notice, {**about, "mimetype": "image/png"}, US) is None


def test_a_command_knows_when_it_was_given() -> None:
    payload = {
        "channel_id": "C1",
        "user_id": "U1",
        "user_name": "ann",
        "trigger_id": "1.2.x-y",
        "text": "a &lt; b",
    }
    command = command_of({**payload, "response_url": "https://hooks.slack.com/c"}, US, NOW)
    assert command is not None
    assert command.text == "a < b"
    assert not is_ts(command.ref.id)
    since = asked_at(command.ref.id)
    assert since is not None
    assert NOW.timestamp() - 3_600 < float(since) < NOW.timestamp()
    assert asked_at("1796115141.838485") is None
    assert Handle.parse(command.handle) == Handle("https://hooks.slack.com/c", "ann")


def test_what_was_filled_into_a_form_is_read_back() -> None:
    view = view_of(Form(), {"channel_id": "C1", "response_url": "https://hooks.slack.com/c"})
    check_view(view)
    state = {
        "text": {"value": {"type": "plain_text_input", "value": "Traceback <x>"}},
        "file": {"value": {"type": "file_input", "files": [{"id": "F1", "name": "a.log"}]}},
        "release": {"value": {"type": "plain_text_input", "value": "0.11.2"}},
        "gpu": {"value": {"type": "plain_text_input", "value": None}},
    }
    payload = {
        "user": {"id": "U1", "username": "ann"},
        "view": {**view, "id": "V1", "state": {"values": state}},
    }
    message = submission_of(payload, US, NOW)
    assert message is not None
    assert (message.text, dict(message.fields), message.files[0].id) == (
        "Traceback <x>",
        {"release": "0.11.2"},
        "F1",
    )
    assert message.ref.place.channel == "C1"
    assert submission_of({**payload, "view": {**view, "id": "V1", "private_metadata": "{"}}, US, NOW) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {"type": st.just("event_callback")},
        optional={
            "event": st.fixed_dictionaries(
                {"type": st.sampled_from(["message", "app_mention"])},
                optional={
                    "subtype": st.sampled_from(["message_changed", "file_share", "bot_message", "odd"]),
                    "channel": st.text(max_size=3),
                    "user": st.none() | st.text(max_size=3),
                    "bot_id": st.none() | st.text(max_size=3),
                    "text": st.none() | st.text(max_size=9),
                    "ts": st.sampled_from(["1.000001", "x", None]),
                    "files": st.lists(
                        st.dictionaries(st.sampled_from(["id", "name", "mimetype"]), st.text())
                    ),
                    "blocks": st.lists(JSON, max_size=3),
                },
            )
        },
    )
)
def test_an_odd_event_is_left_alone(payload: dict[str, object]) -> None:
    message = message_of(payload, US, ALL)
    assert message is None or message.delivery_keys


def test_what_is_chosen_counts_as_a_press_and_other_elements_do_not() -> None:
    action = {"action_id": "pick#choice-0", "action_ts": "1.1", "type": "static_select"}
    payload = {
        "actions": [{**action, "selected_option": {"value": "r1:abc", "text": {"text": "a"}}}],
        "channel": {"id": "C1"},
        "message": {"ts": "1764320157.000100"},
        "user": {"id": "U1", "username": "ann"},
    }

    click = click_of(payload, US, NOW)

    assert click is not None
    assert (click.action, click.value) == ("pick", "r1:abc")
    assert click_of({**payload, "actions": [{**action, "type": "datepicker"}]}, US, NOW) is None


@pytest.mark.parametrize("payload", [{}, {"actions": []}, {"message": {}}, {"user": {"id": "U1"}}])
def test_odd_interactions_are_left_alone(payload: dict[str, object]) -> None:
    assert click_of(payload, US, NOW) is None
    assert shortcut_of(payload, US, NOW) is None
    assert command_of(payload, US, NOW) is None
    assert submission_of(payload, US, NOW) is None
