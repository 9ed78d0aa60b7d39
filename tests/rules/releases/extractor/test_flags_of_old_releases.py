"""Releases up to 0.8.x call `add_argument` with everything written down."""

import pytest

from rules.releases.extractor.surface.flags import read_dotted_flags, read_flags

OLD_TREE = {
    "vllm/scripts.py": """
        from vllm.entrypoints.openai.cli_args import make_arg_parser
        from vllm.utils import FlexibleArgumentParser

        def main():
            parser = FlexibleArgumentParser(description="vLLM CLI")
            subparsers = parser.add_subparsers(required=True, dest="subparser")
            serve_parser = subparsers.add_parser("serve")
            serve_parser.add_argument("model_tag", type=str)
            serve_parser.add_argument("--config", type=str, default='', required=False)
            serve_parser = make_arg_parser(serve_parser)
            complete_parser = subparsers.add_parser("complete")
            complete_parser.add_argument("--quick", metavar="PROMPT")
    """,
    "vllm/entrypoints/openai/cli_args.py": """
        from vllm.engine.arg_utils import AsyncEngineArgs, nullable_str

        def make_arg_parser(parser):
            parser.add_argument("--host", type=nullable_str, default=None, help="host name")
            parser.add_argument("--port", type=int, default=8000, help="port number")
            parser.add_argument("--middleware", type=nullable_str, action="append", default=[])
            parser = AsyncEngineArgs.add_cli_args(parser)
            return parser
    """,
    "vllm/engine/arg_utils.py": """
        import argparse
        import json
        from vllm.config import LoadFormat
        from vllm.quantization import QUANTIZATION_METHODS

        DEVICE_OPTIONS = ["auto", "cuda"]

        class EngineArgs:
            dtype: str = 'auto'

            @staticmethod
            def add_cli_args(parser):
                parser.add_argument('--dtype', type=str, default=EngineArgs.dtype, choices=['auto', 'half'])
                parser.add_argument('--load-format', type=str, choices=[f.value for f in LoadFormat])
                parser.add_argument('--quantization', '-q', type=nullable_str,
                                    choices=[*QUANTIZATION_METHODS, None], default=None)
                parser.add_argument("--device", type=str, default="auto", choices=DEVICE_OPTIONS)
                parser.add_argument('--enable-prefix-caching', action=argparse.BooleanOptionalAction)
                parser.add_argument('--worker-use-ray', action='store_true',
                                    help='Deprecated, use --distributed-executor-backend=ray.')
                parser.add_argument('--override-neuron-config', type=json.loads, default=None)
                return parser

        class AsyncEngineArgs(EngineArgs):
            @staticmethod
            def add_cli_args(parser, async_args_only=False):
                if not async_args_only:
                    parser = EngineArgs.add_cli_args(parser)
                parser.add_argument('--disable-log-requests', action='store_true')
                return parser
    """,
    "vllm/config.py": """
        import enum
        class LoadFormat(str, enum.Enum):
            AUTO = "auto"
            NPCACHE = "npcache"
    """,
    "vllm/quantization.py": "QUANTIZATION_METHODS = {'awq': AWQ, 'fp8': Fp8}\n",
}


@pytest.fixture
def flags(tree_of):
    return {flag.name: flag for flag in read_flags(tree_of(OLD_TREE))}


def test_only_the_flags_of_the_server_are_read(flags):
    assert " ".join(sorted(flags)) == (
        "--config --device --disable-log-requests --dtype --enable-prefix-caching --host --load-format "
        "--middleware --override-neuron-config --port --quantization --worker-use-ray"
    )


def test_choices_are_found_behind_lists_enums_and_tables(flags):
    assert flags["--dtype"].choices == ("auto", "half")
    assert flags["--load-format"].choices == ("auto", "npcache")
    assert flags["--quantization"].choices == ("awq", "fp8")
    assert flags["--device"].choices == ("auto", "cuda")
    assert flags["--host"].choices is None


def test_types_and_defaults_are_read(flags):
    assert (flags["--port"].type, flags["--port"].default) == ("int", "8000")
    assert (flags["--host"].type, flags["--host"].default) == ("str", "None")
    assert flags["--dtype"].default == "auto"
    assert flags["--override-neuron-config"].type == "json"
    assert flags["--middleware"].type == "list"
    assert flags["--disable-log-requests"].type == "bool"


def test_aliases_hold_short_and_negative_forms(flags):
    assert flags["--quantization"].aliases == ("-q",)
    assert flags["--enable-prefix-caching"].aliases == ("--no-enable-prefix-caching",)
    assert flags["--disable-log-requests"].aliases == ()


def test_a_deprecation_is_what_the_help_says(flags):
    assert flags["--worker-use-ray"].deprecated == "Deprecated, use --distributed-executor-backend=ray."
    assert flags["--dtype"].deprecated is None


def test_the_source_is_the_line_that_names_the_flag(flags):
    assert str(flags["--quantization"].source) == "vllm/engine/arg_utils.py:16"
    assert str(flags["--port"].source) == "vllm/entrypoints/openai/cli_args.py:6"


def test_a_parser_without_dotted_keys_gives_none(tree_of):
    assert read_dotted_flags(tree_of(OLD_TREE)) == ()
