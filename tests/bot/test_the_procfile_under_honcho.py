"""The Procfile as a process manager runs it: the bot gets ready, and SIGTERM ends everything."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")

pytestmark = pytest.mark.skipif(
    not (ROOT / ".venv/bin/python").exists(), reason="the Procfile runs the project's own environment"
)


async def test_honcho_starts_a_bot_that_gets_ready_and_ends_at_sigterm(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VLLM_DIAGNOSE_")}
    chosen = {"VLLM_DIAGNOSE_STATE_DIR": str(tmp_path), "VLLM_DIAGNOSE_CONSOLE__PORT": "0"}
    honcho = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "honcho", "start", "--no-colour"),
        cwd=ROOT,
        env={**kept, **chosen},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(PATIENCE_S), aiohttp.ClientSession() as http:
            url = await _address(honcho.stdout)
            while await _status(http, f"{url}/readyz") != 200:
                pass
            honcho.send_signal(signal.SIGTERM)
            said = (await honcho.stdout.read()).decode()
            await honcho.wait()
            after = await _status(http, f"{url}/readyz")
    finally:
        if honcho.returncode is None:
            os.killpg(honcho.pid, signal.SIGKILL)
            await honcho.wait()

    assert after is None
    assert "Traceback" not in said
    assert "SIGKILL" not in said
    assert list(tmp_path.glob("processes/*")) == []


async def _address(lines):
    while line := (await lines.readline()).decode():
        if found := ADDRESS.search(line):
            return found[0]
    raise AssertionError("honcho ended before the bot said its address")


async def _status(http, url):
    try:
        async with http.get(url) as response:
            return response.status
    except aiohttp.ClientError:
        return None
