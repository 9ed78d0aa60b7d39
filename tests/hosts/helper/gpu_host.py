"""A GPU host in a folder: the real helper, real processes, a real port. Not tests."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from adapters.hosts.helper.acts.work import open_work
from adapters.hosts.helper.host.allowlist import read_allowlist
from adapters.hosts.helper.processes import proc
from adapters.hosts.helper.serving import answer

ROOT = Path(__file__).parents[3]
STANDIN = ROOT / "adapters" / "hosts" / "standin" / "__main__.py"
MODEL = "Qwen/Qwen3-VL-8B-Instruct"
REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
BACKEND = "VLLM_ATTENTION_BACKEND"
PATIENCE_S = 60.0
NOTHING = {"env_unset": [], "env_set": {}, "flags_set": {}, "flags_unset": []}


class HelperRefusedError(Exception):
    """The helper said no."""

    def __init__(self, code: str, what: str, next_step: str) -> None:
        super().__init__(f"{code}: {what}; {next_step}")
        self.code, self.what, self.next_step = code, what, next_step


class NeverHappenedError(AssertionError):
    """What a test waited for did not come."""


def until(what: str, happens, within_s: float = PATIENCE_S):
    """Ask until there is an answer, and return it."""
    deadline = time.monotonic() + within_s
    while True:
        found = happens()
        if found:
            return found
        if time.monotonic() > deadline:
            raise NeverHappenedError(f"{what} did not happen within {within_s:g} s")
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class GpuHost:
    """One machine with the helper, and one server on its list."""

    folder: Path
    #: the helper: its archive, or the file that starts it from its folder, which is quicker
    program: Path = ROOT / "adapters" / "hosts" / "helper" / "__main__.py"
    name: str = "vision"
    port: int = field(default_factory=free_port)
    #: what the host's owner wrote of the server, beside what `list_server` fills in
    server: dict = field(default_factory=dict)
    #: first in PATH, for programs that a test puts in
    programs: Path | None = None
    python: str = sys.executable
    #: words before the helper's command
    before: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = self.folder / "state"
        self.ledger = self.folder / "ledger"
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        # The machine's own manager, where there is one, is not to hold timers of tests.
        self.put("systemd-run", "#!/bin/sh\nexit 1\n")
        self.list_server()

    # the owner's side

    def argv(self, *flags: str) -> list[str]:
        """The command of a stand-in that says when it starts."""
        words = ["serve", MODEL, "--port", str(self.port), f"--standin-ledger={self.ledger}"]
        return [sys.executable, "-S", "-E", str(STANDIN), *words, *flags]

    def list_server(self, *flags: str, **entry) -> None:
        """Write the host's list with the one server."""
        self.server = {
            "driver": "process",
            "port": self.port,
            "argv": self.argv(*flags),
            "env": {"HF_TOKEN": "hf_" + "s3cret" * 5, "VLLM_LOGGING_LEVEL": "INFO"},
            "env_allowed": {BACKEND: ["FLASH_ATTN", "FLASHINFER"], "NCCL_DEBUG": {"pattern": "[A-Z]{4,7}"}},
            "flags_allowed": {
                "--max-model-len": {"pattern": "[0-9]{3,6}"},
                "--mm-encoder-attn-backend": ["FLASH_ATTN"],
                "--enforce-eager": [""],
            },
            **entry,
        }
        self.write_list({self.name: self.server})

    def put(self, name: str, text: str) -> None:
        """Put a program first in the host's PATH."""
        path = self.programs / name
        path.write_text(text)
        path.chmod(0o755)

    def write_list(self, servers: dict) -> None:
        path = self.folder / "helper.json"
        path.write_text(json.dumps({"version": 1, "state_dir": str(self.state), "servers": servers}))
        path.chmod(0o644)

    # the bot's side

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "VLLM_DIAGNOSE_HELPER_CONFIG": str(self.folder / "helper.json"),
        }

    def command(self) -> list[str]:
        return [*self.before, self.python, "-I", "-S", str(self.program), "serve-request"]

    def send(self, data: bytes, *words: str, environ: dict[str, str] | None = None) -> dict:
        """Give a helper of its own bytes and return the object that it answers with."""
        result = subprocess.run(
            [*self.command(), *words],
            input=data,
            capture_output=True,
            env={**self.environment(), **(environ or {})},
            timeout=240,
            check=False,
        )
        assert result.returncode == 0, result.stderr.decode()
        assert result.stderr == b""
        return json.loads(result.stdout)

    def run(self, *words: str) -> subprocess.CompletedProcess:
        """Run another of the helper's sub-commands."""
        argv = [*self.command()[:-1], *words]
        return subprocess.run(argv, capture_output=True, env=self.environment(), timeout=240, check=False)

    def request(self, verb: str, **arguments) -> bytes:
        return json.dumps({"protocol": 1, "verb": verb, **arguments}).encode()

    def ask(self, verb: str, **arguments) -> dict:
        """Ask for a verb, in this process, and return its result, or raise what the helper refused with."""
        return self.read(answer(self.request(verb, **arguments), self.environment()))

    def result_of(self, reply: dict) -> dict:
        assert reply["protocol"] == 1
        if reply["ok"]:
            return reply["result"]
        raise HelperRefusedError(**reply["error"])

    def read(self, data: bytes) -> dict:
        return self.result_of(json.loads(data))

    def snapshot_env(self) -> dict[str, str]:
        """The environment that is registered now, apart from an open run."""
        return self.ask("snapshot", server=self.name)["launch"]["env"]

    def order(self, step: str, run: int = 1) -> dict:
        return {"server": self.name, "key": f"r{run}:{step}", "fence": run}

    def preflight(self, change: dict | None = None, run: int = 1) -> dict:
        return self.ask("preflight", order=self.order("preflight", run), change={**NOTHING, **(change or {})})

    def start_request(
        self, change: dict | None = None, run: int = 1, step: str = "start", after_s: float = 600
    ) -> dict:
        return {
            "order": self.order(step, run),
            "change": {**NOTHING, **(change or {})},
            "spec_hash": self.preflight(change, run)["after"]["spec_hash"],
            "restore_after_seconds": after_s,
        }

    def start(
        self, change: dict | None = None, run: int = 1, step: str = "start", after_s: float = 600
    ) -> dict:
        return self.ask("start", **self.start_request(change, run, step, after_s))

    def stop(self, run: int = 1, step: str = "stop", grace_s: float = 10, after_s: float = 600) -> dict:
        order = self.order(step, run)
        return self.ask("stop", order=order, grace_seconds=grace_s, restore_after_seconds=after_s)

    def commit(self, run: int = 1, step: str = "commit") -> dict:
        return self.ask("commit", order=self.order(step, run))

    def restore(self, run: int = 1, step: str = "restore", after_s: float = 600) -> dict:
        return self.ask("restore", order=self.order(step, run), restore_after_seconds=after_s)

    def status(self, offset: int = 0, limit: int = 131072) -> dict:
        return self.ask("status", server=self.name, log_offset=offset, log_limit=limit)

    def probe(self, kind: str, model: str = MODEL, timeout_s: float = 20) -> dict:
        asked = {"kinds": [kind], "model": model, "timeout_seconds": timeout_s}
        return self.ask("probe", server=self.name, **asked)["answers"][0]

    def serving(self) -> dict:
        """Wait until the server accepts connections, and return its status."""

        def look():
            status = self.status()
            assert status["state"] != "exited", status["log"]["text"]
            return status["port_is_open"] and status

        return until("the server serves", look)

    def ended(self) -> dict:
        """Wait until the server's process is gone, and return its status."""

        def look():
            status = self.status()
            return status["state"] == "exited" and status

        return until("the server ends", look)

    def serve(self, run: int = 1) -> dict:
        """Start the server as it is registered, and keep that."""
        started = self.start(run=run)
        self.serving()
        self.commit(run=run)
        return started

    # what really happened

    def starts(self) -> list[dict]:
        """What each start of the stand-in wrote down."""
        if not self.ledger.exists():
            return []
        return [json.loads(line) for line in self.ledger.read_text().splitlines()]

    def record(self) -> dict:
        return json.loads((self.state / self.name / "intent.json").read_text())

    def let_time_be_over(self) -> None:
        """Make the timer due, whatever the machine's load."""
        path = self.state / self.name / "deadman.json"
        other = path.with_suffix(".other")
        other.write_text(json.dumps({**json.loads(path.read_text()), "deadline": 0.0}))
        other.replace(path)

    def watchers(self) -> list[int]:
        """Processes that wait for the timer."""
        return [one.pid for one in proc.everyone() if "watch" in self._words_of_ours(one.pid)]

    def supervisors(self) -> list[int]:
        return [one.pid for one in proc.everyone() if "supervise" in self._words_of_ours(one.pid)]

    def engines(self) -> list[int]:
        """Live engine processes of all starts."""
        return [pid for pid in self.processes() if proc.name(pid) == "VLLM::EngineCore"]

    def processes(self) -> list[int]:
        """Live processes of all starts that stayed in their sessions."""
        leaders = {start["pid"] for start in self.starts()} | self._leaders()
        return [one.pid for one in proc.everyone() if one.sid in leaders]

    def observed(self) -> tuple[int, ...]:
        """Every process that the helper takes for the server's."""
        work = open_work(read_allowlist(self.environment()), self.name)
        return work.driver.observe(self.record()["start_id"]).pids

    def second(self) -> "GpuHost":
        """Another server of the same machine."""
        folder = self.folder / "second"
        folder.mkdir()
        other = GpuHost(folder, self.program, name="text")
        other.state = self.state
        other.write_list({other.name: other.server})
        return other

    def clean(self) -> None:
        """End what this host has started: what names its folder, and the sessions of its servers."""

        def left() -> list[int]:
            return self.processes() + [
                one.pid for one in proc.everyone() if self._words_of_ours(one.pid) or self._is_marked(one.pid)
            ]

        def all_ended() -> bool:
            pids = left()
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            return not pids

        until("the host is clean", all_ended)

    def _leaders(self) -> set[int]:
        """Whom supervisors wrote down as the first process of a start; a shell, where a script is the command."""
        records = [
            path for path in (self.state / self.name / "starts").glob("*.json") if path.suffixes == [".json"]
        ]
        return {json.loads(path.read_text())["leader"][0] for path in records}

    def _words_of_ours(self, pid: int) -> tuple[str, ...]:
        words = proc.cmdline(pid) or ()
        return words if any(str(self.folder) in word for word in words) else ()

    def _is_marked(self, pid: int) -> bool:
        start_id = (proc.environ(pid) or {}).get("RELAUNCH_START_ID")
        return start_id is not None and (self.state / self.name / "starts" / f"{start_id}.claim").exists()
