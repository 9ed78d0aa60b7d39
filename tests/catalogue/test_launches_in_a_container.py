"""A server that `docker run` started is mended in its container, never on the host."""

import shlex

import pytest

from rules.engine.paste.facts import Given
from rules.engine.start import Options, start_engine

SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
RUN = (
    "docker run --gpus all {} -e VLLM_ATTENTION_BACKEND=FLASHINFER -e HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzabcdef "
    "-p 8001:8000 --ipc=host vllm/vllm-openai:v0.11.2 --model Qwen/Qwen3-VL-4B-Instruct -tp 2"
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return start_engine(Options(cache=tmp_path_factory.mktemp("cache")))


def fixes(engine, options=""):
    report = engine.diagnose(f"{RUN.format(options)}\n\n{SEED}\n", Given(vllm_version="0.11.2", gpu="H100"))
    return {fix.id: fix for fix in report.diagnoses[0].fixes}


def test_the_variable_goes_from_the_containers_own_line_and_all_else_stays(engine):
    fix = fixes(engine)["unset-variable"]

    (command,) = fix.commands
    assert command == (
        'docker run --gpus all -e "HF_TOKEN=${HF_TOKEN:?set HF_TOKEN}" -p 8001:8000 --ipc=host '
        "vllm/vllm-openai:v0.11.2 --model Qwen/Qwen3-VL-4B-Instruct -tp 2 2>&1 | tee vllm.log"
    )
    assert "not on the host" in fix.summary


def test_another_value_replaces_the_old_one_before_the_image(engine):
    (command,) = fixes(engine)["flash-attn-variable"].commands

    words = shlex.split(command)
    assert "VLLM_ATTENTION_BACKEND=FLASHINFER" not in words
    place = words.index("VLLM_ATTENTION_BACKEND=FLASH_ATTN")
    assert words[place - 1] == "-e"
    assert words[place + 1] == "vllm/vllm-openai:v0.11.2"


def test_a_flag_goes_behind_the_image(engine):
    (command,) = fixes(engine)["encoder-backend-flag"].commands

    assert "-tp 2 --mm-encoder-attn-backend " in command
    assert "VLLM_ATTENTION_BACKEND=FLASHINFER" in command


def test_a_named_container_in_the_background_is_removed_first_and_its_log_taken(engine):
    first, run, log = fixes(engine, "-d --name qwen")["unset-variable"].commands

    assert first == "docker rm qwen"
    assert run.startswith("docker run --gpus all -d --name qwen -e ")
    assert log == "docker logs -f qwen 2>&1 | tee vllm.log"


def test_nothing_is_offered_for_the_host_and_requests_go_to_the_published_port(engine):
    for fix in fixes(engine).values():
        assert not any(command.startswith(("unset", "env -u", "python3 -m pip")) for command in fix.commands)
        assert all("localhost:8001/" in proof.command for proof in fix.verify if "curl" in proof.command)
    upgrade = fixes(engine, "--name qwen")["upgrade"]
    assert "not on the host" in upgrade.summary
    assert upgrade.commands == ("docker pull vllm/vllm-openai:v0.13.0",)
    assert upgrade.verify[0].command == "docker exec qwen vllm --version"
