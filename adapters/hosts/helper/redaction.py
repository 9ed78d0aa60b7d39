"""Masks what is nobody else's business before it leaves the host. Not for deciding who may ask.

Every repeat in the patterns is bounded or cannot meet itself, so that time grows with the text and no faster.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterable, Mapping

if TYPE_CHECKING:
    from .launch.spec import Spec

MASK = "<masked>"
_TELLING_WORD = (
    r"(?:api|access|secret|private|auth|account|signing|encryption|master)[_-]?key(?:[_-]?id)?"
    r"|(?:auth|access|refresh|hf|hub|bearer|bot|app|session|github|gh|slack|discord|wandb|user|api|login|vault)[_-]?token"
    r"|secret|passw(?:or)?d|passphrase|credentials?"
)
_SECRET_NAME = re.compile(
    r"(?i:%s)|(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|PAT|PSK)\Z" % _TELLING_WORD
)
#: names whose values may be seen beside those of the host's list
_OPEN_NAME = re.compile(r"VLLM_\w+\Z|CUDA_VISIBLE_DEVICES\Z|RELAUNCH_CHANGE\Z")
_NOTHING = frozenset({"none", "null", "true", "false", "''", '""', "str", "string"})
#: shorter ones are words that stand everywhere
_SHORTEST_KNOWN = 6

_BLOCK = re.compile(
    r"-----BEGIN[ A-Z]{0,40}PRIVATE KEY-----.{0,16384}?(?:-----END[ A-Z]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)
_BASE64_LINE = re.compile(r"^[A-Za-z0-9+/]{60,}={0,2}$", re.MULTILINE)
_TOKEN = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,512}|xox[a-z]-[A-Za-z0-9-]{10,512}|xapp-[A-Za-z0-9-]{10,512}|sk-[A-Za-z0-9_-]{16,512}"
    r"|gh[pousr]_[A-Za-z0-9]{16,512}|github_pat_\w{16,512}|glpat-[A-Za-z0-9_-]{16,512}|AKIA[0-9A-Z]{16}"
    r"|AIza[A-Za-z0-9_-]{30,64}|nvapi-[A-Za-z0-9_-]{16,512}|eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,4096})"
)
_BEARER = re.compile(r"(?i)\b((?:bearer|basic) +)[A-Za-z0-9._~+/=-]{8,4096}")
_LOGIN = re.compile(r"(://)[^\s/@:'\"<>]{1,256}:[^\s/@'\"<>]{1,256}(@)")
_ASSIGNED = re.compile(
    r"((?:\b|_|-)(?:(?i:%s)|(?<![A-Za-z])(?:KEY|TOKEN|SECRET|PASSWORD))['\"]?\]? {0,4}(?:=|:|=>) {0,4})"
    r"(\"[^\"\n]{1,512}\"|'[^'\n]{1,512}'|[^\s\"'<>,;&)\]}({\[]{1,512})" % _TELLING_WORD
)
_FLAG = re.compile(
    r"(--(?:[a-z0-9]{1,20}[-_]){0,3}(?:api[-_]?key|token|secret|password)[= ]+)([^\s<-][^\s]{0,511})"
)
_HOME = re.compile(r"(/(?:home|Users)/)(?!<)[^/\s'\":,)\]]{1,64}")
_MAIL = re.compile(r"\b[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}\b")
_IPV4 = re.compile(r"(?<![\w.+-])(?<!==)(?<!version )(?<!v)((?:\d{1,3}\.){3}\d{1,3})(?![\w.]|-[a-z])")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4}){1,7}(?![\w:])")
_CLOCK = re.compile(r"[0-9]{1,2}(?::[0-9]{2}){1,3}\Z")


class Masker:
    """Masks texts about one server; knows the secrets of its launches by value."""

    def __init__(self, launches: Iterable[Spec], open_names: frozenset[str]) -> None:
        self._open_names = open_names
        known: set[str] = set()
        for spec in launches:
            known.update(value for name, value in spec.env.items() if _SECRET_NAME.search(name))
            known.update(_secret_words(spec.argv))
        worth = sorted((value for value in known if len(value) >= _SHORTEST_KNOWN), key=len, reverse=True)
        self._known = worth

    def text(self, text: str) -> str:
        """Return a text without secrets, names of people, and addresses."""
        for value in self._known:
            text = text.replace(value, MASK)
        text = _BLOCK.sub("<private-key>", text)
        text = _BASE64_LINE.sub(MASK, text)
        text = _TOKEN.sub(MASK, text)
        text = _BEARER.sub(r"\1" + MASK, text)
        text = _LOGIN.sub(r"\1" + MASK + r"\2", text)
        text = _FLAG.sub(r"\1" + MASK, text)
        text = _ASSIGNED.sub(_assignment, text)
        text = _HOME.sub(r"\1<user>", text)
        text = _MAIL.sub("<email>", text)
        text = _IPV4.sub(_ipv4, text)
        return _IPV6.sub(_ipv6, text)

    def launch(self, spec: Spec, spec_hash: str) -> dict[str, object]:
        """Return a launch as it may be seen."""
        return {"argv": self.argv(spec.argv), "env": self.env(spec.env), "spec_hash": spec_hash}

    def argv(self, argv: tuple[str, ...]) -> list[str]:
        """Return a command line as it may be seen."""
        secret = set(_secret_words(argv))
        return [self.text(_hide(word, secret)) for word in argv]

    def env(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return an environment as it may be seen: every name, and the values that say nothing secret."""
        return {
            self.text(name): self.text(value) if self._is_open(name) else MASK
            for name, value in sorted(env.items())
        }

    def _is_open(self, name: str) -> bool:
        is_listed = name in self._open_names or _OPEN_NAME.match(name) is not None
        return is_listed and _SECRET_NAME.search(name) is None


def _secret_words(argv: tuple[str, ...]) -> list[str]:
    """Return the values of flags whose names say that they are secret."""
    found = []
    for word, following in zip(argv, [*argv[1:], ""]):
        name, is_joined, value = word.partition("=")
        if name.startswith("--") and _SECRET_NAME.search(name.lstrip("-").replace("-", "_").upper()):
            found.append(value if is_joined else following)
    return [word for word in found if word and not word.startswith("--")]


def _hide(word: str, secret: set[str]) -> str:
    name, is_joined, value = word.partition("=")
    if word in secret:
        return MASK
    return "%s=%s" % (name, MASK) if is_joined and value in secret else word


def _assignment(found: re.Match[str]) -> str:
    value = found.group(2)
    is_nothing = value.lower() in _NOTHING or value.startswith(("$", "<"))
    return found.group() if is_nothing else found.group(1) + MASK


def _ipv4(found: re.Match[str]) -> str:
    parts = [int(part) for part in found.group(1).split(".")]
    is_plain = parts[0] in (0, 127, 255) or max(parts) > 255
    return found.group() if is_plain else "<ip>"


def _ipv6(found: re.Match[str]) -> str:
    return found.group() if _CLOCK.match(found.group()) else "<ip>"
