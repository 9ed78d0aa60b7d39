"""The journal's key: from the environment or a file of its own, never from the store. Not for using it."""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from typing import TYPE_CHECKING, Final

from bot.audit.chain import Keys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEY_VARIABLE: Final = "VLLM_DIAGNOSE_JOURNAL_KEY"
#: shorter ones could be guessed
_SHORTEST: Final = 32


class JournalKeyError(Exception):
    """The journal's key cannot be used; says where it was looked for and what to do."""

    def __init__(self, where: str, what: str, next_step: str) -> None:
        super().__init__(f"the journal's key in {where} {what}: {next_step}")
        self.where = where


def read_keys(file: Path, environment: Mapping[str, str]) -> Keys:
    """Return the keys: those of the environment, else those of the file, which is made when it is missing.

    Both hold one or several keys in base64, parted by white space, the newest first. Raises `JournalKeyError`.
    """
    told = environment.get(KEY_VARIABLE)
    if told:
        return _parsed(told, KEY_VARIABLE)
    try:
        _make(file)
        mode = file.stat().st_mode
        text = file.read_text(encoding="ascii", errors="replace")
    except OSError as error:
        raise JournalKeyError(
            str(file), f"cannot be read ({error.strerror})", "name another file with audit.key_file"
        ) from error
    if mode & 0o077:
        raise JournalKeyError(str(file), "can be read by others", f"`chmod 600 {file}`, and make a new key")
    return _parsed(text, str(file))


def _make(file: Path) -> None:
    """Make the file with a fresh key unless it is there; of two processes at once one wins."""
    if file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(base64.b64encode(secrets.token_bytes(_SHORTEST)) + b"\n")
        out.flush()
        os.fsync(out.fileno())
    try:
        file.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _parsed(text: str, where: str) -> Keys:
    keys = []
    for word in text.split():
        try:
            key = base64.b64decode(word, validate=True)
        except (binascii.Error, ValueError) as error:
            raise JournalKeyError(
                where, "is not base64", "make one with `openssl rand -base64 32`"
            ) from error
        if len(key) < _SHORTEST:
            raise JournalKeyError(where, "is too short", "make one with `openssl rand -base64 32`")
        keys.append(key)
    if not keys:
        raise JournalKeyError(where, "is empty", "make one with `openssl rand -base64 32`")
    return Keys(keys[0], tuple(keys[1:]))
