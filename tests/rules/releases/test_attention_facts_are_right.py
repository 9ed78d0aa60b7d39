"""Attention facts checked by hand in vLLM's source; each row says in which file and line of its release."""

import pytest

from rules.releases.model import ChosenBy, Part, Unread
from rules.releases.release import Choice, Where
from rules.releases.shipped import load_releases

CUTLASS_BY_ITSELF = "vllm/platforms/cuda.py sets the backend itself for latent attention on 10.0"


def _release(version):
    return load_releases().get(version)


def _on(capability, head_size=None, architecture=None, **more):
    return Where(compute_capability=capability, head_size=head_size, architecture=architecture, **more)


@pytest.mark.parametrize(
    ("version", "label", "accepts", "_where"),
    [
        ("0.6.3", "Qwen2-VL", "FLASH_ATTN XFORMERS", "vllm/model_executor/models/qwen2_vl.py:239"),
        ("0.6.3.post1", "Molmo", "FLASH_ATTN TORCH_SDPA XFORMERS", "vllm/model_executor/models/molmo.py:190"),
        (
            "0.8.5",
            "Qwen2.5-VL",
            "FLASH_ATTN TORCH_SDPA XFORMERS",
            "vllm/model_executor/models/qwen2_5_vl.py:251",
        ),
        ("0.10.0", "Keye-VL", "FLASH_ATTN XFORMERS", "vllm/model_executor/models/keye.py:388"),
        (
            "0.11.0",
            "Qwen3-VL",
            "FLASH_ATTN TORCH_SDPA XFORMERS ROCM_AITER_FA",
            "vllm/model_executor/models/qwen3_vl.py:332",
        ),
        ("0.11.2", "Keye-VL", "FLASH_ATTN XFORMERS ROCM_AITER_FA", "vllm/model_executor/models/keye.py:424"),
        (
            "0.12.0",
            "Qwen3-VL",
            "FLASH_ATTN TORCH_SDPA ROCM_AITER_FA",
            "vllm/model_executor/models/qwen3_vl.py:379",
        ),
        ("0.33.0", "Pangu-VL", "FLASH_ATTN", "vllm/model_executor/models/openpangu_vl.py:407"),
    ],
)
def test_an_encoder_accepts_these_backends_and_refuses_all_others(version, label, accepts, _where):
    tower = _release(version).tower(label)

    assert tower.accepts == tuple(accepts.split())
    assert tower.message == f"{label} does not support {{}} backend now."


@pytest.mark.parametrize(
    ("version", "label", "reachable", "_where"),
    [
        ("0.12.0", "Qwen3-VL", True, "vllm/model_executor/models/vision.py:91 lets any member through"),
        ("0.13.0", "Qwen3-VL", False, "vllm/platforms/cuda.py:375 asserts first"),
        (
            "0.16.0",
            "Qwen3-VL",
            False,
            "vllm/platforms/cuda.py:377 lets TORCH_SDPA and FLASH_ATTN through, both accepted",
        ),
        (
            "0.16.0",
            "Pangu-VL",
            True,
            "vllm/model_executor/models/openpangu_vl.py:408 accepts FLASH_ATTN alone",
        ),
        (
            "0.33.0",
            "Pangu-VL",
            True,
            "vllm/model_executor/models/openpangu_vl.py:407 accepts FLASH_ATTN alone",
        ),
    ],
)
def test_an_encoders_own_check_can_be_reached_unless_the_platform_answers_first(
    version, label, reachable, _where
):
    assert _release(version).tower(label).reachable is reachable


@pytest.mark.parametrize(
    ("version", "label", "platforms", "_where"),
    [
        ("0.6.3", "Qwen2-VL", "cuda rocm xpu cpu", "vllm/model_executor/models/qwen2_vl.py:244"),
        (
            "0.11.0",
            "GLM-4V",
            "cuda rocm xpu cpu",
            "vllm/model_executor/models/glm4_1v.py:273 checks what it was given",
        ),
        (
            "0.12.0",
            "GLM-4V",
            "cuda",
            "vllm/attention/layer.py:73 and 82 put TORCH_SDPA in its place elsewhere",
        ),
        (
            "0.12.0",
            "Qwen3-VL",
            "cuda rocm xpu cpu",
            "vllm/model_executor/models/qwen3_vl.py:373 asks nobody else",
        ),
        (
            "0.11.1",
            "Keye-VL",
            "cuda rocm cpu",
            "vllm/model_executor/models/keye.py:424 refuses TORCH_SDPA as well",
        ),
    ],
)
def test_an_encoder_refuses_a_backend_on_these_platforms(version, label, platforms, _where):
    assert _release(version).tower(label).refused_on == tuple(platforms.split())


