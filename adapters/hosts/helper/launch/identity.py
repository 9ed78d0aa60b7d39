"""Gives up root for the user that a server runs as. Not for what that user may do."""

from __future__ import annotations

import os
import pwd

from ..refusal import UNABLE, Refusal


def account(user: str | None) -> pwd.struct_passwd:
    """Return the account of a server's user; None means whoever runs the helper."""
    if user is None:
        return pwd.getpwuid(os.geteuid())
    try:
        return pwd.getpwnam(user)
    except KeyError:
        raise Refusal(UNABLE, "this host has no user %s" % user, "the host's owner mends the list") from None


def may_become(user: str | None) -> bool:
    """Tell whether this process may run something as that user."""
    return os.geteuid() in (0, account(user).pw_uid)


def become_user(user: str | None) -> None:
    """Turn this process into that user's, for good."""
    if user is None:
        return
    found = account(user)
    if os.geteuid() == found.pw_uid:
        return
    os.setgroups(os.getgrouplist(found.pw_name, found.pw_gid))
    os.setgid(found.pw_gid)
    os.setuid(found.pw_uid)


def base_environment(user: str | None) -> dict[str, str]:
    """Return what every program may expect in its environment, as a login of that user would have it."""
    found = account(user)
    return {
        "HOME": found.pw_dir,
        "LOGNAME": found.pw_name,
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "USER": found.pw_name,
    }
