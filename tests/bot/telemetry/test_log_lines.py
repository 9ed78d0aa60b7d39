"""A log that cannot be written costs its lines and nothing else."""

import io
from pathlib import Path

import pytest

from bot.telemetry.log_lines import LogLines


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_stops_nobody():
    full = Path("/dev/full").open("w")  # noqa: SIM115 (closing it fails, as it must)

    print("a line", file=LogLines(full), flush=True)

    with pytest.raises(OSError, match="No space left"):
        full.close()


def test_what_can_be_written_is_written():
    out = io.StringIO()

    print("a line", file=LogLines(out), flush=True)

    assert out.getvalue() == "a line\n"


def test_a_closed_stream_stops_nobody():
    out = io.StringIO()
    out.close()

    print("a line", file=LogLines(out), flush=True)
