"""`vllm-diagnose watch` as a person on call sees it: real files, pipes and signals."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.bot.cli.followed import watching
from tests.bot.cli.running import ROOT, process, run

SAMPLE = (ROOT / "bot" / "web" / "samples" / "qwen3-vl-flashinfer.log").read_bytes()
OTHER = (
    b"(APIServer pid=9) INFO 11-28 08:00:00 [api_server.py:1977] vLLM API server version 0.11.2\n"
    b"(EngineCore_DP0 pid=88) ERROR 11-28 08:00:09 [core.py:843] EngineCore failed to start.\n"
    b"(EngineCore_DP0 pid=88) ERROR 11-28 08:00:09 [core.py:843] Traceback (most recent call last):\n"
    b'(EngineCore_DP0 pid=88) ERROR 11-28 08:00:09 [core.py:843]   File "/x/dist-packages/vllm/v1/engine/core.py", '
    b"line 833, in run_engine_core\n"
    b"(EngineCore_DP0 pid=88) ERROR 11-28 08:00:09 [core.py:843]     raise OddError('the flux is inverted')\n"
    b"(EngineCore_DP0 pid=88) ERROR 11-28 08:00:09 [core.py:843] vllm.odd.OddError: the flux is inverted\n"
)
HEALTHY = (
    b"INFO 11-28 07:55:57 [api_server.py:1977] vLLM API server version 0.11.2\n"
    b"INFO 11-28 07:58:40 [api_server.py:2100] Starting vLLM API server 0 on http://0.0.0.0:8000\n"
    b"INFO:     Application startup complete.\n"
    b'INFO:     10.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK\n'
)
VERDICT = "Qwen3-VL's vision encoder refuses FLASHINFER"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "vllm.log"
    path.write_bytes(HEALTHY)
    return path


def grow(log, data):
    with log.open("ab") as file:
        file.write(data)


def test_a_start_that_fails_is_diagnosed_as_diagnose_does(log):
    with watching(log) as found:
        grow(log, SAMPLE)
        lines = found.hears("vllm-diagnose explain")
        code, _, err = found.ends(signal.SIGINT)

    alone = process("diagnose", "-", stdin=SAMPLE).stdout.decode()
    assert VERDICT in lines[0]
    assert "".join(lines).split("\n")[:8] == alone.split("\n")[:8]
    assert (code, err) == (0, "")


def test_a_restart_loop_is_one_incident_whose_count_is_told_beside(log):
    with watching("--json", log) as found:
        for _ in range(5):
            grow(log, SAMPLE)
        found.hears("5 starts ended with this failure by now: " + VERDICT, beside=True)
        grow(log, OTHER)
        lines = found.hears('"unknown"')
        code, out, _ = found.ends(signal.SIGTERM)

    assert [json.loads(line)["status"] for line in lines] == ["diagnosed", "unknown"]
    assert (code, out) == (0, "")


def test_json_is_the_contracts_object_with_the_lines_counted_from_the_start(log):
    with watching("--json", log) as found:
        grow(log, SAMPLE)
        answer = json.loads(found.hears("{")[0])

    alone = json.loads(process("diagnose", "--json", "-", stdin=SAMPLE).stdout)
    assert answer["input"] == str(log)
    assert answer["root_cause"]["text"] == alone["root_cause"]["text"]
    assert answer.keys() == alone.keys()
    assert answer["diagnoses"] == alone["diagnoses"]


def test_a_healthy_log_raises_nothing(log):
    with watching("--once", log) as found:
        grow(log, HEALTHY * 20)
        code, out, _ = found.ends(signal.SIGINT)

    assert (code, out) == (1, "")


@pytest.mark.parametrize(("data", "code"), [(SAMPLE, 0), (OTHER, 3), (HEALTHY, 1), (b"", 1)])
def test_the_end_of_standard_input_ends_it_with_the_code_of_diagnose(data, code):
    assert process("watch", "--once", "-", stdin=data).returncode == code


def test_without_once_the_end_of_standard_input_is_a_good_end():
    assert process("watch", "-", stdin=SAMPLE).returncode == 0


def test_once_ends_with_the_first_incident(log):
    with watching("--once", "--json", log) as found:
        grow(log, OTHER + SAMPLE)
        code, out, _ = found.ends()

    assert code == 3
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["unknown"]


def test_what_a_log_holds_already_is_looked_at_when_that_is_asked_for(log):
    grow(log, SAMPLE)
    with watching("--from-start", "--once", log) as found:
        code, out, _ = found.ends()

    assert code == 0
    assert VERDICT in out


def test_a_failure_from_before_is_not_raised_but_tells_what_its_echo_means(log):
    cut = SAMPLE.index(b"RuntimeError: Engine core initialization failed")
    grow(log, SAMPLE[:cut].rpartition(b"\n")[0] + b"\n")
    with watching("--once", "--json", log) as found:
        grow(log, SAMPLE[cut:])
        code, out, _ = found.ends()

    assert code == 0
    assert json.loads(out)["facts"]["model"] == "Qwen/Qwen3-VL-8B-Instruct"


def test_several_logs_are_followed_and_each_answer_names_its_own(log, tmp_path):
    second = tmp_path / "second.log"
    with watching("--json", log, second, is_ready=False) as found:
        found.hears("second.log is not there yet", beside=True)
        found.hears("following ", beside=True)
        second.write_bytes(SAMPLE)
        grow(log, OTHER)
        answers = [json.loads(found.hears("{")[0]) for _ in range(2)]

    assert {(one["input"], one["status"]) for one in answers} == {
        (str(log), "unknown"),
        (str(second), "diagnosed"),
    }


def test_a_log_is_followed_through_rotation_and_truncation(log):
    with watching("--json", log) as found:
        log.rename(log.with_suffix(".1"))
        grow(log.with_suffix(".1"), OTHER)
        found.hears('"unknown"')
        log.write_bytes(SAMPLE)
        found.hears(VERDICT)
        found.hears("vllm.log", beside=True)
        os.truncate(log, 0)
        grow(log, b"another life\n" + SAMPLE)
        found.hears("2 starts ended", beside=True)


def test_a_named_pipe_outlives_its_writers(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with watching("--json", pipe) as found:
        grow(pipe, OTHER)
        found.hears('"unknown"')
        grow(pipe, SAMPLE)
        found.hears(VERDICT)
        assert found.ends(signal.SIGTERM)[0] == 0


def test_a_program_is_followed_through_a_pipe_while_it_runs():
    with watching("--json", "-") as found:
        found.write(SAMPLE)
        found.hears(VERDICT)
        found.write(OTHER)
        found.hears('"unknown"')
        found.process.stdin.close()
        assert found.ends()[0] == 0


def test_options_give_facts_that_the_log_lacks(log):
    log.write_bytes(b"")
    line = b"RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.\n"
    with watching("--json", "--once", "--vllm-version", "0.11.2", "--gpu", "T4", log) as found:
        grow(log, line)
        _, out, _ = found.ends()

    facts = json.loads(out)["facts"]
    assert (facts["vllm_version"], facts["compute_capability"]) == ("0.11.2", "7.5")


def test_secrets_of_a_log_and_of_its_name_are_masked(tmp_path):
    log = tmp_path / "home" / "ada" / "vllm.log"
    log.parent.mkdir(parents=True)
    secret = b"hf_" + b"AbCdEfGhIjKlMnOpQrStUvWxYz012345"[:32]
    with watching("--json", "--once", log) as found:
        log.write_bytes(OTHER.replace(b"the flux", b"the token " + secret))
        _, out, _ = found.ends()

    assert secret.decode() not in out
    assert "/home/ada" not in out
    assert json.loads(out)["redacted"] >= 2


def test_a_hostile_log_neither_steers_the_terminal_nor_holds_anything_up(log):
    hostile = (
        b"\x1b]0;owned\x07\x1b[2J ERROR \xff\xfe\x00\x00 \xe2\x80\xae evil\n"
        + b"Error: " * 300_000
        + b"\n"
        + b"\r".join(b"\rLoading shards: %d%%" % (number % 100) for number in range(50_000))
        + b"\n"
    )
    with watching("--once", log) as found:
        grow(log, OTHER.replace(b"the flux", b"\x1b[31mthe\x07 flux \xe2\x80\xae") + hostile)
        code, out, err = found.ends()

    assert code == 3
    assert not set(out + err) & set("\x1b\x07\x00\u202e")


def test_a_reader_that_goes_away_ends_it_without_a_word():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        ended = subprocess.run(
            [sys.executable, "-m", "bot", "watch", "--json", "-"],
            input=SAMPLE,
            stdout=gone,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            timeout=60,
            check=False,
        )

    assert ended.returncode == 141
    assert ended.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 64, "missing argument"),
        (("--quiet-seconds", "soon", "x"), 64, "--quiet-seconds"),
        (("--quiet-seconds", "0", "x"), 64, "--quiet-seconds"),
        (("--lang", "fr", "x"), 64, "--lang"),
        ((".",), 65, "this is a folder"),
        (("a\0b",), 65, "no such file"),
        (("--env-file", "/no/such/file", "x"), 65, "no such file"),
    ],
)
def test_mistakes_are_one_sentence(arguments, code, words, capsys, monkeypatch):
    result = run(capsys, monkeypatch, "watch", *arguments)

    assert (result.code, result.out) == (code, "")
    assert words in result.err
    assert result.err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_one_sentence(log):
    log.chmod(0)
    result = process("watch", str(log))

    assert (result.returncode, result.stderr.count(b"\n")) == (65, 1)
