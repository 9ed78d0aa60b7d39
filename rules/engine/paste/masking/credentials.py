"""Secrets that show by where they stand: in an address, a header, a flag or an assignment."""

from typing import Final

import re2

from rules.engine.paste.masking.substitution import Found, substitute
from rules.engine.paste.masking.tokens import TOKEN

_URL: Final = re2.compile(rb"([A-Za-z][A-Za-z0-9+.-]*://)([^\s/@'\"<>]+(?::[^\s'\"<>@]*)?)@")
_HEADER: Final = re2.compile(
    rb"(?i)((?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token|digest)\s+)?|\bbearer\s+)"
    rb"([^\s\"'<>,}]{6,})"
)
_BASIC: Final = re2.compile(rb"(\bcurl\b[^\n]* (?:-u|--user)[ =][\"']?)([^\s:\"']+:[^\s\"']+)")
_SCHEMES: Final = frozenset({b"bearer", b"basic", b"token", b"digest"})

#: a quote that is not closed ends with its line, for pastes are cut off anywhere
_VALUE: Final = rb"(\"[^\"\n]*\"?|'[^'\n]*'?|\[[^\]\n]*\]?|[^\s\"'`<>|;&)\]}\[({][^\s\"'`<>|;&)\]}]*)"
_FLAG: Final = re2.compile(
    rb"(?i)(--?(?:[a-z0-9_.-]*[-_.])?(?:api[-_]?key|token|secret|secret[-_]key|access[-_]key|password|passwd|passphrase)"
    rb"(?:=|[ \t]+))" + _VALUE + rb"((?:[ \t]+[A-Za-z0-9_+/=.]*[0-9][A-Za-z0-9_+/=.]{7,})*)"
)
_NAME: Final = (
    rb"(?:[A-Za-z0-9_.-]*(?i:api[_-]?key|(?:access|secret|private|auth|account|signing|encryption|master)[_-]?key(?:[_-]?id)?"
    rb"|(?:auth|access|refresh|hf|hub|bearer|bot|app|session|github|gh|slack|discord|wandb|user|api|login|vault|oauth|security)[_-]?token"
    rb"|secret|passw(?:or)?d|passphrase|credentials?|x-amz-signature)"
    rb"|\b(?:[A-Z0-9]+_)*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|PAT|PSK)|\btoken)"
)
_SEPARATOR: Final = rb"(?:[\"']?\]?[ \t]*(?::|=>?)[ \t]*|[\"'][ \t]*,[ \t]*)"
_ASSIGNMENT: Final = re2.compile(rb"(" + _NAME + rb")(" + _SEPARATOR + rb")" + _VALUE)
#: `ENV HF_TOKEN abc` of a Dockerfile, `setenv HF_TOKEN abc` of csh
_SPACED: Final = re2.compile(
    rb"((?:\bENV|\bsetenv)[ \t]+(?:[A-Z0-9]+_)*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?))([ \t]+)"
    + _VALUE
)
#: `name: HF_TOKEN` with `value: …` after it, as Kubernetes writes an environment
_NAMED: Final = re2.compile(
    rb"(?i)(\bname[\"']?:[ \t]*[\"']?[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)[\"']?,?)"
    rb"(\s{0,80}[\"']?value[\"']?:[ \t]*)" + _VALUE
)
_ASSIGNMENT_HINTS: Final = (
    b"key",
    b"token",
    b"secret",
    b"passw",
    b"passphrase",
    b"credential",
    b"signature",
    b"pwd",
    b"psk",
    b"pat",
    b"pass",
)

_NOTHING: Final = frozenset(
    {
        b"",
        b"none",
        b"null",
        b"true",
        b"false",
        b"empty",
        b"str",
        b"string",
        b"optional",
        b"...",
        b"***",
        b"default",
        b"secret",
    }
)
_REFERENCES: Final = (
    b"$",
    b"<",
    b"os.",
    b"self.",
    b"args.",
    b"envs.",
    b"kwargs",
    b"%s",
    b"{",
    b"...",
    b"***",
)
#: words that follow a flag's name in a sentence
_SENTENCE: Final = frozenset(
    {
        b"is",
        b"was",
        b"are",
        b"isn't",
        b"has",
        b"flag",
        b"option",
        b"argument",
        b"and",
        b"or",
        b"requires",
        b"required",
        b"must",
    }
    | {
        b"for",
        b"in",
        b"to",
        b"with",
        b"not",
        b"value",
        b"when",
        b"if",
        b"the",
        b"a",
        b"set",
        b"does",
        b"should",
        b"can",
        b"on",
    }
    | {b"at", b"you", b"it"}
)


