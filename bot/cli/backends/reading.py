"""The model that a person names to `backends`, or its folder, checked. Not for the matrix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.exits import CommandError, ExitCode
from rules.engine.backend_matrix.models import model_of_config, read_model

if TYPE_CHECKING:
    from rules.engine.backend_matrix.models import Model

_CONFIG = "config.json"
#: no configuration of a model is larger
_LARGEST_CONFIG = 1 << 22


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
