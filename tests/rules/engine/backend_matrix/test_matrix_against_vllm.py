"""The matrix, checked by hand against vLLM's own source; each row says where that was read."""

import pytest

from tests.rules.engine.backend_matrix.matrices import (
    NO,
    OPEN,
    YES,
    a_matrix,
    row_of,
    text_of,
    tried,
    vision_of,
    whys,
)

QWEN3, QWEN25 = "Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct"
DEEPSEEK = "deepseek-ai/DeepSeek-V3"


@pytest.mark.parametrize(
    ("version", "gpu", "model", "order", "_where"),
    [
        ("0.6.3", "T4", None, "XFORMERS", "vllm/attention/selector.py: below 8.0"),
        ("0.8.5", "H100", None, "FLASH_ATTN", "vllm/platforms/cuda.py:220"),
        ("0.10.2", "T4", None, "FLEX_ATTENTION", "vllm/platforms/cuda.py: no FlashAttention below 8.0"),
        ("0.11.1", "V100", None, "TRITON_ATTN > FLEX_ATTENTION", "vllm/platforms/cuda.py:46"),
        ("0.11.2", "T4", None, "FLASHINFER > TRITON_ATTN > FLEX_ATTENTION", "flashinfer.py: 7.5 to 12.1"),
        ("0.24.0", "T4", None, "TRITON_ATTN > FLEX_ATTENTION", "flashinfer.py: from 8.0 on"),
        (
            "0.12.0",
            "H100",
            QWEN3,
            "FLASH_ATTN > FLASHINFER > TRITON_ATTN > FLEX_ATTENTION",
            "vllm/platforms/cuda.py:46",
        ),
        (
            "0.33.0",
            "B200",
            QWEN3,
            "FLASHINFER > FLASH_ATTN > TRITON_ATTN > FLEX_ATTENTION",
            "vllm/platforms/cuda.py:84",
        ),
        ("0.12.0", "H100", "microsoft/Phi-3-mini-4k-instruct",
         "FLASH_ATTN > TRITON_ATTN > FLEX_ATTENTION", "FLASHINFER takes 64, 128, 256, not 96"),
        ("0.14.1", "B200", DEEPSEEK, "CUTLASS_MLA > FLASHINFER_MLA > TRITON_MLA", "vllm/platforms/cuda.py"),
        ("0.16.0", "B200", DEEPSEEK, "FLASHINFER_MLA > CUTLASS_MLA > TRITON_MLA", "vllm/platforms/cuda.py"),
        ("0.16.0", "H100", DEEPSEEK, "FLASH_ATTN_MLA > FLASHMLA > TRITON_MLA", "vllm/platforms/cuda.py"),
        ("0.33.0", "A100", DEEPSEEK, "TRITON_MLA", "vllm/platforms/cuda.py:150"),
        ("0.33.0", "A100", "openai/gpt-oss-20b", "TRITON_ATTN", "sinks need FlashAttention 3 (fa_utils.py:319)"),
        ("0.20.2", "A100", "google/gemma-3-12b-it", "TRITON_ATTN > FLEX_ATTENTION", "supports_mm_prefix"),
        ("0.12.0", "A100", "google/gemma-3-12b-it",
         "FLASH_ATTN > FLASHINFER > TRITON_ATTN > FLEX_ATTENTION", "no such check before 0.13.0"),
    ],
)  # fmt: skip
def test_the_release_tries_these_for_the_language_model(version, gpu, model, order, _where):
    side = text_of(version, model, gpu)

    assert tried(side) == order
    assert side.default == order.partition(" > ")[0]


