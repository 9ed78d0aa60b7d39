"""The app's manifest, as Slack takes it: the least rights for what is listened to. Pure. Not for installing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.chat.slack.options import Delivery, SlackOptions

if TYPE_CHECKING:
    from adapters.chat.slack.options import Hearing

#: answering commands, forms and shortcuts, reading what is attached, attaching long parts
_ALWAYS = ("chat:write", "commands", "files:read", "files:write")
_MENTIONS = ("app_mentions:read", "im:history")
#: reading channels also finds a reply that is out although the bot was killed before it could note it
_CHANNELS = ("channels:history", "groups:history", "mpim:history")
#: asking who is in a user group that the registry gives a role
_GROUPS = ("usergroups:read",)


def scopes_for(hearing: Hearing, *, asks_groups: bool = False) -> tuple[str, ...]:
    """Return the scopes of the bot token."""
    mentions = _MENTIONS if hearing.mentions else ()
    channels = _CHANNELS if hearing.unasked else ()
    return tuple(sorted((*_ALWAYS, *mentions, *channels, *(_GROUPS if asks_groups else ()))))


def events_for(hearing: Hearing) -> tuple[str, ...]:
    """Return the events to subscribe to; each of them is heard."""
    mentions = ("app_mention", "message.im") if hearing.mentions else ()
    channels = ("message.channels", "message.groups", "message.mpim") if hearing.unasked else ()
    return tuple(sorted((*mentions, *channels)))


def manifest_for(options: SlackOptions, base_url: str = "https://triage.example.org") -> dict[str, Any]:
    """Return the manifest. `base_url` is where Slack reaches the bot; it only counts for delivery over HTTP."""
    is_socket = options.delivery is Delivery.SOCKET
    url = {} if is_socket else {"url": f"{base_url.rstrip('/')}{options.events_path}"}
    request = {} if is_socket else {"request_url": f"{base_url.rstrip('/')}{options.events_path}"}
    events = list(events_for(options.hearing))
    scopes = list(scopes_for(options.hearing, asks_groups=bool(options.groups)))
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": "vLLM Triage",
            "description": "Names the cause of a pasted vLLM failure and the fix for your release",
        },
        "features": {
            "bot_user": {"display_name": "vllm-triage", "always_online": True},
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "slash_commands": [
                {
                    "command": options.command,
                    "description": "Diagnose a vLLM failure",
                    "usage_hint": "[a log, or nothing for a form]",
                    "should_escape": False,
                    **url,
                }
            ],
            "shortcuts": [
                {
                    "name": "Diagnose this",
                    "type": "message",
                    "callback_id": options.shortcut,
                    "description": "Diagnose this message and its files",
                }
            ],
        },
        "oauth_config": {"scopes": {"bot": scopes}},
        "settings": {
            **({"event_subscriptions": {"bot_events": events, **request}} if events else {}),
            "interactivity": {"is_enabled": True, **request},
            "org_deploy_enabled": False,
            "socket_mode_enabled": is_socket,
            "token_rotation_enabled": False,
        },
    }
