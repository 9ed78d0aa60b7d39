"""Encoders of small trees: how they refuse, what they get, who rescues them, what their flag takes."""

from textwrap import dedent, indent

import pytest

from rules.releases.extractor.attention.question import Asker, Machine
from rules.releases.extractor.attention.reach import read_reaches
from rules.releases.extractor.attention.tower_checks import find_checks
from rules.releases.extractor.attention.towers import (
    read_rescues,
    read_tower_choices,
    read_tower_defaults,
    read_towers,
    tower_backend,
)
from rules.releases.model import Part, Unread

INTERFACE = """
    import enum
    from typing import NamedTuple


    class _Backend(enum.Enum):
        FLASH_ATTN = enum.auto()
        TORCH_SDPA = enum.auto()
        XFORMERS = enum.auto()
        FLASHINFER = enum.auto()


    class PlatformEnum(enum.Enum):
        CUDA = enum.auto()


    class DeviceCapability(NamedTuple):
        major: int
        minor: int


    class Platform:
        def is_cuda(self):
            return self._enum == PlatformEnum.CUDA

        @classmethod
        def get_device_capability(cls):
            return None
    """

CUDA = """
    from vllm.platforms.interface import Platform, PlatformEnum, _Backend


    class CudaPlatformBase(Platform):
        _enum = PlatformEnum.CUDA

        @classmethod
        def get_vit_attn_backend(cls, head_size, dtype):
            if cls.get_device_capability().major >= 8:
                return _Backend.FLASH_ATTN if head_size % 32 == 0 else _Backend.XFORMERS
            return _Backend.TORCH_SDPA
    """

LISTED = """

        @classmethod
        def get_supported_vit_attn_backends(cls):
            return [_Backend.FLASH_ATTN, _Backend.TORCH_SDPA]
    """

VISION = """
    import vllm.envs as envs
    from vllm.platforms import current_platform
    from vllm.platforms.interface import _Backend


    def get_vit_attn_backend(head_size, dtype, *, attn_backend_override=None):
        if attn_backend_override is not None:
            return attn_backend_override
        if envs.VLLM_ATTENTION_BACKEND is not None:
            return _Backend[envs.VLLM_ATTENTION_BACKEND]
        return current_platform.get_vit_attn_backend(head_size, dtype)


    def flash_attn_is_there():
        if current_platform.is_cuda():
            from transformers.utils import is_flash_attn_2_available
            return is_flash_attn_2_available()
        return False
    """

ENVS = """
    import os

    environment_variables = {"VLLM_ATTENTION_BACKEND": lambda: os.getenv("VLLM_ATTENTION_BACKEND", None)}
    """

MODEL = """
    import torch

    from vllm.platforms.interface import _Backend

    from .vision import flash_attn_is_there, get_vit_attn_backend


    class Encoder:
        def __init__(self, head_dim):
            self.head_dim = head_dim
            self.attn_backend = get_vit_attn_backend(head_size=head_dim, dtype=torch.get_default_dtype())
            {rescue}
            if self.attn_backend not in {{_Backend.FLASH_ATTN, _Backend.TORCH_SDPA}}:
                raise RuntimeError(f"Owl-VL does not support {{self.attn_backend}} backend now.")
    """
RESCUE = """if self.attn_backend != _Backend.FLASH_ATTN and flash_attn_is_there():
                self.attn_backend = _Backend.FLASH_ATTN"""


@pytest.fixture
def asker_of(tree_of):
    def make(*, cuda=CUDA, rescue="pass", **more):
        files = {
            "vllm/platforms/__init__.py": "",
            "vllm/platforms/interface.py": INTERFACE,
            "vllm/platforms/cuda.py": cuda,
            "vllm/envs.py": ENVS,
            "vllm/model_executor/models/vision.py": VISION,
            "vllm/model_executor/models/owl.py": MODEL.format(rescue=rescue),
        }
        return Asker(tree_of({**files, **more}))

    return make


def test_a_check_is_found_with_its_label_its_text_and_what_it_lets_pass(asker_of):
    (tower,) = read_towers(asker_of())

    assert (tower.label, tower.accepts) == ("Owl-VL", ("FLASH_ATTN", "TORCH_SDPA"))
    assert tower.message == "Owl-VL does not support {} backend now."
    assert str(tower.source) == "vllm/model_executor/models/owl.py:15"
    assert tower.reachable is True
    assert "cuda" in tower.refused_on


@pytest.mark.parametrize(
    ("check", "accepts"),
    [
        (
            """
            if backend == _Backend.FLASH_ATTN:
                pass
            elif backend in (_Backend.XFORMERS, _Backend.TORCH_SDPA):
                pass
            else:
                raise RuntimeError(f"Elk does not support {backend} backend now")
            """,
            ("FLASH_ATTN", "XFORMERS", "TORCH_SDPA"),
        ),
        (
            """
            if backend not in {
                AttentionBackendEnum.FLASH_ATTN,
            }:
                raise RuntimeError(
                    f"Elk does not support {backend} backend now."
                )
            """,
            ("FLASH_ATTN",),
        ),
    ],
)
def test_every_form_of_the_check_is_read(tree_of, check, accepts):
    body = indent(dedent(check).strip(), "        ")
    source = f"class Elk:\n    def __init__(self, backend):\n{body}\n"

    (found,) = find_checks(tree_of({"vllm/model_executor/models/elk.py": source}))

    assert (found.label, found.accepts) == ("Elk", accepts)


