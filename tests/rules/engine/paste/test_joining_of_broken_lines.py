"""Lines that a terminal, a mail client or a hand broke become one; others stay apart."""

import textwrap

import pytest

from rules.engine.paste.cleaning import NumberedLine, clean_lines
from rules.engine.paste.reading import read_paste
from rules.engine.paste.tracebacks import read_tracebacks
from rules.engine.paste.unwrapping.joining import unwrap

SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
PREFIXES = [
    "",
    "ERROR 11-28 07:55:57 [multiproc_executor.py:743] ",
    "(EngineCore_DP0 pid=15548) ERROR 11-28 07:55:57 [core.py:842] ",
    (
        "(APIServer pid=1) (EngineCore_DP0 pid=2) (Worker_TP0 pid=3) ERROR "
        "11-28 07:55:57 [multiproc_executor.py:743] "
    ),
]
WIDTHS = [60, 72, 78, 79, 80, 90, 100, 120]


def unwrapped(text: str) -> list[str]:
    return [line.text for line in unwrap(clean_lines(text))]


def cut_at(text: str, width: int) -> list[str]:
    return [text[start : start + width] for start in range(0, len(text), width)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_seeds_line_is_one_line_again_when_a_terminal_cut_it(prefix, width):
    line = prefix + SEED

    assert unwrapped("\n".join(cut_at(line, width))) == [line]
    assert unwrapped("\n".join(part.rstrip() for part in cut_at(line, width))) == [line]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_seeds_line_is_one_line_again_when_it_was_wrapped_between_words(prefix, width):
    line = prefix + SEED
    wrapped = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)

    assert unwrapped("\n".join(wrapped)) == [line]


@pytest.mark.parametrize(
    "message",
    [
        (
            "ValueError: No available memory for the cache blocks. Try increasing "
            "`gpu_memory_utilization` when initializing the engine."
        ),
        (
            "ValueError: To serve at least one request with the models's max seq "
            "len (40960), (4.38 GiB KV cache is needed, which is "
            "larger than the available KV cache memory (4.00 GiB)."
        ),
        (
            "ValueError: Bfloat16 is only supported on GPUs with compute capability "
            "of at least 8.0. Your Tesla T4 GPU has compute "
            "capability 7.5."
        ),
    ],
)
@pytest.mark.parametrize("width", [80, 100])
def test_longer_messages_are_one_line_again(message, width):
    wrapped = textwrap.wrap(message, width, break_long_words=False, break_on_hyphens=False)

    assert unwrapped("\n".join(wrapped)) == [message]


def test_a_joined_line_has_the_number_of_its_first_part():
    text = "hello\n" + "\n".join(cut_at(PREFIXES[1] + SEED, 80)) + "\nbye"

    assert [(line.number, line.text) for line in unwrap(clean_lines(text))] == [
        (1, "hello"),
        (2, PREFIXES[1] + SEED),
        (4, "bye"),
    ]


def test_a_message_written_over_three_lines_is_one():
    text = (
        "triton.runtime.errors.OutOfResources: out of resource: shared memory,\n"
        "Required: 98304, Hardware limit: 65536.\n"
        "Reducing block sizes or `num_stages` may help."
    )

    assert unwrapped(text)[0].startswith(
        "triton.runtime.errors.OutOfResources: out of resource: shared "
        "memory, Required: 98304, Hardware limit: 65536."
    )


def test_an_argument_between_two_parts_of_a_message_is_part_of_it():
    text = (
        "vllm serve: error: argument --speculative-config/-sc: Value\n"
        '{"method":"mtp","num_speculative_tokens":{num_speculative_tokens}}\n'
        "cannot be converted to <function loads>."
    )

    assert unwrapped(text) == [text.replace("\n", " ")]


