"""Launches in compose files."""

import pytest

from rules.engine.launch_files import RemarkKind, read_launches


def _one(text, **more):
    (found,) = read_launches("compose.yaml", text, **more).launches
    return found


def test_the_image_starts_the_server_with_the_command_as_its_arguments():
    found = _one(
        "services:\n"
        "  web: {image: nginx}\n"
        "  vllm:\n"
        "    image: vllm/vllm-openai:v0.11.2\n"
        "    command: >\n"
        "      --model Qwen/Qwen3-8B\n"
        "      --served-model-name 'a b'\n"
    )

    assert found.argv == ("vllm", "serve", "--model", "Qwen/Qwen3-8B", "--served-model-name", "a b")
    assert (found.where, found.line, found.release) == ("service vllm", 5, "0.11.2")


def test_an_image_without_a_command_starts_the_server():
    found = _one("services:\n  a:\n    image: vllm/vllm-openai:latest\n")

    assert found.argv == ("vllm", "serve")
    assert found.release is None


@pytest.mark.parametrize(
    "environment",
    [
        "      A: 1\n      B: 'x y'\n      C: \"\"\n      D:\n",
        "      - A=1\n      - B=x y\n      - C=\n      - D\n",
    ],
)
def test_the_environment_is_a_map_or_a_list(environment):
    found = _one(f"services:\n  a:\n    image: vllm/vllm-openai\n    environment:\n{environment}")

    assert found.env == {"A": "1", "B": "x y", "C": ""}
    assert found.unresolved_env == ("D",)


def test_variables_are_interpolated_and_two_dollars_are_one():
    text = (
        "services:\n  a:\n    image: vllm/vllm-openai:${TAG:-v0.10.0}\n"
        "    command: [--model, '${MODEL}', --x, 'a$$b', --y, '${Y:-${Z:-1}}', --z, '${W:+on}']\n"
    )

    found = _one(text)
    filled = _one(text, known={"MODEL": "m", "TAG": "v0.9.1", "W": "1"})

    assert found.argv[2:] == ("--model", "${MODEL}", "--x", "a$b", "--y", "1", "--z", "")
    assert found.unresolved == ("${MODEL}",)
    assert found.release == "0.10.0"
    assert filled.argv[3:4] + filled.argv[-1:] == ("m", "on")
    assert filled.release == "0.9.1"


def test_merge_keys_and_anchors_are_followed():
    found = _one(
        "x-env: &env {A: '1', B: '2'}\nx-base: &base\n  image: vllm/vllm-openai\n"
        "services:\n  a:\n    <<: *base\n    environment:\n      <<: *env\n      B: '3'\n    command: --model m\n"
    )

    assert found.env == {"A": "1", "B": "3"}


def test_an_entrypoint_replaces_that_of_the_image():
    found = _one(
        "services:\n  a:\n    image: me/server\n    entrypoint: [bash, -c]\n"
        "    command:\n      - |\n        export A=1\n        exec vllm serve m $$X\n"
    )

    assert found.argv == ("vllm", "serve", "m", "$X")
    assert found.env == {"A": "1"}
    assert found.line == 8


@pytest.mark.parametrize("files", ["my.env", "[my.env]", "[{path: my.env, required: false}]"])
def test_env_files_are_named_unless_given_along(files):
    text = f"services:\n  a:\n    image: vllm/vllm-openai\n    env_file: {files}\n    environment: {{B: x}}\n"

    (remark,) = read_launches("compose.yaml", text).remarks
    found = _one(text, beside={"my.env": "A=1\nB=2\n"})

    assert (remark.kind, remark.subject) == (RemarkKind.ENV_FILE_UNREAD, "my.env")
    assert found.env == {"A": "1", "B": "x"}


def test_a_quote_that_is_not_closed_is_remarked_on():
    reading = read_launches(
        "compose.yaml", "services:\n  a:\n    image: vllm/vllm-openai\n    command: --x 'a\n"
    )

    assert [remark.kind for remark in reading.remarks] == [RemarkKind.QUOTE_OPEN]


def test_a_service_that_repeats_the_entrypoint_is_read_as_it_would_run():
    reading = read_launches(
        "compose.yaml", "services:\n  a:\n    image: vllm/vllm-openai\n    command: vllm serve m\n"
    )

    assert reading.launches[0].argv == ("vllm", "serve", "vllm", "serve", "m")
    assert [remark.kind for remark in reading.remarks] == [RemarkKind.ENTRYPOINT_TWICE]
