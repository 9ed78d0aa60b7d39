"""A file named by `--config` counts as words of the launch, which win over it."""

from tests.rules.engine.preflight.asking import check, remarks, rules

FILE = """
model: org/m
port: 8001
tensor-parallel-size: 4
enforce-eager: true
trust-remote-code: false
served-model-name: [a, b]
compilation-config: {cudagraph_mode: NONE}
"""


def config(text):
    return {"config_files": {"server.yaml": text}}


def test_a_sound_file_is_no_fault_and_gives_the_model():
    found = check("vllm serve --config server.yaml", **config(FILE))

    assert (found.findings, found.model) == ((), "org/m")


def test_what_the_file_says_is_checked():
    found = check("vllm serve m --config server.yaml", **config("port: 80\nno-such-flag: 3\ndtype: float8\n"))

    assert sorted(rules(found)) == ["flag-choice-invalid", "unknown-flag"]


def test_words_of_the_command_win_over_the_file():
    assert (
        rules(check("vllm serve m --config server.yaml -tp 4", **config("tensor-parallel-size: 0\n"))) != []
    )
    model = {"num_attention_heads": 8}
    found = check(
        "vllm serve m --config server.yaml -tp 4", model_config=model, **config("tensor-parallel-size: 3\n")
    )
    assert rules(found) == []


def test_a_file_that_is_not_at_hand_or_is_no_mapping_is_left_out():
    assert "server.yaml was not read" in remarks(check("vllm serve m --config server.yaml"))
    for text in ("[1, 2]", "a: [", "just words", "- &x [*x]"):
        assert check("vllm serve m --config server.yaml", **config(text)).ok