@pytest.mark.parametrize(
    "lines",
    [
        # a traceback, indented or not
        [
            "Traceback (most recent call last):",
            (
                '  File "/opt/venv/lib/python3.11/site-packages/vllm/v1/engine/core.py", '
                "line 833, in run_engine_core"
            ),
            "    engine_core = EngineCoreProc(*args, **kwargs)",
            "                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            "RuntimeError: Worker failed",
        ],
        [
            (
                'File "/opt/venv/lib/python3.11/site-packages/vllm/v1/engine/core.py", '
                "line 833, in run_engine_core"
            ),
            "engine_core = EngineCoreProc(*args, **kwargs)",
        ],
        # log records, and bare output between them
        [
            "(Worker_TP0 pid=1) INFO 10-06 22:12:38 [gpu_model_runner.py:2634] Loading model from scratch...",
            "(Worker_TP1 pid=2) INFO 10-06 22:12:38 [gpu_model_runner.py:2634] Loading model from scratch...",
            "Loading safetensors checkpoint shards: 100% Completed | 1/1 [00:00<00:00, 36.18it/s]",
        ],
        ["[Gloo] Rank 0 is connected to 0 peer ranks. Expected number of connected peer ranks is : 0"] * 5,
        # messages of several lines, each complete
        [
            "RuntimeError: CUDA error: device-side assert triggered",
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        ],
        [
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            (
                "CUDA kernel errors might be asynchronously reported at some other API "
                "call, so the stacktrace below might be incorrect."
            ),
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        ],
        [
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for CacheConfig",
            "gpu_memory_utilization",
            (
                "  Input should be less than or equal to 1 [type=less_than_equal, "
                "input_value=2.0, input_type=float]"
            ),
        ],
        [
            "RuntimeError: Qwen2-VL does not support _Backend.FLASHINFER backend now",
            "RuntimeError: Engine process failed to start",
        ],
        # a question after the error, and lists of equal length
        ['ModuleNotFoundError: No module named "vllm._C"', "What should I do about it?"],
        ["VLLM_USE_V1=1 is what I have set here", "VLLM_LOGGING_LEVEL=DEBUG", "NCCL_P2P_DISABLE=1"],
        [f"nvidia-cublas-cu12-{number}                     12.8.4.{number}" for number in range(10, 30)],
    ],
)
def test_what_was_not_broken_stays_apart(lines):
    assert unwrapped("\n".join(lines)) == lines


def test_lines_with_a_blank_line_between_them_stay_apart():
    assert (
        len(
            unwrapped(
                "RuntimeError: Qwen3-VL does not support\n\nAttentionBackendEnum.FLASHINFER backend now."
            )
        )
        == 2
    )


def test_unwrapping_keeps_every_character_but_blanks():
    text = "\n".join(cut_at(" ".join(f"word{number}" for number in range(400)), 80))
    joined = unwrap(clean_lines(text))

    assert "".join(line.text for line in joined).replace(" ", "") == text.replace("\n", "").replace(" ", "")


def test_nothing_to_unwrap():
    assert unwrap([]) == []
    assert unwrap([NumberedLine(7, "x")]) == [NumberedLine(7, "x")]


BROKEN_BETWEEN_WORDS = {
    "(EngineCore pid=91) ERROR 05-02 06:12:44 [core.py:1201] ValueError: Unknown|"
    "TurboQuant cache dtype: turboquant_2bit. Valid presets: ['turboquant_k8v4',|'turboquant_4bit_nc']": (
        "ValueError: Unknown TurboQuant cache dtype: turboquant_2bit. Valid presets: ['turboquant_k8v4', "
        "'turboquant_4bit_nc']"
    ),
    "NotImplementedError: VLLM_USE_V1=1 is not supported with|VLLM_ATTENTION_BACKEND=XFORMERS.": (
        "NotImplementedError: VLLM_USE_V1=1 is not supported with VLLM_ATTENTION_BACKEND=XFORMERS."
    ),
    "NotImplementedError: VLLM_USE_V1=1 is not supported with VLL|M_ATTENTION_BACKEND=XFORMERS.": (
        "NotImplementedError: VLLM_USE_V1=1 is not supported with VLLM_ATTENTION_BACKEND=XFORMERS."
    ),
    "(APIServer pid=1)   Value error, Invalid value 'flash_attn' for|"
    "VLLM_ATTENTION_BACKEND. Valid options: ['FLASH_ATTN', 'TRITON_ATTN', 'XFORMERS',|'TORCH_SDPA'].": (
        "  Value error, Invalid value 'flash_attn' for VLLM_ATTENTION_BACKEND. Valid options: "
        "['FLASH_ATTN', 'TRITON_ATTN', 'XFORMERS', 'TORCH_SDPA']."
    ),
    "ValueError: No valid attention backend found for cuda with X. Reasons: {FLASH_ATTN:|"
    "[kv_cache_dtype not supported], TRITON_ATTN: [batch invariance not supported]}.": (
        "ValueError: No valid attention backend found for cuda with X. Reasons: {FLASH_ATTN: "
        "[kv_cache_dtype not supported], TRITON_ATTN: [batch invariance not supported]}."
    ),
    "AssertionError: Attention metadata for layer model.layers.0 does not have non-|"
    "causal support, which is required for DFlash. Consider using a different attention|backend.": (
        "AssertionError: Attention metadata for layer model.layers.0 does not have non-causal support, which is "
        "required for DFlash. Consider using a different attention backend."
    ),
}


