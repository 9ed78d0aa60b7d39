"""Has a launch judged by the vLLM of this very interpreter, within a time and an environment. Starts no server.

`PYTHON outside.py < order.json` prints one JSON object. The order has `arguments` (the words after `vllm serve`),
`env` (all that the server would get) and `timeout_s`. Needs Python 3.8 and nothing of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SCHEMA = 1
_DEFAULT_TIMEOUT_S = 180.0
#: variables that would run something of the launch's in this process
_NEVER_SET = ("LD_", "DYLD_", "PYTHON", "PATH", "BASH_ENV", "ENV", "VLLM_LOGGING_CONFIG_PATH")


def environment(given: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the environment to judge in, and the variables left out because they could run something.

    Nothing is inherited but where programs and the home folder are, and only if the launch does not say.
    """
    left_out = sorted(name for name in given if _is_never_set(name))
    env = {name: value for name, value in given.items() if name not in left_out}
    for name in ("PATH", "HOME"):
        if name in os.environ:
            env.setdefault(name, os.environ[name])
    env.setdefault("HF_HUB_OFFLINE", "1")
    return env, left_out


def _is_never_set(name: str) -> bool:
    return any(
        name == part or (part.endswith(("_", "PYTHON")) and name.startswith(part)) for part in _NEVER_SET
    )


def judge(order: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to an order, from a process of its own that ends in the time given."""
    env, left_out = environment({str(name): str(value) for name, value in order.get("env", {}).items()})
    answer = {"schema": SCHEMA, "facts": None, "verdict": None, "left_out": left_out}  # type: dict[str, Any]
    stage, began = "import", time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vllm-judge-") as folder:
        asked, told = Path(folder, "order.json"), Path(folder, "answer.jsonl")
        asked.write_text(json.dumps(order), encoding="utf-8")
        program = Path(folder, "inside.py")
        program.write_bytes(_inside())
        # its own session, so that whatever it starts can be ended with it
        command = [sys.executable, str(program), str(asked), str(told)]
        log = Path(folder, "log")
        with log.open("wb") as out:
            process = subprocess.Popen(
                command,
                env=env,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
            try:
                process.wait(float(order.get("timeout_s") or _DEFAULT_TIMEOUT_S))
            except subprocess.TimeoutExpired:
                answer["timed_out"] = True
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        for line in told.read_text(encoding="utf-8").splitlines() if told.exists() else ():
            with contextlib.suppress(ValueError):
                found = json.loads(line)
                stage = found.pop("stage", stage)
                answer.update(found)
        if answer["verdict"] is None:
            tail = log.read_bytes()[-1000:].decode("utf-8", "replace").strip()
            why = "it took too long" if answer.get("timed_out") else "the judging process died: %s" % tail
            verdict = {"outcome": "undecided", "stage": stage, "kind": "", "message": why}
            answer["verdict"] = dict(verdict, warnings=[], skipped=[])
    answer["verdict"]["seconds"] = round(time.monotonic() - began, 1)
    return answer


def _inside() -> bytes:
    """Return the program that asks vLLM, also out of the helper's archive, where it is no file."""
    path = str(Path(__file__).with_name("inside.py"))
    return bytes(globals()["__loader__"].get_data(path))


def main() -> int:
    """Read an order from stdin and print the answer."""
    try:
        order = json.load(sys.stdin)
    except ValueError as error:
        order = error
    if not isinstance(order, dict):
        print(json.dumps({"schema": SCHEMA, "error": "the order is no JSON object: send one on stdin"}))  # noqa: T201
        return 64
    print(json.dumps(judge(order)))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
