"""Sets the helper up on a host, and takes it off again; says every step. Not for the list of servers: people write it.

`install [--account NAME] [--dry-run]`: the archive, the list (empty, when there is none), the drop-ins of units on
the list, and for an account that ssh lets in, the one line of sudoers that lets it ask the helper. `uninstall` undoes
that and leaves list and state, which hold what people wrote and what was done.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from . import program
from .drivers.unit import DROP_IN
from .host.allowlist import DEFAULT_PATH, parse_allowlist
from .refusal import UNABLE, Refusal

if TYPE_CHECKING:
    from .host.server import Server

ARCHIVE = Path("/usr/local/lib/vllm-diagnose/helper.pyz")
SUDOERS = Path("/etc/sudoers.d/vllm-diagnose")
SYSTEM_UNITS = Path("/etc/systemd/system")
_PYTHON = "/usr/bin/python3"
_ACCOUNT = re.compile(r"[a-z_][a-z0-9_-]{0,31}\Z")
_EMPTY_LIST = '{"version": 1, "state_dir": "/var/lib/vllm-diagnose", "servers": {}}\n'
_USAGE = """usage: helper install [--account NAME] [--dry-run]
       helper uninstall [--dry-run]
"""


@dataclass(frozen=True)
class Step:
    """One thing to do, in words and as an act."""

    says: str
    act: Callable[[], None]


def main(words: list[str]) -> int:
    """Run `install` or `uninstall` with its options and return the exit status."""
    verb, rest = words[0], words[1:]
    dry = "--dry-run" in rest
    rest = [word for word in rest if word != "--dry-run"]
    account = None
    if verb == "install" and rest[:1] == ["--account"] and len(rest) == 2:
        account, rest = rest[1], []
    if rest:
        sys.stderr.write(_USAGE)
        return 64
    if not dry and os.geteuid() != 0:
        raise Refusal(UNABLE, "setting up the helper needs root", "run it with sudo, or look with --dry-run")
    steps = _installing(account) if verb == "install" else _removing()
    for step in steps:
        sys.stdout.write(step.says + "\n")
        if not dry:
            step.act()
    return 0


def launcher_command(server: str) -> str:
    """Return what a unit runs instead of vLLM: as root for its own files, as the unit's user from then on."""
    return "%s -I -S -B %s launch %s" % (_PYTHON, ARCHIVE, server)


def sudoers_line(account: str) -> str:
    """Return the one command that the account may run as root, without any other word on it."""
    return "%s ALL=(root) NOPASSWD: %s -I -S -B %s serve-request\n" % (account, _PYTHON, ARCHIVE)


def authorized_key(key: str = "ssh-ed25519 AAAA…") -> str:
    """Return the line of authorized_keys that leaves the bot's key nothing but asking the helper."""
    return 'restrict,command="sudo -n %s -I -S -B %s serve-request" %s' % (_PYTHON, ARCHIVE, key)


def _installing(account: str | None) -> list[Step]:
    source = program.archive()
    if not source.is_file():
        raise Refusal(
            UNABLE, "only the built archive can be installed", "copy helper.pyz to the host, run it there"
        )
    steps = [Step("write %s" % ARCHIVE, lambda: _copy(source))]
    path = Path(DEFAULT_PATH)
    if not path.exists():
        steps.append(Step("write %s, with no server on it" % path, lambda: _write(path, _EMPTY_LIST, 0o644)))
    units = [server for server in _servers(path) if server.driver == "systemd"]
    steps.extend(_drop_in(server) for server in units)
    if units:
        steps.append(Step("let systemd read its files anew", lambda: _systemctl("daemon-reload")))
    if account is not None:
        _check_account(account)
        steps.append(
            Step("write %s: %s" % (SUDOERS, sudoers_line(account).strip()), lambda: _sudoers(account))
        )
        steps.append(
            Step(
                "add to ~%s/.ssh/authorized_keys, with the bot's key: %s" % (account, authorized_key()),
                _nothing,
            )
        )
    return steps


