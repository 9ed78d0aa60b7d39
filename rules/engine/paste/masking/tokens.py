"""Secrets that show by their form: private keys and the tokens of well-known services."""

from itertools import islice
from typing import Final

import re2

from rules.engine.paste.masking.substitution import MOST_MATCHES, WITHHELD, substitute

TOKEN: Final = b"<secret>"
_KEY_BEGIN: Final = re2.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = b"-----END"
_BODY: Final = re2.compile(
    rb"^[>|\s]*(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]+={1,2}"
    rb"|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): .*)?\s*$"
)
#: lines of a private key whose end was not copied
_LONGEST_KEY: Final = 400

#: one look for all of them costs less than a look for each
_HINTS: Final = re2.compile(
    rb"hf_|sk-|k_live_|k_test_|xox|xapp-|glpat-|gh[pousr]_|github_pat_|A[KS]IA|ACCA|ABIA|AIza|ya29\.|eyJ|nvapi-|npm_"
    rb"|dckr_pat_|gsk_|r8_|pypi-|hooks\.slack\.com|/api/webhooks/|wandb_v1_|api_org_"
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
    begins = [found.span() for found in islice(_KEY_BEGIN.finditer(data), MOST_MATCHES)]
    if len(begins) == MOST_MATCHES:
        data = data[: begins[-1][0]] + WITHHELD + b"\n" * data.count(b"\n", begins[-1][0])
        del begins[-1]
    parts: list[bytes] = []
    count = position = closing = 0
    nexts = [start for start, _ in begins[1:]] + [len(data)]
    for (start, inner), following in zip(begins, nexts, strict=False):
        if start < position:
            continue
        if 0 <= closing < inner:
            closing = data.find(_KEY_END, inner)
        end = _closed(data, closing) if 0 <= closing < following else _unclosed(data, inner, following)
        parts += [data[position:start], b"<private key>", b"\n" * data.count(b"\n", start, end)]
        position = end
        count += 1
    return b"".join([*parts, data[position:]]), count


def _closed(data: bytes, end: int) -> int:
    """Return where the line `-----END … KEY-----` at `end` stops."""
    newline = data.find(b"\n", end)
    line = data[end : newline if newline >= 0 else len(data)]
    closing = line.find(b"-----", len(_KEY_END))
    return end + (closing + 5 if closing >= 0 else len(line))


def _unclosed(data: bytes, start: int, limit: int) -> int:
    """Return where the lines stop that look like a key's body, when its last line was not copied."""
    position = data.find(b"\n", start, limit)
    if position < 0:
        return limit
    for _ in range(_LONGEST_KEY):
        newline = data.find(b"\n", position + 1, limit)
        line = data[position + 1 : newline if newline >= 0 else limit]
        if not _BODY.match(line[:200]):
            return position
        if newline < 0:
            return limit
        position = newline
    return position


def mask_tokens(data: bytes) -> tuple[bytes, int]:
    """Replace tokens of well-known services and the secret part of webhook addresses."""
    if _HINTS.search(data) is None:
        return data, 0
    data, count = substitute(_TOKENS, lambda _: TOKEN, data)
    data, webhooks = substitute(
        _WEBHOOK, lambda found: None if found.group(2) == TOKEN else (found.group(1) or b"") + TOKEN, data
    )
    return data, count + webhooks
