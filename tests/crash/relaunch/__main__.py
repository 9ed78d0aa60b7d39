"""`python -m tests.crash.relaunch --tries 3`: kill -9 a bot at every state of a relaunch; prints a table.

First every point in memory, then real processes with the durable engine.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.bot.relaunch.dying import CASES, lives
from tests.crash.relaunch.killing import HEAD, MOMENTS, kill_and_count


async def every_point(folder: Path) -> bool:
    """Die at each point of a run in memory."""
    is_sound = True
    for name, case in CASES.items():
        whole = await lives(folder / name, *case, [[]])
        try:
            await lives(folder / f"{name}-killed", *case, [[at] for at in range(1, whole + 1)])
        except AssertionError as error:
            is_sound = False
            say(f"{name}: {error}")
        else:
            say(f"in memory, {name}: died at each of {whole} points, all sound")
    return is_sound


async def run(tries: int, moments: list[str]) -> bool:
    """Print a row for each moment."""
    say(HEAD)
    is_sound, kills, began = True, 0, time.monotonic()
    for moment in moments:
        with tempfile.TemporaryDirectory(prefix="kill-") as folder:
            tally = await kill_and_count(Path(folder), moment, tries)
        is_sound &= tally.is_sound
        kills += tally.tries
        say(str(tally))
    say(f"{kills} kills in {time.monotonic() - began:.0f} s: {'all sound' if is_sound else 'NOT SOUND'}")
    return is_sound


async def both(tries: int, moments: list[str] | None) -> bool:
    """Do both, or only some moments."""
    is_sound = True
    if not moments:
        with tempfile.TemporaryDirectory(prefix="die-") as folder:
            is_sound = await every_point(Path(folder))
    return await run(tries, moments or list(MOMENTS)) and is_sound


def say(line: str) -> None:
    """Print at once."""
    print(line, flush=True)  # noqa: T201 (figures for a person)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--moment", action="append", choices=MOMENTS)
    chosen = parser.parse_args()
    sys.exit(0 if asyncio.run(both(chosen.tries, chosen.moment)) else 1)
