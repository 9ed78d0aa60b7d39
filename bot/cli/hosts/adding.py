"""Writes an entry into the registry, all or nothing. Not for asking for it, nor for checking entries."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Final

import yaml

from bot.cli.exits import CommandError, ExitCode
from bot.cli.hosts.loading import load_registry
from bot.hosts.reading import BadRegistryError, read_registry
from bot.hosts.registry import Registry

_NEW_FILE: Final = """\
# Reviewed by people: who may act on which machine. See docs/how-to/register-gpu-hosts.md.
version: 1
access:
  persons: {}
  roles: {}
  grants: []
hosts:
"""


def registry_to_add_to(file: Path) -> Registry:
    """Return what the file holds so far, before anything is asked; empty while there is no file.

    Raises `CommandError` when nothing can be added to it.
    """
    if not file.exists():
        return Registry()
    read = load_registry(file)
    _check_end(file, file.read_text(encoding="utf-8"))
    return read


def add_entry(file: Path, entry: dict[str, Any]) -> None:
    """Put an entry at the end of the registry, which is made when it is missing; all or nothing.

    Raises `CommandError` when the registry with it would not be sound.
    """
    text = file.read_text(encoding="utf-8") if file.exists() else _NEW_FILE
    _check_end(file, text)
    block = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=1_000)
    added = "".join(f"  {line}\n" for line in block.splitlines())
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent, text=True)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text.rstrip("\n") + "\n" + added)
            out.flush()
            os.fsync(out.fileno())
        draft.chmod(file.stat().st_mode & 0o777 if file.exists() else 0o640)
        _check_draft(draft)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _check_end(file: Path, text: str) -> None:
    """Refuse a file whose last part is not the list of hosts: the entry would land somewhere else."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise CommandError(
            f"{file} is not YAML", "`vllm-diagnose hosts check` shows where", ExitCode.UNUSABLE_INPUT
        ) from error
    last = [line for line in text.splitlines() if line and line[0] not in " #-\t"]
    if (
        not isinstance(data, dict)
        or not last
        or not last[-1].startswith("hosts:")
        or last[-1].partition("#")[0].rstrip() != "hosts:"
    ):
        raise CommandError(
            f"{file} does not end with its list of hosts",
            "move `hosts:` to the end of the file, one entry per `- name:`",
            ExitCode.UNUSABLE_INPUT,
        )


def _check_draft(draft: Path) -> None:
    try:
        read_registry(draft)
    except BadRegistryError as error:
        what = error.faults[0].partition(f"{draft}:")[2].partition(": ")[2]
        raise CommandError(
            f"the entry is not sound: {what}", "nothing was written", ExitCode.UNUSABLE_INPUT
        ) from error
