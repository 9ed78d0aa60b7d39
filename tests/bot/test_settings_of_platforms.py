"""Settings of Slack and Discord: half a platform and a wrong token get one sentence, and no token is repeated."""

import os

import pytest

from bot.settings import BadSettingsError, DiscordSettings, IntakeMode, SlackSettings, read_settings

BOT, APP = "xoxb-11-planted", "xapp-1-planted"


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.upper().startswith("VLLM_DIAGNOSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def _read(monkeypatch, **variables):
    for name, value in variables.items():
        monkeypatch.setenv(f"VLLM_DIAGNOSE_{name}", value)
    return read_settings()


def test_without_tokens_no_platform_is_configured(monkeypatch):
    settings = _read(monkeypatch)

    assert not settings.slack.is_configured
    assert not settings.discord.is_configured


def test_tokens_set_platforms_up_and_are_never_shown(monkeypatch):
    settings = _read(
        monkeypatch, SLACK__BOT_TOKEN=BOT, SLACK__APP_TOKEN=APP, DISCORD__TOKEN="planted.in.here"
    )

    assert settings.slack.is_configured
    assert settings.discord.is_configured
    assert "planted" not in f"{settings!r} {settings} {settings.model_dump_json()}"


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"SLACK__BOT_TOKEN": BOT}, ("slack", "app_token", "socket")),
        ({"SLACK__BOT_TOKEN": BOT, "SLACK__DELIVERY": "http"}, ("slack", "signing_secret", "http")),
        ({"SLACK__APP_TOKEN": APP}, ("slack", "bot_token")),
        ({"SLACK__BOT_TOKEN": APP, "SLACK__APP_TOKEN": APP}, ("slack.bot_token", "xoxb-")),
        ({"SLACK__BOT_TOKEN": BOT, "SLACK__APP_TOKEN": "planted"}, ("slack.app_token", "xapp-")),
        ({"SLACK__SIGNING_SECRET": BOT}, ("slack.signing_secret", "Basic Information")),
        ({"SLACK__MODE": "loud"}, ("slack.mode", "passive", "mention", "shortcut")),
        ({"DISCORD__TOKEN": "Bot planted.in.here"}, ("discord.token", "without the word Bot")),
        ({"DISCORD__TOKEN": "1234567890planted"}, ("discord.token", "dots")),
        ({"DISCORD__CHANNELS": '["general"]'}, ("discord.channels", "'general'")),
        ({"DISCORD__GATEWAY_URL": "https://planted"}, ("discord.gateway_url", "wss://")),
        ({"SLACK__API_URL": "planted"}, ("slack.api_url", "https://")),
    ],
)
def test_a_fault_gets_one_sentence_that_repeats_no_secret(monkeypatch, variables, words):
    with pytest.raises(BadSettingsError) as caught:
        _read(monkeypatch, **variables)

    (fault,) = caught.value.faults
    assert all(word in fault for word in words), fault
    assert "planted" not in fault
    assert "\n" not in fault


@pytest.mark.parametrize(
    ("mode", "channels", "mentions"),
    [("passive", True, True), ("mention", False, True), ("shortcut", False, False)],
)
def test_each_mode_hears_less_than_the_one_before(mode, channels, mentions):
    found = IntakeMode(mode)

    assert (found.hears_channels, found.hears_mentions) == (channels, mentions)
    assert DiscordSettings(mode=found).reads_content is channels
    assert SlackSettings(mode=found).mode is found
