"""A variable that is to be removed is gone from the running server, wherever it came from."""

import sys

import pytest

from tests.hosts.helper.gpu_host import BACKEND, MODEL, REFUSED, STANDIN

UNSET = {"env_unset": [BACKEND]}
PYTHON = sys.executable


@pytest.fixture
def vllm(host):
    """A script like the one that a package's installation puts beside Python."""
    program = host.folder / "venv" / "bin" / "vllm"
    program.parent.mkdir(parents=True)
    program.write_text(
        f"#!{PYTHON} -E\nimport runpy, sys\nsys.argv[0] = {str(STANDIN)!r}\n"
        f"runpy.run_path({str(STANDIN)!r}, run_name='__main__')\n"
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def honest_vllm(vllm):
    """The same, with a first line as real ones have it."""
    vllm.write_text(vllm.read_text().replace(" -E", "", 1))
    return vllm


def wrap(host, *lines: str):
    """Register a script with these lines as the server's command."""
    script = host.folder / "run-vision.sh"
    script.write_text("\n".join(["#!/bin/bash", "set -e", *lines, ""]))
    script.chmod(0o755)
    host.list_server(argv=[str(script)])
    return script


def serve_line(host, program: str) -> str:
    return f"{program} serve {MODEL} --port {host.port} --standin-ledger={host.ledger}"


def relaunched_without(host, change=None):
    """Let the start fail once, then relaunch with the change, and return the status of the server that serves."""
    host.start()
    assert REFUSED in host.ended()["log"]["text"]
    host.stop(run=2)
    started = host.start(change or UNSET, run=2)
    status = host.serving()
    assert status["running_spec_hash"] == started["spec_hash"]
    return status


def test_from_the_registered_environment(host):
    host.list_server(env={BACKEND: "FLASHINFER"})

    status = relaunched_without(host)

    assert BACKEND not in status["running"]["env"]


WRAPPERS = {
    "exec by name": lambda vllm: [
        f"export PATH={vllm.parent}:$PATH",
        f"export {BACKEND}=FLASHINFER",
        "exec @vllm",
    ],
    "exec by path": lambda vllm: [f"export {BACKEND}=FLASHINFER", f"exec @{vllm}"],
    "not exec": lambda vllm: [f"export {BACKEND}=FLASHINFER", f"@{vllm}", "echo it ended"],
    "on the line itself": lambda vllm: [f"{BACKEND}=FLASHINFER exec @{vllm}"],
    "by Python": lambda vllm: [f"export {BACKEND}=FLASHINFER", f"exec {PYTHON} @{vllm}"],
    "after other programs": lambda vllm: [
        f"{PYTHON} -c 'print(1)'",
        f"export {BACKEND}=FLASHINFER",
        f"exec nice @{vllm}",
    ],
}


@pytest.mark.parametrize("kind", WRAPPERS)
def test_from_a_wrapper_script(host, honest_vllm, kind):
    lines = [
        line.partition("@")[0] + serve_line(host, line.partition("@")[2]) if "@" in line else line
        for line in WRAPPERS[kind](honest_vllm)
    ]
    wrap(host, *lines)

    status = relaunched_without(host)

    assert BACKEND not in status["running"]["env"]
    assert "PYTHONPATH" not in status["running"]["env"]
    assert [start["env"].get(BACKEND) for start in host.starts()] == ["FLASHINFER", None]
    assert status["running"]["argv"][-3:] == ["--port", str(host.port), f"--standin-ledger={host.ledger}"]


def test_a_flag_that_a_wrapper_gives_is_dropped_and_another_set(host, honest_vllm):
    wrap(
        host,
        "exec " + serve_line(host, str(honest_vllm)) + " --mm-encoder-attn-backend FLASHINFER --dtype auto",
    )

    status = relaunched_without(
        host, {"flags_set": {"--mm-encoder-attn-backend": "FLASH_ATTN", "--max-model-len": "8192"}}
    )

    argv = status["running"]["argv"]
    assert "--mm-encoder-attn-backend=FLASH_ATTN" in argv
    assert "FLASHINFER" not in argv
    assert argv[-3:] == ["--dtype", "auto", "--max-model-len=8192"]


def test_a_change_behind_which_a_wrapper_hides_is_seen_before_and_after(host, honest_vllm):
    wrap(
        host,
        f"export {BACKEND}=FLASHINFER",
        "export PYTHONPATH=/nowhere",
        "exec " + serve_line(host, str(honest_vllm)),
    )
    checks = {check["name"]: check for check in host.preflight(UNSET)["checks"]}
    started = host.start(UNSET)
    status = host.ended()

    assert not checks["wrapper"]["is_sound"]
    assert "PYTHONPATH=" in checks["wrapper"]["detail"]
    assert REFUSED in status["log"]["text"]
    assert status["running_spec_hash"] != started["spec_hash"]


def test_a_wrapper_without_a_change_runs_as_it_is_written(host, honest_vllm):
    wrap(host, "export VLLM_LOGGING_LEVEL=DEBUG", "exec " + serve_line(host, str(honest_vllm)))

    started = host.start()
    status = host.serving()

    assert status["running"]["env"]["VLLM_LOGGING_LEVEL"] == "DEBUG"
    assert status["running_spec_hash"] == started["spec_hash"]


def test_what_was_kept_of_a_wrapper_holds_in_the_next_run_and_adds_up(host, honest_vllm):
    wrap(host, f"export {BACKEND}=FLASHINFER", "exec " + serve_line(host, str(honest_vllm)))
    relaunched_without(host)
    host.commit(run=2)

    host.stop(run=3)
    host.start({"flags_set": {"--max-model-len": "4096"}}, run=3)
    status = host.serving()

    assert BACKEND not in status["running"]["env"]
    assert "--max-model-len=4096" in status["running"]["argv"]


def test_other_pythons_of_a_wrapper_keep_their_own_modules(host, honest_vllm):
    (host.folder / "helper.py").write_text("print('the wrapper\\'s own')\n")
    wrap(
        host,
        f"cd {host.folder}",
        f"{PYTHON} -c 'import sys; import helper; print(len([p for p in sys.path if p.endswith(\"site\")]))'",
        "exec " + serve_line(host, str(honest_vllm)),
    )
    host.start({"flags_set": {"--max-model-len": "4096"}})

    text = host.serving()["log"]["text"]

    assert "the wrapper's own\n0\n" in text


def test_nothing_of_the_caller_reaches_the_server(host, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", "/nowhere.so")
    monkeypatch.setenv("VLLM_FROM_THE_CALLER", "1")
    host.list_server(env={"VLLM_LOGGING_LEVEL": "INFO"})

    host.start()

    names = set(host.serving()["running"]["env"])
    assert names == {"HOME", "LOGNAME", "PATH", "USER", "VLLM_LOGGING_LEVEL"}
