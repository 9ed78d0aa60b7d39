"""Releases from 0.9 on build the parser from dataclasses: `get_kwargs(ModelConfig)`."""

import pytest

from rules.releases.extractor.surface.deprecation import deprecating_sentences
from rules.releases.extractor.surface.flags import read_dotted_flags, read_flags

NEW_TREE = {
    "vllm/utils/argparse_utils.py": """
        def parse_args():
            def create_nested_dict(keys, value):
                pass
    """,
    "vllm/entrypoints/cli/serve.py": """
        from vllm.entrypoints.launchers.cli_args import make_arg_parser

        class ServeSubcommand:
            name = "serve"
            def subparser_init(self, subparsers):
                serve_parser = subparsers.add_parser(self.name)
                serve_parser = make_arg_parser(serve_parser)
                return serve_parser
    """,
    "vllm/entrypoints/launchers/cli_args.py": """
        import json
        from dataclasses import field
        from typing import Literal
        from vllm.config import config
        from vllm.engine.arg_utils import AsyncEngineArgs, get_kwargs

        @config
        class BaseFrontendArgs:
            chat_template: str | None = None
            middleware: list[str] = field(default_factory=lambda: [])

            @classmethod
            def _customize_cli_kwargs(cls, frontend_kwargs):
                frontend_kwargs["middleware"]["action"] = "append"
                return frontend_kwargs

            @classmethod
            def add_cli_args(cls, parser):
                frontend_kwargs = get_kwargs(cls)
                frontend_kwargs = cls._customize_cli_kwargs(frontend_kwargs)
                frontend_group = parser.add_argument_group(title="Frontend")
                for key, value in frontend_kwargs.items():
                    extra_flags = value.pop("flags", [])
                    frontend_group.add_argument(*extra_flags, f"--{key.replace('_', '-')}", **value)
                return parser

        @config
        class FrontendArgs(BaseFrontendArgs):
            port: int = 8000
            uvicorn_log_level: Literal["critical", "info"] = "info"
            allowed_origins: list[str] = field(default_factory=lambda: ["*"])

            @classmethod
            def _customize_cli_kwargs(cls, frontend_kwargs):
                frontend_kwargs = super()._customize_cli_kwargs(frontend_kwargs)
                frontend_kwargs["allowed_origins"]["type"] = json.loads
                return frontend_kwargs

        def make_arg_parser(parser):
            parser.add_argument("--headless", action="store_true", default=False)
            parser = FrontendArgs.add_cli_args(parser)
            parser = AsyncEngineArgs.add_cli_args(parser)
            return parser
    """,
    "vllm/engine/arg_utils.py": """
        import argparse
        from vllm.config import AttentionConfig, CacheConfig, KernelConfig, ModelConfig, VllmConfig

        _OLD_MESSAGE = (
            "--old-thing is deprecated and will be removed in v9. "
            "Use --dtype instead."
        )

        def _compute_kwargs(cls):
            for field in fields(cls):
                name = field.name
                if contains_type(type_hints, int):
                    human_readable_int_args = {"max_num_batched_tokens"}
                    if name == "max_model_len":
                        kwargs[name]["type"] = human_readable_int_or_auto
                    elif name in human_readable_int_args:
                        kwargs[name]["type"] = human_readable_int
                    else:
                        kwargs[name]["type"] = int
            return kwargs

        def get_kwargs(cls):
            return copy.deepcopy(_compute_kwargs(cls))

        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                model_kwargs = get_kwargs(ModelConfig)
                model_group = parser.add_argument_group(title="ModelConfig")
                if not ("serve" in sys.argv[1:] and "--help" in sys.argv[1:]):
                    model_group.add_argument("--model", **model_kwargs["model"])
                model_group.add_argument("--dtype", **model_kwargs["dtype"])
                model_group.add_argument("--quantization", "-q", **model_kwargs["quantization"])
                model_group.add_argument("--max-model-len", **model_kwargs["max_model_len"])
                model_group.add_argument("--enforce-eager", **model_kwargs["enforce_eager"])
                model_group.add_argument("--task", **model_kwargs["task"], deprecated=True)
                model_group.add_argument(
                    "--old-thing", action=argparse.BooleanOptionalAction, help=_OLD_MESSAGE
                )
                model_group.add_argument("--quiet-thing", action="store_true", deprecated=True)
                for arg, type in [("--gone-a", str), ("--gone-b", bool)]:
                    model_group.add_argument(arg, type=type, help=f"[DEPRECATED] {arg} will go.")
                cache_kwargs = get_kwargs(CacheConfig)
                cache_kwargs["kv_cache_dtype"]["choices"].remove("secret")
                cache_group = parser.add_argument_group(title="CacheConfig")
                cache_group.add_argument(
                    "--kv-cache-dtype",
                    **{**cache_kwargs["kv_cache_dtype"], "default": None},
                )
                kernel_kwargs = get_kwargs(KernelConfig)
                moe_backend_kwargs = kernel_kwargs["moe_backend"]
                moe_backend_kwargs["type"] = lambda s: s.lower().replace("-", "_")
                parser.add_argument("--moe-backend", **moe_backend_kwargs)
                attention_kwargs = get_kwargs(AttentionConfig)
                parser.add_argument("--attention-backend", **attention_kwargs["backend"])
                vllm_kwargs = get_kwargs(VllmConfig)
                parser.add_argument("--attention-config", "-ac", **vllm_kwargs["attention_config"])
                parser.add_argument("--additional-config", **vllm_kwargs["additional_config"])
                return parser

        class AsyncEngineArgs(EngineArgs):
            @staticmethod
            def add_cli_args(parser, async_args_only=False):
                if not async_args_only:
                    parser = EngineArgs.add_cli_args(parser)
                return parser
    """,
    "vllm/config/__init__.py": """
        from vllm.config.attention import AttentionConfig
        from vllm.config.all import CacheConfig, KernelConfig, ModelConfig, VllmConfig
    """,
    "vllm/config/all.py": '''
        from dataclasses import field
        from typing import Any, ClassVar, Literal, Optional, Union
        from pydantic import Field
        from vllm.config.attention import AttentionConfig
        from vllm.quantization import QuantizationMethods

        ModelDType = Literal["auto", "half"]
        CacheDType = Literal["auto", "fp8", "secret"]
        Task = Literal["generate", "embed"]

        @config
        @dataclass
        class ModelConfig:
            registry: ClassVar[dict] = {}
            model: str = "some/model"
            """Name."""
            dtype: Union[ModelDType, torch.dtype] = "auto"
            quantization: Optional[QuantizationMethods] = None
            max_model_len: int = Field(default=None, ge=-1)
            enforce_eager: bool = False
            """Always use eager mode. Some deprecated checkpoints need this."""
            task: Task = "generate"
            """[DEPRECATED] The task. If the model supports more, name one."""
            made: int = field(init=False)

        @config
        class CacheConfig:
            kv_cache_dtype: CacheDType = "auto"

        @config
        class KernelConfig:
            moe_backend: Literal["auto", "deep_gemm"] = "auto"

        @config
        class VllmConfig:
            attention_config: AttentionConfig = Field(default_factory=AttentionConfig)
            additional_config: dict[str, Any] = field(default_factory=dict)
    ''',
    "vllm/config/attention.py": '''
        from vllm.attention.registry import AttentionBackendEnum

        @config
        class KindConfig:
            sliding: str | None = None

        @config
        class AttentionConfig:
            backend: AttentionBackendEnum | None = None
            """Which backend."""
            flash_attn_version: Literal[2, 3] | None = None
            use_thing: bool = False
            """Deprecated: use backend instead."""
            per_kind: KindConfig | None = None
            extra: dict[str, int] | None = None

            @field_validator("backend", mode="before")
            @classmethod
            def validate_backend_before(cls, value):
                if isinstance(value, str):
                    if value.lower() == "auto":
                        return None
                    return AttentionBackendEnum[value.upper()]
                return value
    ''',
    "vllm/attention/registry.py": """
        class AttentionBackendEnum(Enum, metaclass=_Meta):
            FLASH_ATTN = "vllm.flash_attn"
            CUSTOM = None
    """,
    "vllm/quantization.py": "QuantizationMethods = Literal['awq', 'fp8']\n",
}