@pytest.mark.parametrize(
    ("version", "package", "_where"),
    [
        ("0.10.2", None, "vllm/model_executor/models/qwen2_vl.py:317 replaces nothing"),
        ("0.11.0", "flash-attn", "vllm/model_executor/models/qwen3_vl.py:326"),
        ("0.11.2", "flash-attn", "vllm/attention/layer.py:118"),
        ("0.12.0", None, "vllm/attention/layer.py:75 passes it on as it is"),
    ],
)
def test_an_installed_flash_attn_rescues_an_encoder_in_these_releases_only(version, package, _where):
    assert _release(version).tower_rescued_by() == package


@pytest.mark.parametrize(
    ("version", "where", "choice", "_where"),
    [
        ("0.6.3", _on("9.0", 80, "x86_64"), Choice("XFORMERS"), "vllm/model_executor/models/qwen2_vl.py:235"),
        ("0.8.5", _on("9.0", 80, "x86_64"), Choice("XFORMERS"), "vllm/model_executor/models/vision.py:98"),
        ("0.8.5", _on("9.0", 80, "aarch64"), Choice("XFORMERS", "xformers"), "requirements/cuda.txt:13"),
        ("0.11.0", _on("9.0", 72, "x86_64"), Choice("XFORMERS"), "vllm/platforms/cuda.py:234"),
        ("0.11.0", _on("9.0", 72, "aarch64"), Choice("XFORMERS", "xformers"), "requirements/cuda.txt:14"),
        ("0.11.2", _on("9.0", 72, "aarch64"), Choice("XFORMERS", "xformers"), "requirements/cuda.txt:12"),
        ("0.11.0", _on("9.0", 64), Choice("FLASH_ATTN"), "vllm/platforms/cuda.py:231"),
        ("0.11.0", _on("10.0", 72), Choice("TORCH_SDPA"), "vllm/platforms/cuda.py:220"),
        ("0.11.0", _on("7.5", 72, "x86_64"), Choice("XFORMERS"), "vllm/platforms/cuda.py:237"),
        ("0.12.0", _on("9.0", 72), Choice("FLASH_ATTN"), "vllm/platforms/cuda.py:267"),
        ("0.12.0", _on("7.5", 72), Choice("TORCH_SDPA"), "vllm/platforms/cuda.py:277"),
        ("0.17.0", _on("7.5", 72), Choice("TRITON_ATTN"), "vllm/platforms/cuda.py:418"),
        ("0.18.0", _on("7.5", 72), Choice("TORCH_SDPA"), "vllm/platforms/cuda.py:361"),
        ("0.33.0", _on("9.0", 72), Choice("FLASH_ATTN"), "vllm/platforms/cuda.py:570"),
    ],
)
def test_an_encoder_gets_this_when_nothing_is_set(version, where, choice, _where):
    assert _release(version).tower_default(where) == choice


def test_what_an_encoder_gets_is_open_while_the_deciding_fact_is():
    assert _release("0.11.0").tower_default(_on("9.0", None, "x86_64")) is None
    assert _release("0.11.0").tower_default(_on(None, 72, "x86_64")) is None
    assert _release("0.11.0").tower_default(_on("9.0", 72, None)) is None


