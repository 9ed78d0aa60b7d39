"""`check`: launches on the command line and in files, for people and for programs, and its exit codes."""

import json

import pytest

from bot.checking.contract_model import CheckModel
from tests.bot.cli.running import process, run

SEED = ("VLLM_ATTENTION_BACKEND=FLASHINFER", "vllm", "serve", "Qwen/Qwen3-VL-8B-Instruct")
COMPOSE = """
services:
  good:
    image: vllm/vllm-openai:v0.11.2
    command: --model org/m --port 8000
  bad:
    image: vllm/vllm-openai:v0.11.2
    command: --model org/m --dtype float8
"""
CONFIG = {"num_attention_heads": 6, "architectures": ["LlamaForCausalLM"], "max_position_embeddings": 2048}


@pytest.fixture
def check(capsys, monkeypatch, tmp_path):
    """Run the command, with nothing of this machine's own models in sight."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub-home"))
    for name in ("VLLM_ATTENTION_BACKEND", "VLLM_USE_V1", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments, stdin=b""):
        return run(capsys, monkeypatch, "check", *arguments, stdin=stdin)

    return call


def answers(outcome):
    found = [json.loads(line) for line in outcome.out.splitlines()]
    for one in found:
        CheckModel.model_validate(one)
    return found


def test_a_person_reads_verdict_cause_fix_and_what_was_not_looked_at(check):
    outcome = check("--vllm-version", "0.11.2", "--", *SEED, "--attention-config.backend", "X")

    text = " ".join(outcome.out.split())
    assert outcome.code == 1
    assert outcome.out.startswith("This launch would not start: 2 faults\n")
    assert "the vision encoder of Qwen3-VL refuses in vLLM 0.11.2" in text
    assert "class vit-backend-unsupported, rule vit-backend-rejected" in text
    assert "    unset VLLM_ATTENTION_BACKEND\n" in outcome.out
    assert "Name the GPU with --gpu." in text


def test_a_sound_launch_is_said_to_be_sound(check):
    outcome = check("--vllm-version", "0.32.0", "--", "vllm", "serve", "org/m", "--port", "8000")

    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "Nothing found that stops this launch\n  Checked for vLLM 0.32.0.\n\n"


def test_what_changes_nothing_does_not_fail_the_check(check):
    outcome = check("--vllm-version", "0.32.0", "--lang", "zh", "--", *SEED)

    assert outcome.code == 0
    assert outcome.out.startswith("这个启动命令能启动，但其中有些内容不起作用\n")
    assert "--attention-backend FLASHINFER" in outcome.out


def test_a_program_gets_one_object_of_the_contract(check):
    outcome = check("--json", "--vllm-version", "0.11.2", "--gpu", "H100", "--", *SEED)

    [answer] = answers(outcome)
    assert outcome.code == 1
    assert list(answer)[:5] == ["schema", "input", "where", "line", "ok"]
    assert (answer["ok"], answer["vllm_version"], answer["input"]) == (False, "0.11.2", "-")
    finding = answer["findings"][0]
    assert (finding["rule"], finding["class"]) == ("vit-backend-rejected", "vit-backend-unsupported")
    assert finding["severity"] == "blocks-start"
    assert finding["fixes"][0]["change"]["env_unset"] == ["VLLM_ATTENTION_BACKEND"]


def test_the_two_dashes_may_be_left_out(check):
    outcome = check("--vllm-version", "0.32.0", "vllm", "serve", "org/m", "--prot", "80")

    assert outcome.code == 1
    assert "--prot is no flag of vLLM 0.32.0; --port is." in outcome.out


def test_variables_come_from_this_shell_or_from_a_file_instead(check, monkeypatch, tmp_path):
    launch = ("--json", "--vllm-version", "0.11.2", "--", "vllm", "serve", "org/m")
    monkeypatch.setenv("VLLM_ATTENTION_BACKEND", "flash_attn")
    of_shell = check(*launch)
    file = tmp_path / "server.env"
    file.write_text("VLLM_CPU_KVCACHE_SPACE=lots\nnot a variable\n")
    of_file = check("--env-file", str(file), *launch)

    assert [one["rule"] for one in answers(of_shell)[0]["findings"]] == ["backend-variable-invalid"]
    assert [one["rule"] for one in answers(of_file)[0]["findings"]] == ["preflight-variable-invalid"]
    assert "server.env:2 is not NAME=value" in of_file.err


def test_each_launch_of_a_file_gets_its_own_answer(check, tmp_path):
    file = tmp_path / "compose.yaml"
    file.write_text(COMPOSE)
    outcome = check("--json", "--file", str(file))
    page = check("--file", str(file))

    good, bad = answers(outcome)
    assert (outcome.code, good["ok"], bad["ok"]) == (1, True, False)
    assert (bad["where"], bad["vllm_version"]) == ("service bad", "0.11.2")
    assert bad["input"].endswith("compose.yaml")
    assert "(service good)" in page.out


def test_names_of_files_may_stand_alone_as_a_hook_gives_them(check, tmp_path):
    good, empty = tmp_path / "run.sh", tmp_path / "notes.yaml"
    good.write_text("vllm serve org/m --port 8000\n")
    empty.write_text("a: 1\n")

    assert check(str(good), str(empty)).code == 0
    assert check(str(empty)).out == ""
    good.write_text("vllm serve org/m --prot 8000\n")
    assert check(str(good), str(empty)).code == 1


def test_variables_of_a_file_that_lies_beside_are_read(check, tmp_path):
    (tmp_path / "vllm.env").write_text("VLLM_ATTENTION_BACKEND=flash_attn\n")
    file = tmp_path / "compose.yaml"
    file.write_text(
        "services:\n  a:\n    image: vllm/vllm-openai:v0.11.2\n    env_file: vllm.env\n    command: --model m\n"
    )
    outcome = check("--json", "--file", str(file))

    assert outcome.err == ""
    assert [one["rule"] for one in answers(outcome)[0]["findings"]] == ["backend-variable-invalid"]


def test_a_script_may_come_from_standard_input(check):
    script = b"export VLLM_USE_V1=true\nvllm serve org/m\n"
    outcome = check("--json", "--vllm-version", "0.10.0", "--file", "-", stdin=script)

    assert outcome.code == 1
    assert [one["rule"] for one in answers(outcome)[0]["findings"]] == ["preflight-variable-invalid"]


def test_the_models_configuration_is_found_in_its_folder_and_in_the_hubs_cache(check, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "model.safetensors").write_text("")
    cached = tmp_path / "hub-home" / "hub" / "models--org--m" / "snapshots" / "1"
    cached.mkdir(parents=True)
    (cached / "config.json").write_text(json.dumps(CONFIG))

    for model in (str(folder), "org/m"):
        outcome = check("--json", "--vllm-version", "0.20.2", "--", "vllm", "serve", model, "-tp", "4")
        assert [one["rule"] for one in answers(outcome)[0]["findings"]] == ["heads-not-divisible"]
    elsewhere = check(
        "--json",
        "--vllm-version",
        "0.20.2",
        "--model-config",
        str(folder),
        "--",
        "vllm",
        "serve",
        "a/b",
        "-tp",
        "4",
    )
    assert [one["rule"] for one in answers(elsewhere)[0]["findings"]] == ["heads-not-divisible"]


def test_a_model_folder_without_weights_is_found_here_but_not_inside_a_container(check, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    here = check("--json", "--vllm-version", "0.20.2", "--", "vllm", "serve", str(folder))
    inside = check("--json", "--", "docker", "run", "vllm/vllm-openai:v0.20.2", "--model", str(folder))

    assert [one["rule"] for one in answers(here)[0]["findings"]] == ["weights-not-there"]
    assert answers(inside)[0]["findings"] == []


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("./no-such-model", ["model-repository-invalid"]),
        ("../no-such-model", ["model-repository-invalid"]),
        # these may be another machine's, or the hub's
        ("/models/no-such-model", []),
        ("org/no-such-model", []),
    ],
)
def test_a_path_from_here_that_leads_nowhere_is_found(check, model, found):
    outcome = check("--json", "--vllm-version", "0.20.2", "--", "vllm", "serve", model)

    assert [one["rule"] for one in answers(outcome)[0]["findings"]] == found


def test_a_configuration_file_of_the_server_is_read(check, tmp_path):
    file = tmp_path / "server.yaml"
    file.write_text("port: 8000\nno-such-flag: 1\n")
    outcome = check(
        "--json", "--vllm-version", "0.20.2", "--", "vllm", "serve", "org/m", "--config", str(file)
    )

    assert [one["rule"] for one in answers(outcome)[0]["findings"]] == ["unknown-flag"]


def test_no_secret_is_printed(check):
    secret = "hunter2hunter2X"
    for mode in ((), ("--json",)):
        outcome = check(*mode, "--", "vllm", "serve", "org/m", "--api-key", secret, "--prot", "80")
        assert secret not in outcome.out + outcome.err
        assert "VLLM_API_KEY" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 64, "there is nothing to check"),
        (("--", "echo", "hello"), 64, "this launches no server of vLLM"),
        (("--file", "/no/such/file"), 65, "there is no such file"),
        (
            ("--model-config", "/no/such/file", "--", "vllm", "serve", "m"),
            65,
            "/no/such/file: there is no such",
        ),
        (("--model-config", ".", "--", "vllm", "serve", "m"), 65, "config.json: there is no such file"),
        (("no-such.yaml",), 65, "no-such.yaml: there is no such file; check the name"),
        (("no-such/Dockerfile",), 65, "no-such/Dockerfile: there is no such file"),
        (("--env-file", "/no/such/file", "--", "vllm", "serve", "m"), 65, "there is no such file"),
        (("--lang", "de", "--", "vllm", "serve", "m"), 64, "--lang"),
        (("--no-such-option", "--", "vllm", "serve", "m"), 64, "--no-such-option"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_exit_code(check, arguments, code, said):
    outcome = check(*arguments)

    assert outcome.code == code
    assert said in outcome.err
    assert outcome.err.startswith("vllm-diagnose: ")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "value", "code", "said"),
    [
        ("--vllm-version", "banana", 64, "'banana' is no release number; give one such as 0.11.2"),
        ("--vllm-version", "", 64, "'' is no release number"),
        ("--vllm-version", "0.99", 65, "there are no facts of vLLM 0.99; the nearest is "),
        ("--vllm-version", ">=9", 64, "'>=9' is no release number"),
        ("--gpu", "H999", 64, "'H999' is no GPU known here; give a product such as H100"),
    ],
)
def test_a_release_or_a_gpu_that_is_not_known_is_a_mistake_and_nothing_is_called_sound(
    check, option, value, code, said
):
    outcome = check("--json", option, value, "--", "vllm", "serve", "m")

    assert (outcome.code, outcome.out) == (code, "")
    assert said in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("version", ["0.11.*", ">=0.13", "0.12.1.dev3", "0.11.2+cu128", "v0.11.2"])
def test_a_release_may_be_a_range_or_a_build_of_ones_own(check, version):
    assert check("--vllm-version", version, "--", "vllm", "serve", "m").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "this is no JSON (line 1: "),
        ("", "this is no JSON"),
        ("[1]", "this is no configuration of a model; name the model's config.json"),
        ("\x00", "this is no JSON"),
    ],
)
def test_a_configuration_of_a_model_that_is_none_is_said_as_what_it_is(check, tmp_path, text, said):
    file = tmp_path / "config.json"
    file.write_text(text)
    outcome = check("--model-config", str(file), "--", "vllm", "serve", "m")

    assert (outcome.code, outcome.out) == (65, "")
    assert f"{file}: {said}" in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("image", ["vllm/vllm-openai", "nginx"])
def test_broken_yaml_that_is_named_is_called_broken(check, tmp_path, image):
    file = tmp_path / "compose.yaml"
    file.write_text(f"services:\n  a: [\n    image: {image}\n")
    outcome = check("--file", str(file))

    assert (outcome.code, outcome.out) == (65, "")
    assert "compose.yaml:4: this is not YAML: " in outcome.err


def test_a_template_or_a_tag_is_not_called_broken(check, tmp_path):
    file = tmp_path / "values.yaml"
    for text in ("a: {{ .Values.b }}\n", "a: !reference [b, c]\n---\nb: 1\n"):
        file.write_text(text)

        assert "nothing in here launches vLLM" in check("--file", str(file)).err


def test_a_file_that_launches_nothing_is_unusable_when_it_is_named(check, tmp_path):
    file = tmp_path / "run.sh"
    file.write_text("echo hello\n")
    outcome = check("--file", str(file))

    assert outcome.code == 65
    assert "nothing in here launches vLLM" in outcome.err


def test_it_runs_as_a_process_of_its_own():
    done = process(
        "check", "--vllm-version", "0.32.0", "--", "vllm", "serve", "org/m", "--gpu-memory-utilization", "2"
    )

    assert done.returncode == 1
    assert b"must be <=1; it is 2" in done.stdout
    assert done.stderr == b""
