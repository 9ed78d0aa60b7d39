"""The stages of a start of vLLM 0.11.2, and its end when a backend is refused. Not for serving."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from .printing import API_SERVER, ENGINE, Frames, bare, progress, say, traceback

if TYPE_CHECKING:
    from .options import Options

#: backends that the encoder of a vision model takes; others end its start
_REFUSED_BY_ENCODER = {"FLASHINFER"}
_SHARDS = 4
_FLOOD_LINES = 9000
_CORE: Frames = [
    ("v1/engine/core.py", 833, "run_engine_core", "engine_core = EngineCoreProc(*args, **kwargs)"),
    ("v1/engine/core.py", 606, "__init__", "super().__init__("),
    ("v1/engine/core.py", 102, "__init__", "self.model_executor = executor_class(vllm_config)"),
    ("v1/executor/abstract.py", 101, "__init__", "self._init_executor()"),
    ("v1/executor/uniproc_executor.py", 48, "_init_executor", "self.driver_worker.load_model()"),
    ("v1/worker/gpu_worker.py", 273, "load_model", "self.model_runner.load_model(eep_scale_up=eep_scale_up)"),
    ("v1/worker/gpu_model_runner.py", 3276, "load_model", "self.model = model_loader.load_model("),
    ("model_executor/model_loader/base_loader.py", 49, "load_model", "model = initialize_model("),
    (
        "model_executor/model_loader/utils.py",
        55,
        "initialize_model",
        "return model_class(vllm_config=vllm_config, prefix=prefix)",
    ),
    ("model_executor/models/qwen3_vl.py", 1238, "__init__", "self.visual = Qwen3_VisionTransformer("),
    ("model_executor/models/qwen3_vl.py", 390, "__init__", "raise RuntimeError("),
]
_SERVER: Frames = [
    ("/opt/venv/bin/vllm", 10, "<module>", "sys.exit(main())"),
    ("entrypoints/cli/main.py", 73, "main", "args.dispatch_function(args)"),
    ("entrypoints/cli/serve.py", 60, "cmd", "uvloop.run(run_server(args))"),
    (
        "entrypoints/openai/api_server.py",
        2024,
        "run_server",
        "await run_server_worker(listen_address, sock, args)",
    ),
    ("v1/engine/async_llm.py", 133, "__init__", "self.engine_core = EngineCoreClient.make_async_mp_client("),
    (
        "v1/engine/core_client.py",
        469,
        "__init__",
        "with launch_core_engines(vllm_config, executor_class) as (",
    ),
    ("v1/engine/utils.py", 907, "launch_core_engines", "wait_for_engine_startup("),
    ("v1/engine/utils.py", 964, "wait_for_engine_startup", "raise RuntimeError("),
]


def announce(options: Options) -> None:
    """Print what the server says before it has an engine."""
    given = {name.lstrip("-").replace("-", "_"): value or True for name, value in options.flags.items()}
    given.pop("api_key", None)
    say(API_SERVER, "api_server.py:1977", "vLLM API server version 0.11.2")
    say(API_SERVER, "utils.py:253", f"non-default args: { {'model_tag': options.model, **given} }")
    _pause(options)
    say(API_SERVER, "model.py:631", "Resolved architecture: Qwen3VLForConditionalGeneration")
    say(API_SERVER, "model.py:1745", f"Using max model len {options.flags.get('--max-model-len', '32768')}")
    say(API_SERVER, "scheduler.py:216", "Chunked prefill is enabled with max_num_batched_tokens=8192.")
    _pause(options)


def start_engine(options: Options, env: dict[str, str]) -> int:
    """Print what the engine says while it starts; 1 when its start fails."""
    config = f"model='{options.model}', speculative_config=None, tokenizer='{options.model}', trust_remote_code=False"
    say(
        ENGINE,
        "core.py:93",
        f"Initializing a V1 LLM engine (v0.11.2) with config: {config}, dtype=torch.bfloat16",
    )
    _pause(options)
    place = "world_size=1 rank=0 local_rank=0 distributed_init_method=tcp://127.0.0.1:47215 backend=nccl"
    say(ENGINE, "parallel_state.py:1208", place)
    say(ENGINE, "gpu_model_runner.py:3259", f"Starting to load model {options.model}...")
    _pause(options)
    wanted = options.flags.get("--mm-encoder-attn-backend") or env.get("VLLM_ATTENTION_BACKEND", "FLASH_ATTN")
    if wanted in _REFUSED_BY_ENCODER:
        _refuse(wanted)
        return 1
    say(
        ENGINE, "cuda.py:418", "Valid backends: ['FLASH_ATTN', 'FLASHINFER', 'TRITON_ATTN', 'FLEX_ATTENTION']"
    )
    _say_backend(options.faults, env.get("VLLM_ATTENTION_BACKEND", "FLASH_ATTN"))
    for done in range(_SHARDS + 1):
        progress(ENGINE, "Loading safetensors checkpoint shards", done, _SHARDS)
        _pause(options)
    _warm_up(options)
    return 0


def _refuse(backend: str) -> None:
    """Print what the engine says when the encoder does not take its backend."""
    say(ENGINE, "core.py:842", "EngineCore failed to start.", "ERROR")
    error = f"RuntimeError: Qwen3-VL does not support AttentionBackendEnum.{backend} backend now."
    traceback(ENGINE, _CORE, error, "core.py:842")
    bare(ENGINE, "Process EngineCore_DP0:")
    traceback(ENGINE, _CORE, error)


def _say_backend(faults: frozenset[str], chosen: str) -> None:
    """Print which backend was chosen, and what is not true where such a fault is on."""
    if "unknown-variable" in faults:
        text = "Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND"
        say(ENGINE, "envs.py:1623", text, "WARNING")
    if "old-failure" in faults:
        _refuse("FLASHINFER")
    if faults & {"wrong-backend-line", "quoted-backend-line"}:
        say(ENGINE, "cuda.py:427", "Using TRITON_ATTN backend.")
    elif "no-backend-line" not in faults:
        say(ENGINE, "cuda.py:427", f"Using {chosen} backend.")
    if "flood" in faults:
        for number in range(_FLOOD_LINES):
            say(ENGINE, "scheduler.py:9", f"{number:06} " + "x" * 1000, "DEBUG")


def _quote_backend(options: Options) -> None:
    """Print requests that quote what the log would say of the backend."""
    if "quoted-backend-line" not in options.faults:
        return
    line = "Using FLASH_ATTN backend."
    record = f"INFO 12-01 00:00:00 [cuda.py:427] {line}"
    for prompt in (line, record, f"\u2028{record}", f"\x0b{record}", f"\x85{record}"):
        say(
            API_SERVER,
            "logger.py:43",
            f"Received request cmpl-0: prompt: '{prompt}', params: SamplingParams(n=1)",
        )
        bare(API_SERVER, f'INFO:     127.0.0.1:0 - "GET /{prompt} HTTP/1.1" 404 Not Found')


def fail() -> None:
    """Print what the server says when its engine did not start."""
    error = (
        "RuntimeError: Engine core initialization failed. See root cause above. "
        "Failed core proc(s): {'EngineCore_DP0': 1}"
    )
    traceback(API_SERVER, _SERVER, error)


def serve(options: Options) -> None:
    """Print what the server says once it serves."""
    say(API_SERVER, "api_server.py:1725", 'Supported tasks: ["generate"]'.replace('"', "'"))
    say(
        API_SERVER,
        "api_server.py:2052",
        f"Starting vLLM API server 0 on http://{options.host}:{options.port}",
    )
    say(API_SERVER, "launcher.py:38", "Available routes are:")
    for route, methods in (("/health", "GET"), ("/v1/models", "GET"), ("/v1/chat/completions", "POST")):
        say(API_SERVER, "launcher.py:46", f"Route: {route}, Methods: {methods}")
    if "leaks" in options.faults:
        say(API_SERVER, "utils.py:9", json.dumps({"hf_token": "hf_" + "x" * 34, "api_key": options.api_key}))
    if "dead-engine-line" in options.faults:
        text = "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue."
        say(API_SERVER, "async_llm.py:480", text, "ERROR")
    bare(API_SERVER, "INFO:     Application startup complete.")
    _quote_backend(options)


def _warm_up(options: Options) -> None:
    say(ENGINE, "default_loader.py:314", "Loading weights took 2.41 seconds")
    say(ENGINE, "gpu_model_runner.py:3338", "Model loading took 16.7837 GiB memory and 3.187504 seconds")
    _pause(options)
    say(ENGINE, "backends.py:647", "Dynamo bytecode transform time: 5.18 s")
    say(ENGINE, "monitor.py:34", "torch.compile takes 12.41 s in total")
    _pause(options)
    say(ENGINE, "gpu_worker.py:359", "Available KV cache memory: 50.05 GiB")
    say(ENGINE, "kv_cache_utils.py:1229", "GPU KV cache size: 364,464 tokens")
    say(ENGINE, "kv_cache_utils.py:1234", "Maximum concurrency for 32,768 tokens per request: 11.12x")
    _pause(options)
    say(ENGINE, "gpu_model_runner.py:4244", "Graph capturing finished in 5 secs, took 0.61 GiB")
    say(ENGINE, "core.py:250", "init engine (profile, create kv cache, warmup model) took 21.31 seconds")


def _pause(options: Options) -> None:
    time.sleep(options.delay_seconds)
