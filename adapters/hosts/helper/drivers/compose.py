"""Servers that are a service of a compose file: the container that compose made is found by its labels.

A start replaces that container as the docker driver does, and keeps compose's labels. So compose takes it for its
own, and `up` leaves it alone until the owner changes the file; an override file could not take away what an
env_file or the image sets.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..refusal import UNABLE, Refusal
from ..state.files import read_json, write_json
from . import engine
from .docker import DockerDriver

if TYPE_CHECKING:
    from ..host.server import Server
    from ..state.folder import Folder

_FILES = "com.docker.compose.project.config_files"
_FOLDER = "com.docker.compose.project.working_dir"
_SERVICE = "com.docker.compose.service"


def create(server: Server, folder: Folder) -> DockerDriver:
    """Return the driver of a server that is a service."""
    # Compose would take a container that is kept aside for the service's own, and can make it anew by itself.
    return DockerDriver(server, folder, lambda: _name(server, folder), keeps_aside=False)


def _name(server: Server, folder: Folder) -> str:
    """Return the name of the service's container; the one that it had last when there is none now."""
    found = [one for one in engine.containers(**{_SERVICE: str(server.service)}) if _is_of(one, server)]
    own = sorted(str(one["Names"][0]).lstrip("/") for one in found)
    if len(own) > 1:
        raise Refusal(
            UNABLE,
            "the service %s has %d containers" % (server.service, len(own)),
            "relaunch takes a service of one container; name each as a server of the driver docker",
        )
    path = folder.path / "compose.json"
    kept = read_json(path) or {}
    if own:
        if kept.get("name") != own[0]:
            write_json(path, {"name": own[0]})
        return own[0]
    if "name" in kept:
        return str(kept["name"])
    raise Refusal(
        UNABLE,
        "the service %s of %s has no container" % (server.service, server.compose_file),
        "bring it up once with compose, then ask again",
    )


def _is_of(one: dict[str, Any], server: Server) -> bool:
    """Tell whether a container was made from the server's compose file."""
    labels = one.get("Labels") or {}
    folder = str(labels.get(_FOLDER, ""))
    files = [os.path.normpath(os.path.join(folder, file)) for file in str(labels.get(_FILES, "")).split(",")]  # noqa: PTH118
    return os.path.normpath(str(server.compose_file)) in files
