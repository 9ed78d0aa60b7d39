"""An image whose own script starts vLLM: what the script exports is gone all the same, and its flags change."""

from pathlib import Path

import pytest

from tests.hosts.docker.engine import docker
from tests.hosts.helper.gpu_host import BACKEND, MODEL, REFUSED, STANDIN, until

pytestmark = pytest.mark.root
UNSET = {"env_unset": [BACKEND]}


@pytest.fixture
def vllm(host):
    """A command like the one that a package's installation puts into an image."""
    program = host.folder / "bin" / "vllm"
    program.parent.mkdir()
    program.write_text(
        f"#!/usr/bin/python3\nimport runpy, sys\nsys.argv[0] = {str(STANDIN)!r}\n"
        f"runpy.run_path({str(STANDIN)!r}, run_name='__main__')\n"
    )
    program.chmod(0o755)
    return program


def script_of(host, vllm, *lines):
    """Write what the image runs before vLLM, and return its path."""
    script = host.folder / "entrypoint.sh"
    serve = f"{vllm} serve {MODEL} --port {host.port} --standin-ledger={host.ledger}"
    script.write_text(
        "\n".join(["#!/bin/sh", "set -e", *(line.replace("@vllm", serve) for line in lines), ""])
    )
    script.chmod(0o755)
    return str(script)


COMMANDS = {
    "by itself": lambda script: [script],
    "behind an init": lambda script: ["env", "A=1", "nice", "-n", "1", script],
    "by a shell": lambda script: ["sh", script],
    "as the text of a shell": lambda script: ["sh", "-ec", f". {script}"],
    "through a link": lambda script: [_linked(script)],
}


def _linked(script):
    link = Path(script).with_name("start")
    link.symlink_to("entrypoint.sh")
    return str(link)


@pytest.mark.parametrize("kind", COMMANDS)
def test_what_a_script_exports_is_really_gone(host, vllm, kind):
    script = script_of(host, vllm, f"export {BACKEND}=FLASHINFER", "exec @vllm")
    host.owner_runs(command=COMMANDS[kind](script))
    until("it dies", lambda: host.inspected()["State"]["Status"] == "exited")

    checks = {check["name"]: check for check in host.preflight(UNSET)["checks"]}
    host.stop()
    started = host.start(UNSET)
    status = host.serving()

    assert checks["wrapper"]["is_sound"]
    assert status["running_spec_hash"] == started["spec_hash"]
    assert [start["env"].get(BACKEND) for start in host.starts()] == ["FLASHINFER", None]
    assert not {BACKEND, "PYTHONPATH", "RELAUNCH_CHANGE"} & set(status["running"]["env"])


def test_a_script_that_goes_on_after_vllm_is_no_obstacle(host, vllm):
    script = script_of(host, vllm, f"export {BACKEND}=FLASHINFER", "@vllm", "echo it ended")
    host.owner_runs(command=[script])
    host.stop()
    started = host.start(UNSET)

    assert host.serving()["running_spec_hash"] == started["spec_hash"]


def test_a_flag_that_a_script_gives_is_changed(host, vllm):
    script = script_of(host, vllm, "exec @vllm --mm-encoder-attn-backend FLASHINFER --dtype auto")
    host.owner_runs(command=[script])
    host.stop()
    host.start({**UNSET, "flags_set": {"--mm-encoder-attn-backend": "FLASH_ATTN"}})

    argv = host.serving()["running"]["argv"]

    assert "--mm-encoder-attn-backend=FLASH_ATTN" in argv
    assert "FLASHINFER" not in argv


def test_what_was_kept_holds_in_the_next_run(host, vllm):
    script = script_of(host, vllm, f"export {BACKEND}=FLASHINFER", "exec @vllm")
    host.owner_runs(command=[script])
    host.stop()
    host.start(UNSET)
    host.serving()
    host.commit()

    host.stop(run=2)
    host.start({"flags_set": {"--max-model-len": "4096"}}, run=2)
    running = host.serving()["running"]

    assert BACKEND not in running["env"]
    assert "--max-model-len=4096" in running["argv"]


def test_what_would_hide_the_change_is_read_out_of_the_container_before_anything_is_stopped(host, vllm):
    script = script_of(host, vllm, f"export {BACKEND}=FLASHINFER", "exec env -i @vllm")
    host.owner_runs(command=[script])

    checks = {check["name"]: check for check in host.preflight(UNSET)["checks"]}

    assert not checks["wrapper"]["is_sound"]
    assert "env -i" in checks["wrapper"]["detail"]


def test_a_change_that_does_not_help_is_taken_back_behind_a_script_too(host, vllm):
    script = script_of(host, vllm, f"export {BACKEND}=FLASH_ATTN", "exec @vllm")
    host.owner_runs(command=[script])
    until("it serves", lambda: host.status()["port_is_open"])
    host.stop()
    host.start({"env_set": {BACKEND: "FLASHINFER"}})
    assert REFUSED in host.ended()["log"]["text"]

    host.restore()

    assert host.serving()["running"]["env"][BACKEND] == "FLASH_ATTN"
    assert docker(host.address, "inspect", "-f", "{{.State.Running}}", host.container) == "true"
