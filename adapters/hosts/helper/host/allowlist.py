"""The host's own list of what may be touched: read, checked, and trusted only when its owner alone can write it."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping

from ..refusal import NOT_ALLOWED, UNABLE, Refusal
from .server import DROP_ONLY, UNSET_ONLY, Allowed, Server

DEFAULT_PATH = "/etc/vllm-diagnose/helper.json"
DEFAULT_STATE = "/var/lib/vllm-diagnose"
#: names another list; not heeded for requests that come over ssh
PATH_VARIABLE = "VLLM_DIAGNOSE_HELPER_CONFIG"
_LIMIT = 1 << 20
_DRIVERS = ("process", "systemd", "docker", "compose")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_TEXTS = ("user", "cwd", "unit", "container", "compose_file", "service")
_KEYS = frozenset(_TEXTS) | {
    "driver",
    "port",
    "argv",
    "env",
    "scope",
    "log",
    "gpus",
    "env_allowed",
    "flags_allowed",
}
_NEEDS = {
    "process": ("argv",),
    "systemd": ("unit",),
    "docker": ("container",),
    "compose": ("compose_file", "service"),
}


@dataclass(frozen=True)
class Allowlist:
    """Everything that the host's owner allows."""

    path: Path
    state_dir: Path
    servers: Mapping[str, Server]

    def server(self, name: str) -> Server:
        """Return a server, or refuse."""
        if name not in self.servers:
            raise Refusal(
                NOT_ALLOWED,
                "this host's list holds no server %s" % name,
                "its owner adds it to %s" % self.path,
            )
        return self.servers[name]


def read_allowlist(environ: Mapping[str, str]) -> Allowlist:
    """Read the list: the default one for whoever comes over ssh, else the one that the variable names."""
    over_ssh = "SSH_CONNECTION" in environ or "SSH_ORIGINAL_COMMAND" in environ
    path = Path(DEFAULT_PATH if over_ssh else environ.get(PATH_VARIABLE) or DEFAULT_PATH)
    return parse_allowlist(path, _trusted_text(path))


