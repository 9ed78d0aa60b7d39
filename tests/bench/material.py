"""Logs and catalogues made from the texts of real vLLM releases, the same every time. Not for measuring."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rules.engine.matching.scan.literals import SHORTEST_LITERAL
from rules.engine.report import Confidence
from rules.engine.rule.model import Fired, Impact, Origin, Rule, RuleStatus, Scope, Signal, Text
from rules.releases.shipped import load_releases

_HOLE = re.compile(r"\{[^{}]*\}|%[sdifrx.0-9]+")
_RECORD = "(EngineCore_DP0 pid=4180) {} 03-14 09:27:11 [core.py:{}] "


@dataclass(frozen=True, slots=True)
class Texts:
    """Templates of messages."""

    raised: tuple[str, ...]
    logged: tuple[str, ...]


@cache
def texts(releases: int = 12) -> Texts:
    """Return the distinct one-line messages of some releases, spread over all that are shipped."""
    shipped = load_releases()
    versions = shipped.versions()
    chosen = versions[:: -max(1, len(versions) // releases)]
    raised: dict[str, None] = {}
    logged: dict[str, None] = {}
    for version in chosen:
        for message in shipped.get(version).messages():
            template = message.template
            if "\n" in template or not 20 <= len(template) <= 300:
                continue
            calm = message.kind in ("log.info", "log.warning", "log.debug")
            (logged if calm else raised)[template] = None
    if not raised or not logged:
        raise RuntimeError("the shipped release facts hold no messages: build them with `releases add` first")
    return Texts(tuple(raised), tuple(logged))


def filled(template: str, chance: random.Random) -> str:
    """Return a message with its holes filled."""
    return _HOLE.sub(
        lambda _: chance.choice(("0.92", "org/model-7b", "FLASH_ATTN", "4096", "cuda:0")), template
    )


def rules(count: int) -> list[Rule]:
    """Return that many rules, each for one message of a failure; when those end, with numbers in them."""
    made: list[Rule] = []
    seen: set[str] = set()
    for turn in range(100):
        for template in texts().raised:
            parts = [part for part in _HOLE.split(template) if part]
            longest = max(parts, key=len, default="")
            literal = longest if turn == 0 else f"{longest[:60]} (case {turn})"
            if len(literal) < SHORTEST_LITERAL + 4 or literal in seen:
                continue
            seen.add(literal)
            before, _, after = template.partition(longest)
            regex = f"{_pattern(before)}{re.escape(literal)}{_pattern(after) if turn == 0 else ''}"
            made.append(_rule(f"rule-{len(made)}", regex, literal))
            if len(made) == count:
                return made
    return made


def _pattern(template: str) -> str:
    """Return the nearest hole of a part of a message as a bounded piece of pattern."""
    return r"[^\n]{0,80}" if template and len(template) > 1 else ""


def _rule(name: str, regex: str, literal: str) -> Rule:
    return Rule(
        id=name,
        version=1,
        status=RuleStatus.STABLE,
        failure_class="made",
        family="other",
        origin=Origin.VLLM,
        impact=Impact.BLOCKS_START,
        confidence=Confidence.LIKELY,
        releases=">=0.6.3",
        signals=(Signal("main", regex, literal, None, Scope.ANY),),
        condition=Fired("main"),
        fixes=(),
        texts={"en": Text("title", "cause", "not this")},
    )


SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."


def traceback(worker: int = 0, frames: int = 40) -> list[str]:
    """Return a failure as one worker prints it."""
    tags = f"(EngineCore_DP0 pid=4180) (Worker_TP{worker} pid={5000 + worker})"
    head = f"{tags} ERROR 03-14 09:27:20 [executor.py:743] "
    package = "/usr/lib/python3.12/site-packages/vllm"
    stack = [
        line
        for number in range(frames)
        for line in (
            f'  File "{package}/model_executor/layer{number}.py", line {number}, in forward',
            f"    return self.inner_{number}(hidden_states)",
        )
    ]
    return [head + line for line in ("Traceback (most recent call last):", *stack, SEED)]


def _calm_line(chance: random.Random, messages: Sequence[str]) -> str:
    kind = chance.random()
    if kind < 0.62:
        path = chance.choice(("chat/completions", "completions", "models"))
        host = f"10.0.{chance.randrange(9)}.{chance.randrange(99)}:{chance.randrange(9999)}"
        return f'(APIServer pid=4121) INFO:     {host} - "POST /v1/{path} HTTP/1.1" 200 OK'
    if kind < 0.80:
        return _RECORD.format("INFO", 127) + (
            f"Engine 000: Avg prompt throughput: {chance.randrange(9999) / 10} tokens/s, "
            f"Avg generation throughput: {chance.randrange(9999) / 10} tokens/s, "
            f"Running: {chance.randrange(9)} reqs, Waiting: 0 reqs, "
            f"GPU KV cache usage: {chance.randrange(999) / 10}%, Prefix cache hit rate: 38.1%"
        )
    if kind < 0.98:
        level = chance.choice(("INFO", "INFO", "WARNING"))
        return _RECORD.format(level, chance.randrange(999)) + filled(chance.choice(messages), chance)
    progress = "".join(
        f"\rLoading: {step}%|#####     | {step}/100 [00:01<00:01,  1.22s/it]" for step in (1, 50, 100)
    )
    return chance.choice((progress, "\x1b[32mINFO\x1b[0m 03-14 09:27:11 [x.py:1] ready", "-" * 80))


def log_lines(size: int, seed: int = 1) -> Iterator[str]:
    """Yield lines of a healthy log of about that many bytes."""
    chance = random.Random(seed)  # noqa: S311  # a log, not a key
    messages = texts().logged
    pool = [_calm_line(chance, messages) for _ in range(20_000)]
    written = 0
    yield "(APIServer pid=4121) INFO 03-14 09:26:57 [api_server.py:1839] vLLM API server version 0.11.2"
    while written < size:
        line = chance.choice(pool)
        written += len(line.encode()) + 1
        yield line


def log(size: int, error: str = "end", seed: int = 1) -> bytes:
    """Return a log of about that many bytes; the error is at its `end`, its `start`, `none`, or of `many`.

    `many` are 8 workers, 3 times, which come on top of the size.
    """
    frames = 40 if size > 50_000 else 3
    lines = list(log_lines(max(0, size - frames * 300), seed))
    if error == "end":
        lines += traceback(0, frames)
    elif error == "start":
        lines[1:1] = traceback(0, frames)
    elif error == "many":
        for repeat in range(3):
            place = len(lines) * (repeat + 1) // 4
            lines[place:place] = [line for worker in range(8) for line in traceback(worker)]
    return "\n".join(lines).encode()


def write_log(path: Path, size: int) -> None:
    """Write a log with the error at its end to a file, in little memory."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in log_lines(size):
            file.write(line + "\n")
        file.write("\n".join(traceback()) + "\n")


def hostile(size: int = 1_000_000) -> dict[str, bytes]:
    """Return pastes made to be slow, by name."""
    near = "".join(
        f"{number} does not support AttentionBackendEnum. {number}\n" for number in range(size // 50)
    )
    nested = "(" * 40 + "a" * 60 + ")" * 40 + "\n"
    chance = random.Random(7)  # noqa: S311  # noise, not a key
    return {
        "near-miss flood": near.encode()[:size],
        "one huge line": (b"does not support " + b"a" * size)[:size],
        "nested repeats": (nested * (size // len(nested))).encode(),
        "binary": chance.randbytes(size),
        "newlines": b"\n" * size,
        "error flood": b"".join(b"ValueError: %d is wrong\n" % number for number in range(size // 22))[:size],
    }
