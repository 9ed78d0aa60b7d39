"""What a person asks of `backends`: the release, the model and its folder, checked. Not for the matrix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from bot.backends.releases import NoFactsError, release_of
from bot.cli.exits import CommandError, ExitCode
from bot.cli.terminal import PROGRAM
from rules.engine.backend_matrix.models import model_of_config, read_model
from rules.releases.shipped import load_releases

if TYPE_CHECKING:
    from rules.engine.backend_matrix.models import Model
    from rules.releases.release import Release

_CONFIG = "config.json"
#: no configuration of a model is larger
_LARGEST_CONFIG = 1 << 22


def release_named(text: str) -> Release:
    """Return the release that speaks for a version. Raises `CommandError` for one that has no facts."""
    try:
        return release_of(text, load_releases())
    except NoFactsError as error:
        if not error.is_number:
            problem = f"--vllm-version: {text!r} is no release number"
            raise CommandError(problem, "give one such as 0.11.2", ExitCode.WRONG_USAGE) from error
        verb = "is" if len(error.near) == 1 else "are"
        advice = f"the nearest {verb} {' and '.join(error.near)}; `{PROGRAM} releases list` shows all"
        raise CommandError(f"there are no facts of vLLM {text}", advice, ExitCode.UNUSABLE_INPUT) from error


def model_named(name: str) -> Model | None:
    """Return the model of a name, or of a local folder that holds its configuration.

    Raises `CommandError` when that file cannot be read.
    """
    path = Path(name)
    try:
        file = path / _CONFIG if path.is_dir() else path if path.name == _CONFIG and path.is_file() else None
    except (OSError, ValueError):
        file = None
    if file is None or not file.exists():
        return read_model(name)
    return model_of_config(_read(file), name) or read_model(name)


def _read(file: Path) -> dict[str, object]:
    try:
        text = file.read_text(encoding="utf-8-sig") if file.stat().st_size <= _LARGEST_CONFIG else ""
        config = json.loads(text)
    except OSError as error:
        problem = f"{file}: {(error.strerror or str(error)).lower()}"
        raise CommandError(problem, "check its rights, or name the model", ExitCode.UNUSABLE_INPUT) from error
    except (ValueError, RecursionError) as error:
        problem = f"{file}: this is no JSON"
        raise CommandError(
            problem, "name the model instead of its folder", ExitCode.UNUSABLE_INPUT
        ) from error
    if not isinstance(config, dict):
        advice = "name the model instead of its folder"
        raise CommandError(f"{file}: this is no configuration of a model", advice, ExitCode.UNUSABLE_INPUT)
    return config