@pytest.mark.parametrize(
    ("version", "gpu", "model", "backend", "verdict", "why", "_where"),
    [
        ("0.12.0", "T4", None, "FLASH_ATTN", NO, "capability", "flash_attn.py supports_compute_capability"),
        ("0.8.5", "T4", None, "FLASH_ATTN_VLLM_V1", NO, "capability", "the same kernels"),
        ("0.12.0", "V100", None, "FLASHINFER", NO, "capability", "flashinfer.py: 7.5 to 12.1"),
        ("0.11.2", "H100", None, "TORCH_SDPA", NO, "encoder-only", "backends/registry.py: no class"),
        ("0.12.0", "H100", None, "CUSTOM", NO, "needs-plugin", "backends/registry.py:80"),
        ("0.12.0", "H100", None, "FLASHMLA", NO, "mla-only", "abstract.py: non-MLA not supported"),
        ("0.12.0", "H100", DEEPSEEK, "FLASHINFER", NO, "not-for-mla", "abstract.py: MLA not supported"),
        ("0.12.0", "H100", DEEPSEEK, "CUTLASS_MLA", NO, "capability", "cutlass_mla.py: major == 10"),
        ("0.12.0", "H100", DEEPSEEK, "FLASHMLA_SPARSE", NO, "sparse-only", "non-sparse not supported"),
        ("0.12.0", "H100", None, "ROCM_ATTN", NO, "platform", "its name"),
        ("0.11.0", "H100", None, "FLASHINFER", OPEN, "package", "requirements/cuda.txt has no flashinfer"),
        ("0.11.1", "H100", None, "FLASHINFER", YES, "package-included", "requirements/cuda.txt"),
        ("0.11.2", "GH200", None, "XFORMERS", OPEN, "package", "requirements/cuda.txt: x86_64 only"),
        ("0.33.0", "H100", None, "TURBOQUANT", NO, "kv-cache-dtype", "turboquant_attn.py: no auto"),
        ("0.33.0", "RTX 5090", None, "B12X", OPEN, "run-time", "b12x.py: 12.x, with its package"),
        ("0.33.0", "H100", None, "FLASH_ATTN_DIFFKV", OPEN, "other-values", "flash_attn_diffkv.py head_size_v"),
        ("0.12.0", "A100", "openai/gpt-oss-20b", "FLASH_ATTN", NO, "sinks", "fa_utils.py:91: version 3 only"),
        ("0.16.0", "A100", "google/gemma-3-12b-it", "FLASHINFER", NO, "image-prefix", "backend.py:184 False"),
    ],
)  # fmt: skip
def test_a_backend_works_for_the_language_model_or_not(version, gpu, model, backend, verdict, why, _where):
    row = row_of(text_of(version, model, gpu), backend)

    assert row.verdict is verdict
    assert why in whys(row)


@pytest.mark.parametrize(
    ("version", "gpu", "model", "backend", "verdict", "why", "_where"),
    [
        ("0.12.0", "H100", QWEN3, "FLASH_ATTN", YES, None, "qwen3_vl.py:379"),
        ("0.12.0", "H100", QWEN3, "TORCH_SDPA", YES, None, "qwen3_vl.py:379"),
        ("0.12.0", "H100", QWEN3, "FLASHINFER", NO, "encoder-refuses", "qwen3_vl.py:385"),
        ("0.12.0", "T4", QWEN3, "FLASH_ATTN", NO, "capability", "flash_attn.py"),
        ("0.11.2", "H100", "Kwai-Keye/Keye-VL-8B-Preview", "TORCH_SDPA", NO, "encoder-refuses", "keye.py:424"),
        ("0.10.2", "H100", QWEN25, "FLASH_ATTN", OPEN, "package", "qwen2_5_vl.py: from flash_attn import"),
        ("0.11.0", "H100", QWEN25, "FLASH_ATTN", YES, None, "qwen2_5_vl.py: vllm.vllm_flash_attn"),
        ("0.11.2", "H100", "llava-hf/llava-1.5-7b-hf", "FLASHINFER", NO, "replaced", "attention/layer.py:530"),
        ("0.10.2", "H100", "llava-hf/llava-1.5-7b-hf", "FLASHINFER", OPEN, "picks-itself", "layer.py:358"),
        ("0.12.0", "H100", "Qwen/Qwen3-Omni-30B-A3B-Instruct", "FLASHINFER", OPEN, "own-code", "its own blocks"),
        ("0.13.0", "H100", QWEN3, "FLASHINFER", NO, "not-a-choice", "platforms/cuda.py:375"),
        ("0.16.0", "H100", QWEN3, "TRITON_ATTN", NO, "not-a-choice", "platforms/cuda.py:377"),
        ("0.17.1", "H100", QWEN3, "TRITON_ATTN", YES, None, "platforms/cuda.py"),
        ("0.17.1", "H100", QWEN3, "FLASHINFER", YES, "package-included", "qwen3_vl.py:582 hands lengths over"),
        ("0.17.0", "H100", QWEN3, "FLASHINFER", OPEN, "package", "no cudnn-frontend in requirements/cuda.txt"),
        ("0.20.2", "H100", QWEN25, "FLASHINFER", NO, "no-lengths", "qwen2_5_vl.py: sequence_lengths=None"),
        ("0.22.0", "H100", QWEN25, "FLASHINFER", YES, "package-included", "qwen2_5_vl.py:1037"),
        ("0.33.0", "H100", "zai-org/GLM-4.1V-9B-Thinking", "FLASHINFER", NO, "no-lengths", "glm4_1v.py:369"),
        ("0.33.0", "T4", QWEN3, "FLASHINFER", NO, "capability", "cuDNN attention begins at 8.0"),
        ("0.33.0", "T4", "openpangu-VL-7B", "FLASH_ATTN", NO, "capability", "openpangu_vl.py:407"),
        ("0.33.0", "T4", "openpangu-VL-7B", "TORCH_SDPA", NO, "encoder-refuses", "openpangu_vl.py:408"),
        ("0.12.0", "cpu", "zai-org/GLM-4.1V-9B-Thinking", "CPU_ATTN", NO, "replaced", "attention/layer.py:82"),
    ],
)  # fmt: skip
def test_a_backend_works_for_the_encoder_or_not(version, gpu, model, backend, verdict, why, _where):
    row = row_of(vision_of(version, model, gpu), backend)

    assert row.verdict is verdict
    assert why is None or why in whys(row)


