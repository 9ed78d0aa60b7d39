"""Reads a model's `config.json`, saying what is wrong with one that cannot be used. Not for finding it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bot.cli.answer.inputs import shown, unreadable
from bot.cli.exits import CommandError, ExitCode

if TYPE_CHECKING:
    from pathlib import Path

#: no configuration of a model or a server is larger
_LARGEST = 1 << 22


def read_config(file: Path, advice: str) -> dict[str, object]:
    """Return what the file says. Raises `CommandError`, with `advice` where it is no configuration."""
    try:
        text = file.read_text(encoding="utf-8-sig") if file.stat().st_size <= _LARGEST else ""
        config = json.loads(text)
    except OSError as error:
        raise unreadable(str(file), error, is_log=False) from error
    except json.JSONDecodeError as error:
        raise _none(file, f"this is no JSON (line {error.lineno}: {error.msg})", advice) from error
    except (ValueError, RecursionError) as error:
        raise _none(file, "this is no JSON", advice) from error
    if not isinstance(config, dict):
        raise _none(file, "this is no configuration of a model", advice)
    return config


def _none(file: Path, problem: str, advice: str) -> CommandError:
    return CommandError(f"{shown(str(file))}: {problem}", advice, ExitCode.UNUSABLE_INPUT)
