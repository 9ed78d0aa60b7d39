"""The words in which a scenario is told, so that one scenario plays on Slack, Discord and the console.

A stage is a room with people, a bot under test and a way to see what everybody sees. Slack's and Discord's
stages stand beside their fakes; the console's stands with the console. Nothing here knows a platform.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Upload:
    """A file that somebody drops into the room. `content_type=None`: the platform does not say."""

    name: str
    content: bytes
    content_type: str | None = "text/plain"


@dataclass(frozen=True)
class Seen:
    """One message as the people in the room see it now.

    `text` is everything readable (text, blocks, embeds) with mark-up left in; `raw` is the platform's own
    record. `thread` is the id of the message that the thread hangs on. `private_to` names the only person who
    sees it. `pings` are the names of those who were notified: `everyone`, `here`, a person, a group.
    """

    id: str
    channel: str
    author: str
    text: str
    thread: str | None = None
    private_to: str | None = None
    by_the_bot: bool = False
    buttons: tuple[str, ...] = ()
    #: what can be chosen in it
    options: tuple[str, ...] = ()
    files: tuple[Upload, ...] = ()
    pings: frozenset[str] = frozenset()
    edits: int = 0
    raw: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class Form:
    """A form that the bot opened for a person. `fields` are the labels in order."""

    id: str
    title: str
    person: str
    channel: str
    fields: tuple[str, ...]


class RunningBot(Protocol):
    """The bot under test, in this process or in another one."""

    #: where Slack's signed requests go; None where the bot dials out
    events_url: str | None

    async def stop(self) -> None:
        """End it in good order, as SIGTERM does."""

    async def kill(self) -> None:
        """End it as kill -9 does: nothing is finished, nothing is said."""

    async def idle(self) -> None:
        """Return when nothing that was heard waits for an answer."""


#: starts a bot against the stage's servers; the argument is the stage's own record of addresses and tokens
StartBot = Callable[[object], Awaitable[RunningBot]]


class Stage(Protocol):
    """A room on some platform. Unless named, the person is `ann` and the channel is `general`."""

    #: slack-socket, slack-http, discord, console
    name: str

    async def say(
        self,
        text: str,
        *,
        person: str = "ann",
        channel: str = "general",
        thread: Seen | None = None,
        files: Sequence[Upload] = (),
    ) -> Seen:
        """Post a message; a text that the client would turn into a file becomes one."""

    async def mention(
        self,
        text: str,
        *,
        person: str = "ann",
        channel: str = "general",
        thread: Seen | None = None,
        files: Sequence[Upload] = (),
    ) -> Seen:
        """The same, speaking to the bot."""

    async def command(
        self,
        text: str = "",
        *,
        person: str = "ann",
        channel: str = "general",
        file: Upload | None = None,
    ) -> None:
        """`/vllm-diagnose`; a file only where the platform's commands take one."""

    async def open_form(self, *, person: str = "ann", channel: str = "general") -> Form:
        """The command without anything; returns the form that the bot opened."""

    async def submit_form(self, form: Form, values: Mapping[str, str | Upload]) -> None:
        """Fill in fields by label and send; fields not named stay empty."""

    async def press(self, message: Seen, label: str, *, person: str = "ann") -> None:
        """Press a button of a message."""

    async def choose(self, message: Seen, label: str, *, person: str = "ann") -> None:
        """Choose one of the options of a message."""

    async def edit(self, message: Seen, text: str) -> Seen:
        """Its author changes a message."""

    async def delete(self, message: Seen) -> None:
        """Its author deletes a message."""

    async def deliver_again(self, message: Seen) -> None:
        """The platform delivers the same message once more."""

    async def bot_says(self, text: str, *, bot: str = "alertmanager", channel: str = "general") -> Seen:
        """Another bot posts."""

    def answers(self, channel: str = "general") -> list[Seen]:
        """Everything the bot under test shows in the channel, its threads and in private, oldest first."""

    async def next_answer(self, after: int = 0, *, channel: str = "general", within_s: float = 5.0) -> Seen:
        """Wait until the channel shows more than `after` answers; returns the first of the new ones."""

    async def changed(self, answer: Seen, *, within_s: float = 5.0) -> Seen:
        """Wait until an answer was edited since it was seen."""

    async def settled(self, within_s: float = 5.0) -> None:
        """Return when every delivery is acknowledged and the bot says it is idle: silence is now proof."""

    async def restart(self, *, kill: bool = False) -> None:
        """Stop or kill the bot and start it again on the same store."""
