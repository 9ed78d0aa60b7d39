"""One HTTP request to a port of this machine, within a time and a size. No redirects, no proxies."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from dataclasses import dataclass

#: of a body; what is longer is cut
BODY_LIMIT = 64 << 10
_HEAD_LIMIT = 32 << 10
_CHUNK = 16 << 10
_LAST_CHUNK = b"0\r\n\r\n"


@dataclass(frozen=True)
class Answer:
    """What came back. `status` is None when nothing that is HTTP did, and `trouble` says why.

    With a status, `trouble` says why what came is not the whole answer.
    """

    status: int | None
    body: bytes
    seconds: float
    trouble: str = ""
    content_type: str = ""


@dataclass(frozen=True)
class Door:
    """Where a server listens, and whether with TLS."""

    address: str
    port: int
    is_tls: bool = False


def ask(door: Door, method: str, path: str, headers: dict[str, str], body: bytes, seconds: float) -> Answer:
    """Send a request and read what comes until it is whole, too long or too late."""
    began = time.monotonic()
    deadline = began + seconds
    raw = b""
    trouble = ""
    try:
        with _connected(door, seconds) as stream:
            stream.sendall(_request(door.port, method, path, headers, body))
            raw, trouble = _read(stream, deadline)
    except OSError as error:
        trouble = _why(error, seconds)
    spent = round(time.monotonic() - began, 3)
    if trouble:
        return Answer(None, b"", spent, trouble)
    return _parsed(raw, spent)


def _connected(door: Door, seconds: float) -> socket.socket:
    plain = socket.create_connection((door.address, door.port), timeout=seconds)
    if not door.is_tls:
        return plain
    # Its certificate is made out for a name that clients use. Whose port it is, is seen from the processes.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with plain:
        # the connection is the wrapping's now, and closing the plain one does nothing to it
        return context.wrap_socket(plain)


def _request(port: int, method: str, path: str, headers: dict[str, str], body: bytes) -> bytes:
    lines = ["%s %s HTTP/1.1" % (method, path), "Host: 127.0.0.1:%d" % port, "Connection: close"]
    lines += ["%s: %s" % pair for pair in headers.items()]
    if body:
        lines += ["Content-Type: application/json", "Content-Length: %d" % len(body)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def _read(stream: socket.socket, deadline: float) -> tuple[bytes, str]:
    raw = b""
    while len(raw) < _HEAD_LIMIT + BODY_LIMIT and not _is_whole(raw):
        left = deadline - time.monotonic()
        if left <= 0:
            return raw, "no whole answer came in time"
        stream.settimeout(left)
        part = stream.recv(_CHUNK)
        if not part:
            break
        raw += part
    return raw, "" if raw else "the server closed the connection without an answer"


def _is_whole(raw: bytes) -> bool:
    """Tell whether an answer that says its length is complete; others end when the server hangs up."""
    head, found, body = raw.partition(b"\r\n\r\n")
    if not found:
        return False
    lowered = head.lower()
    if b"transfer-encoding: chunked" in lowered:
        return body == _LAST_CHUNK or body.endswith(b"\r\n" + _LAST_CHUNK)
    _, named, rest = lowered.partition(b"\r\ncontent-length:")
    length = rest.split(b"\r\n", 1)[0].strip()
    return bool(named) and length.isdigit() and len(body) >= min(int(length), BODY_LIMIT)


class _Stored(io.BytesIO):
    """Stands for a socket where http.client wants one."""

    def makefile(self, *_: object, **__: object) -> io.BytesIO:
        """Return the bytes as a file."""
        return self


def _parsed(raw: bytes, spent: float) -> Answer:
    response = http.client.HTTPResponse(_Stored(raw))  # type: ignore[arg-type]
    trouble = ""
    try:
        response.begin()
        body = response.read()
    except http.client.IncompleteRead as error:
        body, trouble = error.partial, "the answer breaks off"
    except (http.client.HTTPException, ValueError) as error:
        return Answer(None, b"", spent, "what came back is no HTTP: %s" % type(error).__name__)
    if len(body) > BODY_LIMIT or (trouble and len(body) == BODY_LIMIT):
        trouble = "the answer is longer than %d KiB" % (BODY_LIMIT >> 10)
    kind = response.getheader("Content-Type") or ""
    return Answer(response.status, body[:BODY_LIMIT], spent, trouble, kind)


def _why(error: OSError, seconds: float) -> str:
    if isinstance(error, socket.timeout):
        return "no answer within %g seconds" % seconds
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens on the port"
    if isinstance(error, ssl.SSLError):
        reason = error.reason or "the server broke it off"
        return "the TLS connection failed: %s" % reason.lower().replace("_", " ")
    return "the connection failed: %s" % (error.strerror or type(error).__name__)
