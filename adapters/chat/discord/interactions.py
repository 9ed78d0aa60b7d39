"""Commands, menu, form and buttons: acknowledged within Discord's three seconds, then kept. Not for answers.

An event is kept before it is acknowledged, unless keeping it takes too long; then Discord hears first. All
processes of one bot hear of each interaction: only the one that kept it acknowledges it.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import discord
import structlog
from discord import app_commands

from adapters.chat.discord.filled import filled_in
from adapters.chat.discord.ids import BUTTON, CHOICE, FORM, ButtonId
from adapters.chat.discord.inbound import (
    click_of,
    loose_file,
    place_of,
    pointed_at,
    posted_id,
    request_of,
)
from adapters.chat.discord.refusals import ALREADY_ACKNOWLEDGED, NOT_THERE, UNKNOWN_INTERACTION
from adapters.chat.interface import ButtonStyle, Trigger

if TYPE_CHECKING:
    import re
    from collections.abc import Awaitable, Callable, Coroutine, Iterator

    from adapters.chat.discord.acknowledging import Acknowledging
    from adapters.chat.discord.inbound import Threads
    from adapters.chat.discord.options import DiscordOptions, Form, Words
    from adapters.chat.interface import Click, File, Inbox, IncomingMessage

    Asked = discord.Interaction[Any]

_TEXT, _FILE = "text", "file"
#: Discord's limit of a text field
_TEXT_LIMIT = 4_000
_FORM_FILES = 5
_STYLES = {
    ButtonStyle.QUIET: discord.ButtonStyle.secondary,
    ButtonStyle.PRIMARY: discord.ButtonStyle.primary,
    ButtonStyle.DANGER: discord.ButtonStyle.danger,
}

_log = structlog.get_logger(__name__)


class CardButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=BUTTON):
    """A button of a card. It carries all it needs in its id, so it works in any process, at any time."""

    def __init__(self, custom_id: str, label: str, style: ButtonStyle = ButtonStyle.QUIET) -> None:
        super().__init__(discord.ui.Button(label=label, style=_STYLES[style], custom_id=custom_id))

    @classmethod
    async def from_custom_id(
        cls, interaction: Asked, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> CardButton:
        """Return the button that was pressed."""
        del interaction
        return cls(match[0], getattr(item, "label", None) or match["action"])

    async def callback(self, interaction: Asked) -> None:
        """Pass the press on."""
        button = ButtonId.read(self.custom_id)
        if button is not None:
            await interaction.client.ears.pressed(interaction, button)


class CardChoice(discord.ui.DynamicItem[discord.ui.Select[Any]], template=CHOICE):
    """A choice of a card. What is chosen is pressed, as a button would be."""

    def __init__(self, custom_id: str, label: str, options: tuple[tuple[str, str], ...]) -> None:
        shown = [discord.SelectOption(label=text, value=value) for value, text in options]
        super().__init__(discord.ui.Select(custom_id=custom_id, placeholder=label or None, options=shown))

    @classmethod
    async def from_custom_id(
        cls, interaction: Asked, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> CardChoice:
        """Return the choice that was made."""
        del interaction, item
        return cls(match[0], "", ())

    async def callback(self, interaction: Asked) -> None:
        """Pass on what was chosen."""
        found, values = CHOICE.fullmatch(self.custom_id), self.item.values
        if found is not None and values:
            await interaction.client.ears.pressed(interaction, ButtonId(found["action"], values[0]))


class Interactions:
    """Hears what people ask for by Discord's own controls."""

    def __init__(
        self,
        options: DiscordOptions,
        inbox: Inbox,
        threads: Threads,
        begin: Callable[[Coroutine[Any, Any, None]], None],
        acknowledging: Acknowledging,
    ) -> None:
        """`begin` runs something until it is done or everything ends; the library's own tasks outlive it."""
        self._options = options
        self._inbox = inbox
        self._threads = threads
        self._begin = begin
        self._acknowledging = acknowledging

    def command(self, interaction: Asked, text: str | None, log: discord.Attachment | None) -> None:
        """Keep what was asked by the command; without anything, open the form."""
        if not (text or "").strip() and log is None:
            self._begin(self._open(interaction))
            return
        files = (loose_file(log),) if log is not None else ()
        self._ask(interaction, request_of(interaction, Trigger.COMMAND, text or "", files))

    def menu(self, interaction: Asked, message: discord.Message) -> None:
        """Keep that somebody pointed at a message."""
        self._ask(interaction, pointed_at(interaction, message, self._threads, interaction.application_id))

    def form(self, interaction: Asked) -> None:
        """Keep what was filled into the form."""
        data: Any = interaction.data or {}
        if data.get("custom_id") != FORM:
            return
        texts, file_ids = filled_in(data)
        text = texts.pop(_TEXT, "")
        fields = {name: value.strip() for name, value in texts.items() if value.strip()}
        files = _files(interaction, data, file_ids)
        self._ask(interaction, request_of(interaction, Trigger.FORM, text, files, fields))

    def press(self, interaction: Asked, button: ButtonId) -> None:
        """Keep that a button was pressed; one that wants to be confirmed asks first."""
        if button.asks:
            self._begin(self._confirm(interaction, button))
            return
        click = click_of(interaction, button, self._threads, self._options.clock())

        async def acknowledge() -> None:
            if button.card is None:
                await interaction.response.defer()
            else:
                await interaction.response.edit_message(content=self._options.words.confirmed, view=None)

        self._begin(self._keep(interaction, click, acknowledge))

    async def _open(self, interaction: Asked) -> None:
        with _late():
            await interaction.response.send_modal(form_of(self._options.words.form))

    async def _confirm(self, interaction: Asked, button: ButtonId) -> None:
        card = interaction.message
        if card is None:
            return
        posted = posted_id(card)
        head = place_of(card, self._threads, interaction.application_id).thread
        self._threads.note(posted.message, head or posted.message)
        confirmed = ButtonId(button.action, button.value, card=posted.message, is_asked=posted.is_asked)
        view = discord.ui.View(timeout=None)
        label = _label(card, str(button)) or button.action
        view.add_item(CardButton(str(confirmed), label, ButtonStyle.DANGER))
        with _late():
            await interaction.response.send_message(self._options.words.confirm, view=view, ephemeral=True)

    def _ask(self, interaction: Asked, event: IncomingMessage) -> None:
        async def acknowledge() -> None:
            await interaction.response.defer(ephemeral=True, thinking=True)

        self._begin(self._keep(interaction, event, acknowledge))

    async def _keep(
        self, interaction: Asked, event: IncomingMessage | Click, acknowledge: Callable[[], Awaitable[None]]
    ) -> None:
        keeping = asyncio.ensure_future(self._inbox.accept(event))
        try:
            with self._acknowledging.of(str(interaction.id)):
                await asyncio.wait({keeping}, timeout=self._options.timing.keeping_s)
                is_late = not keeping.done()
                if is_late or (keeping.exception() is None and keeping.result()):
                    with _late():
                        await acknowledge()
            await keeping
        except asyncio.CancelledError:
            keeping.cancel()
            raise
        except Exception as error:  # noqa: BLE001 (outermost loop: whoever asked must hear of it)
            _log.warning("not-kept", interaction=interaction.id, error=repr(error))
            await self._regret(interaction)

    async def _regret(self, interaction: Asked) -> None:
        words = self._options.words.try_again
        with _late():
            if interaction.response.is_done():
                await interaction.followup.send(words, ephemeral=True)
            else:
                await interaction.response.send_message(words, ephemeral=True)


