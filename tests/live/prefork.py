"""Runs launches in children of a process that has imported vLLM once: the judge, and the real program up to its engine.

Runs with vLLM's interpreter: `prefork.py INSIDE < launches.jsonl` prints one JSON object for each launch. The
program is its own `main`; a child that begins an engine has passed all checks before it, and is ended.
"""

import importlib.util
import io
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

#: what starting an engine looks like among the children of the program
_ENGINE = b"spawn_main("
_LONGEST_S = 240


def _load_judge(path):
    spec = importlib.util.spec_from_file_location("inside", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _fork(env, act, folder):
    """Run `act` in a child with exactly this environment and its output in a file."""
    log = Path(folder, "log")
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid, log
    code = 1
    try:
        os.setsid()
        out = os.open(str(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.environ.clear()
        os.environ.update(env)
        act()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # noqa: BLE001 - the child says what happened, as the program would
        import traceback  # noqa: PLC0415

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _children(pid):
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid:
                    yield (entry / "cmdline").read_bytes()
            except (OSError, IndexError):
                continue


def _await(pid, *, until_engine):
    """Return the exit code of a child, or None when it began an engine (and was ended)."""
    end = time.monotonic() + _LONGEST_S
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if until_engine and any(_ENGINE in line for line in _children(pid)):
            break
        time.sleep(0.1)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if time.monotonic() >= end:
        raise TimeoutError(pid)
    return None


def _judged(judge, arguments, env, folder):
    told = Path(folder, "told.jsonl")

    def act():
        with told.open("a") as out:

            def tell(found):
                out.write(json.dumps(found) + "\n")
                out.flush()

            judge.Judging({"arguments": arguments, "env": env}, tell).run()

    pid, log = _fork(dict(env, HF_HUB_OFFLINE="1"), act, folder)
    _await(pid, until_engine=False)
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    verdicts = [line["verdict"] for line in lines if "verdict" in line]
    return verdicts[-1] if verdicts else {"outcome": "died", "message": log.read_text()[-2000:]}


def _ran(arguments, env, folder):
    def act():
        from vllm.entrypoints.cli.main import main  # noqa: PLC0415 - imported once by the parent

        sys.argv = ["vllm", "serve", *arguments]
        main()

    pid, log = _fork(env, act, folder)
    code = _await(pid, until_engine=True)
    return {"exit": code, "log": log.read_text(errors="replace")[-20_000:]}


def main():
    """Answer each launch on stdin."""
    judge = _load_judge(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), line_buffering=True)
    for name in (
        "vllm.entrypoints.cli.main",
        "vllm.entrypoints.cli.serve",
        "vllm.entrypoints.cli.benchmark.main",
        "vllm.entrypoints.launchers.api_server.entry",
        "vllm.engine.arg_utils",
        "vllm.v1.engine.async_llm",
    ):
        importlib.import_module(name)
    for line in sys.stdin:
        tried = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            judged = _judged(judge, tried["arguments"], tried["env"], folder)
            ran = _ran(tried["arguments"], tried["env"], folder)
        answers.write(json.dumps({"name": tried["name"], "judge": judged, "program": ran}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
