"""The stand-in's HTTP side. Not for judging what a good answer is: it gives bad ones on demand."""

from __future__ import annotations

import json
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from .lying import Completion, spoil

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from .options import Options

_MOST_BYTES = 32 << 20


class Door(ThreadingHTTPServer):
    """Listens on the stand-in's port."""

    daemon_threads = True

    def __init__(self, options: Options, is_engine_alive: Callable[[], bool]) -> None:
        self.options = options
        self.is_engine_alive = is_engine_alive
        super().__init__((options.host, options.port), _Visitor)
        if options.certificate is not None:
            # each visitor's own thread shakes hands, so that one who says nothing keeps nobody waiting
            self.socket = _tls(options).wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Keep quiet about a visitor who left, or who speaks no TLS, as vLLM does."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _tls(options: Options) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(options.certificate), options.key)
    if options.client_authorities is not None:
        context.load_verify_locations(options.client_authorities)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


class _Visitor(BaseHTTPRequestHandler):
    """One request."""

    server: Door
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer what has no body."""
        if self._is_spoiled() or self._is_stranger():
            return
        if self.path == "/health":
            if "endless-health" in self.server.options.faults:
                self._flow(b"ok", is_slow=False)
                return
            self._say(200 if self._is_healthy() else 503, b"")
        elif self.path == "/v1/models":
            faults = self.server.options.faults
            names = [] if "wrong-model" in faults else [self.server.options.served_name]
            names += ["another/model"] if faults & {"wrong-model", "two-models"} else []
            cards = [{"id": name, "object": "model", "owned_by": "vllm", "root": name} for name in names]
            self._json(200, {"object": "list", "data": cards})
        else:
            self._json(404, {"detail": "Not Found"})

    def do_POST(self) -> None:
        """Answer a request for a completion."""
        raw = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _MOST_BYTES))
        if self._is_spoiled() or self._is_stranger():
            return
        if self.path not in ("/v1/completions", "/v1/chat/completions"):
            self._json(404, {"detail": "Not Found"})
            return
        body = json.loads(raw)
        if body.get("model") != self.server.options.served_name:
            self._error(404, f"The model `{body.get('model')}` does not exist.")
            return
        if "engine-hung" in self.server.options.faults:
            time.sleep(3600)
        if "engine-dead" in self.server.options.faults or not self.server.is_engine_alive():
            self._error(500, "EngineCore encountered an issue. See stack trace (above) for the root cause.")
            return
        if b'"image_url"' in raw and "no-vision" in self.server.options.faults:
            self._error(500, "Failed to apply Qwen3VLProcessor")
            return
        self._complete(body, is_chat=self.path.endswith("/chat/completions"), has_image=b'"image_url"' in raw)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Print the line that the server prints for each request."""
        print("INFO:     127.0.0.1:0 - " + format % args, flush=True)  # noqa: T201 - this is the server's log

    def _complete(self, asked: dict[str, Any], *, is_chat: bool, has_image: bool) -> None:
        faults = self.server.options.faults
        text = "Red." if has_image else " Paris, a city on the Seine."
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        kind = "chat.completion" if is_chat else "text_completion"
        body = {"id": "cmpl-0", "object": kind, "model": self.server.options.served_name, "choices": [choice]}
        if "leaks" in faults:
            body["system_fingerprint"] = self.headers.get("Authorization", "")
        prompt = _prompt(asked)
        answer = spoil(Completion(body, text, prompt, is_chat).saying(text), faults)
        if faults & {"endless-completion", "late-completion"}:
            self._flow(answer.data()[:-1], is_slow="late-completion" in faults)
            return
        self._say(answer.status, answer.data(), answer.kind, answer.missing)

    def _is_healthy(self) -> bool:
        return "engine-dead" in self.server.options.faults or self.server.is_engine_alive()

    def _is_stranger(self) -> bool:
        key = self.server.options.api_key
        if (
            key is None
            or not self.path.startswith("/v1")
            or self.headers.get("Authorization") == f"Bearer {key}"
        ):
            return False
        self._json(401, {"error": "Unauthorized"})
        return True

    def _is_spoiled(self) -> bool:
        """Give an answer that no asker should wait for, where such a fault is on."""
        faults = self.server.options.faults
        if "redirects" in faults:
            self._say(302, b"")
            return True
        if "no-answer" in faults:
            time.sleep(3600)
        if "slow-drip" in faults or "huge-answer" in faults:
            self._flow(b"", is_slow="slow-drip" in faults)
            return True
        return False

    def _flow(self, begin: bytes, *, is_slow: bool) -> None:
        """Answer without end."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        try:
            self.wfile.write(begin)
            while True:
                self.wfile.write(b"x" if is_slow else b"x" * 65536)
                time.sleep(0.05 if is_slow else 0)
        except OSError:
            self.close_connection = True

    def _error(self, status: int, message: str) -> None:
        self._json(status, {"error": {"message": message, "type": "InternalServerError", "code": status}})

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._say(status, json.dumps(body).encode(), "application/json")

    def _say(self, status: int, body: bytes, kind: str = "text/plain", missing: int = 0) -> None:
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", f"http://localhost:{self.server.options.port}/elsewhere")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) + missing))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.close_connection or missing > 0


def _prompt(asked: dict[str, Any]) -> str:
    """Return the text that was asked."""
    if "prompt" in asked:
        return str(asked["prompt"])
    parts = asked["messages"][-1]["content"]
    return parts if isinstance(parts, str) else " ".join(str(part.get("text", "")) for part in parts).strip()
