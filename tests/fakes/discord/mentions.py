"""Would this message ping anybody? `allowed_mentions` as Discord reads it.

Mentions inside code count here, though clients hide some of them: a bot must not rely on that.
"""

import re
from collections.abc import Iterator

from tests.fakes.discord.records import Payload

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYTHING = {"users", "roles", "everyone"}


def pings(body: Payload, *, through_webhook: bool, replied_to: str | None = None) -> set[str]:
    """`everyone`, `here`, and ids of users and roles that are notified.

    Without `allowed_mentions` an ordinary message pings all it names, an interaction's answer only users.
    """
    allowed = body.get("allowed_mentions")
    if allowed is None:
        parse = {"users"} if through_webhook else _EVERYTHING
        users, roles, replied = set(), set(), not through_webhook
    else:
        parse = set(allowed.get("parse") or [])
        users, roles = (
            {str(one) for one in allowed.get("users") or []},
            {str(one) for one in allowed.get("roles") or []},
        )
        replied = bool(allowed.get("replied_user"))
    found = set()
    for text in _texts(body):
        if "everyone" in parse:
            found |= {word for word in ("everyone", "here") if f"@{word}" in text}
        found |= {one for one in _USER.findall(text) if "users" in parse or one in users}
        found |= {one for one in _ROLE.findall(text) if "roles" in parse or one in roles}
    if replied_to and replied:
        found.add(replied_to)
    return found


def named_users(text: str) -> list[str]:
    """The ids of users that a text mentions, in order, once each."""
    return list(dict.fromkeys(_USER.findall(text)))


def _texts(body: Payload) -> Iterator[str]:
    """Embeds never ping; content and the text parts of Components V2 do."""
    yield body.get("content") or ""
    yield from _component_texts(body.get("components") or [])


def _component_texts(components: list[Payload]) -> Iterator[str]:
    for one in components:
        if one["type"] == 10:
            yield one.get("content") or ""
        yield from _component_texts(one.get("components") or [])
