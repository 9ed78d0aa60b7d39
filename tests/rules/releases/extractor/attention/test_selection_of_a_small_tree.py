"""Backends, orders and log lines of small trees with both kinds of selector."""

from textwrap import dedent

import pytest

from rules.releases.extractor.attention import read_attention
from rules.releases.extractor.tree import Tree
from rules.releases.model import CAPABILITIES, ChosenBy, Part

FROM_8_0 = tuple(one for one in CAPABILITIES if float(one) >= 8)

INTERFACE = """
    import enum
    from typing import NamedTuple


    class PlatformEnum(enum.Enum):
        CUDA = enum.auto()
        CPU = enum.auto()


    class DeviceCapability(NamedTuple):
        major: int
        minor: int

        def to_int(self):
            return self.major * 10 + self.minor


    class Platform:
        @classmethod
        def get_device_capability(cls):
            return None

        @classmethod
        def has_device_capability(cls, capability):
            return cls.get_device_capability().to_int() >= capability
    """

REGISTRY = """
    import enum

    from vllm.utils import resolve_obj_by_qualname


    class AttentionBackendEnum(enum.Enum):
        FLASH_ATTN = "vllm.v1.attention.backends.flash.FlashBackend"
        FLASHINFER = "vllm.v1.attention.backends.infer.InferBackend"
        LATENT_MLA = "vllm.v1.attention.backends.latent.LatentBackend"
        TORCH_SDPA = ""

        def get_path(self):
            if not self.value:
                raise ValueError(f"Backend {self.name} must be registered before use.")
            return self.value

        def get_class(self):
            return resolve_obj_by_qualname(self.get_path())
    """

ABSTRACT = """
    import torch


    class AttentionBackend:
        supported_dtypes = [torch.float16, torch.bfloat16]
        supported_kv_cache_dtypes = ["auto"]

        @classmethod
        def get_supported_head_sizes(cls):
            return []

        @classmethod
        def supports_head_size(cls, head_size):
            sizes = cls.get_supported_head_sizes()
            return (not sizes) or head_size in sizes

        @classmethod
        def supports_dtype(cls, dtype):
            return dtype in cls.supported_dtypes

        @classmethod
        def supports_kv_cache_dtype(cls, kv_cache_dtype):
            return kv_cache_dtype in cls.supported_kv_cache_dtypes

        @classmethod
        def supports_attn_type(cls, attn_type):
            return attn_type == "decoder"

        @classmethod
        def supports_compute_capability(cls, capability):
            return True

        @classmethod
        def supports_sink(cls):
            return False

        @classmethod
        def is_mla(cls):
            return False

        @classmethod
        def supports_combination(cls, head_size, device_capability):
            return None

        @classmethod
        def validate_configuration(cls, head_size, use_mla, device_capability):
            reasons = []
            if not cls.supports_head_size(head_size):
                reasons.append("head_size not supported")
            if use_mla != cls.is_mla():
                reasons.append("MLA")
            if not cls.supports_compute_capability(device_capability):
                reasons.append("compute capability not supported")
            return reasons
    """

FLASH = """
    from vllm.kernels import runs_everywhere
    from vllm.platforms.interface import DeviceCapability
    from vllm.v1.attention.backend import AttentionBackend


    class FlashBackend(AttentionBackend):
        @classmethod
        def supports_head_size(cls, head_size):
            return head_size % 8 == 0 and head_size <= 256 or runs_everywhere(head_size)

        @classmethod
        def supports_compute_capability(cls, capability):
            return capability >= DeviceCapability(8, 0)

        @classmethod
        def supports_combination(cls, head_size, device_capability):
            if device_capability.major == 11:
                return "not on Thor"
            return None
    """

INFER = """
    import flashinfer

    from vllm.v1.attention.backend import AttentionBackend


    class InferBackend(AttentionBackend):
        @classmethod
        def get_supported_head_sizes(cls):
            return [64, 128]
    """

LATENT = """
    from vllm.v1.attention.backend import AttentionBackend


    class LatentBackend(AttentionBackend):
        @classmethod
        def is_mla(cls):
            return True
    """

