"""The container engine's own API over its socket: Docker's, and podman's that speaks the same. Not for servers."""

from __future__ import annotations

import calendar
import http.client
import io
import json
import os
import posixpath
import re
import socket
import struct
import tarfile
import time
from typing import Any, Iterator
from urllib.parse import quote, urlencode

from ..refusal import UNABLE, Refusal

#: old enough for Debian's engine, new enough for GPUs
_VERSION = "/v1.40"
#: how the engine's tools are told of another socket; not heeded for requests that come over ssh
SOCKET_VARIABLE = "DOCKER_HOST"
_SOCKETS = ("/var/run/docker.sock", "/run/podman/podman.sock")
_SECONDS = 30.0
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{1,9})Z\Z")
#: from a name to its file
_MOST_LINKS = 8
#: of one answer that is no log
_LIMIT = 8 << 20


class _Connection(http.client.HTTPConnection):
    """HTTP over a socket of the file system."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("engine", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def socket_path() -> str:
    """Return where the engine listens."""
    named = os.environ.get(SOCKET_VARIABLE, "")
    if named.startswith("unix://") and "SSH_CONNECTION" not in os.environ:
        return named[len("unix://") :]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    own = [os.path.join(runtime, "docker.sock")] if runtime else []  # noqa: PTH118 - a text
    found = [path for path in (*own, *_SOCKETS) if os.path.exists(path)]  # noqa: PTH110 - a text
    return found[0] if found else _SOCKETS[0]


def get(path: str, **query: object) -> Any:  # noqa: ANN401 - JSON
    """Return what the engine answers; None when it knows no such thing."""
    status, body = _ask("GET", path, query, None, _SECONDS)
    if status == 404:
        return None
    return _sound(status, body, path)


def post(path: str, body: object = None, seconds: float = _SECONDS, **query: object) -> Any:  # noqa: ANN401 - JSON
    """Ask the engine to do something; what is done already is fine."""
    status, answer = _ask("POST", path, query, body, seconds)
    return None if status == 304 else _sound(status, answer, path)


def delete(path: str, **query: object) -> None:
    """Remove something; what is gone is fine."""
    status, answer = _ask("DELETE", path, query, None, _SECONDS)
    if status != 404:
        _sound(status, answer, path)


def container(name: str) -> Any:  # noqa: ANN401 - JSON
    """Return what the engine says of a container; None when there is none of that name or id."""
    return get("/containers/%s/json" % quote(name, safe=""))


def containers(**labels: str) -> list[dict[str, Any]]:
    """Return the containers with all these labels, stopped ones too."""
    wanted = ["%s=%s" % pair for pair in labels.items()]
    found = get("/containers/json", all="true", filters=json.dumps({"label": wanted}))
    return list(found or [])


def read_file(name: str, path: str, limit: int) -> bytes | None:
    """Return the beginning of a file of a container, links followed; None when there is no such file."""
    for _ in range(_MOST_LINKS):
        status, body = _ask(
            "GET", "/containers/%s/archive" % quote(name, safe=""), {"path": path}, None, _SECONDS
        )
        if status != 200:
            return None
        entry, data = _first_entry(body, limit)
        if entry is None or not entry.issym():
            return data
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), entry.linkname))
    return None


def _first_entry(body: bytes, limit: int) -> tuple[tarfile.TarInfo | None, bytes | None]:
    """Return what a tar begins with, and the beginning of its content where it is a file."""
    try:
        # of a long file only the beginning came
        with tarfile.open(fileobj=io.BytesIO(body), mode="r|") as archive:
            entry = archive.next()
            stream = archive.extractfile(entry) if entry is not None and entry.isfile() else None
            return entry, None if stream is None else stream.read(limit)
    except tarfile.TarError:
        return None, None


def log_lines(name: str, since: str, *, has_terminal: bool) -> Iterator[bytes]:
    """Yield a container's output since a time as the engine wrote it (empty: all), each line behind its own time."""
    query = {"stdout": "true", "stderr": "true", "timestamps": "true", "since": _seconds(since)}
    connection = _Connection(socket_path(), _SECONDS)
    try:
        response = _send(
            connection, "GET", "/containers/%s/logs?%s" % (quote(name, safe=""), urlencode(query)), None
        )
        if response.status != 200:
            return
        yield from _lines(response, has_terminal=has_terminal)
    except (OSError, http.client.HTTPException) as error:
        raise _no_answer(error) from None
    finally:
        connection.close()


def _seconds(stamp: str) -> str:
    """Return a time such as `2026-12-01T11:44:07.243223568Z` as the engine wants to be asked."""
    found = _STAMP.match(stamp)
    if found is None:
        return "0"
    whole = calendar.timegm(time.strptime(found.group(1), "%Y-%m-%dT%H:%M:%S"))
    return "%d.%s" % (whole, found.group(2).ljust(9, "0"))


def _lines(response: http.client.HTTPResponse, *, has_terminal: bool) -> Iterator[bytes]:
    if has_terminal:
        yield from response
        return
    # Each frame has eight bytes before it: which stream, three zeros, its length.
    while True:
        header = response.read(8)
        if len(header) < 8:
            return
        frame = response.read(struct.unpack(">I", header[4:])[0])
        yield frame


def _ask(method: str, path: str, query: dict[str, object], body: object, seconds: float) -> tuple[int, bytes]:
    connection = _Connection(socket_path(), seconds)
    try:
        target = path + ("?" + urlencode({key: str(value) for key, value in query.items()}) if query else "")
        response = _send(connection, method, target, body)
        return response.status, response.read(_LIMIT)
    except (OSError, http.client.HTTPException) as error:
        raise _no_answer(error) from None
    finally:
        connection.close()


def _send(connection: _Connection, method: str, target: str, body: object) -> http.client.HTTPResponse:
    data = None if body is None else json.dumps(body).encode("utf-8")
    headers = {"Content-Type": "application/json"} if data is not None else {}
    connection.request(method, _VERSION + target, body=data, headers=headers)
    return connection.getresponse()


def _sound(status: int, body: bytes, path: str) -> Any:  # noqa: ANN401 - JSON
    text = body.decode("utf-8", "replace")
    if status >= 400:
        try:
            said = str(json.loads(text)["message"])
        except (ValueError, KeyError, TypeError):
            said = text
        raise Refusal(
            UNABLE,
            "the container engine refuses %s: %s"
            % (path.rsplit("/", maxsplit=1)[-1], " ".join(said.split())[:300]),
            "try the same by hand on the host",
        )
    return json.loads(text) if text.strip() else None


def _no_answer(error: Exception) -> Refusal:
    return Refusal(
        UNABLE,
        "the container engine does not answer at %s: %s" % (socket_path(), error),
        "is it running, and may the helper use its socket?",
    )
