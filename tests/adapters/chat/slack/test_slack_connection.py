"""Connections that break, tokens that are refused, a Slack that is not there; and who may post requests."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from adapters.chat.errors import NotAllowedError, UnreachableError
from adapters.chat.interface import Place, Reply
from adapters.chat.slack.options import Delivery, SlackOptions
from adapters.chat.slack.platform import SlackPlatform, create
from tests.adapters.chat.slack.small_bot import (
    TIMING,
    MemoryInbox,
    SmallBot,
    bot_of,
    card_of,
    now,
    options_for,
    until,
)
from tests.fakes.faults import Fault
from tests.fakes.slack.delivery.signed_http import Signer
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace


@pytest.fixture
async def sockets() -> AsyncIterator[SlackStage]:
    async with Workspace(SlackSettings(ack_timeout_s=1.0)) as workspace:
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            yield stage
        finally:
            await stage.close()


@pytest.fixture
async def posts() -> AsyncIterator[SlackStage]:
    async with Workspace(SlackSettings(ack_timeout_s=1.0), mode="http") as workspace:
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            await until(lambda: bot_of(stage).platform.is_connected)
            yield stage
        finally:
            await stage.close()


async def test_a_socket_that_slack_refreshes_loses_nothing(sockets: SlackStage) -> None:
    for number in range(5):
        await sockets.say(f"before {number}")
        await sockets.workspace.sockets.disconnect("refresh_requested")
        await sockets.say(f"after {number}")
    await sockets.settled(30)
    assert len(bot_of(sockets).inbox.messages) == 10
    assert len(sockets.answers()) == 10
    assert sockets.workspace.sockets.opened >= 2


async def test_a_socket_that_is_cut_is_made_again_and_what_was_under_way_comes_once(
    sockets: SlackStage,
) -> None:
    await sockets.say("first")
    await sockets.workspace.sockets.drop()
    await sockets.say("second")
    await sockets.settled(30)
    assert sorted(one.text for one in bot_of(sockets).inbox.messages) == ["first", "second"]
    assert sockets.workspace.sockets.opened >= 2


async def test_a_client_that_never_reconnects_by_itself_is_built_anew(sockets: SlackStage) -> None:
    platform = bot_of(sockets).platform
    await until(lambda: platform.is_connected)
    # This is how the library was found: its tasks gone, its socket dead, and nobody looking after it.
    for task in asyncio.all_tasks():
        if task.get_coro().__name__ in {"monitor_current_session", "receive_messages"}:
            task.cancel()
    await sockets.workspace.sockets.drop()
    await until(lambda: not platform.is_connected)
    await sockets.say("still there?")
    await sockets.settled(30)
    await until(lambda: platform.is_connected)
    assert [one.text for one in bot_of(sockets).inbox.messages] == ["still there?"]


async def test_an_outage_of_slack_ends_in_a_connection(sockets: SlackStage) -> None:
    platform = bot_of(sockets).platform
    await until(lambda: platform.is_connected)
    outage = sockets.workspace.faults.plan(Fault("apps.connections.open", times=10_000, status=500))
    await sockets.workspace.sockets.drop()
    # Longer than the library is waited for, so that a new one meets the outage too.
    await until(lambda: outage.times < 9_995)
    assert not platform.is_connected
    outage.times = 0
    await sockets.say("still there?")
    await sockets.settled(30)
    assert [one.text for one in bot_of(sockets).inbox.messages] == ["still there?"]


async def test_slack_may_be_away_when_the_bot_starts() -> None:
    async with Workspace() as workspace:
        away = [
            workspace.faults.plan(Fault("auth.test", times=2, status=503)),
            workspace.faults.plan(Fault("apps.connections.open", times=2, status=503)),
        ]
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            await stage.say("hello")
            await stage.next_answer()
            assert all(fault.times == 0 for fault in away)
        finally:
            await stage.close()


@pytest.mark.parametrize("changes", [{"bot_token": "xoxb-stale"}, {"app_token": "xapp-stale"}])
async def test_a_refused_token_ends_the_run_with_what_to_do(changes: dict[str, str]) -> None:
    async with Workspace() as workspace:
        platform = create(options_for(workspace.addresses, **changes), now)
        with pytest.raises(NotAllowedError, match="invalid_auth"):
            await asyncio.wait_for(platform.run(MemoryInbox()), 10)
        assert not platform.is_connected


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_the_end_comes_at_once_while_slack_does_not_answer(mode: str) -> None:
    """A server that takes every request and answers none."""
    taken, over = asyncio.Event(), asyncio.Event()

    async def hang(_: web.Request) -> web.Response:
        taken.set()
        await over.wait()
        return web.Response()

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", hang)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        platform = silent(f"http://127.0.0.1:{runner.addresses[0][1]}/api/", mode)
        task = asyncio.create_task(platform.run(MemoryInbox()))
        await asyncio.wait_for(taken.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 3)
    finally:
        over.set()
        await runner.cleanup()


def silent(api_url: str, mode: str) -> SlackPlatform:
    options = SlackOptions(
        "xoxb-1", "xapp-1", "secret", delivery=Delivery(mode), api_url=api_url, timing=TIMING
    )
    return create(options, now)


async def test_the_end_comes_at_once_while_the_socket_is_being_made() -> None:
    async with Workspace() as workspace:
        gate = workspace.faults.hold("apps.connections.open")
        platform = create(options_for(workspace.addresses), now)
        task = asyncio.create_task(platform.run(MemoryInbox()))
        await gate.reached()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 3)


async def test_after_the_end_nothing_is_posted(sockets: SlackStage) -> None:
    place = Place("slack", "T0FAKE", sockets.workspace.channel("general").id)
    await sockets.close()
    with pytest.raises(UnreachableError):
        await bot_of(sockets).platform.post(place, Reply("r1", card_of("late")))
    assert not sockets.answers()


async def test_the_address_for_requests_is_proven(posts: SlackStage) -> None:
    assert await posts.workspace.http.verify_url()


@pytest.mark.parametrize(
    "signer", [Signer("another secret"), Signer("a-signing-secret", age_s=600.0)], ids=["forged", "replayed"]
)
async def test_requests_that_slack_did_not_sign_just_now_are_refused(
    posts: SlackStage, signer: Signer
) -> None:
    event = {"type": "message", "channel": "C1", "ts": "1.000001", "user": "U1", "text": "hello"}
    body = json.dumps({"type": "event_callback", "event": event, "event_id": "Ev1"})
    headers = {"Content-Type": "application/json"}
    status, _, _ = await posts.workspace.http.post(body, headers, signer)
    assert status == 401
    assert not bot_of(posts).inbox.events
    status, _, _ = await posts.workspace.http.post(body, headers)
    assert status == 200
    assert len(bot_of(posts).inbox.events) == 1


async def test_requests_that_come_before_the_bot_knows_itself_come_again() -> None:
    async with Workspace(mode="http") as workspace:
        gate = workspace.faults.hold("auth.test")
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            await gate.reached()
            status, _, _ = await workspace.http.post("{}", {"Content-Type": "application/json"})
            assert status == 503
            gate.open()
            platform = bot_of(stage).platform
            await until(lambda: platform.is_connected)
            await stage.say("hello")
            await stage.next_answer()
        finally:
            await stage.close()


async def test_a_body_that_is_no_text_is_refused(posts: SlackStage) -> None:
    status, _, _ = await posts.workspace.http.post(
        "{}", {"Content-Type": "application/json; charset=nonsense"}
    )
    assert status == 400


def test_each_way_of_delivery_needs_its_secret() -> None:
    with pytest.raises(ValueError, match="signing secret"):
        create(SlackOptions("xoxb-1", delivery=Delivery.HTTP), now)
    with pytest.raises(ValueError, match="app-level token"):
        create(SlackOptions("xoxb-1"), now)


def test_nothing_is_started_and_nothing_secret_is_shown_when_it_is_made() -> None:
    options = SlackOptions("xoxb-1", "xapp-1", "hush")
    platform = create(options, now)
    assert platform.client.base_url == "https://slack.com/api/"
    assert platform.app.client.base_url == platform.client.base_url
    assert not platform.is_connected
    assert not platform.routes()
    assert "xoxb" not in repr(options)
    assert "xapp" not in repr(options)
    assert "hush" not in repr(options)
