"""Nothing that is written into a launch brings the preflight down, and no secret comes back out of it."""

import shlex

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.preflight import Known, NoLaunchError, examine, read_launch
from tests.rules.engine.preflight.asking import answers

RELEASES = st.sampled_from(["0.6.3", "0.8.5", "0.11.2", "0.14.1", "0.20.2", "0.33.0", "0.11.*", "main"])
FLAGS = sorted(
    {
        flag.name
        for version in ("0.6.3", "0.11.2", "0.33.0")
        for flag in answers().releases.get(version).flags()
    }
)
VARIABLES = sorted({one.name for one in answers().releases.get("0.33.0").variables()})
WORD = st.text(max_size=30) | st.sampled_from(
    [
        "{",
        "}",
        "'",
        '"',
        "{a:",
        "--",
        "-",
        "-O",
        "-O3",
        "--no-",
        "--model",
        "--config",
        "-1",
        "1e9",
        "9" * 400,
        "\0",
        "é",
    ]
)
WORDS = st.lists(
    WORD | st.sampled_from(FLAGS) | st.builds("{}={}".format, st.sampled_from(FLAGS), WORD), max_size=12
)
ENV = st.dictionaries(st.sampled_from(VARIABLES) | st.text(max_size=20), WORD, max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["num_attention_heads", "num_key_value_heads", "hidden_size", "text_config", "rope_scaling", "kv_lora_rank",
     "max_position_embeddings", "quantization_config", "architectures", "model_type", "vision_config"]
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    WORDS,
    ENV,
    RELEASES,
    st.dictionaries(KEYS, JSON, max_size=6) | st.none(),
    st.sampled_from([None, "H100", "T4", "?"]),
)
def test_any_words_any_variables_and_any_configuration_get_an_answer(words, env, release, config, gpu):
    launch = read_launch(["vllm", "serve", *words], env)
    found = examine(launch, Known(vllm_version=release, model_config=config, gpu=gpu), answers())

    assert repr(found)
    for finding in found.findings:
        assert finding.text
        for fix in finding.fixes:
            assert all(shlex.split(command) for command in fix.commands)


@settings(max_examples=100, deadline=None)
@given(st.lists(WORD, max_size=15))
def test_any_command_is_a_launch_or_none(words):
    try:
        launch = read_launch(words)
    except NoLaunchError:
        return
    assert launch.words is not None


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["--api-key {}", "--api-key={}", "--hf-token {}", "--hf_token={}"]),
    st.from_regex(r"[A-Za-z][A-Za-z0-9]{11,30}", fullmatch=True),
    RELEASES,
)
def test_no_secret_of_the_launch_is_said_again(flag, secret, release):
    secret = f"{secret}Zq7"
    words = [*flag.format(secret).split(), "--prot", "80", "--dtype", "float8"]
    env = {"HF_TOKEN": secret, "VLLM_API_KEY": secret, "VLLM_LOGING_LEVEL": "x"}
    found = examine(read_launch(["vllm", "serve", "m", *words], env), Known(vllm_version=release), answers())

    assert found.findings or release == "main"
    assert secret not in repr(found)