@pytest.mark.parametrize(
    ("version", "backend", "where", "accepts", "_where"),
    [
        ("0.11.1", "FLASHINFER", _on("7.5", 128), True, "vllm/v1/attention/backends/flashinfer.py:340"),
        ("0.24.0", "FLASHINFER", _on("7.5", 128), False, "vllm/v1/attention/backends/flashinfer.py:432"),
        ("0.21.0", "FLASHINFER", _on("9.0", 512), False, "vllm/v1/attention/backends/flashinfer.py:406"),
        ("0.22.0", "FLASHINFER", _on("9.0", 512), True, "vllm/v1/attention/backends/flashinfer.py:405"),
        ("0.11.1", "FLASH_ATTN", _on("9.0", 80), False, "vllm/v1/attention/backends/flash_attn.py:123"),
        ("0.12.0", "FLASH_ATTN", _on("9.0", 80), True, "vllm/v1/attention/backends/flash_attn.py:144"),
        (
            "0.33.0",
            "FLASH_ATTN",
            _on("9.0", 512),
            None,
            "vllm/v1/attention/backends/flash_attn.py: asks for FA4",
        ),
        ("0.33.0", "FLASHINFER", _on("9.0", 576, mla=True), False, "vllm/v1/attention/backend.py: is_mla"),
        ("0.33.0", "FLASHMLA", _on("9.0", 128), False, "vllm/v1/attention/backend.py: is_mla"),
        ("0.33.0", "FLASHMLA", _on("10.0", 576, mla=True), False, "vllm/v1/attention/ops/flashmla.py:57"),
        ("0.11.0", "FLASHMLA", _on("9.0", 576, mla=True), True, "vllm/platforms/cuda.py:288"),
        (
            "0.11.0",
            "FLASHMLA",
            _on("8.0", 576, mla=True),
            False,
            "vllm/attention/ops/flashmla.py",
        ),
        ("0.11.1", "TORCH_SDPA", _on("9.0", 128), False, "vllm/attention/backends/registry.py:52"),
        ("0.33.0", "TORCH_SDPA", _on("9.0", 128), False, "vllm/v1/attention/backends/registry.py:70"),
        ("0.10.2", "TORCH_SDPA", _on("9.0", 128), False, "vllm/platforms/cuda.py never returns it"),
        ("0.33.0", "ROCM_ATTN", _on("9.0", 128), False, "vllm/v1/attention/backends/registry.py:55"),
        (
            "0.12.0",
            "XFORMERS",
            _on("9.0", 128),
            False,
            "vllm/attention/backends/registry.py no longer has it",
        ),
    ],
)
def test_the_language_model_accepts_a_backend_there(version, backend, where, accepts, _where):
    assert _release(version).text_accepts(backend, where) is accepts


def test_flash_attn_is_never_accepted_below_8_0():
    """Each release says so: the selector up to 0.11.0, the class after."""
    for version in load_releases().versions():
        for capability in ("7.0", "7.5"):
            assert _release(version).text_accepts("FLASH_ATTN", _on(capability, 128)) is False, version


@pytest.mark.parametrize(
    ("version", "setting", "parts", "unread", "_where"),
    [
        (
            "0.6.3",
            "VLLM_ATTENTION_BACKEND",
            "text tower",
            Unread.IS_READ,
            "vllm/attention/selector.py:52, qwen2_vl.py:218",
        ),
        (
            "0.12.0",
            "VLLM_ATTENTION_BACKEND",
            "text tower",
            Unread.IS_READ,
            "vllm/model_executor/models/vision.py:97",
        ),
        ("0.13.0", "VLLM_ATTENTION_BACKEND", "text", Unread.IS_READ, "vllm/config/attention.py:93"),
        ("0.14.1", "VLLM_ATTENTION_BACKEND", "text", Unread.IS_READ, "vllm/config/attention.py:93"),
        (
            "0.15.0",
            "VLLM_ATTENTION_BACKEND",
            "",
            Unread.SILENT,
            "vllm/envs.py has no such name and warns of none",
        ),
        (
            "0.16.0",
            "VLLM_ATTENTION_BACKEND",
            "",
            Unread.SILENT,
            "vllm/envs.py has no such name and warns of none",
        ),
        ("0.17.0", "VLLM_ATTENTION_BACKEND", "", Unread.WARNS, "vllm/envs.py:1710"),
        ("0.31.0", "VLLM_ATTENTION_BACKEND", "", Unread.WARNS, "vllm/platforms/interface.py:1355"),
        (
            "0.11.0",
            "--mm-encoder-attn-backend",
            "",
            Unread.REJECTED,
            "vllm/engine/arg_utils.py has no such field",
        ),
        ("0.11.1", "--mm-encoder-attn-backend", "tower", Unread.IS_READ, "vllm/engine/arg_utils.py:471"),
        ("0.12.0", "--attention-backend", "", Unread.REJECTED, "vllm/engine/arg_utils.py has no such field"),
        ("0.13.0", "--attention-backend", "text", Unread.IS_READ, "vllm/engine/arg_utils.py:546"),
        ("0.13.0", "--attention-config.backend", "text", Unread.IS_READ, "vllm/config/attention.py:21"),
        ("0.12.0", "VLLM_FLASH_ATTN_VERSION", "text", Unread.IS_READ, "vllm/attention/utils/fa_utils.py:53"),
        (
            "0.15.0",
            "VLLM_FLASH_ATTN_VERSION",
            "",
            Unread.SILENT,
            "vllm/config/attention.py reads no variable",
        ),
        ("0.11.0", "VLLM_USE_V1", "text", Unread.IS_READ, "vllm/attention/selector.py:159"),
        ("0.11.1", "VLLM_USE_V1", "", Unread.SILENT, "vllm/envs.py has no such name"),
    ],
)
def test_a_setting_reaches_these_parts(version, setting, parts, unread, _where):
    reach = _release(version).reach(setting)

    assert " ".join(reach.parts) == parts
    assert reach.unread is unread


