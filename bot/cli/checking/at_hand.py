"""What lies on this machine beside a launch: the model's configuration, files that it names. No network."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.checking.checked import model_of
from bot.cli.model_config import read_config
from rules.engine.preflight.reading.config_file import named_config

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.checking.checked import Asked
    from rules.engine.preflight import Launch
    from rules.engine.preflight.answering import Answers

_CONFIG = "config.json"
#: no configuration of a model or a server is larger
_LARGEST = 1 << 22
_FROM_HERE = ("./", "../", "~/")
#: files of a folder that are looked at
_MOST_FILES = 10_000


def with_model(
    launch: Launch, asked: Asked, answers: Answers, env: Mapping[str, str], *, here: bool
) -> Asked:
    """Return what is asked, with the model's configuration where this machine has it.

    `here` says that the launch is for this machine, so that paths in it mean files of this machine.
    """
    is_local = here and launch.image is None
    name = named_config(launch)
    if is_local and name is not None and (text := _text(Path(name))) is not None:
        asked = replace(asked, files={**asked.files, name: text})
    model = model_of(launch, answers)
    if model is None:
        return asked
    folder = _folder(Path(model).expanduser()) if is_local else None
    if folder is not None:
        asked = replace(asked, model_files=_names(folder))
    elif is_local and model.startswith(_FROM_HERE) and not _exists(Path(model).expanduser()):
        # such a path can only mean this machine; one from `/` may be another's
        asked = replace(asked, model_files=frozenset())
    config = folder / _CONFIG if folder is not None else _cached(model, env)
    if asked.model_config is None and config is not None:
        asked = replace(asked, model_config=_object(_text(config)))
    return asked


def given_config(path: Path) -> dict[str, object]:
    """Return the configuration that `--model-config` names. Raises `CommandError` when it is none."""
    return read_config(path / _CONFIG if _folder(path) else path, "name the model's config.json")


def _folder(path: Path) -> Path | None:
    try:
        return path if path.is_dir() else None
    except (OSError, ValueError):
        return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return True


def _names(folder: Path) -> frozenset[str]:
    names: set[str] = set()
    try:
        for entry in os.scandir(folder):
            names.add(entry.name)
            if len(names) >= _MOST_FILES:
                break
    except OSError:
        return frozenset()
    return frozenset(names)


def _cached(model: str, env: Mapping[str, str]) -> Path | None:
    """Return the newest `config.json` of a model in the cache of the model hub, None without one."""
    if model.count("/") != 1 or model.startswith((".", "/", "~")):
        return None
    home = env.get("HF_HOME") or str(Path.home() / ".cache" / "huggingface")
    cache = Path(env.get("HF_HUB_CACHE") or env.get("HUGGINGFACE_HUB_CACHE") or Path(home) / "hub")
    folder = cache / f"models--{model.replace('/', '--')}" / "snapshots"
    try:
        found = [path for path in folder.glob(f"*/{_CONFIG}") if path.is_file()]
        return max(found, key=lambda path: path.stat().st_mtime, default=None)
    except (OSError, ValueError):
        return None


def _text(path: Path) -> str | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None


def _object(text: str | None) -> dict[str, object] | None:
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
