"""`vllm-diagnose incidents`: lists, shows and removes what the bot keeps. Not for what an answer says."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.exits import ExitCode, unknown_name
from bot.cli.terminal import write_json, write_line

if TYPE_CHECKING:
    from bot.store.interface import Answer, Incident, Purged

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="What the bot keeps about incidents.\n\nFor example: vllm-diagnose incidents list",
)
JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of lines.")]


@app.command("list")
def list_incidents(
    *,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 20,
    as_json: JsonOption = False,
) -> int:
    """List incidents, the one seen last first.

    For example: vllm-diagnose incidents list --limit 50
    """
    from bot.cli.running.starting import run, settings_with  # noqa: PLC0415 (slow to import)

    found = run(_recent(settings_with().store_url, limit))
    if as_json:
        write_json([_plain(one) for one in found])
        return 0
    for one in found:
        write_line(f"{one.id}  {one.seen_at:%Y-%m-%d %H:%M}  {one.place.platform}  {one.status}  {one.title}")
    return 0


@app.command("show")
def show(
    incident: Annotated[str, typer.Argument(help="Id of the incident.")], *, as_json: JsonOption = False
) -> int:
    """Show one incident and what was answered.

    For example: vllm-diagnose incidents show 3caee021a0097e42e469d24af7954c4c
    """
    from bot.cli.running.starting import run, settings_with  # noqa: PLC0415 (slow to import)

    found, answer = run(_one(settings_with().store_url, incident))
    if found is None:
        raise unknown_name("incident", incident, (), "vllm-diagnose incidents list")
    data = {**_plain(found), "summary": answer.card.get("summary") if answer is not None else None}
    if as_json:
        write_json(data)
        return 0
    for name, value in data.items():
        if value is not None:
            write_line(f"{name}: {value}")
    return 0


@app.command("purge")
def purge(
    *,
    keep_days: Annotated[
        int | None, typer.Option(min=0, help="Days to keep; otherwise the setting's. 0 removes everything.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Remove what is older than the days to keep; what still waits for an answer stays.

    For example: vllm-diagnose incidents purge --keep-days 30
    """
    from bot.cli.running.starting import run, settings_with  # noqa: PLC0415 (slow to import)

    settings = settings_with()
    days = settings.store.keep_days if keep_days is None else keep_days
    if keep_days is None and not days:
        write_line("store.keep_days is 0: everything is kept")
        return int(ExitCode.SOUND)
    purged = run(_purge(settings.store_url, days))
    if as_json:
        counts = {"incidents": purged.incidents, "events": purged.events, "room_events": purged.room_events}
        write_json(counts)
    else:
        write_line(
            f"{purged.incidents} incidents, {purged.events} events and {purged.room_events} lines removed"
        )
    return int(ExitCode.SOUND)


async def _recent(url: str, limit: int) -> "list[Incident]":
    from bot.store.database import open_database  # noqa: PLC0415 (slow to import)
    from bot.store.incidents import SqlIncidents  # noqa: PLC0415

    database = await open_database(url)
    try:
        return await SqlIncidents(database).recent(limit)
    finally:
        await database.close()


async def _one(url: str, incident_id: str) -> "tuple[Incident | None, Answer | None]":
    from bot.store.answers import SqlAnswers  # noqa: PLC0415 (slow to import)
    from bot.store.database import open_database  # noqa: PLC0415
    from bot.store.incidents import SqlIncidents  # noqa: PLC0415

    database = await open_database(url)
    try:
        found = await SqlIncidents(database).get(incident_id)
        return found, await SqlAnswers(database).of_incident(incident_id) if found is not None else None
    finally:
        await database.close()


async def _purge(url: str, keep_days: int) -> "Purged":
    from bot.clock import system_clock  # noqa: PLC0415 (slow to import)
    from bot.store.database import open_database  # noqa: PLC0415
    from bot.store.upkeep.retention import SqlRetention  # noqa: PLC0415

    database = await open_database(url)
    try:
        return await SqlRetention(database).purge(system_clock() - timedelta(days=keep_days))
    finally:
        await database.close()


def _plain(incident: "Incident") -> dict[str, Any]:
    return {
        "id": incident.id,
        "platform": incident.place.platform,
        "channel": incident.place.channel,
        "thread": incident.place.thread,
        "status": incident.status,
        "title": incident.title,
        "rule": incident.rule,
        "class": incident.failure_class,
        "confidence": incident.confidence,
        "vllm_version": incident.vllm_version,
        "gpu": incident.gpu,
        "model": incident.model,
        "opened_at": incident.opened_at.isoformat(),
        "seen_at": incident.seen_at.isoformat(),
    }