@contextmanager
def _late() -> Iterator[None]:
    """Let an acknowledgement fail that comes too late, second, or not through: the event is kept anyway."""
    try:
        yield
    except discord.HTTPException as error:
        known = error.code in {ALREADY_ACKNOWLEDGED, UNKNOWN_INTERACTION}
        (_log.info if known else _log.warning)("not-acknowledged", code=error.code, status=error.status)
    except discord.InteractionResponded:
        _log.info("not-acknowledged", code=ALREADY_ACKNOWLEDGED)
    except NOT_THERE as error:
        _log.warning("not-acknowledged", error=repr(error))


def form_of(form: Form) -> discord.ui.Modal:
    """Return the form behind the command."""
    modal = discord.ui.Modal(title=form.title, custom_id=FORM, timeout=None)
    text = discord.ui.TextInput[discord.ui.Modal](
        style=discord.TextStyle.paragraph, custom_id=_TEXT, required=False, max_length=_TEXT_LIMIT
    )
    modal.add_item(discord.ui.Label(text=form.text_label, description=form.text_hint or None, component=text))
    upload = discord.ui.FileUpload[discord.ui.Modal](
        custom_id=_FILE, required=False, min_values=0, max_values=_FORM_FILES
    )
    modal.add_item(discord.ui.Label(text=form.file_label, component=upload))
    for field in form.fields:
        line = discord.ui.TextInput[discord.ui.Modal](
            custom_id=field.name, required=False, max_length=field.limit
        )
        modal.add_item(discord.ui.Label(text=field.label, description=field.hint or None, component=line))
    return modal


def _files(interaction: Asked, data: Any, file_ids: list[str]) -> list[File]:  # noqa: ANN401 (a wire payload)
    known = (data.get("resolved") or {}).get("attachments") or {}
    state = interaction._state  # noqa: SLF001 (the library makes attachments in no other way)
    return [
        loose_file(discord.Attachment(data=known[file_id], state=state))
        for file_id in file_ids
        if file_id in known
    ]


def _label(message: discord.Message, custom_id: str) -> str | None:
    """Return what stands on a button."""
    for row in message.components:
        for one in getattr(row, "children", ()):
            if isinstance(one, discord.Button) and one.custom_id == custom_id:
                return one.label
    return None


def tree_of(client: discord.Client, words: Words, heard: Callable[[], Interactions | None]) -> Any:  # noqa: ANN401
    """Return the commands of the bot; `heard` returns who hears of them now."""
    tree: app_commands.CommandTree[Any] = app_commands.CommandTree(client)

    @app_commands.rename(text=words.text_option, log=words.file_option)
    @app_commands.describe(text=words.text_about, log=words.file_about)
    async def command(
        interaction: discord.Interaction[Any], text: str | None = None, log: discord.Attachment | None = None
    ) -> None:
        if hearing := heard():
            hearing.command(interaction, text, log)

    async def menu(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        if hearing := heard():
            hearing.menu(interaction, message)

    tree.add_command(app_commands.Command(name=words.command, description=words.about, callback=command))
    tree.add_command(app_commands.ContextMenu(name=words.menu, callback=menu))
    return tree
