"""What is fetched from hosts for somebody at a terminal, shown. Changes nothing on any of them."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from bot.access.authorization import Refusal
from bot.cli.answer.page import Page, printable
from bot.cli.exits import ExitCode
from bot.cli.relaunch.counter import denied
from bot.cli.terminal import write_json, write_line
from bot.relaunch.sweeping import Fate
from bot.wiring.asking import fetching_of, sweeping_of

if TYPE_CHECKING:
    from bot.cli.relaunch.counter import Counter
    from bot.relaunch.fetching import Fetched
    from bot.relaunch.sweeping import Swept

_FOUND = frozenset({Fate.WOULD_FAIL, Fate.LIKELY})


async def fetch(counter: Counter, server: str, lines: int, *, as_json: bool) -> None:
    """Show a server. Raises `CommandError`, `HostError`."""
    counter.server(server)
    fetched = await fetching_of(counter.acting).fetch(counter.actor, server, lines)
    if isinstance(fetched, Refusal):
        raise denied(fetched)
    if as_json:
        write_json({"schema": 1, **asdict(fetched)})
    else:
        _print(fetched)


async def sweep(counter: Counter, incident: str, *, as_json: bool) -> ExitCode:
    """Show which servers the failure of an incident waits at. Raises `CommandError`."""
    case = await counter.case(incident)
    swept = await sweeping_of(counter.acting).sweep(counter.actor, case.offer)
    if not swept:
        raise denied(Refusal.NO_ROLE)
    if as_json:
        write_json({"schema": 1, "rule": case.offer.rule, "servers": [_plain(one) for one in swept]})
    else:
        for one in swept:
            write_line(printable(f"{one.server} on {one.host}: {one.fate}. {one.reason}"))
    return ExitCode.FAULTS if any(one.fate in _FOUND for one in swept) else ExitCode.SOUND


def _plain(swept: Swept) -> dict[str, str | None]:
    return {
        "server": swept.server,
        "host": swept.host,
        "fate": swept.fate.value,
        "reason": swept.reason,
        "vllm_version": swept.vllm_version,
    }


def _print(fetched: Fetched) -> None:
    page = Page(sys.stdout)
    page.heading(f"{fetched.server} on {fetched.host}: {fetched.state}, {fetched.phase}")
    gpus = "GPUs unknown" if fetched.gpus is None else ", ".join(fetched.gpus) or "no GPU"
    ended = f", ended with {fetched.exit_code}" if fetched.exit_code is not None else ""
    page.prose(f"vLLM {fetched.vllm_version or 'unknown'}, {gpus}, restarts {fetched.restarts}{ended}.")
    page.command(" ".join(fetched.argv))
    for variable in fetched.variables:
        page.command(variable)
    if fetched.lines:
        page.blank()
        page.heading(f"The last {len(fetched.lines)} lines of this start")
        for line in fetched.lines:
            write_line(printable(line))
