"""`vllm-diagnose audit`: checks the journal and writes it out. Not for writing into it."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import CommandError, ExitCode
from bot.cli.terminal import counted, write_json, write_line

if TYPE_CHECKING:
    from bot.audit.chain import Fault, Head, Keys
    from bot.settings import Settings

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The journal of all that was asked and done on hosts.\n\nFor example: vllm-diagnose audit verify",
)


@app.command("verify")
def verify(
    *,
    heads: Annotated[
        Path | None,
        typer.Option(
            help="File with exported heads (or a syslog), which shows a cut end; otherwise audit.head_file."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a line.")] = False,
) -> int:
    """Check that the journal is whole; ends with 1 and the first bad entry when it is not.

    For example: vllm-diagnose audit verify --heads /var/log/vllm-diagnose/heads
    """
    from bot.cli.running.starting import run, settings_with  # noqa: PLC0415 (slow to import)

    settings = settings_with()
    told = _heads(heads or settings.audit.head_file, is_needed=heads is not None)
    fault, count = run(_verified(settings, _keys(settings), told))
    if as_json:
        bad = {"entry": fault.sequence, "what": fault.what} if fault is not None else None
        write_json({"schema": 1, "ok": fault is None, "entries": count, "heads": len(told), "fault": bad})
    elif fault is not None:
        write_line(f"entry {fault.sequence}: {fault.what}")
    else:
        entries = "1 entry" if count == 1 else f"{count} entries"
        write_line(f"{entries}, whole; {counted(len(told), 'exported head')} found in it")
    return int(ExitCode.SOUND if fault is None else ExitCode.FAULTS)


@app.command("export")
def export(
    *,
    relaunch: Annotated[str | None, typer.Option(help="Only what belongs to this relaunch.")] = None,
    after: Annotated[int, typer.Option(min=0, help="Only entries after this number.")] = 0,
) -> int:
    """Write the journal as JSON lines, each with its MAC; never secrets, they are masked before they get there.

    For example: vllm-diagnose audit export > journal.jsonl
    """
    from bot.cli.running.starting import run, settings_with  # noqa: PLC0415 (slow to import)

    settings = settings_with()
    run(_exported(settings, _keys(settings), after, relaunch))
    return int(ExitCode.SOUND)


def _keys(settings: "Settings") -> "Keys":
    from bot.audit.keys import JournalKeyError, read_keys  # noqa: PLC0415 (slow to import)

    try:
        return read_keys(settings.journal_key_file, os.environ)
    except JournalKeyError as error:
        raise CommandError(str(error), "", ExitCode.UNUSABLE_INPUT) from error


def _heads(file: Path | None, *, is_needed: bool) -> "list[Head]":
    from bot.audit.heads import heads_in  # noqa: PLC0415 (slow to import)

    if file is None or not (is_needed or file.exists()):
        return []
    try:
        return heads_in(file.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}", "", ExitCode.UNUSABLE_INPUT) from error


async def _verified(settings: "Settings", keys: "Keys", heads: "list[Head]") -> "tuple[Fault | None, int]":
    from bot.audit.chain import Checking  # noqa: PLC0415 (slow to import)
    from bot.store.database import open_database  # noqa: PLC0415
    from bot.store.journal import SqlJournal  # noqa: PLC0415

    database = await open_database(settings.store_url)
    try:
        checking = Checking(keys, heads)
        async for link in SqlJournal(database, keys).links():
            fault = checking.take(link)
            if fault is not None:
                return fault, checking.count
        return checking.end(), checking.count
    finally:
        await database.close()


async def _exported(settings: "Settings", keys: "Keys", after: int, relaunch: str | None) -> None:
    from bot.store.database import open_database  # noqa: PLC0415 (slow to import)
    from bot.store.journal import SqlJournal  # noqa: PLC0415

    database = await open_database(settings.store_url)
    try:
        async for link in SqlJournal(database, keys).links(after, relaunch):
            write_json({"mac": link.mac, "entry": json.loads(link.record)})
    finally:
        await database.close()
