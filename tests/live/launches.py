"""Launches of the tiny model, good and bad, for vLLM 0.32.0 on a CPU. Not for what anybody says of them."""

from dataclasses import dataclass, field

MODEL = "@MODEL@"


@dataclass(frozen=True)
class Tried:
    """One launch; `refused` is a part of what the real program says before it builds its engine."""

    name: str
    arguments: tuple[str, ...]
    refused: str | None = None
    env: dict[str, str] = field(default_factory=dict)


def _of(name, arguments, refused=None, **env):
    return Tried(name, (MODEL, *arguments.split("|")) if arguments else (MODEL,), refused, env)


GOOD = (
    _of("plain", ""),
    _of("lengths", "--max-model-len|1024|--max-num-seqs|4|--max-num-batched-tokens|2048"),
    _of("readable lengths", "--max-model-len|1k"),
    _of("equals sign", "--max-model-len=512|--dtype=bfloat16"),
    _of("underscores in a flag", "--max_model_len|512"),
    _of("dotted flag", "--limit-mm-per-prompt.image|2"),
    _of("JSON value", '--override-generation-config|{"temperature": 0.5}'),
    _of("JSON of the compiler", '--compilation-config|{"mode": 0}'),
    _of("served names", "--served-model-name|a|b"),
    _of("negated flag", "--no-enable-prefix-caching"),
    _of("short flag", "-tp|1"),
    _of("backend of the CPU", "--attention-backend|CPU_ATTN"),
    _of("backend in lower case", "--attention-backend|flashinfer"),
    _of("variable of another time", "", VLLM_ATTENTION_BACKEND="FLASHINFER"),
    _of("variable nobody knows", "", VLLM_NO_SUCH_THING="1"),
    _of("longer by the variable", "--max-model-len|100000", VLLM_ALLOW_LONG_MAX_MODEL_LEN="1"),
    _of("tool calls", "--enable-auto-tool-choice|--tool-call-parser|hermes"),
)
BAD = (
    _of("unknown flag", "--no-such-flag|1", "unrecognized arguments"),
    _of("flag of another time", "--use-v2-block-manager", "unrecognized arguments"),
    _of("stray word", "extra", "unrecognized arguments"),
    _of("flag without its value", "--max-model-len", "expected one argument"),
    _of("no choice: dtype", "--dtype|float8", "invalid choice"),
    _of("no choice: cache", "--kv-cache-dtype|int4", "invalid choice"),
    _of("no number", "--max-num-seqs|many", "invalid"),
    _of("no number: port", "--port|http", "invalid"),
    _of("no length", "--max-model-len|long", "invalid"),
    _of("broken JSON", "--override-generation-config|{temperature: 1}", "cannot be converted"),
    _of("unknown key in JSON", '--compilation-config|{"no_such_key": 1}', "no_such_key"),
    _of("unknown backend", "--attention-backend|FLASH_INFER", "Unknown attention backend"),
    _of("backend that is gone", "--attention-backend|XFORMERS", "Unknown attention backend"),
    _of(
        "strict about variables", "--fail-on-environ-validation", "Unknown vLLM environment", VLLM_NO_SUCH="1"
    ),
    _of("longer than the model", "--max-model-len|100000", "greater than the derived max_model_len"),
    _of("heads not divisible", "--tensor-parallel-size|3", "divisible"),
    _of("no sequences", "--max-num-seqs|0", "greater than or equal to 1"),
    _of("more memory than there is", "--gpu-memory-utilization|2", "less than or equal to 1"),
    _of("unknown quantization", "--quantization|int3", "int3"),
    _of("no config for quantization", "--quantization|awq", "awq"),
    _of("tool choice without a parser", "--enable-auto-tool-choice", "tool-call-parser"),
    _of("unknown tool parser", "--enable-auto-tool-choice|--tool-call-parser|nope", "nope"),
    Tried("no such model", ("./no-such-model",), "no-such-model"),
)
TRIED = (*GOOD, *BAD)
#: refused only after the engine was begun, which no parser or configuration can tell
LATE = (_of("more cache than memory", "", "requested memory for kv", VLLM_CPU_KVCACHE_SPACE="40000"),)
