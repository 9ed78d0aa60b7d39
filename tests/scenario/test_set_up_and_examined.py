"""Manifests ask for what the code uses and no more; the doctor names what is missing; figures hold no text."""

import re

import aiohttp
import pytest

from adapters.chat.discord.gateway.client import intents_of
from adapters.chat.slack.platform import create
from bot.bootstrap import Stage, discord_options, examine, manifest, running, slack_options
from bot.clock import system_clock
from bot.settings import FixedSettings, IntakeMode, RelaunchSettings
from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.world import World
from tests.fakes.slack.records import ALL_SCOPES, SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Upload
from tests.scenario.real_bot import RealBot, settings_for

MODES = list(IntakeMode)
REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."


def _in_mode(settings: FixedSettings, mode: IntakeMode) -> FixedSettings:
    changes = {
        name: getattr(settings, name).model_copy(update={"mode": mode}) for name in ("slack", "discord")
    }
    return settings.model_copy(update=changes)


def _scopes(settings):
    return frozenset(manifest("slack", settings)["oauth_config"]["scopes"]["bot"])


def _events(settings):
    told = manifest("slack", settings)["settings"].get("event_subscriptions", {})
    return frozenset(told.get("bot_events", ()))


@pytest.mark.parametrize("mode", MODES)
async def test_slack_is_asked_for_what_is_heard_and_each_mode_asks_for_less(mode, tmp_path):
    async with Workspace(SlackSettings()) as workspace:
        settings = _in_mode(settings_for(workspace.addresses, tmp_path), mode)
        told = manifest("slack", settings)
        platform = create(slack_options(settings), system_clock)

    passive = _in_mode(settings, IntakeMode.PASSIVE)
    assert _scopes(settings) <= _scopes(passive)
    assert (_scopes(settings) == _scopes(passive)) is (mode is IntakeMode.PASSIVE)
    assert {event.partition(".")[0] for event in _events(settings)} <= {"message", "app_mention"}
    assert bool(_events(settings)) is mode.hears_mentions
    assert told["features"]["slash_commands"][0]["command"] == slack_options(settings).command
    assert told["features"]["shortcuts"][0]["callback_id"] == slack_options(settings).shortcut
    assert platform.name == "slack"


async def test_slack_is_asked_for_its_user_groups_where_the_registry_gives_them_roles(tmp_path):
    registry = tmp_path / "hosts.yaml"
    async with Workspace(SlackSettings(scopes=ALL_SCOPES - {"usergroups:read"})) as workspace:
        settings = settings_for(workspace.addresses, tmp_path)
        settings = settings.model_copy(update={"relaunch": RelaunchSettings(registry=registry)})
        registry.write_text("version: 1\naccess: {roles: {oncall: [slack:T0FAKE:U1]}}\n")
        without, sound = _scopes(settings), await examine(settings)
        registry.write_text("version: 1\naccess: {roles: {oncall: [slack:T0FAKE:group:S1]}}\n")
        asked, found = _scopes(settings), await examine(settings)

    assert asked - without == {"usergroups:read"}
    assert sound["slack"] == []
    assert "usergroups:read" in found["slack"][0]


@pytest.mark.parametrize("mode", [IntakeMode.PASSIVE, IntakeMode.MENTION])
async def test_the_scopes_of_the_manifest_are_enough_and_all_are_used(mode, tmp_path):
    async with Workspace(SlackSettings()) as asked:
        wanted = _in_mode(settings_for(asked.addresses, tmp_path / "asked"), mode)
    given = SlackSettings(scopes=_scopes(wanted), events=_events(wanted))
    async with Workspace(given) as workspace:
        settings = _in_mode(settings_for(workspace.addresses, tmp_path / "bot"), mode)
        stage = SlackStage(workspace, lambda _: RealBot.start(settings))
        await stage.open()
        try:
            await stage.mention("", files=[Upload("vllm.log", REFUSED.encode())])
            answer = await stage.next_answer(within_s=60)
            await stage.settled(60)
            refused = [call for call in workspace.api.calls if "missing_scope" in str(vars(call))]
        finally:
            await stage.close()

    assert "VLLM_ATTENTION_BACKEND" in answer.text
    assert refused == []


