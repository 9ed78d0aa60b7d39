"""Where the page of a running bot is written down: several may run from one state folder."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from bot.listening import NotServingError, forget_address, read_address, write_address

ROOT = Path(__file__).parents[2]
SERVER = """
import sys
from pathlib import Path
from bot.listening import forget_address, write_address
write_address(Path(sys.argv[1]), sys.argv[2])
print("written", flush=True)
if sys.stdin.readline().strip() == "end":
    forget_address(Path(sys.argv[1]))
"""


@contextlib.contextmanager
def _another_bot(folder, url, word="end"):
    """Run a process that has written its address down; it is told `word` when the block ends."""
    running = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder), url],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == "written\n"
        yield
        running.communicate(f"{word}\n", timeout=60)
    finally:
        running.kill()
        running.communicate()


def test_the_first_bot_is_found_again_when_the_second_has_ended(tmp_path):
    write_address(tmp_path, "http://127.0.0.1:1")

    with _another_bot(tmp_path, "http://127.0.0.1:2"):
        assert read_address(tmp_path) == "http://127.0.0.1:2"

    assert read_address(tmp_path) == "http://127.0.0.1:1"
    forget_address(tmp_path)
    with pytest.raises(NotServingError):
        read_address(tmp_path)


def test_the_second_bot_stays_when_the_first_has_ended(tmp_path):
    write_address(tmp_path, "http://127.0.0.1:1")

    with _another_bot(tmp_path, "http://127.0.0.1:2"):
        forget_address(tmp_path)
        assert read_address(tmp_path) == "http://127.0.0.1:2"


def test_what_a_dead_bot_left_behind_is_no_address_and_is_cleared(tmp_path):
    with _another_bot(tmp_path, "http://127.0.0.1:2", "die"):
        pass

    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(NotServingError):
        read_address(tmp_path)
    write_address(tmp_path, "http://127.0.0.1:1")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"url": 1}', '{"url": "u", "pid": 99999999999999999999}']
)
def test_a_damaged_entry_is_no_address(content, tmp_path):
    (tmp_path / "console-1.json").write_text(content, encoding="utf-8")

    with pytest.raises(NotServingError):
        read_address(tmp_path)