def mask_urls(data: bytes) -> tuple[bytes, int]:
    """Replace user and password before the host of an address."""
    if b"://" not in data or b"@" not in data:
        return data, 0
    return substitute(_URL, _url, data)


def _url(found: Found) -> bytes | None:
    inner = found.group(2) or b""
    return None if inner in {b"git", TOKEN} else (found.group(1) or b"") + TOKEN + b"@"


def mask_headers(data: bytes) -> tuple[bytes, int]:
    """Replace the value of `Authorization` headers, bearer tokens, and the user that curl signs in as."""
    lowered = data.lower()
    count = 0
    if b"authorization" in lowered or b"bearer" in lowered:
        data, count = substitute(_HEADER, _header, data)
    if b"curl" in lowered:
        data, more = substitute(_BASIC, lambda found: (found.group(1) or b"") + TOKEN, data)
        count += more
    return data, count


def _header(found: Found) -> bytes | None:
    value = found.group(2) or b""
    bare_bearer = (found.group(1) or b"").lower().startswith(b"bearer")
    if value.lower() in _SCHEMES or (bare_bearer and value.isalpha()):
        return None
    return (found.group(1) or b"") + TOKEN


def mask_flags(data: bytes) -> tuple[bytes, int]:
    """Replace the value after flags such as `--api-key`, with further values that look like keys."""
    return substitute(_FLAG, _flag, data) if b"--" in data or b" -" in data else (data, 0)


def _flag(found: Found) -> bytes | None:
    name, value = (found.group(1) or b""), (found.group(2) or b"")
    bare = value.strip(b"\"'[].,")
    spelled = name.strip(b"-= \t").replace(b"-", b"_").upper()
    if (
        bare.lower() in _SENTENCE
        or value.startswith(b"-")
        or not _is_secret(spelled, value)
        or bare.upper() == spelled
    ):
        return None
    return name + _masked_like(value)


def mask_assignments(data: bytes) -> tuple[bytes, int]:
    """Replace values of names such as `HF_TOKEN`, `api_key` or `password`, however they are assigned."""
    lowered = data.lower()
    if not any(hint in lowered for hint in _ASSIGNMENT_HINTS):
        return data, 0
    count = 0
    for pattern in (_ASSIGNMENT, _SPACED, _NAMED):
        data, masked = substitute(pattern, _assignment, data)
        count += masked
    return data, count


def _assignment(found: Found) -> bytes | None:
    name, separator, value = (found.group(1) or b""), (found.group(2) or b""), (found.group(3) or b"")
    if not _is_secret(name, value):
        return None
    quoted = value[:1] in b"\"'["
    if not quoted:
        if b":" in separator and b"value" not in separator and not _reads_as_value(found, value):
            return None
        value = _first_value(value)
    after = (found.group() or b"")[len(name) + len(separator) + len(value) :]
    return name + separator + _masked_like(value) + after


def _reads_as_value(found: Found, value: bytes) -> bool:
    """Tell whether what follows a colon is a value: it ends its line, or holds a digit."""
    rest = found.string[found.end() : found.end() + 2]
    return any(character in b"0123456789" for character in value) or rest[:1] in (
        b"",
        b"\n",
        b"\r",
        b",",
        b"}",
    )


def _first_value(value: bytes) -> bytes:
    """Return the value without what follows a comma, if another assignment does."""
    head, comma, rest = value.partition(b",")
    if not comma:
        return value
    return head if not rest or b"=" in rest or b":" in rest else value


def _is_secret(name: bytes, value: bytes) -> bool:
    bare = value.strip(b"\"'[]").strip(b"\"', ")
    lowered = bare.lower().rstrip(b",.)")
    if lowered in _NOTHING or bare.startswith(_REFERENCES) or bare == TOKEN:
        return False
    if value[:1] not in b"\"'[" and (
        b"(" in value or lowered.replace(b"-", b"_").endswith(name.lower().replace(b"-", b"_"))
    ):
        return False
    if bare.isdigit() and len(bare) <= 6 and name.upper().endswith(b"TOKEN"):
        return False
    # `token` alone also names special tokens of a model, which are short words.
    return name != b"token" or len(bare) >= 8


def _masked_like(value: bytes) -> bytes:
    """Return the mark in the quotes or brackets of the value."""
    if value[:1] == b"[":
        return b"['" + TOKEN + b"']"
    if value[:1] in b"\"'" and len(value) > 1:
        return value[:1] + TOKEN + value[:1]
    return TOKEN
