"""Whose output a paste is, and whether something failed in it."""

import pytest

from rules.engine.paste.nature import Nature, read_nature
from rules.engine.paste.reading import read_paste
from rules.engine.paste.rootcause import find_root_cause


def nature(text: str) -> Nature:
    lines = read_paste(text).lines
    return read_nature(lines, find_root_cause(lines))


@pytest.mark.parametrize(
    "text",
    [
        "ERROR 11-28 07:55:57 [core.py:842] ValueError: x",
        "(EngineCore_DP0 pid=2) ValueError: x",
        (
            "Traceback (most recent call last):\n  File "
            '"/usr/lib/python3.12/site-packages/vllm/v1/engine/core.py", '
            "line 1, in f\n    g()\nValueError: x"
        ),
        "vllm serve: error: argument --dtype: invalid choice: 'float8'",
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
        (
            "ValueError: Selected backend AttentionBackendEnum.FLASHINFER_MLA "
            "is not valid for this configuration."
        ),
    ],
)
def test_output_of_vllm_is_known(text):
    found = nature(text)

    assert found.vllm
    assert found.failed
    assert found.other_program is None


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (
            (
                '  File "/usr/local/lib/python3.10/dist-packages/sglang/srt/managers/scheduler.py", '
                "line 478, in event_loop_normal\nValueError: x"
            ),
            "sglang",
        ),
        (
            (
                "RuntimeError: FlashAttention only supports Ampere GPUs or newer.\n"
                '    attn_implementation="flash_attention_2",'
            ),
            "transformers",
        ),
        (
            (
                '  File "C:\\ComfyUI_windows_portable\\ComfyUI\\comfy\\samplers.py", line 319, in '
                "f\nRuntimeError: FlashAttention only supports Ampere GPUs or newer."
            ),
            "ComfyUI",
        ),
        ("/ml/backend/ggml/ggml/src/ggml-cuda/fattn-tile.cuh:1247: fatal error", "Ollama"),
        ("ggml_cuda_init: failed\nwarmup: WARNING: flash attention not supported by CUDA0", "llama.cpp"),
        (
            (
                "vllm-rs-svc0  |   what():  Error in function 'operator()' at "
                "src/flashinfer_adapter.cu:408: Unsupported group_size: 64"
            ),
            "vllm-rs",
        ),
        ("ktransformers 报错 RuntimeError: FlashInfer requires sm75+", "ktransformers"),
        ("ValueError: No dot product attention backend is available for the provided inputs", "Megatron"),
    ],
)
def test_output_of_other_programs_is_not_taken_for_vllms(text, program):
    found = nature(text)

    assert found.other_program == program
    assert not found.vllm


def test_a_frame_of_a_library_below_vllms_own_frames_is_still_vllms():
    found = nature(
        "Traceback (most recent call last):\n"
        '  File "/opt/site-packages/vllm/model_executor/models/transformers.py", line 1, in f\n    g()\n'
        '  File "/opt/site-packages/transformers/models/qwen2_5_vl/modeling_qwen2_5_vl.py", '
        "line 530, in forward\n    h()\n"
        "RuntimeError: x"
    )

    assert found.vllm
    assert found.other_program is None


def test_a_server_that_answers_is_healthy():
    found = nature(
        "(APIServer pid=1) INFO 12-01 04:40:20 [api_server.py:1977] vLLM API server version 0.11.2\n"
        "WARNING 12-01 04:40:20 [_logger.py:72] Found ulimit of 20000. This "
        "can cause errors like `OSError: [Errno 24]`.\n"
        "INFO:     Application startup complete.\n"
        'INFO:     127.0.0.1:36340 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
        'INFO:     127.0.0.1:36340 - "POST /v1/chat/completions HTTP/1.1" 404 Not Found\n'
    )

    assert (found.vllm, found.started, found.served, found.failed, found.healthy) == (
        True,
        True,
        True,
        False,
        True,
    )


@pytest.mark.parametrize(
    "text",
    [
        "why do the examples recommend the XFORMERS backend although it is slower than flash_attention?",
        "qwen3-vl-4B FP8: the flashinfer backend is slower than fa3, why?",
        "please support FlashAttention v1 for Turing",
    ],
)
def test_a_question_is_prose_and_no_failure(text):
    found = nature(text)

    assert found.prose
    assert not found.failed


def test_a_wrapper_alone_is_known_to_be_one():
    found = nature(
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. "
        "See root cause above. Failed core proc(s): {}"
    )

    assert found.wrapper_only
    assert found.failed
    assert not found.cut


def test_a_traceback_without_its_exception_is_known_to_be_cut():
    found = nature(
        "(EngineCore_DP0 pid=2) Traceback (most recent call last):\n(EngineCore_DP0 "
        'pid=2)   File "/opt/vllm/v1/a.py", line 1, in f'
    )

    assert found.cut
    assert found.failed
    assert not found.wrapper_only


@pytest.mark.parametrize(
    "text", ["Segmentation fault (core dumped)", "Bus error (core dumped)", "Killed", "Illegal instruction"]
)
def test_a_crash_without_an_exception_is_a_failure(text):
    assert nature(text).failed


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("RuntimeError: Qwen3-VL does not", True),
        ("RuntimeError: Qwen3-VL does not support", True),
        ("RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.", False),
        ("AssertionError", False),
        ("why is it slow", False),
    ],
)
def test_a_message_that_stops_where_no_sentence_ends_is_known_to_be_cut(text, cut):
    assert nature(text).message_cut is cut


def test_frames_of_a_library_that_a_process_of_vllm_printed_are_vllms():
    found = nature(
        '(EngineCore_DP0 pid=13) File "/x/site-packages/transformers/models/pixtral/processing.py", line 1, in f\n'
        "(EngineCore_DP0 pid=13) AttributeError: 'A' object has no attribute 'b'"
    )

    assert found.vllm
    assert found.other_program is None


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ('  File "/app/studio/samplers.py", line 2, in step\nRuntimeError: CUDA error: out of memory', True),
        (
            '  File "/app/studio/samplers.py", line 2, in <module>\nRuntimeError: CUDA error: out of memory',
            False,
        ),
        (
            '  File "/app/serve.py", line 2, in load\n    self.llm = LLM(path)\nRuntimeError: CUDA error: x',
            False,
        ),
        ('  File ".../flashinfer/mla/x.py", line 2, in run\nValueError: no kernel', False),
        ('  File "/x/site-packages/xformers/ops.py", line 2, in run\nRuntimeError: CUDA error: x', False),
    ],
)
def test_frames_of_a_program_of_ones_own_are_foreign_where_nothing_speaks_of_vllm(text, foreign):
    assert (nature(text).other_program is not None) is foreign


def test_who_asks_about_vllm_is_heard_although_the_frames_are_another_programs():
    found = nature(
        '  File "/app/studio/samplers.py", line 2, in step\nRuntimeError: CUDA error: out of memory'
    )

    assert found.other_by_shared_text