@pytest.fixture
def tree(tree_of):
    return tree_of(NEW_TREE)


@pytest.fixture
def flags(tree):
    return {flag.name: flag for flag in read_flags(tree)}


@pytest.fixture
def keys(tree):
    return {flag.name: flag for flag in read_dotted_flags(tree)}


def test_flags_of_the_server_come_from_its_class_and_the_classes_below(flags):
    assert {"--headless", "--chat-template", "--middleware", "--port", "--uvicorn-log-level"} <= set(flags)
    assert flags["--uvicorn-log-level"].choices == ("critical", "info")
    assert flags["--middleware"].type == "list"
    assert flags["--allowed-origins"].type == "json"
    assert (flags["--port"].type, flags["--port"].default) == ("int", "8000")


def test_options_of_a_literal_are_choices_also_through_names_and_unions(flags):
    assert flags["--dtype"].choices == ("auto", "half")
    assert flags["--quantization"].choices == ("awq", "fp8")
    assert flags["--quantization"].aliases == ("-q",)


def test_changes_to_the_keywords_of_a_class_count(flags):
    assert flags["--kv-cache-dtype"].choices == ("auto", "fp8")
    assert flags["--kv-cache-dtype"].default == "None"
    assert flags["--moe-backend"].any_case
    assert not flags["--kv-cache-dtype"].any_case


