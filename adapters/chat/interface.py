"""What every chat platform does for us: hand over messages and clicks, carry replies. Not for what is said.

This is the one module of `adapters.chat` that the bot imports; card records and errors are found here too.

How a message gets exactly one reply, whatever breaks between the two:

1. the platform delivers an event to the `Inbox`, which returns once the event is safely kept; only then may
   the platform acknowledge it. An event that carries a delivery key seen before is the same event;
2. a reply has an id that is decided before it is posted. `post` hands it to the platform (as metadata,
   a nonce, a key), and `find_reply` looks it up there, so that after a crash a reply already out is found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from adapters.chat.capabilities import Capabilities
from adapters.chat.card import (
    Attachment,
    Bullets,
    Button,
    ButtonStyle,
    Card,
    Choice,
    Code,
    CodeKind,
    Field,
    Fields,
    Link,
    Links,
    Option,
    Paragraph,
    Part,
    Section,
    Subheading,
    Tone,
)
from adapters.chat.card_json import card_from_json, card_to_json
from adapters.chat.errors import (
    CannotTellError,
    ChatError,
    FileGoneError,
    FileTooLargeError,
    NotAllowedError,
    RateLimitedError,
    TooLongError,
    UnreachableError,
)
from adapters.chat.kinds import Mark, Trigger, Visibility

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

__all__ = [
    "Attachment",
    "Bullets",
    "Button",
    "ButtonStyle",
    "CannotTellError",
    "Capabilities",
    "Card",
    "ChatError",
    "ChatPlatform",
    "Choice",
    "Click",
    "Code",
    "CodeKind",
    "Field",
    "Fields",
    "File",
    "FileGoneError",
    "FileTooLargeError",
    "Inbox",
    "IncomingMessage",
    "Link",
    "Links",
    "Mark",
    "MessageRef",
    "NotAllowedError",
    "Option",
    "Paragraph",
    "Part",
    "Person",
    "Place",
    "RateLimitedError",
    "Reply",
    "Section",
    "Subheading",
    "Tone",
    "TooLongError",
    "Trigger",
    "UnreachableError",
    "Visibility",
    "card_from_json",
    "card_to_json",
]

_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a platform."""

    id: str
    name: str
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands or a reply goes."""

    platform: str
    #: workspace or guild; other ids are only unique inside it
    team: str
    channel: str
    #: id of the message that heads the thread; None: the channel itself
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class MessageRef:
    """One message on a platform."""

    place: Place
    id: str


@dataclass(frozen=True, slots=True)
class File:
    """A file that came with a message, not yet read."""

    id: str
    name: str
    #: None when the platform does not say
    size_bytes: int | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """What somebody sent, as plain text: the platform's own escapes are already taken off."""

    ref: MessageRef
    author: Person
    text: str
    trigger: Trigger
    sent_at: datetime
    #: every name under which this event may be delivered again (event id, channel and time, file id)
    delivery_keys: tuple[str, ...]
    files: tuple[File, ...] = ()
    #: what was filled into the named fields of a form
    fields: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: the author's language as the platform tells it (`zh-CN`); None: that of the text
    language: str | None = None
    #: secrets that were taken out of the text before it got here
    masked: int = 0
    #: what the platform needs to answer this very request in private or without a thread; opaque, short-lived
    handle: str | None = None
    #: ids of the groups or roles that the platform says the author is in, where it says so with the request
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Click:
    """Somebody pressed a button of one of our cards, or chose something there: `value` is what."""

    message: MessageRef
    person: Person
    action: str
    value: str
    clicked_at: datetime
    delivery_keys: tuple[str, ...]
    handle: str | None = None
    #: ids of the groups or roles that the platform says the person is in, where it says so with the press
    groups: tuple[str, ...] = ()
    #: their language as the platform tells it; None: unknown
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What we say."""

    #: decided before posting; a place never shows two replies with one id
    id: str
    card: Card
    visibility: Visibility = Visibility.PUBLIC
    #: id of the person who sees a private reply
    recipient: str | None = None
    #: `handle` of the message or click that is answered, where there was one
    handle: str | None = None


class Inbox(Protocol):
    """Where a platform hands over what happened."""

    async def accept(self, event: IncomingMessage | Click) -> bool:
        """Keep the event and return; after this the platform may acknowledge it.

        Returns False when an event with one of its `delivery_keys` is already kept.
        """


class ChatPlatform(Protocol):
    """One connection to a chat platform."""

    @property
    def name(self) -> str:
        """Return the name that `Place.platform` holds."""

    @property
    def capabilities(self) -> Capabilities:
        """Return what can be shown."""

    async def run(self, inbox: Inbox) -> None:
        """Deliver events until cancelled; reconnects by itself, and closes everything before it returns.

        Raises `NotAllowedError` when the platform refuses for good.
        """

    async def post(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply. Raises `ChatError`; after `UnreachableError` the reply may be out."""

    async def open_thread(self, channel: str, reply: Reply, *, may_be_out: bool) -> MessageRef:
        """Show a reply that answers nothing and heads a thread; returns it as a message that heads one.

        `may_be_out` says that it was tried before: where the channel shows it already, that one is returned.
        Where nothing may be read it may be shown twice. Raises `ChatError`.
        """

    async def find_reply(self, place: Place, reply_id: str) -> MessageRef | None:
        """Return our reply with this id if the place shows it.

        Raises `CannotTellError` where nothing may be read, or another `ChatError`.
        """

    async def edit(self, ref: MessageRef, reply: Reply) -> None:
        """Show another card in place of one of ours. Raises `ChatError`."""

    async def mark(self, ref: MessageRef, mark: Mark) -> None:
        """Put the sign beside a message, in place of an earlier one; nothing where there are no signs."""

    async def fetch(self, file: File, into: Path, limit_bytes: int) -> None:
        """Write the bytes of a file. Raises `FileGoneError`, `FileTooLargeError` or another `ChatError`."""

    async def groups_of(
        self, team: str, person_id: str, among: frozenset[str], age_s: float
    ) -> frozenset[str]:
        """Return which of these groups or roles somebody is in; what was heard within `age_s` seconds will do.

        Raises `ChatError`: then nothing is known of any of them.
        """

    async def done_with(self, file: File) -> None:
        """Hear that a file is not needed any more; whoever keeps a copy of it removes it."""
