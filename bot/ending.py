"""How a process is told to end, so that it ends in order. Not for what has to be ended."""

from __future__ import annotations

import asyncio
import signal


def told_to_end() -> asyncio.Event:
    """Return an event that SIGTERM, SIGINT, or a terminal that is closed sets; wants a running loop."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    # whoever started it with nohup wants it to outlive its terminal
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, told.set)
    return told