def test_members_of_an_enum_are_choices_with_what_its_validator_takes_besides(flags):
    assert flags["--attention-backend"].choices == ("FLASH_ATTN", "CUSTOM", "auto")
    assert flags["--attention-backend"].any_case


def test_converters_that_depend_on_the_name_are_named(flags):
    assert flags["--max-model-len"].type == "human_readable_int_or_auto"


def test_booleans_have_a_negative_form(flags):
    assert flags["--enforce-eager"].type == "bool"
    assert flags["--enforce-eager"].aliases == ("--no-enforce-eager",)


def test_only_a_flag_that_is_deprecated_itself_says_so(flags):
    assert flags["--enforce-eager"].deprecated is None
    assert flags["--task"].deprecated == "[DEPRECATED] The task. If the model supports more, name one."
    assert flags["--old-thing"].deprecated.startswith("--old-thing is deprecated and will be removed in v9.")
    assert flags["--quiet-thing"].deprecated == "argument 'quiet_thing' is deprecated"
    assert flags["--gone-b"].deprecated == "[DEPRECATED] --gone-b will go."


def test_fields_that_nobody_can_give_are_left_out(keys, flags):
    assert "--made" not in flags
    assert "--attention-config.registry" not in keys


def test_keys_of_a_json_flag_are_the_fields_of_its_class(keys):
    assert keys["--attention-config.backend"].choices == ("FLASH_ATTN", "CUSTOM", "auto")
    assert keys["--attention-config.flash_attn_version"].choices == ("2", "3")
    assert keys["--attention-config.use_thing"].deprecated == "Deprecated: use backend instead."
    assert keys["--attention-config.per_kind.sliding"].type == "str"
    assert str(keys["--attention-config.backend"].source) == "vllm/config/attention.py:10"


def test_keys_of_a_free_dict_are_marked(keys):
    assert "--additional-config.*" in keys
    assert "--attention-config.extra.*" in keys
    assert "--attention-config.*" not in keys


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("--backend", 'Which backend. The "old" backend is deprecated and will go.', False),
        ("--backend", "This supersedes other_backend and more which are deprecated.", False),
        ("--allow-old", "Whether to allow deprecated methods.", False),
        ("--backend", "The backend is deprecated.", True),
        ("--old-size", "old_size (--old-size) is deprecated because it is unused.", True),
        ("--cfg.old_size", "`old_size` is deprecated and was renamed.", True),
        ("--cfg.level", "Level is deprecated and will be removed.", True),
        ("--any", "First words.\n\nThis option is deprecated.", True),
        ("--any", "Falls back. (DEPRECATED. Use --other instead)", True),
    ],
)
def test_it_matters_whose_deprecation_a_help_text_speaks_of(name, text, said):
    assert (deprecating_sentences(name, text) is not None) is said
