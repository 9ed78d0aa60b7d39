"""`vllm-diagnose releases`: the facts per vLLM release. Not for reading them out of source."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from packaging.version import Version

from bot.cli.exits import CommandError, ExitCode
from bot.cli.releases.facts import all_sections, lines, named_facts
from bot.cli.terminal import PROGRAM, tell, write_json, write_line
from rules.engine.versions import parse_version
from rules.releases.diff import Difference, diff
from rules.releases.model import Record
from rules.releases.release import UnknownReleaseError
from rules.releases.shipped import DATA, load_releases
from rules.releases.store import Shelf

app = typer.Typer(
    help="Facts per vLLM release, each with file and line of its source.\n\n"
    "For example: vllm-diagnose releases show 0.11.2 --backend FLASHINFER",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
_Version = Annotated[str, typer.Argument(metavar="V", show_default=False, help="A vLLM release.")]


@app.command("list")
def list_releases(*, as_json: _AsJson = False) -> int:
    """Print every release whose facts are shipped, oldest first.

    For example: vllm-diagnose releases list
    """
    versions = [str(version) for version in load_releases().versions()]
    if as_json:
        write_json({"schema": 1, "releases": versions})
        return ExitCode.SOUND
    for version in versions:
        write_line(version)
    return ExitCode.SOUND


@app.command()
def show(  # noqa: PLR0913 (each parameter is an option)
    version: _Version,
    *,
    flag: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this flag.")] = None,
    variable: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this variable.")] = None,
    backend: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this backend.")] = None,
    tower: Annotated[list[str] | None, typer.Option(metavar="LABEL", help="Only this encoder.")] = None,
    texts: Annotated[bool, typer.Option("--texts", help="Also the texts that it can print.")] = False,
    as_json: _AsJson = False,
) -> int:
    """Print what is known of a release: one fact a line, each with file and line of vLLM's source.

    For example: vllm-diagnose releases show 0.11.2 --flag=--max-model-len
    """
    record = known_record(version)
    named = {"flags": flag, "variables": variable, "backends": backend, "towers": tower}
    wanted = {section: names for section, names in named.items() if names}
    sections = all_sections(record, texts=texts)
    if wanted:
        sections = named_facts(sections, wanted, record.version)
    if as_json:
        write_json({"schema": 1, "version": record.version, **sections})
        return ExitCode.SOUND
    for line in lines(sections):
        write_line(line)
    return ExitCode.SOUND


@app.command("diff")
def diff_releases(
    old: Annotated[str, typer.Argument(metavar="V", show_default=False, help="The older release.")],
    new: Annotated[str, typer.Argument(metavar="W", show_default=False, help="The newer release.")],
    *,
    texts: Annotated[bool, typer.Option("--texts", help="Also the texts that they can print.")] = False,
    as_json: _AsJson = False,
) -> int:
    """Print what changed from one release to another: backends, limits, flags, variables.

    For example: vllm-diagnose releases diff 0.12.0 0.13.0
    """
    changes = _changes(known_record(old), known_record(new), texts=texts)
    if as_json:
        write_json(
            {"schema": 1, "old": old, "new": new, "changes": [_change_to_json(one) for one in changes]}
        )
        return ExitCode.SOUND
    for change in changes:
        write_line(change_line(change))
    return ExitCode.SOUND


@app.command()
def add(
    version: _Version,
    *,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="PATH", help="A wheel, an sdist or an unpacked tree.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Read a release anew that is there already.")
    ] = False,
) -> int:
    """Read the facts of a release, got with pip or from a path, and say what they change for the rules.

    For example: vllm-diagnose releases add 0.34.0
    """
    # the extractor is needed here only
    from bot.cli.catalogue.rules import lint_rules  # noqa: PLC0415
    from bot.cli.releases.adding import add_release, release_number  # noqa: PLC0415

    number = release_number(version)
    record = add_release(number, source, force=force)
    load_releases.cache_clear()
    shipped = load_releases().versions()
    place = [str(one) for one in shipped].index(record.version)
    if place:
        before = str(shipped[place - 1])
        write_line(f"What changed from {before} to {record.version}:")
        for change in _changes(known_record(before), known_record(number), texts=False):
            write_line(change_line(change))
    tell("checking every rule against the new facts")
    return lint_rules()


def known_record(version: str) -> Record:
    """Return all facts of a shipped release. Raises `CommandError` with the nearest if it is not shipped."""
    releases = load_releases()
    try:
        wanted = releases.get(version).version
    except UnknownReleaseError as error:
        raise _no_facts(version, releases.versions()) from error
    # `0.11` is `0.11.0`
    number = next(one for one in releases.versions() if one == wanted)
    return Shelf(lambda file: (DATA / file).read_bytes()).record(str(number))


def _no_facts(text: str, shipped: Sequence[Version]) -> CommandError:
    """Return the error for a release without facts, with its neighbours by order."""
    wanted = parse_version(text)
    before = [one for one in shipped if wanted is not None and one < wanted][-1:]
    after = [one for one in shipped if wanted is not None and one > wanted][:1]
    near = [str(one) for one in (*before, *after)]
    verb = "is" if len(near) == 1 else "are"
    advice = f"the nearest {verb} {' and '.join(near)}" if near else "give one such as 0.11.2"
    problem = f"there are no facts of a vLLM release {text!r}"
    return CommandError(problem, f"{advice}; `{PROGRAM} releases list` shows all", ExitCode.WRONG_USAGE)


def change_line(change: Difference) -> str:
    """Return a change as one line that grep can search."""
    parts = [change.section, change.what.value, " ".join(change.name.split())]
    if change.field is not None:
        moved = [*(f"+{one}" for one in change.came), *(f"-{one}" for one in change.went)]
        whole = f"{change.before or 'none'} -> {change.after or 'none'}"
        parts.append(f"{change.field}: {' '.join(moved) or whole}")
    if change.source is not None:
        parts.append(f"({change.source})")
    return "  ".join(parts)


def _changes(old: Record, new: Record, *, texts: bool) -> list[Difference]:
    return [change for change in diff(old, new) if texts or change.section != "messages"]


def _change_to_json(change: Difference) -> dict[str, str | None]:
    return {
        "section": change.section,
        "what": change.what.value,
        "name": change.name,
        "field": change.field,
        "before": change.before,
        "after": change.after,
        "source": change.source,
    }
