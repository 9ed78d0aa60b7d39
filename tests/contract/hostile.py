"""Failing logs with pings, fences, control characters and planted secrets wherever an answer may echo them. Not tests.

Everything is drawn from a `random.Random`, so that hypothesis can shrink it and a long run can repeat it.
"""

import random
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import rules

_SAMPLES = Path(rules.__path__[0]) / "catalogue"
#: what clients, terminals and browsers act on
_ACTIVE = (
    "@everyone",
    "@here",
    "@channel",
    "<!channel>",
    "<!here|here>",
    "<!subteam^S0001>",
    "<@U0000001>",
    "<@1234567890123456>",
    "<@&1234567890123456>",
    "<#1234567890123456>",
    "</go:1234567890123456>",
    "&lt;!channel&gt;",
    "```",
    "````",
    "~~~",
    "`",
    "**",
    "||",
    "[text](https://evil.example)",
    "<https://evil.example|text>",
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "{{ 7 * 7 }}",
    "{title}",
    "%s%n",
    "$(reboot)",
    "'; reboot; '",
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x1b[2J",
    "\x00",
    "\x9b31m",
    "\b\b\b",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u2028",
    "界" * 300,
    "x" * 2_500,
    "&<>" * 800,
    "😀" * 200,
    "\\",
    "org/model",
    "Qwen3-VL",
    "FLASHINFER",
)
#: how a secret is written; `{}` is the part that nobody may see
_TOKEN = "Zq7Planted0Secret9Core5xY2bN8"
_WRITTEN = (
    ("hf_{}", _TOKEN),
    ("sk-{}", _TOKEN),
    ("ghp_{}", _TOKEN),
    ("glpat-{}", _TOKEN),
    ("xoxb-{}", _TOKEN),
    ("Authorization: Bearer {}", _TOKEN),
    ("https://bob:{}@registry.example/x", "plantedhunter2"),
    ("--api-key {}", "plantedhunter2"),
    ("--api-key={}", "plantedhunter2"),
    ("HF_TOKEN={}", "plantedhunter2"),
    ("MY_SECRET_KEY='{}'", "plantedhunter2"),
    ("{}@corp.example", "planted.person"),
    ("/home/{}/models", "planteduser"),
    ("tcp://{}:29500", "203.0.113.77"),
    ("\x1b[32mhf_{}\x1b[0m", _TOKEN),
    ("\x1b[1mHF_TOKEN\x1b[0m=\x1b[33m{}\x1b[0m", "plantedhunter2"),
)
SECRETS = tuple({core for _, core in _WRITTEN})
_TAG = "(EngineCore_DP0 pid=41) INFO 11-28 07:55:57"
_RAISED = re.compile(r"^(.*?(?:Error|Exception)[^\n:]*: )(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Paste:
    """What somebody sends, and the names that come with it."""

    text: str
    author: str = "ann"
    file_name: str = "vllm.log"
    fields: dict[str, str] = field(default_factory=dict)
    language: str | None = None


@cache
def _failing() -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted(_SAMPLES.rglob("fires-*.log")))


def hostile(chance: random.Random) -> Paste:
    """Return a failing log with hostile words in some of the places that answers echo."""
    text = _in_the_failure(chance, chance.choice(_failing()))
    before = [_line(chance) for _ in range(chance.randrange(4))]
    after = [_line(chance) for _ in range(chance.randrange(2))]
    fields = {name: _words(chance) for name in ("release", "gpu", "model") if chance.random() < 0.2}
    return Paste(
        "\n".join([*before, text, *after]),
        author=_name(chance) or "ann",
        file_name=f"{_name(chance)}.log",
        fields=fields,
        language=chance.choice((None, "en", "zh-CN")),
    )


def _line(chance: random.Random) -> str:
    """Return a line that facts are read from."""
    words, more = _words(chance), _words(chance)
    name = words.replace("'", "") or "m"
    return chance.choice(
        (
            f"$ vllm serve {words} --served-model-name {more} --max-model-len 8192",
            f"VLLM_ATTENTION_BACKEND={words} vllm serve org/m --quantization {more}",
            f"export VLLM_ATTENTION_BACKEND={words}",
            f"{_TAG} [utils.py:233] non-default args: {{'model': '{name}', 'served_model_name': ['{name}']}}",
            f"{_TAG} [core.py:93] Initializing a V1 LLM engine (v0.11.2) with config: model='{name}', seed=0",
            f"INFO 11-28 07:55:57 [api_server.py:1977] vLLM API server version {words}",
            f"GPU 0: NVIDIA {words}",
            f'  File "/opt/{name}/vllm/{name}.py", line 7, in {name}',
            f"docker run --gpus all -e HF_TOKEN=plantedhunter2 vllm/vllm-openai:{words} --model {more}",
            f"({words} pid=77) ERROR 11-28 07:55:58 [core.py:708] ValueError: {more}",
            words,
        )
    )


def _in_the_failure(chance: random.Random, sample: str) -> str:
    """Put words into the failure itself: in place of a word of it, or behind it."""
    raised = list(_RAISED.finditer(sample))
    if not raised or chance.random() < 0.2:
        return sample
    found = raised[-1]
    pieces = found[2].split(" ")
    place = chance.randrange(len(pieces) + 1)
    pieces[place : place + chance.randrange(2)] = [_words(chance)]
    return sample[: found.start()] + found[1] + " ".join(pieces) + sample[found.end() :]


def _words(chance: random.Random) -> str:
    pieces = [_piece(chance) for _ in range(chance.randrange(4))]
    return chance.choice((" ", "", "/", "'")).join(pieces)


def _name(chance: random.Random) -> str:
    """Return what somebody may call themselves or a file."""
    return "".join(piece for piece in (_piece(chance), _piece(chance)) if len(piece) < 60)


def _piece(chance: random.Random) -> str:
    if chance.random() < 0.3:
        written, core = chance.choice(_WRITTEN)
        return f" {written.format(core)} "
    return chance.choice(_ACTIVE)
