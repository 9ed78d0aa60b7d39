"""What an engine is asked to make: the owner's container again, with the launch of one start. Pure. Not for asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..launch import launcher

if TYPE_CHECKING:
    from .interface import Start

#: label of a container that a start of ours made
START = "relaunch.start_id"
#: where a container whose script starts vLLM finds the way into it, and this program
SITE_INSIDE = "/run/vllm-diagnose/site"
LIBRARY_INSIDE = "/run/vllm-diagnose/helper"
#: what is kept of how the owner made the container
_KEPT_CONFIG = (
    "Hostname", "Domainname", "User", "ExposedPorts", "Tty", "OpenStdin", "StdinOnce", "Image", "Volumes",
    "WorkingDir", "Labels", "StopSignal", "StopTimeout", "Healthcheck", "MacAddress",
)  # fmt: skip


def body_of(
    start: Start, owners: dict[str, Any], from_image: set[str], site_mounts: tuple[str, ...]
) -> dict[str, Any]:
    """Return the container to make: as the owner made it, with exactly this launch.

    `from_image` are the names of variables that its image sets; `site_mounts` is what it needs so that a change is
    made behind its script, empty where it has none.
    """
    config = owners["Config"]
    body: dict[str, Any] = {key: config[key] for key in _KEPT_CONFIG if config.get(key) not in (None, "")}
    if str(config.get("Hostname", "")) == str(owners["Id"])[:12]:
        del body["Hostname"]
    env = launcher.environment(start.spec, start.start_id, SITE_INSIDE if site_mounts else None)
    # The names go on the command line, where everybody can read them; values never do.
    removing = [word for name in sorted(from_image - set(env)) for word in ("-u", name)]
    body["Entrypoint"] = [*(["env", *removing] if removing else []), *start.spec.argv]
    body["Cmd"] = []
    body["Env"] = ["%s=%s" % pair for pair in sorted(env.items())]
    body["Labels"] = dict(body.get("Labels") or {}, **{START: start.start_id})
    volumes = _volumes(owners)
    volumes["Binds"] = [*volumes["Binds"], *site_mounts]
    body["HostConfig"] = dict(owners["HostConfig"], **volumes)
    return body


def _volumes(owners: dict[str, Any]) -> dict[str, Any]:
    """Return the mounts with the volumes that have no name of the owner's choice: their content stays."""
    binds = list(owners["HostConfig"].get("Binds") or [])
    targets = {bind.split(":")[1] for bind in binds if bind.count(":")}
    targets |= {mount.get("Target") for mount in owners["HostConfig"].get("Mounts") or []}
    binds.extend(
        "%s:%s%s" % (mount["Name"], mount["Destination"], "" if mount.get("RW", True) else ":ro")
        for mount in owners.get("Mounts") or []
        if mount.get("Type") == "volume" and mount.get("Destination") not in targets
    )
    return {"Binds": binds, "ContainerIDFile": "", "AutoRemove": False}


def is_own_network(owners: dict[str, Any]) -> bool:
    """Tell whether the container has addresses of its own."""
    mode = str(owners["HostConfig"].get("NetworkMode", ""))
    return mode not in ("host", "none") and not mode.startswith("container:")


def endpoint_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Return how the owner joined the container to a network, without what the engine chose."""
    return {
        key: settings[key] for key in ("IPAMConfig", "Links", "Aliases", "DriverOpts") if settings.get(key)
    }
