"""`vllm-diagnose releases`: the facts per vLLM release. Not for reading them out of source, nor for keeping them."""

from typing import Annotated

import typer

from bot.cli.exits import ExitCode, unknown_name
from bot.cli.releases.facts import all_sections, chosen_sections, lines
from bot.cli.terminal import write_json, write_line
from rules.releases.release import Release, UnknownReleaseError
from rules.releases.shipped import load_releases

app = typer.Typer(
    help="Facts per vLLM release, each with file and line of its source.\n\n"
    "For example: vllm-diagnose releases show 0.11.2 --backend FLASHINFER",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
_Version = Annotated[str, typer.Argument(metavar="V", show_default=False, help="A vLLM release.")]
_Names = Annotated[list[str] | None, typer.Option(metavar="NAME", show_default=False)]


@app.command("list")
def list_releases(*, as_json: _AsJson = False) -> int:
    """Print every release whose facts are shipped, oldest first.

    For example: vllm-diagnose releases list
    """
    versions = [str(version) for version in load_releases().versions()]
    if as_json:
        write_json({"schema": 1, "releases": versions})
    for version in versions if not as_json else ():
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

    For example: vllm-diagnose releases show 0.11.2 --flag --max-model-len
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
