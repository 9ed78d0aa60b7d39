"""Servers that are containers of an engine: each start is a container of its own under the server's name.

A container's environment holds what its image sets, and the engine cannot take that away. So a start runs `env -u`
with the names to remove, and the launch behind it. The container that the host's owner made is kept aside, stopped,
under the name NAME.before-relaunch; what it was made from is kept in the server's folder.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable
from urllib.parse import quote

from .. import program
from ..launch import launcher, wrapper
from ..launch.spec import Spec
from ..logs.keeping import read_file, size_of
from ..processes.cgroups import members_of
from ..refusal import UNABLE, Refusal
from ..state.files import read_json, write_json
from . import engine
from .copying import copied, copy, read_copy
from .interface import ABSENT, EXITED, RUNNING, Look, Observation
from .making import LIBRARY_INSIDE, SITE_INSIDE, START, body_of, endpoint_of, is_own_network

if TYPE_CHECKING:
    from pathlib import Path

    from ..host.server import Server
    from ..state.folder import Folder
    from .interface import Piece, Start

_ASIDE = ".before-relaunch"
#: what the engine gives a container that has no PATH
_SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SCRIPT_LIMIT = 1 << 16
#: how much longer than the grace the engine may take to stop a container
_STOP_SECONDS = 30.0


def create(server: Server, folder: Folder) -> DockerDriver:
    """Return the driver of a server that is the container of a name."""
    name = server.container
    if name is None:
        raise Refusal(UNABLE, "the host's list names no container for %s" % server.name, "its owner adds it")
    return DockerDriver(server, folder, lambda: name)


@dataclass(frozen=True)
class DockerDriver:
    """One server as a container."""

    server: Server
    folder: Folder
    #: returns the name of the server's container
    find_name: Callable[[], str]
    #: whether the owner's container stays, stopped, under another name
    keeps_aside: bool = True

    def checks(self) -> tuple[Look, ...]:
        """Look whether the engine answers and knows the container or how it was made."""
        name = self.find_name()
        is_known = engine.container(name) is not None or self._kept() is not None
        detail = "%s is there" % name if is_known else "the engine knows no container %s" % name
        return (Look("container", is_known, detail),)

    def registered(self) -> Spec:
        """Return the launch of the container as the host's owner made it."""
        made = self._owners()
        config = made["Config"]
        argv = [*(config.get("Entrypoint") or []), *(config.get("Cmd") or [])]
        pairs = [pair.partition("=") for pair in config.get("Env") or []]
        return Spec(tuple(argv), {name: value for name, _, value in pairs})

    def script(self, spec: Spec) -> wrapper.Script | None:
        """Return what the container runs before vLLM; its text is read from the container's files."""
        return wrapper.script_elsewhere(spec, lambda name: self._text_of(name, spec.env.get("PATH")))

    def observe(self, start_id: str | None) -> Observation:
        """Look at the container of the server's name."""
        found = engine.container(self.find_name())
        if found is None:
            return Observation(EXITED if start_id and self._made(start_id) else ABSENT, start_id)
        state, own = found["State"], _start_of(found)
        if state.get("Status") == "created":
            return Observation(ABSENT, None)
        restarts = int(found.get("RestartCount", 0))
        pid = int(state.get("Pid", 0))
        if state.get("Running") and pid:
            return Observation(RUNNING, own, pid, members_of(pid), restarts)
        return Observation(EXITED, own, restarts=restarts, exit_code=_exit_code(state))

    def start(self, start: Start) -> None:
        """Make the container of this start, in place of the one before, and start it once."""
        made = self._made(start.start_id)
        if made is None:
            owners = self._owners()
            self._put_aside()
            made = self._create(start, owners)
        if made["State"].get("Status") == "created":
            engine.post("/containers/%s/start" % made["Id"])

    def end(self, start_id: str | None, grace_seconds: float) -> bool:
        """Let the engine stop the container, which ends everything in it."""
        del start_id
        found = engine.container(self.find_name())
        state = {} if found is None else found["State"]
        if not (state.get("Running") or state.get("Restarting")):
            return False
        if _start_of(found) is None:
            self._keep(found)
        engine.post("/containers/%s/update" % found["Id"], {"RestartPolicy": {"Name": "no"}})
        engine.post(
            "/containers/%s/stop" % found["Id"],
            seconds=grace_seconds + _STOP_SECONDS,
            t=max(1, round(grace_seconds)),
        )
        after = engine.container(found["Id"]) or {"State": {}}
        if after["State"].get("Running"):
            raise Refusal(
                UNABLE,
                "the container of %s does not end although it was killed" % self.server.name,
                "it hangs in the kernel, most likely in the GPU driver: the machine must be restarted",
            )
        return bool(after["State"].get("ExitCode") == 137)

    def read_log(self, start_id: str, offset: int, limit: int) -> Piece:
        """Copy what the engine has kept since the last time, and read the copy; or the server's own file."""
        record = read_json(self.folder.start_record(start_id)) or {}
        if self.server.log_file is not None:
            return read_file(self._log_file(), int(record.get("log_base", 0)), offset, limit)
        made = self._made(start_id)
        if made is not None:
            mark = copied(self.folder, start_id)
            lines = engine.log_lines(made["Id"], mark, has_terminal=bool(made["Config"].get("Tty")))
            copy(self.folder, start_id, map(_timed, lines))
        return read_copy(self.folder, start_id, offset, limit)

    def _log_file(self) -> Path:
        from pathlib import Path  # noqa: PLC0415 - only servers with a log of their own need it

        return Path(str(self.server.log_file))

    def _made(self, start_id: str) -> Any:  # noqa: ANN401 - JSON
        """Return the container of a start; None when it was never made, or somebody removed it."""
        found = engine.containers(**{START: start_id})
        return engine.container(found[0]["Id"]) if found else None

    def _owners(self) -> Any:  # noqa: ANN401 - JSON
        """Return how the owner made the container: as it is, or as it was before our first start."""
        found = engine.container(self.find_name())
        kept = self._kept()
        if found is not None and _start_of(found) is None:
            # What we stopped is as it was kept, but for its restart policy.
            return kept if kept is not None and kept["Id"] == found["Id"] else found
        if kept is None:
            raise Refusal(
                UNABLE,
                "the engine knows no container %s" % self.find_name(),
                "start the server once as you always do, then ask again",
            )
        return kept

    def _kept(self) -> dict[str, Any] | None:
        return read_json(self.folder.path / "container.json")

    def _keep(self, found: dict[str, Any]) -> None:
        """Write down how the owner made a container, once, before anything about it is changed."""
        if (self._kept() or {}).get("Id") != found["Id"]:
            write_json(self.folder.path / "container.json", found)

    def _put_aside(self) -> None:
        """Free the server's name: ours of before goes, the owner's own is kept under another name."""
        name = self.find_name()
        found = engine.container(name)
        if found is None:
            return
        if _start_of(found) is not None:
            engine.delete("/containers/%s" % found["Id"])
            return
        self._keep(found)
        if not self.keeps_aside:
            engine.delete("/containers/%s" % found["Id"])
            return
        earlier = engine.container(name + _ASIDE)
        if earlier is not None:
            engine.delete("/containers/%s" % earlier["Id"])
        engine.post("/containers/%s/rename" % found["Id"], name=name + _ASIDE)

    def _create(self, start: Start, owners: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        if self.server.log_file is not None:
            write_json(self.folder.start_record(start.start_id), {"log_base": size_of(self._log_file())})
        site = () if self.script(start.spec) is None else self._site_mounts()
        body = body_of(start, owners, self._from_image(owners), site)
        networks = dict((owners.get("NetworkSettings") or {}).get("Networks") or {})
        first = next(iter(networks), None)
        if first is not None and is_own_network(owners):
            body["NetworkingConfig"] = {"EndpointsConfig": {first: endpoint_of(networks.pop(first))}}
        else:
            networks = {}
        made = engine.post("/containers/create", body, name=self.find_name())
        for name, settings in networks.items():
            engine.post(
                "/networks/%s/connect" % quote(name, safe=""),
                {"Container": made["Id"], "EndpointConfig": endpoint_of(settings)},
            )
        return engine.container(made["Id"])

    def _site_mounts(self) -> tuple[str, ...]:
        """Return what a container must be given so that a change is made behind its script."""
        site = launcher.write_site(self.folder.path.parent, LIBRARY_INSIDE)
        return ("%s:%s:ro" % (site, SITE_INSIDE), "%s:%s:ro" % (program.archive(), LIBRARY_INSIDE))

    def _text_of(self, name: str, search_path: str | None) -> str:
        """Return the beginning of a program's file in the server's container; empty when it cannot be read."""
        found = engine.container(self.find_name())
        if found is None:
            return ""
        here = found["Config"].get("WorkingDir") or "/"
        folders = [here] if "/" in name else (search_path or _SEARCH_PATH).split(":")
        for folder in folders:
            data = engine.read_file(found["Id"], posixpath.join(folder, name), _SCRIPT_LIMIT)
            if data is not None:
                return data.decode("utf-8", "replace")
        return ""

    def _from_image(self, owners: dict[str, Any]) -> set[str]:
        """Return the names of variables that the image sets."""
        image = engine.get("/images/%s/json" % quote(str(owners["Image"]), safe="")) or {}
        return {pair.partition("=")[0] for pair in (image.get("Config") or {}).get("Env") or []}


def _exit_code(state: dict[str, Any]) -> int:
    """Return the code of the last end; the engine tells a signal as 128 and its number."""
    code = int(state.get("ExitCode", 0))
    return 128 - code if 128 < code < 128 + 65 else code


def _start_of(found: dict[str, Any]) -> str | None:
    return ((found.get("Config") or {}).get("Labels") or {}).get(START)


def _timed(line: bytes) -> tuple[str, bytes]:
    """Part a line from the time before it; the mark sorts as the time does."""
    stamp, _, data = line.partition(b" ")
    return stamp.decode("ascii", "replace"), data
