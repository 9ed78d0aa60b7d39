"""`python -m tests.crash.relaunch`: disturbs relaunches on every kind of host in every state; prints a table.

First every point in memory, then real processes with the durable engine.
"""

import argparse
import asyncio
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from tests.bot.relaunch.dying import CASES, lives
from tests.crash.relaunch.grounds.local import docker_ground, process_ground
from tests.crash.relaunch.grounds.machine import systemd_ground
from tests.crash.relaunch.grounds.memory import memory_ground
from tests.crash.relaunch.matrix import DISTURBANCES, play, rows
from tests.crash.relaunch.program import LOG
from tests.crash.relaunch.stores import a_postgres_store
from tests.crash.relaunch.tally import HEAD, Tally, total
from tests.hosts.docker import engine
from tests.hosts.systemd import machine
from tests.postgres import cluster

GROUNDS = {
    "memory": memory_ground,
    "process": process_ground,
    "docker": docker_ground,
    "systemd": systemd_ground,
}
#: with PostgreSQL only what it makes another matter of
ON_POSTGRES = ("pause", "lose-store", "kill-standby", "press-twice")

#: characters of a log that are shown when a row is not sound
_TAIL = 8_000


def missing(driver: str) -> str | None:
    """Say what keeps a kind of host from being here."""
    reasons = {"docker": engine.missing, "systemd": machine.missing}
    return reasons[driver]() if driver in reasons else None


async def every_point() -> bool:
    """Die at each point of a run in memory."""
    is_sound = True
    with tempfile.TemporaryDirectory(prefix="die-") as folder:
        for name, case in CASES.items():
            whole = await lives(Path(folder) / name, *case, [[]])
            deaths = [[at] for at in range(1, whole + 1)]
            try:
                await lives(Path(folder) / f"{name}-killed", *case, deaths)
            except AssertionError as error:
                is_sound = False
                say(f"{name}: {error}")
            else:
                say(f"in memory, {name}: died at each of {whole} points, all sound")
    return is_sound


async def on_ground(driver: str, chosen: argparse.Namespace, store=None) -> list[Tally]:
    """Print a row for each disturbance and moment on one kind of host."""
    tallies = []
    with tempfile.TemporaryDirectory(prefix="ground-") as place:
        async with GROUNDS[driver](Path(place)) as ground:
            for row in rows(ground):
                if not is_chosen(row, chosen) or (store and row.name not in ON_POSTGRES):
                    continue
                with tempfile.TemporaryDirectory(prefix="field-") as folder:
                    tallies.append(await one_row(Path(folder), ground, row, chosen.tries, store))
    return tallies


async def one_row(folder: Path, ground, row, tries: int, store) -> Tally:
    try:
        tally = await play(folder, ground, row, tries, store)
    except Exception as error:  # noqa: BLE001 (the other rows are wanted too)
        traceback.print_exc()
        tally = Tally(ground.name, row.name, row.moment, faults=[f"it broke off: {error!r}"])
    say(str(tally))
    log = folder / LOG
    if not tally.is_sound and log.exists():
        sys.stderr.write(log.read_text(errors="replace")[-_TAIL:])
    return tally


def is_chosen(row, chosen: argparse.Namespace) -> bool:
    is_moment = chosen.moment is None or row.moment in chosen.moment
    return is_moment and (chosen.disturbance is None or row.name in chosen.disturbance)


async def run(chosen: argparse.Namespace) -> bool:
    is_all = not (chosen.driver or chosen.moment or chosen.disturbance)
    is_sound = await every_point() if is_all else True
    say(HEAD)
    tallies: list[Tally] = []
    for driver in chosen.driver or GROUNDS:
        reason = missing(driver)
        if reason is not None:
            say(f"SKIPPED: {driver}, because {reason}")
            continue
        tallies += await on_ground(driver, chosen)
    if "memory" in (chosen.driver or GROUNDS):
        if cluster.programs() is None:
            say("SKIPPED: memory with PostgreSQL, because Debian's postgresql is not installed")
        else:
            with a_postgres_store() as store:
                tallies += await on_ground("memory", chosen, store)
    say(total(tallies))
    return is_sound and all(one.is_sound for one in tallies)


def say(line: str) -> None:
    """Print at once."""
    print(line, flush=True)  # noqa: T201 (figures for a person)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=1, help="how often each is tried (default: once)")
    parser.add_argument("--driver", action="append", choices=GROUNDS)
    parser.add_argument("--disturbance", action="append", choices=DISTURBANCES)
    parser.add_argument("--moment", action="append")
    # started in the background a shell lets us ignore Ctrl-C, and what we started would stay
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(0 if asyncio.run(run(parser.parse_args())) else 1)
