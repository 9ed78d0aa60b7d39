"""Delivery to the app: acknowledgement in time, redelivery, reconnection, signatures."""

import json

from tests.fakes.slack.delivery.signed_http import Signer


async def test_an_event_without_acknowledgement_comes_three_times_more(impatient_slack):
    slack = impatient_slack
    slack.bot.acknowledges = False

    await slack.say("hello")
    await slack.settled()

    delivery = slack.workspace.dispatcher.deliveries[0]
    assert slack.workspace.dispatcher.given_up() == [delivery]
    assert [int(number or 0) for number in slack.bot.retries] == [0, 1, 2, 3]
    reasons = [attempt.reason for attempt in delivery.attempts]
    assert reasons[0] == ""
    assert set(reasons[1:]) <= {"timeout", "http_error", "http_timeout"}


async def test_acknowledgements_are_timed(slack):
    await slack.say("hello")
    await slack.next_answer()
    await slack.settled()

    assert 0 < slack.workspace.dispatcher.slowest_ack_s() < slack.workspace.settings.ack_timeout_s


async def test_a_command_without_acknowledgement_times_out_for_its_author(impatient_slack):
    slack = impatient_slack
    slack.bot.acknowledges = False

    await slack.command("boom")
    await slack.settled()

    shown = slack.workspace.channel("general").ephemerals[0]
    assert "operation_timeout" in shown.text
    assert shown.private_to == "ann"


async def test_a_refresh_makes_the_client_reconnect_and_nothing_is_lost(slack_socket):
    slack = slack_socket
    await slack.workspace.sockets.disconnect("refresh_requested")
    await slack.workspace.watch.until(lambda: slack.workspace.sockets.opened == 2, "a second connection")

    await slack.say("hello")

    assert (await slack.next_answer()).text == "echo: hello"


async def test_a_cut_connection_brings_the_event_again_after_reconnecting(slack_socket):
    slack = slack_socket
    slack.bot.acknowledges = False
    await slack.say("hello")
    await slack.bot.watch.until(lambda: slack.bot.retries or None, "the first delivery")
    await slack.workspace.sockets.drop()
    slack.bot.acknowledges = True

    answer = await slack.next_answer()

    assert answer.text == "echo: hello"
    delivery = slack.workspace.dispatcher.deliveries[0]
    assert delivery.attempts[1].reason == "socket_closed"


async def test_several_sockets_share_the_events(slack_socket, second_bot):
    slack = slack_socket
    await slack.workspace.sockets.connected(2)

    said = {(await slack.say(f"number {number}")).id for number in range(6)}
    await slack.next_answer(5)
    await slack.settled()

    first, second = ([one["ts"] for one in bot.heard if one["ts"] in said] for bot in (slack.bot, second_bot))
    assert first
    assert second
    assert sorted(first + second) == sorted(said)


async def test_an_event_waits_for_a_bot_that_is_away(slack):
    await slack.bot.stop()
    slack.workspace.http.away()
    await slack.say("hello")

    slack.bot = None
    await slack.open()

    assert (await slack.next_answer()).text == "echo: hello"


async def test_pings_are_answered_by_the_client(slack_socket):
    sockets = slack_socket.workspace.sockets

    await slack_socket.workspace.watch.until(lambda: sockets.sockets[0].pongs >= 1, "a pong")

    assert sockets.sockets[0].takes_events


async def test_signatures_must_be_right_and_fresh(slack_http):
    http = slack_http.workspace.http
    body, headers = json.dumps({"type": "event_callback"}), {"Content-Type": "application/json"}

    wrong = await http.post(body, headers, Signer("another-secret"))
    old = await http.post(body, headers, Signer(http.signer.secret, age_s=6 * 60))

    assert wrong[0] == 401
    assert old[0] == 401


async def test_the_url_handshake_is_answered(slack_http):
    assert await slack_http.workspace.http.verify_url()


async def test_a_flood_is_announced_instead_of_its_events(slack_http):
    delivery = slack_http.workspace.events.rate_limited()
    await slack_http.settled()

    assert delivery.payload["type"] == "app_rate_limited"
    assert delivery.done


async def test_a_held_post_shows_where_a_bot_can_be_killed(slack):
    gate = slack.workspace.faults.hold("chat.postMessage", after_effect=True)
    await slack.say("hello")

    await gate.reached()

    assert [one.text for one in slack.answers()] == ["echo: hello"]
    assert slack.workspace.api.called("chat.postMessage")[0].result == "ok"
    gate.open()
    await slack.settled()
