"""Secrets that show by their form: private keys and the tokens of well-known services."""

from typing import Final

import re2

from rules.engine.paste.masking.substitution import substitute

TOKEN: Final = b"<secret>"
_KEY_BEGIN: Final = re2.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = b"-----END"
_BODY: Final = re2.compile(rb"^[>|\s]*(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]+={1,2}|[A-Za-z-]+: .*)?\s*$")
#: lines of a private key whose end was not copied
_LONGEST_KEY: Final = 400

_HINTS: Final = (
    *(b"hf_", b"sk-", b"sk_", b"xox", b"xapp-", b"gh", b"glpat-", b"AKIA", b"ASIA", b"AIza", b"ya29.", b"eyJ", b"nvapi-"),
    *(b"npm_", b"dckr_pat_", b"gsk_", b"r8_", b"pypi-", b"hooks.slack.com", b"/api/webhooks/", b"wandb_", b"api_org_"),
)
_TOKENS: Final = re2.compile(
    rb"\b(?:"
    rb"(?:hf_|api_org_)[A-Za-z0-9]{16,}"
    rb"|sk-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"
    rb"|xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}"
    rb"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_.-]{16,}"
    rb"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}"
    rb"|AIza[A-Za-z0-9_-]{28,}|ya29\.[A-Za-z0-9_-]{16,}"
    rb"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]+)?"
    rb"|nvapi-[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{20,}|dckr_pat_[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}"
    rb"|pypi-[A-Za-z0-9_-]{40,}|wandb_v1_[A-Za-z0-9_]{16,}"
    rb")"
)
_WEBHOOK: Final = re2.compile(
    rb"(hooks\.slack\.com/(?:services|workflows|triggers)/|/api/webhooks/)([^\s\"'<>|)\]]+)"
)


def mask_private_keys(data: bytes) -> tuple[bytes, int]:
    """Replace each private key block by one mark, keeping its newlines."""
    if b"PRIVATE KEY" not in data:
        return data, 0
    parts: list[bytes] = []
    count = position = 0
    for found in _KEY_BEGIN.finditer(data):
        if found.start() < position:
            continue
        end = _end_of_key(data, found.end())
        parts += [data[position : found.start()], b"<private key>", b"\n" * data.count(b"\n", found.start(), end)]
        position = end
        count += 1
    return b"".join([*parts, data[position:]]), count


def _end_of_key(data: bytes, start: int) -> int:
    """Return where a key block ends; without its last line, after the lines that look like its body."""
    end = data.find(_KEY_END, start)
    following = data.find(b"-----BEGIN", start)
    if end >= 0 and (following < 0 or end < following):
        closing = data.find(b"-----", end + len(_KEY_END))
        stop = closing + 5 if closing >= 0 else len(data)
        newline = data.find(b"\n", end)
        return stop if newline < 0 else min(stop, newline)
    position = start
    for _ in range(_LONGEST_KEY):
        newline = data.find(b"\n", position)
        line = data[position : newline if newline >= 0 else len(data)]
        if position > start and not _BODY.match(line[:200]):
            return position - 1
        if newline < 0:
            return len(data)
        position = newline + 1
    return position - 1


def mask_tokens(data: bytes) -> tuple[bytes, int]:
    """Replace tokens of well-known services and the secret part of webhook addresses."""
    if not any(hint in data for hint in _HINTS):
        return data, 0
    data, count = substitute(_TOKENS, lambda _: TOKEN, data)
    data, webhooks = substitute(
        _WEBHOOK, lambda found: None if found.group(2) == TOKEN else (found.group(1) or b"") + TOKEN, data
    )
    return data, count + webhooks
