"""What the Discord adapter is given by whoever runs it. Not for reading settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from adapters.chat.form_field import LAUNCH_FIELDS, FormField

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

NAME = "discord"
#: where Discord keeps attachments
_CDN = ("https://cdn.discordapp.com", "https://media.discordapp.net")


class Mode(StrEnum):
    """What the bot listens to."""

    #: everything that is said where it can read
    PASSIVE = "passive"
    #: only what is said to it; needs no privileged intent
    MENTION = "mention"
    #: only commands and menus; it sees no messages
    SHORTCUT = "shortcut"


class Notebook(Protocol):
    """A few words that outlive the process, shared by all processes of one bot."""

    async def read(self, key: str) -> str | None:
        """Return what was written last under a key."""

    async def write(self, key: str, value: str) -> None:
        """Keep a value under a key, in place of an earlier one."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form behind the command without anything. Title and labels: 45 characters, hints: 100."""

    title: str = "Diagnose a failure"
    text_label: str = "Log or traceback"
    text_hint: str = "Up to 4,000 characters fit in here. Attach longer logs as a file."
    file_label: str = "Log file"
    fields: tuple[FormField, ...] = LAUNCH_FIELDS


@dataclass(frozen=True, slots=True)
class Words:
    """Names of commands and the few sentences that Discord's own screens need."""

    #: lower case, 32 characters at most
    command: str = "vllm-diagnose"
    about: str = "Diagnose a vLLM traceback or log; without anything a form opens"
    text_option: str = "text"
    text_about: str = "The traceback or the lines around it"
    file_option: str = "log"
    file_about: str = "A log file, for what is too long to paste"
    #: entry of a message's context menu
    menu: str = "Diagnose with vLLM Triage"
    form: Form = field(default_factory=Form)
    #: asked before a button that wants to be confirmed does anything
    confirm: str = "Are you sure?"
    #: said once it did
    confirmed: str = "Done."
    #: said when an event could not be kept
    try_again: str = "That did not arrive. Try again in a minute."


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds. Tests shorten them; Discord's own limit for an acknowledgement is 3 s."""

    #: how long keeping an event may hold back its acknowledgement
    keeping_s: float = 1.5
    #: without a new guild after which the client counts as ready
    ready_s: float = 2.0
    #: between two sessions that start; Discord demands five
    identify_s: float = 5.0
    #: how long a reply waits for the connection
    connection_s: float = 30.0
    #: of all goodbyes together
    closing_s: float = 3.0
    #: before the first new attempt to reach Discord; doubles up to the second
    retry_s: float = 1.0
    retry_most_s: float = 60.0
    #: how long a channel that refused a message is left alone
    refusal_s: float = 300.0
    #: of one read from an attachment
    file_s: float = 30.0


@dataclass(frozen=True, slots=True)
class CatchingUp:
    """What is read again after a gap."""

    #: nothing older
    window: timedelta = timedelta(hours=1)
    #: read again before the last time that all was heard: events of one moment may arrive in any order
    overlap: timedelta = timedelta(minutes=2)
    #: messages of one channel
    limit: int = 200
    #: between two notes that all was heard so far
    note_every: timedelta = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class DiscordOptions:
    """Everything the adapter needs to know."""

    token: str = field(repr=False)
    clock: Callable[[], datetime]
    #: None: nothing is caught up on after a restart, and commands are registered at each start
    notebook: Notebook | None = None
    mode: Mode = Mode.PASSIVE
    #: ask for the privileged intent; without it only what is said to the bot has a content
    reads_content: bool = True
    direct_messages: bool = True
    #: one connection for each group of guilds; Discord demands it from 2,500 guilds on
    sharded: bool = False
    #: Discord's REST address, without a last slash; None: its own
    api_url: str | None = None
    #: Discord's gateway; None: its own
    gateway_url: str | None = None
    #: register commands in this guild alone, where changes are seen at once; None: everywhere
    command_guild: int | None = None
    #: address of the bot's own pages, for links that name no host; None: such links are left out
    pages_url: str | None = None
    words: Words = field(default_factory=Words)
    timing: Timing = field(default_factory=Timing)
    catching_up: CatchingUp = field(default_factory=CatchingUp)

    def is_attachment(self, url: str) -> bool:
        """Tell whether an address is one of Discord's for attachments."""
        there = urlsplit(url)
        bases = (*_CDN, self.api_url) if self.api_url else _CDN
        return any((there.scheme, there.netloc) == urlsplit(base)[:2] for base in bases)
