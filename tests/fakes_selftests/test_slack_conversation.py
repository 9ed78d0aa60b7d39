"""The fake Slack against the real slack_bolt, in both modes: talk, files, forms, clicks."""

from tests.fakes.faults import Fault
from tests.fakes.stage import Upload


async def test_a_message_is_heard_and_the_answer_stands_in_its_thread(slack):
    said = await slack.say("boom <x> & y")

    answer = await slack.next_answer()

    assert answer.text == "echo: boom <x> & y"
    assert answer.thread == said.id
    assert answer.by_the_bot
    assert answer.buttons == ("Again",)
    await slack.settled()


async def test_text_arrives_escaped_with_links_as_slack_writes_them(slack):
    await slack.say("see https://a.example/x?a=1&b=2 in core.py:743, @here")

    await slack.next_answer()

    heard = slack.bot.heard[0]["text"]
    assert heard == "see <https://a.example/x?a=1&amp;b=2> in <http://core.py:743|core.py:743>, <!here>"


async def test_a_mention_arrives_as_two_events_for_one_time_stamp(slack):
    said = await slack.mention("help")

    await slack.next_answer()
    await slack.settled()

    kinds = sorted(event["type"] for event in slack.bot.heard if event["ts"] == said.id)
    assert kinds == ["app_mention", "message"]


async def test_a_file_is_read_with_the_token(slack):
    await slack.say("", files=[Upload("vllm.log", b"RuntimeError: x", None)])

    answer = await slack.next_answer()

    assert answer.text == "echo: RuntimeError: x"
    assert slack.bot.heard[0]["subtype"] == "file_share"


async def test_a_very_long_paste_becomes_a_snippet(slack):
    said = await slack.say("x" * 12_001)

    await slack.next_answer()

    assert said.text == ""
    assert said.files[0].content == b"x" * 12_001
    assert slack.bot.heard[0]["files"][0]["mode"] == "snippet"


async def test_a_command_is_answered_to_its_author_alone(slack):
    await slack.command("boom")

    answer = await slack.next_answer()

    assert answer.text == "you said boom"
    assert answer.private_to == "ann"


async def test_an_empty_command_opens_a_form_whose_errors_keep_it_open(slack):
    slack.bot.home = slack.workspace.channel("general").id
    form = await slack.open_form()
    view = slack.workspace.views[0]

    await slack.submit_form(form, {"Log": "nonsense"})
    await slack.settled()
    assert not view.closed
    assert view.errors == {"log": "that is no log"}
    await slack.submit_form(form, {"Log": "a real log"})
    answer = await slack.next_answer()
    await slack.settled()

    assert form.fields == ("Log", "File")
    assert answer.text == "form: a real log"
    assert view.closed


async def test_a_pressed_button_changes_the_message_in_place(slack):
    await slack.say("hello")
    answer = await slack.next_answer()

    await slack.press(answer, "Again", person="bob")
    changed = await slack.changed(answer)

    assert changed.text == "again, bob"
    assert changed.buttons == ()
    assert len(slack.answers()) == 1


async def test_a_message_shortcut_is_answered_in_private(slack):
    said = await slack.say("hello")
    await slack.next_answer()
    message = slack.workspace.channel("general").find(said.id)

    await slack.workspace.user("bob").uses_shortcut(message, "vllm_diagnose_message")
    answer = await slack.next_answer(1)

    assert answer.text == "shortcut: hello"
    assert answer.private_to == "bob"


async def test_the_bot_hears_its_own_post_and_other_bots_too(slack):
    await slack.bot_says("alert")
    answer = await slack.next_answer()
    await slack.settled()

    assert answer.text == "echo: alert"
    assert slack.bot.heard[0]["bot_id"]
    own = [
        one.event for one in slack.workspace.dispatcher.deliveries if one.event.get("app_id") == "A0TRIAGE"
    ]
    assert own


async def test_edits_deletions_and_first_replies_arrive_as_changes(slack):
    said = await slack.say("hello")
    await slack.next_answer()

    await slack.edit(said, "other")
    await slack.delete(said)
    await slack.settled()

    changes = [
        event for event in slack.bot.heard if event.get("subtype") in ("message_changed", "message_deleted")
    ]
    texts = [
        (one["subtype"], one.get("message", {}).get("text"), one["previous_message"]["text"])
        for one in changes
    ]
    assert ("message_changed", "hello", "hello") in texts
    assert ("message_changed", "other", "hello") in texts
    assert ("message_deleted", None, "other") in texts


async def test_the_same_event_can_be_delivered_again_with_its_id(slack):
    said = await slack.say("hello")
    await slack.next_answer()

    await slack.deliver_again(said)
    await slack.next_answer(1)
    await slack.settled()

    ids = [
        one.payload["event_id"]
        for one in slack.workspace.dispatcher.deliveries
        if one.event.get("ts") == said.id
    ]
    assert len(ids) == 2
    assert len(set(ids)) == 1


async def test_an_answer_survives_a_rate_limit_that_says_when_to_come_back(slack):
    slack.workspace.faults.plan(Fault("chat.postMessage", status=429, retry_after_s=0, times=1))

    await slack.say("hello")
    await slack.next_answer()

    results = [call.result for call in slack.workspace.api.called("chat.postMessage")]
    assert results == ["planned 429", "ok"]


async def test_a_restarted_bot_is_found_again(slack):
    await slack.restart()

    await slack.say("hello")

    assert (await slack.next_answer()).text == "echo: hello"


async def test_the_bots_own_reply_is_found_by_its_metadata(slack):
    said = await slack.say("hello")
    await slack.next_answer()

    replies = await slack.bot.client.conversations_replies(
        channel=slack.workspace.channel("general").id, ts=said.id, include_all_metadata=True
    )

    assert replies["messages"][1]["metadata"] == {"event_type": "echo", "event_payload": {"of": said.id}}
