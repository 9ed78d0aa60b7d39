"""What the fake Slack refuses, and in which words."""

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.fakes.faults import Fault
from tests.fakes.slack.escaping import as_typed, escape, pinged_by_text, stored, unescape
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Upload


@pytest.fixture
def client(workspace):
    return AsyncWebClient(token=workspace.addresses.bot_token, base_url=workspace.addresses.api_url)


@pytest.fixture
def general(workspace):
    return workspace.channel("general").id


async def _refusal(awaitable) -> str:
    with pytest.raises(SlackApiError) as refused:
        await awaitable
    return refused.value.response["error"]


def _section(text: str) -> dict:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


async def test_tokens_and_scopes_are_checked(workspace, client):
    wrong = AsyncWebClient(token="xoxb-wrong", base_url=workspace.addresses.api_url)
    app_level = AsyncWebClient(token=workspace.addresses.app_token, base_url=workspace.addresses.api_url)

    assert await _refusal(wrong.auth_test()) == "invalid_auth"
    assert (
        await _refusal(client.apps_connections_open(app_token=workspace.addresses.bot_token))
        == "not_allowed_token_type"
    )
    assert await _refusal(app_level.chat_postMessage(channel="C1", text="x")) == "not_allowed_token_type"
    assert (await client.auth_test())["user_id"] == workspace.addresses.bot_user_id


async def test_a_missing_scope_is_named():
    async with Workspace(SlackSettings(scopes=frozenset({"chat:write"}))) as workspace:
        client = AsyncWebClient(token=workspace.addresses.bot_token, base_url=workspace.addresses.api_url)
        channel = workspace.channel("general").id

        with pytest.raises(SlackApiError) as refused:
            await client.conversations_history(channel=channel)

    assert refused.value.response["needed"] == "channels:history"


async def test_the_right_to_read_direct_messages_reads_no_channel():
    async with Workspace(SlackSettings(scopes=frozenset({"im:history"}))) as workspace:
        client = AsyncWebClient(token=workspace.addresses.bot_token, base_url=workspace.addresses.api_url)
        await client.conversations_history(channel=workspace.channel("dm-ann", kind="im").id)

        with pytest.raises(SlackApiError) as refused:
            await client.conversations_history(channel=workspace.channel("general").id)

    assert refused.value.response["needed"] == "channels:history"


async def test_a_channel_must_exist_and_be_joined(workspace, client):
    outside = workspace.channel("other", with_bot=False).id
    secret = workspace.channel("secret", kind="group", with_bot=False).id

    assert await _refusal(client.chat_postMessage(channel=outside, text="x")) == "not_in_channel"
    assert await _refusal(client.chat_postMessage(channel=secret, text="x")) == "channel_not_found"
    assert await _refusal(client.chat_postMessage(channel="C404", text="x")) == "channel_not_found"


