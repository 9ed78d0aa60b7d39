"""What travels through Discord inside its own ids: nonces, marks of replies, buttons, handles. Pure."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Self

from adapters.chat.discord.options import NAME
from adapters.chat.errors import TooLongError

_NONCE_BYTES = 12
_TAG_LENGTH = 12
_OWN = "vllm-diagnose"
_MARK = re.compile(rf"(?:^| · ){_OWN} ([0-9a-f]{{{_TAG_LENGTH}}})(?:\.([0-9]{{1,20}}))?\Z")
#: Discord's limit of a `custom_id`
_CUSTOM_ID_LIMIT = 100
#: `custom_id` of the form
FORM = "vd.form"
#: matches the `custom_id` of every choice of ours
CHOICE = re.compile(r"vdc\.(?P<action>[^.]{1,96})")
#: matches the `custom_id` of every button of ours
BUTTON = re.compile(r"vd(?P<kind>[.?]|!a?[0-9]{1,20}!)(?P<action>[^.]{0,98})\.(?P<value>.*)", re.DOTALL)


def nonce_of(reply_id: str) -> str:
    """Return the nonce under which Discord takes a reply once; 25 characters at most."""
    return hashlib.blake2b(reply_id.encode("utf-8", "replace"), digest_size=_NONCE_BYTES).hexdigest()


@dataclass(frozen=True, slots=True)
class OwnMark:
    """What a reply of ours says about itself in its last line, to be found again in the channel."""

    tag: str
    #: the thread it belongs to, where Discord shows no other sign of it (a command has no message)
    thread: str | None = None

    @classmethod
    def of(cls, reply_id: str, thread: str | None = None) -> Self:
        """Return the mark of a reply."""
        return cls(nonce_of(reply_id)[:_TAG_LENGTH], thread)

    @classmethod
    def read(cls, line: str) -> Self | None:
        """Return the mark in a last line; None when it holds none."""
        found = _MARK.search(line[-120:])
        return cls(found[1], found[2]) if found else None

    def __str__(self) -> str:
        return f"{_OWN} {self.tag}" + (f".{self.thread}" if self.thread else "")


def choice_id(action: str) -> str:
    """Return the `custom_id` of a choice. Raises `TooLongError`."""
    text = f"vdc.{action}"
    if not CHOICE.fullmatch(text):
        raise TooLongError(NAME, f"the id of the choice {action}", len(text), _CUSTOM_ID_LIMIT)
    return text


@dataclass(frozen=True, slots=True)
class ButtonId:
    """A button's `custom_id`, taken apart."""

    action: str
    value: str
    #: it asks first
    asks: bool = False
    #: the message of the card it belongs to, on a button that confirms another one
    card: str | None = None
    #: that card answers a command or form
    is_asked: bool = False

    @classmethod
    def read(cls, custom_id: str) -> Self | None:
        """Return what a `custom_id` says; None for one that is not ours."""
        found = BUTTON.fullmatch(custom_id)
        if not found:
            return None
        kind = found["kind"]
        card = kind[1:-1].removeprefix("a") if kind[0] == "!" else None
        return cls(found["action"], found["value"], kind == "?", card, kind.startswith("!a"))

    def __str__(self) -> str:
        """Return the `custom_id`. Raises `TooLongError`."""
        kind = f"!{'a' if self.is_asked else ''}{self.card}!" if self.card else "?" if self.asks else "."
        text = f"vd{kind}{self.action}.{self.value}"
        if len(text) > _CUSTOM_ID_LIMIT:
            raise TooLongError(NAME, f"the id of the button {self.action}", len(text), _CUSTOM_ID_LIMIT)
        return text


@dataclass(frozen=True, slots=True)
class Handle:
    """What answers an interaction later: its token works for 15 minutes."""

    #: an interaction that was acknowledged as a message to come (not a press of a button)
    is_pending: bool
    interaction: str
    person: str
    token: str

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """Return the handle that `str` wrote."""
        parts = (text or "").split(":", 3)
        if len(parts) != 4 or parts[0] not in {"pending", "pressed"}:
            return None
        return cls(parts[0] == "pending", parts[1], parts[2], parts[3])

    def __str__(self) -> str:
        return f"{'pending' if self.is_pending else 'pressed'}:{self.interaction}:{self.person}:{self.token}"


@dataclass(frozen=True, slots=True)
class PostedId:
    """The id of a reply of ours: where it really stands, and which message it is."""

    channel: str
    message: str
    #: one person saw it, and it cannot be reached any more
    is_private: bool = False
    #: it answers a command or form, so that only its mark tells its thread
    is_asked: bool = False

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return the id that `str` wrote."""
        kind, _, rest = text.rpartition(":")
        channel, _, message = rest.partition("/")
        if kind not in {"", "private", "asked"} or not (channel.isdigit() and message.isdigit()):
            return None
        return cls(channel, message, is_private=kind == "private", is_asked=kind == "asked")

    def __str__(self) -> str:
        kind = "private:" if self.is_private else "asked:" if self.is_asked else ""
        return f"{kind}{self.channel}/{self.message}"
