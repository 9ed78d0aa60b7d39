"""The hook that other repositories name in their `.pre-commit-config.yaml`, run as pre-commit runs it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
FILES = {
    "deploy/run.sh": "vllm serve a/b --max-model-len 4k\n",
    "deploy/other.sh": "echo hello\n",
    "values.yaml": "replicas: 1\n",
    "chart/deployment.yaml": "kind: Deployment\nspec:\n  {{- if .Values.vllm }}\n",
    "docker/Dockerfile.vllm": 'FROM vllm/vllm-openai:v0.11.2\nCMD ["--model", "a/b"]\n',
    "README.md": "Run `vllm serve a/b --no-such-flag`.\n",
}


def _hook():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return hook


def _commit(folder, files, *arguments):
    """Run the hook on the files that pre-commit would pass, from the top of the repository."""
    hook = _hook()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    passed = [name for name in files if re.search(hook["files"], name)]
    program, *words = shlex.split(hook["entry"])
    command = Path(sys.executable).with_name(program)
    return subprocess.run(
        [str(command), *words, *arguments, *passed],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_repository_of_sound_launches_and_other_files_passes(tmp_path):
    done = _commit(tmp_path, FILES)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("run.sh", "#!/bin/sh\nset -e\nvllm serve a/b --no-such-flag\n", 3),
        (
            "compose.yml",
            "services:\n  v:\n    image: vllm/vllm-openai\n    command: --model a/b --no-such-flag\n",
            4,
        ),
        ("vllm.service", "[Service]\nExecStart=/v/bin/vllm serve a/b --no-such-flag\n", 2),
    ],
)
def test_a_launch_that_would_not_start_stops_the_commit_with_file_and_line(tmp_path, name, text, line):
    done = _commit(tmp_path, {**FILES, name: text})

    assert done.returncode == 1
    assert f"{name}:{line}" in done.stdout
    assert "--no-such-flag" in done.stdout


def test_arguments_say_the_release(tmp_path):
    files = {"run.sh": "vllm serve a/b --use-v2-block-manager\n"}

    assert _commit(tmp_path, files, "--vllm-version", "0.8.5").returncode == 0
    assert _commit(tmp_path, files, "--vllm-version", "0.32.0").returncode == 1


def test_pre_commit_finds_all_that_it_needs_in_the_hook():
    hook = _hook()

    assert {"id", "name", "entry", "language", "files"} <= hook.keys()
    assert hook["language"] == "python"