def _removing() -> list[Step]:
    drop_ins = [_removal(path) for path in sorted(SYSTEM_UNITS.glob("*.d/" + DROP_IN))]
    reload = (
        [Step("let systemd read its files anew", lambda: _systemctl("daemon-reload"))] if drop_ins else []
    )
    rest = [_removal(path) for path in (SUDOERS, ARCHIVE) if path.exists()]
    kept = Step("leave %s and /var/lib/vllm-diagnose: remove them by hand" % DEFAULT_PATH, _nothing)
    return [*drop_ins, *reload, *rest, kept]


def _removal(path: Path) -> Step:
    return Step("remove %s" % path, lambda: _remove(path))


def _drop_in(server: Server) -> Step:
    if server.scope == "user":
        says = "for the user unit %s, write into ~/.config/systemd/user/%s.d/%s:\n%s" % (
            server.unit, server.unit, DROP_IN, _drop_in_text(server)
        )  # fmt: skip
        return Step(says, _nothing)
    path = SYSTEM_UNITS / ("%s.d" % server.unit) / DROP_IN
    return Step("write %s" % path, lambda: _write(path, _drop_in_text(server), 0o644))


def _drop_in_text(server: Server) -> str:
    # `!`: the launcher reads root's files and takes the unit's user afterwards; the unit's sandbox stays
    raised = "!" if server.scope == "system" else ""
    return "# written by `helper install`; `helper uninstall` removes it\n[Service]\nExecStart=\nExecStart=%s%s\n" % (
        raised, launcher_command(server.name)
    )  # fmt: skip


def _servers(path: Path) -> list[Server]:
    if not path.exists():
        return []
    found = parse_allowlist(path, path.read_text(encoding="utf-8", errors="replace"))
    return [found.servers[name] for name in sorted(found.servers)]


def _check_account(account: str) -> None:
    if not _ACCOUNT.match(account):
        raise Refusal(UNABLE, "%r is no name of an account" % account, "name an account of this host")
    try:
        pwd.getpwnam(account)
    except KeyError:
        raise Refusal(
            UNABLE,
            "this host has no account %s" % account,
            "useradd --create-home --shell /bin/sh %s" % account,
        ) from None


def _sudoers(account: str) -> None:
    """Write the line, checked before it counts: a broken file would lock everybody out of sudo."""
    _write(SUDOERS, sudoers_line(account), 0o440, check=_visudo)


def _visudo(path: Path) -> None:
    tool = shutil.which("visudo", path="/usr/sbin:/usr/bin:/sbin:/bin")
    if tool is None:
        raise Refusal(UNABLE, "this host has no sudo", "install it, or let the account of ssh be root's own")
    found = subprocess.run([tool, "-cf", str(path)], capture_output=True, check=False)
    if found.returncode != 0:
        said = found.stderr.decode("utf-8", "replace").strip()
        raise Refusal(UNABLE, "visudo refuses the line: %s" % said, "report it")


def _copy(source: Path) -> None:
    ARCHIVE.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    fresh = ARCHIVE.with_name(ARCHIVE.name + ".new")
    shutil.copyfile(str(source), str(fresh))
    fresh.chmod(0o755)
    fresh.replace(ARCHIVE)


def _write(path: Path, text: str, mode: int, check: Callable[[Path], None] | None = None) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    # sudo passes over names with a point in them, so a draft never counts
    fresh = path.with_name(".%s.new" % path.name)
    fresh.write_text(text, encoding="utf-8")
    fresh.chmod(mode)
    try:
        if check is not None:
            check(fresh)
        fresh.replace(path)
    finally:
        if fresh.exists():
            fresh.unlink()


def _remove(path: Path) -> None:
    path.unlink()
    if path.parent.name.endswith(".d") and path.name == DROP_IN and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _systemctl(*words: str) -> None:
    subprocess.run(["systemctl", *words], check=True)


def _nothing() -> None:
    """Do nothing: the step is for a person."""
