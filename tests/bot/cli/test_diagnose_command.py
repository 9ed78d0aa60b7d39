"""`diagnose` as a script sees it: JSON of the contract, order, exit codes, facts given beside the paste."""

import json
import shlex
import subprocess

import pytest

from bot.triage.contract_model import ReportModel
from rules.engine.rule.catalogue import SHIPPED
from rules.engine.rule.samples import read_samples
from tests.bot.cli.running import process, run

SEED = (
    b"ERROR 11-28 07:55:57 [multiproc_executor.py:743] RuntimeError: "
    b"Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
)
UNKNOWN = (
    b"INFO 11-28 07:55:50 [api_server.py:1977] vLLM API server version 0.11.2\n"
    b"Traceback (most recent call last):\n"
    b'  File "/x/vllm/v1/engine/core.py", line 842, in run_engine_core\n'
    b"    raise ValueError('the moon is in the wrong house')\n"
    b"ValueError: the moon is in the wrong house\n"
)
WRAPPER = b"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
PROSE = b"Lunch is at noon.\n"
RULES = sorted(path.parent for path in SHIPPED.rglob("rule.yaml"))


@pytest.fixture
def logs(tmp_path):
    """Files by what should come of them."""
    contents = {"diagnosed": SEED, "unknown": UNKNOWN, "need-more": WRAPPER, "not-an-incident": PROSE}
    paths = {name: tmp_path / f"{name}.log" for name in contents}
    for name, content in contents.items():
        paths[name].write_bytes(content)
    return paths


def _answers(outcome):
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_the_seed_is_diagnosed_for_exactly_the_releases_that_print_it():
    result = process("diagnose", "--json", "-", stdin=SEED)

    answer = json.loads(result.stdout)
    assert result.returncode == 0
    assert result.stderr == b""
    assert answer["input"] == "-"
    assert answer["diagnoses"][0]["class"] == "vit-backend-unsupported"
    assert answer["diagnoses"][0]["confidence"] == "certain"
    assert answer["facts"]["vllm_versions"] == ">=0.11.1,<0.13"
    assert "gpu" in [ask["fact"] for ask in answer["ask"]]


@pytest.mark.parametrize(
    ("status", "code"), [("diagnosed", 0), ("not-an-incident", 1), ("need-more", 2), ("unknown", 3)]
)
def test_the_exit_code_says_what_came_of_it(status, code, logs, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "--json", str(logs[status]))

    assert _answers(outcome)[0]["status"] == status
    assert outcome.code == code


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (("diagnosed", "not-an-incident"), 0),
        (("not-an-incident", "need-more", "diagnosed"), 2),
        (("need-more", "unknown", "diagnosed", "not-an-incident"), 3),
    ],
)
def test_with_several_inputs_the_exit_code_is_the_first_of_3_2_0_1(statuses, code, logs, capsys, monkeypatch):
    names = [str(logs[status]) for status in statuses]

    outcome = run(capsys, monkeypatch, "diagnose", "--json", *names)

    assert outcome.code == code
    assert [answer["input"] for answer in _answers(outcome)] == names
    assert [answer["status"] for answer in _answers(outcome)] == list(statuses)


def test_one_unusable_input_does_not_lose_the_others(logs, tmp_path, capsys, monkeypatch):
    names = [str(logs["diagnosed"]), str(tmp_path / "gone.log"), "-"]

    outcome = run(capsys, monkeypatch, "diagnose", "--json", *names, stdin=SEED)

    assert [answer["input"] for answer in _answers(outcome)] == [names[0], "-"]
    assert outcome.code == 65
    assert outcome.err.count("\n") == 1
    assert "gone.log" in outcome.err


def test_without_a_file_standard_input_is_read(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "--json", stdin=SEED)

    assert _answers(outcome)[0]["input"] == "-"
    assert outcome.code == 0


def test_facts_beside_the_paste_choose_the_answer(capsys, monkeypatch):
    outcome = run(
        capsys, monkeypatch, "diagnose", "--json", "--vllm-version", "0.11.2", "--gpu", "T4", "-", stdin=SEED
    )

    answer = _answers(outcome)[0]
    assert answer["facts"]["vllm_version"] == "0.11.2"
    assert answer["facts"]["compute_capability"] == "7.5"
    changes = json.dumps([fix["change"] for fix in answer["diagnoses"][0]["fixes"]])
    assert "FLASH_ATTN" not in changes


def test_variables_come_from_a_file_and_secrets_in_it_are_masked(tmp_path, capsys, monkeypatch):
    env = tmp_path / "launch.env"
    env.write_text(
        "# launch\nexport VLLM_ATTENTION_BACKEND=FLASHINFER\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345\n"
    )

    outcome = run(capsys, monkeypatch, "diagnose", "--json", "--env-file", str(env), "-", stdin=SEED)

    assert _answers(outcome)[0]["facts"]["env"]["VLLM_ATTENTION_BACKEND"] == "FLASHINFER"
    assert "abcdefghijklmnop" not in outcome.out + outcome.err


