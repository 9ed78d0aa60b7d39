"""What the owner's files say of a unit of systemd: its command and its environment, without what we put over them.

Written for systemd.exec(5), systemd.service(5) and systemd.unit(5) as of systemd 252. Not for asking the manager.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Mapping

from ..refusal import UNABLE, Refusal

#: the drop-in that makes a unit start through the launcher
DROP_IN = "90-vllm-diagnose.conf"
_LINE_END = re.compile(r"\\\r?\n[ \t]*")
_PREFIXES = "@-:+!"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass
class UnitText:
    """The settings of `[Service]` that make a launch, as far as files were read."""

    commands: list[str] = field(default_factory=list)
    environment: list[str] = field(default_factory=list)
    environment_files: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def read(self, text: str) -> None:
        """Take what a file adds; an empty value forgets what stood before."""
        lists = {
            "ExecStart": self.commands,
            "Environment": self.environment,
            "EnvironmentFile": self.environment_files,
            "UnsetEnvironment": self.removed,
        }
        section = ""
        for raw in _LINE_END.sub(" ", text).splitlines():
            line = raw.strip()
            if line.startswith("["):
                section = line
            name, equals, value = line.partition("=")
            found = lists.get(name.strip())
            if section != "[Service]" or not equals or found is None or line[:1] in "#;":
                continue
            if value.strip():
                found.append(value.strip())
            else:
                found.clear()


@dataclass(frozen=True)
class Names:
    """What specifiers stand for."""

    unit: str
    home: str
    user: str
    hostname: str

    def expanded(self, text: str) -> str:
        """Return a text with its specifiers replaced; refuse one that is not known."""
        return re.sub(r"%(.)", lambda found: self._of(found.group(1)), text)

    def _of(self, letter: str) -> str:
        stem = self.unit.rpartition(".")[0]
        prefix, at, instance = stem.partition("@")
        known = {
            "%": "%",
            "n": self.unit,
            "N": stem,
            "p": prefix,
            "P": _unescaped(prefix),
            "i": instance if at else "",
            "I": _unescaped(instance) if at else "",
            "h": self.home,
            "u": self.user,
            "H": self.hostname,
            "l": self.hostname.partition(".")[0],
            "t": "/run",
            "S": "/var/lib",
            "C": "/var/cache",
            "L": "/var/log",
            "E": "/etc",
            "T": "/tmp",  # noqa: S108 - what systemd says
            "V": "/var/tmp",  # noqa: S108 - what systemd says
        }
        if letter not in known:
            raise Refusal(
                UNABLE,
                "the unit %s uses %%%s, which the helper does not know" % (self.unit, letter),
                "write the server's argv and env into the host's own list",
            )
        return known[letter]


def read_unit(paths: Iterable[str]) -> UnitText:
    """Read a unit's file and its drop-ins, ours left out."""
    unit = UnitText()
    for path in paths:
        if Path(path).name == DROP_IN:
            continue
        try:
            unit.read(Path(path).read_text(encoding="utf-8", errors="replace"))
        except OSError as error:
            raise Refusal(
                UNABLE, "%s cannot be read: %s" % (path, error.strerror), "let the helper run as root"
            ) from None
    return unit


def environment_of(unit: UnitText, names: Names, base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that systemd would give the server: files win over the unit's own lines."""
    env = dict(base)
    for line in unit.environment:
        env.update(_pairs(_split(names.expanded(line))))
    for word in unit.environment_files:
        env.update(_file(names.expanded(word)))
    for line in unit.removed:
        for name in _split(names.expanded(line)):
            env.pop(name.partition("=")[0], None)
    return env


def argv_of(unit: UnitText, names: Names, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the command as systemd would execute it, variables filled in."""
    if len(unit.commands) != 1:
        raise Refusal(
            UNABLE,
            "the unit %s has %d commands in ExecStart" % (names.unit, len(unit.commands)),
            "write the server's argv and env into the host's own list",
        )
    command = unit.commands[0]
    literal = ":" in command[: len(command) - len(command.lstrip(_PREFIXES))]
    renamed = "@" in command[: len(command) - len(command.lstrip(_PREFIXES))]
    words = [names.expanded(word) for word in _split(command.lstrip(_PREFIXES))]
    if renamed and len(words) > 1:
        del words[1]
    return tuple(words if literal else [word for raw in words for word in _filled(raw, env)])


def _filled(word: str, env: Mapping[str, str]) -> list[str]:
    """Fill in variables: `$NAME` alone becomes as many words as it holds, everything else stays one."""
    alone = re.fullmatch(r"\$([A-Za-z_][A-Za-z0-9_]*)", word)
    if alone is not None:
        return _split(env.get(alone.group(1), ""))
    filled = _VARIABLE.sub(
        lambda found: env.get(found.group(1) or found.group(2), ""), word.replace("$$", "\0")
    )
    return [filled.replace("\0", "$")]


def _file(word: str) -> dict[str, str]:
    """Read an environment file; one that may be missing has a dash before it."""
    path = word.lstrip("-")
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        if word.startswith("-"):
            return {}
        raise Refusal(
            UNABLE, "the environment file %s cannot be read: %s" % (path, error.strerror), "mend the unit"
        ) from None
    env = {}
    for line in _LINE_END.sub("", text).splitlines():
        stripped = line.strip()
        if _ASSIGNMENT.match(stripped):
            name, _, value = stripped.partition("=")
            env[name] = _unquoted(value.strip())
    return env


def _unquoted(value: str) -> str:
    if value[:1] in ("'", '"'):
        try:
            return "".join(shlex.split(value, posix=True))
        except ValueError:
            return value
    return value


def _pairs(words: list[str]) -> dict[str, str]:
    found = [word.partition("=") for word in words]
    return {name: value for name, equals, value in found if equals and name}


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text, posix=True)
    except ValueError as error:
        raise Refusal(UNABLE, "a line of the unit cannot be read: %s" % error, "mend the unit") from None


def _unescaped(text: str) -> str:
    return re.sub(r"\\x([0-9a-fA-F]{2})", lambda found: chr(int(found.group(1), 16)), text.replace("-", "/"))
