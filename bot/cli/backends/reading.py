"""The model that a person names to `backends`, or its folder, checked. Not for the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.model_config import read_config
from rules.engine.backend_matrix.models import model_of_config, read_model

if TYPE_CHECKING:
    from rules.engine.backend_matrix.models import Model

_CONFIG = "config.json"


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
    return model_of_config(read_config(file, "name the model instead of its folder"), name) or read_model(
        name
    )