def test_a_line_that_is_no_variable_is_named_and_left_out(tmp_path, capsys, monkeypatch):
    env = tmp_path / "launch.env"
    env.write_text("A=1\n'oops\nVLLM_USE_V1=1\n")

    outcome = run(capsys, monkeypatch, "diagnose", "--json", "--env-file", str(env), "-", stdin=SEED)

    assert f"{env}:2 is not NAME=value" in outcome.err
    assert outcome.code == 0


def test_the_launch_is_read_from_the_command_and_its_secrets_are_masked(capsys, monkeypatch):
    launch = "vllm serve Qwen/Qwen3-VL-8B-Instruct --api-key sk-verysecretkey123456 --max-model-len 4096"

    outcome = run(capsys, monkeypatch, "diagnose", "--json", "--command", launch, "-", stdin=SEED)

    answer = _answers(outcome)[0]
    assert answer["facts"]["argv"][:2] == ["vllm", "serve"]
    assert "verysecretkey" not in outcome.out


@pytest.mark.parametrize(
    "value", ["main", "a fork", "docker", "", "0.11", "99.0", "0.11.2+cu128", "v0.11.2rc1"]
)
def test_a_release_that_cannot_be_read_is_no_error(value, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "--json", "--vllm-version", value, "-", stdin=SEED)

    assert outcome.code == 0
    assert outcome.err == ""


@pytest.mark.parametrize("value", ["a toaster", "", "sm_90", "9.0", "NVIDIA H100 80GB HBM3", "gfx942"])
def test_a_gpu_that_cannot_be_read_is_no_error(value, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "--json", "--gpu", value, "-", stdin=SEED)

    assert outcome.code == 0
    assert outcome.err == ""


@pytest.mark.parametrize("launch", ["vllm serve 'x", 'vllm serve "', "vllm serve \\"])
def test_a_launch_whose_quote_is_open_is_wrong_usage(launch, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "--json", "--command", launch, "-", stdin=SEED)

    assert outcome.code == 64
    assert outcome.out == ""
    assert "--command: a quote is not closed" in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_language_is_that_of_the_text_unless_one_is_asked_for(capsys, monkeypatch):
    chinese = "启动服务的时候报错，请问怎么解决？\n".encode() + SEED

    automatic = run(capsys, monkeypatch, "diagnose", "--json", "-", stdin=chinese)
    asked = run(capsys, monkeypatch, "diagnose", "--json", "--lang", "en", "-", stdin=chinese)

    assert _answers(automatic)[0]["language"] == "zh"
    assert _answers(asked)[0]["language"] == "en"


def test_json_is_utf8_where_the_output_is_and_escaped_elsewhere():
    plain = process("diagnose", "--json", "--lang", "zh", "-", stdin=SEED, PYTHONIOENCODING="utf-8").stdout
    narrow = process("diagnose", "--json", "--lang", "zh", "-", stdin=SEED, PYTHONIOENCODING="ascii").stdout

    assert narrow.isascii()
    assert not plain.isascii()
    assert json.loads(plain) == json.loads(narrow)


def test_a_terminal_that_knows_no_chinese_still_gets_an_answer():
    result = process("diagnose", "--lang", "zh", "-", stdin=SEED, PYTHONIOENCODING="ascii")

    assert result.returncode == 0
    assert b"unset VLLM_ATTENTION_BACKEND" in result.stdout


def test_several_answers_for_a_person_are_headed_by_their_names(logs, capsys, monkeypatch):
    names = [str(logs["diagnosed"]), str(logs["unknown"])]

    outcome = run(capsys, monkeypatch, "diagnose", *names)

    heads = [line for line in outcome.out.splitlines() if line.startswith("== ")]
    assert heads == [f"== {name} ==" for name in names]


def test_a_person_s_name_in_the_path_of_a_log_is_masked(capsys, monkeypatch, tmp_path):
    home = tmp_path / "home" / "marisol"
    home.mkdir(parents=True)
    (home / "a.log").write_bytes(SEED)

    outcome = run(capsys, monkeypatch, "diagnose", "--json", str(home / "a.log"))

    assert outcome.code == 0
    assert "marisol" not in outcome.out
    assert _answers(outcome)[0]["redacted"] == 1


@pytest.mark.parametrize("folder", RULES, ids=lambda folder: folder.name)
def test_every_answer_keeps_the_contract_and_its_commands_are_ready_to_copy(folder, capsys, monkeypatch):
    samples, _ = read_samples(folder)
    for sample in samples:
        outcome = run(capsys, monkeypatch, "diagnose", "--json", "-", stdin=sample.text.encode())
        answer = _answers(outcome)[0]
        ReportModel.model_validate(answer)
        for command in _commands(answer):
            assert command.isascii(), command
            assert shlex.split(command), command
            assert not set(command) & set("\u2018\u2019\u201c\u201d\x1b"), command


def test_a_shell_accepts_every_command(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "--json", "-", stdin=SEED)

    for command in _commands(_answers(outcome)[0]):
        assert subprocess.run(["/bin/sh", "-n", "-c", command], check=False).returncode == 0, command


def _commands(answer):
    for diagnosis in answer["diagnoses"]:
        for fix in diagnosis["fixes"]:
            yield from fix["commands"]
            yield from (proof["command"] for proof in fix["verify"])
    yield from (ask["command"] for ask in answer["ask"])