PRIORITIES = """
    from vllm.logger import init_logger
    from vllm.platforms.interface import Platform, PlatformEnum
    from vllm.v1.attention.backends.registry import AttentionBackendEnum

    logger = init_logger(__name__)


    def _get_backend_priorities(use_mla, device_capability):
        if use_mla:
            return [AttentionBackendEnum.LATENT_MLA]
        if device_capability.major == 10:
            return [AttentionBackendEnum.FLASHINFER, AttentionBackendEnum.FLASH_ATTN]
        return [AttentionBackendEnum.FLASH_ATTN, AttentionBackendEnum.FLASHINFER]


    class CudaPlatformBase(Platform):
        _enum = PlatformEnum.CUDA

        @classmethod
        def get_attn_backend_cls(cls, selected_backend, head_size, use_mla):
            capability = cls.get_device_capability()
            if selected_backend is not None:
                reasons = selected_backend.get_class().validate_configuration(head_size, use_mla, capability)
                if reasons:
                    raise ValueError(f"Selected backend {selected_backend} is not valid. Reason: {reasons}")
                logger.info("Using %s backend.", selected_backend)
                return selected_backend.get_path()
            for backend in _get_backend_priorities(use_mla, capability):
                if not backend.get_class().validate_configuration(head_size, use_mla, capability):
                    logger.info("Using %s attention backend out of potential backends: %s.", backend.name, [])
                    return backend.get_path()
            raise ValueError("No valid attention backend found")
    """


def _read(folder, files):
    for path, text in {"vllm/__init__.py": "", **files}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(text), encoding="utf-8")
    return read_attention(Tree(folder))


@pytest.fixture(scope="module")
def later(tmp_path_factory):
    return _read(
        tmp_path_factory.mktemp("later"),
        {
            "vllm/platforms/interface.py": INTERFACE,
            "vllm/platforms/cuda.py": PRIORITIES,
            "vllm/v1/attention/backend.py": ABSTRACT,
            "vllm/v1/attention/backends/registry.py": REGISTRY,
            "vllm/v1/attention/backends/flash.py": FLASH,
            "vllm/v1/attention/backends/infer.py": INFER,
            "vllm/v1/attention/backends/latent.py": LATENT,
            "vllm/utils.py": "def resolve_obj_by_qualname(name):\n    ...\n",
            "vllm/kernels.py": "import torch\n\ndef runs_everywhere(size):\n    return torch.probe(size)\n",
        },
    )


def _backend(facts, name):
    return next(one for one in facts.backends if one.name == name)


def _order(facts, capability, head_size, *, mla=False):
    found = [
        row.order
        for row in facts.text_orders
        if row.mla is mla and capability in row.capabilities and head_size in row.head_sizes
    ]
    return found[0] if found else None


def test_limits_are_asked_of_the_class_with_each_value(later):
    flash = _backend(later, "FLASH_ATTN")

    assert flash.capabilities == tuple(one for one in FROM_8_0 if one != "11.0")
    assert {64, 72, 256} <= set(flash.head_sizes)
    assert flash.dtypes == ("float16", "bfloat16")
    assert flash.kv_cache_dtypes == ("auto",)
    assert flash.attention_types == ("decoder",)
    assert flash.sinks is False
    assert str(flash.source) == "vllm/v1/attention/backends/flash.py:7"


def test_a_limit_that_a_kernel_decides_is_named_and_not_guessed(later):
    flash = _backend(later, "FLASH_ATTN")

    assert 512 not in flash.head_sizes
    assert "head_sizes" in flash.at_run_time


def test_a_backend_tells_its_package_its_kind_and_whether_there_is_a_class_behind_it(later):
    assert _backend(later, "FLASHINFER").package == "flashinfer-python"
    assert _backend(later, "LATENT_MLA").mla is True
    assert _backend(later, "TORCH_SDPA").registered is False
    assert str(_backend(later, "TORCH_SDPA").source) == "vllm/v1/attention/backends/registry.py:11"


