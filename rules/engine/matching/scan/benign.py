"""A healthy log in small, against which keys are measured: they end where lines without trouble seldom agree.

Not a sample of the catalogue, and not read when a paste is diagnosed.
"""

BENIGN_LOG = """\
INFO 03-14 09:26:53 [__init__.py:216] Automatically detected platform cuda.
(APIServer pid=4121) INFO 03-14 09:26:57 [api_server.py:1839] vLLM API server version 0.11.0
(APIServer pid=4121) INFO 03-14 09:26:57 [utils.py:233] non-default args: {'model': 'org/model-7b', \
'max_model_len': 8192}
(APIServer pid=4121) INFO 03-14 09:27:03 [model.py:547] Resolved architecture: LlamaForCausalLM
(APIServer pid=4121) INFO 03-14 09:27:03 [scheduler.py:205] Chunked prefill is enabled with \
max_num_batched_tokens=2048.
(EngineCore_DP0 pid=4180) INFO 03-14 09:27:11 [core.py:77] Initializing a V1 LLM engine (v0.11.0) \
with config: dtype=torch.bfloat16
(EngineCore_DP0 pid=4180) INFO 03-14 09:27:12 [parallel_state.py:1208] rank 0 in world size 1 is \
assigned as DP rank 0, TP rank 0
(EngineCore_DP0 pid=4180) WARNING 03-14 09:27:12 [topk_topp_sampler.py:66] FlashInfer is not \
available. Falling back
(EngineCore_DP0 pid=4180) INFO 03-14 09:27:13 [gpu_model_runner.py:2602] Starting to load model \
org/model-7b...
(EngineCore_DP0 pid=4180) INFO 03-14 09:27:13 [cuda.py:366] Using Flash Attention backend on V1 engine.
Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.22s/it]
(EngineCore_DP0 pid=4180) INFO 03-14 09:27:17 [default_loader.py:267] Loading weights took 2.41 seconds
(EngineCore_DP0 pid=4180) INFO 03-14 09:27:30 [kv_cache_utils.py:1087] GPU KV cache size: 221,312 tokens
(EngineCore_DP0 pid=4180) INFO 03-14 09:27:30 [kv_cache_utils.py:1091] Maximum concurrency for \
8,192 tokens per request: 27.02x
Capturing CUDA graphs (mixed prefill-decode, PIECEWISE): 100%|##########| 67/67 [00:03<00:00, 19.42it/s]
(APIServer pid=4121) INFO 03-14 09:27:41 [launcher.py:36] Route: /v1/chat/completions, Methods: POST
(APIServer pid=4121) INFO:     Started server process [4121]
(APIServer pid=4121) INFO:     Application startup complete.
(APIServer pid=4121) INFO:     10.0.0.7:51432 - "POST /v1/chat/completions HTTP/1.1" 200 OK
(APIServer pid=4121) INFO:     10.0.0.7:51432 - "GET /health HTTP/1.1" 200 OK
(APIServer pid=4121) INFO 03-14 09:28:01 [loggers.py:127] Engine 000: Avg prompt throughput: 412.3 \
tokens/s, Avg generation \
throughput: 131.8 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 1.2%, Prefix \
cache hit rate: 38.1%
(APIServer pid=4121) INFO 03-14 09:28:03 [logger.py:40] Received request chatcmpl-0: prompt: \
'Hello', params: SamplingParams(n=1)
RuntimeError: ValueError: ImportError: is not supported. does not support the backend attention \
model configuration
Traceback (most recent call last):
  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py", line 708, in run_engine_core
    raise RuntimeError(
"""
