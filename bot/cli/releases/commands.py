"""`vllm-diagnose releases`: the facts per vLLM release. Not for reading them out of source."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import ExitCode, unknown_name
from bot.cli.releases.facts import all_sections, chosen_sections, lines
from bot.cli.terminal import tell, write_json, write_line
from rules.releases.diff import Difference, diff
from rules.releases.release import Release, UnknownReleaseError
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
def show(
    version: _Version,
    *,
    flag: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this flag.")] = None,
    variable: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this variable.")] = None,
    backend: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this backend.")] = None,
    tower: Annotated[list[str] | None, typer.Option(metavar="LABEL", help="Only this encoder.")] = None,
    as_json: _AsJson = False,
) -> int:
    """Print what is known of a release: one fact a line, each with file and line of vLLM's source.

    For example: vllm-diagnose releases show 0.11.2 --flag=--max-model-len
    """
    release = known_release(version)
    named = {"flags": flag, "variables": variable, "backends": backend, "towers": tower}
    wanted = {section: names for section, names in named.items() if names}
    sections = chosen_sections(release, wanted) if wanted else all_sections(release)
    if as_json:
        write_json({"schema": 1, "version": str(release.version), **sections})
        return ExitCode.SOUND
    for line in lines(sections):
        write_line(line)
    return ExitCode.SOUND


@app.command("diff")
def diff_releases(
    old: Annotated[str, typer.Argument(metavar="V", show_default=False, help="The older release.")],
    new: Annotated[str, typer.Argument(metavar="W", show_default=False, help="The newer release.")],
    *,
    texts: Annotated[bool, typer.Option(help="Also the texts that can be raised or logged.")] = False,
    as_json: _AsJson = False,
) -> int:
    """Print what changed from one release to another: backends, limits, flags, variables.

    For example: vllm-diagnose releases diff 0.12.0 0.13.0
    """
    changes = _changes(known_release(old), known_release(new), texts=texts)
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
        for change in _changes(known_release(before), known_release(number), texts=False):
            write_line(change_line(change))
    tell("checking every rule against the new facts")
    return lint_rules()


def known_release(version: str) -> Release:
    """Return a shipped release. Raises `CommandError` that names the nearest ones when it is not shipped."""
    releases = load_releases()
    try:
        return releases.get(version)
    except UnknownReleaseError as error:
        known = [str(one) for one in releases.versions()]
        raise unknown_name(
            "vLLM release with facts", version, known, "vllm-diagnose releases list"
        ) from error


def change_line(change: Difference) -> str:
    """Return a change as one line that grep can search."""
    parts = [change.section, change.what.value, " ".join(change.name.split())]
    if change.field is not None:
        parts.append(f"{change.field}: {change.before or 'none'} -> {change.after or 'none'}")
    if change.source is not None:
        parts.append(f"({change.source})")
    return "  ".join(parts)


def _changes(old: Release, new: Release, *, texts: bool) -> list[Difference]:
    shelf = Shelf(lambda file: (DATA / file).read_bytes())
    changes = diff(shelf.record(str(old.version)), shelf.record(str(new.version)))
    return [change for change in changes if texts or change.section != "messages"]


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
