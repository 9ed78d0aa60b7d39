"""From a server's word for its driver to the driver. Not for what drivers do."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..refusal import UNABLE, Refusal

if TYPE_CHECKING:
    from ..host.server import Server
    from ..state.folder import Folder
    from .interface import Driver

_MODULES = {"process": "process", "systemd": "systemd", "docker": "docker", "compose": "compose"}


def driver_of(server: Server, folder: Folder) -> Driver:
    """Return the driver of a server; only that one is imported."""
    try:
        module = import_module("." + _MODULES[server.driver], __package__)
    except ModuleNotFoundError:
        raise Refusal(
            UNABLE, "this helper has no driver %s" % server.driver, "install a newer helper on the host"
        ) from None
    driver: Driver = module.create(server, folder)
    return driver