def test_the_deprecated_variable_is_announced_with_its_flag():
    """vllm/config/attention.py:81 of 0.13.0."""
    assert _release("0.13.0").reach("VLLM_ATTENTION_BACKEND").message == (
        "Using VLLM_ATTENTION_BACKEND environment variable is deprecated and will be removed in v0.14.0 or "
        "v1.0.0, whichever is soonest. Please use --attention-config.backend command line argument or "
        "AttentionConfig(backend=...) config field instead."
    )
    assert _release("0.17.0").reach("VLLM_ATTENTION_BACKEND").message == (
        "Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND"
    )


USER, AUTO = ChosenBy.USER, ChosenBy.AUTO


@pytest.mark.parametrize(
    ("version", "backend", "by", "line", "_where"),
    [
        ("0.6.3", "FLASH_ATTN", USER, None, "vllm/attention/selector.py:110"),
        ("0.6.3", "FLASHINFER", USER, "Using Flashinfer backend.", "vllm/attention/selector.py:141"),
        ("0.6.6", "FLASH_ATTN", AUTO, "Using Flash Attention backend.", "vllm/attention/selector.py:120"),
        ("0.7.3", "TRITON_MLA", AUTO, "Using Triton MLA backend.", "vllm/platforms/cuda.py:160"),
        ("0.8.5", "FLASH_ATTN", AUTO, "Using Flash Attention backend", "vllm/platforms/cuda.py:221 and 292"),
        (
            "0.9.1",
            "FLEX_ATTENTION",
            USER,
            "Using FlexAttenion backend on V1 engine.",
            "vllm/platforms/cuda.py:230",
        ),
        (
            "0.11.0",
            "FLASH_ATTN",
            USER,
            "Using Flash Attention backend on V1 engine.",
            "vllm/platforms/cuda.py:325",
        ),
        (
            "0.11.0",
            "FLASHINFER",
            AUTO,
            (
                "Using FlashInfer backend with HND KV cache layout on V1 engine by default for Blackwell "
                "(SM 10.0) GPUs."
            ),
            "vllm/platforms/cuda.py:344",
        ),
        (
            "0.11.2",
            "FLASH_ATTN",
            USER,
            "Using AttentionBackendEnum.FLASH_ATTN backend.",
            "vllm/platforms/cuda.py:377",
        ),
        ("0.11.2", "FLASH_ATTN", AUTO, "Using FLASH_ATTN backend.", "vllm/platforms/cuda.py:428"),
        ("0.11.2", "CUTLASS_MLA", AUTO, None, CUTLASS_BY_ITSELF),
        (
            "0.12.0",
            "TRITON_ATTN",
            AUTO,
            "Using TRITON_ATTN attention backend out of potential backends:",
            "vllm/platforms/cuda.py:412",
        ),
        (
            "0.33.0",
            "FLASH_ATTN",
            AUTO,
            "Using FLASH_ATTN attention backend out of potential backends:",
            "vllm/platforms/cuda.py:509",
        ),
        (
            "0.33.0",
            "FLASH_ATTN",
            USER,
            "Using AttentionBackendEnum.FLASH_ATTN backend.",
            "vllm/platforms/cuda.py:448",
        ),
    ],
)
def test_this_line_names_the_backend_of_the_language_model(version, backend, by, line, _where):
    assert _release(version).selection_line(Part.TEXT, backend, by) == line


