"""The release and the GPU that options name: a mistake where nothing here is known of them. Not for a paste's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.backends.releases import NoFactsError, release_of
from bot.cli.exits import CommandError, ExitCode
from bot.cli.terminal import PROGRAM
from rules.engine.gpus import read_gpu
from rules.engine.preflight.possible import speaking_for

if TYPE_CHECKING:
    from rules.releases.release import Release, Releases


def release_named(text: str, releases: Releases) -> Release:
    """Return the release that speaks for a version. Raises `CommandError` for one that has no facts."""
    try:
        return release_of(text, releases)
    except NoFactsError as error:
        if not error.is_number:
            problem = f"--vllm-version: {text!r} is no release number"
            raise CommandError(problem, "give one such as 0.11.2", ExitCode.WRONG_USAGE) from error
        verb = "is" if len(error.near) == 1 else "are"
        advice = f"the nearest {verb} {' and '.join(error.near)}; `{PROGRAM} releases list` shows all"
        raise CommandError(f"there are no facts of vLLM {text}", advice, ExitCode.UNUSABLE_INPUT) from error


def check_releases(text: str, releases: Releases) -> None:
    """Raise `CommandError` where no facts speak for a version, or for any release of a range (`0.11.*`)."""
    if not speaking_for(text, releases.versions()):
        release_named(text, releases)


def check_gpu(text: str) -> None:
    """Raise `CommandError` for a GPU that is not known here."""
    if read_gpu(text) is None:
        advice = "give a product such as H100, or a compute capability such as 9.0"
        raise CommandError(f"--gpu: {text!r} is no GPU known here", advice, ExitCode.WRONG_USAGE)
