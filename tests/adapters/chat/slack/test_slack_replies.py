"""What the bot says in Slack: once, in order, whole, and nothing that Slack would refuse."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from adapters.chat.errors import (
    CannotTellError,
    ChatError,
    NotAllowedError,
    RateLimitedError,
    UnreachableError,
)
from adapters.chat.interface import Attachment, Mark, MessageRef, Place, Reply, Visibility
from adapters.chat.slack.options import Identity
from adapters.chat.slack.platform import create
from adapters.chat.slack.web.api import LIBRARY_LOG, Api
from adapters.chat.slack.web.replies import Replies
from tests.adapters.chat.slack.small_bot import card_of, now, options_for
from tests.fakes.faults import Fault
from tests.fakes.slack.records import ALL_SCOPES, Message, SlackSettings
from tests.fakes.slack.workspace import Workspace

WHOLE = Attachment("answer.md", "# The whole answer\n" + "line\n" * 1_000)
US = Identity("T0FAKE", "U0TRIAGE", "B0TRIAGE")


class Desk:
    """Replies in a workspace, without anybody who listens."""

    def __init__(self, workspace: Workspace, **changes: object) -> None:
        self.workspace = workspace
        self.api = Api(options_for(workspace.addresses, **changes))
        self.replies = Replies(self.api)
        self.room = workspace.channel("general")

    async def asked(self, text: str = "help") -> Place:
        said = await self.workspace.user("ann").says("general", text)
        return Place("slack", "T0FAKE", self.room.id, said.ts)

    def own(self) -> list[Message]:
        return [one for one in self.workspace.messages if one.author.id == US.user]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with Workspace(SlackSettings(events=frozenset())) as workspace:
        desk = Desk(workspace)
        yield desk
        await desk.api.close()


async def test_a_reply_that_is_out_though_its_answer_got_lost_is_found(desk: Desk) -> None:
    place = await desk.asked()
    desk.workspace.faults.plan(Fault("chat.postMessage", status=500, after_effect=True))
    with pytest.raises(UnreachableError):
        await desk.replies.post(place, Reply("r1", card_of("x")))
    found = await desk.replies.find(place, "r1")
    assert found == MessageRef(place, desk.own()[0].ts)
    assert await desk.replies.find(place, "r2") is None
    assert len(desk.own()) == 1


@pytest.mark.parametrize("drop", [True, False])
async def test_a_request_without_an_answer_is_not_sent_twice(desk: Desk, drop: bool) -> None:
    place = await desk.asked()
    desk.workspace.faults.plan(
        Fault("chat.postMessage", drop=drop, status=None if drop else 503, after_effect=drop)
    )
    with pytest.raises(UnreachableError):
        await desk.replies.post(place, Reply("r1", card_of("x")))
    assert len(desk.workspace.api.called("chat.postMessage")) == 1


async def test_a_reply_is_found_behind_many_others(desk: Desk) -> None:
    place = await desk.asked()
    await desk.replies.post(place, Reply("r1", card_of("x")))
    parent = desk.room.find(str(place.thread))
    for number in range(450):
        await desk.workspace.user("bob").says("general", f"{number}", thread=parent)
    await desk.replies.post(place, Reply("r2", card_of("y")))
    first, last = await desk.replies.find(place, "r1"), await desk.replies.find(place, "r2")
    assert first is not None
    assert last is not None
    assert [first.id, last.id] == [one.ts for one in desk.own()]


async def test_slack_is_given_the_time_it_asks_for(desk: Desk) -> None:
    place = await desk.asked()
    desk.workspace.faults.plan(Fault("*", times=2, status=429, retry_after_s=0))
    await desk.replies.post(place, Reply("r1", card_of("x")))
    assert [call.result for call in desk.workspace.api.called("chat.postMessage")][-1] == "ok"
    assert len(desk.own()) == 1


async def test_a_slack_that_stays_busy_says_for_how_long() -> None:
    async with Workspace(SlackSettings(events=frozenset())) as workspace:
        desk = Desk(workspace, rate_limit_tries=0)
        place = await desk.asked()
        workspace.faults.plan(Fault("chat.postMessage", status=429, retry_after_s=7))
        try:
            with pytest.raises(RateLimitedError) as caught:
                await desk.replies.post(place, Reply("r1", card_of("x")))
        finally:
            await desk.api.close()
        assert caught.value.retry_after_s == 7


async def test_a_burst_in_one_channel_goes_out_one_after_the_other(desk: Desk) -> None:
    places = [await desk.asked(f"help {number}") for number in range(10)]
    gate = desk.workspace.faults.hold("chat.postMessage")
    posts = [
        asyncio.create_task(desk.replies.post(place, Reply(f"r{number}", card_of("x"))))
        for number, place in enumerate(places)
    ]
    await gate.reached()
    elsewhere = Place("slack", "T0FAKE", desk.workspace.channel("other").id)
    await desk.replies.post(elsewhere, Reply("r-other", card_of("x")))
    assert len(desk.workspace.api.called("chat.postMessage")) == 2
    gate.open()
    await asyncio.gather(*posts)
    general = [one for one in desk.own() if one.channel_id == desk.room.id]
    assert [one.thread_ts for one in general] == [place.thread for place in places]


async def test_a_reply_previews_no_pages_and_carries_its_id(desk: Desk) -> None:
    await desk.replies.post(await desk.asked(), Reply("r1", card_of("see https://example.org")))
    (call,) = desk.workspace.api.called("chat.postMessage")
    assert (call.args["unfurl_links"], call.args["unfurl_media"]) == (False, False)
    assert desk.own()[0].metadata == {"event_type": "reply_shown", "event_payload": {"reply": "r1"}}


def test_an_outage_is_logged_without_a_trace(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING"):
        try:
            raise OSError("away")  # noqa: TRY301
        except OSError:
            LIBRARY_LOG.exception("Failed to connect")
    assert "Failed to connect" in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_long_text_beside_the_card_does_not_keep_it_from_being_changed(desk: Desk) -> None:
    place = await desk.asked()
    ref = await desk.replies.post(place, Reply("r1", card_of("x")))
    await desk.replies.edit(ref, Reply("r1", card_of("<&>" * 600)))
    (answer,) = desk.own()
    assert answer.edits == 1
    assert await desk.replies.find(place, "r1") == ref


async def test_the_file_of_a_reply_stands_in_the_same_thread(desk: Desk) -> None:
    place = await desk.asked()
    ref = await desk.replies.post(place, Reply("r1", card_of("x", WHOLE)))
    card, file = desk.own()
    assert card.ts == ref.id
    assert file.thread_ts == place.thread
    (shown,) = file.payload["files"]
    assert desk.workspace.files[shown["id"]].content.decode() == WHOLE.text
    assert shown["title"] == "answer.md"
    assert await desk.replies.find(place, "r1") == ref
    assert len(desk.own()) == 2


async def test_a_file_that_was_not_shown_before_the_end_is_shown_when_its_reply_is_found(desk: Desk) -> None:
    place = await desk.asked()
    desk.workspace.faults.plan(Fault("files.completeUploadExternal", status=503))
    with pytest.raises(UnreachableError):
        await desk.replies.post(place, Reply("r1", card_of("x", WHOLE)))
    assert len(desk.own()) == 1
    for _ in range(2):
        assert await desk.replies.find(place, "r1") == MessageRef(place, desk.own()[0].ts)
    assert len(desk.own()) == 2


async def test_the_file_of_a_commands_answer_stands_below_it_and_is_shown_later_too(desk: Desk) -> None:
    place = Place("slack", "T0FAKE", desk.room.id, f"command-{now().timestamp():.6f}-1.2.3")
    desk.workspace.faults.plan(Fault("files.completeUploadExternal", status=503))
    with pytest.raises(UnreachableError):
        await desk.replies.post(place, Reply("r1", card_of("x", WHOLE)))
    for _ in range(2):
        ref = await desk.replies.find(place, "r1")
        assert ref is not None
    card, file = desk.own()
    assert (card.thread_ts, file.thread_ts) == (card.ts, card.ts)


async def test_without_the_right_to_attach_the_answer_comes_without_its_file() -> None:
    settings = SlackSettings(events=frozenset(), scopes=ALL_SCOPES - {"files:write"})
    async with Workspace(settings) as workspace:
        desk = Desk(workspace)
        try:
            await desk.replies.post(await desk.asked(), Reply("r1", card_of("x", WHOLE)))
        finally:
            await desk.api.close()
        assert len(desk.own()) == 1


async def test_a_channel_without_the_bot_says_whom_to_ask(desk: Desk) -> None:
    closed = Place("slack", "T0FAKE", desk.workspace.channel("closed", with_bot=False).id)
    with pytest.raises(NotAllowedError, match="invite it to the channel"):
        await desk.replies.post(closed, Reply("r1", card_of("x")))


async def test_without_the_right_to_read_it_says_that_it_cannot_tell() -> None:
    settings = SlackSettings(events=frozenset(), scopes=frozenset({"chat:write"}))
    async with Workspace(settings) as workspace:
        desk = Desk(workspace)
        try:
            with pytest.raises(CannotTellError, match="channels:history"):
                await desk.replies.find(await desk.asked(), "r1")
        finally:
            await desk.api.close()


async def test_a_message_that_is_gone_is_not_answered_elsewhere(desk: Desk) -> None:
    place = await desk.asked()
    message = desk.room.find(str(place.thread))
    assert message
    await desk.workspace.user("ann").deletes(message)
    with pytest.raises(ChatError, match="thread_not_found"):
        await desk.replies.post(place, Reply("r1", card_of("x")))
    assert not desk.own()
    assert await desk.replies.find(place, "r1") is None


async def test_an_old_answer_address_is_replaced_by_a_private_message(desk: Desk) -> None:
    place = await desk.asked()
    ann = desk.workspace.accounts["ann"]
    url = desk.workspace.responses.response_url(desk.room, ann)
    for number in range(7):
        reply = Reply(f"r{number}", card_of("x"), Visibility.PRIVATE, ann.id, url)
        await desk.replies.post(place, reply)
    assert len(desk.room.ephemerals) == 7
    assert len(desk.workspace.api.called("chat.postEphemeral")) == 2


async def test_nothing_is_sent_to_an_address_that_is_not_slacks(desk: Desk) -> None:
    place = await desk.asked()
    ann = desk.workspace.accounts["ann"]
    foreign = "https://hooks.example.org/actions/1"
    await desk.replies.post(place, Reply("r1", card_of("x"), Visibility.PRIVATE, ann.id, foreign))
    assert len(desk.workspace.api.called("chat.postEphemeral")) == 1


async def test_what_one_person_sees_cannot_be_changed_and_says_so(desk: Desk) -> None:
    place = await desk.asked()
    ann = desk.workspace.accounts["ann"]
    ref = await desk.replies.post(place, Reply("r1", card_of("x"), Visibility.PRIVATE, ann.id))
    with pytest.raises(NotAllowedError):
        await desk.replies.edit(ref, Reply("r1", card_of("y")))


async def test_signs_beside_messages_are_left_out(desk: Desk) -> None:
    platform = create(options_for(desk.workspace.addresses), now)
    place = await desk.asked()
    for mark in Mark:
        await platform.mark(MessageRef(place, str(place.thread)), mark)
    assert not desk.room.reactions
    assert platform.name == "slack"
