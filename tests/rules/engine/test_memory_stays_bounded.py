"""A log of any length is read in the same memory, whatever it is made of."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_longer_log_needs_no_more_memory_and_its_last_line_is_still_found():
    results = []
    for size in ("2", "16"):
        command = [sys.executable, "-m", "tests.rules.engine.endless_logs", size]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        results.append(json.loads(done.stdout))
    short, long = results

    assert set(long["statuses"]) == {"diagnosed"}
    assert long["peak"] < short["peak"] + 8
    assert long["peak"] < 96
