"""A launch is changed flag by flag, and nothing else of it moves."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.facts import Facts
from rules.engine.remedy.launch.commands import can_repeat, changed_argv, commands
from rules.engine.remedy.launch.masked import is_copyable, is_whole
from rules.engine.remedy.launch.requests import RED_PNG, completion
from rules.engine.report import Change
from rules.releases.model import Flag, Source

FLAG = "--mm-encoder-attn-backend"
WORDS = st.text(alphabet=st.characters(codec="ascii", exclude_categories=("Cc",)), min_size=1, max_size=12)
COPYABLE = WORDS.filter(lambda word: is_copyable(word) and is_whole([word]))
SET = Change(flags_set={FLAG: "TORCH_SDPA"})
_HERE = Source("handmade", 1)
_TYPES = {"--api-key": "list", "--compilation-config": "json", "--limit-mm-per-prompt": "json",
          "--enforce-eager": "bool", "--no-enable-prefix-caching": "bool", "--served-model-name": "list",
          "--host": "str", "--max-model-len": "int", "--attention-backend": "str", FLAG: "str"}  # fmt: skip
FLAGS = {name: Flag(name, _HERE, type=kind) for name, kind in _TYPES.items()}
FLAGS["--port"] = Flag("--port", _HERE, type="int", default="8000")
NONE = dict[str, Flag]().get


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (("vllm", "serve", "m"), ("vllm", "serve", "m", FLAG, "TORCH_SDPA")),
        (
            ("vllm", "serve", "m", FLAG, "X", "--port", "1"),
            ("vllm", "serve", "m", "--port", "1", FLAG, "TORCH_SDPA"),
        ),
        (("vllm", "serve", "m", f"{FLAG}=X"), ("vllm", "serve", "m", FLAG, "TORCH_SDPA")),
        (
            ("vllm", "serve", "m", "--mm_encoder_attn_backend", "X"),
            ("vllm", "serve", "m", FLAG, "TORCH_SDPA"),
        ),
    ],
)
def test_a_flag_is_set_once_whatever_its_spelling(argv, expected):
    assert changed_argv(argv, Change(flags_set={FLAG: "TORCH_SDPA"}), NONE) == expected


@pytest.mark.parametrize("spelling", [("-tp", "8"), ("-tp=8",), ("--tensor-parallel", "8")])
def test_a_flag_that_is_set_replaces_its_short_name_and_its_beginning(spelling):
    size = Flag("--tensor-parallel-size", _HERE, type="int", aliases=("-tp",))

    changed = changed_argv(
        ("vllm", "serve", "m", *spelling, "--port", "1"), Change(flags_set={size.name: "4"}),
        {size.name: size, "-tp": size, **FLAGS}.get,
    )  # fmt: skip

    assert changed == ("vllm", "serve", "m", "--port", "1", size.name, "4")


def test_a_beginning_that_is_a_flag_of_its_own_stays():
    longer = Flag("--port-of-metrics", _HERE, type="int")

    changed = changed_argv(
        ("vllm", "serve", "m", "--port", "1"), Change(flags_unset=(longer.name,)),
        {longer.name: longer, **FLAGS}.get,
    )  # fmt: skip

    assert changed == ("vllm", "serve", "m", "--port", "1")


def test_a_flag_without_a_value_leaves_what_follows_it():
    argv = ("vllm", "serve", "m", "--fail-on-environ-validation", "--port", "9000")

    assert changed_argv(argv, Change(flags_unset=("--fail-on-environ-validation",)), NONE) == (
        "vllm", "serve", "m", "--port", "9000",
    )  # fmt: skip


@given(st.lists(WORDS.filter(lambda word: not word.startswith("-")), min_size=1, max_size=6))
def test_a_change_of_nothing_changes_nothing(words):
    assert changed_argv(tuple(words), Change(), NONE) == tuple(words)


@given(st.lists(COPYABLE, min_size=1, max_size=6), COPYABLE)
def test_a_repeated_launch_is_read_by_a_shell_as_it_was(words, value):
    argv = tuple(words)
    facts = Facts(argv=argv)

    (command,) = commands(Change(flags_set={FLAG: value}), facts, NONE)

    told, _, _ = command.rpartition(" 2>&1 | tee ")
    assert tuple(shlex.split(told)) == changed_argv(argv, Change(flags_set={FLAG: value}), NONE)


@pytest.mark.parametrize("mask", ["<secret>", "***"])
@pytest.mark.parametrize("spelling", [("--api-key", "{}"), ("--api-key={}",)])
def test_a_masked_key_is_a_variable_and_the_other_flags_stay(mask, spelling):
    key = tuple(word.format(mask) for word in spelling)
    facts = Facts(argv=("vllm", "serve", "m", *key, "-tp", "2"), model="m")

    (command,) = commands(SET, facts, NONE)

    said = '"${VLLM_API_KEY:?set VLLM_API_KEY}"'
    assert mask not in command
    assert command.replace("--api-key=", "--api-key ").startswith(
        f"vllm serve m --api-key {said} -tp 2 --mm-encoder-attn-backend TORCH_SDPA 2>&1"
    )


@pytest.mark.parametrize("path", ["/home/<user>/models/qwen", "/\u6a21\u578b/qwen"])
def test_a_path_that_cannot_be_copied_is_a_variable(path):
    facts = Facts(argv=("vllm", "serve", path, "--download-dir", path, "--port", "9000"), model=path)

    (command,) = commands(SET, facts, NONE)

    assert command.isascii()
    assert command.startswith(
        'vllm serve "${MODEL:?set MODEL to the model that you serve}" '
        '--download-dir "${DOWNLOAD_DIR:?set DOWNLOAD_DIR}" --port 9000 --mm-encoder-attn-backend'
    )


def test_words_that_were_left_out_are_not_repeated():
    facts = Facts(argv=("vllm", "serve", "m", "...", "--port", "9000"))

    (command,) = commands(SET, facts, NONE)

    assert "..." not in command
    assert not can_repeat(facts)
    assert can_repeat(Facts(argv=("vllm", "serve", "m", "--api-key", "<secret>")))


def test_flags_that_only_a_log_shows_are_in_the_launch_as_a_shell_takes_them():
    flags = {
        "--api-key": "['<secret>']",
        "--attention-backend": "AttentionBackendEnum.FLASHINFER",
        "--compilation-config": "CompilationConfig(level=3)",
        "--enforce-eager": "",
        "--gone-in-this-release": "1",
        "--host": "127.0.0.1",
        "--limit-mm-per-prompt": "{'image': 2, 'video': 0}",
        "--max-model-len": "32768",
        "--mm-encoder-attn-backend": "FLASHINFER",
        "--no-enable-prefix-caching": "",
        "--port": "8000",
        "--served-model-name": "['a', 'b c']",
    }

    (command,) = commands(SET, Facts(model="Qwen/Qwen3-VL-4B-Instruct", flags=flags), FLAGS.get)

    assert command == (
        'vllm serve Qwen/Qwen3-VL-4B-Instruct --api-key "${VLLM_API_KEY:?set VLLM_API_KEY}" '
        "--attention-backend FLASHINFER --enforce-eager --host 127.0.0.1 "
        """--limit-mm-per-prompt '{"image": 2, "video": 0}' --max-model-len 32768 """
        "--no-enable-prefix-caching --served-model-name a 'b c' "
        "--mm-encoder-attn-backend TORCH_SDPA 2>&1 | tee vllm.log"
    )


@given(st.text(max_size=40))
def test_any_value_that_a_log_shows_gives_words_that_a_shell_can_read(value):
    (command,) = commands(SET, Facts(model="m", flags={"--limit-mm-per-prompt": value}), FLAGS.get)

    assert command.isascii()
    assert shlex.split(command)[:3] == ["vllm", "serve", "m"]


@given(WORDS)
def test_a_request_names_any_model_safely(model):
    command = completion(Facts(model=model), image=True)

    assert RED_PNG in shlex.split(command)[-1]


def test_a_server_with_a_key_is_asked_with_the_key_of_the_shell():
    facts = Facts(model="/home/<user>/m", flags={"--api-key": "<secret>"})

    command = completion(facts, image=False)

    assert "Bearer ${VLLM_API_KEY:?" in command
    assert "<secret>" not in command
    assert "<user>" not in command