async def test_block_limits_are_slacks(client, general):
    def post(blocks):
        return client.chat_postMessage(channel=general, text="x", blocks=blocks)

    assert await _refusal(post([_section("x" * 3_001)])) == "invalid_blocks"
    assert await _refusal(post([_section("x")] * 51)) == "invalid_blocks"
    assert await _refusal(post([{"type": "nonsense"}])) == "invalid_blocks"
    assert await _refusal(post([_section("x" * 2_900)] * 5)) == "msg_blocks_too_long"
    assert (
        await _refusal(post([{"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}] * 11}]))
        == "invalid_blocks"
    )
    assert (await post([_section("x" * 3_000)] * 4))["ok"]


async def test_updates_count_bytes_after_escaping(client, general):
    ts = (await client.chat_postMessage(channel=general, text="x"))["ts"]

    assert await _refusal(client.chat_update(channel=general, ts=ts, text="<" * 1_001)) == "msg_too_long"
    assert (await client.chat_update(channel=general, ts=ts, text="<" * 1_000))["ok"]
    assert await _refusal(client.chat_update(channel=general, ts="1.000001", text="x")) == "message_not_found"


async def test_only_own_messages_can_be_changed(workspace, client, general):
    said = await workspace.user("ann").says("general", "mine")

    assert await _refusal(client.chat_update(channel=general, ts=said.ts, text="x")) == "cant_update_message"
    assert await _refusal(client.chat_delete(channel=general, ts=said.ts)) == "cant_delete_message"


async def test_long_text_is_cut_with_a_warning(workspace, client, general):
    answer = await client.chat_postMessage(channel=general, text="x" * 40_001)

    assert answer["warning"] == "message_truncated"
    assert len(workspace.messages[-1].text) == 40_000


async def test_a_trigger_lives_three_seconds_and_opens_one_form(workspace, client):
    view = {"type": "modal", "title": {"type": "plain_text", "text": "T"}, "blocks": [_section("x")]}
    triggers = workspace.responses.triggers
    account, channel = workspace.user("ann").account, workspace.channel("general")
    late, twice = triggers.new(account, channel), triggers.new(account, channel)

    await client.views_open(trigger_id=twice, view=view)
    assert await _refusal(client.views_open(trigger_id=twice, view=view)) == "exchanged_trigger_id"
    workspace.clock.advance(3.1)
    assert await _refusal(client.views_open(trigger_id=late, view=view)) == "expired_trigger_id"
    fresh = triggers.new(account, channel)
    view["title"]["text"] = "x" * 25
    assert await _refusal(client.views_open(trigger_id=fresh, view=view)) == "invalid_arguments"


async def test_a_response_url_is_good_for_five_answers_in_thirty_minutes(workspace):
    account, channel = workspace.user("ann").account, workspace.channel("general")
    first, second = (AsyncWebhookClient(workspace.responses.response_url(channel, account)) for _ in range(2))

    statuses = [(await first.send(text="x")).status_code for _ in range(6)]
    workspace.clock.advance(31 * 60)
    late = await second.send(text="x")

    assert statuses == [200] * 5 + [404]
    assert late.status_code == 404
    assert {one.private_to for one in channel.ephemerals} == {"ann"}


async def test_a_file_without_the_token_is_a_login_page(workspace, client):
    said = await workspace.user("ann").says("general", "", files=[Upload("a.log", b"boom")])
    url = said.payload["files"][0]["url_private_download"]

    async with aiohttp.ClientSession() as session:
        async with session.get(url) as nameless:
            page, status = await nameless.text(), nameless.status
        async with session.get(url, headers={"Authorization": f"Bearer {client.token}"}) as allowed:
            content = await allowed.read()

    assert status == 200
    assert "<html>" in page
    assert content == b"boom"
    assert (await client.files_info(file=said.payload["files"][0]["id"]))["file"]["size"] == 4


async def test_a_slack_connect_file_tells_nothing_until_asked(workspace, client):
    workspace.channel("shared", shared=True)
    said = await workspace.user("ann").says("shared", "", files=[Upload("a.log", b"boom")])

    shown = said.payload["files"][0]

    assert shown["file_access"] == "check_file_info"
    assert "url_private" not in shown
    assert (await client.files_info(file=shown["id"]))["file"]["url_private"]


async def test_an_upload_in_three_steps_becomes_a_message(workspace, client, general):
    parent = await client.chat_postMessage(channel=general, text="report follows")

    await client.files_upload_v2(
        channel=general, thread_ts=parent["ts"], filename="report.md", content="long", initial_comment="here"
    )

    message = workspace.messages[-1]
    assert message.thread_ts == parent["ts"]
    assert message.text == "here"
    assert workspace.files[message.payload["files"][0]["id"]].content == b"long"


async def test_history_and_replies_come_in_pages(workspace, client, general):
    parent = await client.chat_postMessage(channel=general, text="parent")
    for number in range(4):
        await client.chat_postMessage(channel=general, text=f"reply {number}", thread_ts=parent["ts"])
    await client.chat_postMessage(channel=general, text="next")

    history = await client.conversations_history(channel=general)
    pages = [
        [one["text"] for one in page["messages"]]
        async for page in await client.conversations_replies(channel=general, ts=parent["ts"], limit=3)
    ]

    assert [one["text"] for one in history["messages"]] == ["next", "parent"]
    assert pages == [["parent", "reply 0", "reply 1"], ["reply 2", "reply 3"]]
    assert await _refusal(client.conversations_replies(channel=general, ts="1.5")) == "thread_not_found"


async def test_one_post_a_second_and_channel_when_that_limit_is_on():
    async with Workspace(SlackSettings(posts_per_window=1, window_s=60, retry_after_s=7)) as workspace:
        client = AsyncWebClient(token=workspace.addresses.bot_token, base_url=workspace.addresses.api_url)
        one, other = workspace.channel("one").id, workspace.channel("other").id
        await client.chat_postMessage(channel=one, text="x")
        await client.chat_postMessage(channel=other, text="x")

        with pytest.raises(SlackApiError) as refused:
            await client.chat_postMessage(channel=one, text="x")

    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["Retry-After"] == "7"


async def test_a_lost_answer_leaves_the_message_behind(workspace, client, general):
    workspace.faults.plan(Fault("chat.postMessage", status=500, after_effect=True))

    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel=general, text="x")

    assert [one.text for one in workspace.messages] == ["x"]
    assert workspace.faults.seen == {"500 after effect": 1}


async def test_an_open_form_can_be_replaced(workspace, client):
    view = {"type": "modal", "title": {"type": "plain_text", "text": "T"}, "blocks": [_section("working")]}
    trigger = workspace.responses.triggers.new(workspace.user("ann").account, workspace.channel("general"))
    opened = await client.views_open(trigger_id=trigger, view=view)

    await client.views_update(view_id=opened["view"]["id"], view={**view, "blocks": [_section("done")]})

    assert [one.payload["blocks"][0]["text"]["text"] for one in workspace.views] == ["done"]
    assert await _refusal(client.views_update(view_id="V404", view=view)) == "not_found"


async def test_people_and_groups_can_be_looked_up(workspace, client):
    ann = workspace.user("ann").account
    workspace.groups["S1"] = [ann.id]

    assert (await client.users_info(user=ann.id))["user"]["name"] == "ann"
    assert (await client.usergroups_users_list(usergroup="S1"))["users"] == [ann.id]
    assert await _refusal(client.usergroups_users_list(usergroup="S2")) == "no_such_subteam"
    assert await _refusal(client.users_info(user="U404")) == "user_not_found"


async def test_reactions_are_given_once(workspace, client, general):
    ts = (await client.chat_postMessage(channel=general, text="x"))["ts"]

    await client.reactions_add(channel=general, timestamp=ts, name="eyes")

    assert (
        await _refusal(client.reactions_add(channel=general, timestamp=ts, name="eyes")) == "already_reacted"
    )


async def test_private_messages_stay_out_of_the_history(workspace, client, general):
    ann = workspace.user("ann")
    await ann.says("general", "hello")

    await client.chat_postEphemeral(channel=general, user=ann.account.id, text="psst")

    history = await client.conversations_history(channel=general)
    assert [one["text"] for one in history["messages"]] == ["hello"]


def test_pings_are_found_wherever_slack_would_notify():
    assert pinged_by_text("<!channel> <!here|here> <@U1> <!subteam^S1|@ops> &lt;!everyone&gt;") == {
        "channel",
        "here",
        "U1",
        "S1",
    }
    assert pinged_by_text("@channel") == set()
    assert pinged_by_text("@channel", link_names=True) == {"channel"}


@given(st.text(alphabet="ab<>&;!@#|.:/ \n", max_size=60))
def test_what_is_stored_stays_the_same_when_stored_again(text):
    assert stored(stored(text)) == stored(text)
    assert stored(escape(text)) == escape(text)


@given(st.text(max_size=80))
def test_typed_text_without_names_or_links_survives_escaping(text):
    plain = text.replace(".", "").replace("://", "").replace("@", "").replace("#", "")

    assert unescape(as_typed(plain, {}, {})) == plain
