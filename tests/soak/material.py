"""What people say during a soak: failures from the rules' own samples, and everything that is none.

The same every time for one seed. Not for saying it.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import rules
from rules.engine.report import Status
from rules.engine.start import start_engine
from tests.fakes.stage import Upload

_SAMPLES = Path(rules.__path__[0]) / "catalogue"
_OPENINGS = (
    "it does not start since this morning:",
    "any idea?",
    "same on the other node",
    "",
    "help please",
)
_PROSE = (
    "lunch at noon?",
    "vLLM runs fine since the upgrade to 0.11.2, no error so far",
    "which GPU did we order in the end, the H100 or the H200?",
    "I will restart the server at six, please finish your jobs",
    "docs say --max-model-len 32768 is enough for Qwen3-VL, so let us keep that",
    "ok",
    "try `curl -fsS http://localhost:8000/v1/models`, it lists both models here",
    "今天下午部署新模型,谁有空看一下?",
    "PR is up, CI is green, RuntimeError handling comes in the next one",
    "the traceback you sent on Monday was only a warning, never mind",
)
#: shares of everything that is no incident
_HEALTHY, _SILENT = 0.25, 0.15
#: lines of logs that are dropped as files
_FILE_LINES = (30, 200, 900)
_START = """\
(APIServer pid=4121) INFO 11-28 07:55:57 [api_server.py:1977] vLLM API server version 0.11.2
(EngineCore_DP0 pid=4180) INFO 11-28 07:56:20 [cuda.py:418] Using Flash Attention backend on V1 engine.
(EngineCore_DP0 pid=4180) INFO 11-28 07:57:12 [gpu_model_runner.py:3200] Model loading took 16.2 GiB and 41 seconds
(EngineCore_DP0 pid=4180) INFO 11-28 07:58:31 [kv_cache_utils.py:1087] GPU KV cache size: 1,148,576 tokens
(APIServer pid=4121) INFO 11-28 07:58:40 [api_server.py:2052] Starting vLLM API server 0 on http://0.0.0.0:8000
(APIServer pid=4121) INFO:     Started server process [4121]
(APIServer pid=4121) INFO:     Application startup complete.
"""


@dataclass(frozen=True)
class Line:
    """One message of somebody."""

    text: str
    files: tuple[Upload, ...] = ()
    is_incident: bool = False


@cache
def _samples() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Samples that are failures by themselves, and samples that look like one and are none."""
    engine = start_engine()
    failing, silent = [], []
    for path in sorted(_SAMPLES.rglob("samples/*.log")):
        text = path.read_text(encoding="utf-8")
        status = engine.diagnose(text).status
        if path.name.startswith("fires-") and status in (Status.DIAGNOSED, Status.NEED_MORE):
            failing.append(text)
        elif path.name.startswith("silent-") and status is Status.NOT_AN_INCIDENT:
            silent.append(text)
    return tuple(failing), tuple(silent)


def lines(count: int, share: float, seed: int) -> Iterator[Line]:
    """Yield messages of which that share are incidents, half of those as files."""
    chance = random.Random(seed)  # noqa: S311 (dice for tests)
    failing, silent = _samples()
    incidents = round(count * share)
    kinds = [True] * incidents + [False] * (count - incidents)
    chance.shuffle(kinds)
    as_file = False
    for is_incident in kinds:
        if is_incident:
            as_file = not as_file
            yield _incident(chance, chance.choice(failing), as_file=as_file)
        else:
            yield _harmless(chance, silent)


def question(seed: int) -> str:
    """A failure as the text of a command."""
    return random.Random(seed).choice(_samples()[0])  # noqa: S311 (dice for tests)


def _healthy(chance: random.Random, lines_count: int) -> str:
    """A log of a server that works."""
    later = [_working(chance) for _ in range(lines_count)]
    return _START + "".join(f"(APIServer pid=4121) {line}\n" for line in later)


def _working(chance: random.Random) -> str:
    if chance.random() < 0.8:
        path = chance.choice(("chat/completions", "completions", "models"))
        port = chance.randrange(1_024, 65_000)
        return f'INFO:     10.0.{chance.randrange(9)}.7:{port} - "POST /v1/{path} HTTP/1.1" 200 OK'
    return (
        f"INFO 11-28 08:{chance.randrange(10, 60)}:11 [loggers.py:127] Engine 000: "
        f"Avg prompt throughput: {chance.randrange(9_999) / 10} tokens/s, "
        f"Avg generation throughput: {chance.randrange(9_999) / 10} tokens/s, "
        f"Running: {chance.randrange(9)} reqs, Waiting: 0 reqs, GPU KV cache usage: 3.1%, Prefix cache hit rate: 38.1%"
    )


def _incident(chance: random.Random, sample: str, *, as_file: bool) -> Line:
    opening = chance.choice(_OPENINGS)
    if not as_file:
        return Line(f"{opening}\n{sample}".strip(), is_incident=True)
    content = f"{_healthy(chance, chance.choice(_FILE_LINES))}{sample}"
    kind = chance.choice(("text/plain", "text/plain; charset=utf-8", None))
    upload = Upload(f"vllm-{chance.randrange(999)}.log", content.encode(), kind)
    return Line(opening, (upload,), is_incident=True)


def _harmless(chance: random.Random, silent: tuple[str, ...]) -> Line:
    drawn = chance.random()
    if drawn < _SILENT:
        return Line(chance.choice(silent))
    if drawn < _SILENT + _HEALTHY:
        lines_count = chance.choice((3, *_FILE_LINES))
        healthy = _healthy(chance, lines_count)
        if lines_count > 3:
            return Line(chance.choice(_OPENINGS), (Upload("healthy.log", healthy.encode()),))
        return Line(healthy)
    return Line(" ".join(chance.sample(_PROSE, chance.randrange(1, 3))))
