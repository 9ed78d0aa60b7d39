"""The real bot as a program for the fakes: `python -m tests.crash.program`. It says in JSON where it is."""

import asyncio
import json
import sys

from bot import bootstrap
from bot.settings import read_settings


def run() -> None:
    settings = read_settings()
    is_called = settings.slack.is_configured and settings.slack.delivery == "http"

    def on_ready(url: str) -> None:
        told = {"events_url": f"{url}/slack/events" if is_called else None, "url": url}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()

    asyncio.run(bootstrap.serve(settings, on_ready))


if __name__ == "__main__":
    run()