@pytest.mark.parametrize(
    ("version", "gpu", "model", "default", "_where"),
    [
        ("0.8.5", "H100", QWEN25, "XFORMERS", "models/vision.py:98"),
        ("0.11.0", "H100", QWEN3, "XFORMERS", "platforms/cuda.py:234: 72 is no FlashAttention size there"),
        ("0.11.0", "B200", QWEN3, "TORCH_SDPA", "platforms/cuda.py:220"),
        ("0.11.2", "GH200", "llava-hf/llava-1.5-7b-hf", "FLASH_ATTN", "platforms/cuda.py: head size 64"),
        ("0.12.0", "T4", QWEN3, "TORCH_SDPA", "platforms/cuda.py:277"),
        ("0.17.0", "T4", QWEN3, "TRITON_ATTN", "platforms/cuda.py:418"),
        ("0.18.0", "T4", QWEN3, "TORCH_SDPA", "platforms/cuda.py:361"),
        ("0.33.0", "H100", QWEN3, "FLASH_ATTN", "platforms/cuda.py:570"),
    ],
)
def test_an_encoder_gets_this_when_nothing_is_chosen(version, gpu, model, default, _where):
    assert vision_of(version, model, gpu).default == default


@pytest.mark.parametrize(
    ("version", "text", "vision"),
    [
        ("0.11.0", "VLLM_ATTENTION_BACKEND", "VLLM_ATTENTION_BACKEND"),
        ("0.11.1", "VLLM_ATTENTION_BACKEND", "--mm-encoder-attn-backend VLLM_ATTENTION_BACKEND"),
        ("0.13.0", "--attention-backend VLLM_ATTENTION_BACKEND", "--mm-encoder-attn-backend"),
        ("0.15.0", "--attention-backend", "--mm-encoder-attn-backend"),
    ],
)
def test_a_backend_is_chosen_with_what_the_release_reads(version, text, vision):
    matrix = a_matrix(version, QWEN3, "H100")

    assert " ".join(one.name for one in matrix.text_settings) == text
    assert " ".join(one.name for one in matrix.vision_settings) == vision


def test_a_variable_that_the_release_is_about_to_drop_is_told_so():
    matrix = a_matrix("0.14.1", QWEN3, "H100")

    assert [one.warning is not None for one in matrix.text_settings] == [False, True]


def test_an_fp8_cache_and_a_block_size_knock_backends_out():
    with_fp8 = text_of("0.12.0", None, "H100", kv_cache_dtype="fp8")
    with_block = text_of("0.11.2", None, "H100", block_size=48)
    with_multiple = text_of("0.12.0", None, "H100", block_size=128)

    assert row_of(with_fp8, "FLEX_ATTENTION").verdict is NO
    assert row_of(with_fp8, "FLASH_ATTN").verdict is OPEN
    assert with_fp8.default is None
    assert whys(row_of(with_block, "FLASHINFER")) == {"block-size"}
    assert row_of(with_multiple, "FLASHINFER").verdict is YES


def test_on_a_cpu_its_own_backend_runs_whatever_is_asked_for():
    side = text_of("0.33.0", None, "cpu")

    assert side.default == "CPU_ATTN"
    assert whys(row_of(side, "TRITON_ATTN")) == {"cpu-has-its-own"}


def test_without_a_model_encoders_that_differ_are_left_open_and_named():
    row = row_of(vision_of("0.33.0", None, "H100"), "TORCH_SDPA")

    assert row.verdict is OPEN
    assert dict(row.reasons[0].values) == {"refusing": "Pangu-VL"}


@pytest.mark.parametrize(
    ("version", "two"),
    [("0.7.3", False), ("0.8.5", True), ("0.10.2", True), ("0.11.0", False)],
)
def test_releases_with_two_engines_say_that_a_backend_may_change_the_engine(version, two):
    """`_is_v1_supported_oracle` of vllm/engine/arg_utils.py falls back for a name outside `V1_BACKENDS`."""
    remarks = [remark.value for remark, _ in a_matrix(version, QWEN25, "H100").remarks]

    assert ("other-engine" in remarks) is two
