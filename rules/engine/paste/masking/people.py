"""Names and e-mail addresses of people."""

from typing import Final

import re2

from rules.engine.paste.masking.substitution import Found, substitute

USER: Final = b"<user>"
EMAIL: Final = b"<email>"
_WINDOWS_HOME: Final = re2.compile(rb"(?i)([a-z]:[\\/]{1,4}users[\\/]{1,4})([^\\/:*?\"<>|\n]+)([\\/])")
_HOME: Final = re2.compile(
    rb"(/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4}|/torchinductor_)([^/\\\s\"'`:;,<>|()\[\]{}]+)"
)
_PROMPT: Final = re2.compile(
    rb"(?m)^([(\[]?(?:[\w.-]+\)[ \t]+)?)([A-Za-z_][\w.-]*)(@[\w.-]+:?[ ]?[~/][^\s$#]*[\])]?[$#])"
)
_REMOTE: Final = re2.compile(rb"(\b(?:ssh|scp|rsync|sftp)\b[^\n@]*[ \t])([A-Za-z_][\w.-]*)(@)")
_EMAIL: Final = re2.compile(
    rb"[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b"
)
#: so many different names are replaced each at once
_DIFFERENT_NAMES: Final = 40
#: accounts that are nobody's name
_NOBODY: Final = frozenset({b"root", b"Shared", b"Public", b"Default", b"runner", b"nobody"})


def mask_people(data: bytes) -> tuple[bytes, int]:
    """Replace user names in home folders, shell prompts and remote logins, and e-mail addresses."""
    count = 0
    if b"Users" in data or b"users" in data:
        data, count = substitute(_WINDOWS_HOME, _home, data)
    if b"/home/" in data or b"Users" in data or b"/torchinductor_" in data:
        data, more = _mask_homes(data)
        count += more
    if b"@" in data:
        for pattern, replacement in ((_PROMPT, _login), (_REMOTE, _login), (_EMAIL, _email)):
            data, more = substitute(pattern, replacement, data)
            count += more
    return data, count


def _mask_homes(data: bytes) -> tuple[bytes, int]:
    """Replace user names in paths; a traceback holds one name many times, so each is replaced at once."""
    count = position = 0
    for _ in range(_DIFFERENT_NAMES):
        found = _HOME.search(data, position)
        if found is None:
            return data, count
        new = _home(found)
        if new is None:
            position = found.end()
            continue
        old, after = found.group(), data[found.end() : found.end() + 1]
        count += data.count(old + after) if after else 1
        data = data.replace(old + after, new + after) if after else data[: found.start()] + new
        position = found.start() + len(new)
    head = data[:position]
    data, more = substitute(_HOME, _home, data[position:])
    return head + data, count + more


def _home(found: Found) -> bytes | None:
    folder, name = (found.group(1) or b""), (found.group(2) or b"")
    if name in _NOBODY or name.startswith((b"<", b"$", b"*", b"...")):
        return None
    tail = (found.group() or b"")[len(folder) + len(name) :]
    return folder + USER + tail


def _login(found: Found) -> bytes | None:
    name = found.group(2) or b""
    return None if name in _NOBODY else (found.group(1) or b"") + USER + (found.group(3) or b"")


def _email(found: Found) -> bytes | None:
    return None if (found.group() or b"").lower() == b"git@github.com" else EMAIL
