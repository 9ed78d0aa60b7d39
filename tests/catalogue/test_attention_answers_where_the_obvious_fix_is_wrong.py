"""What is offered, and what is not, where the fix that everybody copies would fail on that release or GPU."""

from functools import cache

import pytest

from rules.engine.diagnose import Engine
from rules.engine.paste.facts import Given
from rules.engine.report import Confidence, Status
from rules.engine.start import Options, start_engine

SELECTED = (
    "ValueError: Selected backend AttentionBackendEnum.{} is not valid for this configuration. Reason: {}"
)


@cache
def engine() -> Engine:
    return start_engine(Options())


def first(text: str, release: str | None = None, gpu: str | None = None, model: str | None = None):
    report = engine().diagnose(text, Given(vllm_version=release, gpu=gpu, model=model), "en")
    assert report.status is Status.DIAGNOSED
    return report.diagnoses[0]


def values(diagnosis) -> set[str]:
    changes = [fix.change for fix in diagnosis.fixes if fix.change]
    return {value for change in changes for value in (*change.env_set.values(), *change.flags_set.values())}


def ids(diagnosis) -> list[str]:
    return list(dict.fromkeys(fix.id for fix in diagnosis.fixes))


NEVER = [
    (
        "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
        "0.6.3",
        "Tesla T4",
        {"FLASHINFER", "FLASH_ATTN"},
    ),
    (
        "ValueError: XFormers does not support attention logits soft capping.",
        "0.6.3",
        "Quadro RTX 4000",
        {"FLASHINFER", "FLASH_ATTN"},
    ),
    (
        "AssertionError: Sinks are only supported in FlashAttention 3",
        "0.11.2",
        "NVIDIA L40S",
        {"FLASH_ATTN", "FLASHINFER"},
    ),
    (
        "NotImplementedError: FlashInfer backend currently does not support attention sinks",
        "0.11.2",
        "NVIDIA GeForce RTX 5090",
        {"FLASHINFER"},
    ),
    (
        "NotImplementedError: FlexAttention does not support encoder_decoder attention",
        "0.10.2",
        "Tesla T4",
        {"FLASH_ATTN"},
    ),
    (
        "NotImplementedError: FlashAttention does not support fp8 kv-cache on this device.",
        "0.13.0",
        "NVIDIA A100-SXM4-80GB",
        {"TRITON_ATTN"},
    ),
    (
        SELECTED.format("FLASHINFER", ["head_size not supported"]),
        "0.20.2",
        "Tesla T4",
        {"FLASHINFER", "FLASH_ATTN"},
    ),
]


@pytest.mark.parametrize(("text", "release", "gpu", "never"), NEVER)
def test_a_backend_that_fails_on_that_gpu_is_never_offered(text, release, gpu, never):
    assert not values(first(text, release, gpu)) & never


@pytest.mark.parametrize("release", ["0.15.1", "0.20.2", "0.33.0"])
def test_no_variable_is_set_where_the_release_ignores_it(release):
    found = first(SELECTED.format("FLASH_ATTN", ["kv_cache_dtype not supported"]), release, "NVIDIA L40S")

    named = {
        name for fix in found.fixes if fix.change for name in (*fix.change.env_set, *fix.change.env_unset)
    }
    assert "VLLM_ATTENTION_BACKEND" not in named
    assert "drop-flag" in ids(found)


def test_a_release_without_the_flag_is_told_the_variable():
    found = first(
        SELECTED.format("FLASH_ATTN", ["head_size not supported"]), "0.11.2", "NVIDIA A100-SXM4-80GB"
    )

    assert "drop-flag" not in ids(found)
    assert ids(found)[0] == "unset-variable"


def test_the_automatic_choice_on_b200_is_not_blamed_on_the_launch():
    found = first(SELECTED.format("CUTLASS_MLA", ["sparse not supported"]), "0.12.0", "NVIDIA B200")

    assert ids(found) == ["upgrade-selection"]


@pytest.mark.parametrize("gpu", ["NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-32GB"])
def test_no_setting_is_offered_where_the_gpu_lacks_sparse_kernels(gpu):
    text = (
        "ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, "
        "use_mla=True, has_sink=False, use_sparse=True). Reasons: {TRITON_MLA: [sparse not supported]}."
    )

    found = first(text, "0.20.2", gpu)

    assert ids(found) == ["another-gpu"]
    assert not any(fix.relaunchable for fix in found.fixes)


def test_the_text_about_sm75_on_a_new_card_is_the_toolkit():
    found = first(
        "(EngineCore pid=1) RuntimeError: FlashInfer requires GPUs with sm75 or higher",
        "0.20.2",
        "NVIDIA GeForce RTX 5090",
    )

    assert ids(found)[0] == "toolkit-12-9"
    assert "another-gpu" not in ids(found)


def test_what_other_programs_print_too_is_less_sure_without_a_trace_of_vllm():
    alone = first("RuntimeError: FlashAttention only supports Ampere GPUs or newer.")
    named = first("(EngineCore pid=1) RuntimeError: FlashAttention only supports Ampere GPUs or newer.")

    assert alone.confidence is Confidence.POSSIBLE
    assert named.confidence is Confidence.LIKELY


def test_fp8_weights_are_not_told_to_drop_the_cache_type():
    text = (
        "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)"
    )

    sure = [fix.id for fix in first(text, "0.20.2", "NVIDIA A100-SXM4-80GB").fixes]

    assert "another-gpu" in sure


def test_the_old_engine_is_a_switch_and_no_backend():
    found = first(
        "ERROR 03-20 07:42:38 [utils.py:613] Cannot use FA version 2 is not supported due to FA2 is only supported on "
        "devices with compute capability >= 8",
        "0.8.1",
        "Tesla T4",
    )

    engine = next(fix for fix in found.fixes if fix.id == "engine-v0")
    assert engine.change is not None
    assert engine.change.env_set == {"VLLM_USE_V1": "0"}


def test_drivers_packages_and_hardware_are_never_a_relaunch():
    texts = [
        "torch.AcceleratorError: CUDA error: the provided PTX was compiled with an unsupported toolchain.\n_vllm_fa2_C",
        "ImportError: vllm/vllm_flash_attn/_vllm_fa2_C.abi3.so: undefined symbol: _ZN3c104cuda",
        "ModuleNotFoundError: No module named 'vllm.vllm_flash_attn'",
    ]

    for text in texts:
        assert not first(text, "0.11.0", "NVIDIA H100 80GB HBM3").fixes[0].relaunchable


def test_a_fix_for_some_gpus_says_both_ends_of_the_range():
    found = first(SELECTED.format("FLASHMLA", ["sparse not supported"]), "0.13.0")

    dropped = next(fix for fix in found.fixes if fix.id == "drop-flag")
    assert "compute capability 9.0 or newer, and below 12.0" in dropped.summary


def test_a_condition_that_excludes_old_gpus_is_said_the_right_way_round():
    found = first("ValueError: XFormers does not support attention logits soft capping.", "0.6.3")

    unset = next(fix for fix in found.fixes if fix.id == "unset-variable")
    assert "compute capability 8.0 or newer" in unset.summary
    assert "below" not in unset.summary
