"""Runs one of the echo bots as a program: `python -m tests.fakes_selftests.echo_process slack|discord`."""

import asyncio
import json
import os
import signal
import sys

from tests.fakes.discord.records import DiscordAddresses
from tests.fakes.slack.records import SlackAddresses


async def run(platform: str) -> None:
    """Start, say so in one line, and wait for SIGTERM."""
    addresses = json.loads(os.environ["ECHO_ADDRESSES"])
    if platform == "slack":
        from tests.fakes_selftests.slack_echo_bot import SlackEchoBot  # noqa: PLC0415 - only one library is needed

        bot = await SlackEchoBot.start(SlackAddresses(**addresses))
    else:
        from tests.fakes_selftests.discord_echo_bot import DiscordEchoBot  # noqa: PLC0415

        bot = await DiscordEchoBot.start(DiscordAddresses(**addresses))
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    sys.stdout.write(json.dumps({"events_url": bot.events_url}) + "\n")
    sys.stdout.flush()
    await ended.wait()
    await bot.stop()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1]))