def test_the_check_of_the_constructor_counts_where_an_encoder_checks_twice(tree_of):
    source = """
        class Elk:
            def forward(self, backend):
                if backend == B.A_ONE:
                    return 1
                else:
                    raise RuntimeError(f"Elk does not support {backend} backend now.")

            def __init__(self, backend):
                if backend not in {B.A_ONE, B.A_TWO}:
                    raise RuntimeError(f"Elk does not support {backend} backend now.")
        """

    (found,) = find_checks(tree_of({"vllm/model_executor/models/elk.py": source}))

    assert found.accepts == ("A_ONE", "A_TWO")


def test_other_texts_about_backends_are_no_checks(tree_of):
    source = """
        class Elk:
            def choose(self, backend):
                if backend:
                    raise ValueError(f"no {backend} backend now or ever")
        """

    assert find_checks(tree_of({"vllm/model_executor/models/elk.py": source})) == ()


def test_an_earlier_list_that_only_lets_accepted_ones_through_makes_a_check_unreachable(asker_of):
    (tower,) = read_towers(asker_of(cuda=CUDA + LISTED))

    assert tower.reachable is False


def test_an_installed_package_that_replaces_the_backend_is_a_rescue(asker_of):
    assert [rescue.package for rescue in read_rescues(asker_of(rescue=RESCUE))] == ["flash-attn"]
    assert read_rescues(asker_of()) == ()


def test_the_default_differs_by_capability_and_head_size_and_names_its_package(asker_of):
    rows = [row for row in read_tower_defaults(asker_of()) if row.platform == "cuda"]

    assert {row.backend: row.package for row in rows} == {
        "TORCH_SDPA": None,
        "FLASH_ATTN": None,
        "XFORMERS": "xformers",
    }
    assert next(row.capabilities for row in rows if row.backend == "TORCH_SDPA") == ("7.0", "7.5")
    assert 64 in next(row.head_sizes for row in rows if row.backend == "FLASH_ATTN")
    assert 72 in next(row.head_sizes for row in rows if row.backend == "XFORMERS")


def test_values_of_the_flag_are_the_platforms_list(asker_of):
    (row,) = read_tower_choices(asker_of(cuda=CUDA + LISTED))

    assert (row.platform, row.capabilities, row.choices) == ("cuda", (), ("FLASH_ATTN", "TORCH_SDPA"))


def test_a_variable_that_changes_what_an_encoder_gets_reaches_it(asker_of):
    asker = asker_of(
        **{"vllm/attention/selector.py": "import vllm.envs as envs\nx = envs.VLLM_ATTENTION_BACKEND\n"}
    )
    reach = next(one for one in read_reaches(asker) if one.setting == "VLLM_ATTENTION_BACKEND")

    assert reach.parts == (Part.TEXT, Part.TOWER)
    assert (
        tower_backend(asker, Machine("cuda", "9.0", env={"VLLM_ATTENTION_BACKEND": "TORCH_SDPA"}), 64)
        == "TORCH_SDPA"
    )


@pytest.mark.parametrize(
    ("envs", "unread", "message"),
    [
        ("environment_variables = {}\n", Unread.SILENT, None),
        (
            'def validate(env):\n    logger.warning("Unknown vLLM environment variable detected: %s", env)\n',
            Unread.WARNS,
            "Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND",
        ),
    ],
)
def test_a_variable_that_nothing_reads_meets_silence_or_a_warning(tree_of, envs, unread, message):
    asker = Asker(tree_of({"vllm/envs.py": envs, "vllm/platforms/interface.py": INTERFACE}))

    reach = next(one for one in read_reaches(asker) if one.setting == "VLLM_ATTENTION_BACKEND")

    assert (reach.parts, reach.unread, reach.message) == ((), unread, message)


def test_a_variable_that_moves_into_the_configuration_is_announced_with_its_field(tree_of):
    configuration = """
        from vllm import envs
        from vllm.logger import init_logger

        logger = init_logger(__name__)


        class AttentionConfig:
            backend: str | None = None

            def _set_from_env_if_set(self, field_name, env_var_name):
                if envs.is_set(env_var_name):
                    setattr(self, field_name, envs.VLLM_ATTENTION_BACKEND)
                    text = "Using %s is deprecated, use --attention-config.%s"
                    logger.warning_once(text, env_var_name, field_name)

            def __post_init__(self):
                self._set_from_env_if_set("backend", "VLLM_ATTENTION_BACKEND")
        """
    arguments = (
        "class EngineArgs:\n    attention_config: dict = None\n    mm_encoder_attn_backend: str = None\n"
    )
    asker = Asker(
        tree_of(
            {
                "vllm/envs.py": ENVS + "\n    def is_set(name):\n        return name in os.environ\n",
                "vllm/config/attention.py": configuration,
                "vllm/engine/arg_utils.py": arguments,
                "vllm/platforms/interface.py": INTERFACE,
            }
        )
    )

    reaches = {one.setting: one for one in read_reaches(asker)}

    assert reaches["VLLM_ATTENTION_BACKEND"].parts == (Part.TEXT,)
    assert reaches["VLLM_ATTENTION_BACKEND"].message == (
        "Using VLLM_ATTENTION_BACKEND is deprecated, use --attention-config.backend"
    )
    assert reaches["--attention-config.backend"].parts == (Part.TEXT,)
    assert reaches["--mm-encoder-attn-backend"].parts == (Part.TOWER,)
    assert "--attention-backend" not in reaches
