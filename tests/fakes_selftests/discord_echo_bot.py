"""A tiny bot on the real discord.py that tests the fake: it repeats, opens a form, answers clicks."""

import asyncio

import yarl

from tests.fakes.discord.records import DiscordAddresses
from tests.fakes.watch import Watch
from tests.fakes_selftests.quiet_imports import discord

app_commands = discord.app_commands


def point_to(addresses: DiscordAddresses) -> None:
    """discord.py has no setting for its servers; these two names are what it reads."""
    discord.http.Route.BASE = addresses.api_url
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(addresses.gateway_url)


class Paste(discord.ui.Modal, title="Diagnose"):
    log = discord.ui.Label(
        text="Log", component=discord.ui.TextInput(style=discord.TextStyle.long, custom_id="log")
    )
    file = discord.ui.Label(text="File", component=discord.ui.FileUpload(custom_id="file", required=False))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        files = [await one.read() for one in self.file.component.values]
        text = b"".join(files).decode()
        await interaction.response.send_message(f"form: {self.log.component.value}{text}", ephemeral=True)


class Again(discord.ui.View):
    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Again", custom_id="again")
    async def again(self, interaction: discord.Interaction, _button: discord.ui.Button) -> None:
        await interaction.response.edit_message(content=f"again, {interaction.user.name}", view=None)


class Client(discord.Client):
    """`heard` holds every message event, also repeated ones."""

    def __init__(self, intents: discord.Intents, **options) -> None:
        super().__init__(intents=intents, guild_ready_timeout=0.01, **options)
        self.heard: list[discord.Message] = []
        self.edited: list[discord.RawMessageUpdateEvent] = []
        self.errors: list[BaseException] = []
        self.watch = Watch(lambda: f"{len(self.heard)} messages, {len(self.edited)} edits, {self.errors}")
        self.in_thread = False
        self.tree = app_commands.CommandTree(self)
        self._commands()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool) -> None:
        """The library waits five seconds between two IDENTIFYs; the fake needs no such care."""

    async def setup_hook(self) -> None:
        self.add_view(Again())
        await self.tree.sync()

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append(message)
        if message.author == self.user:
            return
        text = message.content
        for attachment in message.attachments:
            text += (await attachment.read()).decode()
        if self.in_thread:
            thread = await message.create_thread(name="Diagnosis")
            await thread.send(f"echo: {text}"[:2_000])
        else:
            await message.reply(f"echo: {text}"[:2_000], view=Again())

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        self.edited.append(event)
        self.watch.notify()

    def _commands(self) -> None:
        @self.tree.command(name="vllm-diagnose", description="Diagnose a vLLM traceback")
        async def diagnose(
            interaction: discord.Interaction, text: str | None = None, log: discord.Attachment | None = None
        ) -> None:
            if not (text or log):
                await interaction.response.send_modal(Paste())
                return
            await interaction.response.defer(ephemeral=True, thinking=True)
            content = (await log.read()).decode() if log else ""
            await interaction.followup.send(f"you said {text or ''}{content}", ephemeral=True)

        @self.tree.context_menu(name="Diagnose")
        async def menu(interaction: discord.Interaction, message: discord.Message) -> None:
            await interaction.response.send_message(f"menu: {message.content}", ephemeral=True)

        @self.tree.error
        async def failed(_interaction: discord.Interaction, error: app_commands.AppCommandError) -> None:
            self.errors.append(getattr(error, "original", error))
            self.watch.notify()


class DiscordEchoBot:
    """Implements `RunningBot`."""

    events_url: str | None = None

    def __init__(self, client: Client, running: asyncio.Task[None]) -> None:
        self.client = client
        self.running = running

    @classmethod
    async def start(cls, addresses: object, *, content: bool = True) -> "DiscordEchoBot":
        assert isinstance(addresses, DiscordAddresses)
        point_to(addresses)
        intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=content)
        client = Client(intents, max_messages=None, allowed_mentions=discord.AllowedMentions.none())
        return cls(client, asyncio.create_task(client.start(addresses.token)))

    async def stop(self) -> None:
        await self.client.close()
        await asyncio.gather(self.running, return_exceptions=True)

    async def kill(self) -> None:
        await self.stop()

    async def idle(self) -> None:
        await asyncio.sleep(0)
