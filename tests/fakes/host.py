"""A GPU host in memory that keeps the promises of `adapters.hosts.interface`, and can be told to break them.

One server on it. Orders are idempotent by key and refused below the fence; a start logs what vLLM logs, a timer
restores the old launch when nobody comes back. Not a driver: nothing runs.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from adapters.hosts.errors import (
    BrokenHostError,
    HostUnreachableError,
    OutcomeUnknownError,
    RefusalCode,
    RefusedError,
)
from adapters.hosts.records import (
    Check,
    Holder,
    HostFacts,
    Launch,
    LaunchChange,
    LogPart,
    Order,
    Phase,
    Preflight,
    ProbeAnswer,
    ProbeKind,
    RunState,
    ServerStatus,
    Snapshot,
    Started,
    Stopped,
)

SEED = (
    "(APIServer pid=1) INFO 12-01 04:30:52 [api_server.py:1977] vLLM API server version 0.11.2\n"
    "(EngineCore_DP0 pid=2) INFO 12-01 04:30:53 [core.py:93] Initializing a V1 LLM engine (v0.11.2) with config\n"
    "(EngineCore_DP0 pid=2) ERROR 12-01 04:30:54 [core.py:842] RuntimeError: Qwen3-VL does not support "
    "AttentionBackendEnum.FLASHINFER backend now.\n"
    "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
)
HEALTHY = (
    "(APIServer pid=1) INFO 12-01 04:30:52 [api_server.py:1977] vLLM API server version 0.11.2\n",
    "(EngineCore_DP0 pid=2) INFO 12-01 04:30:53 [core.py:93] Initializing a V1 LLM engine (v0.11.2) with config\n",
    "(EngineCore_DP0 pid=2) INFO 12-01 04:30:53 [cuda.py:418] Using FLASH_ATTN backend.\n",
    "Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.00s/it]\n",
    "(EngineCore_DP0 pid=2) INFO 12-01 04:30:54 [kv_cache_utils.py:1229] GPU KV cache size: 2,097,152 tokens\n",
    "(APIServer pid=1) INFO:     Application startup complete.\n",
)
ARGV = ("vllm", "serve", "Qwen/Qwen3-VL-8B-Instruct", "--port", "8000")
#: bytes of log that a host gives at once
LONGEST_PIECE = 128 << 10
MODEL = "Qwen/Qwen3-VL-8B-Instruct"
BROKEN_ENV = {"PATH": "/usr/bin", "HF_TOKEN": "hf_secret", "VLLM_ATTENTION_BACKEND": "FLASHINFER"}


@dataclass(frozen=True)
class Behaviour:
    """How a start goes, and which lies it tells."""

    #: pieces of log, one per look; the last one comes when it is up
    log: tuple[str, ...] = HEALTHY
    #: it ends with this code after its log; None: it comes up
    exit_code: int | None = None
    #: it never answers
    hangs: bool = False
    health: int = 200
    models: tuple[str, ...] = (MODEL,)
    text: str = "Paris"
    text_status: int = 200
    image_text: str = "Red"
    image_status: int = 200
    #: what the process really has, when it is not what was asked for
    really: Mapping[str, str] | None = None
    #: nobody can read what the process has
    is_unreadable: bool = False
    #: it dies when it was looked at so often after it was up
    dies_after: int | None = None
    #: the supervisor restarts it after so many looks
    restarts_after: int | None = None


def behave(env: Mapping[str, str]) -> Behaviour:
    """What the seed's server does."""
    if env.get("VLLM_ATTENTION_BACKEND") == "FLASHINFER":
        return Behaviour(log=(SEED,), exit_code=1)
    return Behaviour()


