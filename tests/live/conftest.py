"""The environment of the real vLLM and a model that it can load."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def venv():
    """Return the environment of the real vLLM."""
    named = os.environ.get("TEST_VLLM_VENV", "")
    if not Path(named, "bin", "vllm").exists():
        pytest.skip("TEST_VLLM_VENV names no environment with vLLM: run `make test-vllm`")
    return Path(named)


@pytest.fixture(scope="session")
def model(venv, tmp_path_factory):
    """Return a folder with the tiny model."""
    folder = tmp_path_factory.mktemp("model") / "tiny"
    program = ROOT / "tests" / "live" / "tiny_model.py"
    subprocess.run([str(venv / "bin" / "python"), str(program), str(folder)], check=True, timeout=300)
    return folder