def _trusted_text(path: Path) -> str:
    try:
        descriptor = os.open(str(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise Refusal(
            UNABLE,
            "the list of servers %s cannot be read: %s" % (path, error.strerror),
            "the host's owner writes it; see docs/how-to/set-up-a-gpu-host.md",
        ) from None
    with os.fdopen(descriptor, "rb") as stream:
        found = os.fstat(stream.fileno())
        if found.st_uid not in (0, os.geteuid()) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise Refusal(
                UNABLE,
                "others than root can write %s, so it is not trusted" % path,
                "chown root %s; chmod 0644 %s" % (path, path),
            )
        data = stream.read(_LIMIT + 1)
    if len(data) > _LIMIT:
        raise Refusal(UNABLE, "the list of servers %s is larger than 1 MiB" % path, "shorten it")
    return data.decode("utf-8", "replace")


def parse_allowlist(path: Path, text: str) -> Allowlist:
    """Check every word of the list; a fault makes all of it unusable, so that none is overlooked."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _fault(path, "it is no JSON: %s" % error) from None
    if (
        not isinstance(body, dict)
        or set(body) - {"version", "state_dir", "servers"}
        or body.get("version") != 1
    ):
        raise _fault(path, 'it must hold "version": 1, "state_dir" and "servers", and nothing else')
    state_dir = body.get("state_dir", DEFAULT_STATE)
    if not isinstance(state_dir, str) or not state_dir.startswith("/"):
        raise _fault(path, "state_dir must be an absolute path")
    servers = body.get("servers")
    if not isinstance(servers, dict):
        raise _fault(path, "servers must be an object")
    return Allowlist(
        path, Path(state_dir), {name: _server(path, name, value) for name, value in servers.items()}
    )


def _server(path: Path, name: str, body: object) -> Server:
    if not _NAME.match(name) or not isinstance(body, dict):
        raise _fault(
            path, "server %r: a name is up to 64 letters, digits, dots and dashes, its value an object" % name
        )
    where = "server %s" % name
    if set(body) - _KEYS:
        raise _fault(path, "%s has a key that is not known: %s" % (where, min(set(body) - _KEYS)))
    driver, port = body.get("driver"), body.get("port")
    if driver not in _DRIVERS:
        raise _fault(path, "%s: driver must be one of %s" % (where, ", ".join(_DRIVERS)))
    if type(port) is not int or not 0 < port < 65536:
        raise _fault(path, "%s: port must be a number from 1 to 65535" % where)
    for key in _NEEDS[driver]:
        if not body.get(key):
            raise _fault(path, "%s: the driver %s needs %s" % (where, driver, key))
    texts: dict[str, str | None] = {}
    for key in _TEXTS:
        texts[key] = body.get(key)
        if texts[key] is not None and not _is_text(texts[key]):
            raise _fault(path, "%s: %s must be a text without control characters" % (where, key))
    scope = body.get("scope", "system")
    if scope not in ("system", "user"):
        raise _fault(path, "%s: scope must be system or user" % where)
    return Server(
        name=name,
        driver=driver,
        port=port,
        argv=_texts(path, where, "argv", body.get("argv", [])),
        env=_pairs(path, where, body.get("env", {})),
        scope=scope,
        log_file=_log(path, where, body.get("log")),
        gpus=_texts(path, where, "gpus", body.get("gpus", [])),
        env_allowed=_allowed(path, where, "env_allowed", UNSET_ONLY, body.get("env_allowed", {})),
        flags_allowed=_allowed(path, where, "flags_allowed", DROP_ONLY, body.get("flags_allowed", {})),
        **texts,
    )


def _log(path: Path, where: str, body: object) -> str | None:
    if body is None:
        return None
    if not isinstance(body, dict) or set(body) != {"file"} or not str(body["file"]).startswith("/"):
        raise _fault(path, '%s: log must be null or {"file": "/absolute/path"}' % where)
    return str(body["file"])


def _texts(path: Path, where: str, key: str, body: object) -> tuple[str, ...]:
    if not isinstance(body, list) or not all(_is_text(value) for value in body):
        raise _fault(path, "%s: %s must be a list of texts" % (where, key))
    return tuple(body)


def _pairs(path: Path, where: str, body: object) -> dict[str, str]:
    if not isinstance(body, dict) or not all(
        name and "=" not in name and _is_text(body[name]) for name in body
    ):
        raise _fault(path, "%s: env must map names to texts" % where)
    return dict(body)


def _allowed(path: Path, where: str, key: str, only: str, body: object) -> dict[str, Allowed]:
    if not isinstance(body, dict):
        raise _fault(path, "%s: %s must be an object" % (where, key))
    found = {}
    for name, rule in body.items():
        if rule == only:
            found[name] = Allowed()
        elif isinstance(rule, list) and all(_is_text(value) for value in rule):
            found[name] = Allowed(tuple(rule))
        elif isinstance(rule, dict) and set(rule) == {"pattern"} and isinstance(rule["pattern"], str):
            found[name] = Allowed(pattern=_pattern(path, "%s: %s" % (where, name), rule["pattern"]))
        else:
            raise _fault(
                path,
                '%s: %s of %s must be a list of values, {"pattern": …} or "%s"' % (where, key, name, only),
            )
    return found


def _pattern(path: Path, where: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.ASCII)
    except re.error as error:
        raise _fault(path, "%s: the pattern cannot be read: %s" % (where, error)) from None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not any(ord(char) < 32 or ord(char) == 127 for char in value)


def _fault(path: Path, what: str) -> Refusal:
    return Refusal(
        UNABLE, "the list of servers %s is not sound: %s" % (path, what), "the host's owner mends it"
    )