def spec_hash(argv: tuple[str, ...], env: Mapping[str, str]) -> str:
    """SHA-256 of the launch as the helper makes it."""
    text = json.dumps(
        {"argv": list(argv), "env": dict(sorted(env.items()))}, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Process:
    """What was started."""

    start_id: str
    argv: tuple[str, ...]
    env: dict[str, str]
    behaviour: Behaviour
    pid: int
    looks: int = 0
    looks_when_up: int = 0
    restarts: int = 0
    is_dead: bool = False

    @property
    def is_up(self) -> bool:
        """Whether it answers."""
        done = self.looks >= len(self.behaviour.log)
        return done and not self.is_dead and not self.behaviour.hangs

    @property
    def log(self) -> str:
        """All it has logged."""
        return "".join(self.behaviour.log[: self.looks])

    def look(self) -> None:
        """Let it get on."""
        self.looks += 1
        behaviour = self.behaviour
        if behaviour.exit_code is not None and self.looks >= len(behaviour.log):
            self.is_dead = True
        if self.is_up:
            self.looks_when_up += 1
            if behaviour.restarts_after is not None and self.looks_when_up == behaviour.restarts_after:
                self.restarts += 1
                self.pid += 1
            if behaviour.dies_after is not None and self.looks_when_up >= behaviour.dies_after:
                self.is_dead = True


@dataclass
class Fault:
    """Something that goes wrong with one verb."""

    verb: str
    #: `unreachable`, `lost-before`, `lost-after`, `broken`, or a `RefusalCode`
    kind: str
    times: int = 1
    #: only for keys that end like this
    key_ends: str = ""


@dataclass
class Effect:
    """Something that was really done."""

    verb: str
    key: str
    fence: int


@dataclass
class FakeHost:
    """Meets `Host`."""

    clock: Callable[[], datetime]
    name: str = "gpu-1"
    server: str = "qwen"
    argv: tuple[str, ...] = ARGV
    env: dict[str, str] = field(default_factory=lambda: dict(BROKEN_ENV))
    behave: Callable[[Mapping[str, str]], Behaviour] = behave
    faults: list[Fault] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    replays: list[Effect] = field(default_factory=list)
    #: waits before (`stop`) and after (`stop:done`) a verb's effect while it has an entry here
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    #: set when somebody waits at a gate
    reached: dict[str, asyncio.Event] = field(default_factory=dict)
    foreign: tuple[Holder, ...] = ()
    port_stays_held: int = 0
    unsound: tuple[Check, ...] = ()
    vllm_version: str | None = "0.11.2"
    log_skips: int = 0
    generation: int = 0
    fence: int = 0
    phase: Phase = Phase.IDLE
    key: str | None = None
    process: Process | None = None
    previous: tuple[tuple[str, ...], dict[str, str]] | None = None
    outcomes: dict[tuple[str, str], object] = field(default_factory=dict)
    restores_at: datetime | None = None
    starts: int = 0

    def __post_init__(self):
        self.process = self._new_process(self.argv, self.env)
        while not (self.process.is_up or self.process.is_dead or self.process.behaviour.hangs):
            self.process.look()

    async def facts(self) -> HostFacts:
        self._fail("facts", "")
        versions = {self.server: self.vllm_version} if self.vllm_version else {}
        return HostFacts("1", self.name, "boot-1", "3.11.7", (self.server,), None, versions)

    async def snapshot(self, server: str) -> Snapshot:
        await self._pass("snapshot")
        self._fail("snapshot", "")
        self._deadman()
        return self._snapshot()

    async def preflight(self, order: Order, change: LaunchChange) -> Preflight:
        await self._pass("preflight")
        self._fail("preflight", order.key)
        argv, env = changed(self.argv, self.env, change)
        is_new = order.fence > self.fence or (order.fence == self.fence and self._is_run_of(order))
        sound = Check("order", is_sound=is_new or not self.fence, detail="whether a newer run was seen")
        return Preflight((sound, *self.unsound), masked(self.argv, self.env), masked(argv, env))

    async def stop(self, order: Order, grace_seconds: float, restore_after_seconds: float) -> Stopped:
        def act() -> Stopped:
            self.restores_at = self.clock() + timedelta(seconds=restore_after_seconds)
            if self.process is not None:
                self.process.is_dead = True
            self.phase = Phase.STOPPED
            is_free = self.port_stays_held == 0
            self.port_stays_held = max(0, self.port_stays_held - 1)
            return Stopped(
                was_killed=False, orphans=(), foreign=self.foreign, port_is_free=is_free, gpus_are_free=None
            )

        return await self._act("stop", order, act)

    async def start(
        self, order: Order, change: LaunchChange, spec_hash: str, restore_after_seconds: float
    ) -> Started:
        def act() -> Started:
            argv, env = changed(self.argv, self.env, change)
            if masked(argv, env).spec_hash != spec_hash:
                raise RefusedError(
                    self.name, RefusalCode.CHANGED, "the launch is not the one that was planned"
                )
            self.previous = (self.argv, dict(self.env))
            self.process = self._new_process(argv, env)
            self.generation += 1
            self.phase = Phase.STARTED
            self.restores_at = self.clock() + timedelta(seconds=restore_after_seconds)
            return self._started(argv, env)

        return await self._act("start", order, act)

    async def status(self, server: str, log_offset: int, log_limit: int) -> ServerStatus:
        await self._pass("status")
        self._fail("status", "")
        if log_limit > LONGEST_PIECE:
            raise RefusedError(self.name, RefusalCode.BAD_REQUEST, f"log_limit is above {LONGEST_PIECE}")
        self._deadman()
        process = self.process
        if process is None:
            return self._status(RunState.ABSENT, LogPart(None, 0, ""))
        if not process.is_dead:
            process.look()
        text = process.log.encode()[log_offset : log_offset + log_limit].decode()
        part = LogPart(process.start_id, log_offset + len(text.encode()), text, self.log_skips)
        state = RunState.EXITED if process.is_dead else RunState.RUNNING
        return self._status(state, part)

    async def probe(
        self, server: str, kinds: Sequence[ProbeKind], model: str, timeout_seconds: float
    ) -> tuple[ProbeAnswer, ...]:
        for kind in kinds:
            await self._pass(f"probe-{kind}")
        self._fail("probe", "")
        return tuple(self._answer(kind, model) for kind in kinds)

    def _answer(self, kind: ProbeKind, model: str) -> ProbeAnswer:
        process = self.process
        if process is None or not process.is_up:
            return ProbeAnswer(kind, None, "", 0.0, "connection refused")
        return answer(process.behaviour, kind, model)

    async def commit(self, order: Order) -> Snapshot:
        def act() -> Snapshot:
            if self.process is None or self.process.is_dead or self.phase is not Phase.STARTED:
                raise RefusedError(self.name, RefusalCode.CHANGED, "there is nothing to keep")
            self.argv, self.env = self.process.argv, dict(self.process.env)
            self.previous = None
            self.restores_at = None
            self.phase = Phase.COMMITTED
            return self._snapshot()

        return await self._act("commit", order, act)

    async def restore(self, order: Order, restore_after_seconds: float) -> Started:
        def act() -> Started:
            if self.phase is Phase.COMMITTED and self._is_run_of(order):
                raise RefusedError(
                    self.name, RefusalCode.CHANGED, "the run was closed: its launch was committed"
                )
            return self._go_back()

        return await self._act("restore", order, act)

    async def close(self) -> None:
        """Nothing is open."""

    def _go_back(self) -> Started:
        if self.previous is not None:
            self.argv, self.env = self.previous
        self.process = self._new_process(self.argv, self.env)
        self.generation += 1
        self.phase = Phase.RESTORED
        self.restores_at = None
        return self._started(self.argv, self.env)

    def _deadman(self) -> None:
        if self.restores_at is not None and self.clock() >= self.restores_at:
            self.effects.append(Effect("deadman", self.key or "", self.fence))
            self._go_back()

    async def _act(self, verb: str, order: Order, act):
        await self._pass(verb)
        self._fail(verb, order.key)
        self._deadman()
        if order.fence < self.fence:
            raise RefusedError(self.name, RefusalCode.FENCED, "a newer run was seen")
        known = self.outcomes.get((verb, order.key))
        if known is None:
            known = act()
            self.fence, self.key = order.fence, order.key
            self.outcomes[verb, order.key] = known
            self.effects.append(Effect(verb, order.key, order.fence))
        else:
            self.replays.append(Effect(verb, order.key, order.fence))
        await self._pass(f"{verb}:done")
        self._fail(verb, order.key, is_after=True)
        return known

    def _is_run_of(self, order: Order) -> bool:
        return self.key is not None and self.key.rpartition(":")[0] == order.key.rpartition(":")[0]

    async def _pass(self, gate: str) -> None:
        if gate in self.gates:
            self.reached.setdefault(gate, asyncio.Event()).set()
            await self.gates[gate].wait()

    def _fail(self, verb: str, key: str, *, is_after: bool = False) -> None:
        for fault in self.faults:
            fits = fault.verb in (verb, "*") and fault.times > 0 and key.endswith(fault.key_ends)
            if not fits or (fault.kind == "lost-after") != is_after:
                continue
            fault.times -= 1
            if fault.kind == "unreachable":
                raise HostUnreachableError(self.name, "no connection", "check the network")
            if fault.kind.startswith("lost"):
                raise OutcomeUnknownError(self.name, "no answer came", "ask again")
            if fault.kind == "broken":
                raise BrokenHostError(self.name, "the helper is not there", "install it")
            raise RefusedError(self.name, RefusalCode(fault.kind), f"it is {fault.kind}")

    def _new_process(self, argv: tuple[str, ...], env: Mapping[str, str]) -> Process:
        self.starts += 1
        behaviour = self.behave(env)
        real = dict(env) if behaviour.really is None else dict(behaviour.really)
        return Process(f"start-{self.starts}", argv, real, behaviour, 100 * self.starts)

    def _started(self, argv: tuple[str, ...], env: Mapping[str, str]) -> Started:
        assert self.process
        asked = spec_hash(argv, env)
        return Started(self.process.start_id, self.generation, self.process.pid, asked, None)

    def _snapshot(self) -> Snapshot:
        process = self.process
        runs = process is not None and not process.is_dead
        return Snapshot(
            server=self.server,
            driver="process",
            state=RunState.RUNNING if runs else RunState.EXITED,
            launch=masked(self.argv, self.env),
            generation=self.generation,
            fence=self.fence,
            phase=self.phase,
            key=self.key,
            start_id=process.start_id if process else None,
            pid=process.pid if process and runs else None,
            port=8000,
        )

    def _status(self, state: RunState, part: LogPart) -> ServerStatus:
        process = self.process
        runs = state is RunState.RUNNING and process is not None
        running = masked(process.argv, process.env) if runs and not process.behaviour.is_unreadable else None
        return ServerStatus(
            state=state,
            phase=self.phase,
            fence=self.fence,
            generation=self.generation,
            key=self.key,
            start_id=process.start_id if process else None,
            pid=process.pid if runs else None,
            restarts=process.restarts if process else 0,
            exit_code=process.behaviour.exit_code if process and process.is_dead else None,
            running_spec_hash=running.spec_hash if running else None,
            cpu_seconds=float(process.looks) if process else 0.0,
            port_is_open=bool(process and process.is_up),
            log=part,
            running=running,
        )


def answer(behaviour: Behaviour, kind: ProbeKind, model: str) -> ProbeAnswer:
    """What a server answers over its port."""
    if kind is ProbeKind.HEALTH:
        return ProbeAnswer(kind, behaviour.health, "", 0.01)
    if kind is ProbeKind.MODELS:
        body = json.dumps({"object": "list", "data": [{"id": name} for name in behaviour.models]})
        return ProbeAnswer(kind, 200, body, 0.01)
    is_text = kind is ProbeKind.TEXT
    status = behaviour.text_status if is_text else behaviour.image_status
    text = behaviour.text if is_text else behaviour.image_text
    body = json.dumps({"model": model, "choices": [{"message": {"role": "assistant", "content": text}}]})
    return ProbeAnswer(kind, status, body, 0.5)


def changed(argv: tuple[str, ...], env: Mapping[str, str], change: LaunchChange):
    """A launch after a change."""
    new_env = {name: value for name, value in env.items() if name not in change.env_unset} | dict(
        change.env_set
    )
    words: list[str] = []
    for word in argv:
        is_value = bool(words) and words[-1] in (*change.flags_unset, *change.flags_set)
        words.append(word)
        if is_value and not word.startswith("--"):
            del words[-2:]
    words = [word for word in words if word not in (*change.flags_unset, *change.flags_set)]
    for name, value in change.flags_set.items():
        words += [name, value] if value else [name]
    return tuple(words), new_env


def masked(argv: tuple[str, ...], env: Mapping[str, str]) -> Launch:
    """A launch as it leaves the host."""
    shown = {name: "<masked>" if "TOKEN" in name else value for name, value in env.items()}
    return Launch(argv, shown, spec_hash(argv, env))


def with_lie(lie: Behaviour) -> Callable[[Mapping[str, str]], Behaviour]:
    """The seed's server, which lies once its launch is mended."""
    return lambda env: behave(env) if "VLLM_ATTENTION_BACKEND" in env else replace(lie)