def test_the_order_is_the_list_of_priorities_without_what_does_not_fit(later):
    assert _order(later, "9.0", 128) == ("FLASH_ATTN", "FLASHINFER")
    assert _order(later, "10.0", 128) == ("FLASHINFER", "FLASH_ATTN")
    assert _order(later, "7.5", 128) == ("FLASHINFER",)
    assert _order(later, "9.0", 80) == ("FLASH_ATTN",)
    assert _order(later, "7.5", 80) is None
    assert _order(later, "9.0", 576, mla=True) == ("LATENT_MLA",)


def test_an_order_that_a_kernel_decides_is_left_open(later):
    assert _order(later, "9.0", 512) is None


def test_lines_are_recorded_per_chooser(later):
    found = {
        (line.chosen_by, line.backend, line.template)
        for line in later.selection_lines
        if line.part is Part.TEXT
    }

    assert (ChosenBy.USER, None, "Using AttentionBackendEnum.{backend} backend.") in found
    assert (
        ChosenBy.AUTO,
        None,
        "Using {backend} attention backend out of potential backends: {}.",
    ) in found


CHAIN = """
    import torch

    from vllm import envs
    from vllm.logger import init_logger
    from vllm.platforms.interface import Platform, PlatformEnum, _Backend

    logger = init_logger(__name__)


    class CudaPlatformBase(Platform):
        _enum = PlatformEnum.CUDA
        device_name = "cuda"

        @classmethod
        def check_and_update_config(cls, vllm_config):
            cache_config = vllm_config.cache_config
            model_config = vllm_config.model_config
            if model_config is not None and model_config.use_mla:
                if envs.VLLM_ATTENTION_BACKEND is None or envs.VLLM_ATTENTION_BACKEND == "FLASHMLA":
                    if cls.has_device_capability(90) and cache_config.block_size != 64:
                        cache_config.block_size = 64

        @classmethod
        def get_attn_backend_cls(cls, selected_backend, head_size, dtype, block_size, use_v1, use_mla):
            if use_mla:
                if selected_backend == _Backend.TRITON_MLA or block_size != 64:
                    logger.info("Using Triton MLA backend.")
                    return "vllm.v1.attention.backends.triton_mla.TritonMLABackend"
                logger.info("Using FlashMLA backend.")
                return "vllm.v1.attention.backends.flashmla.FlashMLABackend"
            if use_v1:
                if selected_backend == _Backend.FLASHINFER:
                    logger.info_once("Using FlashInfer backend on V1 engine.")
                    return "vllm.v1.attention.backends.flashinfer.FlashInferBackend"
                try:
                    if cls.get_device_capability() == (10, 0):
                        import flashinfer  # noqa: F401
                        logger.info_once("Using FlashInfer backend on V1 engine by default.")
                        return "vllm.v1.attention.backends.flashinfer.FlashInferBackend"
                except ImportError:
                    logger.info_once("FlashInfer failed to import.")
                logger.info_once("Using Flash Attention backend on V1 engine.")
                return "vllm.v1.attention.backends.flash_attn.FlashAttentionBackend"
            if not cls.has_device_capability(80) or dtype not in (torch.float16, torch.bfloat16):
                logger.info("Using XFormers backend.")
                return "vllm.attention.backends.xformers.XFormersBackend"
            logger.info("Using Flash Attention backend.")
            return "vllm.attention.backends.flash_attn.FlashAttentionBackend"
    """

ARGUMENTS = """
    from vllm import envs
    from vllm.platforms import current_platform


    class EngineArgs:
        model: str = "m"

        def _is_v1_supported_oracle(self, model_config):
            if current_platform.get_device_capability().major < 8:
                return False
            V1_BACKENDS = ["FLASH_ATTN", "FLASHINFER", "TRITON_MLA", "FLASHMLA"]
            if envs.is_set("VLLM_ATTENTION_BACKEND") and envs.VLLM_ATTENTION_BACKEND not in V1_BACKENDS:
                return False
            return True
    """