@pytest.mark.parametrize(
    ("version", "platform", "backend", "by", "line", "_where"),
    [
        ("0.11.0", "cpu", "TORCH_SDPA", AUTO, "Using Torch SDPA backend.", "vllm/platforms/cpu.py:104"),
        ("0.12.0", "cpu", "CPU_ATTN", AUTO, None, "vllm/platforms/cpu.py logs nothing"),
        ("0.33.0", "cpu", "CPU_MLA", AUTO, "Using CPU_MLA backend.", "vllm/platforms/cpu.py:186"),
        (
            "0.19.0",
            "rocm",
            "TRITON_ATTN",
            USER,
            "Using TRITON_ATTN backend (selected via --attention-backend).",
            "vllm/platforms/rocm.py:443",
        ),
        (
            "0.11.2",
            "rocm",
            "TRITON_ATTN",
            AUTO,
            "Using Triton Attention backend.",
            "vllm/platforms/rocm.py:274",
        ),
    ],
)
def test_other_platforms_have_lines_of_their_own(version, platform, backend, by, line, _where):
    assert _release(version).selection_line(Part.TEXT, backend, by, platform) == line


@pytest.mark.parametrize(
    ("version", "line", "_where"),
    [
        ("0.12.0", None, "vllm/model_executor/models/qwen3_vl.py logs nothing"),
        (
            "0.13.0",
            "Using AttentionBackendEnum.TORCH_SDPA for MMEncoderAttention.",
            "vllm/attention/layers/mm_encoder_attention.py:104",
        ),
        (
            "0.33.0",
            "Using AttentionBackendEnum.TORCH_SDPA for MMEncoderAttention.",
            "vllm/model_executor/layers/attention/mm_encoder_attention.py:372",
        ),
    ],
)
def test_this_line_names_the_backend_of_an_encoder(version, line, _where):
    for by in ChosenBy:
        assert _release(version).selection_line(Part.TOWER, "TORCH_SDPA", by) == line


@pytest.mark.parametrize(
    ("version", "package", "requirement", "_where"),
    [
        ("0.11.0", "flashinfer-python", None, "requirements/cuda.txt"),
        ("0.11.1", "flashinfer-python", "==0.5.2", "requirements/cuda.txt:14"),
        ("0.33.0", "flashinfer_python", "==0.7.2.post1", "requirements/cuda.txt:13"),
        ("0.12.0", "xformers", None, "requirements/cuda.txt"),
        ("0.11.0", "flash-attn", None, "requirements/cuda.txt"),
        ("0.6.3", "torch", "==2.4.0", "requirements-cuda.txt:7"),
    ],
)
def test_the_release_brings_this_package_to_nvidia_gpus(version, package, requirement, _where):
    assert _release(version).requirement(package) == requirement


@pytest.mark.parametrize(
    ("name", "first", "last", "_where"),
    [
        ("FLASH_ATTN", "0.6.3", None, "vllm/attention/selector.py:19 of 0.6.3"),
        ("XFORMERS", "0.6.3", "0.11.2", "vllm/attention/backends/registry.py:46 of 0.11.2"),
        ("OPENVINO", "0.6.3", "0.8.1", "vllm/platforms/interface.py:35 of 0.8.1"),
        ("FLASHINFER_MLA", "0.10.2", None, "vllm/platforms/interface.py:54 of 0.10.2"),
        ("TRITON_ATTN", "0.11.0", None, "vllm/platforms/interface.py:43 of 0.11.0"),
        ("TRITON_ATTN_VLLM_V1", "0.8.2", "0.10.2", "vllm/platforms/interface.py:44 of 0.10.2"),
        ("CPU_ATTN", "0.11.1", None, "vllm/attention/backends/registry.py:73 of 0.11.1"),
        ("TREE_ATTN", "0.10.1", "0.20.2", "vllm/v1/attention/backends/registry.py:79 of 0.20.2"),
    ],
)
def test_a_backend_exists_from_this_release_to_that(name, first, last, _where):
    having = [str(version) for version in load_releases().versions() if _release(version).backend(name)]

    assert having[0] == first
    assert having[-1] == (last or str(load_releases().versions()[-1]))