@pytest.mark.parametrize(("broken", "whole"), BROKEN_BETWEEN_WORDS.items())
def test_messages_that_were_broken_between_words_are_whole_again(broken, whole):
    assert [line.text for line in read_paste(broken.replace("|", "\n")).lines] == [whole]


def test_prose_below_a_short_exception_stays_apart():
    lines = [line.text for line in read_paste("KeyError: 'x'\nDoes anybody know?").lines]

    assert lines == ["KeyError: 'x'", "Does anybody know?"]


@pytest.mark.parametrize(
    ("picture", "text"),
    [
        (
            "RuntimeError : Qwen3-VL does not support AttentionBackendEnum .FLASHINFER backend now .",
            "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.",
        ),
        (
            "It failed . Reason : [ 'a' , 'b' ] .\nIt was refused .",
            "It failed. Reason: [ 'a', 'b' ].",
        ),
    ],
)
def test_marks_that_stand_apart_in_a_picture_are_closed_up(picture, text):
    assert read_paste(picture).lines[0].text == text


@pytest.mark.parametrize(
    "text", ["key : value", "  x = a if b else c", "ls . && pwd", "model : org/m", "a , b"]
)
def test_marks_that_people_and_programs_set_apart_are_left(text):
    assert read_paste(text).lines[0].text == text


@pytest.mark.parametrize(
    "broken",
    [
        [
            "ValueError: Selected backend AttentionBackendEnum.CUTLASS_MLA is not valid for this configuration.",
            "Reason: ['sparse not supported']",
        ],
        [
            "ValueError: Selected backend AttentionBackendEnum.FLASHMLA is not valid for this configuration. Reason:",
            "['sparse not supported']",
        ],
        [
            "AssertionError: DCP requires attention impls to return the softmax lse for decode, but the impl",
            "FlashAttentionImpl does not return the softmax lse for decode.",
        ],
    ],
)
def test_a_refusal_is_one_line_again_with_its_reasons(broken):
    assert unwrapped("\n".join(broken)) == [" ".join(broken)]


CARRIERS = [
    "Dec 01 03:12:15 gpu-17 vllm[8812]: ",
    "2026-12-01T03:12:15+0000 gpu-17 vllm[8812]: ",
    "vllm-1  | ",
    "[pod/vllm-5b7/server] ",
    "2026-12-01T03:12:15.123456789Z ",
]


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("depth", [40, 60, 80])
def test_each_line_behind_a_carrier_is_one_however_long_the_lines_are(carrier, depth):
    message = "No available memory for the cache blocks. Try increasing `gpu_memory_utilization`."
    lines = [
        "Traceback (most recent call last):",
        f'  File "/opt/{"x" * depth}/vllm/config.py", line 3091, in _get_and_verify_dtype',
        "    raise ValueError(",
        f"ValueError: {message}",
        "vllm.service: Main process exited, code=exited, status=1/FAILURE",
        "vllm.service: Failed with result 'exit-code'.",
    ]

    evidence = read_paste("\n".join(carrier + line for line in lines))
    (told,) = read_tracebacks(evidence.lines)

    assert [line.text.strip() for line in evidence.lines] == [line.strip() for line in lines]
    assert [(raised.name, raised.message) for raised in told.raised] == [("ValueError", message)]


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("carrier", CARRIERS[:1])
def test_a_line_behind_a_carrier_that_was_wrapped_is_one_line_again(carrier, width):
    wrapped = textwrap.wrap(carrier + SEED, width, break_long_words=False, break_on_hyphens=False)

    assert unwrapped("\n".join(wrapped)) == [carrier + SEED]