@pytest.mark.parametrize("mode", MODES)
async def test_discord_is_asked_for_the_intents_that_the_client_uses(mode, tmp_path):
    async with World(DiscordSettings()) as world:
        settings = _in_mode(settings_for(world.addresses, tmp_path), mode)
    told = manifest("discord", settings, "42")

    used = {name for name, is_on in intents_of(discord_options(settings)) if is_on}
    assert set(told["intents"]) == used
    assert ("message_content" in used) is (mode is IntakeMode.PASSIVE)
    assert "client_id=42" in told["invite_url"]
    assert "administrator" not in told["permissions"]


async def test_the_doctor_finds_nothing_wrong_with_a_sound_set_up(tmp_path):
    async with Workspace(SlackSettings()) as workspace, World(DiscordSettings()) as world:
        slack = settings_for(workspace.addresses, tmp_path).slack
        settings = settings_for(world.addresses, tmp_path).model_copy(update={"slack": slack})

        found = await examine(settings)

    assert found == {"store": [], "slack": [], "discord": [], "hosts": None}


async def test_the_doctor_names_missing_scopes_a_bad_token_and_an_intent_that_is_off(tmp_path):
    few = SlackSettings(scopes=frozenset({"chat:write", "commands"}))
    async with Workspace(few) as workspace, World(DiscordSettings(message_content=False)) as world:
        slack = settings_for(workspace.addresses, tmp_path).slack
        settings = settings_for(world.addresses, tmp_path).model_copy(update={"slack": slack})
        found = await examine(settings)
        wrong = settings.discord.model_copy(update={"token": type(settings.discord.token)("not.the.token")})
        refused = await examine(settings.model_copy(update={"discord": wrong}))

    assert "channels:history" in found["slack"][0]
    assert "Message Content Intent" in found["discord"][0]
    assert "discord.token" in refused["discord"][0]


async def test_a_platform_that_refuses_or_cannot_be_reached_stops_neither_the_others_nor_the_end(tmp_path):
    async with Workspace(SlackSettings()) as workspace:
        sound = settings_for(workspace.addresses, tmp_path)
    # nobody listens there any more
    async with World(DiscordSettings()) as world:
        wrong = world.addresses.__class__(**{**vars(world.addresses), "token": "not.the.token"})
        settings = settings_for(wrong, tmp_path).model_copy(update={"slack": sound.slack})
        async with running(settings, Stage()) as bot:
            url = bot.listener.url
            faults = await bot.faults()
            while not any("refused" in fault for fault in faults):
                faults = await bot.faults()
            async with aiohttp.ClientSession() as http, http.get(f"{url}/readyz") as response:
                told = await response.json()
            async with aiohttp.ClientSession() as http, http.get(f"{url}/metrics") as response:
                page = await response.text()

    assert told["platforms"] == {"console": True, "slack": False, "discord": False}
    assert any(fault.startswith("discord refused the bot") for fault in faults)
    assert 'vllm_diagnose_platform_connected{platform="slack"} 0.0' in page


async def test_figures_count_and_hold_nothing_that_was_said(tmp_path):
    async with Workspace(SlackSettings(), mode="http") as workspace:
        stage = SlackStage(workspace, lambda there: RealBot.start(settings_for(there, tmp_path)))
        await stage.open()
        try:
            await stage.say(REFUSED)
            await stage.next_answer(within_s=60)
            await stage.say("lunch?")
            await stage.settled(60)
            address = f"{stage.bot.bot.listener.url}/metrics"
            async with aiohttp.ClientSession() as http, http.get(address) as response:
                page = await response.text()
        finally:
            await stage.close()

    assert 'vllm_diagnose_answers_total{platform="slack",status="diagnosed"} 1.0' in page
    assert 'vllm_diagnose_abstentions_total{platform="slack"} 1.0' in page
    assert not re.search("Qwen|lunch|FLASHINFER|C0", page)
