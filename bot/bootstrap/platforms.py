"""How the chat platforms are set up: options from settings, manifests, and what is wrong with them. Not for running."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bot.access.actor import Surface
from bot.access.groups import groups_at
from bot.audit.keys import JournalKeyError, read_keys
from bot.clock import system_clock
from bot.hosts.checking import faults_of
from bot.hosts.reading import BadRegistryError, read_registry
from bot.store.database import Database, open_database
from bot.store.interface import StoreError
from bot.store.notes import SqlNotes
from bot.store.relaunches.kill_switch import state_of

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.slack.options import SlackOptions
    from bot.relaunch.acts.switching import SwitchedOff
    from bot.settings import Settings

#: stands in for the page's address in a manifest
_EXAMPLE_URL = "https://triage.example.org"


def slack_options(settings: Settings, groups: frozenset[str] = frozenset()) -> SlackOptions:
    """Return how Slack is configured; `groups` are the user groups that give their members roles."""
    # Its libraries are slow to import, and most bots speak to one platform.
    from adapters.chat.slack.options import Delivery, Hearing, SlackOptions  # noqa: PLC0415

    chosen = settings.slack
    return SlackOptions(
        bot_token=chosen.bot_token.get_secret_value(),
        app_token=chosen.app_token.get_secret_value(),
        signing_secret=chosen.signing_secret.get_secret_value(),
        delivery=Delivery(chosen.delivery.value),
        api_url=chosen.api_url,
        hearing=Hearing(
            unasked=chosen.mode.hears_channels,
            mentions=chosen.mode.hears_mentions,
            in_shared_channels=chosen.shared_channels,
            channels=frozenset(chosen.channels),
        ),
        groups=groups,
        pages_url=settings.console.public_url,
    )


def discord_options(settings: Settings, database: Database | None = None) -> DiscordOptions:
    """Return how Discord is configured."""
    from adapters.chat.discord.options import DiscordOptions, Mode  # noqa: PLC0415 (as above)

    chosen = settings.discord
    return DiscordOptions(
        token=chosen.token.get_secret_value(),
        clock=system_clock,
        notebook=SqlNotes(database, "discord") if database is not None else None,
        mode=Mode(chosen.mode.value),
        reads_content=chosen.reads_content,
        sharded=chosen.sharded,
        api_url=chosen.api_url.rstrip("/"),
        gateway_url=chosen.gateway_url,
        pages_url=settings.console.public_url,
    )


def manifest(platform: str, settings: Settings, application: str = "") -> dict[str, Any]:
    """Return what is pasted into a platform (`slack` or `discord`) so that it fits the settings."""
    if platform == "slack":
        from adapters.chat.slack.setup.manifest import manifest_for  # noqa: PLC0415 (as above)

        return manifest_for(
            slack_options(settings, _slack_groups(settings)), settings.console.public_url or _EXAMPLE_URL
        )
    from adapters.chat.discord.setup.invitation import invitation_for  # noqa: PLC0415 (as above)

    return invitation_for(discord_options(settings), application)


async def examine(settings: Settings) -> dict[str, list[str] | None]:
    """Return for store, platforms and hosts what is wrong, one sentence each; None for what is not set up."""
    found: dict[str, list[str] | None] = {"store": [], "slack": None, "discord": None, "hosts": None}
    off: SwitchedOff | None = None
    try:
        database = await open_database(settings.store_url)
        try:
            off = await state_of(database)
        finally:
            await database.close()
    except StoreError as error:
        found["store"] = [str(error)]
    if settings.slack.is_configured:
        from adapters.chat.slack.setup import examination as slack  # noqa: PLC0415 (as above)

        options = slack_options(settings, _slack_groups(settings))
        found["slack"] = [str(fault) for fault in await slack.examine(options)]
    if settings.discord.is_configured:
        from adapters.chat.discord.setup import examination as discord  # noqa: PLC0415 (as above)

        found["discord"] = [str(fault) for fault in await discord.examine(discord_options(settings))]
    if settings.relaunch.registry is not None:
        found["hosts"] = [
            *await _examine_hosts(settings, settings.relaunch.registry),
            *_switched_off(settings, off),
        ]
    return found


def _slack_groups(settings: Settings) -> frozenset[str]:
    """Return the ids of Slack's groups in the registry; none where it cannot be read, which `doctor` says by itself."""
    if settings.relaunch.registry is None:
        return frozenset()
    try:
        policy = read_registry(settings.relaunch.registry).policy
    except BadRegistryError:
        return frozenset()
    return groups_at(Surface.SLACK, policy.members_of(frozenset(policy.members)))


def _switched_off(settings: Settings, off: SwitchedOff | None) -> list[str]:
    """Return what keeps all hosts from being relaunched, one sentence each."""
    told = [f"{off} `vllm-diagnose relaunch switch on` lifts that."] if off is not None else []
    if not settings.relaunch.enabled:
        told.append(
            "relaunch.enabled is false: nothing is relaunched. Set it to true and start the bot again."
        )
    return told


async def _examine_hosts(settings: Settings, file: Path) -> list[str]:
    """Return what is wrong with registry and journal's key; connects to no host."""
    try:
        read_keys(settings.journal_key_file, os.environ)
        registry = read_registry(file)
    except JournalKeyError as error:
        return [str(error)]
    except BadRegistryError as error:
        return list(error.faults)
    today = system_clock().date()
    return [
        f"{host.name}: {fault}" for host in registry.hosts for fault in await faults_of(host, registry, today)
    ]
