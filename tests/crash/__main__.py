"""`python -m tests.crash --tries 100`: kill -9 at the worst moments on Slack and Discord; prints figures."""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.crash.killing import MOMENTS, PLATFORMS, kill_and_count


async def run(tries: int, platforms: list[str]) -> bool:
    is_sound = True
    for platform in platforms:
        for moment in MOMENTS:
            began = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="vllm-diagnose-crash-") as folder:
                tally = await kill_and_count(platform, moment, tries, Path(folder))
            is_sound &= tally.answers == [1] * tries
            print(f"{tally} ({time.monotonic() - began:.0f} s)", flush=True)  # noqa: T201 (figures for a person)
    return is_sound


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--platform", action="append", choices=PLATFORMS)
    chosen = parser.parse_args()
    sys.exit(0 if asyncio.run(run(chosen.tries, chosen.platform or list(PLATFORMS))) else 1)
