"""The real `vllm serve` as a process of its own, and the harness that imports vLLM once. Not tests."""

import json
import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).parent
JUDGE = HERE.parents[1] / "adapters" / "hosts" / "helper" / "judge"
_READY = "Application startup complete."
_COMPLETION = {"prompt": "one two", "max_tokens": 4, "temperature": 0}


def environment(venv, **more):
    """Return all that a server gets."""
    return {
        "PATH": f"{venv / 'bin'}:/usr/bin:/bin",
        "HOME": str(Path.home()),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        **more,
    }


def judge_and_run(venv, launches):
    """Return what the judge and the program up to its engine made of each launch, by its name."""
    orders = [json.dumps({"name": name, "arguments": words, "env": env}) for name, words, env in launches]
    done = subprocess.run(
        [str(venv / "bin" / "python"), str(HERE / "prefork.py"), str(JUDGE / "inside.py")],
        input="\n".join(orders),
        capture_output=True,
        text=True,
        env=environment(venv),
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return {answer["name"]: answer for answer in map(json.loads, done.stdout.splitlines())}


def judged_alone(venv, words, env):
    """Return the whole answer of the judge, run as the bot runs it."""
    order = json.dumps({"arguments": words, "env": env, "timeout_s": 600})
    done = subprocess.run(
        [str(venv / "bin" / "python"), "-I", str(JUDGE / "outside.py")],
        input=order,
        capture_output=True,
        text=True,
        timeout=700,
        check=True,
    )
    return json.loads(done.stdout)


@contextmanager
def serving(venv, words, env):
    """Run the program in a session of its own; all of it is gone afterwards."""
    process = subprocess.Popen(
        [str(venv / "bin" / "vllm"), "serve", *words],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def log_until_ready(process):
    """Return whether the server became ready, and what it printed till then or till its end."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if _READY in line:
            return True, "".join(lines)
    return False, "".join(lines)


def free_port():
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def complete(process, port, model):
    """Return the text that the server makes of a prompt; it listens a moment after it says that it is ready."""
    while True:
        try:
            return _complete(port, model)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
        with suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"the server ended with {process.wait(1)}")


def _complete(port, model):
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/completions",
        json.dumps({"model": model, **_COMPLETION}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=300) as answer:  # noqa: S310 (loopback)
        return json.load(answer)["choices"][0]["text"]
