"""A Python of its own with a package `vllm` that has the outside of the real one and does little."""

import subprocess
import sys
import sysconfig
from pathlib import Path

_FILES = {
    "torch/__init__.py": "from types import SimpleNamespace\nversion = SimpleNamespace(cuda=None, hip=None)\n",
    "vllm/__init__.py": "__version__ = '0.99.0+cpu'\n",
    "vllm/envs.py": "environment_variables = {'VLLM_USE_V1': None, 'VLLM_PORT': None}\n",
    "vllm/platforms/__init__.py": "from types import SimpleNamespace\n"
    "current_platform = SimpleNamespace(device_type='cpu', is_cuda_alike=lambda: False)\n",
    "vllm/entrypoints/__init__.py": "",
    "vllm/entrypoints/cli/__init__.py": "",
    "vllm/entrypoints/cli/serve.py": """\
import sys

class ServeSubcommand:
    @staticmethod
    def cmd(args):
        print("SERVING", file=sys.stderr)
        raise AssertionError("the judge started the server")
""",
    "vllm/entrypoints/cli/main.py": """\
import argparse
import vllm.entrypoints.cli.serve as serve

def main():
    parser = argparse.ArgumentParser("vllm")
    commands = parser.add_subparsers()
    command = commands.add_parser("serve")
    command.add_argument("model_tag", nargs="?")
    command.add_argument("--model", default="default")
    command.add_argument("--dtype", choices=["auto", "half"])
    command.add_argument("--max-model-len", type=int)
    command.add_argument("--trust-remote-code", action="store_true")
    command.add_argument("--tool-parser-plugin")
    command.add_argument("--do")
    command.set_defaults(act=serve.ServeSubcommand.cmd)
    args = parser.parse_args()
    args.act(args)
""",
    "vllm/engine/__init__.py": "",
    "vllm/engine/arg_utils.py": """\
import json, logging, os, signal, subprocess, sys, threading

class AsyncEngineArgs:
    def __init__(self, args):
        self.args = args

    @classmethod
    def from_cli_args(cls, args):
        return cls(args)

    def create_engine_config(self):
        args = self.args
        if args.max_model_len and args.max_model_len > 100:
            raise ValueError("1 validation error\\n  Value error, User-specified max_model_len is too long [type=v]")
        if args.trust_remote_code:
            raise AssertionError("the judge let the model's code run")
        logging.getLogger("vllm.x").warning("Unknown variable %s", sorted(os.environ))
        if args.do == "hang":
            pipe = open(os.environ["PIPE"], "w") if "PIPE" in os.environ else None
            if pipe:
                print("hanging", file=pipe, flush=True)
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            threading.Event().wait()
        if args.do == "die":
            print("about to die", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if args.do == "absent":
            raise type("LocalEntryNotFoundError", (OSError,), {})("Cannot find an appropriate cached snapshot folder")
        if args.do == "own-code":
            raise ValueError("contains custom code; pass trust_remote_code=True")
        if args.do == "paths":
            raise ValueError(json.dumps(sys.path))
""",
}


def make_python(folder: Path) -> Path:
    """Return a Python that has the package."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=300)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    for name, text in _FILES.items():
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "bin" / "python"
