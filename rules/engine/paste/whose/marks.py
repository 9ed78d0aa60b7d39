"""Texts that tell whose output a paste is. Not for telling what went wrong."""

from typing import Final

#: texts that only vLLM prints or that name its files
VLLM_MARKS: Final = (
    *(
        "-packages/vllm/",
        "-packages\\vllm\\",
        "/vllm/v1/",
        "/vllm/engine/",
        "/vllm/entrypoints/",
        "/vllm/model_executor/",
    ),
    *(
        "/vllm/worker/",
        "/vllm/executor/",
        "/vllm/attention/",
        "/vllm/platforms/",
        "/vllm/config",
        "/vllm/utils",
        "/vllm/distributed/",
    ),
    *(
        "vLLM API server version",
        "Initializing an LLM engine (v",
        "Initializing a V1 LLM engine (v",
        "Initializing a V0 LLM",
    ),
    *(
        "Initializing a V2 LLM engine",
        "vllm serve: error:",
        "vllm: error:",
        "api_server.py: error:",
        "vllm.v1.",
        "vllm.engine.",
        "vllm.entrypoints.",
    ),
    *(
        "vllm.attention.",
        "vllm.worker",
        "vllm._C",
        "_vllm_fa2_C",
        "_vllm_fa3_C",
        "vllm_flash_attn",
        "AttentionBackendEnum",
    ),
    *(
        "_Backend.",
        "AttentionSelectorConfig(",
        "VLLM_USE_V1",
        "VLLM_ATTENTION_BACKEND",
        "EngineCore",
        "Engine core initialization failed",
        "VllmWorker",
    ),
    *(
        "AsyncLLMEngine",
        "AsyncEngineDeadError",
        "EngineDeadError",
        "Worker proc VllmWorker",
        "WorkerProc",
        "vllm.exceptions",
    ),
    *(
        "max_num_batched_tokens",
        "gpu_memory_utilization",
        "--gpu-memory-utilization",
        "vllm/vllm-openai",
        "vllm serve",
        "MQLLMEngine",
    ),
)
#: texts of another program which vLLM's own libraries print too: they tell nothing to somebody who asks about vLLM
SHARED: Final = ("FlashInfer requires sm75+",)
#: files of other programs through which vLLM reads every model
PASSED_THROUGH: Final = ("/transformers/models/auto/",)
#: texts that only the named program prints or that name its files
OTHERS: Final = (
    (
        "sglang",
        (
            "/sglang/",
            "sglang.",
            "sgl_kernel",
            "TritonAttnBackend",
            "scheduler.event_loop",
            "flashinfer_python with minimum",
            "The 'fa3' backend",
        ),
    ),
    (
        "transformers",
        (
            "/transformers/models/",
            "attn_implementation",
            "perf_infer_gpu_one#flashattention-2",
            "/transformers/modeling",
            "/transformers/cli/",
            "/transformers/generation/",
            "/transformers/pipelines/",
            "/transformers/trainer",
        ),
    ),
    ("ComfyUI", ("ComfyUI", "comfy\\", "/comfy/", "LoaderGGUF")),
    ("Ollama", ("ollama", "/ml/backend/ggml", "llama runner process")),
    (
        "llama.cpp",
        (
            "llama_model_load",
            "ggml_cuda",
            "ggml-cuda",
            "llama_init_from",
            "llama-server",
            "warmup: WARNING: flash attention",
        ),
    ),
    ("ktransformers", ("ktransformers", *SHARED)),
    ("vllm-rs", ("vllm-rs", "src/flashinfer_adapter.cu", "vllm_rs", "attention-rs")),
    (
        "Megatron",
        ("/megatron/", "Megatron", "transformer_engine", "No dot product attention backend is available"),
    ),
    ("TensorRT-LLM", ("/tensorrt_llm/", "[TensorRT-LLM]", "trtllm-serve")),
    (
        "text-generation-inference",
        (
            "text_generation_server",
            "text-generation-launcher",
            "text_generation_launcher",
            "ShardCannotStart",
        ),
    ),
    ("LMDeploy", ("/lmdeploy/",)),
    ("aphrodite", ("/aphrodite/",)),
    ("mistral.rs", ("mistralrs",)),
    ("PaddlePaddle", ("/paddle/", "paddlepaddle", "/paddleocr/", "/fastdeploy/")),
    ("diffusers", ("/diffusers/",)),
    ("ExLlama", ("/exllamav2/", "/exllamav3/", "tabbyAPI")),
    ("pytest", ("E       assert ", "short test summary info", "=== FAILURES ===")),
)
