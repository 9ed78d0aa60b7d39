"""`python -m tests.soak`: thousands of messages through two bots on one store, in bad weather; prints figures."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.postgres.cluster import a_cluster, programs
from tests.soak.playing import PLATFORMS, Plan, soak

STORES = ("sqlite", "postgresql")


@contextmanager
def a_store(kind: str, folder: Path) -> Iterator[str | None]:
    """Yield the address of an empty store; None is the file in the bots' folder."""
    if kind == "sqlite":
        yield None
        return
    with a_cluster(folder / "pg") as url:
        yield url


def run(platforms: list[str], stores: list[str], messages: int, seed: int) -> bool:
    is_sound = True
    for store in stores:
        for platform in platforms:
            # a socket's path must be short, and PostgreSQL runs as somebody else
            with tempfile.TemporaryDirectory(prefix="soak-") as name:
                folder = Path(name)
                folder.chmod(0o755)
                with a_store(store, folder) as url:
                    plan = Plan(platform, messages, seed=seed)
                    figures = asyncio.run(soak(plan, folder / "state", url))
            is_sound &= figures.is_sound
            print(figures, flush=True)  # noqa: T201 (figures for a person)
    return is_sound


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", action="append", choices=PLATFORMS)
    parser.add_argument("--store", action="append", choices=STORES, help="default: all that are there")
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found = STORES if programs() else STORES[:1]
    sound = run(chosen.platform or list(PLATFORMS), chosen.store or list(found), chosen.messages, chosen.seed)
    sys.exit(0 if sound else 1)
