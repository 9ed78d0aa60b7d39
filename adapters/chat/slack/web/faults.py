"""What the Web API refuses, as the errors that every platform raises. Pure. Not for retrying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from adapters.chat.errors import ChatError, NotAllowedError, RateLimitedError, TooLongError, UnreachableError
from adapters.chat.slack.options import NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

#: what a request raises when Slack is not there or does not speak as Slack does
TROUBLE = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError)

_NO_ANSWER = {"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
_MEMBERSHIP = {
    "not_in_channel",
    "channel_not_found",
    "is_archived",
    "restricted_action",
}
_TOO_LONG = {"msg_too_long", "msg_blocks_too_long"}
_TOKENS = {
    "invalid_auth",
    "not_authed",
    "account_inactive",
    "token_revoked",
    "token_expired",
    "not_allowed_token_type",
    "access_denied",
}
_SECONDS = 30.0
_BLOCKS_LIMIT, _TEXT_LIMIT = 13_200, 4_000


class RefusedError(ChatError):
    """Slack did not do what was asked, for a reason that is not the matter of any permission."""

    def __init__(self, what: str, code: str) -> None:
        super().__init__(NAME, what, "See Slack's page about this method.")
        self.code = code


def code_of(error: Exception) -> str:
    """Return Slack's word for what is wrong; empty when it said none."""
    if not isinstance(error, SlackApiError):
        return ""
    data = getattr(error.response, "data", error.response)
    return str(data.get("error") or "") if isinstance(data, dict) else ""


def chat_error(error: Exception, method: str) -> ChatError:
    """Return the error that says the same to the rest of the bot."""
    code = code_of(error)
    status = getattr(getattr(error, "response", None), "status_code", 200)
    if status == 429 or code in {"ratelimited", "rate_limited"}:
        return RateLimitedError(NAME, _retry_after(getattr(getattr(error, "response", None), "headers", {})))
    if not code or status >= 500 or code in _NO_ANSWER:
        return UnreachableError(NAME, method)
    if code in _TOO_LONG:
        limit = _TEXT_LIMIT if code == "msg_too_long" else _BLOCKS_LIMIT
        return TooLongError(NAME, f"the message ({code})", limit + 1, limit)
    what = f"{method} was refused ({code})"
    permission = _permission(error, code)
    if permission:
        return NotAllowedError(NAME, what, permission)
    return RefusedError(what, code)


def _permission(error: Exception, code: str) -> str:
    """Return what has to be granted; empty when it is something else."""
    if code == "missing_scope":
        return f"{_field(error, 'needed') or 'the missing scope'} and install the app again"
    if code in _TOKENS:
        return "the bot a valid token"
    return "the bot membership: invite it to the channel" if code in _MEMBERSHIP else ""


def _field(error: Exception, name: str) -> str:
    data = getattr(getattr(error, "response", None), "data", None)
    return str(data.get(name) or "") if isinstance(data, dict) else ""


def _retry_after(headers: Mapping[str, str]) -> float:
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(value) if value.isdigit() else _SECONDS