ENVS = """
    import os

    environment_variables = {
        "VLLM_ATTENTION_BACKEND": lambda: os.getenv("VLLM_ATTENTION_BACKEND", None),
        "VLLM_USE_V1": lambda: bool(int(os.getenv("VLLM_USE_V1", "1"))),
    }


    def is_set(name):
        return name in os.environ
    """

MEMBERS = """

    class _Backend(enum.Enum):
        FLASH_ATTN = enum.auto()
        XFORMERS = enum.auto()
        TORCH_SDPA = enum.auto()
        FLASHINFER = enum.auto()
        TRITON_MLA = enum.auto()
        FLASHMLA = enum.auto()
    """


def _class(name, package=None):
    first = f"import {package}\n\n\n" if package else ""
    method = "    @staticmethod\n    def get_supported_head_sizes():\n        return [64, 128, 576]\n"
    return f"{first}class {name}:\n{method}"


@pytest.fixture(scope="module")
def older(tmp_path_factory):
    v1, v0 = "vllm/v1/attention/backends", "vllm/attention/backends"
    return _read(
        tmp_path_factory.mktemp("older"),
        {
            "vllm/platforms/interface.py": INTERFACE + MEMBERS,
            "vllm/platforms/__init__.py": "",
            "vllm/platforms/cuda.py": CHAIN,
            "vllm/engine/arg_utils.py": ARGUMENTS,
            "vllm/envs.py": ENVS,
            "vllm/worker/worker.py": "",
            f"{v1}/flash_attn.py": _class("FlashAttentionBackend"),
            f"{v1}/flashinfer.py": _class("FlashInferBackend", "flashinfer"),
            f"{v1}/triton_mla.py": _class("TritonMLABackend"),
            f"{v1}/flashmla.py": _class("FlashMLABackend"),
            f"{v0}/flash_attn.py": _class("FlashAttentionBackend"),
            f"{v0}/xformers.py": _class("XFormersBackend", "xformers"),
        },
    )


def test_a_chain_of_conditions_is_followed_with_the_engine_that_the_machine_gets(older):
    assert _order(older, "7.5", 128) == ("XFORMERS",)
    assert _order(older, "9.0", 128) == ("FLASH_ATTN",)


def test_what_comes_after_a_missing_package_is_the_next_choice(older):
    assert _order(older, "10.0", 128) == ("FLASHINFER", "FLASH_ATTN")


def test_the_configuration_step_decides_the_block_size_of_latent_attention(older):
    assert _order(older, "9.0", 576, mla=True) == ("FLASHMLA",)
    assert _order(older, "8.0", 576, mla=True) == ("TRITON_MLA",)


def test_what_is_tried_wherever_it_runs_has_the_limit_that_the_selector_shows(older):
    assert _backend(older, "FLASH_ATTN").capabilities == FROM_8_0
    assert _backend(older, "FLASHINFER").capabilities is None


def test_a_name_that_the_selector_never_returns_cannot_be_chosen(older):
    assert _backend(older, "TORCH_SDPA").platforms == ()
    assert _backend(older, "FLASHINFER").platforms == ("cuda",)


def test_lines_of_both_engines_are_recorded(older):
    lines = {
        line.template
        for line in older.selection_lines
        if line.backend == "FLASH_ATTN" and line.chosen_by is ChosenBy.AUTO
    }

    assert lines == {"Using Flash Attention backend on V1 engine.", "Using Flash Attention backend."}


def test_two_readings_of_one_tree_are_the_same(tree_of):
    files = {
        "vllm/platforms/interface.py": INTERFACE + MEMBERS,
        "vllm/platforms/cuda.py": CHAIN,
        "vllm/envs.py": ENVS,
    }

    assert read_attention(tree_of(files)) == read_attention(tree_of(files))


def test_a_tree_without_an_enum_of_backends_has_no_attention_facts(tree_of):
    facts = read_attention(tree_of({"vllm/logger.py": '_FORMAT = "%(levelname)s %(message)s"\n'}))

    assert facts.backends == ()
    assert [prefix.template for prefix in facts.prefixes] == ["%(levelname)s %(message)s"]
