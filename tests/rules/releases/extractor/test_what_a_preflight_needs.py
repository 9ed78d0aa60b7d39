"""How many words a flag takes, its limits, names that plugins may extend, variables that must be numbers."""

import pytest

from rules.releases.extractor.surface.flags import read_flags
from rules.releases.extractor.surface.variables import read_variables
from rules.releases.shipped import load_releases

TREE = {
    "vllm/entrypoints/cli/serve.py": """
        from vllm.engine.arg_utils import EngineArgs

        class ServeSubcommand:
            def subparser_init(self, subparsers):
                serve_parser = subparsers.add_parser("serve")
                serve_parser.add_argument("--served-model-name", nargs="+", type=str)
                serve_parser.add_argument("--chunked", action=StoreBoolean, nargs="?", const="True")
                EngineArgs.add_cli_args(serve_parser)
                return serve_parser
    """,
    "vllm/engine/arg_utils.py": """
        from vllm.config import CacheConfig

        def get_kwargs(cls):
            return {}

        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                kwargs = get_kwargs(CacheConfig)
                del kwargs["middleware"]["nargs"]
                group = parser.add_argument_group(title="CacheConfig")
                group.add_argument("--share", **kwargs["share"])
                group.add_argument("--floor", **kwargs["floor"])
                group.add_argument("--names", **kwargs["names"])
                group.add_argument("--middleware", **kwargs["middleware"])
                group.add_argument("--token", **kwargs["token"])
                group.add_argument("--limits", **kwargs["limits"])
                group.add_argument("--late", choices=Manager.names)
                group.add_argument("--empty", choices=list(EMPTY))
                group.add_argument("--tool-call-parser", type=str)
                group.add_argument("--reasoning-parser", type=str)
                group.add_argument("--quantization", type=str)
                group.add_argument("--load-format", type=str)
                return parser

        EMPTY = {}
    """,
    "vllm/config.py": """
        from typing import Annotated
        from pydantic import Field

        class CacheConfig:
            share: float = Field(default=0.9, gt=0, le=1)
            floor: Annotated[int, Field(ge=-1)] = 0
            names: list[str] = None
            middleware: list[str] = None
            token: bool | str | None = None
            limits: Limits | None = None

        class Limits(dict[str, int]): ...
    """,
    "vllm/tool_parsers/__init__.py": """
        _TOOL_PARSERS_TO_REGISTER = {"hermes": ("a", "B"), "mistral": ("c", "D")}
    """,
    "vllm/reasoning/one.py": """
        @ReasoningParserManager.register_module("deepseek_r1")
        class One: ...

        @ReasoningParserManager.register_module(["qwen3", "qwq"])
        class Two: ...

        @OtherManager.register_module("foreign")
        class Three: ...
    """,
    "vllm/model_executor/layers/quantization/__init__.py": """
        from typing import Literal
        QuantizationMethods = Literal["awq", "gptq"]
    """,
    "vllm/model_executor/model_loader/__init__.py": """
        from typing import Literal
        LoadFormats = Literal["auto", "dummy"]
    """,
    "vllm/envs.py": """
        import os

        def maybe_convert_int(value):
            return None if value is None else int(value)

        def plain():
            return bool(int(os.getenv("VLLM_PLAIN", "0")))

        environment_variables = {
            "VLLM_SPACE": lambda: int(os.getenv("VLLM_SPACE", "0")) if "VLLM_SPACE" in os.environ else None,
            "VLLM_SWITCH": lambda: bool(int(os.environ.get("VLLM_SWITCH", "0"))),
            "VLLM_MAYBE": lambda: maybe_convert_int(os.environ.get("VLLM_MAYBE", None)),
            "VLLM_RATE": lambda: val if (val := float(os.getenv("VLLM_RATE", "1."))) > 0 else 1.0,
            "VLLM_PLAIN": plain,
            "VLLM_HELD": lambda: int(os.environ["VLLM_HELD"]) if os.environ.get("VLLM_HELD") else None,
            "VLLM_WORD": lambda: os.environ.get("VLLM_WORD", "False").lower() in ("true", "1"),
            "VLLM_OTHER": lambda: int(os.getenv("VLLM_SPACE", "0")),
        }
    """,
}


@pytest.fixture
def flags(tree_of):
    return {flag.name: flag for flag in read_flags(tree_of(TREE))}


@pytest.mark.parametrize(
    ("name", "nargs"),
    [
        ("--served-model-name", "+"),
        ("--chunked", "?"),
        ("--names", "+"),
        ("--middleware", ""),
        ("--token", "?"),
        ("--share", ""),
    ],
)
def test_how_many_words_follow_a_flag(flags, name, nargs):
    assert flags[name].nargs == nargs


def test_limits_come_from_the_default_or_the_annotation(flags):
    assert flags["--share"].bounds == (">0", "<=1")
    assert flags["--floor"].bounds == (">=-1",)
    assert flags["--names"].bounds == ()


def test_a_class_made_from_dict_takes_json(flags):
    assert flags["--limits"].type == "json"


def test_a_list_that_the_source_fills_later_is_no_list(flags):
    assert flags["--late"].choices is None
    assert flags["--empty"].choices is None


def test_registered_names_are_known_and_stay_open(flags):
    assert flags["--tool-call-parser"].known == ("hermes", "mistral")
    assert flags["--reasoning-parser"].known == ("deepseek_r1", "qwen3", "qwq")
    assert flags["--quantization"].known == ("awq", "gptq")
    assert flags["--load-format"].known == ("auto", "dummy")
    assert flags["--names"].known is None


@pytest.mark.parametrize(
    ("name", "kind", "may_be_empty"),
    [
        ("VLLM_SPACE", "int", False),
        ("VLLM_SWITCH", "int", False),
        ("VLLM_MAYBE", "int", False),
        ("VLLM_RATE", "float", False),
        ("VLLM_PLAIN", "int", False),
        ("VLLM_HELD", "int", True),
        ("VLLM_WORD", "str", False),
        ("VLLM_OTHER", "str", False),
    ],
)
def test_variables_that_must_be_numbers(tree_of, name, kind, may_be_empty):
    found = {variable.name: variable for variable in read_variables(tree_of(TREE))}[name]

    assert (found.type, found.may_be_empty) == (kind, may_be_empty)


@pytest.mark.parametrize(
    ("release", "flag", "bounds"),
    [
        ("0.11.2", "--gpu-memory-utilization", (">0", "<=1")),
        ("0.33.0", "--max-num-seqs", (">=1",)),
        ("0.11.0", "--max-num-seqs", ()),
    ],
)
def test_shipped_limits_are_those_of_the_source(release, flag, bounds):
    assert load_releases().get(release).flag(flag).bounds == bounds


@pytest.mark.parametrize(
    ("release", "flag", "name"),
    [
        ("0.6.3", "--tool-call-parser", "llama3_json"),
        ("0.11.2", "--reasoning-parser", "deepseek_r1"),
        ("0.33.0", "--tool-call-parser", "hermes"),
        ("0.33.0", "--quantization", "awq"),
        ("0.33.0", "--load-format", "runai_streamer"),
    ],
)
def test_shipped_names_are_those_of_the_source(release, flag, name):
    assert name in load_releases().get(release).flag(flag).known


def test_shipped_variables_say_which_must_be_numbers():
    release = load_releases().get("0.32.0")

    assert release.variable("VLLM_CPU_KVCACHE_SPACE").type == "int"
    assert release.variable("VLLM_LOG_STATS_INTERVAL").type == "float"
    assert release.variable("VLLM_USE_MODELSCOPE").type == "str"
